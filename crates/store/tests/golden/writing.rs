//! Writes golden files for a version that has none yet.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use live::{Beginning, Host, World};
use serde_json::Value;
use shoe::{Digest, Secret, Shoe};
use store::{
    Answer, Append, Body, Book, BookFile, CommandKey, Entry, Record, Store, StreamEntries, With,
};
use testkit::{Choices, random_bytes, robot};

use super::kinds;

/// When the golden records say that they were made: 2025-06-15, 12:26:40 UTC.
const AT: u64 = 1_749_990_400_000_000;

/// What no transcript of the project has: a player owes what a void takes back.
const OWING: &str = "\
operator opens act-2018
operator posts main 10..1000 by 5
Ann sits at 1 with 500
Bo sits at 2 with 500
fresh shoe
Ann bets 100 on banker
dealer deals 3h Kd 3c 7s
expect Ann has 595
Ann bets 595 on banker
dealer deals Kh Kd 9c 7s
expect Ann has 0
Bo bets 50 on player
dealer deals 3h Kd 3c 2s
supervisor finds an error in coup 1
expect Ann has 0
";

/// What no transcript of the project has: a ballot that is given up, and a stage for the leaders.
const BALLOT: &str = "\
operator opens a tournament under act-2012
condition chips = 1000
condition limits = { main = \"50..500\" }
condition stages.heats = { from = \"entrants\", seats = 4, coups = 1, \
points = [3, 2, 1], advance = 2 }
condition ranking = \"points\"
condition stages.final = { from = \"leaders 2\", seats = 7, coups = 1 }
operator documents the conditions
regulator approves the conditions
operator names Dana director
operator opens entries
director enters Ann Bo Cy Di
director closes entries
director commits to the ballot \
160573ee617e3371dfa1532d5571ebbaaf89cad6a62698c72c316ca6ace341d0
director abandons the ballot
";

/// One record for every kind and every form of thing that a log can say.
pub(crate) fn log() -> Vec<Record> {
    let mut examples = books();
    let lines = ["operator opens act-2018", "expect “nothing” \\ \"\u{7}\" – 10♠\n"];
    examples.extend(lines.map(|line| Body::Line(line.into())));
    examples.extend(chosen());
    examples.extend(roles());
    examples.extend(shoe_facts().into_iter().map(Body::Shoe));
    examples.extend(second_facts().into_iter().map(Body::Shoe));
    examples.extend(of_the_house());
    examples.extend(of_the_floor());
    examples.extend(acts());
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("a.sabot")).await.unwrap();
        append_all(&store, "examples", examples).await;
        append_all(&store, "drill", answers()).await;
        store.checkpoint(AT, Vec::new()).await.unwrap();
        let records = all_records(&store).await;
        store.close().await;
        records
    })
}

/// Whoever speaks, in every role: transcripts have those alone who may confirm a correction.
fn roles() -> impl Iterator<Item = Body> {
    table::Role::ALL.iter().map(|role| {
        let by = table::By::role(*role);
        let fact = tournament::Fact::CorrectionConfirmed { table: 1, by };
        let (clauses, postings) = (table::cites(&[]), Vec::new());
        Body::Tournament(Box::new(tournament::Event { at: AT, fact, clauses, postings }))
    })
}

/// Three coups by robots, with cards face down, and the secret of the shoe.
pub(crate) fn session() -> Vec<Record> {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let (log, key) = (folder.path().join("a.sabot"), folder.path().join("a.key"));
        let book = Arc::new(rulebooks::load("act-2018", None).unwrap());
        let mut house = Host::begin(
            &log,
            &key,
            store::Begin::Either,
            Beginning::alone("table 1", "act-2018", book),
        )
        .await
        .unwrap();
        // The time stands still at that of the first record.
        let first = house.log().file().unwrap().records("table 1", 0).await.unwrap().remove(0);
        house.set_world(World::real().with_clock(first.at).with_entropy(counted));
        robot::open(&mut house, true, 3).await.unwrap();
        let bytes = random_bytes(4, 10_000);
        robot::play(&mut house, &mut Choices::new(&bytes), 3).await.unwrap();
        // All leave, and the shoe is abandoned: its secret is published.
        let names: Vec<_> = house.table().present().map(|(_, player)| player.name).collect();
        for name in names {
            let leaves = table::Act::Player(name, table::Deed::Leave);
            house.act(leaves).await.unwrap().unwrap();
        }
        house.abandon().await.unwrap();
        house.close().await.unwrap();
        let store = Store::read_only(&log).await.unwrap();
        let records = all_records(&store).await;
        store.close().await;
        records
    })
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().build().unwrap().block_on(future)
}

