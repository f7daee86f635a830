//! Whole sessions by robots under every book: they verify, balance, resume and export.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::PathBuf;
use std::sync::Arc;

use audit::{Conclusion, Extract, audit, export};
use live::{Host, Step};
use rules::Side;
use store::Body;
use table::{Act, Deed, Name, State};
use testkit::leak::Hidden;
use testkit::{Choices, random_bytes, robot};

/// Every book, and one with every side bet of the library.
fn books() -> Vec<String> {
    let mut books = rulebooks::names();
    books.push(format!("{}+{}", books[0], rulebooks::sheet_ids().join("+")));
    books
}

struct Place {
    _folder: tempfile::TempDir,
    log: PathBuf,
    key: PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let (log, key) = (folder.path().join("a.sabot"), folder.path().join("a.key"));
    Place { _folder: folder, log, key }
}

async fn begin(place: &Place, name: &str, face_down: bool) -> Host {
    let (id, base) = name.split_once('@').map_or((name, None), |(id, base)| (id, Some(base)));
    let book = Arc::new(rulebooks::load(id, base).unwrap());
    let mut house = Host::begin(
        &place.log,
        &place.key,
        store::Begin::Either,
        live::Beginning::alone("table 1", name, book),
    )
    .await
    .unwrap();
    robot::open(&mut house, face_down, 3).await.unwrap();
    if face_down && !house.table().is_face_down() {
        // Where players have to ask, they ask; who must know is told, and the next shoe is so.
        let ann = Name::from(robot::FIRST).unwrap();
        let _ = house.act(Act::Player(ann, Deed::AskFaceDown)).await.unwrap();
        let told = [table::Decision::InformManagement, table::Decision::InformSurveillance];
        for inform in told {
            let _ = house.act(Act::Supervisor(inform)).await.unwrap();
        }
        let _ = house.act(Act::Post(table::SignLine::FaceDown(true))).await.unwrap();
    }
    house
}

async fn records(house: &Host) -> Vec<store::Record> {
    house.log().file().unwrap().records("table 1", 0).await.unwrap()
}

/// Replays the log without a book, and with it: both give the live table.
fn replay(records: &[store::Record]) -> State {
    let mut table = State::default();
    for record in records {
        if let Body::Table(event) = record.read().unwrap() {
            table.evolve(&event);
        }
    }
    table
}

/// Does something for every book, on as many threads as there are books.
fn each_book(seed: u64, test: impl AsyncFn(u64, String) + Sync) {
    let test = &test;
    std::thread::scope(|scope| {
        for (seed, name) in (seed..).zip(books()) {
            scope.spawn(move || {
                let mut builder = tokio::runtime::Builder::new_current_thread();
                builder.enable_time().build().unwrap().block_on(test(seed, name));
            });
        }
    });
}

#[test]
fn sessions_under_every_book_verify_balance_and_export() {
    each_book(1, async |seed, name| {
        let name = name.as_str();
        for face_down in [false, true] {
            let place = place();
            let mut house = begin(&place, name, face_down).await;
            let bytes = random_bytes(seed, 200_000);
            robot::play(&mut house, &mut Choices::new(&bytes), 150).await.unwrap();
            let records = records(&house).await;
            let live = house.table().state().clone();
            // The log has accounts where people have names.
            let live = live.renamed(&mut |name| Name::from(&house.account(&name)).unwrap());
            assert_eq!(replay(&records), live, "{name}: replay gives the same table");
            let found = audit(&records).unwrap();
            assert_eq!(found.findings, [], "{name}");
            assert!(found.judged && found.coups >= 150 && found.shoes.len() >= 2, "{name}");
            assert!(
                house.log().file().unwrap().verify(None).await.unwrap().broken.is_empty(),
                "{name}"
            );
            for part in [
                Extract::All,
                Extract::Shoe(1),
                Extract::Shoe(2),
                Extract::Coup(1),
                Extract::Coup(40),
            ] {
                let text = export(&records, part, None).unwrap().unwrap();
                let played = transcript::play(&text).unwrap_or_else(|bad| panic!("{bad:?}"));
                let failed: Vec<_> = played.lines.iter().filter(|l| l.failure.is_some()).collect();
                assert!(failed.is_empty(), "{name} {part:?}: {failed:#?}\n{text}");
                let expected = text.lines().filter(|line| line.starts_with("expect")).count();
                assert!(expected >= 4, "{name} {part:?} expects too little:\n{text}");
            }
            assert_eq!(export(&records, Extract::Coup(100_000), None).unwrap(), None);
            house.close().await.unwrap();
        }
    });
}

