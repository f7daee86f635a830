//! `sabot audit verify`: the chain, every act of every stream judged again, the money, the shoes.

use std::collections::BTreeSet;

use anyhow::Result;
use audit::{Accounts, Audit, Conclusion, TournamentAudit};
use rules::Cents;
use serde_json::{Value, json};
use store::{Store, StoreError};

use super::{files_of, kept, said};
use crate::books::pretty;
use crate::show::{Format, Style, count, lines, plain, visible};
use crate::{CANNOT_BE_JUDGED, DOES_NOT_HOLD, Report};

/// What every stream of a log came to.
#[derive(Default)]
struct Everything {
    tables: Vec<(String, Audit)>,
    events: Vec<(String, TournamentAudit)>,
    accounts: Accounts,
    /// Streams of another kind, which nobody judges.
    unjudged: Vec<String>,
    /// What cannot be read, and why.
    unread: Vec<String>,
}

impl Everything {
    async fn of(store: &Store) -> Result<Self> {
        let (mut found, mut all) = (Self::default(), Vec::new());
        let house = audit::House::read(store).await;
        let house = found.told(house)?.unwrap_or_default();
        for stream in store.streams().await? {
            if [store::HOUSE, store::CHECKPOINTS].contains(&stream.as_str()) {
                continue;
            }
            let records = store.records(&stream, 0).await;
            let Some(records) = found.told(records)? else { continue };
            found.judge(store, &house, (&stream, &records)).await?;
            all.push((stream, records));
        }
        // What cannot be read is on no side of a transfer.
        if found.unread.is_empty() {
            let each = all.iter().map(|(stream, records)| (stream.as_str(), records.as_slice()));
            let accounts = audit::audit_accounts(each);
            found.accounts = found.told(accounts)?.unwrap_or_default();
            found.accounts.compare(&store.balances().await?);
        }
        if store.streams().await?.is_empty() {
            found.tables.push((String::new(), audit::audit(&[])?));
        }
        Ok(found)
    }

    /// Judges one stream.
    async fn judge(
        &mut self,
        store: &Store,
        house: &audit::House,
        (stream, records): (&str, &[store::Record]),
    ) -> Result<()> {
        let schema = records.first().map_or("", |record| record.schema.as_str());
        if stream.starts_with(store::ACCOUNT) {
            return Ok(());
        }
        if !schema.starts_with("book/") {
            self.unjudged.push(stream.into());
            return Ok(());
        }
        let files = files_of(store, records).await?;
        if stream.starts_with(store::TOURNAMENT) {
            let judged = audit::audit_tournament_in(records, files.as_deref(), house);
            let judged = self.told(judged)?;
            self.events.extend(judged.map(|judged| (stream.to_owned(), judged)));
        } else {
            let judged = audit::audit_in(records, files.as_deref(), stream, house);
            let judged = self.told(judged)?;
            self.tables.extend(judged.map(|judged| (stream.to_owned(), judged)));
        }
        Ok(())
    }

