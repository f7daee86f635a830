//! Names of people: which words are names, and how a line writes them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use table::Name;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::reference::literal_words;

/// The most characters that a name may have.
const LONGEST: usize = 31;

/// The words for roles. Nobody may have one as a name: a ruling could not tell them apart.
pub(crate) const ROLES: [&str; 8] = [
    "operator",
    "dealer",
    "supervisor",
    "inspector",
    "management",
    "players",
    "director",
    "regulator",
];

/// Words that cannot be a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// The name has no letters, only spaces.
    #[error("a name has at least one letter")]
    Empty,
    /// The name is too long.
    #[error("a name has at most {LONGEST} characters, or 96 bytes, and this one has {0}")]
    TooLong(usize),
    /// The name begins with something other than a letter.
    #[error("a name begins with a letter")]
    Beginning,
    /// The name has a character that names do not have.
    #[error("`{}` stands in no name; letters, digits, ' and - do", .0.escape_debug())]
    Character(char),
    /// The word is a role.
    #[error("`{0}` says who acts, and is nobody's name")]
    Role(String),
}

/// Reads a name as people write it, without quotes: `O'Brien`, `Mary Ann`, `Nguyễn`.
///
/// Every name has one spelling: letters are combined with their accents (Unicode's form NFC), a
/// curled apostrophe becomes a straight one, and one space stands between words.
///
/// # Errors
///
/// When it cannot be a name.
pub fn name(text: &str) -> Result<Name, BadName> {
    let straight = |c: char| if c == '’' { '\'' } else { c };
    let composed: String = text.nfc().map(straight).collect();
    let whole = composed.split_whitespace().collect::<Vec<_>>().join(" ");
    if whole.is_empty() {
        return Err(BadName::Empty);
    }
    if let Some(other) = whole.chars().find(|c| !may_stand_in(*c)) {
        return Err(BadName::Character(other));
    }
    // As in ’t Hooft.
    let bare = whole.strip_prefix('\'').unwrap_or(&whole);
    if !bare.starts_with(char::is_alphabetic) {
        return Err(BadName::Beginning);
    }
    if ROLES.contains(&whole.to_lowercase().as_str()) {
        return Err(BadName::Role(whole));
    }
    let length = whole.chars().count();
    let fits = Name::from(&whole).ok().filter(|_| length <= LONGEST);
    fits.ok_or(BadName::TooLong(length))
}

/// A name as somebody reads it who does not look twice: small letters without accents, and letters
/// in the place of digits that look like them.
#[must_use]
pub fn at_a_glance(name: &str) -> String {
    let small = name.chars().flat_map(char::to_lowercase).nfkd();
    let plain = |c: char| match c {
        '0' | 'ø' | 'ɵ' => 'o',
        '1' | 'ı' => 'l',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' | 'ŧ' => 't',
        'ƀ' => 'b',
        'ħ' => 'h',
        other => other,
    };
    small.filter(|c| !is_combining_mark(*c)).map(plain).collect()
}

fn may_stand_in(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '\'' | '-' | '_' | '.' | ' ')
}

/// A name as a line of a transcript says it: in quotes if it has several words, or is a word of the
/// language itself.
#[must_use]
pub fn say_name(name: &str) -> Cow<'_, str> {
    static WORDS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(literal_words);
    let is_bare = !needs_quotes(name) && !WORDS.contains(name.to_lowercase().as_str());
    if is_bare { Cow::Borrowed(name) } else { Cow::Owned(format!("\"{name}\"")) }
}

/// Whether a name is more than one word of letters, digits, `'` and `-`.
pub(crate) fn needs_quotes(name: &str) -> bool {
    name.contains([' ', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_have_these_names() {
        for text in [
            "Ann",
            "O'Brien",
            "Nguyễn",
            "Anne-Marie",
            "Mary Ann",
            "José",
            "'t Hooft",
            "Dr. No",
            "Ева",
            "李小龙",
            "สมชาย",
            "अनिल",
            "P1",
            "Ann_2",
            "Dealer-Ann",
            "Željko",
            "No",
        ] {
            assert_eq!(name(text).map(|name| name.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn one_name_has_one_spelling() {
        for (text, wanted) in [
            ("Nguye\u{302}\u{303}n", "Nguyễn"),
            ("O’Brien", "O'Brien"),
            ("  Mary \u{a0} Ann ", "Mary Ann"),
            ("e\u{301}va", "éva"),
        ] {
            assert_eq!(name(text).map(|name| name.to_string()), Ok(wanted.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_no_name_is_told_why() {
        for (text, fault) in [
            ("", BadName::Empty),
            (" ", BadName::Empty),
            ("7th", BadName::Beginning),
            ("-x", BadName::Beginning),
            ("'", BadName::Beginning),
            ("\u{301}a", BadName::Beginning),
            ("Ann\"", BadName::Character('"')),
            ("Ann#1", BadName::Character('#')),
            ("An\u{200b}n", BadName::Character('\u{200b}')),
            ("Dealer", BadName::Role("Dealer".into())),
            ("players", BadName::Role("players".into())),
        ] {
            assert_eq!(name(text), Err(fault), "{text:?}");
        }
        // Characters are counted, not bytes.
        assert!(name(&"न".repeat(31)).is_ok());
        assert!(name(&"𞤀".repeat(24)).is_ok());
        assert_eq!(name(&"𞤀".repeat(25)), Err(BadName::TooLong(25)));
        assert_eq!(name(&"a".repeat(32)), Err(BadName::TooLong(32)));
    }

    #[test]
    fn a_name_at_a_glance_has_neither_accents_nor_digits() {
        for (text, wanted) in [
            ("Røbot-1", "robot-l"),
            ("ſabot", "sabot"),
            ("Ŗ0bót", "robot"),
            ("HOU5E", "house"),
            ("Zoë", "zoe"),
        ] {
            assert_eq!(at_a_glance(text), wanted);
        }
    }

    #[test]
    fn a_name_is_quoted_where_it_could_be_taken_for_something_else() {
        for (name, wanted) in [
            ("Ann", "Ann"),
            ("O'Brien", "O'Brien"),
            ("Mary Ann", "\"Mary Ann\""),
            ("Dr. No", "\"Dr. No\""),
            ("Shoe", "\"Shoe\""),
            ("says", "\"says\""),
            ("banker", "\"banker\""),
        ] {
            assert_eq!(say_name(name), wanted);
        }
    }
}
