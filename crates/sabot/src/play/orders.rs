//! What can be said at the table, in the line mode and behind `:` on the screen.

use anyhow::Result;
use rules::{Cents, Spot};

use super::pages;
use super::seat::{Face, Seat, Sure, Wait};

/// What becomes of an order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// It was done; what there is to tell is in the log.
    Done,
    /// Something to read.
    Page(String),
    /// A word of help: the order was not understood.
    Help(String),
    /// The session ends and can be resumed.
    Quit,
    /// The person leaves the table for good.
    Leave,
}

/// Every order: the word, its short form, what follows it, and what it does.
pub(crate) const ORDERS: &[(&str, &str, &str, &str)] = &[
    ("bet", "b", "AMOUNT SPOT", "place chips: `bet 50 banker`; `banker 50` is the same"),
    ("deal", "d", "", "no more bets: the coup is dealt"),
    ("rebet", "r", "", "place the wagers of the round before again"),
    ("double", "x", "", "place every wager once more"),
    ("undo", "u", "", "take the last chips back, or place again what was taken back"),
    ("take", "", "SPOT", "take a wager back"),
    ("clear", "c", "", "take all wagers back"),
    ("nobet", "n", "", "ask for a coup without wagers; said twice, it is done"),
    ("cut", "", "[DEPTH]", "cut the cards, when the cut is yours"),
    ("decline", "", "", "let somebody else cut"),
    ("turn", "t", "", "turn the cards that you were given"),
    ("squeeze", "s", "", "look at them bit by bit, then turn them"),
    ("refuse", "", "", "let somebody else turn them"),
    ("face", "", "down|up", "have cards dealt face down, or up"),
    ("why", "w", "[SPOT|CLAUSE|WORD]", "the clause behind what happened last, or behind that"),
    ("sign", "", "", "wagers, payouts and limits, with their clauses"),
    ("roads", "", "", "the scoreboard, and what the next result would leave in it"),
    ("shoe", "", "", "what was published of the shoe, and what it proves"),
    ("log", "l", "", "what happened last"),
    ("players", "", "N", "simulated players at the other seats, 0 to 6"),
    ("chips", "$", "", "leave and sit down again with new play money; said twice, it is done"),
    ("help", "?", "", "these orders"),
    ("leave", "", "", "leave the table for good; the shoe's secret is published"),
    ("quit", "q", "", "stop; `sabot play --resume` goes on"),
];

/// The orders as a page.
pub(crate) fn help() -> String {
    let mut text = String::new();
    for (word, short, rest, about) in ORDERS {
        let order = if rest.is_empty() { (*word).to_owned() } else { format!("{word} {rest}") };
        let short = if short.is_empty() { String::new() } else { format!("({short})") };
        text += &format!("  {order:<24} {short:<4} {about}\n");
    }
    text += "  spots: player, banker, tie, and side bets by their word or its initials: pp for\n";
    text += "  player-pair. `sign` lists those of this table. Chips are play money.\n";
    text
}

/// The spot that a word names: the word itself, a letter for a main wager, or the initials of a
/// side bet that this table offers.
pub(crate) fn spot(desk: &dyn Seat, word: &str) -> Option<Spot> {
    match word {
        "p" => return Some(Spot::Player),
        "t" => return Some(Spot::Tie),
        _ => {}
    }
    let spots = desk.spots();
    let initials = |spot: &&Spot| {
        spot.key().split('-').filter_map(|part| part.chars().next()).eq(word.chars())
    };
    // A spot that the book has and this table does not offer is one, too.
    let known = desk.book().map(|book| book.rulebook.spots()).unwrap_or_default();
    let exact = spots.iter().copied().chain(known).find(|spot| spot.key() == word);
    let side = |spot: &&Spot| matches!(spot, Spot::Side(_));
    exact.or_else(|| spots.iter().filter(side).find(initials).copied())
}

/// Does what a line says.
pub(crate) fn obey(desk: &mut dyn Seat, wait: Wait, line: &str) -> Result<Reply> {
    let lower = line.trim().to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().filter(|word| *word != "on").collect();
    desk.change_mind(match words.first() {
        Some(&("nobet" | "n")) => Some(Sure::NoBet),
        Some(&("chips" | "$")) => Some(Sure::NewChips),
        _ => None,
    });
    let Some((first, rest)) = words.split_first() else {
        return Ok(Reply::Help(suggest(wait)));
    };
    if let (Some(spot), [amount]) = (spot(desk, first), rest)
        && let Ok(amount) = amount.parse::<Cents>()
    {
        desk.bet(spot, amount)?;
        return Ok(Reply::Done);
    }
    if first.parse::<Cents>().is_ok() {
        return bet(desk, &words);
    }
    let known = ORDERS.iter().find(|(word, short, ..)| word == first || short == first);
    let Some((order, ..)) = known else {
        // What is no order may be a line of the language.
        return Ok(desk.line(line)?.unwrap_or_else(|| Reply::Help(unknown(first, wait))));
    };
    if let Some(reply) = read(desk, order, rest) {
        return Ok(reply);
    }
    act(desk, wait, order, rest)
}

