//! The questions: made by the engine, so that the book answers them.

use std::sync::Arc;

use rulebooks::Book;
use rules::{Card, Cents, Clause, Clauses, Composition, Outcome, Side, Spot, Verdict};
use table::{Act, Bet, Command, Deed, Event, Fact, Name, Next, Phase, Table, Work};

use crate::play::{Chance, all_offered, sign};

fn below(n: u32) -> u32 {
    Chance::System.below(n)
}

/// What can be asked about.
pub(super) const TOPICS: &[(&str, &str)] = &[
    ("totals", "what the hands come to"),
    ("next-card", "who draws, by the tableau"),
    ("result", "who wins the coup"),
    ("payout", "what a wager is paid"),
    ("burn", "how many cards are burnt"),
    ("preparation", "the order of preparing a shoe"),
    ("not-due", "a third card to a hand that is not due one"),
    ("excess-card", "a card that belongs to no hand"),
    ("out-of-sequence", "a card to the wrong hand"),
    ("cutting-card", "how many rounds are left when it comes"),
];

/// A question, with its answer.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) topic: &'static str,
    pub(super) text: String,
    pub(super) hint: String,
    pub(super) answer: String,
    /// What may be said, in lower case.
    pub(super) accepted: Vec<String>,
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
        // A word of the hint or a number answers, wrongly; anything else was not understood.
        let hint = self.hint.to_lowercase();
        let mut words = hint.split(|c: char| !c.is_alphanumeric() && c != '-');
        let answers = numbers(&said).is_some() || words.any(|word| word == said);
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
        let words = words.filter(|word| self.topic != "totals" || !hands.contains(word));
        words.collect::<Vec<_>>().join(" ")
    }
}

/// Third cards, and whose they are.
type Drawn = Vec<(Side, Card)>;

/// A table to ask about, run without a log: nothing of it is worth keeping.
struct Bench {
    table: Table,
    left: Composition,
}

fn cents(dollars: u32) -> Cents {
    Cents::new(u64::from(dollars) * 100).unwrap_or(Cents::ZERO)
}

impl Bench {
    fn new(book: &Book) -> Option<Self> {
        let table = Table::new(Arc::new(book.rulebook.clone()));
        let mut bench = Self { table, left: Composition::of_decks(8) };
        bench.act(Act::Open(all_offered(book)))?;
        let decks = bench.table.options().decks.and_then(|decks| u16::try_from(decks).ok());
        bench.left = Composition::of_decks(decks.unwrap_or(8));
        for posting in sign(book, bench.table.terms()) {
            bench.act(Act::Post(posting))?;
        }
        let ann = Name::from("Ann").ok()?;
        bench.act(Act::Player(ann, Deed::Sit(1, cents(10_000))))?;
        Some(bench)
    }

    /// Ready for wagers.
    fn ready(book: &Book) -> Option<Self> {
        let mut bench = Self::new(book)?;
        bench.act(Act::FreshShoe)?;
        Some(bench)
    }

    fn act(&mut self, act: Act) -> Option<Vec<Event>> {
        let events = self.table.decide(&Command { at: 0, act }).ok()?;
        for event in &events {
            self.table.evolve(event);
        }
        Some(events)
    }

    fn card(&mut self) -> Card {
        loop {
            let index = u8::try_from(below(52)).unwrap_or(0);
            if let Some(card) = Card::from_index(index)
                && self.left.take(card).is_ok()
            {
                return card;
            }
        }
    }

    fn bet(&mut self, spot: Spot, dollars: u32) -> Option<()> {
        let ann = Name::from("Ann").ok()?;
        let bet =
            Bet { spot, amount: cents(dollars), place: None, unnoticed: false, in_error: false };
        self.act(Act::Player(ann, Deed::Bet(bet))).map(|_| ())
    }