#[test]
fn a_session_goes_on_after_every_kind_of_stop() {
    each_book(40, async |seed, name| {
        let name = name.as_str();
        let place = place();
        let mut house = begin(&place, name, true).await;
        let bytes = random_bytes(seed, 40_000);
        let mut choices = Choices::new(&bytes);
        let mut coups = 0;
        for _ in 0..30 {
            // A few choices at a time: the session stops in the middle of anything.
            let some = random_bytes(seed * 1000 + u64::from(choices.byte()), choices.below(300));
            robot::play(&mut house, &mut Choices::new(&some), u32::MAX).await.unwrap();
            let before = house.table().clone();
            // A shoe that is over is revealed by the next start, and has no cards then.
            let over = before.phase() == table::Phase::Preparing && !before.shoe().shuffled;
            let left = house.cards_left().filter(|_| !over);
            drop(house);
            tokio::task::yield_now().await;
            house = loop {
                match Host::resume(&place.log, &place.key, "table 1").await {
                    Ok(house) => break house,
                    // The old writer lets go of its lock when its task has ended.
                    Err(live::LiveError::Store(store::StoreError::InUse(_))) => {
                        tokio::task::yield_now().await;
                    }
                    Err(fault) => panic!("{name}: {fault}"),
                }
            };
            assert_eq!(house.table(), &before, "{name}");
            assert_eq!(house.cards_left(), left, "{name}");
            coups = house.table().coups();
        }
        assert!(coups > 0, "{name}: no coup was begun");
        assert_eq!(audit(&records(&house).await).unwrap().findings, [], "{name}");
    });
}

/// A state is kept every two thousand records: a start reads no more than that, however long the
/// session was, and also if nobody stopped it in order.
#[tokio::test]
async fn a_long_session_is_gone_on_with_from_the_last_state_that_was_kept() {
    const MOST: usize = 2_100;
    let place = place();
    let mut house = begin(&place, "act-2018", false).await;
    let bytes = random_bytes(11, 2_000_000);
    let mut choices = Choices::new(&bytes);
    let (mut recorded, mut longest) = (0, 0);
    while recorded < 3 * MOST {
        let more = house.table().coups() + 5;
        robot::play(&mut house, &mut choices, more).await.unwrap();
        let opening = house.log().file().unwrap().go_on("table 1").await.unwrap();
        let kept = opening.snapshot.map_or(0, |(version, _)| version);
        recorded = usize::try_from(kept).unwrap() + opening.records.len();
        longest = longest.max(opening.records.len());
        assert!(longest <= MOST, "{longest} of {recorded} records are read");
    }
    assert!(longest > MOST / 2, "only {longest} records were ever behind a state");
    let before = house.table().clone();
    // As if it were killed: no last state is kept.
    house.log().close().await;
    drop(house);
    let house = Host::resume(&place.log, &place.key, "table 1").await.unwrap();
    assert_eq!(house.table(), &before);
    house.close().await.unwrap();
}

