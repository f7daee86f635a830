//! Honest records hold and falsified ones do not, for Sabot's verifier and for the independent one.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use rules::{Card, Composition};
use serde_json::{Value, json};
use shoe::{
    Bytes, Digest, ENTROPY_BYTES, Nonce, Opening, Secret, Shoe, ShoeFact, ShoeRecord, verify,
};

/// A secret that is the same in every run.
/// The nonces of a record of the first procedure.
fn nonces(record: &mut ShoeRecord) -> &mut Vec<Nonce> {
    match &mut record.way {
        shoe::Way::First { nonces } => nonces,
        shoe::Way::Second(_) => panic!("a record of the first procedure"),
    }
}

fn secret(seed: u8) -> Secret {
    let Ok(secret) = Secret::draw(|bytes| {
        ChaCha20::new(&[seed; 32].into(), &[0; 12].into()).apply_keystream(bytes);
        Ok::<_, Infallible>(())
    });
    secret
}

fn two_nonces() -> Vec<Vec<u8>> {
    vec![b"a player's word".to_vec(), vec![0xff; 64]]
}

/// A shoe and what was published of it so far.
struct Game {
    shoe: Shoe,
    record: ShoeRecord,
}

impl Game {
    /// Committed and mixed, but not cut.
    fn mixed(seed: u8, decks: u32, nonces: Vec<Vec<u8>>) -> Self {
        let secret = secret(seed);
        let mut record = ShoeRecord::first(decks, secret.first_commitment());
        let shoe = Shoe::first(secret, decks, nonces).unwrap();
        record.note(&shoe.mixed());
        Self { shoe, record }
    }

    fn cut(mut self, depth: u32) -> Self {
        self.shoe.cut(depth).unwrap();
        self.record.cut = Some(depth);
        self
    }

    fn deal(&mut self, what: &str, shown: bool) -> u32 {
        let index = self.shoe.take().unwrap();
        let opening = shown.then(|| self.shoe.open(index).unwrap());
        self.record.note(&ShoeFact::Dealt { index, what: what.into(), opening });
        index
    }

    fn turn(&mut self, index: u32) {
        self.record.note(&ShoeFact::Opened(self.shoe.open(index).unwrap()));
    }

    /// A burn and so many coups: the first card is shown, the burnt ones are not, four cards of a
    /// coup lie face down until they are turned, the third cards are shown at once.
    fn play(mut self, coups: u32) -> Self {
        self.deal("burn", true);
        for _ in 0..7 {
            self.deal("burn, unseen", false);
        }
        for coup in 1..=coups {
            let hands = ["player", "banker", "player", "banker"];
            let dealt = hands.map(|hand| self.deal(&format!("coup {coup}: {hand}"), false));
            for card in [0, 2, 1, 3] {
                self.turn(dealt[card]);
            }
            self.deal(&format!("coup {coup}: player"), true);
        }
        // The last coup is void: its cards are not turned.
        self.deal("void coup: player", false);
        self
    }

    fn reveal(mut self) -> ShoeRecord {
        self.record.note(&self.shoe.reveal());
        self.record
    }
}

/// A whole shoe, from the commitment to the end.
fn whole() -> ShoeRecord {
    Game::mixed(1, 8, two_nonces()).cut(300).play(12).reveal()
}

/// The same shoe while it is in use.
fn in_use() -> ShoeRecord {
    Game::mixed(1, 8, two_nonces()).cut(300).play(12).record
}

/// The same shoe, abandoned before its order was made.
fn abandoned_after_the_commitment() -> ShoeRecord {
    let mut record = ShoeRecord::first(8, secret(1).first_commitment());
    record.note(&ShoeFact::Revealed { entropy: Bytes(secret(1).bytes().to_vec()) });
    record
}

/// A shoe of which every card was dealt and shown.
fn dealt_out(decks: u32, nonces: Vec<Vec<u8>>, cut: u32) -> ShoeRecord {
    let mut game = Game::mixed(2, decks, nonces).cut(cut);
    for _ in 0..decks * 52 {
        game.deal("shown", true);
    }
    game.reveal()
}

