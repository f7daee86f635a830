//! What the director's console shows: where the event stands, what is next, and the sheets.

use live::Sheet;
use table::Time;
use tournament::conditions::Moment;
use tournament::{At, Due, Left, Need, Overview, Phase, sheets};

use super::{Console, DAY, MINUTE};
use crate::show::visible;

const HELP: &str = "  \
Enter, next          do what is next, as far as nothing is left to choose
  Ann bets 100 on player   any line of a transcript; `at table 2 …` says where
  standings, entrants  who is in, with how much
  seating, scores, results, dues     the sheets, and all that can be done now
  print seating FILE   … into a file, to be printed; also scores, results, entrants
  ballot, reveal       commits to a draw of places, and draws them
  Ann seals 100 on tie     a secret wager; only the inspector opens it
  director corrects Ann's wager to 100 on tie because …    and `inspector confirms the correction`
  clock 19:30, clock +10m  with --clock-by-line
  quit                 stop; the same command goes on
";

/// What is said to a line that asks for more than to look.
pub(in crate::tournament) const OVER: &str =
    "the event is over; allowed: standings, the sheets, `print results FILE` and quit\n";

/// What can be printed.
pub(in crate::tournament) const WHICH: &str =
    "allowed: print seating, scores, results or entrants, and a file\n";

/// What is told of standings before there are any.
pub(in crate::tournament) const NOBODY: &str = "nobody is in yet\n";

/// What is said first.
pub(super) fn opening(console: &Console) -> String {
    let host = &console.client;
    let title = visible(&host.setup().title);
    let goes_on = if host.version() > 60 { ", which goes on" } else { "" };
    format!("{title}, under {}{goes_on}; `help` tells how, Enter does what is next", host.name())
}

/// A time of the house's clock, with its day unless that is today's.
fn clock(at: Time, now: Time) -> String {
    let minutes = at / MINUTE % 1440;
    if at / DAY == now / DAY {
        return format!("{:02}:{:02}", minutes / 60, minutes % 60);
    }
    Moment(at).to_string()
}

/// What is shown when the event is over.
pub(super) fn ending(console: &Console) -> String {
    let results = match console.tournament().phase() {
        Phase::Ended => sheets::results(console.tournament()),
        Phase::Unopened | Phase::Preparing | Phase::Entries | Phase::Playing | Phase::Cancelled => {
            String::new()
        }
    };
    results + OVER
}

/// Where the event stands, and what is next.
pub(super) fn status(console: &Console, dues: &[Due]) -> String {
    let overview = console.tournament().overview();
    let mut text = String::from("\n");
    let now = console.now();
    text += &format!("[{}", clock(now, now));
    if let Some(stage) = &overview.stage {
        text += &format!(" · {}", visible(&stage.name));
    }
    text += &format!(" · pool {}", overview.pool);
    text += "]\n";
    for table in &overview.tables {
        text += &table_line(table, now);
    }
    let must: Vec<_> = dues.iter().filter(|due| due.need == Need::Must).collect();
    for due in must.iter().take(6) {
        text += &format!("next: {}\n", said(console, due));
    }
    if must.len() > 6 {
        text += &format!("      and {} more; `dues` lists them\n", must.len() - 6);
    }
    if must.is_empty() && overview.phase != Phase::Ended {
        for due in dues.iter().take(4) {
            text += &format!("possible: {}\n", said(console, due));
        }
    }
    text
}

fn table_line(table: &tournament::TableNow, now: Time) -> String {
    let mut text = format!("  table {}: coup {}", table.number, table.coups);
    text += &match &table.left {
        Left::Coups(left) => format!(", {left} left"),
        Left::Shoes(left) => format!(", {left} shoes left"),
        Left::Until(at) => format!(", until {}", clock(*at, now)),
        Left::UntilApart => ", until somebody is ahead".into(),
        Left::UntilAnnounced => ", until the last coup is announced".into(),
        Left::Nothing => String::new(),
    };
    if table.last {
        text += ", the last";
    }
    if let Some(turn) = table.turn {
        let who = table.seats.iter().find(|seat| seat.seat == turn).map(plays_at);
        text += &format!(", in turn: {}", who.unwrap_or_else(|| format!("seat {turn}")));
    }
    if let Some(until) = table.until {
        text += &format!(" until {}", clock(until, now));
    }
    let seats: Vec<_> = table
        .seats
        .iter()
        .map(|seat| format!("{} {} {}{}", seat.seat, plays_at(seat), seat.chips, how(seat.at)))
        .collect();
    text + &format!("\n    {}\n", seats.join(" · "))
}

/// Who plays at a seat, and for whom.
fn plays_at(seat: &tournament::SeatNow) -> String {
    match seat.substitute {
        Some(substitute) => format!("{} (for {})", visible(&substitute), visible(&seat.name)),
        None => visible(&seat.name),
    }
}

/// What is to be known of somebody who does not simply play.
const fn how(at: At) -> &'static str {
    match at {
        At::InTurn | At::There => "",
        At::Late => " not there yet",
        At::Away => " away",
        At::LooksOn => " looks on",
        At::Out(_) => " out",
    }
}

