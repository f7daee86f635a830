//! What can be read at the table: the reasons, the sign, the roads, the shoe.

use rules::{Clause, Group, Spot, lies_within};
use table::roads::{Mark, ROWS, Roads};

use super::desk::{Desk, Kind, LogLine};
use crate::books::short;
use crate::show::count;

/// A clause as the table shows it.
pub(crate) fn cited(desk: &Desk, clauses: &[Clause]) -> String {
    let rulebook = &desk.book().rulebook;
    let shown: Vec<_> = clauses.iter().map(|clause| short(rulebook, *clause)).collect();
    if shown.is_empty() { String::new() } else { format!("[{}]", shown.join(", ")) }
}

/// An entry on one line.
pub(crate) fn told(desk: &Desk, entry: &LogLine) -> String {
    let mark = match entry.kind {
        Kind::Refused => "no: ",
        Kind::Call | Kind::Note | Kind::Play | Kind::Detail => "",
    };
    let clauses = cited(desk, &entry.clauses);
    format!("{mark}{} {clauses}", entry.what).trim_end().to_owned()
}

/// The last things that happened.
pub(crate) fn log(desk: &Desk, count: usize) -> String {
    let from = desk.log.len().saturating_sub(count);
    let lines = desk.log[from..].iter().map(|entry| told(desk, entry));
    lines.fold(String::new(), |text, line| text + "  " + &line + "\n")
}

