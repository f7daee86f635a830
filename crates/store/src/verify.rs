//! The check of a whole log, from what is in it alone: every chain, every head, every signature.

use std::collections::{HashMap, HashSet};

use shoe::{Digest, is_signed};
use sqlx::Row;
use sqlx::sqlite::SqliteConnection;

use crate::body::{Body, Head, Heads};
use crate::chain::{Broken, START, hash};
use crate::commands::{of_the_first_form, repeated, unsound, without_the_house};
use crate::fault::StoreError;
use crate::insert::{digest, name_of};
use crate::record::Record;
use crate::rows::{page, streams};
use crate::trust::{is_signed_checkpoint, key_message};
use crate::writer::Known;
use crate::{CHECKPOINTS, HOUSE};

/// What the check of a log found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Everything that does not hold.
    pub broken: Vec<Broken>,
    /// How many records there are, checkpoints not counted.
    pub records: u64,
    /// How many of them no head covers: they could be missing or others, and nobody could tell.
    pub behind: u64,
    /// How many of them the given head does not cover; nothing where none was given. Only of what
    /// that head covers can nobody have made the log anew.
    pub behind_given: Option<u64>,
    /// The last checkpoint.
    pub head: Option<Head>,
    /// Who signed it; nothing for a log of the first form, which nobody signed.
    pub key: Option<Digest>,
    /// How often the house's key was replaced because it was lost.
    pub lost_keys: u64,
    /// How often the log was found to be restored from an older copy.
    pub restored: u64,
}

struct Check<'a> {
    connection: &'a mut SqliteConnection,
    found: Verified,
    /// What checkpoints know: by stream, versions and hashes.
    heads: HashMap<String, Vec<(u64, Digest)>>,
    /// The keys of the house, each from a version of its stream on.
    keys: Vec<(u64, Digest)>,
    /// How far the last checkpoint knows each stream.
    covered: HashMap<String, u64>,
    /// The checkpoint that was given, and how far it knows each stream.
    given: Option<u64>,
    given_covers: HashMap<String, u64>,
    /// Streams that any checkpoint knows.
    known: HashSet<String>,
    /// How many commands the last checkpoint counted.
    counted: u64,
    /// How often the log had been restored, from a version of the house's stream on.
    epochs: Vec<(u64, u64)>,
    /// The epoch of the last checkpoint.
    epoch: u64,
    /// How far the streams had come when the house first signed.
    former: Option<Known>,
}