    /// Bets, calls and deals four cards.
    fn deal(&mut self, spot: Spot, dollars: u32) -> Option<([Card; 4], Vec<Event>)> {
        self.bet(spot, dollars)?;
        self.act(Act::Dealer(Work::NoMoreBets))?;
        let cards = [self.card(), self.card(), self.card(), self.card()];
        let events = self.act(Act::Dealer(Work::Deal(cards.map(Some))))?;
        Some((cards, events))
    }

    /// Draws what is due until the coup is over.
    fn finish(&mut self) -> Option<(Drawn, Vec<Event>)> {
        let (mut drawn, mut events) = (Vec::new(), Vec::new());
        while let (Phase::Dealing, Some(due)) = (self.table.phase(), self.table.due()) {
            let Next::Card(side) = due.next else { return None };
            let card = self.card();
            drawn.push((side, card));
            let draw = Work::Draw { card: Some(card), to: side, face_down: false };
            events.extend(self.act(Act::Dealer(draw))?);
        }
        Some((drawn, events))
    }
}

fn said(cards: [Card; 4]) -> String {
    format!("Player {} {}, Banker {} {}", cards[0], cards[2], cards[1], cards[3])
}

fn with_drawn(cards: [Card; 4], drawn: &[(Side, Card)]) -> String {
    let third = |side: Side| {
        drawn
            .iter()
            .find(|(to, _)| *to == side)
            .map_or(String::new(), |(_, card)| format!(" {card}"))
    };
    format!(
        "Player {} {}{}, Banker {} {}{}",
        cards[0],
        cards[2],
        third(Side::Player),
        cards[1],
        cards[3],
        third(Side::Banker)
    )
}

fn words(accepted: &[&str]) -> Vec<String> {
    accepted.iter().map(|word| (*word).to_owned()).collect()
}

fn clauses_of(events: &[Event], wanted: impl Fn(&Fact) -> bool) -> Vec<Clause> {
    let found = events.iter().rev().find(|event| wanted(&event.fact));
    found.map_or(Vec::new(), |event| event.clauses.to_vec())
}

/// A question on a topic; nothing if the cards did not make one, or the book has no such rule.
pub(super) fn ask(topic: &'static str, book: &Book) -> Option<Question> {
    match topic {
        "totals" => totals(book),
        "next-card" => next_card(book),
        "result" => result(book),
        "payout" => payout(book),
        "burn" => burn(book),
        "preparation" => preparation(book),
        "not-due" => not_due(book),
        "excess-card" => excess(book),
        "out-of-sequence" => out_of_sequence(book),
        "cutting-card" => cutting_card(book),
        _ => None,
    }
}

fn totals(book: &Book) -> Option<Question> {
    let mut bench = Bench::ready(book)?;
    let (cards, mut events) = bench.deal(Spot::Player, 50)?;
    let (drawn, more) = bench.finish()?;
    events.extend(more);
    let (player, banker) = events.iter().rev().find_map(|event| match event.fact {
        Fact::Totals { player, banker } => Some((player, banker)),
        _ => None,
    })?;
    Some(Question {
        topic: "totals",
        text: format!("{}: the totals?", with_drawn(cards, &drawn)),
        hint: "Player and Banker, as in 6 7".into(),
        answer: format!("Player {player}, Banker {banker}"),
        accepted: vec![format!("{player} {banker}")],
        clauses: clauses_of(&events, |fact| matches!(fact, Fact::Totals { .. })),
    })
}

