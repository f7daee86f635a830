//! The second procedure: honest records hold for both verifiers, and whatever an evil house tries
//! with one is found by both.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::process::Command;

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use shoe::{
    Binds, Bytes, CutOf, Digest, Promise, SecondWay, Secret, Shoe, ShoeFact, ShoeRecord, Signer,
    Way, Which, Words, cut_by_chance, sign_list, verify,
};

fn drawn(seed: u8) -> impl FnMut(&mut [u8]) -> Result<(), Infallible> {
    let mut cipher = ChaCha20::new(&[seed; 32].into(), &[0; 12].into());
    move |bytes| {
        cipher.apply_keystream(bytes);
        Ok(())
    }
}

fn secret(seed: u8) -> Secret {
    let Ok(secret) = Secret::draw(drawn(seed));
    secret
}

fn words(account: &str, seed: u8) -> Words {
    let Ok(words) = Words::draw(account, drawn(seed));
    words
}

fn house() -> Signer {
    Signer::of_seed(&[5; 32])
}

fn binds() -> Binds {
    let (key, book) = (house().public(), Digest::of(&[b"a book"]));
    Binds { key, table: "table 1".into(), number: 3, book, behind: 14, least: 52 }
}

/// A shoe that people took part in, and everything published of it.
struct Game {
    shoe: Shoe,
    record: ShoeRecord,
    people: Vec<(Words, bool)>,
}

impl Game {
    /// Committed, listed and ordered; who is not `true` does not open their words.
    fn ordered(people: &[(&str, bool)]) -> Self {
        let (secret, binds) = (secret(1), binds());
        let commitment = secret.commitment(&binds, 8);
        let mut record = ShoeRecord::of(8, commitment, binds);
        let people: Vec<_> =
            (10..).zip(people).map(|(seed, (name, opens))| (words(name, seed), *opens)).collect();
        let promises: Vec<_> = people.iter().map(|(words, _)| words.promise(&commitment)).collect();
        let signature = sign_list(&house(), &commitment, &promises);
        record.note(&ShoeFact::Listed { promises: promises.clone(), signature });
        let firsts = opened(&people, Which::First);
        let shoe = Shoe::new(secret, 8, &commitment, &promises, firsts).unwrap();
        record.note(&shoe.mixed());
        Self { shoe, record, people }
    }

    fn cut_by_player(mut self, depth: u32) -> Self {
        self.shoe.cut(depth).unwrap();
        self.record.note_cut(depth, CutOf::Player);
        self
    }

    fn cut_by_staff(mut self) -> Self {
        let seconds = opened(&self.people, Which::Second);
        let way = self.record.second().unwrap();
        let both = (&self.record.commitment, &self.record.root.unwrap());
        let depth = cut_by_chance(both, &way.promises, &seconds, (416, 52)).unwrap();
        self.shoe.cut(depth).unwrap();
        self.record.note(&ShoeFact::CutByChance { seconds });
        self.record.note_cut(depth, CutOf::Staff);
        self
    }

    /// Deals some cards, every fifth of them unseen.
    fn dealt(mut self, cards: u32) -> Self {
        for at in 0..cards {
            let index = self.shoe.take().unwrap();
            let opening = self.shoe.open(index).filter(|_| at % 5 != 4);
            self.record.note(&ShoeFact::Dealt { index, what: "coup 1: player".into(), opening });
        }
        self
    }

    fn revealed(self) -> ShoeRecord {
        let mut record = self.record;
        record.note(&self.shoe.reveal());
        record
    }
}

fn opened(people: &[(Words, bool)], which: Which) -> Vec<Option<Digest>> {
    people.iter().map(|(words, opens)| opens.then(|| words.word(which))).collect()
}

const THREE: &[(&str, bool)] = &[("table-1-1", true), ("table-1-2", false), ("Zoë", true)];

fn whole() -> ShoeRecord {
    Game::ordered(THREE).cut_by_staff().dealt(60).revealed()
}

