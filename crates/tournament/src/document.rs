//! The conditions as players and the regulator read them: as a text, and as a page.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use rules::Rulebook;
use rules::book::{Level, Prevails};
use shoe::Digest;

use crate::check::matters;
use crate::conditions::{
    BuyBack, Commission, Conditions, Length, Prize, Ranking, Settle, Sign, Source, Stage,
};
use crate::plan::plan;
use crate::prizes;
use crate::written::Written as _;

/// A heading of the document, and the text under it.
struct Chapter {
    heading: &'static str,
    lines: Vec<String>,
}

/// The document, as lines of text. The last line has the hash of all lines above it.
#[must_use]
pub fn text(c: &Conditions, book: &Rulebook) -> String {
    let body = body(c, book);
    format!("{body}SHA-256 of the lines above: {}\n", Digest::of(&[body.as_bytes()]))
}

/// The hash of the document's text without its last line.
#[must_use]
pub fn hash(c: &Conditions, book: &Rulebook) -> Digest {
    Digest::of(&[body(c, book).as_bytes()])
}

fn body(c: &Conditions, book: &Rulebook) -> String {
    let title = title(c);
    let mut text = format!("{title}\n{}\n{}\n", "=".repeat(title.chars().count()), under(book));
    for Chapter { heading, lines } in chapters(c, book) {
        text += &format!("\n{heading}\n");
        for line in lines {
            // A text of several lines is one paragraph.
            let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
            text += &format!("  {line}\n");
        }
    }
    text + "\n"
}

