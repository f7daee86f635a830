//! `sabot play --deal`: you are the dealer. What is due is asked for; what is done is judged.

use std::io::{BufRead, Write};

use anyhow::Result;
use rules::Card;
use table::{
    Act, By, Checker, CutBy, Deed, Due, Next, Phase, PlayerId, Refusal, Role, SuspendedWhy, Work,
};
use transcript::{Said, understand};

use super::desk::Desk;
use super::orders::Reply;
use super::pages;
use super::seat::{Moved, Seat as _, Wait};
use crate::typed::text_of;

/// The orders that a dealer has beside the lines of a transcript.
pub(crate) const HELP: &str = "  \
Enter                do what is due; the system's shoe gives the card
  draws to player      a card to a hand, due or not; also `draws to banker`
  draws in excess      a card that belongs to no hand; `face down` behind it if so
  5h                   with real cards (--keyed): it goes where one is due
  3h 4c                … two are turned, four are dealt
  check, shuffle, place, burn, deal, draw, turn    in a word, when it is due
  draws 5h to player   … and `finds 5h face up`
  skips the burn, burns unseen, burns 5h and 3 cards, burns 2 more cards
  cutting card appears, shoe runs out
  calls no more bets, reduces banker, passes the player cards to Ada
  reconstructs the coup, cannot reconstruct the coup, resumes
  voids the coup because ..., finds an error in coup 3, decides: ...
  operator voids coup 3 because ..., operator decides the dispute over coup 3: ...
  Ada bets 50 on tie   any line of a transcript will do; `operator sets face=down`
  why [WORD], roads, sign, shoe, log, players N, help, quit
";

/// What is due, in words, and the line that does it.
pub(crate) fn due_words(desk: &Desk, due: &Due) -> (String, String) {
    let name = |id: PlayerId| desk.table().player(id).name.to_string();
    match due.next {
        Next::Replace => {
            ("the cards must be replaced".into(), "operator replaces the cards".into())
        }
        Next::Check(by) => {
            let who = match by {
                Checker::Dealer => "dealer",
                Checker::Supervisor => "supervisor",
                Checker::Device => "device",
            };
            (format!("the {who} checks the cards"), format!("{who} checks the cards"))
        }
        Next::Players => {
            let what = "the first player comes, and may look the cards over";
            (what.into(), "NAME sits at 1 with 500".into())
        }
        Next::Shuffle => ("shuffle".into(), "dealer shuffles".into()),
        Next::Cut(Some(CutBy::Player(id))) => {
            (format!("{} cuts", name(id)), format!("{} cuts at 208", name(id)))
        }
        Next::Cut(Some(CutBy::Staff(who))) => (who.to_string(), "supervisor cuts at 208".into()),
        Next::Cut(None) => ("a player cuts".into(), "NAME cuts at 208".into()),
        Next::PlaceCuttingCard(behind) => (
            format!("place the cutting card, {behind} cards behind it"),
            format!("dealer places the cutting card at {behind}"),
        ),
        Next::Burn => ("burn: show the first card".into(), "dealer burns CARD".into()),
        Next::Wagers => {
            ("wagers are open; then no more bets".into(), "dealer calls no more bets".into())
        }
        Next::Card(side) => {
            (format!("a card to {side}"), format!("dealer draws CARD to {}", side.key()))
        }
        Next::Turn { side, third, by } => {
            let who = by.map_or("the dealer".into(), name);
            let (what, line) = if third { ("third card", "CARD") } else { ("cards", "CARD CARD") };
            let speaker = by.map_or("dealer".into(), name);
            let line = format!("{speaker} turns the {} {what} {line}", side.key());
            (format!("{who} turns {side}'s {what}"), line)
        }
        Next::Inspector => ("the inspector comes back".into(), "inspector returns".into()),
        Next::Decide(why) => {
            let choices = match why {
                SuspendedWhy::OutOfSequence => {
                    "reconstructs the coup | cannot reconstruct the coup"
                }
                SuspendedWhy::Changes | SuspendedWhy::WrongPerson => "resumes",
            };
            ("a supervisor decides".into(), format!("{choices} | voids the coup because …"))
        }
    }
}

/// Which cards the person at the screen deals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cards {
    /// Those of the system's shoe.
    System,
    /// Real ones, keyed in.
    Keyed,
}