#[tokio::test]
async fn what_was_altered_is_found() {
    let place = place();
    let mut house = begin(&place, "act-2018", false).await;
    let bytes = random_bytes(7, 30_000);
    robot::play(&mut house, &mut Choices::new(&bytes), 20).await.unwrap();
    let honest = records(&house).await;
    let mut alterations = 0;
    for (i, record) in honest.iter().enumerate() {
        let mut altered = honest.clone();
        let body = match record.read().unwrap() {
            Body::Line(line) if line.contains(" bets ") => {
                Body::Line(line.replace("bets ", "bets 1"))
            }
            Body::Table(event) if !event.postings.is_empty() => {
                let mut event = *event;
                let mut paid = event.postings.iter_mut().filter(|leg| {
                    matches!(leg.account, table::Account::Stack(_)) && !leg.cents.is_negative()
                });
                if let Some(leg) = paid.next() {
                    // The number of a player who never was there.
                    leg.account = table::Account::Stack(table::PlayerId(999));
                } else {
                    let leg = &mut event.postings[0];
                    let cents = leg.cents;
                    leg.cents = cents + rules::Balance::new(1);
                }
                Body::Table(Box::new(event))
            }
            Body::Shoe(shoe::ShoeFact::Dealt { index, what, opening: Some(mut opening) }) => {
                opening.card = "Ah".parse().unwrap();
                Body::Shoe(shoe::ShoeFact::Dealt { index, what, opening: Some(opening) })
            }
            _ => continue,
        };
        if body.to_json() == record.body {
            continue;
        }
        altered[i].body = body.to_json();
        assert!(store::verify_chain("table 1", &altered).is_err(), "record {i}: chain");
        // Even with a chain made anew, the log no longer holds together.
        let found = audit(&altered).unwrap();
        assert!(!found.findings.is_empty(), "record {i}: {}", altered[i].body);
        if let Ok(Body::Table(_)) = altered[i].read() {
            let impossible = |what: &str| what.starts_with("an event that cannot have happened");
            assert!(found.findings.iter().any(|finding| impossible(&finding.what)), "record {i}");
            let told = export(&altered, Extract::All, None).map_err(|fault| fault.to_string());
            assert!(told.unwrap_err().starts_with("the log is damaged"), "record {i}");
        }
        alterations += 1;
    }
    assert!(alterations > 100, "only {alterations} alterations were tried");
    for i in 0..honest.len() {
        let mut shorter = honest.clone();
        shorter.remove(i);
        let last = i + 1 == honest.len();
        assert!(last || store::verify_chain("table 1", &shorter).is_err(), "record {i} left out");
    }
}