fn by_player() -> ShoeRecord {
    Game::ordered(THREE).cut_by_player(200).dealt(60).revealed()
}

fn honest() -> Vec<(&'static str, ShoeRecord)> {
    let alone = ShoeRecord::of(8, secret(1).commitment(&binds(), 8), binds());
    vec![
        ("committed", alone.clone()),
        ("abandoned at once", {
            let mut record = alone;
            record.entropy = Some(Bytes(secret(1).bytes().to_vec()));
            record
        }),
        ("ordered", Game::ordered(THREE).record),
        ("cut by staff", Game::ordered(THREE).cut_by_staff().record),
        ("cut by a player", Game::ordered(THREE).cut_by_player(52).record),
        ("in use", Game::ordered(THREE).cut_by_staff().dealt(60).record),
        ("whole", whole()),
        ("whole, by a player", by_player()),
        ("nobody took part", Game::ordered(&[]).cut_by_staff().dealt(9).revealed()),
        ("nobody opened", Game::ordered(&[("A", false)]).cut_by_staff().dealt(9).revealed()),
    ]
}

fn way(record: &mut ShoeRecord) -> &mut SecondWay {
    match &mut record.way {
        Way::Second(way) => way,
        Way::First { .. } => panic!("a record of the second procedure"),
    }
}

fn said(record: &ShoeRecord) -> Vec<String> {
    verify(record).err().unwrap_or_default().iter().map(ToString::to_string).collect()
}

/// What an evil house, or somebody in league with it, makes of a record; and what gives it away.
type Attempt = (&'static str, fn(&mut ShoeRecord), &'static str);

const ATTEMPTS: &[Attempt] = &[
    (
        "another entropy than committed to",
        |r| r.entropy = Some(Bytes(secret(2).bytes().to_vec())),
        "not the one that was committed to",
    ),
    (
        "a commitment reused for another table",
        |r| way(r).binds.table = "table 2".into(),
        "not the one that was committed to",
    ),
    (
        "a commitment reused for the next shoe",
        |r| way(r).binds.number += 1,
        "not the one that was committed to",
    ),
    (
        "a commitment of another book",
        |r| way(r).binds.book = Digest::of(&[b"b"]),
        "not the one that was committed to",
    ),
    (
        "the cutting card placed later",
        |r| way(r).binds.behind += 1,
        "not the one that was committed to",
    ),
    ("wider bounds for the cut", |r| way(r).binds.least -= 1, "not the one that was committed to"),
    (
        "a key of its own making",
        |r| way(r).binds.key = Signer::of_seed(&[6; 32]).public(),
        "not the one that the house signed",
    ),
    (
        "a promise left out of the list",
        |r| {
            drop((
                way(r).promises.remove(0),
                way(r).firsts.as_mut().unwrap().remove(0),
                way(r).seconds.as_mut().unwrap().remove(0),
            ));
        },
        "not the one that the house signed",
    ),
    (
        "the list reordered",
        |r| {
            way(r).promises.swap(0, 2);
            way(r).firsts.as_mut().unwrap().swap(0, 2);
            way(r).seconds.as_mut().unwrap().swap(0, 2);
        },
        "not the one that the house signed",
    ),
    (
        "a last word of its own behind the signed list",
        |r| late_promise(r, false),
        "not the one that the house signed",
    ),
    ("a last word of its own, the list signed anew", |r| late_promise(r, true), "another root"),
    (
        "a word that was opened left out of the order",
        |r| way(r).firsts.as_mut().unwrap()[0] = None,
        "another root",
    ),
    (
        "a word that was not promised",
        |r| way(r).firsts.as_mut().unwrap()[0] = Some(Digest([9; 32])),
        "not the one that was promised",
    ),
    (
        "a second word that was not promised",
        |r| way(r).seconds.as_mut().unwrap()[2] = Some(Digest([9; 32])),
        "not the one that was promised",
    ),
    (
        "a second word left out for a better cut",
        |r| way(r).seconds.as_mut().unwrap()[2] = None,
        "chance makes it",
    ),
    (
        "a second word without its first",
        |r| way(r).seconds.as_mut().unwrap()[1] = Some(words("table-1-2", 11).word(Which::Second)),
        "without the first",
    ),
    ("a cut that staff chose", |r| r.cut = Some(r.cut.unwrap() ^ 1), "chance makes it"),
    (
        "a cut by staff that is called a player's",
        |r| way(r).cutter = Some(CutOf::Player),
        "second words are for a cut by staff",
    ),
    ("the root swapped", |r| r.root = Some(Digest([7; 32])), "does not lead to the root"),
    ("an order of its own under a root of its own", own_order, "another root"),
    ("one person on the list twice", twice, "somebody is on it twice"),
    ("the first procedure's name", |r| r.protocol = "sabot-shoe-1".into(), "the procedure is"),
    ("no signature", |r| way(r).signature = None, "before the list was closed"),
    ("no words behind a root", |r| way(r).firsts = None, "published together"),
    ("fewer decks", |r| r.decks = 7, "not the one that was committed to"),
    (
        "a card that is another",
        |r| r.openings[3].card = "Ah".parse().unwrap(),
        "does not lead to the root",
    ),
];