/// Does what a line says.
pub(crate) fn obey(desk: &mut Desk, line: &str, cards: Cards) -> Result<Reply> {
    let text = line.trim();
    let lower = text.to_lowercase();
    match lower.as_str() {
        "help" | "?" => return Ok(Reply::Page(HELP.into())),
        "quit" | "q" => return Ok(Reply::Quit),
        "why" | "w" => return Ok(Reply::Page(pages::why_last(desk))),
        "roads" => return Ok(Reply::Page(pages::roads(desk))),
        "sign" => return Ok(Reply::Page(pages::sign(desk))),
        "shoe" => return Ok(Reply::Page(pages::shoe(desk))),
        "log" => return Ok(Reply::Page(pages::log(desk, 30))),
        "leave" => return Ok(Reply::Leave),
        "" => return do_due(desk, cards),
        _ => {}
    }
    if let Some(about) = lower.strip_prefix("why ") {
        return Ok(Reply::Page(pages::why(desk, about.trim())));
    }
    if let Some(count) = lower.strip_prefix("players ").and_then(|count| count.trim().parse().ok())
    {
        if count > super::guests::Guests::MOST {
            return Ok(Reply::Help("a number from 0 to 6".into()));
        }
        return desk.set_guests(count).map(|()| Reply::Done);
    }
    let typed: Option<Vec<Card>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    if let Some(typed) = typed {
        return keyed(desk, &typed);
    }
    if let Some(reply) = in_a_word(desk, &lower, cards)? {
        return Ok(reply);
    }
    match read(text) {
        Ok((by, act)) => {
            let _ = act_by(desk, by, act)?;
            Ok(Reply::Done)
        }
        Err(help) => Ok(Reply::Help(help)),
    }
}

/// Does an act. Before one that ends the time for wagers the simulated players bet.
fn act_by(desk: &mut Desk, by: By, act: Act) -> Result<Result<(), Refusal>> {
    let open = desk.table().phase() == Phase::Betting && !desk.table().is_no_bet();
    if open && matches!(act, Act::Dealer(Work::NoMoreBets | Work::Deal(_))) {
        desk.guests_bet()?;
    }
    desk.act_by(by, act)
}

fn is_deal(word: &str) -> bool {
    matches!(word, "deal" | "deals")
}

/// One word that names what is due does it; the system's shoe gives the card, or it is asked for.
fn in_a_word(desk: &mut Desk, word: &str, cards: Cards) -> Result<Option<Reply>> {
    let Some(next) = desk.table().due().map(|due| due.next) else { return Ok(None) };
    let is_due = match word {
        "check" | "checks" => matches!(next, Next::Check(_)),
        "shuffle" | "shuffles" => next == Next::Shuffle,
        "place" | "places" => matches!(next, Next::PlaceCuttingCard(_)),
        "burn" | "burns" => next == Next::Burn,
        "draw" | "draws" => matches!(next, Next::Card(_)),
        "turn" | "turns" => matches!(next, Next::Turn { .. }),
        // In a coup it is the third card; before it, all four.
        "deal" | "deals" if desk.table().phase() == Phase::Dealing => {
            matches!(next, Next::Card(_))
        }
        "deal" | "deals"
            if cards == Cards::Keyed && matches!(next, Next::Wagers | Next::Card(_)) =>
        {
            let help = "which four cards? `3h Kd 3c 2s`, in the order of dealing";
            return Ok(Some(Reply::Help(help.into())));
        }
        _ => return Ok(None),
    };
    if !is_due {
        return Ok(None);
    }
    let mut reply = do_due(desk, cards)?;
    // The house commits to a shoe before it shuffles; a dealer shuffles once.
    if next == Next::Shuffle
        && cards == Cards::System
        && desk.table().due().is_some_and(|due| due.next == next)
    {
        reply = do_due(desk, cards)?;
    }
    Ok(Some(reply))
}

/// Reads a line of a transcript, of which the dealer may leave out who and which card.
fn read(text: &str) -> Result<(By, Act), String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower: Vec<_> = words.iter().map(|word| word.to_lowercase()).collect();
    let lower: Vec<_> = lower.iter().map(String::as_str).collect();
    let opened = match lower.as_slice() {
        [word] if is_deal(word) => "deals ?? ?? ?? ??".to_owned(),
        ["check" | "checks"] => "checks the cards".to_owned(),
        ["draw" | "draws"] => return Err(not_due("a card", "draws to player")),
        ["burn" | "burns"] => return Err(not_due("a burn", "burns 5h")),
        ["place" | "places"] => {
            return Err(not_due("the cutting card", "places the cutting card at 14"));
        }
        ["turn" | "turns"] => return Err(not_due("turning cards", "turns the player cards")),
        ["draw" | "draws", "to" | "in", ..] => format!("draws ?? {}", words[1..].join(" ")),
        _ => text.to_owned(),
    };
    let mut wrong = None;
    let named = words.first().is_some_and(|word| transcript::is_role(word));
    // Who is not named is the dealer, or a supervisor; one word alone names nobody.
    let whose: &[&str] = match (named, words.len()) {
        (true, _) => &[""],
        (false, 1) => &["dealer ", "supervisor "],
        (false, _) => &["", "supervisor "],
    };
    for who in whose {
        match understand(&format!("{who}{opened}")) {
            // Who deals did not say that a supervisor spoke.
            Ok(Said::Act(by, act)) if !named && !act.is_for(&by) => {
                return Ok((By::role(Role::Dealer), *act));
            }
            Ok(Said::Act(by, act)) => return Ok((by, *act)),
            Ok(_) => return Err("the table is open; say what is done at it".into()),
            // The reading that came furthest has the best advice.
            Err(fault) => {
                let column = fault.column.saturating_sub(who.len());
                if wrong.as_ref().is_none_or(|(furthest, _)| column > *furthest) {
                    wrong = Some((column, fault.to_string()));
                }
            }
        }
    }
    Err(wrong.map_or(String::new(), |(_, fault)| format!("{fault}; `help` has examples")))
}