/// What is done to a record.
type Cheat = (&'static str, fn(Body) -> Option<Body>);

/// What a house that cheats would write, with a chain that fits: each is found.
#[tokio::test]
async fn a_house_that_cheats_is_found_out() {
    let place = place();
    let mut house = begin(&place, "act-2018", true).await;
    let bytes = random_bytes(8, 30_000);
    robot::play(&mut house, &mut Choices::new(&bytes), 6).await.unwrap();
    let honest = records(&house).await;
    assert_eq!(audit(&honest).unwrap().findings, []);
    let cheats: [Cheat; 7] = [
        ("another card of the shoe in a card's place", |body| match body {
            Body::Shoe(shoe::ShoeFact::Opened(mut opening)) => {
                opening.index += 1;
                Some(Body::Shoe(shoe::ShoeFact::Opened(opening)))
            }
            _ => None,
        }),
        ("a card turned without its proof", |body| match body {
            Body::Shoe(shoe::ShoeFact::Opened(_)) => Some(Body::Line(String::new())),
            _ => None,
        }),
        ("a card passed over", |body| match body {
            Body::Shoe(shoe::ShoeFact::Dealt { index, what, opening: None }) if what != "burn" => {
                let index = index + 1;
                Some(Body::Shoe(shoe::ShoeFact::Dealt { index, what, opening: None }))
            }
            _ => None,
        }),
        ("an edition of the book that nobody has", |body| match body {
            Body::Book(book) => {
                let sha256 = shoe::Digest([7; 32]);
                Some(Body::Book(store::Book { sha256, ..book }))
            }
            _ => None,
        }),
        ("fewer decks than the table's", |body| match body {
            Body::Shoe(shoe::ShoeFact::Committed { protocol, commitment, .. }) => {
                let (decks, binds) = (4, None);
                let fact = shoe::ShoeFact::Committed { protocol, decks, commitment, binds };
                Some(Body::Shoe(fact))
            }
            _ => None,
        }),
        ("another result", |body| match body {
            Body::Table(mut event) if matches!(event.fact, table::Fact::Result(_)) => {
                event.fact = table::Fact::Result(rules::Outcome::Tie);
                Some(Body::Table(event))
            }
            _ => None,
        }),
        ("a cut after the cards", |body| match body {
            Body::Table(mut event) => match event.fact {
                table::Fact::Cut { by, depth } => {
                    event.fact = table::Fact::Cut { by, depth: depth + 1 };
                    Some(Body::Table(event))
                }
                _ => None,
            },
            _ => None,
        }),
    ];
    for (what, cheat) in cheats {
        let tried = honest.iter().enumerate().filter_map(|(i, record)| {
            let body = cheat(record.read().unwrap())?;
            Some((i, body)).filter(|(_, body)| body.to_json() != record.body)
        });
        let mut count = 0;
        for (i, body) in tried.take(6) {
            let mut altered = honest.clone();
            altered[i].schema = body.schema().into();
            altered[i].body = body.to_json();
            assert_ne!(
                audit(&altered).unwrap().conclusion(),
                Conclusion::Holds,
                "{what}, record {i}"
            );
            count += 1;
        }
        assert!(count > 0, "{what} was not tried");
    }
}

#[tokio::test]
async fn the_outcome_does_not_depend_on_who_bets_what() {
    // The same secret with different bets: the cards that leave are the shoe's, in its order.
    let place = place();
    let mut house = begin(&place, "act-2018", false).await;
    let bytes = random_bytes(9, 30_000);
    robot::play(&mut house, &mut Choices::new(&bytes), 30).await.unwrap();
    let published = house.published().unwrap().clone();
    let secret = secret(&house).await;
    let mut shoe = shoe_of(secret, &published);
    shoe.cut(published.cut.unwrap()).unwrap();
    while shoe.take().is_some() {}
    for opening in &published.openings {
        assert_eq!(shoe.open(opening.index).unwrap(), *opening);
    }
}

/// The secret of a shoe, as only the holder of the key can know it.
async fn secret(house: &Host) -> shoe::Secret {
    let commitment = house.published().unwrap().commitment;
    let name = format!("table 1 shoe {commitment}");
    let bytes = house.log().file().unwrap().unseal(&name).await.unwrap().unwrap();
    shoe::Secret::from_bytes(&bytes).unwrap()
}

/// The shoe that a secret makes with what was published.
fn shoe_of(secret: shoe::Secret, published: &shoe::ShoeRecord) -> shoe::Shoe {
    let way = published.second().unwrap();
    let (decks, firsts) = (published.decks, way.firsts.clone().unwrap());
    shoe::Shoe::new(secret, decks, &published.commitment, &way.promises, firsts).unwrap()
}

#[test]
fn nobody_can_read_an_undealt_card() {
    each_book(70, async |seed, name| {
        let name = name.as_str();
        let place = place();
        let mut house = begin(&place, name, true).await;
        let bytes = random_bytes(seed, 60_000);
        robot::play(&mut house, &mut Choices::new(&bytes), 12).await.unwrap();
        let secret = secret(&house).await;
        let hidden = Hidden::of(&secret, house.published().unwrap());
        let backup = place.log.with_extension("backup");
        house.log().file().unwrap().back_up(&backup).await.unwrap();
        let folder = place.log.parent().unwrap();
        let mut searched = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(hidden.found_in(&bytes), [""; 0], "{name}: {}", path.display());
            searched += bytes.len();
        }
        assert!(searched > 100_000, "only {searched} bytes were searched");
        let debug = format!("{house:?} {house:#?}");
        assert_eq!(hidden.found_in(debug.as_bytes()), [""; 0], "{name}: debug output");
        // A player who was not given the cards cannot look at them either.
        for (id, _) in house.table().present() {
            for side in [Side::Player, Side::Banker] {
                let passed =
                    house.table().coup().is_some_and(|c| c.passed[side as usize] == Some(id));
                assert_eq!(house.peek(id, side).is_some(), passed);
            }
        }
    });
}

