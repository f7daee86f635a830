//! What people type, line by line. Bytes that are no text are one line, and not the end.

use std::io::{BufRead, Write};

/// What came from there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Line(String),
    /// Bytes that are no text.
    NotText,
    /// The input has ended.
    End,
}

/// What is said to bytes that are no text.
pub(crate) const NOT_TEXT: &str = "a line that is no text in UTF-8; type it again";

/// A line, without its end.
pub(crate) fn line_of(input: &mut impl BufRead) -> std::io::Result<Typed> {
    let mut line = Vec::new();
    if input.read_until(b'\n', &mut line)? == 0 {
        return Ok(Typed::End);
    }
    Ok(String::from_utf8(line)
        .map_or(Typed::NotText, |line| Typed::Line(line.trim_end_matches(['\n', '\r']).to_owned())))
}

/// The next line that is text, asked for again as long as it is none; nothing at the end.
pub(crate) fn text_of(
    input: &mut impl BufRead,
    out: &mut (impl Write + ?Sized),
) -> std::io::Result<Option<String>> {
    loop {
        match line_of(input)? {
            Typed::Line(line) => return Ok(Some(line)),
            Typed::NotText => write!(out, "{NOT_TEXT} > ")?,
            Typed::End => return Ok(None),
        }
        out.flush()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_asked_for_again() {
        let (mut input, mut out) = (&b"cut\r\nbet \xff\n\ndeal"[..], Vec::new());
        let mut next = || text_of(&mut input, &mut out).expect("memory is read");
        for line in [Some("cut"), Some(""), Some("deal"), None] {
            assert_eq!(next().as_deref(), line);
        }
        assert_eq!(String::from_utf8_lossy(&out), format!("{NOT_TEXT} > "));
    }
}