async fn append_all(store: &Store, stream: &str, bodies: Vec<Body>) {
    for (version, body) in (0..).zip(bodies) {
        let payload = Digest::of(&[body.to_json().as_bytes()]);
        let key = format!("{stream} {}", version + 1);
        let command = CommandKey { actor: "operator".into(), key, payload };
        // A table's first record names a book that the log must have.
        let with = match &body {
            Body::Book(book) if version == 0 => {
                let canonical = rulebooks::load(&book.name, None).unwrap().canonical();
                let (sha256, files) = (book.sha256, "[]".into());
                vec![With::Book { sha256, canonical, files }]
            }
            _ => Vec::new(),
        };
        let entries = vec![Entry { at: AT + version, body }];
        let part = StreamEntries { stream: stream.into(), expected: version, entries };
        store.append(Append { command, parts: vec![part], with }).await.unwrap();
    }
}

async fn all_records(store: &Store) -> Vec<Record> {
    let mut records = Vec::new();
    for stream in store.streams().await.unwrap() {
        records.extend(store.records(&stream, 0).await.unwrap());
    }
    records
}

fn books() -> Vec<Body> {
    let book = |name: &str| {
        let (id, base) = name.split_once('@').map_or((name, None), |(id, base)| (id, Some(base)));
        let canonical = rulebooks::load(id, base).unwrap().canonical();
        let sha256 = Digest::of(&[canonical.as_bytes()]);
        Book { name: name.into(), sha256, files: Vec::new() }
    };
    let mut books = ["act-2018", "vic-2005@act-2018", "act-2018+lucky-6"].map(book);
    let kept = |file: &str, text: &str| BookFile {
        book: "house".into(),
        file: file.into(),
        text: text.into(),
    };
    let own = &mut books[2];
    own.name = "books/house+lucky-9".into();
    own.files = vec![kept("rulebook.toml", "[title]\n…"), kept("lucky-9.toml", "[about]\n…")];
    books.map(Body::Book).into()
}

fn answers() -> Vec<Body> {
    let answer = |topic: &str, clause: Option<&str>, right| {
        let (book, clause) = ("act-2018".into(), clause.map(Into::into));
        Body::Answer(Answer { book, topic: topic.into(), clause, right })
    };
    vec![answer("draw", Some("act-2018 4.6(b)"), true), answer("excess-card", None, false)]
}

/// Entropy that is the same every time.
fn counted(bytes: &mut [u8]) {
    for (number, byte) in (0..=u8::MAX).cycle().zip(bytes) {
        *byte = number;
    }
}

