//! A log of the first form is judged before it is taken over: nobody signed it, so nothing but its
//! acts speaks for it.

use store::{Body, FirstForm, Record, StoreError};

use crate::house::House;
use crate::table::{Conclusion, Finding, audit_in};
use crate::tournament::audit_tournament_in;

/// Judges every table and tournament of a log of the first form again.
///
/// # Errors
///
/// When one does not hold, or was run under an edition of its book that is not at hand and the one
/// that is rules otherwise.
pub fn judge_first_form(form: &FirstForm) -> Result<(), StoreError> {
    form.streams.iter().try_for_each(|(stream, records)| judge(stream, records))
}

fn judge(stream: &str, records: &[Record]) -> Result<(), StoreError> {
    let Some(first) = records.first() else { return Ok(()) };
    let Body::Book(book) = first.read()? else {
        // Answers in a drill, and lines of nothing, are not judged.
        let said = |record: &Record| ["answer/1", "line/1"].contains(&record.schema.as_str());
        return match records.iter().find(|record| !said(record)) {
            Some(record) => Err(fault(stream, record.version, "it has no book to be judged by")),
            None => Ok(()),
        };
    };
    // A table goes on under another edition only after it was taken over.
    let second = records.iter().skip(1).find(|record| record.schema.starts_with("book/"));
    if let Some(second) = second {
        return Err(fault(stream, second.version, "a second book"));
    }
    let house = House::default();
    let (conclusion, findings) = if stream.starts_with(store::TOURNAMENT) {
        let found = audit_tournament_in(records, None, &house)?;
        (found.conclusion(), found.findings)
    } else {
        let found = audit_in(records, None, stream, &house)?;
        (found.conclusion(), found.findings)
    };
    if let Some(Finding { version, what }) = findings.first() {
        return Err(fault(stream, *version, what));
    }
    match conclusion {
        Conclusion::Holds => Ok(()),
        Conclusion::CannotBeJudged | Conclusion::DoesNotHold => {
            Err(StoreError::NoEdition { book: book.name, sha256: book.sha256 })
        }
    }
}

fn fault(stream: &str, version: u64, what: &str) -> StoreError {
    StoreError::Untrusted(format!("{stream}, record {version}: {what}"))
}