/// Records of honest shoes at every stage and of every size.
fn honest() -> Vec<(String, ShoeRecord)> {
    let mixed = || Game::mixed(1, 8, two_nonces());
    let mut records = vec![
        ("whole".to_owned(), whole()),
        ("in use".to_owned(), in_use()),
        ("committed".to_owned(), ShoeRecord::first(8, secret(1).first_commitment())),
        ("abandoned after the commitment".to_owned(), abandoned_after_the_commitment()),
        ("mixed".to_owned(), mixed().record),
        ("abandoned after the root".to_owned(), mixed().reveal()),
        ("cut".to_owned(), mixed().cut(415).record),
        ("abandoned after the cut".to_owned(), mixed().cut(415).reveal()),
    ];
    // The trees of these have every shape: 52 × 16 halves down to 13, 52 × 11 to 143.
    for (decks, cut) in [(1, 0), (1, 51), (3, 7), (6, 311), (8, 0), (11, 400), (16, 831)] {
        let nonces = (0..decks * 4).map(|number| vec![0xa5; number as usize + 1]).collect();
        records.push((format!("{decks} decks cut at {cut}"), dealt_out(decks, nonces, cut)));
    }
    records.push(("no nonces".to_owned(), dealt_out(8, Vec::new(), 208)));
    records
}

/// Something done to a record that makes it false.
struct Forgery {
    name: &'static str,
    forge: fn(ShoeRecord) -> ShoeRecord,
    /// Whether it shows while the shoe is in use, or only when the entropy is out.
    at_once: bool,
    /// What the verifier says, among other things.
    says: &'static str,
}

/// All forgeries, by the names of their functions.
macro_rules! forgeries {
    ($($name:ident, $at_once:literal, $says:literal;)*) => {
        &[$(Forgery {
            name: stringify!($name), forge: $name, at_once: $at_once, says: $says,
        }),*]
    };
}

const FORGERIES: &[Forgery] = forgeries! {
    card_changed, true, "does not lead to the root";
    salt_changed, true, "does not lead to the root";
    first_hash_of_a_path_changed, true, "does not lead to the root";
    last_hash_of_a_path_changed, true, "does not lead to the root";
    path_reversed, true, "does not lead to the root";
    path_too_short, true, "does not lead to the root";
    path_too_long, true, "does not lead to the root";
    path_missing, true, "does not lead to the root";
    opening_shifted_to_another_card, true, "does not lead to the root";
    opening_shifted_by_the_whole_shoe, true, "cards left the shoe";
    opened_twice, true, "is opened twice";
    two_cards_swapped, true, "does not lead to the root";
    two_openings_change_places, true, "does not lead to the root";
    opening_of_another_shoe, true, "does not lead to the root";
    cut_changed, true, "does not lead to the root";
    cut_beyond_the_shoe, true, "a shoe is cut once";
    cut_missing, true, "not cut";
    nonce_changed, false, "another root";
    nonce_dropped, false, "another root";
    nonce_added, false, "another root";
    nonces_reordered, false, "another root";
    nonces_joined, true, "nonces have 1 to 64 bytes";
    nonce_empty, true, "nonces have 1 to 64 bytes";
    too_many_nonces, true, "nonces have 1 to 64 bytes";
    root_changed, true, "does not lead to the root";
    root_missing, true, "its root is not published";
    commitment_changed, false, "not the one that was committed to";
    entropy_one_bit_changed, false, "not the one that was committed to";
    entropy_changed_with_its_commitment, false, "another root";
    entropy_too_short, false, "not the one that was committed to";
    entropy_too_long_with_its_commitment, false, "not the one that was committed to";
    dealt_shorter_than_the_openings, true, "cards left the shoe";
    more_dealt_than_cards, true, "417 cards left a shoe of 416";
    fewer_decks, true, "does not lead to the root";
    // Neither hash says how many cards there are, and some paths fit two sizes of tree.
    more_decks, true, "does not lead to the root";
    no_decks, true, "0 decks";
    too_many_decks, true, "17 decks";
    protocol_changed, true, "the procedure is";
};

fn another_card(card: Card) -> Card {
    Card::deck().find(|other| *other != card).unwrap()
}

fn card_changed(mut record: ShoeRecord) -> ShoeRecord {
    record.openings[3].card = another_card(record.openings[3].card);
    record
}

fn salt_changed(mut record: ShoeRecord) -> ShoeRecord {
    record.openings[3].salt.0[31] ^= 1;
    record
}

fn first_hash_of_a_path_changed(mut record: ShoeRecord) -> ShoeRecord {
    record.openings[3].path[0].0[0] ^= 0x80;
    record
}

