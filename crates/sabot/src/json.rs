//! What other programs read: numbers as numbers, and faults as records.

use dashu_ratio::RBig;
use odds::decimal;
use serde_json::{Value, json};

use crate::books::pretty;

/// JSON that steers no terminal: what JSON may leave as it is, such as U+009B, is escaped. Such
/// characters stand in its strings only.
pub(crate) fn harmless(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && crate::show::steers(c) {
            text += &format!("\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

/// A text as a record, for commands that print a document.
pub(crate) fn document(kind: &str, text: &str) -> String {
    pretty(&json!({ "kind": kind, "text": text }))
}

/// A file that was written, as a record.
pub(crate) fn wrote(path: &std::path::Path) -> String {
    pretty(&json!({ "wrote": path.display().to_string() }))
}

/// A fraction as a number, rounded behind so many digits.
pub(crate) fn number(value: &RBig, digits: usize) -> Value {
    decimal(value, digits).parse::<f64>().map_or(Value::Null, Value::from)
}

/// Whole tenths as a number.
pub(crate) fn tenths(tenths: u64) -> Value {
    number(&RBig::from_parts(tenths.into(), 10_u8.into()), 1)
}

/// Why a command did not do what it was asked to do.
pub(crate) fn fault(message: &str, exit: u8) -> String {
    pretty(&json!({ "error": message, "exit": exit }))
}
