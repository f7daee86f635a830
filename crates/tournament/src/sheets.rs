//! Sheets to print for a director who works alone: entrants, seating, scores and results. Plain
//! text of at most 80 columns; the same event always gives the same sheet.

mod scores;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use rules::Cents;

pub use scores::{Column, Row, Scores, score_sheet, scores};

use crate::conditions::{Moment, Prize, Ranking};
use crate::prizes::{FIXED, GOODS, LEFTOVER, sheet};
use crate::sitting::Sitting;
use crate::state::{POINT, Status};
use crate::tournament::Tournament;
use crate::written::Written as _;

/// The most columns of a line.
pub const WIDTH: usize = 80;

/// A heading of a sheet: the event, and what the sheet is.
fn heading(tournament: &Tournament, what: &str) -> String {
    let name = tournament.conditions().map_or("", |conditions| conditions.name.as_str());
    let title = if name.is_empty() { String::from(what) } else { format!("{name}: {what}") };
    let mut text = wrapped(&title, "");
    text += &format!("{}\n", "=".repeat(title.chars().count().min(WIDTH)));
    text
}

/// A text in the first so many columns; what is too long ends in `…`.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return format!("{text:<width$}");
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// A text in lines of at most [`WIDTH`] columns, each with this indent.
fn wrapped(text: &str, indent: &str) -> String {
    let (mut lines, mut line) = (String::new(), String::from(indent));
    for word in text.split_whitespace() {
        let used = line.chars().count();
        if used > indent.len() && used + 1 + word.chars().count() > WIDTH {
            lines += &format!("{line}\n");
            line = String::from(indent);
        }
        if line.len() > indent.len() {
            line.push(' ');
        }
        line += word;
    }
    lines + &format!("{line}\n")
}

/// A line without spaces at its end.
fn line(text: &str) -> String {
    format!("{}\n", text.trim_end())
}

/// Everybody who applied, in the order of application: what became of the application, the fee
/// that was paid, and whether the conditions were agreed to in writing.
#[must_use]
pub fn entrants(tournament: &Tournament) -> String {
    let mut text = heading(tournament, "entrants");
    text += &line(&format!(
        "{:>4}  {:<30} {:<12} {:>10} {:<7} {}",
        "no.", "name", "status", "paid", "agreed", "substitute"
    ));
    for (i, who) in tournament.entrants().iter().enumerate() {
        let status = match who.status {
            Status::Applied => "applied",
            Status::Refused => "refused",
            Status::Reserve => "reserve",
            Status::Entered => "entered",
            Status::Withdrawn => "withdrew",
            Status::Forfeited => "did not come",
            Status::Disqualified => "disqualified",
        };
        let agreed = if who.agreed { "yes" } else { "" };
        let substitute = who.substitute.map_or_else(String::new, |name| cut(&name, 10));
        text += &line(&format!(
            "{:>4}  {} {status:<12} {:>10} {agreed:<7} {substitute}",
            i + 1,
            cut(&who.name, 30),
            who.paid.to_string(),
        ));
    }
    let entered = tournament.entrants().iter().filter(|who| who.status == Status::Entered);
    let (pool, kept) = (tournament.pool(), tournament.commission());
    text += &format!("\n{} entered; pool {pool}, kept by the house {kept}\n", entered.count());
    text
}

/// The places of the next session if some are given, and otherwise those of the tables in play.
#[must_use]
pub fn seating(tournament: &Tournament) -> String {
    let stage = tournament.current_stage();
    let session = stage.map_or(0, |stage| tournament.stages()[stage].sessions);
    let coming = !tournament.allotments().is_empty();
    let none = !coming && !tournament.sittings().any(Sitting::is_live);
    let what = stage.filter(|_| !none).map_or_else(
        || String::from("seating"),
        |stage| {
            let number = session + u32::from(coming);
            format!("seating, {}, session {number}", tournament.stage_name(stage))
        },
    );
    let mut text = heading(tournament, &what);
    if let Some(start) = tournament.overview().start.filter(|_| coming) {
        text += &format!("starts {}\n", Moment(start).write());
    }
    let places = tournament.allotments().iter();
    let mut places: Vec<_> = places.map(|place| (place.table, place.seat, place.entrant)).collect();
    if !coming {
        let live = tournament.sittings().filter(|sitting| sitting.is_live());
        places.extend(live.flat_map(|sitting| {
            sitting.chairs.iter().map(|chair| (sitting.number, chair.seat, chair.entrant))
        }));
    }
    if places.is_empty() {
        text += "no places are given\n";
    }
    places.sort_unstable();
    let mut last = None;
    for (table, seat, id) in places {
        if last != Some(table) {
            text += &format!("\ntable {table}\n");
        }
        last = Some(table);
        let who = tournament.entrant(id);
        let substitute = who
            .substitute
            .map_or_else(String::new, |name| format!("  ({} plays)", cut(&name, 24).trim_end()));
        text += &line(&format!("  seat {seat:>2}  {}{substitute}", cut(&who.name, 32)));
    }
    text
}