    /// What was read; nothing if a record cannot be, which is a finding. That the file cannot be
    /// read at all is a fault.
    fn told<T>(&mut self, read: Result<T, StoreError>) -> Result<Option<T>> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(why @ StoreError::Unreadable { .. }) => {
                self.unread.push(why.to_string());
                Ok(None)
            }
            Err(StoreError::Untrusted(why)) => {
                self.unread.push(why);
                Ok(None)
            }
            Err(fault) => Err(fault.into()),
        }
    }

    /// Shoes that were given up because their secrets are lost.
    fn unproved(&self) -> usize {
        let tables = self.tables.iter().flat_map(|(_, found)| &found.shoes);
        let events = self.events.iter().flat_map(|(_, found)| &found.shoes).map(|(_, shoe)| shoe);
        let lost = |shoe: &&audit::ShoeFound| shoe.abandoned == Some(shoe::Abandoned::SecretLost);
        tables.chain(events).filter(lost).count()
    }

    /// Shoes that are over and were never revealed, by their names.
    fn unrevealed(&self) -> Vec<String> {
        self.shoes(|shoe| shoe.unrevealed)
    }

    /// Shoes that were replaced before their first coup, by their names.
    fn thrown_away(&self) -> Vec<String> {
        self.shoes(|shoe| shoe.thrown_away)
    }

    /// The names of such shoes.
    fn shoes(&self, such: impl Fn(&audit::ShoeFound) -> bool) -> Vec<String> {
        let named = |shoes: &mut dyn Iterator<Item = &audit::ShoeFound>, of: &str| {
            let those = (1..).zip(shoes).filter(|(_, shoe)| such(shoe));
            those.map(|(number, _): (u32, _)| format!("shoe {number} of {of}")).collect::<Vec<_>>()
        };
        let mut all = Vec::new();
        for (stream, found) in &self.tables {
            all.extend(named(&mut found.shoes.iter(), stream));
        }
        for (stream, found) in &self.events {
            let tables: BTreeSet<u32> = found.shoes.iter().map(|(table, _)| *table).collect();
            for table in tables {
                let own = found.shoes.iter().filter(|(at, _)| *at == table).map(|(_, shoe)| shoe);
                all.extend(named(&mut { own }, &format!("{stream} table {table}")));
            }
        }
        all
    }

    fn conclusion(&self) -> Conclusion {
        let tables = self.tables.iter().map(|(_, found)| found.conclusion());
        let events = self.events.iter().map(|(_, found)| found.conclusion());
        let mut all = tables.chain(events);
        let mut worst = Conclusion::Holds;
        if !self.accounts.findings.is_empty() || !self.unread.is_empty() {
            return Conclusion::DoesNotHold;
        }
        all.try_for_each(|one| match one {
            Conclusion::DoesNotHold => {
                worst = one;
                Err(())
            }
            Conclusion::CannotBeJudged => {
                worst = one;
                Ok(())
            }
            Conclusion::Holds => Ok(()),
        })
        .unwrap_or_default();
        worst
    }
}

/// Whether a log is one that the audit accepts as a whole.
pub(super) async fn accepts(store: &Store) -> Result<(), StoreError> {
    let found = Everything::of(store).await.map_err(|why| untrusted(why.to_string()))?;
    match found.conclusion() {
        Conclusion::Holds => Ok(()),
        Conclusion::DoesNotHold => Err(untrusted("`sabot audit verify` says where".into())),
        Conclusion::CannotBeJudged => {
            Err(untrusted("its acts cannot be judged under the books at hand".into()))
        }
    }
}

const fn untrusted(why: String) -> StoreError {
    StoreError::Untrusted(why)
}

pub(super) async fn verify(
    store: &Store,
    head: Option<&str>,
    format: Format,
    style: Style,
) -> Result<Report> {
    let checked = store.verify(kept(head)?).await?;
    let mut found = Everything::of(store).await?;
    let people = store.people().await?;
    for (account, _) in found.tables.iter_mut().flat_map(|(_, found)| &mut found.accounts) {
        *account = live::with_names(account, &people);
    }
    let kept_edition = found.tables.iter().any(|(_, found)| found.kept_edition);
    let later_edition = found.tables.iter().any(|(_, found)| found.later_edition);
    let broken: Vec<_> = checked.broken.iter().map(ToString::to_string).collect();
    let conclusion = if broken.is_empty() { found.conclusion() } else { Conclusion::DoesNotHold };
    let code = match conclusion {
        Conclusion::Holds => 0,
        Conclusion::DoesNotHold => DOES_NOT_HOLD,
        Conclusion::CannotBeJudged => CANNOT_BE_JUDGED,
    };
    if format.is_json() {
        let mut told = found.json(&broken, conclusion);
        told["covered"] = (checked.behind_given == Some(0) && checked.key.is_some()).into();
        told["behind_given"] = checked.behind_given.into();
        told["behind"] = checked.behind.into();
        told["key"] = checked.key.map(|key| key.to_string()).into();
        told["head"] = checked.head.as_ref().map(said).into();
        told["restored"] = checked.restored.into();
        told["lost_keys"] = checked.lost_keys.into();
        told["kept_edition"] = kept_edition.into();
        told["later_edition"] = later_edition.into();
        return Ok(Report { text: pretty(&told), code });
    }
    let mut text = String::new();
    let chain = if broken.is_empty() { "an unbroken chain" } else { "a BROKEN chain" };
    for (stream, found) in &found.tables {
        text += &table_text(store, (stream, found), chain, style);
    }
    for (stream, found) in &found.events {
        text += &event_text(store, (stream, found), chain, style);
    }
    if found.tables.is_empty() && found.events.is_empty() {
        let what = if found.unread.is_empty() { "no table and no event" } else { "not read" };
        text += &style.heading(&heading(store, what));
    }
    text += &found.rest();
    for fault in &broken {
        text += &format!("  BROKEN: {}\n", visible(fault));
    }
    text += &covered(&checked, head.is_some());
    text += verdict(&checked, conclusion, (kept_edition, found.unproved()));
    if conclusion == Conclusion::Holds {
        text.truncate(text.trim_end().len());
        text += &but(&found.unrevealed(), "never revealed: the next start does it");
        text += &but(
            &found.thrown_away(),
            "replaced before the first coup: who knew the order could choose another",
        );
        text.push('\n');
    }
    Ok(Report { text, code })
}