fn next_card(book: &Book) -> Option<Question> {
    let mut bench = Bench::ready(book)?;
    let (cards, mut events) = bench.deal(Spot::Player, 50)?;
    let mut text = said(cards);
    // Half of the questions come after Player's third card, where the tableau is hard.
    let due = bench.table.due().map(|due| due.next);
    if let (Some(Next::Card(Side::Player)), true) = (due, below(2) == 0) {
        let card = bench.card();
        let draw = Work::Draw { card: Some(card), to: Side::Player, face_down: false };
        events.extend(bench.act(Act::Dealer(draw))?);
        text += &format!("; Player drew {card}");
    }
    let due = bench.table.due();
    let (answer, accepted, clauses) =
        if let (Phase::Dealing, Some(due)) = (bench.table.phase(), due) {
            match due.next {
                Next::Card(Side::Player) => {
                    ("Player draws", words(&["player", "p"]), due.clauses.to_vec())
                }
                Next::Card(Side::Banker) => {
                    ("Banker draws", words(&["banker", "b"]), due.clauses.to_vec())
                }
                _ => return None,
            }
        } else {
            let ends = |fact: &Fact| matches!(fact, Fact::Natural | Fact::Stands(_));
            ("nobody draws", words(&["nobody", "none", "n"]), clauses_of(&events, ends))
        };
    let hint = "player, banker or nobody".into();
    let text = format!("{text}: who draws?");
    Some(Question { topic: "next-card", text, hint, answer: answer.into(), accepted, clauses })
}

fn result(book: &Book) -> Option<Question> {
    let mut bench = Bench::ready(book)?;
    let (cards, mut events) = bench.deal(Spot::Player, 50)?;
    let (drawn, more) = bench.finish()?;
    events.extend(more);
    let outcome = events.iter().find_map(|event| match event.fact {
        Fact::Result(outcome) => Some(outcome),
        _ => None,
    })?;
    let accepted = match outcome {
        Outcome::Won(Side::Player) => words(&["player", "p"]),
        Outcome::Won(Side::Banker) => words(&["banker", "b"]),
        Outcome::Tie => words(&["tie", "t"]),
    };
    Some(Question {
        topic: "result",
        text: format!("{}: who wins?", with_drawn(cards, &drawn)),
        hint: "player, banker or tie".into(),
        answer: outcome.to_string(),
        accepted,
        clauses: clauses_of(&events, |fact| matches!(fact, Fact::Result(_))),
    })
}

fn payout(book: &Book) -> Option<Question> {
    let mut bench = Bench::ready(book)?;
    let offered: Vec<_> = Spot::ALL
        .iter()
        .copied()
        .filter(|spot| book.rulebook.offers(*spot, bench.table.terms()).is_ok())
        .collect();
    let spot = offered[below(u32::try_from(offered.len()).ok()?) as usize];
    let most = if spot.group() == rules::Group::Main { 100 } else { 20 };
    let dollars = 5 * (1 + below(most / 5));
    let (cards, mut events) = bench.deal(spot, dollars)?;
    let (drawn, more) = bench.finish()?;
    events.extend(more);
    let verdict = events.iter().find_map(|event| match event.fact {
        Fact::Settled { verdict, .. } => Some(verdict),
        _ => None,
    })?;
    // A wager that lost teaches little; most of those are passed over.
    if verdict == Verdict::Lost && below(6) != 0 {
        return None;
    }
    let (answer, accepted) = match verdict {
        Verdict::Won(won) => (format!("it wins {}", won.net), vec![won.net.to_string()]),
        Verdict::Lost => ("it loses".into(), words(&["0", "loses", "lost", "nothing"])),
        Verdict::Kept => {
            ("it is kept: neither won nor lost".into(), words(&["kept", "push", "keeps"]))
        }
    };
    let dealt = with_drawn(cards, &drawn);
    Some(Question {
        topic: "payout",
        text: format!("{dealt}; {dollars} on {spot}: what is paid on top of the stake?"),
        hint: "an amount, `loses` or `kept`".into(),
        answer,
        accepted,
        clauses: clauses_of(&events, |fact| matches!(fact, Fact::Settled { .. })),
    })
}

fn burn(book: &Book) -> Option<Question> {
    book.rulebook.burn.as_ref()?;
    let mut bench = prepared(book, |next| next == Next::Burn)?;
    let card = bench.card();
    let events = bench.act(Act::Dealer(Work::Burn(card)))?;
    let further = events.iter().find_map(|event| match event.fact {
        Fact::Burned { further, .. } => Some(further),
        _ => None,
    })?;
    Some(Question {
        topic: "burn",
        text: format!("the first card of the shoe is {card}: how many further cards are burnt?"),
        hint: "a number".into(),
        answer: format!("{further} more"),
        accepted: vec![further.to_string()],
        clauses: clauses_of(&events, |fact| matches!(fact, Fact::Burned { .. })),
    })
}

