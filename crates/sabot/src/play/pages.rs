//! What can be read at the table: the reasons, the sign, the roads, the shoe.

use rules::{Clause, Group, Spot, lies_within};
use table::roads::ROWS;
use view::{AskView, BeadView, MarkView};

use super::desk::Desk;
use super::seat::{Kind, LogLine, Seat, cents};
use crate::books;
use crate::show::count;

/// A clause as the table shows it.
pub(crate) fn cited(desk: &dyn Seat, clauses: &[Clause]) -> String {
    let shown: Vec<_> = clauses.iter().map(|clause| short(desk, *clause)).collect();
    if shown.is_empty() { String::new() } else { format!("[{}]", shown.join(", ")) }
}

/// A clause without the id of the table's own book.
fn short(desk: &dyn Seat, clause: Clause) -> String {
    match desk.book() {
        Some(book) => books::short(&book.rulebook, clause),
        None => clause.to_string(),
    }
}

/// An entry on one line.
pub(crate) fn told(desk: &dyn Seat, entry: &LogLine) -> String {
    let mark = match entry.kind {
        Kind::Refused => "no: ",
        Kind::Call | Kind::Note | Kind::Play | Kind::Detail => "",
    };
    let clauses = cited(desk, &entry.clauses);
    format!("{mark}{} {clauses}", entry.what).trim_end().to_owned()
}

/// The last things that happened.
pub(crate) fn log(desk: &dyn Seat, count: usize) -> String {
    let from = desk.log().len().saturating_sub(count);
    let lines = desk.log()[from..].iter().map(|entry| told(desk, entry));
    lines.fold(String::new(), |text, line| text + "  " + &line + "\n")
}

pub(crate) fn explain(desk: &dyn Seat, entry: &LogLine) -> String {
    let mut text = format!("{}\n", entry.what);
    if entry.clauses.is_empty() {
        text += "  no clause: staff decided, or the program says so\n";
    }
    for clause in entry.clauses.iter().flat_map(|clause| clause.each()) {
        let gist = desk.gist(clause).unwrap_or_else(|| "not in the book's index".into());
        text += &format!("  {clause}: {gist}\n");
    }
    text
}

/// The reasons for what happened last: of the last coup, or the last refusal.
pub(crate) fn why_last(desk: &dyn Seat) -> String {
    let matters = |entry: &&LogLine| !entry.clauses.is_empty() && entry.kind != Kind::Detail;
    let last: Vec<_> = desk.log().iter().rev().filter(matters).take(4).collect();
    if last.is_empty() {
        return "nothing has happened yet\n".into();
    }
    let text = last.iter().rev().fold(String::new(), |text, entry| text + &explain(desk, entry));
    text + "`why WORD` finds more: a spot, a clause such as `7.1`, or a word of the log\n"
}

/// The reasons for something: a spot, a clause, or a word of what happened.
pub(crate) fn why(desk: &dyn Seat, about: &str) -> String {
    if let Some(spot) = super::orders::spot(desk, about) {
        return why_spot(desk, spot);
    }
    let found = desk.book().map(|book| clauses_at(book, about)).unwrap_or_default();
    if !found.is_empty() {
        return found;
    }
    let mentions = |entry: &&LogLine| entry.what.to_lowercase().contains(about);
    match desk.log().iter().rev().find(|entry| mentions(entry) && !entry.clauses.is_empty()) {
        Some(entry) => explain(desk, entry),
        None => format!(
            "nothing on the table is called `{about}`; ask about a spot, a clause such as `7.1`, \
             or a word of the log\n"
        ),
    }
}

/// What the book has at a number, and below it.
fn clauses_at(book: &rulebooks::Book, about: &str) -> String {
    let mut entries: Vec<_> = book.index.entries.iter().map(|entry| (entry, true)).collect();
    let base = book.base_index.iter().flat_map(|base| base.entries.iter());
    entries.extend(base.map(|entry| (entry, false)));
    let number = about.rsplit(' ').next().unwrap_or(about);
    let title = &book.rulebook.title;
    let line = |(entry, own): (&rulebooks::ClauseEntry, bool)| {
        let id = if own { title.id.as_str() } else { title.base.as_deref().unwrap_or("") };
        format!("  {id} {}: {}\n", entry.id, entry.gist)
    };
    let found = entries.into_iter().filter(|(entry, _)| lies_within(&entry.id, number));
    found.take(12).map(line).collect()
}