fn late_promise(record: &mut ShoeRecord, signed_anew: bool) {
    let late = words("table-1-9", 99);
    let commitment = record.commitment;
    let way = way(record);
    way.promises.push(late.promise(&commitment));
    way.firsts.as_mut().unwrap().push(Some(late.word(Which::First)));
    way.seconds.as_mut().unwrap().push(None);
    if signed_anew {
        way.signature = Some(sign_list(&house(), &commitment, &way.promises));
    }
}

/// The house deals an order of another entropy, with all its proofs.
fn own_order(record: &mut ShoeRecord) {
    let commitment = record.commitment;
    let (promises, firsts) = (way(record).promises.clone(), way(record).firsts.clone().unwrap());
    let mut shoe = Shoe::new(secret(2), 8, &commitment, &promises, firsts).unwrap();
    record.root = Some(shoe.root());
    let seconds = way(record).seconds.clone().unwrap();
    let root = shoe.root();
    let depth = cut_by_chance((&commitment, &root), &promises, &seconds, (416, 52)).unwrap();
    shoe.cut(depth).unwrap();
    record.cut = Some(depth);
    for _ in 0..record.dealt.len() {
        shoe.take();
    }
    for opening in &mut record.openings {
        *opening = shoe.open(opening.index).unwrap();
    }
}

fn twice(record: &mut ShoeRecord) {
    let commitment = record.commitment;
    let way = way(record);
    let again: Promise = way.promises[0].clone();
    way.promises[1] = again;
    way.signature = Some(sign_list(&house(), &commitment, &way.promises));
}

#[test]
fn honest_records_hold() {
    for (name, record) in honest() {
        assert_eq!(said(&record), [""; 0], "{name}");
    }
    let verified = verify(&whole()).unwrap();
    assert_eq!((verified.witnesses, verified.silent), (Some(2), 1));
    let alone = Game::ordered(&[]).cut_by_staff().revealed();
    assert_eq!(verify(&alone).unwrap().witnesses, Some(0), "unwitnessed");
}

#[test]
fn whatever_an_evil_house_tries_with_a_record_is_found() {
    for (name, attempt, gives_away) in ATTEMPTS {
        let mut record = whole();
        attempt(&mut record);
        assert_ne!(record, whole(), "{name} changes nothing");
        let said = said(&record);
        assert!(said.iter().any(|fault| fault.contains(gives_away)), "{name}: {said:?}");
    }
    let mut shallow = Game::ordered(THREE).cut_by_player(51).dealt(3).record;
    assert_eq!(said(&shallow), ["the shoe is cut at 51; allowed: 52 to 364"]);
    shallow.cut = Some(200);
    assert!(!said(&shallow).is_empty(), "the cards are others then");
}