/// A table whose shoe is prepared up to a step.
fn prepared(book: &Book, until: impl Fn(Next) -> bool) -> Option<Bench> {
    let mut bench = Bench::new(book)?;
    let ann = Name::from("Ann").ok()?;
    for _ in 0..12 {
        let next = bench.table.due()?.next;
        if until(next) {
            return Some(bench);
        }
        let act = match next {
            Next::Check(by) => Act::Dealer(Work::Check(by)),
            Next::Shuffle => Act::Dealer(Work::Shuffle),
            Next::Cut(_) => Act::Player(ann, Deed::Cut(100)),
            Next::PlaceCuttingCard(behind) => Act::Dealer(Work::PlaceCuttingCard(behind)),
            _ => return None,
        };
        bench.act(act)?;
    }
    None
}

fn preparation(book: &Book) -> Option<Question> {
    type Wanted = (fn(Next) -> bool, &'static str, &'static str);
    let steps: [Wanted; 4] = [
        (|next| next == Next::Shuffle, "the cards are checked", "shuffle"),
        (|next| matches!(next, Next::Cut(_)), "the cards are shuffled", "cut"),
        (|next| matches!(next, Next::PlaceCuttingCard(_)), "the cards are cut", "place"),
        (|next| matches!(next, Next::Burn | Next::Wagers), "the cutting card is in", "burn"),
    ];
    let (until, before, _) = steps[below(4) as usize];
    let bench = prepared(book, until)?;
    let due = bench.table.due()?;
    let (answer, accepted) = match due.next {
        Next::Shuffle => ("shuffle", words(&["shuffle"])),
        Next::Cut(_) => ("the cut is offered", words(&["cut"])),
        Next::PlaceCuttingCard(_) => (
            "the cutting card is placed",
            words(&["place", "cutting card", "place the cutting card"]),
        ),
        Next::Burn => ("burn", words(&["burn"])),
        Next::Wagers => ("wagers are open: this book burns no card", words(&["wagers", "bets"])),
        _ => return None,
    };
    Some(Question {
        topic: "preparation",
        text: format!("a new shoe: {before}. What comes next?"),
        hint: "shuffle, cut, place, burn or wagers".into(),
        answer: answer.into(),
        accepted,
        clauses: due.clauses.to_vec(),
    })
}

/// How to see what became of a card, the word for it, and what it means.
type Fate = (fn(&Fact) -> bool, &'static str, &'static str);

/// What became of a card that should not have come.
fn fate(events: &[Event], table: &Table) -> Option<(&'static str, &'static str, Clauses)> {
    let fates: [Fate; 6] = [
        (|fact| matches!(fact, Fact::Voided { .. }), "void", "the coup is void"),
        (|fact| matches!(fact, Fact::Suspended(_)), "wait", "the coup waits for a supervisor"),
        (
            |fact| matches!(fact, Fact::Reconstructed),
            "right",
            "the cards are put right by their order",
        ),
        (|fact| matches!(fact, Fact::GivenToBanker(_)), "banker", "it is Banker's card"),
        (|fact| matches!(fact, Fact::ExcessNotUsed(_)), "unused", "it is not used"),
        (|fact| matches!(fact, Fact::Excess { .. }), "next", "it starts the next coup"),
    ];
    for (is, word, answer) in fates {
        if let Some(event) = events.iter().find(|event| is(&event.fact)) {
            let no_bet = table.is_no_bet();
            let answer = if word == "next" && no_bet {
                "it starts the next coup, which is without wagers"
            } else {
                answer
            };
            let word = if word == "next" && no_bet { "nobet" } else { word };
            return Some((word, answer, event.clauses.clone()));
        }
    }
    None
}