fn why_spot(desk: &dyn Seat, spot: Spot) -> String {
    let Some(offered) = desk.spot(spot) else {
        return format!("this table does not offer {spot}; `sign` lists what it offers\n");
    };
    let mut text = format!("{}\n", offered.name);
    let mut line = |what: String, clause: Clause| {
        let gist = desk.gist(clause).unwrap_or_default();
        text += &format!("  {what} [{clause}]: {gist}\n");
    };
    line("is offered".into(), offered.clause);
    for pays in &offered.pays {
        line(format!("{} pays {}", pays.when, pays.price), pays.clause);
    }
    let Some(rulebook) = desk.book().map(|book| &book.rulebook) else { return text };
    let ties = match spot {
        Spot::Banker => Some(rulebook.banker.ties),
        Spot::Player => Some(rulebook.player.ties),
        Spot::Tie | Spot::Side(_) => None,
    };
    if let Some(ties) = ties {
        line(format!("on a tie: {}", ties.value), ties.clause);
    }
    if let Some(shown) = rulebook.limits.displayed {
        let limits = offered.limits.as_ref().map_or("none".into(), |limits| {
            format!("{} to {}", cents(limits.least_cents), cents(limits.most_cents))
        });
        line(format!("limits on the sign: {limits}"), shown.clause);
    }
    text
}

/// The table in one line; the sign has the rest.
pub(crate) fn table_in_short(desk: &Desk) -> String {
    let (table, spots) = (desk.table(), desk.spots());
    let rulebook = &desk.client.book().rulebook;
    let groups = rulebook.groups().into_iter();
    let offered = groups.filter(|group| spots.iter().any(|spot| table.group(*spot) == *group));
    let limited = |group: Group| {
        let name = match group {
            Group::Main => "Player and Banker",
            Group::Tie | Group::Side(_) => rulebook.group_name(group),
        };
        let limits = table.limits(group);
        limits.map_or(name.to_owned(), |l| format!("{name} {} to {}", l.least, l.most))
    };
    let offered: Vec<_> = offered.map(limited).collect();
    let decks = table.options().decks;
    let name = rulebook.title.name();
    format!(
        "{name}, {}, play money: {}; `sign` has the payouts",
        count(decks, "deck"),
        offered.join(", ")
    )
}

/// What hangs at the table.
pub(crate) fn sign(desk: &dyn Seat) -> String {
    let (sight, book) = (desk.sight(), &desk.sight().book);
    let mut text = format!("{}: {}, {}\n", book.id, book.game, book.jurisdiction);
    let decks = desk.book().map(|book| book.rulebook.cards.decks.clause);
    let decks = decks.map_or(String::new(), |decks| format!(" [{}]", short(desk, decks)));
    text += &format!("  {}{decks}; play money\n", count(sight.shoe.decks, "deck"));
    for spot in &sight.spots {
        let limits = spot.limits.as_ref().map_or(String::new(), |limits| {
            let step = limits.step_cents.map_or(String::new(), |s| format!(" by {}", cents(s)));
            format!("{}..{}{step}", cents(limits.least_cents), cents(limits.most_cents))
        });
        text += &format!("  {:<20} {limits}\n", spot.name);
        for pays in &spot.pays {
            let by = short(desk, pays.clause);
            text += &format!("      {:<18} {} [{by}]\n", pays.when, pays.price);
        }
    }
    text += "  a wrong card, a void, a dispute: `why` and the clause tell how it is put right\n";
    text
}

/// What was published of the shoe, and what of it holds.
pub(crate) fn shoe(desk: &dyn Seat) -> String {
    let Some(record) = desk.shoe() else {
        return "no shoe yet: its commitment comes before the shuffle\n".into();
    };
    let mut text =
        format!("shoe {} of {}\n", desk.sight().shoe.number, count(record.decks, "deck"));
    text += &format!("  commitment  {}\n", record.commitment);
    match record.root {
        Some(root) => text += &format!("  root        {root}\n"),
        None => text += "  root        comes with the shuffle, before the cut\n",
    }
    text += &part_taken(desk, &record);
    if let Some(cut) = record.cut {
        text += &format!("  cut at      {cut}\n");
    }
    text += &holds(&record);
    if let Some(finished) = desk.shoe_before() {
        text += &format!("the shoe before, root {}\n{}", root(&finished), holds(&finished));
    }
    if let Some(head) = desk.head() {
        text += &format!("the house's newest head, to be kept: {head}\n");
        text += "  `sabot audit verify --head` holds the log to it\n";
    }
    text + "  `sabot audit shoe` prints the record; docs/VERIFY.md says how to check it yourself\n"
}