/// What is to be said of some shoes besides that all holds.
fn but(shoes: &[String], what: &str) -> String {
    let were = match shoes.len() {
        0 => return String::new(),
        1 => "was",
        _ => "were",
    };
    visible(&format!(", but {} {were} {what}", shoes.join(", ")))
}

/// What it all comes to, in a sentence.
const fn verdict(
    checked: &store::Verified,
    conclusion: Conclusion,
    (kept_edition, unproved): (bool, usize),
) -> &'static str {
    match conclusion {
        Conclusion::Holds if kept_edition => {
            "it holds under the log's own edition of the book, which is another than the one at \
             hand\n"
        }
        Conclusion::Holds if unproved > 0 => {
            "it holds as far as anything proves it: of a shoe whose secret is lost, nothing does\n"
        }
        Conclusion::Holds => match (checked.behind_given, checked.key) {
            (Some(0), Some(_)) => "everything holds\n",
            (Some(_), Some(_)) => "what the given head covers holds; the rest as it stands\n",
            (None, Some(_)) => {
                "it holds together; without a head that was kept elsewhere the house could have \
                 made it anew\n"
            }
            (_, None) => "it holds together; nobody signed it, and anybody could have made it\n",
        },
        Conclusion::DoesNotHold => "IT DOES NOT HOLD\n",
        Conclusion::CannotBeJudged => {
            "chain, money and shoes hold; the acts CANNOT BE JUDGED HERE: the table was run under \
             another edition of the book\n"
        }
    }
}

/// Which log is told of, and what in it.
fn heading(store: &Store, what: &str) -> String {
    visible(&format!("{}: {what}", store.path().display()))
}

/// What was found at a table, in words.
fn table_text(store: &Store, (stream, found): (&str, &Audit), chain: &str, style: Style) -> String {
    let mut text = style.heading(&heading(store, &format!("{stream}, {}", found.book)));
    let judged = match (found.judged, found.kept_edition, found.later_edition) {
        (true, false, false) => "each judged again under the book",
        (true, true, _) => {
            "each judged again under the edition in the log, which is not the one that comes with \
             this sabot"
        }
        (true, false, true) => {
            "each judged again under the edition that comes with this sabot, which is later than \
             the table's and rules all of it the same"
        }
        (false, ..) => "not judged again",
    };
    text += &format!("  {} in {chain}\n", count(found.records, "record"));
    text += &format!(
        "  {}, {judged}; {}; {}\n",
        count(found.acts, "act"),
        count(found.events, "event"),
        count(found.coups, "coup")
    );
    if found.refused > 0 {
        text += &format!("  {} refused, judged again too\n", count(found.refused, "act"));
    }
    text += &shoes(found.shoes.iter(), "");
    text += &accounts(found, style);
    for finding in &found.findings {
        text += &format!("  record {}: {}\n", finding.version, visible(&finding.what));
    }
    text
}