/// The document as a self-contained page.
#[must_use]
pub fn html(c: &Conditions, book: &Rulebook) -> String {
    let title = escape(&title(c));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>:root{{color-scheme:light dark}}body{{font:1rem/1.5 system-ui,sans-serif;\
         max-width:42rem;margin:2rem auto;\
         padding:0 1rem}}h2{{font-size:1.1rem;margin:1.5rem 0 .25rem}}ul{{margin:0;\
         padding-left:1.2rem}}footer{{margin-top:2rem;overflow-wrap:anywhere;\
         font-size:.85rem}}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{}</p>\n",
        escape(&under(book))
    );
    for Chapter { heading, lines } in chapters(c, book) {
        page += &format!("<h2>{}</h2>\n<ul>\n", escape(heading));
        for line in lines {
            page += &format!("<li>{}</li>\n", escape(line.trim_start()));
        }
        page += "</ul>\n";
    }
    page + &format!(
        "<footer>SHA-256 of the same document as text, which the casino hands out on request: \
         <code>{}</code></footer>\n</body>\n</html>\n",
        hash(c, book)
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn title(c: &Conditions) -> String {
    if c.name.is_empty() { "Baccarat tournament".to_string() } else { c.name.clone() }
}

fn under(book: &Rulebook) -> String {
    format!("Conditions of entry and play under {}, {}", book.title.name(), book.title.instrument)
}

fn chapters(c: &Conditions, book: &Rulebook) -> Vec<Chapter> {
    let mut chapters = Vec::new();
    let mut add = |heading, lines: Vec<String>| {
        if !lines.is_empty() {
            chapters.push(Chapter { heading, lines });
        }
    };
    add("Start and entry", entry(c));
    add("Structure", c.stages.0.iter().map(|stage| stage_line(stage, c, book)).collect());
    add("How many play where", heads(c));
    add("Play", play(c, book));
    add("Level on chips", level(c, book));
    add("Prizes", prize_lines(c));
    add("What governs", governs(c, book));
    add("The rules in short: the event", in_short(book, "tournament"));
    add("The rules in short: chips", in_short(book, "tournament_chips"));
    add("The rules in short: wagers", in_short(book, "tournament_wagers"));
    if c.secret_wagers.is_some_and(|number| number > 0) {
        add("The rules in short: secret wagers", in_short(book, "secret_wagers"));
    }
    add("The rules in short: results and money", in_short(book, "prizes"));
    let stated = matters(c, book).into_iter().filter(|matter| matter.stated);
    add(
        "Stated as the rules want",
        stated.map(|m| format!("{} [{}]", m.name, m.rule.clause)).collect(),
    );
    chapters
}

/// A number of things, in singular or plural.
fn count(number: u32, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn entry(c: &Conditions) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(c.start.map(|start| format!("Starts {}, {}", start.weekday(), start.write())));
    lines.extend(c.application.as_ref().map(|how| format!("To enter: {how}")));
    lines.extend(c.entry.as_ref().map(|who| format!("Conditions of entry: {who}")));
    lines.extend(c.players.map(|n| {
        if n.least == n.most {
            format!("Players: {}", n.least)
        } else {
            format!("Players: {} to {}", n.least, n.most)
        }
    }));
    lines.extend(c.groups.as_ref().map(|groups| format!("Groups of players: {groups}")));
    let kept = match c.commission {
        None => "nothing".to_string(),
        Some(Commission::Percent(part)) => part.write(),
        Some(Commission::Each(amount)) => format!("${amount}"),
    };
    lines
        .extend(c.fee.map(|fee| format!("Entry fee: ${}, of which the house keeps {kept}", fee.0)));
    lines.extend(c.chips.map(|chips| {
        let kind = if c.live { "cash value chips" } else { "tournament chips, worth nothing" };
        let each = if c.stages.0.iter().any(|stage| stage.chips.is_some()) {
            "a session, unless its stage says otherwise"
        } else {
            "each session"
        };
        format!("Chips at the start of {each}: {}, {kind}", chips.0)
    }));
    lines.extend(c.buy_back.map(|buy_back| match buy_back {
        BuyBack::None => "Nobody buys back in".to_string(),
        BuyBack::Some { times, fee, stages } => format!(
            "Who is out may buy back in {} for ${fee}, in the first {}",
            if times == 1 { "once".to_string() } else { format!("{times} times") },
            if stages == 1 { "stage".to_string() } else { format!("{stages} stages") }
        ),
    }));
    lines
}

fn stage_line(stage: &Stage, c: &Conditions, book: &Rulebook) -> String {
    let from: Vec<_> = stage.from.iter().map(Source::words).collect();
    let length = match stage.length {
        Some(Length::Coups(n)) => count(n, "coup"),
        Some(Length::Shoes(n)) => count(n, "shoe"),
        Some(Length::Minutes(n)) => format!("{}, and the coup that is begun", count(n, "minute")),
        None => "as long as the director says".to_string(),
    };
    let tables = match stage.tables {
        None => "at as many tables as it takes".to_string(),
        Some(1) => "at one table".to_string(),
        Some(n) => format!("at up to {n} tables at a time"),
    };
    let last = c.stages.0.last().is_some_and(|last| last.name == stage.name);
    let advance = match stage.advance {
        Some(1) if !last => "; the best of each table advances".to_string(),
        Some(n) if !last => format!("; the best {n} of each table advance"),
        _ => String::new(),
    };
    let others = match stage.runners_up {
        Some(1) if !last => "; of all others the one with the most chips advances too".to_string(),
        Some(n) if !last => format!("; of all others the {n} with the most chips advance too"),
        _ => String::new(),
    };
    let own = [
        stage.chips.map(|chips| format!("; {} chips", chips.0)),
        stage.limits.as_ref().map(|limits| format!("; limits {}", sign(limits, book))),
        stage
            .raised
            .as_ref()
            .map(|limits| format!("; limits after the indicator card {}", sign(limits, book))),
    ];
    let own: String = own.into_iter().flatten().collect();
    let points: Vec<_> = stage.points.iter().map(ToString::to_string).collect();
    let points =
        if points.is_empty() { String::new() } else { format!("; points {}", points.join(", ")) };
    let from = from.join(" and ");
    let seats = stage.seats;
    format!(
        "{}: for {from}; {length}; up to {seats} at a table, \
         {tables}{advance}{others}{points}{own}",
        stage.name
    )
}

/// Where players play, for every number of entrants; numbers with the same result are combined.
fn heads(c: &Conditions) -> Vec<String> {
    let Some(players) = c.players else { return Vec::new() };
    let mut lines: Vec<(u32, u32, String)> = Vec::new();
    for entrants in players.least..=players.most {
        let stages = plan(c, entrants).into_iter().zip(&c.stages.0).map(|(heads, stage)| {
            let tables: usize = heads.sessions.iter().map(Vec::len).sum();
            let tables = count(u32::try_from(tables).unwrap_or(u32::MAX), "table");
            if stage.from.contains(&Source::Entrants) {
                return format!("{} at {tables}", stage.name);
            }
            format!("{} {} at {tables}", stage.name, heads.players)
        });
        let where_to = stages.collect::<Vec<_>>().join("; ");
        match lines.last_mut() {
            Some((_, last, same)) if *same == where_to => *last = entrants,
            _ => lines.push((entrants, entrants, where_to)),
        }
    }
    let line = |(first, last, where_to): (u32, u32, String)| {
        let numbers = if first == last { format!("{first}") } else { format!("{first} to {last}") };
        format!("{numbers} entrants: {where_to}")
    };
    lines.into_iter().map(line).collect()
}

fn sign(sign: &Sign, book: &Rulebook) -> String {
    let groups = sign.0.iter().map(|(group, limits)| {
        let group = book.group_name(*group);
        let step = limits.step.map_or_else(String::new, |step| format!(" in steps of {step}"));
        format!("{group} {} to {}{step}", limits.least, limits.most)
    });
    groups.collect::<Vec<_>>().join(", ")
}

fn play(c: &Conditions, book: &Rulebook) -> Vec<String> {
    let mut lines = Vec::new();
    let method = c.settlement.unwrap_or_else(|| book.usual_method());
    lines.push(format!("Winning Banker wagers are paid by the {method} method"));
    for offer in c.side_bets.iter() {
        let name = book.offered(offer).map(|(_, table)| table.name.clone());
        let name = name.unwrap_or_else(|| offer.to_string());
        lines.push(format!("Offered beside the main wagers: {name}"));
    }
    lines.extend(c.limits.as_ref().map(|limits| format!("Limits: {}", sign(limits, book))));
    lines.extend(c.raised.as_ref().map(|limits| {
        format!("Limits after the coup in which the indicator card appears: {}", sign(limits, book))
    }));
    lines.extend(c.elimination.as_ref().map(|how| format!("Elimination: {how}")));
    lines.extend(c.secret_wagers.map(|n| format!("Secret wagers of a player in a session: {n}")));
    lines.extend(c.both_sides.map(|both| {
        let both = if both { "may" } else { "may not" };
        format!("Banker and Player {both} be wagered on together")
    }));
    lines.extend(c.sit_and_go.as_ref().map(|how| format!("Sit-and-go: {how}")));
    lines.extend(c.repechage.as_ref().map(|how| format!("Repechage: {how}")));
    lines
}

fn level(c: &Conditions, book: &Rulebook) -> Vec<String> {
    let Some(prizes) = &book.prizes else { return Vec::new() };
    let words = |stated: Option<Settle>, rule: rules::Cited<Level>| {
        let how = match (rule.value, stated) {
            (Level::AdditionalRounds, _) | (_, Some(Settle::Rounds)) => {
                "additional rounds until they are level no longer"
            }
            (Level::PlayOffByCard, _) | (_, Some(Settle::Card)) => {
                "a play-off of as many coups as a drawn card says"
            }
            (Level::AsConditionsSay, Some(Settle::Share)) => {
                "what they contest is put together and shared evenly"
            }
            (Level::AsConditionsSay, None) => "as the director decides",
        };
        format!("{how} [{}]", rule.clause)
    };
    let mut lines = alloc::vec![
        format!("After a session: {}", words(c.level, prizes.level)),
        format!("In the final: {}", words(c.level_final, prizes.level_final)),
    ];
    if c.ranking == Ranking::Points {
        lines.push("The points of all sessions decide, not the chips of the last".to_string());
    }
    lines
}

fn prize_lines(c: &Conditions) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(c.pool.as_ref().map(|pool| format!("The pool: {pool}")));
    lines.extend(c.added.map(|added| format!("The house adds ${}", added.0)));
    let places = c.prizes.iter().enumerate();
    let fixed = c.prizes.iter().any(|prize| matches!(prize, Prize::Sum(_)));
    let of = if fixed { "what is left of the pool" } else { "the pool" };
    lines.extend(places.map(|(i, prize)| match prize {
        Prize::Share(part) => format!("Place {}: {} of {of}", i + 1, part.write()),
        Prize::Sum(sum) => format!("Place {}: ${sum} out of the pool", i + 1),
        Prize::Goods(words) => format!("Place {}: {words}", i + 1),
    }));
    if !c.prizes.is_empty() {
        lines.push(prizes::LEFTOVER.to_string());
    }
    if fixed {
        lines.push(prizes::FIXED.to_string());
    }
    if c.prizes.iter().any(|prize| matches!(prize, Prize::Goods(_))) {
        lines.push(prizes::GOODS.to_string());
    }
    lines.extend(prize_sheet(c));
    lines
}