pub(crate) fn explain(desk: &Desk, entry: &LogLine) -> String {
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
pub(crate) fn why_last(desk: &Desk) -> String {
    let matters = |entry: &&LogLine| !entry.clauses.is_empty() && entry.kind != Kind::Detail;
    let last: Vec<_> = desk.log.iter().rev().filter(matters).take(4).collect();
    if last.is_empty() {
        return "nothing has happened yet\n".into();
    }
    let text = last.iter().rev().fold(String::new(), |text, entry| text + &explain(desk, entry));
    text + "`why WORD` finds more: a spot, a clause such as `7.1`, or a word of the log\n"
}

/// The reasons for something: a spot, a clause, or a word of what happened.
pub(crate) fn why(desk: &Desk, about: &str) -> String {
    if let Some(spot) = super::orders::spot(desk, about) {
        return why_spot(desk, spot);
    }
    let book = desk.book();
    let mut entries: Vec<_> = book.index.entries.iter().map(|entry| (entry, true)).collect();
    let base = book.base_index.iter().flat_map(|base| base.entries.iter());
    entries.extend(base.map(|entry| (entry, false)));
    let number = about.rsplit(' ').next().unwrap_or(about);
    let found: Vec<_> =
        entries.into_iter().filter(|(entry, _)| lies_within(&entry.id, number)).take(12).collect();
    if !found.is_empty() {
        let title = &book.rulebook.title;
        let line = |(entry, own): &(&rulebooks::ClauseEntry, bool)| {
            let id = if *own { title.id.as_str() } else { title.base.as_deref().unwrap_or("") };
            format!("  {id} {}: {}\n", entry.id, entry.gist)
        };
        return found.iter().map(line).collect();
    }
    let mentions = |entry: &&LogLine| entry.what.to_lowercase().contains(about);
    match desk.log.iter().rev().find(|entry| mentions(entry) && !entry.clauses.is_empty()) {
        Some(entry) => explain(desk, entry),
        None => format!(
            "nothing on the table is called `{about}`; ask about a spot, a clause such as `7.1`, \
             or a word of the log\n"
        ),
    }
}

fn why_spot(desk: &Desk, spot: Spot) -> String {
    let (table, rulebook) = (desk.table(), &desk.book().rulebook);
    let terms = table.terms();
    let offered = match rulebook.offers(spot, terms) {
        Ok(clause) => clause,
        Err(fault) => return format!("{fault}\n"),
    };
    let mut text = format!("{}\n", rulebook.spot_name(spot));
    let mut line = |what: String, clause: Clause| {
        let gist = desk.gist(clause).unwrap_or_default();
        text += &format!("  {what} [{clause}]: {gist}\n");
    };
    line("is offered".into(), offered);
    for (when, price) in rulebook.pays(spot, terms) {
        line(format!("{when} pays {}", price.value), price.clause);
    }
    let ties = match spot {
        Spot::Banker => Some(rulebook.banker.ties),
        Spot::Player => Some(rulebook.player.ties),
        Spot::Tie | Spot::Side(_) => None,
    };
    if let Some(ties) = ties {
        line(format!("on a tie: {}", ties.value), ties.clause);
    }
    if let Some(shown) = rulebook.limits.displayed {
        let limits = table.limits(table.group(spot));
        let limits = limits.map_or("none".into(), |l| format!("{} to {}", l.least, l.most));
        line(format!("limits on the sign: {limits}"), shown.clause);
    }
    text
}

/// The table in one line; the sign has the rest.
pub(crate) fn table_in_short(desk: &Desk) -> String {
    let (table, spots) = (desk.table(), desk.spots());
    let rulebook = &desk.book().rulebook;
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
    let name = desk.book().rulebook.title.name();
    format!(
        "{name}, {}, play money: {}; `sign` has the payouts",
        count(decks, "deck"),
        offered.join(", ")
    )
}

/// What hangs at the table.
pub(crate) fn sign(desk: &Desk) -> String {
    let (table, rulebook) = (desk.table(), &desk.book().rulebook);
    let title = &rulebook.title;
    let mut text = format!("{}: {}, {}\n", title.name(), title.game, title.jurisdiction);
    let decks = rulebook.cards.decks.clause;
    let played = table.options().decks;
    text += &format!("  {} [{}]; play money\n", count(played, "deck"), short(rulebook, decks));
    for spot in desk.spots() {
        let limits = table.limits(table.group(spot));
        let limits = limits.map_or(String::new(), |l| {
            let step = l.step.map_or(String::new(), |step| format!(" by {step}"));
            format!("{}..{}{step}", l.least, l.most)
        });
        text += &format!("  {:<20} {limits}\n", rulebook.spot_name(spot));
        for (when, price) in rulebook.pays(spot, table.terms()) {
            let by = short(rulebook, price.clause);
            text += &format!("      {when:<18} {} [{by}]\n", price.value);
        }
    }
    text += "  a wrong card, a void, a dispute: `why` and the clause tell how it is put right\n";
    text
}

/// What was published of the shoe, and what of it holds.
pub(crate) fn shoe(desk: &Desk) -> String {
    let Some(record) = desk.client.published() else {
        return "no shoe yet: its commitment comes before the shuffle\n".into();
    };
    let mut text =
        format!("shoe {} of {}\n", desk.client.shoe_number(), count(record.decks, "deck"));
    text += &format!("  commitment  {}\n", record.commitment);
    match record.root {
        Some(root) => text += &format!("  root        {root}\n"),
        None => text += "  root        comes with the shuffle, before the cut\n",
    }
    text += &part_taken(desk, record);
    if let Some(cut) = record.cut {
        text += &format!("  cut at      {cut}\n");
    }
    text += &holds(record);
    if let Some(finished) = &desk.finished {
        text += &format!("the shoe before, root {}\n{}", root(finished), holds(finished));
    }
    text + "  `sabot audit shoe` prints the record; docs/VERIFY.md says how to check it yourself\n"
}

/// Who took part in making the shoe.
fn part_taken(desk: &Desk, record: &shoe::ShoeRecord) -> String {
    let Some(way) = record.second() else {
        return "  made by the first procedure, which is weaker\n".into();
    };
    let me = desk.my_account();
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

const fn letter(mark: Mark) -> char {
    match mark {
        Mark::Red => 'r',
        Mark::Blue => 'b',
    }
}

/// What the next result would leave in the derived roads.
pub(crate) fn asks(roads: &Roads, side: rules::Side) -> String {
    let mark = |mark: &Option<Mark>| mark.map_or('-', letter);
    roads.ask(side).iter().map(mark).map(String::from).collect::<Vec<_>>().join(" ")
}

/// The scoreboard as text: letters, so that it can be read aloud.
pub(crate) fn roads(desk: &Desk) -> String {
    let roads = desk.table().roads();
    let (banker, player, ties) = roads.counts();
    let pairs =
        |of: fn(&table::roads::Bead) -> bool| roads.beads().iter().filter(|bead| of(bead)).count();
    let (banker_pairs, player_pairs) = (pairs(|b| b.banker_pair), pairs(|b| b.player_pair));
    let naturals = pairs(|bead| bead.natural);
    let mut text = format!(
        "Banker {banker}, Player {player}, ties {ties}; pairs: Banker {banker_pairs}, Player \
         {player_pairs}; naturals {naturals}\n"
    );
    text += "results  ";
    for bead in roads.beads() {
        text.push(match bead.outcome {
            rules::Outcome::Won(rules::Side::Banker) => 'B',
            rules::Outcome::Won(rules::Side::Player) => 'P',
            rules::Outcome::Tie => 'T',
        });
    }
    text += "\nbig road\n";
    let wide = roads.big_road().map(|(cell, ..)| cell.column + 1).max().unwrap_or(0);
    let mut grid = vec![vec!["  ".to_owned(); wide]; ROWS];
    for (cell, side, ties) in roads.big_road() {
        let letter = if side == rules::Side::Banker { 'B' } else { 'P' };
        let ties = if ties == 0 { " ".into() } else { ties.min(9).to_string() };
        grid[cell.row][cell.column] = format!("{letter}{ties}");
    }
    for row in grid.iter().filter(|row| row.iter().any(|cell| cell.trim() != "")) {
        text += &format!("  {}\n", row.concat().trim_end());
    }
    for (name, road) in ["big eye boy", "small road", "cockroach pig"].iter().zip(roads.derived()) {
        let marks: String = road.marks().iter().copied().map(letter).collect();
        text += &format!("{name:<14} {marks}\n");
    }
    text += &format!("next Banker would leave {}", asks(roads, rules::Side::Banker));
    text += &format!(", next Player {}\n", asks(roads, rules::Side::Player));
    text + "r is regular, b is not. Roads are history; they say nothing of the next coup.\n"
}
