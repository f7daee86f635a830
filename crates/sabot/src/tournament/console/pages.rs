//! What the director's console shows: where the event stands, what is next, and the sheets.

use table::Time;
use tournament::{Due, Left, Need, Overview, Phase, sheets};

use super::{Console, MINUTE};
use crate::show::visible;

const HELP: &str = "  \
Enter, next          do what is next, as far as nothing is left to choose
  Ann bets 100 on player   any line of a transcript; `at table 2 …` says where
  standings, entrants  who is in, with how much
  seating, scores, results, dues     the sheets, and all that can be done now
  print seating FILE   … into a file, to be printed; also scores, results, entrants
  ballot, reveal       commits to a draw of places, and draws them
  Ann seals 100 on tie     a secret wager; only the inspector opens it
  director corrects Ann's wager on tie to 100 because …    and `inspector confirms the correction`
  clock 19:30, clock +10m  with --clock-by-line
  quit                 stop; the same command goes on
";

/// What is said first.
pub(super) fn opening(console: &Console) -> String {
    let host = &console.client;
    let title = visible(&host.setup().title);
    let goes_on = if host.version() > 60 { ", which goes on" } else { "" };
    format!("{title}, under {}{goes_on}; `help` tells how, Enter does what is next", host.name())
}

fn clock(at: Time) -> String {
    let minutes = at / MINUTE % 1440;
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Where the event stands, and what is next.
pub(super) fn status(console: &Console, dues: &[Due]) -> String {
    let overview = console.tournament().overview();
    let mut text = String::from("\n");
    text += &format!("[{}", clock(console.now()));
    if let Some(stage) = &overview.stage {
        text += &format!(" · {}", visible(&stage.name));
    }
    text += &format!(" · pool {}", overview.pool);
    text += "]\n";
    for table in &overview.tables {
        text += &table_line(table);
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

fn table_line(table: &tournament::TableNow) -> String {
    let mut text = format!("  table {}: coup {}", table.number, table.coups);
    text += &match &table.left {
        Left::Coups(left) => format!(", {left} left"),
        Left::Shoes(left) => format!(", {left} shoes left"),
        Left::Until(at) => format!(", until {}", clock(*at)),
        Left::UntilApart => ", until somebody is ahead".into(),
        Left::UntilAnnounced => ", until the last coup is announced".into(),
        Left::Nothing => String::new(),
    };
    if table.last {
        text += ", the last";
    }
    if let Some(turn) = &table.turn {
        text += &format!(", in turn: {turn}");
    }
    if let Some(until) = table.until {
        text += &format!(" until {}", clock(until));
    }
    let seats: Vec<_> = table
        .seats
        .iter()
        .map(|seat| format!("{} {} {}", seat.seat, visible(&seat.name), seat.chips))
        .collect();
    text + &format!("\n    {}\n", seats.join(" · "))
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
                return format!("the start, at {}{cited}", clock(at));
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
    text
}

fn scores(console: &Console) -> String {
    let stream = console.client.stream().to_owned();
    let records = console.runtime.block_on(console.client.log().records(&stream, 0));
    let people = console.runtime.block_on(console.client.log().people()).unwrap_or_default();
    let people: std::collections::HashMap<_, _> = people.into_iter().collect();
    let mut events = Vec::new();
    for record in records.unwrap_or_default() {
        if let Ok(store::Body::Tournament(event)) = record.read() {
            events.push(event.renamed(&mut |account| {
                let name = people.get(account.as_str()).and_then(|n| transcript::name(n).ok());
                name.unwrap_or(account)
            }));
        }
    }
    sheets::scores(&events).iter().map(sheets::score_sheet).collect::<Vec<_>>().join("\n")
}

fn sheet(console: &Console, which: &str) -> Option<String> {
    let tournament = console.tournament();
    Some(match which {
        "seating" => sheets::seating(tournament),
        "results" => sheets::results(tournament),
        "entrants" => sheets::entrants(tournament),
        "scores" => scores(console),
        _ => return None,
    })
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
        return "allowed: print seating, scores, results or entrants, and a file\n".into();
    };
    if file.trim().is_empty() {
        return "into which file? `print seating seats.txt`\n".into();
    }
    let (written, file) = (std::fs::write(file.trim(), text), visible(file.trim()));
    match written {
        Ok(()) => format!("wrote {file}\n"),
        Err(fault) => format!("cannot write {file}: {fault}; name another file\n"),
    }
}