/// With the first procedure a house that knows the nonces early solves for any order it likes.
/// With the second it cannot: a promise is for one commitment, and the stream is no longer S and
/// something that does not depend on S.
#[test]
fn who_knows_the_words_early_cannot_solve_for_an_order() {
    let nonce = b"known early".to_vec();
    let wanted = secret(3);
    // What the first procedure makes of zeros is the pad itself.
    let pad = |bytes: &mut [u8]| {
        let mut said = b"sabot-shoe-1 nonces".to_vec();
        said.push(u8::try_from(nonce.len()).unwrap());
        said.extend(&nonce);
        ChaCha20::new(&Digest::of(&[&said]).0.into(), &[0; 12].into()).apply_keystream(bytes);
    };
    let solve = |stream: &[u8]| {
        let mut solved = stream.to_vec();
        pad(&mut solved);
        Secret::from_bytes(&solved).unwrap()
    };
    // The stream that the house would like: any at all, here that of another shoe.
    let mut stream = wanted.bytes().to_vec();
    ChaCha20::new(&[77; 32].into(), &[0; 12].into()).apply_keystream(&mut stream);
    let chosen = solve(&stream);
    let shoe = Shoe::first(chosen.clone(), 8, vec![nonce.clone()]).unwrap();
    let mut record = ShoeRecord::first(8, chosen.first_commitment());
    record.note(&shoe.mixed());
    record.note(&shoe.reveal());
    assert_eq!(verify(&record).unwrap().witnesses, None, "it verifies, and is named as weaker");
    // The same entropy, chosen in the same way, gives another order with every commitment that it
    // is part of, and a word that was promised for one commitment is none for another.
    let early = words("table-1-1", 10);
    let commitments = [1, 2].map(|number| chosen.commitment(&Binds { number, ..binds() }, 8));
    let roots = commitments.map(|commitment| {
        let promises = [early.promise(&commitment)];
        let firsts = vec![Some(early.word(Which::First))];
        Shoe::new(chosen.clone(), 8, &commitment, &promises, firsts).unwrap().root()
    });
    assert_ne!(roots[0], roots[1]);
    let promise = early.promise(&commitments[0]);
    assert!(promise.is_kept(&commitments[0], Which::First, &early.word(Which::First)));
    assert!(!promise.is_kept(&commitments[1], Which::First, &early.word(Which::First)));
}

/// The exit code of the independent verifier, and what it said.
fn python(folder: &Path, name: &str, record: &ShoeRecord) -> (Option<i32>, String) {
    let file = folder.join(format!("{}.json", name.replace(|c: char| !c.is_alphanumeric(), "_")));
    std::fs::write(&file, serde_json::to_string(record).unwrap()).unwrap();
    let program = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tools/verify_shoe.py");
    let output = Command::new("python3").arg(program).arg(&file).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn the_independent_verifier_agrees() {
    let folder = tempfile::tempdir().unwrap();
    for (name, record) in honest() {
        let (code, said) = python(folder.path(), name, &record);
        assert_eq!(code, Some(0), "{name}: {said}");
    }
    let (_, said) = python(folder.path(), "alone", &Game::ordered(&[]).cut_by_staff().revealed());
    assert!(said.contains("unwitnessed"), "{said}");
    for (name, attempt, _) in ATTEMPTS {
        let mut record = whole();
        attempt(&mut record);
        let (code, said) = python(folder.path(), name, &record);
        // A record that calls itself of one procedure and has the fields of the other is no record.
        let wanted = if name.contains("procedure's name") { 2 } else { 1 };
        assert_eq!(code, Some(wanted), "{name}: {said}");
    }
}

/// What is written is read again, exactly; what has fields of both procedures is no record.
#[test]
fn records_are_exchanged_exactly() {
    for (name, record) in honest() {
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<ShoeRecord>(&text).unwrap(), record, "{name}");
        let more = text.replacen('{', "{\"nonces\":[],", 1);
        assert!(serde_json::from_str::<ShoeRecord>(&more).is_err(), "{name}");
    }
}