/// Help for somebody who does in a word what is not due.
fn not_due(what: &str, line: &str) -> String {
    format!("{what} is not due now; to do it all the same, say all of it, as in `{line}`")
}

/// Cards alone go where cards are due.
fn keyed(desk: &mut Desk, cards: &[Card]) -> Result<Reply> {
    let due = desk.table().due().map(|due| due.next);
    let act = match (due, cards) {
        (Some(Next::Burn), [card]) => Act::Dealer(Work::Burn(*card)),
        (Some(Next::Card(side)), [card]) => {
            Act::Dealer(Work::Draw { card: Some(*card), to: side, face_down: false })
        }
        (Some(Next::Card(_) | Next::Wagers), [a, b, c, d]) => {
            Act::Dealer(Work::Deal([*a, *b, *c, *d].map(Some)))
        }
        (Some(Next::Turn { side, third: true, by }), [card]) => by_player(
            desk,
            by,
            Deed::TurnThird(side, Some(*card)),
            Work::TurnThird(side, Some(*card)),
        ),
        (Some(Next::Turn { side, third: false, by }), [first, second]) => {
            let cards = Some([*first, *second]);
            by_player(desk, by, Deed::Turn(side, cards), Work::Turn(side, cards))
        }
        _ => {
            let help = "so many cards are not due now; say what is done with them, as in `draws 5h \
                        to player` or `draws 5h in excess`";
            return Ok(Reply::Help(help.into()));
        }
    };
    let _ = act_by(desk, By::usual(&act), act)?;
    Ok(Reply::Done)
}

fn by_player(desk: &Desk, by: Option<PlayerId>, deed: Deed, work: Work) -> Act {
    match by {
        Some(id) => Act::Player(desk.table().player(id).name, deed),
        None => Act::Dealer(work),
    }
}

/// Does what is due, as far as no card has to be named.
fn do_due(desk: &mut Desk, cards: Cards) -> Result<Reply> {
    let Some(due) = desk.table().due() else {
        return Ok(Reply::Help("the table is closed".into()));
    };
    if due.next == Next::Wagers {
        // What the last round brought stays to be read until the players bet.
        if desk.table().is_no_bet() || !desk.guests_bet()? {
            let _ = desk.act(Act::Dealer(Work::NoMoreBets))?;
        }
        return Ok(Reply::Done);
    }
    let seen = desk.table().coming().is_some_and(|coming| coming.card.is_some());
    if let (Next::Card(to), true, Cards::Keyed) = (due.next, seen, cards) {
        let _ = desk.act(Act::Dealer(Work::Draw { card: None, to, face_down: false }))?;
        return Ok(Reply::Done);
    }
    if matches!(due.next, Next::Decide(_) | Next::Inspector | Next::Players) {
        return Ok(Reply::Help(due_words(desk, &due).1));
    }
    // Where people cut is theirs to say.
    let people = desk.table().present().next().is_some();
    if let (Next::Cut(Some(CutBy::Player(_)) | None), true) = (due.next, people) {
        let (what, line) = due_words(desk, &due);
        return Ok(Reply::Help(format!("{what}: at which depth? `{line}`")));
    }
    if cards == Cards::System {
        if desk.advance()? == Moved::Waits(Wait::Over) {
            return Ok(Reply::Help("the table is closed".into()));
        }
        return Ok(Reply::Done);
    }
    let act = match due.next {
        Next::Replace => Act::ReplaceCards,
        Next::Check(by) => Act::Dealer(Work::Check(by)),
        Next::Shuffle => Act::Dealer(Work::Shuffle),
        Next::PlaceCuttingCard(behind) => Act::Dealer(Work::PlaceCuttingCard(behind)),
        Next::Players
        | Next::Cut(_)
        | Next::Burn
        | Next::Wagers
        | Next::Card(_)
        | Next::Turn { .. }
        | Next::Inspector
        | Next::Decide(_) => {
            let (what, line) = due_words(desk, &due);
            return Ok(Reply::Help(format!("{what}: which card? `5h`, or `{line}`")));
        }
    };
    let _ = desk.act(act)?;
    Ok(Reply::Done)
}

