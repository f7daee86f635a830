//! The reference of the language, and the words in its forms.

use std::collections::BTreeSet;

use rules::Spot;

use crate::language::{EXPECT_FORMS, FORMS, PLAYER_FORMS};
use crate::opening::OPTIONS;
use crate::tournament::lines::{EVENT_EXPECT_FORMS, EVENT_FORMS, EVENT_PLAYER_FORMS};

/// Every word that some form contains, so that a line could use it for something other than a name.
pub(crate) fn literal_words() -> BTreeSet<&'static str> {
    let acts = FORMS.iter().flat_map(|(who, form, _)| [*who, *form]);
    let events = EVENT_FORMS.iter().flat_map(|(who, form, _)| [*who, *form]);
    let deeds = PLAYER_FORMS.iter().map(|(form, _)| *form);
    let event_deeds = EVENT_PLAYER_FORMS.iter().map(|(form, _)| *form);
    let all = acts.chain(events).chain(deeds).chain(event_deeds).chain(expectations());
    let of_forms = all.flat_map(|form| form.split(['[', ']', '|', ' ']));
    let others = ["at", "expect", "condition", "clock", "inspector", "management", "table"];
    of_forms.chain(others).filter(|word| word.starts_with(char::is_lowercase)).collect()
}

/// The forms of expectations, after `expect`.
pub fn expectations() -> impl Iterator<Item = &'static str> {
    let of_tables = EXPECT_FORMS.iter().map(|(form, _)| *form);
    of_tables.chain(EVENT_EXPECT_FORMS.iter().map(|(form, _)| *form))
}

/// The reference of the language in Markdown, generated from the forms.
#[must_use]
pub fn reference() -> String {
    let mut text = String::from(
        "# The `.coup` language\n\n\
         Made by `sabot judge --reference`; every form below is what the reader reads. Words in\n\
         capitals are filled in, `a|b` is one of them, `[…]` may be left out. `#` begins a\n\
         comment; case and extra spaces do not matter, except in names. Verbs may be said plainly\n\
         (`dealer burn 5h`), a colon may stand behind who acts (`dealer: no more bets`), and a\n\
         line that names nobody is the dealer's (`no more bets`).\n\n\
         | who | line |\n|---|---|\n",
    );
    let row = |who: &str, form: &str| format!("| {who} | `{}` |\n", form.replace('|', "\\|"));
    text += &row("operator", "opens BOOK [with OPTION, …]");
    for (who, form, _) in FORMS {
        let (who, form) = match *who {
            "cutting" | "shoe" | "fresh" | "device" => ("anyone", format!("{who} {form}")),
            "players" => ("all players", format!("players {form}")),
            who => (who, (*form).to_owned()),
        };
        text += &row(who, &form);
    }
    for (form, _) in PLAYER_FORMS {
        text += &row("a player, by name", form);
    }
    text += &row("anyone", "clock CLOCK");
    text += &row("anyone", "clock DATE CLOCK");
    text += "\nOptions of an opening: ";
    text += &OPTIONS.map(|option| format!("`{option}`")).join(", ");
    text += ". `inspector` and `management` may stand for `supervisor`.\n\n## Expectations\n\n";
    for (form, _) in EXPECT_FORMS {
        text += &format!("- `expect {form}`\n");
    }
    text += &crate::tournament::lines::reference();
    text += "\n## Words in capitals\n\n";
    for token in [
        "NAME", "OWNER", "AMOUNT", "N", "SPOT", "GROUP", "METHOD", "OFFER", "CARD", "SIDE",
        "DURATION", "SECONDS", "CLOCK", "DATE", "RANGE", "HASH", "CLAUSE",
    ] {
        text += &format!("- `{token}`: {}\n", crate::form::meaning(token));
    }
    let spots = Spot::MAIN.map(|spot| format!("`{}`", spot.key())).join(", ");
    text += &format!(
        "\nSpots of every book: {spots}. Groups of every book: `main`, `tie`. Side bets have the \
         words of the book or of its sheets; `sabot rules show BOOK` lists them.\n"
    );
    text
}