/// The state of a table that is kept in the middle of a shoe has nothing that was not shown.
#[test]
fn no_state_that_is_kept_has_a_secret_in_it() {
    each_book(110, async |seed, name| {
        let place = place();
        let mut house = begin(&place, name.as_str(), true).await;
        let bytes = random_bytes(seed, 60_000);
        robot::play(&mut house, &mut Choices::new(&bytes), 12).await.unwrap();
        let hidden = Hidden::of(&secret(&house).await, house.published().unwrap());
        house.close().await.unwrap();
        let begin = store::Begin::Either;
        let store = store::Store::open_with(&place.log, &place.key, begin).await.unwrap();
        let (_, state) = store.go_on("table 1").await.unwrap().snapshot.unwrap();
        assert_eq!(hidden.found_in(state.as_bytes()), [""; 0], "{name}");
        store.close().await;
    });
}

/// A book that comes with Sabot has changed since a table was opened under it: the table goes on
/// under the edition that its log has, and pays by it.
#[tokio::test]
async fn a_changed_edition_of_a_built_in_book_strands_no_table() {
    let place = place();
    let now = rulebooks::load("act-2018", None).unwrap();
    let files = ["rulebook.toml", "clauses.toml"].map(|file| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rulebooks/act-2018");
        let text = std::fs::read_to_string(format!("{folder}/{file}")).unwrap();
        let text = text.replace("pays = \"30:1\"", "pays = \"3:1\"");
        rulebooks::OwnFile { book: "act-2018".into(), file: file.into(), text }
    });
    let former = Arc::new(rulebooks::load_with("act-2018", None, &files).unwrap());
    let sha256 = former.sha256();
    assert_ne!(sha256, now.sha256());
    let beginning = live::Beginning::alone("table 1", "act-2018", former);
    let begin = store::Begin::Either;
    let mut house = Host::begin(&place.log, &place.key, begin, beginning).await.unwrap();
    robot::open(&mut house, false, 3).await.unwrap();
    let bytes = random_bytes(17, 60_000);
    let mut choices = Choices::new(&bytes);
    robot::play(&mut house, &mut choices, 2).await.unwrap();
    house.close().await.unwrap();
    let mut house = Host::resume(&place.log, &place.key, "table 1").await.unwrap();
    assert_eq!(house.book().sha256(), sha256);
    robot::play(&mut house, &mut choices, 4).await.unwrap();
    assert_eq!(house.table().coups(), 4);
    house.close().await.unwrap();
}

/// Cards that were given to a player are not shown to that player after an exclusion.
#[test]
fn the_excluded_look_at_no_card() {
    each_book(90, async |seed, name| {
        let name = name.as_str();
        let place = place();
        let mut house = begin(&place, name, true).await;
        let bytes = random_bytes(seed, 60_000);
        let mut choices = Choices::new(&bytes);
        for _ in 0..400 {
            let coup = house.table().coup();
            let given = |side: Side| {
                let id = coup.and_then(|coup| coup.passed[side as usize])?;
                house.peek(id, side).map(|_| (id, side))
            };
            if let Some((id, side)) = Side::BOTH.into_iter().find_map(given) {
                let who = house.table().player(id).name;
                let exclude = Act::Exclude(who, "cheating".into());
                house.act(exclude).await.unwrap().unwrap();
                assert_eq!(house.peek(id, side), None, "{name}: {who} is excluded");
                return;
            }
            if let Step::Waits(due) = house.step().await.unwrap() {
                robot::answer(&mut house, &mut choices, due.next).await.unwrap();
            }
        }
        assert!(name.contains("nz-1998"), "{name}: nobody was given cards to turn");
    });
}