/// What is published of a shoe, in every form.
fn shoe_facts() -> Vec<shoe::ShoeFact> {
    let mut entropy = [0; shoe::ENTROPY_BYTES];
    counted(&mut entropy);
    let secret = Secret::from_bytes(&entropy).unwrap();
    let (protocol, commitment) = (shoe::FIRST_PROTOCOL.into(), secret.first_commitment());
    let mut shoe = Shoe::first(secret, 8, vec![b"Ann's word".to_vec(), vec![0, 255]]).unwrap();
    let mixed = shoe.mixed();
    shoe.cut(100).unwrap();
    let indices: Vec<_> = std::iter::from_fn(|| shoe.take()).take(2).collect();
    let opening = |index: usize| shoe.open(indices[index]).unwrap();
    let dealt = |index: usize, opening| {
        let what = format!("coup 1: {}", ["player", "banker"][index]);
        shoe::ShoeFact::Dealt { index: indices[index], what, opening }
    };
    let (shown, hidden) = (dealt(0, Some(opening(0))), dealt(1, None));
    let opened = shoe::ShoeFact::Opened(opening(1));
    let committed = shoe::ShoeFact::Committed { protocol, decks: 8, commitment, binds: None };
    let without = shoe::ShoeFact::Mixed { nonces: Vec::new(), root: shoe.root() };
    vec![committed, mixed, without, shown, hidden, opened, shoe.reveal()]
}

/// What the second procedure publishes, in every form.
fn second_facts() -> Vec<shoe::ShoeFact> {
    let mut entropy = [0; shoe::ENTROPY_BYTES];
    counted(&mut entropy);
    let (secret, house) = (Secret::from_bytes(&entropy).unwrap(), shoe::Signer::of_seed(&[7; 32]));
    let (key, book) = (house.public(), Digest::of(&[b"a book"]));
    let table = "table 1".into();
    let binds = shoe::Binds { key, table, number: 1, book, behind: 14, least: 52 };
    let commitment = secret.commitment(&binds, 8);
    let words = |account: &str| {
        let mut next = 0;
        let fill = |bytes: &mut [u8]| {
            next += 1;
            bytes.fill(next);
            Ok::<(), std::convert::Infallible>(())
        };
        shoe::Words::draw(account, fill).unwrap()
    };
    let (ann, bo) = (words("table-1-1"), words("table-1-2"));
    let promises = vec![ann.promise(&commitment), bo.promise(&commitment)];
    let signature = shoe::sign_list(&house, &commitment, &promises);
    let firsts = vec![Some(ann.word(shoe::Which::First)), None];
    let seconds = vec![Some(ann.word(shoe::Which::Second)), None];
    let shoe = Shoe::new(secret, 8, &commitment, &promises, firsts).unwrap();
    let (protocol, binds) = (shoe::PROTOCOL.into(), Some(Box::new(binds)));
    vec![
        shoe::ShoeFact::Committed { protocol, decks: 8, commitment, binds },
        shoe::ShoeFact::Listed { promises, signature },
        shoe.mixed(),
        shoe::ShoeFact::CutByChance { seconds },
        shoe::ShoeFact::Abandoned(shoe::Abandoned::Left),
        shoe::ShoeFact::Abandoned(shoe::Abandoned::Restored),
        shoe::ShoeFact::Abandoned(shoe::Abandoned::KeyChanged),
        shoe::ShoeFact::Abandoned(shoe::Abandoned::SecretLost),
    ]
}

/// What the house says of itself.
fn of_the_house() -> Vec<Body> {
    let signer = |seed| shoe::Signer::of_seed(&[seed; 32]);
    let (first, second) = (signer(1), signer(2));
    let former = store::FormerKey { public: first.public(), signature: first.sign(&[b"second"]) };
    let head = store::Head { stream: "table 1".into(), version: 9, hash: Digest::of(&[b"nine"]) };
    vec![
        Body::Key(store::HouseKey { public: first.public(), former: None }),
        Body::Key(store::HouseKey { public: second.public(), former: Some(former) }),
        Body::Restored(store::Restored { epoch: 1, known: 12, found: 9, heads: vec![head] }),
    ]
}