impl Check<'_> {
    fn broken(&mut self, fault: Broken) {
        if !self.found.broken.contains(&fault) {
            self.found.broken.push(fault);
        }
    }

    /// Goes through the chain of a stream; `look` sees every record with the hash before it.
    async fn chain(
        &mut self,
        stream: &str,
        mut look: impl FnMut(&mut Self, &Digest, &Record),
    ) -> Result<u64, StoreError> {
        let (mut previous, mut last) = (START, 0);
        // Versions below one are before the first page; they were never written.
        let mut heads = self.heads.remove(stream).unwrap_or_default();
        heads.sort_unstable();
        heads.dedup();
        let mut heads = heads.into_iter().peekable();
        // There is no record 0 that a head could know.
        while heads.next_if(|(version, _)| *version == 0).is_some() {
            self.broken(Broken::Replaced { stream: stream.into(), version: 0 });
        }
        let mut whole = true;
        'pages: loop {
            let records = page(self.connection, stream, last).await?;
            if records.is_empty() {
                break;
            }
            for record in records {
                let record = match record {
                    Ok(record) => record,
                    Err(fault) => {
                        self.broken(fault);
                        whole = false;
                        break 'pages;
                    }
                };
                let wanted = last + 1;
                if record.version != wanted {
                    let (stream, found) = (stream.into(), record.version);
                    self.broken(Broken::Gap { stream, wanted, found });
                    whole = false;
                    break 'pages;
                }
                if record.stream != stream || hash(&previous, &record) != record.hash {
                    self.broken(Broken::Altered { stream: stream.into(), version: wanted });
                    whole = false;
                    break 'pages;
                }
                look(self, &previous, &record);
                (previous, last) = (record.hash, wanted);
                while let Some((version, known)) = heads.next_if(|(version, _)| *version <= last) {
                    if version == last && known != record.hash {
                        self.broken(Broken::Replaced { stream: stream.into(), version });
                    }
                }
            }
        }
        for (wanted, _) in heads {
            if whole {
                let stream = stream.to_owned();
                self.broken(Broken::Shortened { stream, wanted, found: last });
            }
        }
        Ok(last)
    }

    fn unreadable(&mut self, record: &Record, why: String) {
        let (stream, version) = (record.stream.clone(), record.version);
        self.broken(Broken::Unreadable { stream, version, why });
    }

    /// The house's own records: keys, each vouched for by the one before it.
    fn look_at_house(&mut self, record: &Record) {
        match record.read() {
            Ok(Body::Key(key)) => {
                let before = self.keys.last().map(|(_, key)| *key);
                match (before, &key.former) {
                    (None, _) => {}
                    (Some(_), None) => self.found.lost_keys += 1,
                    (Some(before), Some(former)) => {
                        let [tag, old, new] = key_message(&former.public, &key.public);
                        let signed = former.public == before
                            && is_signed(&before, &[&tag, &old, &new], &former.signature);
                        if !signed {
                            self.broken(Broken::Key(record.version));
                        }
                    }
                }
                self.keys.push((record.version, key.public));
            }
            Ok(Body::Restored(restored)) => {
                self.found.restored += 1;
                self.epochs.push((record.version, restored.epoch));
            }
            Ok(_) => self.unreadable(record, "the house has no such records".into()),
            Err(fault) => self.unreadable(record, fault.to_string()),
        }
    }

    /// A checkpoint: signed, once the house has a key, by the key that it had then.
    fn look_at_checkpoint(&mut self, previous: &Digest, record: &Record) {
        let heads = match record.read() {
            Ok(Body::Checkpoint(heads)) => heads,
            Ok(_) => return self.unreadable(record, "it is no checkpoint".into()),
            Err(fault) => return self.unreadable(record, fault.to_string()),
        };
        let house = heads.heads.iter().find(|head| head.stream == HOUSE);
        let version = house.map_or(0, |head| head.version);
        let due = self.keys.iter().rev().find(|(from, _)| *from <= version).map(|(_, key)| *key);
        let signed = is_signed_checkpoint(previous, record, &heads);
        if due.is_some() && !(signed && heads.key == due) || heads.signature.is_some() && !signed {
            self.broken(Broken::Signature(record.version));
        }
        if due.is_none() && self.found.key.is_some() {
            self.broken(Broken::Signature(record.version));
        }
        self.found.key = due.or(self.found.key);
        if due.is_some() && self.former.is_none() {
            self.former = Some(without_the_house(heads.heads.clone()));
        }
        self.compare(&heads, (record.version, version));
        self.note(heads, record);
    }

    /// A checkpoint knows no less than the one before it: otherwise a key that was changed away
    /// could sign as if it had not been.
    fn compare(&mut self, heads: &Heads, (version, house): (u64, u64)) {
        let named: HashMap<&str, u64> =
            heads.heads.iter().map(|head| (head.stream.as_str(), head.version)).collect();
        let mut back: Vec<_> = self
            .covered
            .iter()
            .filter(|(stream, before)| named.get(stream.as_str()).is_none_or(|now| now < before))
            .map(|(stream, before)| format!("{stream} had come to {before} before"))
            .collect();
        back.sort_unstable();
        let (commands, epoch) = (heads.commands.unwrap_or(0), heads.epoch.unwrap_or(0));
        if commands < self.counted {
            back.push(format!("there had been {} commands before", self.counted));
        }
        let due = self.epochs.iter().rev().find(|(from, _)| *from <= house);
        let due = due.map_or(0, |(_, epoch)| *epoch);
        if epoch < self.epoch || epoch != due {
            back.push(format!("its epoch is {epoch}, and {} is due", due.max(self.epoch)));
        }
        self.epoch = epoch;
        for what in back {
            self.broken(Broken::WentBack { version, what });
        }
    }

    fn note(&mut self, heads: Heads, record: &Record) {
        self.covered.clear();
        self.counted = heads.commands.unwrap_or(0);
        for Head { stream, version, hash } in heads.heads {
            self.covered.insert(stream.clone(), version);
            self.known.insert(stream.clone());
            let known = self.heads.entry(stream).or_default();
            if known.last() != Some(&(version, hash)) {
                known.push((version, hash));
            }
        }
        if self.given == Some(record.version) {
            self.given_covers.clone_from(&self.covered);
        }
        let (stream, version, hash) = (CHECKPOINTS.into(), record.version, record.hash);
        self.found.head = Some(Head { stream, version, hash });
    }

    /// Commands that have numbers have all of them: one that is missing could be carried out again.
    async fn commands(&mut self) -> Result<(), StoreError> {
        let numbered = "select count(*) from pragma_table_info('command') where name = 'number'";
        let numbered: i64 = sqlx::query_scalar(numbered).fetch_one(&mut *self.connection).await?;
        let former = self.former.clone();
        for fault in of_the_first_form(self.connection, numbered > 0, former.as_ref()).await? {
            self.broken(fault);
        }
        if numbered == 0 {
            return Ok(());
        }
        for fault in repeated(self.connection).await? {
            self.broken(fault);
        }
        let query = "select count(*), coalesce(max(number), 0), coalesce(min(number), 1) \
             from command where number > 0";
        let (count, last, first): (i64, i64, i64) =
            sqlx::query_as(query).fetch_one(&mut *self.connection).await?;
        let due = last.max(self.counted.cast_signed());
        if count != due || first != 1 {
            let what = format!("of {due} commands {count} are there");
            self.broken(Broken::Schema(what));
        }
        self.parts().await
    }

    /// What a command says that it added is what the log has, in its name.
    async fn parts(&mut self) -> Result<(), StoreError> {
        let query = "select c.number, c.name, c.actor, c.key, p.value ->> 'stream', \
             p.value ->> 'hash', l.hash, l.actor = c.actor and l.key = c.key, \
             p.value ->> 'stream' is not c.stream or p.value ->> 'version' is c.last, \
             c.first between 1 and c.last and exists (select 1 from log f where \
             f.stream = c.stream and f.version = c.first and f.actor = c.actor and f.key = c.key), \
             c.stream from command c left join \
             json_each(case when json_valid(c.parts) then c.parts else '[]' end) p on true \
             left join log l on l.stream = p.value ->> 'stream' \
             and l.version = p.value ->> 'version' \
             where c.number > ? and c.number <= ? order by c.number";
        let last: Option<i64> = sqlx::query_scalar("select max(number) from command")
            .fetch_one(&mut *self.connection)
            .await?;
        let last = last.unwrap_or(0);
        let (mut after, mut faults) = (0, Vec::new());
        while after < last {
            let upto = after + 4096;
            let rows = sqlx::query(query).bind(after).bind(upto);
            for row in rows.fetch_all(&mut *self.connection).await? {
                let number = row.try_get::<i64, _>(0)?.cast_unsigned();
                let (actor, key): (Vec<u8>, Vec<u8>) =
                    (row.try_get_unchecked(2)?, row.try_get_unchecked(3)?);
                let (actor, key) = (String::from_utf8_lossy(&actor), String::from_utf8_lossy(&key));
                let text = |at: usize| {
                    let bytes = row.try_get_unchecked::<Option<Vec<u8>>, _>(at)?;
                    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
                    Ok::<_, StoreError>(bytes.map(text))
                };
                let (stream, hash) = (text(4)?, text(5)?);
                let found: Option<Vec<u8>> = row.try_get(6)?;
                let found = found.map(|found| digest(&found).to_string());
                let holds = |at: usize| row.try_get::<Option<i64>, _>(at).map(|is| is == Some(1));
                let of = stream.clone().or(text(10)?).unwrap_or_default();
                self.known.extend(stream);
                let why = if row.try_get::<i64, _>(1)? != name_of(&actor, &key) {
                    "it is found under another name than its own"
                } else if hash.is_none() || found != hash || !holds(7)? {
                    "the log has another record where it says that it ended"
                } else if !holds(8)? || !holds(9)? {
                    "the log has other records than it says"
                } else {
                    continue;
                };
                // What a broken stream has of its commands follows from its fault.
                if !self.found.broken.iter().any(|broken| broken.stream() == Some(&of)) {
                    faults.push(Broken::Command { number, stream: of, why: why.into() });
                }
            }
            after = upto;
        }
        for fault in faults {
            self.broken(fault);
        }
        Ok(())
    }

    /// Streams that neither a head nor a command of the house knows. A log of the first form has
    /// neither numbered commands nor a key.
    fn foreign(&mut self, names: &[String], others: Vec<String>) {
        let signed = !self.keys.is_empty();
        let own = |name: &String| name == HOUSE || name == CHECKPOINTS || self.known.contains(name);
        let foreign = names.iter().filter(|name| signed && !own(name)).cloned();
        let foreign: Vec<_> = foreign.chain(others).collect();
        for stream in foreign {
            if !self.found.broken.iter().any(|broken| broken.stream() == Some(&stream)) {
                self.broken(Broken::Unknown { stream });
            }
        }
    }

    async fn books(&mut self, names: &[String]) -> Result<(), StoreError> {
        let mut known = Vec::new();
        let books = "select sha256, cast(canonical as blob) from book";
        for row in sqlx::query(books).fetch_all(&mut *self.connection).await? {
            let sha256 = digest(row.try_get(0)?);
            if Digest::of(&[row.try_get::<&[u8], _>(1)?]) == sha256 {
                known.push(sha256);
            } else {
                self.broken(Broken::Book(sha256));
            }
        }
        for stream in names {
            let first = page(self.connection, stream, 0).await?.into_iter().next();
            let Some(Ok(record)) = first else { continue };
            if let Ok(Body::Book(book)) = record.read()
                && !known.contains(&book.sha256)
            {
                self.broken(Broken::NoBook { stream: stream.clone(), sha256: book.sha256 });
            }
        }
        Ok(())
    }
}

