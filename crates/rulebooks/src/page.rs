//! A TOML file with the places of all that is in it.

use std::ops::Range;
use std::sync::Arc;

use rules::policy::Datum;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::{FaultKind, Faults, Place};

/// The text of a file, and its name for messages.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) file: Arc<str>,
    pub(crate) text: String,
    /// Where each line begins; everything in the file has its place looked up here.
    lines: Vec<usize>,
}

impl Page {
    pub(crate) fn new(file: Arc<str>, text: String) -> Self {
        let after = text.match_indices('\n').map(|(newline, _)| newline + 1);
        let lines = std::iter::once(0).chain(after).collect();
        Self { file, text, lines }
    }

    /// The place of a byte of the text.
    pub(crate) fn place(&self, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = self.lines[line - 1];
        let column = self.text[start..offset].chars().count() + 1;
        Place { file: self.file.clone(), line, column }
    }

    /// Where a thing of the file begins.
    pub(crate) fn at<T>(&self, thing: &Spanned<T>) -> Place {
        self.place(thing.span().start)
    }

    /// The file's table; what cannot be read is noted, and the rest is read all the same.
    pub(crate) fn parse(&self, faults: &mut Faults) -> DeTable<'_> {
        let (table, errors) = DeTable::parse_recoverable(&self.text);
        for error in errors {
            let Range { start, .. } = error.span().unwrap_or(0..0);
            let wrong = format!("not TOML: {}", error.message());
            faults.note(&self.place(start), FaultKind::Syntax, wrong, "see https://toml.io");
        }
        table.into_inner()
    }

    /// A text, or a fault.
    pub(crate) fn text<'v>(
        &self,
        value: &'v Spanned<DeValue<'_>>,
        what: &str,
        faults: &mut Faults,
    ) -> Option<&'v str> {
        let text = value.get_ref().as_str().filter(|text| !text.trim().is_empty());
        if text.is_none() {
            let wrong = format!("`{what}` is {}", name(value.get_ref()));
            faults.note(&self.at(value), FaultKind::Impossible, wrong, "a text is wanted here");
        }
        text
    }

    /// A list of texts, or a fault.
    pub(crate) fn texts(
        &self,
        value: &Spanned<DeValue<'_>>,
        what: &str,
        faults: &mut Faults,
    ) -> Vec<(String, Place)> {
        let Some(items) = value.get_ref().as_array() else {
            let wrong = format!("`{what}` is {}", name(value.get_ref()));
            let right = "a list of texts is wanted here, such as [\"2.1\"]";
            faults.note(&self.at(value), FaultKind::Impossible, wrong, right);
            return Vec::new();
        };
        items
            .iter()
            .filter_map(|item| Some((self.text(item, what, faults)?.to_owned(), self.at(item))))
            .collect()
    }
}

/// A value of the file as a decision reads it.
pub(crate) fn datum(value: &DeValue<'_>) -> Datum {
    match value {
        DeValue::String(text) => Datum::Text(text.to_string()),
        DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix())
            .map_or(Datum::Other("a number too large"), Datum::Number),
        DeValue::Array(items) => {
            Datum::List(items.iter().map(|item| datum(item.get_ref())).collect())
        }
        other => Datum::Other(name(other)),
    }
}

/// What kind of thing a value is.
pub(crate) fn name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(text) if text.trim().is_empty() => "an empty text",
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with decimals",
        DeValue::Boolean(true) => "`true`",
        DeValue::Boolean(false) => "`false`",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
