//! What an evil house could write into its own log, and what gives it away.

use shoe::{Abandoned, Digest, ShoeFact};
use store::{Body, Record};
use table::CutBy;

/// What an evil house writes into its own log, with a chain that fits.
pub(crate) type Attempt = (&'static str, fn(&mut Vec<Record>) -> Option<()>, &'static str);

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

pub(crate) const ATTEMPTS: &[Attempt] = &[
    (
        "cards that somebody named, and no shoe at all",
        |records| {
            let before = records.len();
            records.retain(|record| !matches!(record.read(), Ok(Body::Shoe(_))));
            (records.len() < before).then_some(())
        },
        "a card of no shoe",
    ),
    (
        "a shoe given up as restored, though the log was not",
        |records| {
            let revealed = position(records, |fact| matches!(fact, ShoeFact::Revealed { .. }))?;
            let mut excuse = records[revealed].clone();
            put(&mut excuse, &Body::Shoe(ShoeFact::Abandoned(Abandoned::Restored)));
            records.insert(revealed, excuse);
            Some(())
        },
        "a reason that nothing in the log bears out",
    ),
    (
        "a shoe thrown away in its midst as restored",
        |records| {
            let dealt = position(records, |fact| matches!(fact, ShoeFact::Dealt { .. }))?;
            let entropy = shoe::Bytes(vec![0; shoe::ENTROPY_BYTES]);
            let mut excuse = records[dealt].clone();
            excuse.key += "x";
            let mut early = excuse.clone();
            put(&mut excuse, &Body::Shoe(ShoeFact::Abandoned(Abandoned::Restored)));
            put(&mut early, &Body::Shoe(ShoeFact::Revealed { entropy }));
            records.splice(dealt + 1..=dealt, [excuse, early]);
            Some(())
        },
        "the shoe was revealed while it was in use",
    ),
    (
        "a shoe given up because the key was changed, though it was not",
        |records| {
            let listed = position(records, |fact| matches!(fact, ShoeFact::Listed { .. }))?;
            put(&mut records[listed], &Body::Shoe(ShoeFact::Abandoned(Abandoned::KeyChanged)));
            Some(())
        },
        "a reason that nothing in the log bears out",
    ),
    (
        "a shoe bound to a key of somebody else's",
        |records| {
            change(records, |fact| match fact {
                ShoeFact::Committed { binds: Some(binds), .. } => {
                    binds.key = Digest([7; 32]);
                    true
                }
                _ => false,
            })
        },
        "bound to another key",
    ),
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