fn last_hash_of_a_path_changed(mut record: ShoeRecord) -> ShoeRecord {
    record.openings[3].path.last_mut().unwrap().0[31] ^= 1;
    record
}

fn path_reversed(mut record: ShoeRecord) -> ShoeRecord {
    record.openings[3].path.reverse();
    record
}

fn path_too_short(mut record: ShoeRecord) -> ShoeRecord {
    record.openings[3].path.pop();
    record
}

fn path_too_long(mut record: ShoeRecord) -> ShoeRecord {
    let root = record.root.unwrap();
    record.openings[3].path.push(root);
    record
}

fn path_missing(mut record: ShoeRecord) -> ShoeRecord {
    record.openings[3].path.clear();
    record
}

/// The card that was burnt unseen is said to be the one that was shown.
fn opening_shifted_to_another_card(mut record: ShoeRecord) -> ShoeRecord {
    assert_eq!(record.openings[0].index, 0);
    record.openings[0].index = 1;
    record
}

/// It comes to the same position.
fn opening_shifted_by_the_whole_shoe(mut record: ShoeRecord) -> ShoeRecord {
    record.openings[0].index += record.decks * 52;
    record
}

fn opened_twice(mut record: ShoeRecord) -> ShoeRecord {
    record.openings.push(record.openings[3].clone());
    record
}

fn two_cards_swapped(mut record: ShoeRecord) -> ShoeRecord {
    let card = record.openings[0].card;
    let other = record.openings.iter().position(|opening| opening.card != card).unwrap();
    record.openings[0].card = record.openings[other].card;
    record.openings[other].card = card;
    record
}

/// Card, salt and path of each are said to be the other's.
fn two_openings_change_places(mut record: ShoeRecord) -> ShoeRecord {
    let (first, second) = (record.openings[3].index, record.openings[4].index);
    record.openings[3].index = second;
    record.openings[4].index = first;
    record
}

fn opening_of_another_shoe(mut record: ShoeRecord) -> ShoeRecord {
    record.openings[0] = dealt_out(8, two_nonces(), 300).openings[0].clone();
    record
}

fn cut_changed(mut record: ShoeRecord) -> ShoeRecord {
    record.cut = Some(record.cut.unwrap() + 1);
    record
}

/// It comes to the same positions.
fn cut_beyond_the_shoe(mut record: ShoeRecord) -> ShoeRecord {
    record.cut = Some(record.cut.unwrap() + record.decks * 52);
    record
}

fn cut_missing(mut record: ShoeRecord) -> ShoeRecord {
    record.cut = None;
    record
}

fn nonce_changed(mut record: ShoeRecord) -> ShoeRecord {
    nonces(&mut record)[1].0[63] ^= 1;
    record
}

fn nonce_dropped(mut record: ShoeRecord) -> ShoeRecord {
    nonces(&mut record).pop();
    record
}

fn nonce_added(mut record: ShoeRecord) -> ShoeRecord {
    nonces(&mut record).push(Nonce(vec![0]));
    record
}

fn nonces_reordered(mut record: ShoeRecord) -> ShoeRecord {
    nonces(&mut record).reverse();
    record
}

/// The second nonce and its length are taken for the end of the first.
fn nonces_joined(mut record: ShoeRecord) -> ShoeRecord {
    let second = nonces(&mut record).pop().unwrap();
    nonces(&mut record)[0].0.push(64);
    nonces(&mut record)[0].0.extend(second.0);
    record
}

fn nonce_empty(mut record: ShoeRecord) -> ShoeRecord {
    nonces(&mut record).push(Nonce(Vec::new()));
    record
}

fn too_many_nonces(mut record: ShoeRecord) -> ShoeRecord {
    *nonces(&mut record) = vec![Nonce(vec![1]); 65];
    record
}

fn root_changed(mut record: ShoeRecord) -> ShoeRecord {
    record.root.as_mut().unwrap().0[0] ^= 1;
    record
}

fn root_missing(mut record: ShoeRecord) -> ShoeRecord {
    record.root = None;
    record
}

fn commitment_changed(mut record: ShoeRecord) -> ShoeRecord {
    record.commitment.0[0] ^= 1;
    record
}

