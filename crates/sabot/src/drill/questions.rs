//! The questions: made by the engine, so that the book answers them.

use rulebooks::Book;
use rules::{Cents, Clause, Outcome, Side, Spot, Verdict};
use table::{Event, Fact, Next, Phase};

use super::bench::{Bench, Until, clauses_of};
use super::topic::Topic;
use super::trouble;
use crate::play::Chance;

/// A question, with its answer.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) topic: Topic,
    pub(super) text: String,
    pub(super) hint: String,
    pub(super) answer: String,
    /// What may be said for it, in lower case; the first is the shortest way.
    pub(super) accepted: Vec<String>,
    /// The words that answer the question, rightly or wrongly.
    pub(super) choices: Vec<&'static str>,
    pub(super) clauses: Vec<Clause>,
}

impl Question {
    /// Whether the answer is right; nothing if it does not answer the question at all.
    pub(super) fn judge(&self, said: &str) -> Option<bool> {
        let said = self.plain(said);
        let numbers = |text: &str| -> Option<Vec<Cents>> {
            text.split(' ').map(|word| word.parse().ok()).collect()
        };
        let same = |word: &String| {
            let word = self.plain(word);
            word == said || (numbers(&word).is_some() && numbers(&word) == numbers(&said))
        };
        if self.accepted.iter().chain([&self.answer]).any(same) {
            return Some(true);
        }
        // Anything else than a choice or a number was not understood.
        let answers = numbers(&said).is_some() || self.choices.contains(&said.as_str());
        answers.then_some(false)
    }

    /// The words that matter of an answer.
    fn plain(&self, said: &str) -> String {
        const IDLE: [&str; 24] = [
            "it", "is", "the", "a", "an", "wins", "win", "draws", "draw", "card", "cards", "more",
            "further", "starts", "coup", "rounds", "round", "are", "dealt", "burnt", "offered",
            "and", "one", "s",
        ];
        let lower = said.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric() && c != '.');
        let words = words.filter(|word| !word.is_empty() && !IDLE.contains(word));
        // Whose totals they are is clear from their order.
        let hands = ["player", "banker", "p", "b"];
        let words = words.filter(|word| self.topic != Topic::Totals || !hands.contains(word));
        words.collect::<Vec<_>>().join(" ")
    }
}

pub(super) fn words(accepted: &[&str]) -> Vec<String> {
    accepted.iter().map(|word| (*word).to_owned()).collect()
}

/// A question on a topic; nothing if the cards did not make one, or the book has no such rule.
pub(super) fn ask(topic: Topic, book: &Book, chance: &mut Chance) -> Option<Question> {
    match topic {
        Topic::Totals => totals(book, chance),
        Topic::NextCard => next_card(book, chance),
        Topic::Result => result(book, chance),
        Topic::Payout => payout(book, chance),
        Topic::Burn => burn(book, chance),
        Topic::Preparation => preparation(book, chance),
        Topic::NotDue => trouble::not_due(book, chance),
        Topic::ExcessCard => trouble::excess(book, chance),
        Topic::OutOfSequence => trouble::out_of_sequence(book, chance),
        Topic::CuttingCard => trouble::cutting_card(book, chance),
    }
}

fn totals(book: &Book, chance: &mut Chance) -> Option<Question> {
    let mut bench = Bench::later(book, chance)?;
    let events = bench.coup(Spot::Player, 50, Until::Over)?;
    let (player, banker) = events.iter().rev().find_map(|event| {
        let Fact::Totals { player, banker } = event.fact else { return None };
        Some((player, banker))
    })?;
    Some(Question {
        topic: Topic::Totals,
        text: format!("{}: the totals?", bench.hands()),
        hint: "Player and Banker, as in 6 7".into(),
        answer: format!("Player {player}, Banker {banker}"),
        accepted: vec![format!("{player} {banker}")],
        choices: Vec::new(),
        clauses: clauses_of(&events, |fact| matches!(fact, Fact::Totals { .. })),
    })
}

