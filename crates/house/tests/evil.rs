//! A house that wants to choose: each attempt is refused, or visible in what outsiders hold.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::PathBuf;
use std::sync::Arc;

use house::{House, Step, audit};
use shoe::{Abandoned, CutOf, Digest, ShoeFact, ShoeRecord, Which, Words};
use store::{Body, Record};
use table::{CutBy, Phase};
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

    async fn begin(&self, book: &str) -> House {
        let loaded = Arc::new(rulebooks::load(book, None).unwrap());
        let (log, key) = (self.file("a.sabot"), self.file("a.key"));
        let mut house = House::begin(&log, &key, "table 1", book, loaded).await.unwrap();
        robot::open(&mut house, false, 3).await.unwrap();
        house
    }

    async fn resume(&self) -> House {
        House::resume(&self.file("a.sabot"), &self.file("a.key"), "table 1").await.unwrap()
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
async fn committed(house: &mut House) -> Digest {
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
    assert_eq!(Some(binds.key), house.store().public_key());
    house.close().await.unwrap();
}

#[tokio::test]
async fn who_promises_and_does_not_open_takes_no_part_for_a_day() {
    let place = Place::new();
    let mut house = place.begin("act-2018").await;
    let start = 1_800_000_000_000_000;
    house.set_clock(Some(start));
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
    house.set_clock(Some(start + 3600 * 1_000_000));
    assert!(house.promise(words("silent", 2).promise(&commitment)).is_err());
    house.set_clock(Some(start + 25 * 3600 * 1_000_000));
    house.promise(words("silent", 2).promise(&commitment)).unwrap();
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
    let records = house.store().records("table 1", 0).await.unwrap();
    assert_eq!(audit(&records).unwrap().findings, []);
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
            let records = house.store().records("table 1", 0).await.unwrap();
            let found = audit(&records).unwrap();
            assert_eq!(found.findings, [], "{book}");
            assert_eq!(found.shoes[0].abandoned, Some(Abandoned::Restored), "{book}");
            assert!(found.shoes[0].verified.as_ref().unwrap().whole, "its secret is out");
            assert_eq!(house.store().verify(None).await.unwrap().restored, 1);
            house.close().await.unwrap();
        }
    }
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
    let records = house.store().records("table 1", 0).await.unwrap();
    assert!(audit(&records).unwrap().shoes[0].unrevealed, "the audit says so meanwhile");
    house.close().await.unwrap();
    let house = place.resume().await;
    assert!(house.published().unwrap().entropy.is_some());
    let records = house.store().records("table 1", 0).await.unwrap();
    assert!(!audit(&records).unwrap().shoes[0].unrevealed);
    house.close().await.unwrap();
}

/// What an evil house writes into its own log, with a chain that fits.
type Attempt = (&'static str, fn(&mut Vec<Record>) -> Option<()>, &'static str);

fn position(records: &[Record], such: impl Fn(&ShoeFact) -> bool) -> Option<usize> {
    records.iter().position(|record| matches!(record.read(), Ok(Body::Shoe(fact)) if such(&fact)))
}

fn put(record: &mut Record, body: &Body) {
    (record.schema, record.body) = (body.schema().into(), body.to_json());
}

fn change(records: &mut [Record], with: impl Fn(&mut ShoeFact) -> bool) -> Option<()> {
    for record in records {
        if let Ok(Body::Shoe(mut fact)) = record.read()
            && with(&mut fact)
        {
            put(record, &Body::Shoe(fact));
            return Some(());
        }
    }
    None
}