/// The last bit makes no card, only the salts and the commitment.
fn entropy_one_bit_changed(mut record: ShoeRecord) -> ShoeRecord {
    record.entropy.iter_mut().for_each(|entropy| entropy.0[ENTROPY_BYTES - 1] ^= 1);
    record
}

/// The house kept two secrets and shows the other.
fn entropy_changed_with_its_commitment(mut record: ShoeRecord) -> ShoeRecord {
    record.commitment = secret(9).first_commitment();
    let entropy = Bytes(secret(9).bytes().to_vec());
    record.entropy = record.entropy.map(|_| entropy);
    record
}

fn entropy_too_short(mut record: ShoeRecord) -> ShoeRecord {
    record.entropy.iter_mut().for_each(|entropy| entropy.0.truncate(1660));
    record
}

fn entropy_too_long_with_its_commitment(mut record: ShoeRecord) -> ShoeRecord {
    if let Some(entropy) = &mut record.entropy {
        entropy.0.extend([0; 4]);
        record.commitment = Digest::of(&[&entropy.0]);
    }
    record
}

fn dealt_shorter_than_the_openings(mut record: ShoeRecord) -> ShoeRecord {
    record.dealt.truncate(record.dealt.len() - 2);
    record
}

fn more_dealt_than_cards(mut record: ShoeRecord) -> ShoeRecord {
    record.dealt.resize(417, "burn, unseen".into());
    record
}

fn fewer_decks(mut record: ShoeRecord) -> ShoeRecord {
    record.decks -= 1;
    record
}

fn more_decks(mut record: ShoeRecord) -> ShoeRecord {
    record.decks += 1;
    record
}

fn no_decks(mut record: ShoeRecord) -> ShoeRecord {
    record.decks = 0;
    record
}

fn too_many_decks(mut record: ShoeRecord) -> ShoeRecord {
    record.decks = 17;
    record
}

fn protocol_changed(mut record: ShoeRecord) -> ShoeRecord {
    record.protocol = "sabot-shoe-0".into();
    record
}

/// The leaf at a position of eight decks, as the page describes it.
fn leaf(position: u32, card: Card, salt: &Digest) -> Digest {
    let (total, position) = (416_u32.to_be_bytes(), position.to_be_bytes());
    Digest::of(&[&[0], &total, &position, card.to_string().as_bytes(), &salt.0])
}

/// A tree in the hands of somebody who makes his own order.
struct Rigged {
    cards: Vec<Card>,
    salts: Vec<Digest>,
}

impl Rigged {
    /// The honest order of eight decks, to be changed.
    fn honest() -> Self {
        let record = dealt_out(8, two_nonces(), 0);
        let cards = record.openings.iter().map(|opening| opening.card).collect();
        let salts = record.openings.iter().map(|opening| opening.salt).collect();
        Self { cards, salts }
    }

    /// Levels of the tree, as the page describes it; 416 halves down to 13, which is odd.
    fn levels(&self) -> Vec<Vec<Digest>> {
        let leaves = (0..).zip(self.cards.iter().zip(&self.salts));
        let leaves = leaves.map(|(position, (card, salt))| leaf(position, *card, salt));
        let mut levels = vec![leaves.collect()];
        while let Some(last) = levels.last().filter(|level: &&Vec<_>| level.len() > 1) {
            let join = |pair: &[Digest]| match pair {
                [left, right] => Digest::of(&[&[1], &left.0, &right.0]),
                _ => pair[0],
            };
            levels.push(last.chunks(2).map(join).collect());
        }
        levels
    }

    /// A shoe with this order, every card dealt and shown.
    fn record(&self) -> ShoeRecord {
        let levels = self.levels();
        let path = |position: usize| {
            let beside = |(height, level): (usize, &Vec<Digest>)| {
                level.get((position >> height) ^ 1).copied()
            };
            levels.iter().enumerate().filter_map(beside).collect()
        };
        let mut record = dealt_out(8, two_nonces(), 0);
        record.root = levels.last().map(|top| top[0]);
        for (position, opening) in record.openings.iter_mut().enumerate() {
            opening.card = self.cards[position];
            opening.salt = self.salts[position];
            opening.path = path(position);
        }
        record
    }
}