fn next_card(book: &Book, chance: &mut Chance) -> Option<Question> {
    let mut bench = Bench::later(book, chance)?;
    // Half of the questions come after Player's third card, where the tableau is hard.
    let cards = 4 + usize::try_from(bench.chance.below(2)).unwrap_or(0);
    let events = bench.coup(Spot::Player, 50, Until::Cards(cards))?;
    let (answer, accepted, clauses) = match bench.due() {
        Some((Side::Player, clauses)) => ("Player draws", words(&["player", "p"]), clauses),
        Some((Side::Banker, clauses)) => ("Banker draws", words(&["banker", "b"]), clauses),
        None => {
            let ends = |fact: &Fact| matches!(fact, Fact::Natural | Fact::Stands(_));
            ("nobody draws", words(&["nobody", "none", "n"]), clauses_of(&events, ends))
        }
    };
    Some(Question {
        topic: Topic::NextCard,
        text: format!("{}: who draws next?", bench.hands()),
        hint: "player, banker or nobody".into(),
        answer: answer.into(),
        accepted,
        choices: vec!["player", "p", "banker", "b", "nobody", "none", "n"],
        clauses,
    })
}

fn result(book: &Book, chance: &mut Chance) -> Option<Question> {
    let mut bench = Bench::later(book, chance)?;
    let events = bench.coup(Spot::Player, 50, Until::Over)?;
    let outcome = outcome(&events)?;
    let accepted = match outcome {
        Outcome::Won(Side::Player) => words(&["player", "p"]),
        Outcome::Won(Side::Banker) => words(&["banker", "b"]),
        Outcome::Tie => words(&["tie", "t"]),
    };
    Some(Question {
        topic: Topic::Result,
        text: format!("{}: who wins?", bench.hands()),
        hint: "player, banker or tie".into(),
        answer: outcome.to_string(),
        accepted,
        choices: vec!["player", "p", "banker", "b", "tie", "t"],
        clauses: clauses_of(&events, |fact| matches!(fact, Fact::Result(_))),
    })
}

pub(super) fn outcome(events: &[Event]) -> Option<Outcome> {
    events.iter().find_map(|event| {
        let Fact::Result(outcome) = event.fact else { return None };
        Some(outcome)
    })
}

fn payout(book: &Book, chance: &mut Chance) -> Option<Question> {
    let mut bench = Bench::later(book, chance)?;
    let terms = bench.table().terms();
    let offered: Vec<_> = book
        .rulebook
        .spots()
        .into_iter()
        .filter(|spot| book.rulebook.offers(*spot, terms).is_ok())
        .collect();
    let which = bench.chance.below(u32::try_from(offered.len()).ok()?);
    let spot = *offered.get(usize::try_from(which).ok()?)?;
    let most = if spot.hand().is_some() { 100 } else { 20 };
    let dollars = 5 * (1 + bench.chance.below(most / 5));
    let events = bench.coup(spot, dollars, Until::Over)?;
    let verdict = events.iter().find_map(|event| {
        if let Fact::Settled { verdict, .. } = event.fact {
            return Some(verdict);
        }
        matches!(event.fact, Fact::Lies { .. }).then_some(Verdict::Kept)
    })?;
    // A wager that lost teaches little; most of those are passed over.
    if verdict == Verdict::Lost && bench.chance.below(6) != 0 {
        return None;
    }
    let (answer, accepted) = match verdict {
        Verdict::Won(won) => (format!("it wins {}", won.net), vec![won.net.to_string()]),
        Verdict::Lost => ("it loses".into(), words(&["loses", "0", "lost", "nothing"])),
        Verdict::Kept => {
            ("it is kept: neither won nor lost".into(), words(&["kept", "push", "keeps"]))
        }
    };
    let name = book.rulebook.spot_name(spot);
    Some(Question {
        topic: Topic::Payout,
        text: format!("{}; {dollars} on {name}: what is paid on top of the stake?", bench.hands()),
        hint: "an amount, `loses` or `kept`".into(),
        answer,
        accepted,
        choices: vec!["loses", "lost", "nothing", "kept", "push", "keeps"],
        clauses: clauses_of(&events, |fact| {
            matches!(fact, Fact::Settled { .. } | Fact::Lies { .. })
        }),
    })
}