/// What a floor says of its tables and accounts.
fn of_the_floor() -> Vec<Body> {
    let amount = |cents| rules::Cents::new(cents).unwrap();
    let mut bodies = Vec::new();
    let deals = [store::Deals::System, store::Deals::Staff, store::Deals::Keyed];
    for (at, deals) in deals.into_iter().enumerate() {
        bodies.push(Body::Setup(store::Setup {
            title: format!("Table {at}"),
            deals,
            pace: (at == 0).then_some(store::Pace::USUAL),
            alone: at == 1,
            ahead_of_utc: (at == 2).then_some(600),
        }));
    }
    let moved = |from, to| store::AccountFact::Moved {
        from,
        to,
        cents: amount(5000),
        balance: amount(95_000),
    };
    let own = store::Purse::Account;
    let limits =
        store::OwnLimits { loss: Some(amount(10_000)), minutes: Some(90), remind: Some(30) };
    let facts = [
        store::AccountFact::Opened(store::AccountKind::Guest),
        store::AccountFact::Opened(store::AccountKind::Member),
        store::AccountFact::Opened(store::AccountKind::Robot),
        store::AccountFact::SignedUp,
        store::AccountFact::RoleGiven(table::Role::Supervisor),
        store::AccountFact::RoleTaken(table::Role::Supervisor),
        moved(store::Purse::House, own.clone()),
        moved(own.clone(), store::Purse::Table("table 1".into())),
        moved(store::Purse::Tournament("tournament cup".into()), own),
        store::AccountFact::CorrectionAsked {
            cents: rules::Balance::new(-100),
            why: "paid twice".into(),
            who: "a-1".into(),
        },
        store::AccountFact::Corrected {
            cents: rules::Balance::new(-100),
            balance: amount(94_900),
            why: "paid twice".into(),
            who: "a-1".into(),
            second: "a-2".into(),
        },
        store::AccountFact::Limited { limits, from: AT },
        store::AccountFact::Paused { until: AT },
        store::AccountFact::Reminded { minutes: 30, lost: rules::Balance::new(-2500) },
    ];
    bodies.extend(facts.map(Body::Account));
    let fact = shoe::ShoeFact::Abandoned(shoe::Abandoned::Left);
    bodies.push(Body::TableShoe(Box::new(store::TableShoe { table: 2, fact })));
    bodies
}

fn acted<A>(by: table::By, act: A, line: &str) -> store::Acted<A> {
    let line = Some(line.to_owned());
    store::Acted { who: Some("a-3".into()), second: None, by, act, line }
}

/// Acts of the transcripts: the first of every kind and of every form.
fn acts() -> Vec<Body> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts");
    let mut texts: Vec<String> =
        transcripts(&folder).into_iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    texts.extend([OWING.into(), BALLOT.into()]);
    let (mut bodies, mut seen) = (Vec::new(), HashSet::new());
    let no = |what: &str| table::Refusal::new(table::Code::WrongMoment, None, what, "later");
    let mut add = |body: Body| {
        if adds(&mut seen, kinds::of(&body)) {
            bodies.push(body);
        }
    };
    for text in &texts {
        for line in text.lines() {
            match transcript::understand(line) {
                Ok(transcript::Said::Act(by, act)) => {
                    add(Body::Act(Box::new(acted(by, *act, line))));
                }
                Ok(transcript::Said::Opening { options, .. }) => {
                    let act = table::Act::Open(options);
                    add(Body::Act(Box::new(acted(table::By::usual(&act), act, line))));
                }
                Ok(transcript::Said::Nothing | transcript::Said::Tournament) | Err(_) => {}
            }
            let said = transcript::understand_in_tournament(line);
            if let Ok(transcript::SaidInTournament::Act(by, act)) = said {
                add(Body::TournamentAct(Box::new(acted(by, *act, line))));
            }
        }
    }
    for (_, played) in all_played() {
        for event in &played.tournament {
            if let tournament::Fact::Documented { conditions, .. } = &event.fact {
                let act = tournament::Act::Document(conditions.clone());
                add(Body::TournamentAct(Box::new(acted(act.usual(), act, "documents"))));
            }
        }
    }
    for act in [tournament::Act::Tick, tournament::Act::Open] {
        add(Body::TournamentAct(Box::new(acted(act.usual(), act, "opens"))));
    }
    let close = acted(table::By::role(table::Role::Operator), table::Act::Close, "closes");
    let second = store::Acted { second: Some("a-4".into()), line: None, ..close.clone() };
    add(Body::Act(Box::new(second)));
    add(Body::Proposed(Box::new(close.clone())));
    for by_the_book in [true, false] {
        let clause = "act-2018".parse().ok().and_then(|book| rules::Clause::new(book, "3.1"));
        let refusal = no("closing in a coup").and(clause);
        let asked = close.clone();
        add(Body::Refused(Box::new(store::RefusedAct { asked, by_the_book, refusal })));
    }
    let start = tournament::Act::Start;
    let asked = acted(start.usual(), start, "starts");
    let refusal = no("a start before the time");
    let refused = store::RefusedAct { asked, by_the_book: true, refusal };
    add(Body::TournamentRefused(Box::new(refused)));
    bodies
}