/// Records of a house that made its own order and proves every card of it.
fn rigged() -> Vec<(String, ShoeRecord)> {
    let mut swapped = Rigged::honest();
    let other = swapped.cards.iter().position(|card| *card != swapped.cards[0]).unwrap();
    swapped.cards.swap(0, other);
    let mut salted = Rigged::honest();
    salted.salts[0].0[0] ^= 1;
    let mut ninth = Rigged::honest();
    let ace: Card = "Ah".parse().unwrap();
    let other = ninth.cards.iter().position(|card| *card != ace).unwrap();
    ninth.cards[other] = ace;
    vec![
        ("two cards of the order swapped".into(), swapped.record()),
        ("a salt of its own".into(), salted.record()),
        ("a ninth ace of hearts".into(), ninth.record()),
        ("a ninth ace of hearts, in use".into(), ShoeRecord { entropy: None, ..ninth.record() }),
    ]
}

fn said(record: &ShoeRecord) -> Vec<String> {
    verify(record).err().unwrap_or_default().iter().map(ToString::to_string).collect()
}

#[test]
fn honest_records_hold() {
    for (name, record) in honest() {
        assert_eq!(said(&record), [""; 0], "{name}");
        let verified = verify(&record).unwrap();
        assert_eq!(verified.dealt, record.dealt.len(), "{name}");
        assert_eq!(verified.opened, record.openings.len(), "{name}");
        assert_eq!(verified.whole, record.entropy.is_some(), "{name}");
    }
    // Otherwise the forgeries below would find nothing to forge.
    assert!(whole().openings.len() > 50 && whole().dealt.len() > whole().openings.len());
}

#[test]
fn every_forgery_of_a_whole_shoe_is_found() {
    for Forgery { name, forge, says, .. } in FORGERIES {
        let forged = forge(whole());
        assert_ne!(forged, whole(), "{name} changes nothing");
        let said = said(&forged);
        assert!(said.iter().any(|fault| fault.contains(says)), "{name}: {said:?}");
    }
}

/// What cannot be found before the entropy is out is only what the entropy is there for.
#[test]
fn most_forgeries_are_found_while_the_shoe_is_in_use() {
    for Forgery { name, forge, at_once, says } in FORGERIES {
        let said = said(&forge(in_use()));
        assert_eq!(said.iter().any(|fault| fault.contains(says)), *at_once, "{name}: {said:?}");
        assert_eq!(said.is_empty(), !at_once, "{name}: {said:?}");
    }
}

#[test]
fn a_house_that_makes_its_own_order_is_found_out() {
    assert!(verify(&Rigged::honest().record()).is_ok(), "the tree is not the one of the page");
    let says = ["was opened as", "the salt of card 0 is not", "opened more often", "more often"];
    for ((name, record), says) in rigged().into_iter().zip(says) {
        let said = said(&record);
        assert!(said.iter().any(|fault| fault.contains(says)), "{name}: {said:?}");
    }
    let in_use = ShoeRecord { entropy: None, ..rigged()[2].1.clone() };
    assert_eq!(said(&in_use), ["Ah is opened more often than there are decks"]);
}

#[test]
fn an_abandoned_shoe_is_bound_to_its_commitment_and_its_root() {
    for forge in [commitment_changed, entropy_one_bit_changed, entropy_too_short] {
        assert!(verify(&forge(abandoned_after_the_commitment())).is_err());
    }
    let abandoned = || Game::mixed(1, 8, two_nonces()).reveal();
    for forge in [nonce_changed, nonces_reordered, root_changed, fewer_decks, more_decks] {
        assert!(verify(&forge(abandoned())).is_err());
    }
}

