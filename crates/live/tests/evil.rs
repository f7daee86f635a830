//! A house that wants to choose: each attempt is refused, or visible in what outsiders hold.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "evil/attempts.rs"]
mod attempts;

use std::path::PathBuf;
use std::sync::Arc;

use audit::audit;
use live::{Host, Step};
use shoe::{Abandoned, CutOf, Digest, ShoeFact, ShoeRecord, Which, Words};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use store::{Body, Record};
use table::Phase;
use testkit::{Choices, random_bytes, robot};

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    async fn begin(&self, book: &str) -> Host {
        let loaded = Arc::new(rulebooks::load(book, None).unwrap());
        let (log, key) = (self.file("a.sabot"), self.file("a.key"));
        let mut house = Host::begin(
            &log,
            &key,
            store::Begin::Either,
            live::Beginning::alone("table 1", book, loaded),
        )
        .await
        .unwrap();
        robot::open(&mut house, false, 3).await.unwrap();
        house
    }

    async fn resume(&self) -> Host {
        Host::resume(&self.file("a.sabot"), &self.file("a.key"), "table 1").await.unwrap()
    }

    /// The audit of the table with everything that the log has.
    async fn audit(&self, house: &Host) -> audit::Audit {
        audit::audit_stream(house.log().file().unwrap(), "table 1").await.unwrap()
    }

    fn image(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|e| e.unwrap().path());
        files.filter_map(|path| Some((path.clone(), std::fs::read(path).ok()?))).collect()
    }

    /// Puts an old copy of the log back; what is beside the key stays.
    fn restore(&self, image: &[(PathBuf, Vec<u8>)]) {
        for name in ["a.sabot-wal", "a.sabot-shm"] {
            let _ = std::fs::remove_file(self.file(name));
        }
        for (path, bytes) in image.iter().filter(|(path, _)| path.ends_with("a.sabot")) {
            std::fs::write(path, bytes).unwrap();
        }
    }
}

fn words(account: &str, seed: u8) -> Words {
    let drawn = Words::draw(account, |bytes: &mut [u8]| {
        bytes.fill(seed);
        Ok::<(), std::convert::Infallible>(())
    });
    drawn.unwrap()
}

/// Goes on until the house has committed to a shoe.
async fn committed(house: &mut Host) -> Digest {
    loop {
        if let Step::Committed(commitment) = house.step().await.unwrap() {
            return commitment;
        }
    }
}

#[tokio::test]
async fn people_take_part_only_after_the_house_is_bound() {
    let place = Place::new();
    let mut house = place.begin("act-2018").await;
    let early = words("outsider", 1);
    let refused = house.promise(early.promise(&Digest([0; 32]))).unwrap_err();
    assert!(refused.what.contains("no list is open"), "{refused}");
    let commitment = committed(&mut house).await;
    house.promise(early.promise(&commitment)).unwrap();
    // Nobody is on the list twice, by account or by word.
    assert!(house.promise(words("outsider", 2).promise(&commitment)).is_err());
    let too_early = house.open_word("outsider", Which::First, early.word(Which::First));
    assert!(too_early.unwrap_err().what.contains("before the list is closed"));
    house.close_list().await.unwrap();
    // The last word of the house comes too late.
    assert!(house.promise(words("the house", 3).promise(&commitment)).is_err());
    // A word that was not promised is none, and nobody opens for another.
    assert!(house.open_word("outsider", Which::First, Digest([9; 32])).is_err());
    assert!(house.open_word("somebody", Which::First, early.word(Which::First)).is_err());
    assert_eq!(house.words_due(Which::First), ["outsider"]);
    house.open_word("outsider", Which::First, early.word(Which::First)).unwrap();
    assert!(house.words_due(Which::First).is_empty());
    house.shuffle().await.unwrap().unwrap();
    let record = house.published().unwrap().clone();
    let way = record.second().unwrap();
    assert_eq!(way.witnesses(), 1);
    assert_eq!(way.firsts, Some(vec![Some(early.word(Which::First))]));
    assert!(house.open_word("outsider", Which::First, early.word(Which::First)).is_err(), "late");
    let binds = &way.binds;
    assert_eq!((binds.table.as_str(), binds.number), ("table 1", 1));
    assert_eq!(Some(binds.key), house.log().file().unwrap().public_key());
    house.close().await.unwrap();
}