/// What the simulated players do when it is their turn; with the system's cards they turn theirs.
pub(crate) fn others(desk: &mut Desk, cards: Cards) -> Result<()> {
    loop {
        let Some(due) = desk.table().due() else { return Ok(()) };
        match due.next {
            Next::Cut(by @ (Some(CutBy::Player(_)) | None)) => {
                let by = match by {
                    Some(CutBy::Player(id)) => Some(desk.table().player(id).name),
                    Some(CutBy::Staff(_)) | None => desk.guests.at(desk.table()).first().copied(),
                };
                let Some(name) = by.filter(|name| desk.guests.is_one(*name)) else {
                    return Ok(());
                };
                let depth = desk.any_cut();
                if desk.act_simulated(name, Deed::Cut(depth))?.is_err() {
                    return Ok(());
                }
            }
            Next::Turn { side, third, by: Some(id) } if cards == Cards::System => {
                let name = desk.table().player(id).name;
                let deed = if third { Deed::TurnThird(side, None) } else { Deed::Turn(side, None) };
                if !desk.guests.is_one(name) || desk.act_simulated(name, deed)?.is_err() {
                    return Ok(());
                }
            }
            Next::Replace
            | Next::Check(_)
            | Next::Players
            | Next::Shuffle
            | Next::Cut(Some(CutBy::Staff(_)))
            | Next::PlaceCuttingCard(_)
            | Next::Burn
            | Next::Wagers
            | Next::Card(_)
            | Next::Turn { .. }
            | Next::Inspector
            | Next::Decide(_) => return Ok(()),
        }
    }
}

/// The question before a line is typed.
pub(crate) fn question(desk: &Desk) -> String {
    let Some(due) = desk.table().due() else { return "the table is closed".into() };
    let (what, line) = due_words(desk, &due);
    let clauses = pages::cited(desk, &due.clauses);
    let waits = desk.table().coming().map_or(String::new(), |coming| match coming.card {
        Some(card) => format!("; {card} waits and comes first"),
        None => "; a card waits and comes first".into(),
    });
    let what = if due.next != Next::Wagers {
        what
    } else if desk.table().is_no_bet() {
        "no bets in this coup; call it".into()
    } else if desk.guests_will_bet() {
        "wagers are open: Enter lets them bet".into()
    } else {
        what
    };
    let space = if clauses.is_empty() { "" } else { " " };
    format!("next: {what}{waits}{space}{clauses} ({line})")
}

/// Deals line by line until the input ends or the dealer goes.
pub(crate) fn run(
    desk: &mut Desk,
    cards: Cards,
    mut input: impl BufRead,
    out: &mut impl Write,
) -> Result<bool> {
    let mut told = 0;
    writeln!(out, "{}", pages::table_in_short(desk))?;
    writeln!(out, "you deal; `help` tells how, Enter does what is due")?;
    loop {
        others(desk, cards)?;
        super::plain::tell(desk, out, &mut told)?;
        write!(out, "{} > ", question(desk))?;
        out.flush()?;
        let Some(line) = text_of(&mut input, out)? else {
            writeln!(out)?;
            return Ok(false);
        };
        match obey(desk, &line, cards)? {
            Reply::Page(page) => write!(out, "{page}")?,
            Reply::Help(help) => writeln!(out, "{help}")?,
            Reply::Quit => return Ok(false),
            Reply::Leave if desk.leave()? => {
                super::plain::tell(desk, out, &mut told)?;
                return Ok(true);
            }
            // What holds the players was told, and the game goes on.
            Reply::Done | Reply::Leave => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_names_nobody_is_the_dealers_or_a_supervisors() {
        let role = |line| read(line).map(|(by, _)| by.role);
        assert_eq!(role("no more bets"), Ok(Role::Dealer));
        assert_eq!(role("reconstructs the coup"), Ok(Role::Supervisor));
        assert_eq!(role("inspector checks the cards"), Ok(Role::Inspector));
        // What neither may do is refused to the dealer, who said it.
        assert_eq!(role("closes the table"), Ok(Role::Dealer));
    }
}