/// The exit code of the independent verifier, and what it said.
fn python(folder: &Path, name: &str, text: &str) -> (Option<i32>, String) {
    let file = folder.join(format!("{}.json", name.replace([' ', ','], "_")));
    std::fs::write(&file, text).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/verify_shoe.py");
    let output = match Command::new("python3").arg(script).arg(&file).output() {
        Ok(output) => output,
        Err(error) => panic!("python3 does not start ({error}); `make test` installs it"),
    };
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

/// Gives records to the independent verifier, a few at a time.
fn all_in_python(records: Vec<(String, String)>) -> HashMap<String, (Option<i32>, String)> {
    let folder = tempfile::tempdir().unwrap();
    let expected = records.len();
    let (waiting, answers) = (Mutex::new(records), Mutex::new(HashMap::new()));
    let work = || {
        loop {
            let next = waiting.lock().unwrap().pop();
            let Some((name, text)) = next else { return };
            let answer = python(folder.path(), &name, &text);
            answers.lock().unwrap().insert(name, answer);
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let answers = answers.into_inner().unwrap();
    assert_eq!(answers.len(), expected, "two records have the same name");
    answers
}

fn written(records: Vec<(String, ShoeRecord)>) -> Vec<(String, String)> {
    let write = |(name, record)| (name, serde_json::to_string_pretty(&record).unwrap());
    records.into_iter().map(write).collect()
}

#[test]
fn honest_records_hold_for_the_independent_verifier() {
    for (name, (code, said)) in all_in_python(written(honest())) {
        assert_eq!(code, Some(0), "{name}: {said}");
    }
}

#[test]
fn forgeries_are_found_by_the_independent_verifier() {
    let mut records = rigged();
    for Forgery { name, forge, at_once, .. } in FORGERIES {
        records.push(((*name).to_owned(), forge(whole())));
        if *at_once {
            records.push((format!("{name} in use"), forge(in_use())));
        }
    }
    for (name, (code, said)) in all_in_python(written(records)) {
        // A Python program that breaks exits with 1 as well, but says so.
        assert!(!said.contains("Traceback"), "{name}: {said}");
        assert!(matches!(code, Some(1 | 2)), "{name}: {code:?} {said}");
    }
}

/// What is not written as the page says, and what was changed to get there.
fn misspelt() -> Vec<(String, String)> {
    let record = serde_json::to_value(whole()).unwrap();
    let mut texts: Vec<(String, String)> = Vec::new();
    let mut change = |name: &str, change: fn(&mut Value)| {
        let mut changed = record.clone();
        change(&mut changed);
        assert_ne!(changed, record, "{name}");
        texts.push((name.to_owned(), changed.to_string()));
    };
    change("an unknown field", |record| record["seed"] = json!(1));
    change("an unknown field of an opening", |record| record["openings"][0]["position"] = json!(1));
    change("an opening without a path", |record| drop(take(&mut record["openings"][0], "path")));
    change("no protocol", |record| drop(take(record, "protocol")));
    change("no nonces", |record| drop(take(record, "nonces")));
    change("no openings", |record| drop(take(record, "openings")));
    change("decks as text", |record| record["decks"] = json!("8"));
    change("decks as a fraction", |record| record["decks"] = json!(8.0));
    change("decks as a truth", |record| record["decks"] = json!(true));
    change("a cut below zero", |record| record["cut"] = json!(-116));
    change("a huge index", |record| record["openings"][0]["index"] = json!(1_u64 << 32));
    change("capital letters", |record| {
        record["entropy"] = json!(record["entropy"].as_str().unwrap().to_uppercase());
    });
    change("a hash with a space", |record| {
        record["root"] = json!(format!(" {}", record["root"].as_str().unwrap()));
    });
    change("a short hash", |record| record["commitment"] = json!("00"));
    change("half a byte", |record| record["nonces"][0] = json!("abc"));
    change("no card", |record| record["openings"][0]["card"] = json!("1h"));
    change("ten in two digits", |record| record["openings"][0]["card"] = json!("10h"));
    change("a card of the other suit system", |record| record["openings"][0]["card"] = json!("A♥"));
    change("dealt as numbers", |record| record["dealt"][0] = json!(0));
    change("null for a list", |record| record["nonces"] = Value::Null);
    let text = record.to_string();
    texts.push(("cut short".into(), text[..text.len() - 1].to_owned()));
    texts.push(("followed by more".into(), format!("{text} {text}")));
    texts.push(("a field twice".into(), text.replacen('{', "{\"decks\": 8,", 1)));
    texts.push(("nothing".into(), String::new()));
    texts
}

/// Takes a field out of an object.
fn take(value: &mut Value, field: &str) -> Value {
    value.as_object_mut().unwrap().shift_remove(field).unwrap()
}

#[test]
fn what_is_not_written_as_the_page_says_is_not_read() {
    for (name, text) in misspelt() {
        assert!(serde_json::from_str::<ShoeRecord>(&text).is_err(), "{name}");
    }
    for (name, (code, said)) in all_in_python(misspelt()) {
        assert!(!said.contains("Traceback"), "{name}: {said}");
        assert!(matches!(code, Some(1 | 2)), "{name}: {code:?} {said}");
    }
}

/// Every field is there, even if it is null; a card is written in one way only.
#[test]
fn the_reader_is_as_strict_as_the_page() {
    let record = serde_json::to_value(in_use()).unwrap();
    let mut texts = Vec::new();
    for field in ["root", "cut", "entropy"] {
        let mut changed = record.clone();
        take(&mut changed, field);
        texts.push((format!("{field} left out"), changed.to_string()));
    }
    let mut changed = record;
    let card = changed["openings"][0]["card"].as_str().unwrap().to_uppercase();
    changed["openings"][0]["card"] = json!(card);
    texts.push(("a card in capital letters".into(), changed.to_string()));
    let holds = |text: &str| serde_json::from_str(text).is_ok_and(|record| verify(&record).is_ok());
    let taken: Vec<_> =
        texts.iter().filter(|(_, text)| holds(text)).map(|(name, _)| name).collect();
    assert!(taken.is_empty(), "these hold: {taken:?}");
    for (name, (code, said)) in all_in_python(texts) {
        assert_eq!(code, Some(2), "{name}: {said}");
    }
}

/// A shoe whose stream does not suffice is abandoned, and its entropy shown; that is no fault.
#[test]
fn a_shoe_that_cannot_be_made_is_abandoned_without_fault() {
    // The words of this entropy without nonces are all 2³² - 1, which are forgotten.
    let mut entropy = vec![0xff; ENTROPY_BYTES];
    let key = Digest::of(&[b"sabot-shoe-1 nonces"]);
    ChaCha20::new(&key.0.into(), &[0; 12].into()).apply_keystream(&mut entropy);
    let secret = Secret::from_bytes(&entropy).unwrap();
    assert!(Shoe::first(secret.clone(), 8, Vec::new()).is_err());
    let mut record = ShoeRecord::first(8, secret.first_commitment());
    record.note(&ShoeFact::Revealed { entropy: Bytes(entropy) });
    let with_a_root = ShoeRecord { root: Some(secret.first_commitment()), ..record.clone() };
    let records = vec![("no root".to_owned(), record), ("a root".to_owned(), with_a_root)];
    let answers = all_in_python(written(records.clone()));
    for ((name, record), holds) in records.into_iter().zip([true, false]) {
        assert_eq!(answers[&name].0, Some(i32::from(!holds)), "{name}: {}", answers[&name].1);
        assert_eq!(verify(&record).is_ok(), holds, "{name}: {:?}", said(&record));
    }
}

#[test]
fn a_record_is_read_as_it_was_written() {
    for (name, record) in honest() {
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<ShoeRecord>(&text).unwrap(), record, "{name}");
    }
}

/// Words of letters and digits in what is printed for those who look for faults.
fn printed_words(printed: &str) -> Vec<&str> {
    printed.split(|letter: char| !letter.is_ascii_alphanumeric()).collect()
}

#[test]
fn what_is_printed_of_a_secret_or_a_shoe_gives_no_card_away() {
    let secret = secret(1);
    let commitment = secret.first_commitment().to_string();
    let shoe = Game::mixed(1, 8, two_nonces()).cut(300).play(12).shoe;
    let root = shoe.root().to_string();
    let printed = [
        format!("{secret:?}"),
        format!("{secret:#?}"),
        format!("{shoe:?}"),
        format!("{shoe:#?}"),
        format!("{:?}", shoe.secret()),
    ];
    for text in printed {
        // 416 cards, or 4096 numbers, would not fit.
        assert!(text.len() < 120, "{text}");
        for word in printed_words(&text) {
            assert!(word.parse::<Card>().is_err(), "{word} is a card in {text}");
            let published = word == commitment || word == root;
            let hexadecimal = word.bytes().all(|letter| letter.is_ascii_hexdigit());
            assert!(published || !hexadecimal || word.len() < 8, "{word} in {text}");
        }
    }
    // What is published at last does not flood a log.
    let record = format!("{:?}", whole());
    assert!(record.contains("entropy: Some(4096 bytes)"), "{record}");
}

/// A path begins with the leaf beside the card. Without its salt nobody can find out by trying
/// which card it hides, and no salt is used twice.
#[test]
fn a_path_gives_no_undealt_card_away() {
    let record = in_use();
    let mut salts: Vec<_> = record.openings.iter().map(|opening| opening.salt).collect();
    salts.extend([Digest([0; 32]), record.commitment]);
    let all: HashSet<_> = salts.iter().collect();
    assert_eq!(all.len(), salts.len(), "a salt is used twice");
    let position = |opening: &Opening| (record.cut.unwrap() + opening.index) % 416;
    for opening in &record.openings {
        let beside = position(opening) ^ 1;
        for (salt, card) in salts.iter().flat_map(|salt| Card::deck().map(move |card| (salt, card)))
        {
            if opening.path[0] == leaf(beside, card, salt) {
                let opened = record.openings.iter().any(|other| position(other) == beside);
                assert!(opened, "{card} beside card {} is found out", opening.index);
            }
        }
    }
}

#[test]
fn only_a_card_that_was_taken_can_be_opened() {
    let mut shoe = Game::mixed(1, 8, two_nonces()).shoe;
    assert_eq!(shoe.open(0), None, "opened before the cut");
    assert_eq!(shoe.take(), None, "taken before the cut");
    shoe.cut(10).unwrap();
    assert_eq!(shoe.open(0), None, "opened before it was taken");
    assert_eq!(shoe.take(), Some(0));
    assert!(shoe.open(0).is_some());
    for index in [1, 2, 405, 406, 415, 416, 832, u32::MAX] {
        assert_eq!(shoe.open(index), None, "card {index}");
    }
    // Looking changes nothing.
    assert_eq!(shoe.open(0), shoe.open(0));
    assert_eq!((shoe.taken(), shoe.left()), (1, 415));
}

#[test]
fn a_shoe_is_cut_once() {
    let mut shoe = Game::mixed(1, 8, two_nonces()).shoe;
    assert!(shoe.cut(416).is_err());
    assert!(shoe.cut(u32::MAX).is_err());
    assert!(!shoe.is_cut());
    shoe.cut(0).unwrap();
    assert!(shoe.is_cut());
    assert!(shoe.cut(0).is_err());
    assert!(shoe.cut(1).is_err());
    shoe.take().unwrap();
    assert!(shoe.cut(1).is_err());
}

#[test]
fn there_is_no_shoe_of_such_decks_or_nonces() {
    for decks in [0, 17, u32::MAX] {
        assert!(Shoe::first(secret(1), decks, Vec::new()).is_err(), "{decks} decks");
    }
    let bad = [vec![Vec::new()], vec![vec![0; 65]], vec![vec![0; 256 + 1]], vec![vec![0]; 65]];
    for nonces in bad {
        assert!(Shoe::first(secret(1), 8, nonces.clone()).is_err(), "{nonces:?}");
    }
    assert!(Secret::from_bytes(&[0; ENTROPY_BYTES - 1]).is_none());
    assert!(Secret::from_bytes(&[0; ENTROPY_BYTES + 1]).is_none());
}

#[test]
fn a_shoe_has_all_cards_of_its_decks_and_no_other() {
    for decks in 1..=16 {
        let mut shoe = Game::mixed(3, decks, two_nonces()).cut(decks * 52 - 1).shoe;
        let mut left = Composition::of_decks(u16::try_from(decks).unwrap());
        for index in 0..decks * 52 {
            assert_eq!(shoe.take(), Some(index), "{decks} decks");
            left.take(shoe.open(index).unwrap().card).unwrap();
        }
        assert_eq!(left.total(), 0, "{decks} decks");
        assert_eq!(shoe.left(), 0, "{decks} decks");
        assert_eq!(shoe.take(), None, "{decks} decks");
        // Every opening verifies, each on its own, without the entropy.
        let mut record = Game::mixed(3, decks, two_nonces()).record;
        record.cut = Some(decks * 52 - 1);
        record.dealt = vec!["shown".into(); decks as usize * 52];
        for index in 0..decks * 52 {
            record.openings = vec![shoe.open(index).unwrap()];
            assert!(verify(&record).is_ok(), "{decks} decks, card {index}");
        }
    }
}

/// The cut moves cards, and changes none.
#[test]
fn the_cut_brings_the_first_cards_behind_the_others() {
    let cards = |cut| dealt_out(8, two_nonces(), cut).openings.into_iter().map(|o: Opening| o.card);
    let uncut: Vec<_> = cards(0).collect();
    for depth in [1, 100, 415] {
        let (behind, front) = uncut.split_at(depth as usize);
        assert!(cards(depth).eq(front.iter().chain(behind).copied()), "cut at {depth}");
    }
}