/// Events of the transcripts: the first of every kind and of every form.
fn chosen() -> Vec<Body> {
    let (mut tables, mut tournaments, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for (_, played) in all_played() {
        let happened = played.events.iter().cloned().map(|event| Body::Table(Box::new(event)));
        for body in happened {
            let form = form(&serde_json::from_str(&body.to_json()).unwrap());
            if adds(&mut seen, kinds::of(&body).into_iter().chain([form])) {
                tables.push(body);
            }
        }
    }
    for (_, played) in all_played() {
        let happened =
            played.tournament.iter().cloned().map(|event| Body::Tournament(Box::new(event)));
        for body in happened {
            let forms = forms(&serde_json::from_str(&body.to_json()).unwrap());
            if adds(&mut seen, kinds::of(&body).into_iter().chain(forms)) {
                tournaments.push(body);
            }
        }
    }
    tables.into_iter().chain(tournaments).collect()
}

/// Notes what there is; whether something of it is new.
fn adds(seen: &mut HashSet<String>, found: impl IntoIterator<Item = String>) -> bool {
    let before = seen.len();
    seen.extend(found);
    seen.len() > before
}

/// Every transcript, by its place below `transcripts/`, and what came of it.
pub(crate) fn all_played() -> &'static [(String, transcript::Played)] {
    static PLAYED: OnceLock<Vec<(String, transcript::Played)>> = OnceLock::new();
    PLAYED.get_or_init(play_all)
}

fn play_all() -> Vec<(String, transcript::Played)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts");
    let named = |path: PathBuf| {
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        (name, fs::read_to_string(path).unwrap())
    };
    let mut texts: Vec<_> = transcripts(&folder).into_iter().map(named).collect();
    texts.push(("act-2018/owing.coup".into(), OWING.into()));
    texts.push(("act-2012/ballot-abandoned.coup".into(), BALLOT.into()));
    let play = |(name, text): (String, String)| {
        let played = transcript::play(&text).unwrap();
        assert!(played.passed(), "a transcript does not hold:\n{text}");
        (name, played)
    };
    texts.into_iter().map(play).collect()
}

fn transcripts(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let each = paths
        .into_iter()
        .flat_map(|path| if path.is_dir() { transcripts(&path) } else { vec![path] });
    each.filter(|path| path.extension().is_some_and(|ending| ending == "coup")).collect()
}

/// The form of a value: which fields it has, and which of them are empty.
fn form(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "bool".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "text".into(),
        Value::Array(items) => format!("[{}]", items.first().map(form).unwrap_or_default()),
        Value::Object(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(key, v)| format!("{key} {}", form(v))).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

/// The forms of all parts of a tournament's event, each with the way to it. What happened at a
/// table has its examples among the table's own.
fn forms(event: &Value) -> Vec<String> {
    fn walk(way: &str, value: &Value, forms: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                let below = fields.iter().filter(|_| !way.ends_with("at-table.event"));
                below.for_each(|(key, value)| walk(&format!("{way}.{key}"), value, forms));
            }
            plain => forms.push(format!("{way} {}", form(plain))),
        }
    }
    let mut forms = Vec::new();
    walk("", event, &mut forms);
    forms
}