fn burn(book: &Book, chance: &mut Chance) -> Option<Question> {
    book.rulebook.burn.as_ref()?;
    let mut bench = Bench::new(book, chance)?;
    let events = bench.prepare(|next| next == Next::Wagers)?;
    let (shown, further) = events.iter().find_map(|event| {
        let Fact::Burned { shown: Some(shown), further } = event.fact else { return None };
        Some((shown, further))
    })?;
    Some(Question {
        topic: Topic::Burn,
        text: format!("the first card of the shoe is {shown}: how many further cards are burnt?"),
        hint: "a number".into(),
        answer: format!("{further} more"),
        accepted: vec![further.to_string()],
        choices: Vec::new(),
        clauses: clauses_of(&events, |fact| matches!(fact, Fact::Burned { .. })),
    })
}

/// The steps of preparing a shoe under a book, as they are answered, and what was done before each.
pub(super) fn steps(book: &Book) -> Vec<(&'static str, &'static str)> {
    let mut steps = vec![
        ("check", "the cards are on the table"),
        ("shuffle", "the cards are checked"),
        ("cut", "the cards are shuffled"),
        ("place", "the cards are cut"),
    ];
    if book.rulebook.burn.is_some() {
        steps.extend([("burn", "the cutting card is in"), ("wagers", "the burn is done")]);
    } else {
        steps.push(("wagers", "the cutting card is in"));
    }
    steps
}

fn preparation(book: &Book, chance: &mut Chance) -> Option<Question> {
    let steps = steps(book);
    let which = chance.below(u32::try_from(steps.len()).ok()?);
    let (step, before) = *steps.get(usize::try_from(which).ok()?)?;
    let mut bench = Bench::new(book, chance)?;
    let events = bench.prepare(|next| match next {
        Next::Check(_) => step == "check",
        Next::Shuffle => step == "shuffle",
        Next::Cut(_) => step == "cut",
        Next::PlaceCuttingCard(_) => step == "place",
        Next::Burn => step == "burn",
        Next::Wagers => step == "wagers",
        Next::Replace
        | Next::Players
        | Next::Card(_)
        | Next::Turn { .. }
        | Next::Inspector
        | Next::Decide(_) => false,
    })?;
    let (answer, more): (&str, &[&str]) = match step {
        "check" => ("the cards are checked", &["checked", "check the cards"]),
        "shuffle" => ("shuffle", &["shuffled"]),
        "cut" => ("the cut is offered", &["offer the cut"]),
        "place" => ("the cutting card is placed", &["cutting", "place the cutting card"]),
        "burn" => ("a card is burnt", &["burn a card"]),
        _ => ("wagers are open", &["bets", "open"]),
    };
    // Where no clause opens the wagers, the last step says that the shoe is ready.
    let mut clauses = bench.table().due()?.clauses.to_vec();
    if clauses.is_empty() {
        clauses.extend(events.iter().rev().find_map(|event| event.clauses.first().copied()));
    }
    let choices: Vec<_> = steps.iter().map(|(step, _)| *step).collect();
    let (last, first) = choices.split_last()?;
    Some(Question {
        topic: Topic::Preparation,
        text: format!("a new shoe: {before}. What comes next?"),
        hint: format!("{} or {last}", first.join(", ")),
        answer: answer.into(),
        accepted: words(&[&[step], more].concat()),
        choices,
        clauses,
    })
}

/// Whether a coup is over.
pub(super) fn is_over(bench: &Bench) -> bool {
    !matches!(bench.table().phase(), Phase::Called | Phase::Dealing)
}
