//! The names of accounts: who is called what, and which names nobody may have, since they would be
//! taken for somebody else's.

use std::collections::HashMap;

use table::{Code, Name, Refusal};

/// Name and number of everybody who has an account.
#[derive(Debug, Default)]
pub(crate) struct Names {
    by_name: HashMap<String, String>,
    /// The same without regard to case; of two who differ in nothing else, the first.
    by_any_case: HashMap<String, String>,
    /// The same by what they look like.
    by_look: HashMap<String, String>,
    by_id: HashMap<String, String>,
    pub(crate) last: u64,
}

impl Names {
    pub(crate) fn insert(&mut self, name: &str, id: &str) {
        self.by_name.insert(name.into(), id.into());
        self.by_any_case.entry(name.to_lowercase()).or_insert_with(|| id.into());
        self.by_look.entry(look(name)).or_insert_with(|| id.into());
        self.by_id.insert(id.into(), name.into());
    }

    pub(crate) fn remove(&mut self, name: &str, id: &str) {
        self.by_name.remove(name);
        self.by_any_case.remove(&name.to_lowercase());
        self.by_look.remove(&look(name));
        self.by_id.remove(id);
    }

    pub(crate) fn name(&self, id: &str) -> Option<String> {
        self.by_id.get(id).cloned()
    }

    /// The account of a name, which may be written in another case.
    pub(crate) fn named(&self, name: &str) -> Option<String> {
        let name = transcript::name(name).map_or_else(|_| name.into(), |name| name.to_string());
        let found = self.by_name.get(&name);
        found.or_else(|| self.by_any_case.get(&name.to_lowercase())).cloned()
    }

    /// A name that is nobody's, nor nearly somebody's.
    pub(crate) fn free(&self, name: Name) -> Result<Name, Refusal> {
        if self.by_any_case.contains_key(&name.to_lowercase()) {
            return no(Code::NameTaken, format!("{name} is taken"));
        }
        if self.by_look.contains_key(&look(&name)) {
            return no(Code::NameTaken, format!("{name} looks like the name of somebody else"));
        }
        Ok(name)
    }
}

fn no(code: Code, what: String) -> Result<Name, Refusal> {
    Err(Refusal::new(code, None, what, "choose another name"))
}

/// What a name looks like, in small letters: `I`, `l` and `1` are the same, and so are `O` and
/// `0`. A capital `L` is none of them.
fn look(name: &str) -> String {
    let plain = |c: char| match c {
        'I' | 'l' | '1' => "l".to_owned(),
        'O' | '0' => "o".to_owned(),
        'L' => "L".to_owned(),
        other => other.to_lowercase().to_string(),
    };
    name.chars().map(plain).collect()
}

/// Whether two names would be taken for each other.
#[must_use]
pub fn are_alike(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase() || look(one) == look(other)
}

/// Whether a name could be taken for another that is written differently: Latin letters beside
/// Greek or Cyrillic ones, or letters in a form of their own, such as the wide ones.
fn looks_like_another(name: &str) -> bool {
    let is_latin = |c: char| matches!(c, 'A'..='Z' | 'a'..='z' | 'À'..='ɏ' | 'Ḁ'..='ỿ');
    let is_like_it = |c: char| {
        matches!(c, '\u{370}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{1f00}'..='\u{1fff}'
            | '\u{2de0}'..='\u{2dff}' | '\u{a640}'..='\u{a69f}')
    };
    let has_own_form = |c: char| {
        matches!(c, 'ſ' | '\u{2100}'..='\u{214f}' | '\u{2460}'..='\u{24ff}'
            | '\u{fb00}'..='\u{fb06}' | '\u{ff00}'..='\u{ffef}' | '\u{1d400}'..='\u{1d7ff}')
    };
    name.contains(has_own_form) || (name.contains(is_latin) && name.contains(is_like_it))
}

/// Whether a number is that of an account of the floor.
pub(crate) fn is_account(id: &str) -> bool {
    id.strip_prefix("a-").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// A name as an account may have it, whoever else has it.
pub(crate) fn sayable(name: &str) -> Result<Name, Refusal> {
    let name = transcript::name(name).map_err(|fault| {
        let what = format!("a name that cannot be said: {fault}");
        Refusal::new(Code::Unsayable, None, what, "letters, digits, ' and -")
    })?;
    if looks_like_another(&name) {
        let what = format!("{name} has letters that look like those of another alphabet");
        let instead = "a name in the letters of one alphabet";
        return Err(Refusal::new(Code::Unsayable, None, what, instead));
    }
    let lower = name.to_lowercase();
    if lower == "system" || is_account(&lower) {
        return no(Code::Unsayable, format!("{name} stands for somebody else in the log"));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_called_nearly_as_somebody_else() {
        let mut names = Names::default();
        for (n, name) in ["Olga", "Ian", "Bob-10"].into_iter().enumerate() {
            names.insert(name, &format!("a-{n}"));
        }
        let free = |name: &str| names.free(sayable(name)?).map(|name| name.to_string());
        for name in
            ["OLGA", "OIga", "O1ga", "oIga", "0lga", "lan", "Bob-lO", "a-7", "A-7", "System"]
        {
            assert!(free(name).is_err(), "{name}");
        }
        for name in ["Oiga", "Lan", "Bob-11", "Ina", "a-b", "Systema", "a-"] {
            assert_eq!(free(name).as_deref(), Ok(name));
        }
        assert!(sayable("ſabot").is_err() && sayable("ﬁona").is_err());
        names.remove("Olga", "a-0");
        assert!(names.free(sayable("OIga").expect("a name")).is_ok());
    }
}