fn said(console: &Console, due: &Due) -> String {
    let clauses: Vec<_> = due.clauses.iter().map(ToString::to_string).collect();
    let cited =
        if clauses.is_empty() { String::new() } else { format!(" [{}]", clauses.join(", ")) };
    let system = console.client.setup().deals == store::Deals::System;
    match console.say_due(due) {
        Some(line) if system && line.contains(" CARD") && line.contains("dealer") => {
            format!("{}{cited}: Enter deals", visible(&line.replace(" CARD", "")))
        }
        Some(line) => format!("{}{cited}", visible(&line)),
        None => {
            if let tournament::Next::WaitForStart(at) = due.next {
                return format!("the start, at {}{cited}", clock(at, console.now()));
            }
            format!("wait{cited}")
        }
    }
}

fn standings(overview: &Overview) -> String {
    let mut text = String::new();
    for one in &overview.standings {
        let (rank, chips) = (one.rank, one.chips.to_string());
        let fate = format!("{:?}", one.is).to_lowercase();
        text += &format!("{rank:3}  {:<24} {chips:>12}  {fate}\n", visible(&one.name));
    }
    if text.is_empty() { NOBODY.into() } else { text }
}

/// A sheet of the event, if the word names one.
fn sheet(console: &Console, which: &str) -> Option<String> {
    let sheet = console.client.sheet(Sheet::from_key(which)?);
    let sheet = console.runtime.block_on(sheet);
    Some(sheet.unwrap_or_else(|fault| format!("cannot be had: {fault}\n")))
}

/// A page that a word asks for.
pub(super) fn page(console: &Console, word: &str) -> Option<String> {
    Some(match word {
        "help" | "?" => HELP.into(),
        "standings" => standings(&console.tournament().overview()),
        "dues" => {
            let dues = console.dues();
            let each = dues.iter().map(|due| {
                let need = if due.need == Need::Must { "next" } else { "possible" };
                format!("{need}: {}\n", said(console, due))
            });
            each.collect()
        }
        other => return sheet(console, other),
    })
}

/// Writes a sheet into a file, to be printed.
pub(super) fn print(console: &Console, what: &str) -> String {
    let (which, file) = what.split_once(' ').unwrap_or((what, ""));
    let Some(text) = sheet(console, which) else {
        return WHICH.into();
    };
    printed(file, &text)
}

/// Writes a sheet into a file, and says so.
pub(in crate::tournament) fn printed(file: &str, text: &str) -> String {
    let file = file.trim();
    if file.is_empty() {
        return "into which file? `print seating seats.txt`\n".into();
    }
    let (written, file) = (std::fs::write(file, text), visible(file));
    match written {
        Ok(()) => format!("wrote {file}\n"),
        Err(fault) => format!("cannot write {file}: {fault}; name another file\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_the_help_shows_are_in_the_language() {
        let ours = ["Ann bets", "director corrects", "clock"];
        let mut found = 0;
        for line in
            HELP.lines().map(str::trim).filter(|line| ours.iter().any(|o| line.starts_with(o)))
        {
            let lines = line.split("  ").next().unwrap_or_default().replace('…', "a slip");
            for line in lines.split(", ") {
                let said = transcript::understand_in_tournament(line);
                assert!(
                    said.is_ok(),
                    "{line}: {}",
                    said.err().map_or(String::new(), |f| f.to_string())
                );
                found += 1;
            }
        }
        assert_eq!(found, 4);
        assert!(transcript::understand_in_tournament("inspector confirms the correction").is_ok());
    }

    #[test]
    fn a_time_of_another_day_has_its_day() {
        let at = 20_000 * DAY + 1110 * MINUTE;
        assert_eq!(clock(at, at + MINUTE), "18:30");
        assert_eq!(clock(at, at - DAY), "2024-10-04 18:30");
    }

    #[test]
    fn a_table_says_who_is_in_turn_and_who_does_not_play() {
        let name = |name: &str| table::Name::from(name).expect("a name");
        let seat = |seat, who, substitute: Option<&str>, at| tournament::SeatNow {
            seat,
            entrant: tournament::EntrantId(0),
            name: name(who),
            substitute: substitute.map(name),
            chips: rules::Balance::ZERO,
            wagered: rules::Balance::ZERO,
            form: false,
            at,
        };
        let mut now = tournament::TableNow {
            number: 2,
            play: tournament::Play::Session,
            phase: table::Phase::Betting,
            coups: 3,
            left: Left::Nothing,
            last: false,
            minimum: rules::Cents::ZERO,
            raised: false,
            marker: Some(1),
            turn: Some(1),
            until: None,
            correction: false,
            seats: vec![
                seat(1, "Bo", Some("Sue"), At::InTurn),
                seat(3, "Gus", None, At::Out(tournament::OutWhy::Chips)),
                seat(4, "Cy", None, At::Away),
            ],
        };
        let said = table_line(&now, 0);
        assert!(said.contains("coup 3, in turn: Sue (for Bo)\n"), "{said}");
        assert!(said.contains("1 Sue (for Bo) 0 · 3 Gus 0 out · 4 Cy 0 away\n"), "{said}");
        now.turn = None;
        assert!(!table_line(&now, 0).contains("in turn"));
    }
}