#[tokio::test]
async fn who_promises_and_does_not_open_takes_no_part_for_a_day() {
    let place = Place::new();
    let mut house = place.begin("act-2018").await;
    let start = 1_800_000_000_000_000;
    house.set_world(live::World::real().with_clock(start));
    let commitment = committed(&mut house).await;
    house.promise(words("silent", 1).promise(&commitment)).unwrap();
    house.shuffle().await.unwrap().unwrap();
    assert_eq!(house.published().unwrap().second().unwrap().silent().count(), 1);
    let bytes = random_bytes(1, 300_000);
    let mut choices = Choices::new(&bytes);
    while house.shoe_number() == 1 {
        match house.step().await.unwrap() {
            Step::Waits(due) => robot::answer(&mut house, &mut choices, due.next).await.unwrap(),
            Step::Refused(refusal) => panic!("{refusal}"),
            _ => {}
        }
    }
    let commitment = house.published().unwrap().commitment;
    let refused = house.promise(words("silent", 2).promise(&commitment)).unwrap_err();
    assert!(refused.what.contains("did not open"), "{refused}");
    // It is known after a restart too, and over after a day.
    house.close().await.unwrap();
    let mut house = place.resume().await;
    house.set_world(live::World::real().with_clock(start + 3600 * 1_000_000));
    assert!(house.promise(words("silent", 2).promise(&commitment)).is_err());
    house.set_world(live::World::real().with_clock(start + 25 * 3600 * 1_000_000));
    house.promise(words("silent", 2).promise(&commitment)).unwrap();
    house.close_list().await.unwrap();
    // Who reads the log can tell, too.
    let store = house.log().file().unwrap();
    let mut records = store.records("table 1", 0).await.unwrap();
    assert_eq!(audit(&records).unwrap().findings, []);
    let listed = |record: &&mut Record| record.body.starts_with("{\"listed\"");
    records.iter_mut().filter(listed).for_each(|record| record.at = start + 3600 * 1_000_000);
    let found = audit(&records).unwrap().findings;
    let within = |finding: &audit::Finding| finding.what.contains("silent took part within a day");
    assert!(found.iter().any(within), "{found:?}");
    house.close().await.unwrap();
}

/// A crash between any two steps of making a shoe: the words of this process are not lost, and
/// nobody is barred for it.
#[tokio::test]
async fn a_shoe_in_the_making_survives_a_stop_at_every_step() {
    let place = Place::new();
    let mut house = place.begin("nz-1998").await;
    committed(&mut house).await;
    house.close().await.unwrap();
    let mut house = place.resume().await;
    house.take_part("table-1-1").unwrap().unwrap();
    house.close_list().await.unwrap();
    house.close().await.unwrap();
    let mut house = place.resume().await;
    house.shuffle().await.unwrap().unwrap();
    assert_eq!(house.published().unwrap().second().unwrap().witnesses(), 1);
    house.close().await.unwrap();
    let mut house = place.resume().await;
    let bytes = random_bytes(2, 20_000);
    robot::play(&mut house, &mut Choices::new(&bytes), 3).await.unwrap();
    let records = house.log().file().unwrap().records("table 1", 0).await.unwrap();
    assert_eq!(audit(&records).unwrap().findings, []);
    house.close().await.unwrap();
}