const FATES: &str = "banker (it is Banker's), unused, next (it starts the next coup), nobet (it \
                     starts a coup without wagers), right (cards are put right by their order), \
                     wait (for a supervisor) or void";

fn not_due(book: &Book) -> Option<Question> {
    let mut bench = Bench::ready(book)?;
    let (cards, _) = bench.deal(Spot::Player, 50)?;
    let due = bench.table.due()?;
    if due.next != Next::Card(Side::Banker) || bench.table.phase() != Phase::Dealing {
        return None;
    }
    let card = bench.card();
    let draw = Work::Draw { card: Some(card), to: Side::Player, face_down: false };
    let events = bench.act(Act::Dealer(draw))?;
    let (word, answer, clauses) = fate(&events, &bench.table)?;
    Some(Question {
        topic: "not-due",
        text: format!(
            "{}: Player stands and Banker draws, but the dealer draws {card} to Player. What \
             becomes of it?",
            said(cards)
        ),
        hint: FATES.into(),
        answer: answer.into(),
        accepted: words(&[word]),
        clauses: clauses.to_vec(),
    })
}

fn excess(book: &Book) -> Option<Question> {
    let mut bench = Bench::ready(book)?;
    let (cards, _) = bench.deal(Spot::Player, 50)?;
    bench.finish()?;
    if bench.table.phase() != Phase::Betting {
        return None;
    }
    let seen = below(2) == 0;
    let card = bench.card();
    let drawn = Work::DrawExcess { card: seen.then_some(card), face_down: !seen };
    let events = bench.act(Act::Dealer(drawn))?;
    let (word, answer, clauses) = fate(&events, &bench.table)?;
    let how = if seen {
        format!("{card} comes out face up")
    } else {
        "a card comes out face down".into()
    };
    Some(Question {
        topic: "excess-card",
        text: format!("a coup is over ({}), and {how}. What becomes of it?", said(cards)),
        hint: FATES.into(),
        answer: answer.into(),
        accepted: words(&[word]),
        clauses: clauses.to_vec(),
    })
}

fn out_of_sequence(book: &Book) -> Option<Question> {
    let mut bench = Bench::ready(book)?;
    bench.bet(Spot::Player, 50)?;
    bench.act(Act::Dealer(Work::NoMoreBets))?;
    let (first, second) = (bench.card(), bench.card());
    let draw = |card, to| Act::Dealer(Work::Draw { card: Some(card), to, face_down: false });
    bench.act(draw(first, Side::Player))?;
    let events = bench.act(draw(second, Side::Player))?;
    let (word, answer, clauses) = fate(&events, &bench.table)?;
    Some(Question {
        topic: "out-of-sequence",
        text: format!(
            "the first card, {first}, went to Player, and so did the second, {second}, which was \
             Banker's. What follows?"
        ),
        hint: FATES.into(),
        answer: answer.into(),
        accepted: words(&[word]),
        clauses: clauses.to_vec(),
    })
}

fn cutting_card(book: &Book) -> Option<Question> {
    let mut bench = Bench::ready(book)?;
    let first = below(2) == 0;
    bench.bet(Spot::Player, 50)?;
    bench.act(Act::Dealer(Work::NoMoreBets))?;
    if !first {
        let card = bench.card();
        let draw = Work::Draw { card: Some(card), to: Side::Player, face_down: false };
        bench.act(Act::Dealer(draw))?;
    }
    let events = bench.act(Act::CuttingCardAppears)?;
    let (left, clauses) = events.iter().find_map(|event| match event.fact {
        Fact::CoupsLeft(left) => Some((left, event.clauses.clone())),
        _ => None,
    })?;
    let when = if first { "before the first card of a round" } else { "in the middle of a round" };
    Some(Question {
        topic: "cutting-card",
        text: format!(
            "the cutting card comes {when}, and no round ties: how many are dealt, with this one?"
        ),
        hint: "a number".into(),
        answer: format!("{left}"),
        accepted: vec![left.to_string()],
        clauses: clauses.to_vec(),
    })
}