/// What was found in a tournament, in words.
fn event_text(
    store: &Store,
    (stream, found): (&str, &TournamentAudit),
    chain: &str,
    style: Style,
) -> String {
    let mut text = style.heading(&heading(store, &format!("{stream}, {}", found.book)));
    let judged = if found.judged { "each judged again under the book" } else { "not judged again" };
    text += &format!("  {} in {chain}\n", count(found.records, "record"));
    text +=
        &format!("  {}, {judged}; {}\n", count(found.acts, "act"), count(found.events, "event"));
    if found.refused > 0 {
        text += &format!("  {} refused, judged again too\n", count(found.refused, "act"));
    }
    let tables: BTreeSet<u32> = found.shoes.iter().map(|(table, _)| *table).collect();
    for table in tables {
        let own = found.shoes.iter().filter(|(at, _)| *at == table).map(|(_, shoe)| shoe);
        text += &shoes(own, &format!("table {table}, "));
    }
    for finding in &found.findings {
        text += &format!("  record {}: {}\n", finding.version, visible(&finding.what));
    }
    text
}

impl Everything {
    /// Accounts, and what was not judged.
    fn rest(&self) -> String {
        let mut text = String::new();
        if !self.accounts.balances.is_empty() {
            let accounts = count(self.accounts.balances.len(), "account");
            let transfers = count(self.accounts.transfers, "transfer");
            text += &format!("  {accounts}; {transfers}, each found on both sides\n");
        }
        for finding in &self.accounts.findings {
            text += &format!("  {}\n", visible(&finding.what));
        }
        for what in &self.unread {
            text += &format!("  CANNOT BE READ: {}\n", visible(what));
        }
        for stream in &self.unjudged {
            text += &format!("  not judged: {}\n", visible(stream));
        }
        text
    }

    fn json(&self, broken: &[String], conclusion: Conclusion) -> Value {
        let mut told =
            self.tables.first().map_or_else(|| json!({}), |(_, found)| table_json(found));
        told["holds"] = (conclusion == Conclusion::Holds).into();
        told["verdict"] = match conclusion {
            Conclusion::Holds => "holds",
            Conclusion::CannotBeJudged => "cannot-be-judged",
            Conclusion::DoesNotHold => "does-not-hold",
        }
        .into();
        told["broken"] = broken.into();
        let tables = self.tables.iter().map(|(stream, found)| {
            let mut one = table_json(found);
            one["stream"] = stream.as_str().into();
            one
        });
        told["tables"] = tables.collect::<Vec<_>>().into();
        let finding =
            |finding: &audit::Finding| json!({ "record": finding.version, "what": finding.what });
        let events = self.events.iter().map(|(stream, found)| {
            json!({
                "stream": stream, "book": found.book, "judged": found.judged,
                "records": found.records, "acts": found.acts, "events": found.events,
                "refused": found.refused,
                "findings": found.findings.iter().map(finding).collect::<Vec<_>>(),
                "shoes": found.shoes.iter().map(|(table, shoe)| {
                    let mut told = shoe_json(shoe);
                    told["table"] = (*table).into();
                    told
                }).collect::<Vec<_>>(),
            })
        });
        told["tournaments"] = events.collect::<Vec<_>>().into();
        let unlike = self.accounts.findings.iter().map(finding);
        told["account_findings"] = unlike.collect::<Vec<_>>().into();
        told["unjudged"] = self.unjudged.clone().into();
        told["unread"] = self.unread.clone().into();
        told["unrevealed"] = self.unrevealed().into();
        told["thrown_away"] = self.thrown_away().into();
        told
    }
}

/// What the heads of a log cover, and who signed them.
fn covered(checked: &store::Verified, kept: bool) -> String {
    let mut text = String::new();
    match (&checked.head, checked.key) {
        (Some(head), Some(key)) => {
            text += &format!("  head {}\n  signed with the key {key}\n", said(head));
        }
        (Some(head), None) => {
            text +=
                &format!("  head {}, which nobody signed: a log of the first form\n", said(head));
        }
        (None, _) => text += "  no head: nobody can tell whether anything is missing\n",
    }
    if checked.behind > 0 {
        let behind = count(checked.behind, "record");
        let place = if checked.head.is_some() { "behind the last head" } else { "under no head" };
        text += &format!("  {behind} {place}: nobody else could tell if they changed\n");
    }
    if let Some(behind) = checked.behind_given.filter(|behind| *behind > 0) {
        let behind = count(behind, "record");
        text += &format!("  {behind} behind the head that was given\n");
    }
    if checked.restored > 0 {
        let times = count(checked.restored, "time");
        text += &format!("  RESTORED from an older copy {times}: what came behind it is lost\n");
    }
    if checked.lost_keys > 0 {
        let times = count(checked.lost_keys, "time");
        text += &format!("  the key was lost and replaced {times}\n");
    }
    if !kept {
        text += "  without --head nobody can tell whether the end was cut off\n";
    }
    text
}