/// Who takes part again has other words: a house that has seen those of one shoe knows nothing of
/// the next, also after a restart.
#[tokio::test]
async fn words_are_drawn_anew_for_every_shoe() {
    let place = Place::new();
    let mut house = place.begin("act-2018").await;
    let bytes = random_bytes(3, 600_000);
    let mut choices = Choices::new(&bytes);
    let mut seen = Vec::new();
    for number in 1..=3 {
        while house.shoe_number() < number {
            match house.step().await.unwrap() {
                Step::Waits(due) => {
                    robot::answer(&mut house, &mut choices, due.next).await.unwrap();
                }
                Step::Refused(refusal) => panic!("{refusal}"),
                _ => {}
            }
        }
        house.take_part("outsider").unwrap().unwrap();
        house.shuffle().await.unwrap().unwrap();
        let way = house.published().unwrap().second().unwrap().clone();
        seen.extend(way.firsts.unwrap().into_iter().flatten());
        assert_eq!(seen.len(), number as usize, "a word was not opened");
        if number == 2 {
            house.close().await.unwrap();
            house = place.resume().await;
        }
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 3, "a word was used twice");
    house.close().await.unwrap();
}

/// A copy of the log from the middle of a shoe: its cards are not dealt again. The coup is void,
/// the chips are as before it, the shoe is listed as abandoned, and the next one is another.
#[tokio::test]
async fn a_restored_log_never_deals_a_shoe_again() {
    for book in rulebooks::principals() {
        for stop_in_a_coup in [false, true] {
            let place = Place::new();
            let mut house = place.begin(book).await;
            let bytes = random_bytes(5, 200_000);
            let mut choices = Choices::new(&bytes);
            robot::play(&mut house, &mut choices, 4).await.unwrap();
            while stop_in_a_coup && house.table().phase() != Phase::Dealing {
                match house.step().await.unwrap() {
                    Step::Waits(due) => {
                        robot::answer(&mut house, &mut choices, due.next).await.unwrap();
                    }
                    Step::Refused(refusal) => panic!("{refusal}"),
                    _ => {}
                }
            }
            let (root, sum) = (house.published().unwrap().root, house.table().sum());
            house.close().await.unwrap();
            let old = place.image();
            let mut house = place.resume().await;
            robot::play(&mut house, &mut choices, 8).await.unwrap();
            assert_eq!(house.published().unwrap().root, root, "still the same shoe");
            house.close().await.unwrap();

            place.restore(&old);
            let mut house = place.resume().await;
            assert!(house.table().coup().is_none(), "{book}: the coup is void");
            assert_eq!(house.table().sum(), sum);
            assert_eq!(house.cards_left(), None, "{book}: no card is left to deal");
            robot::play(&mut house, &mut choices, 12).await.unwrap();
            assert_ne!(house.published().unwrap().root, root, "{book}: another shoe");
            let found = place.audit(&house).await;
            assert_eq!(found.findings, [], "{book}");
            assert_eq!(found.shoes[0].abandoned, Some(Abandoned::Restored), "{book}");
            assert!(found.shoes[0].verified.as_ref().unwrap().whole, "its secret is out");
            assert_eq!(house.log().file().unwrap().verify(None).await.unwrap().restored, 1);
            house.close().await.unwrap();
        }
    }
}

async fn step(house: &mut Host, choices: &mut Choices<'_>) {
    match house.step().await.unwrap() {
        Step::Waits(due) => robot::answer(house, choices, due.next).await.unwrap(),
        Step::Refused(refusal) => panic!("{refusal}"),
        Step::Did(_) | Step::Committed(_) | Step::Revealed | Step::Nothing => {}
    }
}

/// A copy from any step of preparing a shoe: its cut and its burn were seen too, and no card of it
/// comes again.
#[tokio::test]
async fn a_shoe_that_was_being_prepared_is_not_dealt_from_a_restored_log() {
    for book in rulebooks::principals() {
        let place = Place::new();
        let mut house = place.begin(book).await;
        let bytes = random_bytes(6, 200_000);
        let mut choices = Choices::new(&bytes);
        committed(&mut house).await;
        let commitment = house.published().unwrap().commitment;
        let mut copies = Vec::new();
        loop {
            let dealt = house.published().unwrap().dealt.len();
            house.close().await.unwrap();
            copies.push((dealt, place.image()));
            house = place.resume().await;
            if house.table().phase() == Phase::Betting {
                break;
            }
            step(&mut house, &mut choices).await;
        }
        assert!(copies.len() > 3, "{book}: {} steps", copies.len());
        robot::play(&mut house, &mut choices, 2).await.unwrap();
        assert_eq!(house.published().unwrap().commitment, commitment);
        house.close().await.unwrap();
        for (at, (dealt, copy)) in copies.iter().enumerate() {
            place.restore(copy);
            let mut house = place.resume().await;
            let sum = house.table().sum();
            robot::play(&mut house, &mut choices, 2).await.unwrap();
            let name = format!("{book}, copy {at}");
            assert_ne!(house.published().unwrap().commitment, commitment, "{name}");
            let found = place.audit(&house).await;
            assert_eq!(found.findings, [], "{name}");
            let shoe = &found.shoes[0];
            assert_eq!(shoe.record.commitment, commitment);
            assert_eq!(shoe.abandoned, Some(Abandoned::Restored), "{name}");
            assert_eq!(shoe.record.dealt.len(), *dealt, "{name}: a card of it came again");
            assert!(shoe.record.entropy.is_some(), "{name}: its secret is out");
            assert_eq!(house.table().sum(), sum, "{name}");
            house.close().await.unwrap();
        }
    }
}