/// Who took part in making the shoe.
fn part_taken(desk: &dyn Seat, record: &shoe::ShoeRecord) -> String {
    let Some(way) = record.second() else {
        return "  made by the first procedure, which is weaker\n".into();
    };
    let me = desk.account();
    let mut text = String::new();
    for (at, promise) in way.promises.iter().enumerate() {
        let opened = way.firsts.as_ref().and_then(|words| words.get(at)).copied().flatten();
        let who = if promise.account == me { "you took part" } else { promise.account.as_str() };
        let kept = match (opened, &way.firsts) {
            (Some(_), _) => "✓",
            (None, None) => "word not opened yet",
            (None, Some(_)) => "did not open the word",
        };
        text += &format!("  words       {who} {kept}  {}\n", promise.first);
    }
    if way.firsts.is_some() && way.witnesses() == 0 {
        text += "  unwitnessed: nobody but the house took part\n";
    }
    text
}

fn root(record: &shoe::ShoeRecord) -> String {
    record.root.map_or("none".into(), |root| root.to_string())
}

/// What of a shoe holds.
fn holds(record: &shoe::ShoeRecord) -> String {
    match shoe::verify(record) {
        Ok(found) => {
            let (dealt, opened) = (found.dealt, found.opened);
            let whole = if found.whole {
                "the secret is out, and the whole order is checked"
            } else {
                "the secret is published when the shoe is over"
            };
            format!("  cards that left it: {dealt}, proved ✓: {opened}; {whole}\n")
        }
        Err(faults) => {
            let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
            format!("  IT DOES NOT HOLD: {}\n", faults.join("; "))
        }
    }
}

/// The letter of a mark in a derived road.
fn letter(mark: &str) -> &'static str {
    if mark == "red" { "r" } else { "b" }
}

/// What the next result would leave in the derived roads.
pub(crate) fn asks(ask: &AskView) -> String {
    [&ask.big_eye, &ask.small, &ask.pig].map(|mark| mark.as_deref().map_or("-", letter)).join(" ")
}

/// Columns of a road that are written at the most.
const WIDEST: usize = 500;

/// The scoreboard as text: letters, so that it can be read aloud.
pub(crate) fn roads(desk: &dyn Seat) -> String {
    let roads = &desk.sight().roads;
    let counts = &roads.counts;
    let mut text = format!(
        "Banker {}, Player {}, ties {}; pairs: Banker {}, Player {}; naturals {}\n",
        counts.banker,
        counts.player,
        counts.ties,
        counts.banker_pairs,
        counts.player_pairs,
        counts.naturals
    );
    let result = |bead: &BeadView| match &*bead.outcome {
        "banker" => 'B',
        "player" => 'P',
        _ => 'T',
    };
    text += "results  ";
    text.extend(roads.beads.iter().map(result));
    text += "\nbig road\n";
    // A road that came from afar is as wide as it says, up to what anybody could look at.
    let wide = roads.big.iter().map(|run| run.column + 1).max().unwrap_or(0).min(WIDEST);
    let mut grid = vec![vec!["  ".to_owned(); wide]; ROWS];
    for run in &roads.big {
        let letter = if run.side == "banker" { 'B' } else { 'P' };
        let ties = if run.ties == 0 { " ".into() } else { run.ties.min(9).to_string() };
        if let Some(cell) = grid.get_mut(run.row).and_then(|row| row.get_mut(run.column)) {
            *cell = format!("{letter}{ties}");
        }
    }
    for row in grid.iter().filter(|row| row.iter().any(|cell| cell.trim() != "")) {
        text += &format!("  {}\n", row.concat().trim_end());
    }
    let derived = [
        ("big eye boy", &roads.big_eye),
        ("small road", &roads.small),
        ("cockroach pig", &roads.pig),
    ];
    for (name, road) in derived {
        let marks: String = road.iter().map(|cell: &MarkView| letter(&cell.mark)).collect();
        text += &format!("{name:<14} {marks}\n");
    }
    text += &format!("next Banker would leave {}", asks(&roads.ask_banker));
    text += &format!(", next Player {}\n", asks(&roads.ask_player));
    text + "r is regular, b is not. Roads are history; they say nothing of the next coup.\n"
}