/// The shoes of a session, line by line.
fn shoes<'a>(found: impl Iterator<Item = &'a audit::ShoeFound>, at: &str) -> String {
    let mut text = String::new();
    for (number, shoe) in (1..).zip(found) {
        text += &match &shoe.verified {
            Ok(verified) => {
                let (dealt, opened) = (verified.dealt, verified.opened);
                let whole = if verified.whole {
                    "its secret is out and makes this order"
                } else {
                    "its secret is not out yet"
                };
                let dealt = count(dealt, "card");
                let are = if opened == 1 { "is" } else { "are" };
                let part = part_taken(shoe, verified);
                format!(
                    "  {at}shoe {number}: {dealt} left it, {opened} {are} proved; {whole}{part}\n"
                )
            }
            Err(faults) => {
                let faults = count(faults.len(), "fault");
                format!("  {at}shoe {number}: DOES NOT HOLD, {faults}\n")
            }
        };
    }
    text
}

/// Who took part in a shoe, and what became of it.
fn part_taken(shoe: &audit::ShoeFound, verified: &shoe::Verified) -> String {
    let mut text = match verified.witnesses {
        None => "; made by the first procedure, which is weaker".to_owned(),
        Some(0) => "; unwitnessed".to_owned(),
        Some(witnesses) => format!("; {} took part", count(witnesses, "person")),
    };
    if verified.silent > 0 {
        text += &format!(", {} did not open their words", verified.silent);
    }
    if let Some(why) = shoe.abandoned {
        text += match why {
            shoe::Abandoned::Left => "; abandoned: everybody had left",
            shoe::Abandoned::Restored => "; ABANDONED: the log was restored from an older copy",
            shoe::Abandoned::KeyChanged => "; abandoned: the house's key was changed",
            shoe::Abandoned::SecretLost => "; ABANDONED: its secret is lost, and nothing proves it",
        };
    }
    if shoe.unrevealed {
        text += "; it is over and not revealed: the next start does it";
    }
    if shoe.thrown_away {
        text += "; REPLACED before its first coup";
    }
    text
}

fn accounts(found: &Audit, style: Style) -> String {
    let mut table = style.table();
    for (account, cents) in &found.accounts {
        let amount = Cents::new(cents.unsigned_abs()).unwrap_or(Cents::MAX);
        let sign = if *cents < 0 { "−" } else { "" };
        table.add_row([plain(visible(account)), plain(format!("{sign}{amount}"))]);
    }
    let sum: i64 = found.accounts.iter().map(|(_, cents)| cents).sum();
    table.add_row([plain("the sum"), plain(sum)]);
    lines(&mut table, &[])
}

fn shoe_json(shoe: &audit::ShoeFound) -> Value {
    match &shoe.verified {
        Ok(verified) => json!({
            "holds": true,
            "dealt": verified.dealt,
            "proved": verified.opened,
            "revealed": verified.whole,
            "witnesses": verified.witnesses,
            "silent": verified.silent,
            "abandoned": shoe.abandoned,
            "unrevealed": shoe.unrevealed,
            "thrown_away": shoe.thrown_away,
        }),
        Err(faults) => {
            let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
            json!({ "holds": false, "faults": faults })
        }
    }
}

fn table_json(found: &Audit) -> Value {
    let finding =
        |finding: &audit::Finding| json!({ "record": finding.version, "what": finding.what });
    let account = |(name, cents): &(String, i64)| json!({ "account": name, "cents": cents });
    json!({
        "book": found.book,
        "judged": found.judged,
        "records": found.records,
        "acts": found.acts,
        "events": found.events,
        "coups": found.coups,
        "shoes": found.shoes.iter().map(shoe_json).collect::<Vec<_>>(),
        "accounts": found.accounts.iter().map(account).collect::<Vec<_>>(),
        "findings": found.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}