/// Orders that only show something, or end the session.
fn read(desk: &dyn Seat, order: &str, rest: &[&str]) -> Option<Reply> {
    Some(match (order, rest) {
        ("why", []) => Reply::Page(pages::why_last(desk)),
        ("why", words) => Reply::Page(pages::why(desk, &words.join(" "))),
        ("sign", []) => Reply::Page(pages::sign(desk)),
        ("roads", []) => Reply::Page(pages::roads(desk)),
        ("shoe", []) => Reply::Page(pages::shoe(desk)),
        ("log", []) => Reply::Page(pages::log(desk, 20)),
        ("help", _) => Reply::Page(help()),
        ("leave", []) => Reply::Leave,
        ("quit", []) => Reply::Quit,
        _ => return None,
    })
}

/// Orders that do something at the table.
fn act(desk: &mut dyn Seat, wait: Wait, order: &str, rest: &[&str]) -> Result<Reply> {
    match (order, rest) {
        ("bet", words) => return bet(desk, words),
        ("take", [word]) => match spot(desk, word) {
            Some(spot) => desk.take_back(&[spot])?,
            None => return Ok(Reply::Help(format!("`{word}` is no spot"))),
        },
        ("deal", []) if wait == Wait::Wagers || desk.runs_by_itself() => drop(desk.call()?),
        ("deal", []) => desk.say(suggest(wait)),
        ("rebet", []) => desk.rebet()?,
        ("double", []) => desk.double()?,
        ("undo", []) => desk.undo()?,
        ("clear", []) => desk.clear()?,
        ("nobet", []) => desk.no_bet()?,
        ("cut", []) => {
            let depth = desk.any_cut();
            desk.cut(depth)?;
        }
        ("cut", [depth]) => {
            if let Ok(depth) = depth.parse() {
                desk.cut(depth)?;
            } else {
                let (least, most) = desk.cut_range();
                return Ok(Reply::Help(format!("a depth from {least} to {most}, as in `cut 200`")));
            }
        }
        ("decline", []) => drop(desk.decline_cut()?),
        ("turn" | "squeeze", []) => match wait {
            Wait::Turn { side, third } => drop(desk.turn(side, third)?),
            Wait::Cut | Wait::Wagers | Wait::Others | Wait::Over => {
                desk.say("no cards are yours to turn now".into());
            }
        },
        ("refuse", []) => drop(desk.refuse_cards()?),
        ("face", ["down"]) => desk.face(Face::Down)?,
        ("face", ["up"]) => desk.face(Face::Up)?,
        ("players", [count]) => match count.parse::<usize>() {
            Ok(count) if count <= super::guests::Guests::MOST => desk.set_guests(count)?,
            _ => return Ok(Reply::Help("a number from 0 to 6".into())),
        },
        ("chips", []) => desk.fresh_chips()?,
        (order, _) => {
            let form = ORDERS.iter().find(|(word, ..)| *word == order);
            let form = form.map_or("", |(_, _, rest, _)| rest);
            return Ok(Reply::Help(format!("the order is `{}`", format!("{order} {form}").trim())));
        }
    }
    Ok(Reply::Done)
}

/// An amount and a spot, in either order.
fn bet(desk: &mut dyn Seat, words: &[&str]) -> Result<Reply> {
    let spots: Vec<_> = desk.spots().iter().map(|spot| spot.key()).collect();
    let help = format!("an amount and a spot, as in `bet 50 banker`; spots: {}", spots.join(", "));
    let help = || Ok(Reply::Help(help.clone()));
    // A spot of two words may be said in two.
    let joined: Vec<String> = match words {
        [amount, a, b] if amount.parse::<Cents>().is_ok() => {
            vec![(*amount).into(), format!("{a}-{b}")]
        }
        [a, b, amount] => vec![(*amount).into(), format!("{a}-{b}")],
        words => words.iter().map(|word| (*word).to_owned()).collect(),
    };
    let [one, other] = joined.as_slice() else { return help() };
    match (spot(desk, one), spot(desk, other), one.parse(), other.parse()) {
        (Some(spot), None, _, Ok(amount)) | (None, Some(spot), Ok(amount), _) => {
            desk.bet(spot, amount)?;
            Ok(Reply::Done)
        }
        _ => help(),
    }
}

/// What to do now, in a word.
pub(crate) fn suggest(wait: Wait) -> String {
    match wait {
        Wait::Cut => "the cut is yours: `cut`, `cut 200` or `decline`".into(),
        Wait::Wagers => "`bet 25 banker`, then `deal`; `help` for all orders".into(),
        Wait::Turn { side, .. } => {
            format!("{side}'s cards are yours: `squeeze`, `turn` or `refuse`")
        }
        Wait::Others => "the table goes on by itself; `help` for all orders".into(),
        Wait::Over => "the table is closed; `quit`".into(),
    }
}

fn unknown(word: &str, wait: Wait) -> String {
    let near = ORDERS
        .iter()
        .map(|(order, ..)| (strsim::damerau_levenshtein(order, word), order))
        .min()
        .filter(|(distance, _)| *distance <= if word.len() > 3 { 2 } else { 1 });
    let word: String = word.chars().take(30).collect();
    match near {
        Some((_, order)) => format!("`{word}` is no order; perhaps `{order}`?"),
        None => format!("`{word}` is no order; {}", suggest(wait)),
    }
}