/// Checks a whole log; `kept` is a head that somebody kept elsewhere.
pub(crate) async fn verify(
    connection: &mut SqliteConnection,
    kept: Option<(u64, Digest)>,
) -> Result<Verified, StoreError> {
    let (names, not_texts) = streams(connection).await?;
    let mut check = Check {
        connection,
        found: Verified::default(),
        heads: HashMap::new(),
        keys: Vec::new(),
        covered: HashMap::new(),
        given: kept.map(|(version, _)| version),
        given_covers: HashMap::new(),
        known: HashSet::new(),
        counted: 0,
        epochs: Vec::new(),
        epoch: 0,
        former: None,
    };
    if let Some(fault) = unsound(check.connection).await? {
        check.broken(fault);
    }
    check.found.behind_given = kept.map(|_| 0);
    // The keys are needed for the checkpoints, and these for all other streams.
    let house = check.chain(HOUSE, |check, _, record| check.look_at_house(record)).await?;
    let kept = kept.into_iter().collect::<Vec<_>>();
    check.heads.insert(CHECKPOINTS.into(), kept);
    let look = |check: &mut Check<'_>, previous: &Digest, record: &Record| {
        check.look_at_checkpoint(previous, record);
    };
    check.chain(CHECKPOINTS, look).await?;
    // Once more, now that the checkpoints are known.
    if house > 0 || check.heads.contains_key(HOUSE) {
        check.chain(HOUSE, |_, _, _| {}).await?;
    }
    check.count(HOUSE, house);
    let others: Vec<_> =
        names.iter().filter(|name| *name != HOUSE && *name != CHECKPOINTS).cloned().collect();
    for stream in &others {
        let last = check.chain(stream, |_, _, _| {}).await?;
        check.count(stream, last);
    }
    // Streams that a checkpoint knows and that are gone.
    let gone: Vec<_> = check.heads.keys().cloned().collect();
    for stream in gone {
        check.chain(&stream, |_, _, _| {}).await?;
    }
    check.books(&others).await?;
    check.commands().await?;
    check.foreign(&names, not_texts);
    Ok(check.found)
}

impl Check<'_> {
    fn count(&mut self, stream: &str, last: u64) {
        self.found.records += last;
        let behind = |covers: &HashMap<String, u64>| {
            last.saturating_sub(covers.get(stream).copied().unwrap_or(0))
        };
        self.found.behind += behind(&self.covered);
        let behind = behind(&self.given_covers);
        self.found.behind_given = self.found.behind_given.map(|given| given + behind);
    }
}