/// The results: places and prizes, and how shares that were no whole cents were rounded.
#[must_use]
pub fn results(tournament: &Tournament) -> String {
    let mut text = heading(tournament, "results");
    let mut placed: Vec<_> =
        tournament.entrants().iter().filter(|who| who.place.is_some()).collect();
    placed.sort_by_key(|who| (who.place, core::cmp::Reverse(who.prize)));
    if placed.is_empty() {
        return text + "no prizes were awarded\n";
    }
    let points = tournament.conditions().is_some_and(|c| c.ranking == Ranking::Points);
    let last = if points { "points" } else { "" };
    text += &line(&format!("{:>5}  {:<36} {:>12} {last:>9}", "place", "name", "prize"));
    for who in &placed {
        let place = who.place.map_or_else(String::new, |place| place.to_string());
        let score = Cents::new(who.points * 100 / POINT).unwrap_or(Cents::ZERO).to_string();
        let score = if points { score } else { String::new() };
        let prize = if who.prize > Cents::ZERO { who.prize.to_string() } else { String::new() };
        text += &line(&format!("{place:>5}  {} {prize:>12} {score:>9}", cut(&who.name, 36)));
        for goods in &who.goods {
            text += &wrapped(goods, "       ");
        }
    }
    text += &rounding(tournament);
    text
}

/// The share of each place, before and after rounding.
fn rounding(tournament: &Tournament) -> String {
    let Some(conditions) = tournament.conditions() else { return String::new() };
    let placed = tournament.entrants().iter().filter(|who| who.place.is_some());
    let paid: u64 = placed.clone().map(|who| who.prize.get()).sum();
    let pool = Cents::new(paid).unwrap_or(Cents::ZERO);
    let sums = sheet(conditions, pool, placed.clone().count());
    let mut text = format!("\nThe pool of {pool} by places\n");
    let whole: u128 = conditions
        .prizes
        .iter()
        .take(sums.len())
        .filter_map(Prize::share)
        .map(|s| u128::from(s.0))
        .sum();
    let fixed = crate::prizes::fixed(&conditions.prizes[..conditions.prizes.len().min(sums.len())]);
    let rest = u128::from(pool.checked_sub(fixed).unwrap_or(Cents::ZERO).get());
    for (i, sum) in sums.iter().enumerate() {
        let stated = conditions.prizes.get(i);
        let how = match stated {
            Some(Prize::Share(part)) if whole > 0 => {
                let product = rest * u128::from(part.0);
                let (floor, exact) = (product / whole, product % whole == 0);
                let up = u128::from(sum.get()) > floor;
                let rounded = match (exact, up) {
                    (true, _) => "",
                    (false, true) => ", rounded up to the cent that was left over",
                    (false, false) => ", rounded down to the cent",
                };
                format!("{}{rounded}", part.write())
            }
            Some(Prize::Share(part)) => part.write(),
            Some(Prize::Sum(_)) => String::from("fixed"),
            Some(Prize::Goods(_)) => String::from("goods"),
            None => String::from("the whole pool"),
        };
        text += &line(&format!("{:>5}  {:>12}  {how}", i + 1, sum.to_string()));
    }
    text += &shared(tournament);
    text.push('\n');
    text += &wrapped(LEFTOVER, "");
    let has = |is: fn(&Prize) -> bool| conditions.prizes.iter().any(is);
    if has(|prize| matches!(prize, Prize::Sum(_))) {
        text += &wrapped(FIXED, "");
    }
    if has(|prize| matches!(prize, Prize::Goods(_))) {
        text += &wrapped(GOODS, "");
    }
    text
}

/// Players who shared places, and what each got.
fn shared(tournament: &Tournament) -> String {
    let mut placed: Vec<_> =
        tournament.entrants().iter().filter(|who| who.place.is_some()).collect();
    placed.sort_by_key(|who| who.place);
    let mut text = String::new();
    for group in placed.chunk_by(|a, b| a.place == b.place).filter(|group| group.len() > 1) {
        let sum: u64 = group.iter().map(|who| who.prize.get()).sum();
        let (Some(sum), Some(from)) = (Cents::new(sum), group[0].place) else { continue };
        if sum == Cents::ZERO {
            continue;
        }
        let to = from as usize + group.len() - 1;
        let each = group.iter().map(|who| format!("{} {}", who.name, who.prize));
        let each = each.collect::<Vec<_>>().join(", ");
        text += &wrapped(&format!("places {from} to {to} shared, {sum} in all: {each}"), "");
    }
    text
}

#[cfg(test)]
mod tests;