/// The prizes of the places with the fewest and with the most entrants, if all come.
#[must_use]
pub fn prize_sheet(c: &Conditions) -> Vec<String> {
    let Some(players) = c.players.filter(|_| c.fee.is_some() || c.added.is_some()) else {
        return Vec::new();
    };
    let mut numbers = alloc::vec![players.least, players.most];
    numbers.dedup();
    let line = |entrants: u32| {
        let (pool, prizes) = prizes::planned_words(c, entrants);
        format!("With {entrants} entrants the pool is ${pool}: {}", prizes.join(", "))
    };
    numbers.into_iter().map(line).collect()
}

/// The rules of a section of the book, item by item, with their clauses.
fn in_short(book: &Rulebook, section: &str) -> Vec<String> {
    let own = book.answers().into_iter().filter(|answer| answer.spec.section() == section);
    let line = |answer: rules::policy::Answer| {
        let clause = answer.clause?;
        let words =
            if answer.words.is_empty() { String::new() } else { format!(": {}", answer.words) };
        Some(format!("{}{words} [{clause}]", answer.spec.label()))
    };
    own.filter_map(line).collect()
}

fn governs(c: &Conditions, book: &Rulebook) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(c.statement.clone());
    if let Some(rules) = &book.tournament {
        lines.extend(rules.applies.map(|rule| {
            let how = match rules.prevails.map(|rule| rule.value) {
                Some(Prevails::Rules) => "prevail over the rules of the table",
                Some(Prevails::Conditions) | None => "are added to the rules of the table",
            };
            format!("The rules of tournament play {how} [{}]", rule.clause)
        }));
        lines.extend(rules.prevails.map(|rule| {
            let how = match rule.value {
                Prevails::Conditions => "these conditions prevail over the rules of the table",
                Prevails::Rules => "the rules prevail over these conditions",
            };
            format!("Where they differ, {how} [{}]", rule.clause)
        }));
    }
    lines
}
