//! The names of people: the log has accounts in their place, and a name can be erased.

use std::collections::HashMap;
use std::sync::Arc;

use store::With;
use table::{Act, By, Event, Name, State};

/// Who is who at a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct People {
    /// What an account begins with: it says of which table it is.
    prefix: String,
    /// Name and account of everybody who was ever named, in the order of being named.
    known: Vec<(Name, Name)>,
    /// The names of all accounts of the log that were not erased. Copies share them.
    names: Arc<HashMap<String, String>>,
}

impl People {
    pub(crate) fn of(stream: &str, names: Vec<(String, String)>) -> Self {
        // An account is a name that a line can say, and of one table only.
        let plain = |c: char| c.is_ascii_alphanumeric() || c == ' ';
        let sayable = stream.len() <= 20
            // That is what the accounts of a floor are called.
            && stream != "a"
            && stream.starts_with(|c: char| c.is_ascii_alphabetic())
            && stream.chars().all(plain);
        let prefix = if sayable {
            stream.replace(' ', "-")
        } else {
            let hash = shoe::Digest::of(&[stream.as_bytes()]).to_string();
            format!("account-{}", &hash[..10])
        };
        let names = Arc::new(names.into_iter().collect());
        Self { prefix, known: Vec::new(), names }
    }

    /// The account of a name; a new one if nobody has the name yet.
    fn account(&mut self, name: Name, new: &mut Vec<With>) -> Name {
        if let Some((_, account)) = self.known.iter().find(|(known, _)| *known == name) {
            return *account;
        }
        let number = self.next_number();
        let account = Name::from(&format!("{}-{number}", self.prefix)).unwrap_or(name);
        self.known.push((name, account));
        Arc::make_mut(&mut self.names).insert(account.to_string(), name.to_string());
        new.push(With::Person { account: account.to_string(), name: name.to_string() });
        account
    }

    /// A number that no account of this table has.
    fn next_number(&self) -> usize {
        let accounts = self.known.iter().map(|(_, account)| account.as_str());
        let accounts = accounts.chain(self.names.keys().map(String::as_str));
        let numbers = accounts.filter_map(|account| {
            account.strip_prefix(&self.prefix)?.strip_prefix('-')?.parse::<usize>().ok()
        });
        numbers.max().unwrap_or(0).max(self.known.len()) + 1
    }

    /// Who is named for the first time is the one who has an account of that name, if anybody has.
    pub(crate) fn meet(&mut self, name: Name, account: impl Fn(&str) -> Option<String>) {
        if self.known(&name).is_none()
            && let Some(account) = account(&name).and_then(|account| Name::from(&account).ok())
        {
            self.bind(name, account);
        }
    }

    /// Somebody of that name has this account.
    pub(crate) fn bind(&mut self, name: Name, account: Name) {
        if self.known(&name) != Some(account) {
            self.known.retain(|(known, other)| *known != name && *other != account);
            self.known.push((name, account));
            Arc::make_mut(&mut self.names).insert(account.to_string(), name.to_string());
        }
    }

    /// Name and account of everybody who was named.
    pub(crate) fn all(&self) -> Vec<(Name, Name)> {
        self.known.clone()
    }

    /// The names of all accounts.
    pub(crate) fn names(&self) -> Vec<(String, String)> {
        let known = self.known.iter();
        known.map(|(name, account)| (account.to_string(), name.to_string())).collect()
    }

    /// The account of a name that was named before.
    pub(crate) fn known(&self, name: &Name) -> Option<Name> {
        self.known.iter().find(|(known, _)| known == name).map(|(_, account)| *account)
    }

    /// An act as the log has it, with the accounts that it brings.
    pub(crate) fn in_log(&mut self, by: By, act: Act) -> (By, Act, Vec<With>) {
        let mut new = Vec::new();
        let by = by.renamed(&mut |name| self.account(name, &mut new));
        let act = act.renamed(&mut |name| self.account(name, &mut new));
        (by, act, new)
    }

    /// An act of a tournament as the log has it, with the accounts that it brings.
    pub(crate) fn in_event(
        &mut self,
        by: By,
        act: tournament::Act,
    ) -> (By, tournament::Act, Vec<With>) {
        let mut new = Vec::new();
        let by = by.renamed(&mut |name| self.account(name, &mut new));
        let act = act.renamed(&mut |name| self.account(name, &mut new));
        (by, act, new)
    }

    /// The account of a name, whoever has it; names that were never named bring none.
    pub(crate) fn account_of(&mut self, name: Name) -> Name {
        self.account(name, &mut Vec::new())
    }

    /// The name of an account.
    pub(crate) fn name_of(&mut self, account: Name) -> Name {
        self.name(account)
    }

    /// An event as the log has it.
    pub(crate) fn event_in_log(&mut self, event: Event) -> Event {
        // The act named them already.
        event.renamed(&mut |name| self.account(name, &mut Vec::new()))
    }

    /// A state as it is kept: with accounts.
    pub(crate) fn state_in_log(&mut self, state: State) -> State {
        state.renamed(&mut |name| self.account(name, &mut Vec::new()))
    }

    /// The name of an account; the account itself where it was erased, and in older logs, which
    /// have names.
    fn name(&mut self, account: Name) -> Name {
        if let Some((name, _)) = self.known.iter().find(|(_, known)| *known == account) {
            return *name;
        }
        // The table of names is not chained: only what can be a name is taken for one.
        let name = self.names.get(account.as_str()).and_then(|name| transcript::name(name).ok());
        // Two accounts of one name would be one person.
        let taken = name.is_some_and(|name| self.known.iter().any(|(known, _)| *known == name));
        let name = name.filter(|_| !taken).unwrap_or(account);
        self.known.push((name, account));
        name
    }

    /// An event of the log, with names.
    pub(crate) fn event(&mut self, event: Event) -> Event {
        event.renamed(&mut |account| self.name(account))
    }

    /// A state that was kept, with names.
    pub(crate) fn state(&mut self, state: State) -> State {
        state.renamed(&mut |account| self.name(account))
    }
}

/// Puts names in the place of accounts in a text, the longest account first.
#[must_use]
pub fn with_names(text: &str, people: &[(String, String)]) -> String {
    let mut people: Vec<_> = people.iter().collect();
    people.sort_by_key(|(account, _)| std::cmp::Reverse(account.len()));
    people.into_iter().fold(text.to_owned(), |text, (account, name)| text.replace(account, name))
}