/// The secret of the shoe in use is lost, with its box or with the key: the coup is void, the shoe
/// is listed, and the table goes on with another one.
#[tokio::test]
async fn a_shoe_whose_secret_is_lost_is_abandoned() {
    for with_the_key in [false, true] {
        for wanted in [Phase::Preparing, Phase::Betting, Phase::Dealing] {
            for made in [false, true] {
                let place = Place::new();
                let mut house = place.begin("act-2018").await;
                let bytes = random_bytes(9, 200_000);
                let mut choices = Choices::new(&bytes);
                committed(&mut house).await;
                while house.table().phase() != wanted
                    || made && house.published().unwrap().root.is_none()
                {
                    step(&mut house, &mut choices).await;
                }
                let sum = house.table().sum();
                let name = format!("{wanted:?}, {made}, {with_the_key}");
                house.close().await.unwrap();
                let (log, key) = (place.file("a.sabot"), place.file("a.key"));
                if with_the_key {
                    std::fs::remove_file(&key).unwrap();
                    store::replace_lost_key(&log, &key, async |_: &store::Store| Ok(()))
                        .await
                        .unwrap();
                } else {
                    let mut shell = raw(&log).await;
                    sqlx::query("delete from sealed").execute(&mut shell).await.unwrap();
                    shell.close().await.unwrap();
                }
                let house = place.resume().await;
                assert!(house.table().coup().is_none(), "{name}: the coup is void");
                assert_eq!(house.table().sum(), sum, "{name}");
                house.close().await.unwrap();
                let mut house = place.resume().await;
                let coups = house.table().coups() + 2;
                robot::play(&mut house, &mut choices, coups).await.unwrap();
                let found = place.audit(&house).await;
                assert_eq!(found.findings, [], "{name}");
                assert_eq!(found.shoes[0].abandoned, Some(Abandoned::SecretLost), "{name}");
                assert!(found.shoes[0].record.entropy.is_none());
                assert!(!found.shoes[0].unrevealed, "{name}: it never will be");
                let verified = house.log().file().unwrap().verify(None).await.unwrap();
                assert_eq!((verified.broken, verified.restored), (vec![], 0), "{name}");
                assert_eq!(verified.lost_keys, u64::from(with_the_key), "{name}");
                house.close().await.unwrap();
            }
        }
    }
}

/// The files that a log kept of its book: they make that book, or it is found.
#[tokio::test]
async fn files_of_another_book_are_found() {
    let place = Place::new();
    let house = place.begin("act-2018").await;
    let store = house.log().file().unwrap();
    let records = store.records("table 1", 0).await.unwrap();
    let Body::Book(book) = records[0].read().unwrap() else { panic!() };
    let files = store.book(book.sha256).await.unwrap().unwrap().files.unwrap();
    let found = |files: &str| audit::audit_with(&records, Some(files), "table 1").unwrap().findings;
    assert_eq!(found(&files), []);
    let other = files.replace("8:1", "9:1");
    assert_ne!(other, files);
    assert!(found(&other).iter().any(|finding| finding.what.contains("make another book")));
    house.close().await.unwrap();
}

