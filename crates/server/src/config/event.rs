//! The tournament that a configuration has held every so often.

use store::Pace;
use toml::Value;
use transcript::Books as _;

use super::{Reader, is_title};
use crate::api::accounts::is_reserved;
use crate::books::HouseBooks;

/// A tournament that is held every so often, and runs by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventConfig {
    /// Who directs it.
    pub director: table::Name,
    /// The book.
    pub book: String,
    /// The regulator's approval, as it is referred to.
    pub approval: String,
    /// The time from one to the next, in minutes.
    pub every_minutes: u32,
    /// Players who can enter, at the most.
    pub players: u32,
    /// How long people are waited for.
    pub pace: Pace,
}

/// The keys of a tournament, with what may stand there.
const OF_EVENT: [(&str, &str); 6] = [
    ("director", "the name of who directs it"),
    ("book", "a book that has tournaments, such as \"act-2018\""),
    ("approval", "the regulator's approval of it, as you refer to it"),
    ("every_minutes", "a number from 5 to 1440"),
    ("players", "a number from 2 to 200"),
    ("pace", super::pace::MAY),
];

pub(super) fn read(reader: &mut Reader<'_>, books: &HouseBooks) -> Option<EventConfig> {
    let from = reader.from.get("tournament").map_or("the example", String::as_str);
    let Some(values) = reader.merged.get("tournament")?.as_table() else {
        reader.faults.push(format!("{from}: `tournament`; allowed: [tournament] and its keys"));
        return None;
    };
    let mut faults: Vec<String> = Vec::new();
    let known: Vec<_> = OF_EVENT.iter().map(|(key, _)| *key).collect();
    for key in values.keys().filter(|key| !known.contains(&key.as_str())) {
        faults
            .push(format!("{from}: tournament: `{key}` is no key; there are {}", known.join(", ")));
    }
    let mut must = |key: &str, value: Option<String>| {
        if value.is_none() {
            let may = OF_EVENT.iter().find(|(known, _)| *known == key).map_or("", |(_, may)| may);
            let found = values.get(key).map_or_else(String::new, |v| format!(" = {v}"));
            faults.push(format!("{from}: tournament: `{key}`{found}; allowed: {may}"));
        }
        value
    };
    let text = |key: &str| values.get(key).and_then(Value::as_str).map(str::to_owned);
    let number = |key: &str, usual: u32, span: std::ops::RangeInclusive<u32>| {
        let Some(value) = values.get(key) else { return Some(usual.to_string()) };
        let number = value.as_integer().and_then(|number| u32::try_from(number).ok());
        number.filter(|number| span.contains(number)).map(|number| number.to_string())
    };
    let is_name = |name: &String| transcript::name(name).is_ok() && !is_reserved(name);
    let director = must("director", text("director").filter(is_name));
    let has_events =
        |book: &String| books.book(book, None).is_ok_and(|book| book.rulebook.tournament.is_some());
    let book = must("book", text("book").filter(has_events));
    let approval = must("approval", text("approval").filter(|text| is_title(text)));
    let every = must("every_minutes", number("every_minutes", 30, 5..=1440));
    let players = must("players", number("players", 7, 2..=200));
    let pace = super::pace::read(values.get("pace"));
    must("pace", pace.map(|_| String::new()));
    reader.faults.append(&mut faults);
    Some(EventConfig {
        director: table::Name::from(&director?).ok()?,
        book: book?,
        approval: approval?,
        every_minutes: every?.parse().ok()?,
        players: players?.parse().ok()?,
        pace: pace?,
    })
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Source};

    fn read(text: &str) -> Result<Config, Vec<String>> {
        let values = format!("[tournament]\n{text}").parse().expect("a document");
        Config::read(&[Source::new("set-up.toml", values)])
    }

    #[test]
    fn a_tournament_needs_a_director_a_book_and_an_approval_and_all_faults_are_told() {
        let whole = "director = \"Dana\"\nbook = \"act-2018\"\napproval = \"letter of 3 May\"\n";
        let event = read(whole).expect("a tournament").tournament.expect("it is named");
        assert_eq!((event.every_minutes, event.players), (30, 7));
        assert!(Config::default().tournament.is_none());
        let faults = read("book = \"nz-1998\"\nevery_minutes = 2\nfee = 3\n").expect_err("faults");
        for key in ["director", "book", "approval", "every_minutes", "fee"] {
            let told = faults.iter().filter(|fault| fault.contains(&format!("`{key}`"))).count();
            assert_eq!(told, 1, "{key}: {faults:?}");
        }
    }
}