#[tokio::test]
async fn a_leak_is_found_whatever_its_form() {
    let place = place();
    let mut house = begin(&place, "act-2018", false).await;
    let bytes = random_bytes(5, 60_000);
    robot::play(&mut house, &mut Choices::new(&bytes), 5).await.unwrap();
    let secret = secret(&house).await;
    let published = house.published().unwrap().clone();
    let hidden = Hidden::of(&secret, &published);
    let coming = testkit::leak::coming(&secret, &published, 8);
    let cards: Vec<_> = coming.iter().map(|opening| opening.card).collect();
    let leaks: [(&str, Vec<u8>); 6] = [
        ("a debug print of the coming cards", format!("next: {cards:?}").into()),
        (
            "a log line that lists them",
            cards.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ").into(),
        ),
        ("the secret unsealed in the file", secret.bytes()[100..300].to_vec()),
        ("the secret in a JSON array", format!("{:?}", &secret.bytes()[..64]).into()),
        ("the secret in base 64", data_encoding::BASE64.encode(secret.bytes()).into()),
        ("a proof before its card is dealt", coming[3].salt.to_string().into()),
    ];
    for (what, leak) in leaks {
        let file = [b"something before ", leak.as_slice(), b" and behind"].concat();
        assert!(!hidden.found_in(&file).is_empty(), "{what} was not found");
    }
    // The same in a real log: one careless line is enough.
    let careless =
        Act::Supervisor(table::Decision::Decide(format!("the shoe goes on with {cards:?}")));
    house.act(careless).await.unwrap().unwrap();
    house.close().await.unwrap();
    // What was written last may still be in the journal beside the file.
    let journal = place.log.with_extension("sabot-wal");
    let mut written = std::fs::read(&place.log).unwrap();
    written.extend(std::fs::read(journal).unwrap_or_default());
    assert!(!hidden.found_in(&written).is_empty());
}

/// Several cards in excess come from the system's shoe, wait in their order, and start a coup each;
/// the log holds, and a session that is resumed deals on with them.
#[tokio::test]
async fn cards_in_excess_wait_in_the_order_of_the_shoe() {
    use table::{Decision, Next, Work};
    let place = place();
    let mut house = begin(&place, "act-2018", false).await;
    let bytes = random_bytes(9, 4_000);
    let mut choices = Choices::new(&bytes);
    robot::play(&mut house, &mut choices, 1).await.unwrap();
    let excess = |face_down| Act::Dealer(Work::DrawExcess { card: None, face_down });
    for face_down in [false, true, false] {
        house.act(excess(face_down)).await.unwrap().unwrap();
    }
    let waiting: Vec<_> = house.table().waiting().iter().map(|waiting| waiting.card).collect();
    assert!(matches!(waiting[..], [Some(_), None, Some(_)]), "{waiting:?}");
    house.close().await.unwrap();
    let mut house = Host::resume(&place.log, &place.key, "table 1").await.unwrap();
    for (coup, card) in (2..).zip(&waiting) {
        assert_eq!(house.table().is_no_bet(), card.is_some(), "coup {coup}");
        robot::play(&mut house, &mut choices, coup).await.unwrap();
    }
    assert!(house.table().waiting().is_empty());
    // What waits goes with the shoe that a supervisor has shuffled.
    house.act(excess(true)).await.unwrap().unwrap();
    house.act(excess(false)).await.unwrap().unwrap();
    let shuffle = Act::Supervisor(Decision::DirectShuffle);
    let ruled = house.act(shuffle).await.unwrap();
    assert!(ruled.is_ok(), "{ruled:?}");
    assert!(house.table().due().is_some_and(|due| due.next == Next::Shuffle));
    let found = audit(&records(&house).await).unwrap();
    assert_eq!(found.findings, [], "the log does not hold");
}

/// A burn of too many cards takes them from the system's shoe; they start the first coups.
#[tokio::test]
async fn cards_burnt_too_many_are_the_first_of_the_shoe() {
    use table::{Next, Work};
    let place = place();
    let mut house = begin(&place, "act-2012", false).await;
    let bytes = random_bytes(11, 4_000);
    let mut choices = Choices::new(&bytes);
    while house.table().due().is_some_and(|due| due.next != Next::Burn) {
        if let live::Step::Waits(due) = house.step().await.unwrap() {
            robot::answer(&mut house, &mut choices, due.next).await.unwrap();
        }
    }
    let left = house.cards_left().unwrap();
    let burn = Work::BurnCounted { card: None, further: 2 };
    house.act(Act::Dealer(burn)).await.unwrap().unwrap();
    assert_eq!((house.cards_left(), house.table().waiting().len()), (Some(left - 3), 2));
    robot::play(&mut house, &mut choices, 3).await.unwrap();
    assert!(house.table().waiting().is_empty());
    let found = audit(&records(&house).await).unwrap();
    assert_eq!(found.findings, [], "the log does not hold");
}