async fn raw(log: &std::path::Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(log).connect().await.unwrap()
}

/// Three tables in one log: each has its shoes, all are restored together, and a broken one stops
/// only itself.
#[tokio::test]
async fn three_tables_share_a_log_and_its_misfortunes() {
    let place = Place::new();
    let (log, key) = (place.file("a.sabot"), place.file("a.key"));
    let names = ["table 1", "table 2", "table 3"];
    let books = ["act-2018", "nz-1998", "act-2012"];
    let open = async || store::Store::open_with(&log, &key, store::Begin::Either).await.unwrap();
    let resume = async |store: &store::Store, name: &str| {
        Host::resume_in(store.clone().into(), live::World::real(), None, name).await
    };
    let bytes = random_bytes(21, 600_000);
    let mut choices = Choices::new(&bytes);
    let store = open().await;
    let mut hosts = Vec::new();
    for (name, book) in names.into_iter().zip(books) {
        let loaded = Arc::new(rulebooks::load(book, None).unwrap());
        let beginning = live::Beginning::alone(name, book, loaded);
        let begun = Host::begin_in(store.clone().into(), live::World::real(), None, beginning);
        let mut host = begun.await.unwrap();
        robot::open(&mut host, false, 2).await.unwrap();
        hosts.push(host);
    }
    for _ in 0..120 {
        for host in &mut hosts {
            step(host, &mut choices).await;
        }
    }
    for host in hosts.drain(..) {
        host.close().await.unwrap();
    }
    store.close().await;
    let old = place.image();
    // A stop, and each goes on with its own shoe.
    let store = open().await;
    let mut commitments = Vec::new();
    for name in names {
        let mut host = resume(&store, name).await.unwrap();
        commitments.push(host.published().unwrap().commitment);
        let coups = host.table().coups() + 2;
        robot::play(&mut host, &mut choices, coups).await.unwrap();
        let binds = &host.published().unwrap().second().unwrap().binds;
        assert_eq!(binds.table, name);
        host.close().await.unwrap();
    }
    store.close().await;
    // An older copy: none of them is dealt on.
    place.restore(&old);
    let store = open().await;
    for (name, commitment) in names.into_iter().zip(&commitments) {
        let mut host = resume(&store, name).await.unwrap();
        let coups = host.table().coups() + 2;
        robot::play(&mut host, &mut choices, coups).await.unwrap();
        assert_ne!(host.published().unwrap().commitment, *commitment, "{name}");
        host.close().await.unwrap();
        let found = audit::audit_stream(&store, name).await.unwrap();
        assert_eq!(found.findings, [], "{name}");
        let given_up = found.shoes.iter().find(|shoe| shoe.record.commitment == *commitment);
        assert_eq!(given_up.unwrap().abandoned, Some(Abandoned::Restored), "{name}");
    }
    store.close().await;
    // One of them is broken.
    let mut shell = raw(&log).await;
    let trigger = "select sql from sqlite_schema where name = 'log_is_never_changed'";
    let trigger: String = sqlx::query_scalar(trigger).fetch_one(&mut shell).await.unwrap();
    sqlx::query("drop trigger log_is_never_changed").execute(&mut shell).await.unwrap();
    let broken = "update log set at = at + 1 where stream = 'table 2' and version = 3";
    sqlx::query(broken).execute(&mut shell).await.unwrap();
    sqlx::query(sqlx::AssertSqlSafe(trigger)).execute(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    let store = open().await;
    assert!(store.checked().await.unwrap().contains("table 2: record 3"));
    assert!(resume(&store, "table 2").await.is_err());
    for name in ["table 1", "table 3"] {
        let mut host = resume(&store, name).await.unwrap();
        let coups = host.table().coups() + 1;
        robot::play(&mut host, &mut choices, coups).await.unwrap();
        host.close().await.unwrap();
    }
    assert_eq!(store.alarm(), None);
    store.close().await;
}

/// A stop between the last act of a shoe and its reveal: the next start reveals it.
#[tokio::test]
async fn a_shoe_that_is_over_is_revealed_at_the_next_start() {
    let place = Place::new();
    let mut house = place.begin("act-2018").await;
    let bytes = random_bytes(3, 300_000);
    let mut choices = Choices::new(&bytes);
    loop {
        let over = house.table().phase() == Phase::Preparing && !house.table().shoe().shuffled;
        if house.table().coups() > 20 && over {
            break;
        }
        match house.step().await.unwrap() {
            Step::Waits(due) => robot::answer(&mut house, &mut choices, due.next).await.unwrap(),
            Step::Refused(refusal) => panic!("{refusal}"),
            _ => {}
        }
    }
    assert!(house.published().unwrap().entropy.is_none());
    let records = house.log().file().unwrap().records("table 1", 0).await.unwrap();
    assert!(audit(&records).unwrap().shoes[0].unrevealed, "the audit says so meanwhile");
    // Not in order: whoever stops in order reveals it first.
    house.log().close().await;
    drop(house);
    let house = place.resume().await;
    assert!(house.published().unwrap().entropy.is_some());
    let records = house.log().file().unwrap().records("table 1", 0).await.unwrap();
    assert!(!audit(&records).unwrap().shoes[0].unrevealed);
    house.close().await.unwrap();
}

/// Between the last guest's leaving and the secret the program stops: where one person played alone
/// nobody comes back, and the next start gives the shoe up.
#[tokio::test]
async fn a_shoe_that_everybody_left_is_revealed_at_the_next_start() {
    let place = Place::new();
    let mut house = place.begin("act-2018").await;
    let bytes = random_bytes(4, 20_000);
    robot::play(&mut house, &mut Choices::new(&bytes), 3).await.unwrap();
    let names: Vec<_> = house.table().present().map(|(_, player)| player.name).collect();
    for name in names {
        house.act(table::Act::Player(name, table::Deed::Leave)).await.unwrap().unwrap();
    }
    assert!(place.audit(&house).await.shoes[0].unrevealed, "the audit says so meanwhile");
    // Not in order: whoever stops in order reveals it first.
    house.log().close().await;
    drop(house);
    let house = place.resume().await;
    let found = place.audit(&house).await;
    assert_eq!(found.findings, []);
    let shoe = &found.shoes[0];
    assert_eq!((shoe.abandoned, shoe.unrevealed), (Some(Abandoned::Left), false));
    assert!(shoe.record.entropy.is_some());
    house.close().await.unwrap();
}

/// Some books let staff direct a shuffle at any time between coups: who knows the order can have
/// another one made before a coup is dealt from it. Everybody sees it, and the audit lists it.
#[tokio::test]
async fn a_shoe_that_is_replaced_before_its_first_coup_is_listed() {
    let place = Place::new();
    let mut house = place.begin("act-2018").await;
    let bytes = random_bytes(5, 20_000);
    let mut choices = Choices::new(&bytes);
    while house.shoe_number() < 2 {
        if house.table().phase() == Phase::Betting {
            let shuffle = table::Act::Supervisor(table::Decision::DirectShuffle);
            house.act(shuffle).await.unwrap().unwrap();
        }
        step(&mut house, &mut choices).await;
    }
    robot::play(&mut house, &mut choices, 2).await.unwrap();
    let found = place.audit(&house).await;
    assert_eq!(found.findings, []);
    assert_eq!(found.shoes.iter().map(|shoe| shoe.thrown_away).collect::<Vec<_>>(), [true, false]);
    house.close().await.unwrap();
}

/// When the house has told the secret of a shoe, a head is signed at once: whoever is shown it can
/// hold the house to exactly that shoe, and the state is kept with it.
#[tokio::test]
async fn a_head_is_signed_at_the_end_of_every_shoe() {
    let place = Place::new();
    let mut house = place.begin("act-2018").await;
    let bytes = random_bytes(3, 300_000);
    let mut choices = Choices::new(&bytes);
    let mut revealed = 0;
    while revealed < 2 {
        match house.step().await.unwrap() {
            Step::Waits(due) => robot::answer(&mut house, &mut choices, due.next).await.unwrap(),
            Step::Refused(refusal) => panic!("{refusal}"),
            Step::Revealed => {
                revealed += 1;
                let store = house.log().file().unwrap();
                let last = store.records("table 1", house.version() - 1).await.unwrap().remove(0);
                assert!(matches!(last.read(), Ok(Body::Shoe(ShoeFact::Revealed { .. }))));
                let head = store.head().await.unwrap().unwrap();
                let signed = store.records(store::CHECKPOINTS, head.version - 1).await.unwrap();
                let Ok(Body::Checkpoint(heads)) = signed[0].read() else { panic!() };
                let table = heads.heads.into_iter().find(|head| head.stream == "table 1").unwrap();
                assert_eq!((table.version, table.hash), (last.version, last.hash));
            }
            Step::Did(_) | Step::Committed(_) | Step::Nothing => {}
        }
    }
    house.close().await.unwrap();
}

#[tokio::test]
async fn whatever_an_evil_house_writes_into_its_log_is_found() {
    let place = Place::new();
    let mut house = place.begin("act-2018").await;
    committed(&mut house).await;
    for name in ["table-1-1", "table-1-2"] {
        house.take_part(name).unwrap().unwrap();
    }
    let bytes = random_bytes(8, 300_000);
    let mut choices = Choices::new(&bytes);
    while house.shoe_number() < 2 {
        match house.step().await.unwrap() {
            Step::Waits(due) => robot::answer(&mut house, &mut choices, due.next).await.unwrap(),
            Step::Refused(refusal) => panic!("{refusal}"),
            _ => {}
        }
    }
    let honest = house.log().file().unwrap().records("table 1", 0).await.unwrap();
    let own = audit::House::read(house.log().file().unwrap()).await.unwrap();
    let audit = |records: &[Record]| audit::audit_in(records, None, "table 1", &own);
    assert_eq!(audit(&honest).unwrap().findings, []);
    for (name, attempt, gives_away) in attempts::ATTEMPTS {
        let mut records = honest.clone();
        attempt(&mut records).unwrap_or_else(|| panic!("{name} was not tried"));
        let found = audit(&records).unwrap().findings;
        let shows = |finding: &audit::Finding| finding.what.contains(gives_away);
        assert!(found.iter().any(shows), "{name}: {found:?}");
    }
    house.close().await.unwrap();
}

/// What an outsider holds of a shoe is enough: the record, which both verifiers take.
#[tokio::test]
async fn a_cut_by_staff_is_made_by_chance() {
    let place = Place::new();
    let mut house = place.begin("act-2012").await;
    let outsider = words("outsider", 7);
    let commitment = committed(&mut house).await;
    house.promise(outsider.promise(&commitment)).unwrap();
    house.close_list().await.unwrap();
    house.open_word("outsider", Which::First, outsider.word(Which::First)).unwrap();
    house.shuffle().await.unwrap().unwrap();
    house.open_word("outsider", Which::Second, outsider.word(Which::Second)).unwrap();
    // Everybody declines, and staff cut.
    let mut record: Option<ShoeRecord> = None;
    for _ in 0..20 {
        match house.step().await.unwrap() {
            Step::Waits(due) => {
                let table::Next::Cut(_) = due.next else { break };
                let declined = &house.table().shoe().declined;
                let left = house.table().present().find(|(id, _)| !declined.contains(id));
                let Some(name) = left.map(|(_, player)| player.name) else { break };
                let act = table::Act::Player(name, table::Deed::DeclineCut);
                let _ = house.act(act).await.unwrap();
            }
            Step::Refused(refusal) => panic!("{refusal}"),
            _ => {}
        }
        record = house.published().cloned().filter(|record| record.cut.is_some());
        if record.is_some() {
            break;
        }
    }
    let record = record.unwrap();
    let way = record.second().unwrap();
    if way.cutter == Some(CutOf::Staff) {
        assert_eq!(way.seconds, Some(vec![Some(outsider.word(Which::Second))]));
    }
    assert!(record.cut.is_some() && shoe::verify(&record).is_ok(), "{record:?}");
    assert_eq!(way.cutter, Some(CutOf::Staff), "nobody else was left to cut");
    house.close().await.unwrap();
}