const ATTEMPTS: &[Attempt] = &[
    (
        "the commitment of a shoe used again",
        |records| {
            let first = position(records, |fact| matches!(fact, ShoeFact::Committed { .. }))?;
            let again = records[first].clone();
            let at = records.len() - 1;
            let key = records[at].key.clone();
            records.push(Record { version: at as u64 + 2, key: key + "x", ..again });
            Some(())
        },
        "a commitment that was used before",
    ),
    (
        "a shoe of another table",
        |records| {
            change(records, |fact| match fact {
                ShoeFact::Committed { binds: Some(binds), .. } => {
                    binds.table = "table 2".into();
                    true
                }
                _ => false,
            })
        },
        "a shoe of another table",
    ),
    (
        "a shoe thrown away, and the next one dealt",
        |records| {
            change(records, |fact| match fact {
                ShoeFact::Committed { binds: Some(binds), .. } => {
                    binds.number = 2;
                    true
                }
                _ => false,
            })
        },
        "shoe 2 where shoe 1 is due",
    ),
    (
        "a shoe of another book",
        |records| {
            change(records, |fact| match fact {
                ShoeFact::Committed { binds: Some(binds), .. } => {
                    binds.book = Digest([1; 32]);
                    true
                }
                _ => false,
            })
        },
        "a shoe for another book",
    ),
    (
        "the weaker procedure instead",
        |records| {
            change(records, |fact| match fact {
                ShoeFact::Committed { binds, protocol, .. } => {
                    (*binds, *protocol) = (None, shoe::FIRST_PROTOCOL.into());
                    true
                }
                _ => false,
            })
        },
        "before the list was closed",
    ),
    (
        "a word left out",
        |records| {
            change(records, |fact| match fact {
                ShoeFact::Ordered { firsts, .. } => {
                    firsts.iter_mut().any(|word| word.take().is_some())
                }
                _ => false,
            })
        },
        "another root",
    ),
    (
        "the promises reordered",
        |records| {
            change(records, |fact| match fact {
                ShoeFact::Listed { promises, .. } => {
                    promises.reverse();
                    promises.len() > 1
                }
                _ => false,
            })
        },
        "not the one that the house signed",
    ),
    (
        "a root swapped after the cut",
        |records| {
            change(records, |fact| match fact {
                ShoeFact::Ordered { root, .. } => {
                    *root = Digest([3; 32]);
                    true
                }
                _ => false,
            })
        },
        "does not lead to the root",
    ),
    (
        "the list closed in the same breath as the commitment",
        |records| {
            let listed = position(records, |fact| matches!(fact, ShoeFact::Listed { .. }))?;
            records[listed].key = records[listed - 1].key.clone();
            Some(())
        },
        "nobody could take part",
    ),
    (
        "the secret shown while the shoe is in use",
        |records| {
            let dealt = position(records, |fact| matches!(fact, ShoeFact::Dealt { .. }))?;
            let entropy = shoe::Bytes(vec![0; shoe::ENTROPY_BYTES]);
            let mut early = records[dealt].clone();
            early.key += "x";
            put(&mut early, &Body::Shoe(ShoeFact::Revealed { entropy }));
            records.insert(dealt + 1, early);
            Some(())
        },
        "a card after the shoe was revealed",
    ),
    (
        "the cutting card somewhere else",
        |records| {
            for record in records {
                if let Ok(Body::Table(mut event)) = record.read()
                    && let table::Fact::CuttingCardPlaced(behind) = &mut event.fact
                {
                    *behind += 20;
                    put(record, &Body::Table(event));
                    return Some(());
                }
            }
            None
        },
        "the cutting card stands elsewhere",
    ),
    (
        "a cut that staff chose",
        |records| {
            for record in records {
                if let Ok(Body::Table(mut event)) = record.read()
                    && let table::Fact::Cut { by, .. } = &mut event.fact
                {
                    *by = CutBy::Staff(rules::book::Cutter::ALL[0]);
                    put(record, &Body::Table(event));
                    return Some(());
                }
            }
            None
        },
        "do not come together",
    ),
];

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
    let honest = house.store().records("table 1", 0).await.unwrap();
    assert_eq!(audit(&honest).unwrap().findings, []);
    for (name, attempt, gives_away) in ATTEMPTS {
        let mut records = honest.clone();
        attempt(&mut records).unwrap_or_else(|| panic!("{name} was not tried"));
        let found = audit(&records).unwrap().findings;
        let shows = |finding: &house::Finding| finding.what.contains(gives_away);
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
