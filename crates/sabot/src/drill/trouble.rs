//! Questions about what goes wrong: the engine deals, a card goes astray, the engine rules.

use rulebooks::Book;
use rules::{Clause, Outcome, Side, Spot};
use table::{Act, Decision, Event, Fact, Phase, Work};

use super::bench::{Bench, Dealt, Until, clauses_of};
use super::questions::{Question, is_over, outcome, words};
use super::topic::{Fate, Topic};
use crate::play::Chance;

/// What became of a card that should not have come.
fn fate(events: &[Event], bench: &Bench) -> Option<(Fate, Vec<Clause>)> {
    type Sign = (fn(&Fact) -> bool, Fate);
    let signs: [Sign; 6] = [
        (|fact| matches!(fact, Fact::Voided { .. }), Fate::Void),
        (|fact| matches!(fact, Fact::Suspended(_)), Fate::Wait),
        (|fact| matches!(fact, Fact::Reconstructed), Fate::Right),
        (|fact| matches!(fact, Fact::GivenToBanker(_)), Fate::Banker),
        (|fact| matches!(fact, Fact::ExcessNotUsed(_)), Fate::Unused),
        (|fact| matches!(fact, Fact::Excess { .. }), Fate::Next),
    ];
    let (event, fate) = signs.iter().find_map(|(is, fate)| {
        events.iter().find(|event| is(&event.fact)).map(|event| (event, *fate))
    })?;
    let fate = if fate == Fate::Next && bench.table().is_no_bet() { Fate::NoBet } else { fate };
    // When the shoe is over, what ends it is why the card is not used: the clauses on such cards
    // speak of a next coup.
    let over = fate == Fate::Unused && !bench.over_by.is_empty();
    Some((fate, if over { bench.over_by.clone() } else { event.clauses.to_vec() }))
}

/// A question about a fate.
fn about(topic: Topic, book: &Book, text: String, ruled: (Fate, Vec<Clause>)) -> Question {
    let (fate, clauses) = ruled;
    let fates = Fate::all(topic, &book.rulebook);
    let no_bet = (fate == Fate::NoBet).then_some("no bet");
    Question {
        topic,
        text: text + &Fate::meanings(&fates),
        hint: Fate::hint(&fates),
        answer: fate.meaning().into(),
        accepted: words(&[fate.word()]).into_iter().chain(no_bet.map(String::from)).collect(),
        choices: fates.iter().map(|fate| fate.word()).collect(),
        clauses,
    }
}

/// Where in a shoe a card comes too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    Middle,
    End,
}

impl Where {
    fn any(chance: &mut Chance) -> Self {
        if chance.below(4) == 0 { Self::End } else { Self::Middle }
    }

    /// A table whose coup is over, there in the shoe.
    fn over<'a>(self, book: &Book, chance: &'a mut Chance) -> Option<Bench<'a>> {
        match self {
            Self::Middle => {
                let mut bench = Bench::later(book, chance)?;
                bench.coup(Spot::Player, 50, Until::Over)?;
                // The cutting card would come out first, which is another question.
                (!bench.marker_is_next()).then_some(bench)
            }
            Self::End => Bench::last(book, chance),
        }
    }

    const fn coup(self) -> &'static str {
        match self {
            Self::Middle => "a coup is over",
            Self::End => "the last coup of the shoe is over",
        }
    }
}

pub(super) fn not_due(book: &Book, chance: &mut Chance) -> Option<Question> {
    if chance.below(2) == 0 { third_card(book, chance) } else { after_the_coup(book, chance) }
}

/// A third card in a coup, due or not.
fn third_card(book: &Book, chance: &mut Chance) -> Option<Question> {
    let mut bench = Bench::later(book, chance)?;
    let cards = 4 + usize::try_from(bench.chance.below(2)).unwrap_or(0);
    bench.coup(Spot::Player, 50, Until::Cards(cards))?;
    let (side, clauses) = bench.due()?;
    // What is Player's and goes to Banker is out of sequence, another question.
    let to = match side {
        Side::Banker if bench.chance.below(3) == 0 => Side::Banker,
        Side::Player | Side::Banker => Side::Player,
    };
    if side == Side::Player && bench.chance.below(2) == 0 {
        return None;
    }
    let hands = bench.hands();
    let card = bench.card()?;
    let draw = Work::Draw { card: Some(card), to, face_down: false };
    let events = bench.act(Act::Dealer(draw))?;
    let ruled = if side == to { (Fate::Due, clauses) } else { fate(&events, &bench)? };
    let text = format!("{hands}: the dealer draws {card} to {to}. What becomes of it?");
    Some(about(Topic::NotDue, book, text, ruled))
}

/// A card to a hand when the coup is over: seen, or unseen.
fn after_the_coup(book: &Book, chance: &mut Chance) -> Option<Question> {
    let place = Where::any(chance);
    let mut bench = place.over(book, chance)?;
    let to = Side::BOTH[usize::try_from(bench.chance.below(2)).unwrap_or(0)];
    let hidden = bench.chance.below(2) == 0;
    let card = bench.card()?;
    let draw = Work::Draw { card: Some(card), to, face_down: hidden };
    let events = bench.act(Act::Dealer(draw))?;
    let ruled = fate(&events, &bench)?;
    let what = if hidden { "a card, face down,".into() } else { card.to_string() };
    let text = format!(
        "{} ({}): the dealer draws {what} to {to} all the same. What becomes of it?",
        place.coup(),
        bench.hands()
    );
    Some(about(Topic::NotDue, book, text, ruled))
}

pub(super) fn excess(book: &Book, chance: &mut Chance) -> Option<Question> {
    let place = Where::any(chance);
    let mut bench = place.over(book, chance)?;
    let seen = bench.chance.below(2) == 0;
    let card = bench.card()?;
    let drawn = Work::DrawExcess { card: seen.then_some(card), face_down: !seen };
    let events = bench.act(Act::Dealer(drawn))?;
    let ruled = fate(&events, &bench)?;
    let how = if seen {
        format!("{card} comes out face up")
    } else {
        "a card comes out face down".into()
    };
    let text = format!("{} ({}), and {how}. What becomes of it?", place.coup(), bench.hands());
    Some(about(Topic::ExcessCard, book, text, ruled))
}

pub(super) fn out_of_sequence(book: &Book, chance: &mut Chance) -> Option<Question> {
    let mut bench = Bench::later(book, chance)?;
    let out = bench.chance.below(6).min(4);
    let mut dealt = Dealt::FaceUp;
    if out < 4 && bench.chance.below(2) == 0 {
        // Where the book has no face-down deal, another question will do.
        dealt = Dealt::FaceDown;
        bench.face(dealt)?;
    }
    bench.coup(Spot::Player, 50, Until::Cards(usize::try_from(out).ok()?))?;
    let (side, clauses) = bench.due()?;
    // A third card for Player that is not due is another question.
    let sides = if out == 4 { &[Side::Banker][..] } else { &Side::BOTH[..] };
    let to = sides[usize::try_from(bench.chance.below(2)).unwrap_or(0) % sides.len()];
    let hands = so_far(&bench, dealt);
    let card = bench.card()?;
    let draw = Work::Draw { card: Some(card), to, face_down: false };
    let events = bench.act(Act::Dealer(draw))?;
    let what = match dealt {
        Dealt::FaceUp => format!("{card},"),
        Dealt::FaceDown => "face down,".into(),
    };
    let mut text = format!("{hands}. The next card, {what} goes to {to}. ");
    if side == to {
        text += "What follows?";
        return Some(about(Topic::OutOfSequence, book, text, (Fate::Due, clauses)));
    }
    if book.rulebook.irregularities.beyond_repair.is_some() && bench.chance.below(3) == 0 {
        let events = bench.act(Act::Supervisor(Decision::CannotReconstruct))?;
        let ruled = fate(&events, &bench)?;
        text += "Nobody can say in which order the cards came. What becomes of the coup?";
        return Some(about(Topic::OutOfSequence, book, text, ruled));
    }
    text += "What follows?";
    Some(about(Topic::OutOfSequence, book, text, fate(&events, &bench)?))
}

/// The cards of a coup that is being dealt, as people see them.
fn so_far(bench: &Bench, dealt: Dealt) -> String {
    match (dealt, bench.dealt.len()) {
        (Dealt::FaceUp, _) => bench.hands(),
        (Dealt::FaceDown, 0) => "cards are dealt face down, and none is out yet".into(),
        (Dealt::FaceDown, 1) => "one card lies face down, Player's".into(),
        (Dealt::FaceDown, 2) => "two cards lie face down, one to each hand".into(),
        (Dealt::FaceDown, _) => "three cards lie face down, two of them Player's".into(),
    }
}

pub(super) fn cutting_card(book: &Book, chance: &mut Chance) -> Option<Question> {
    let mut bench = Bench::ready(book, chance)?;
    // Face down, the cutting card may come with the last card before the coup is over.
    if bench.chance.below(2) == 0 {
        bench.face(Dealt::FaceDown)?;
    }
    bench.open(Spot::Player, 50)?;
    while !bench.marker_is_next() {
        if is_over(&bench) {
            bench.open(Spot::Player, 50)?;
        } else {
            bench.deal(Until::Cards(bench.dealt.len() + 1))?;
        }
    }
    if is_over(&bench) {
        bench.open(Spot::Player, 50)?;
    }
    let out = bench.dealt.len();
    let mut events = bench.act(Act::CuttingCardAppears)?;
    events.extend(bench.deal(Until::Over)?);
    let tie = outcome(&events)? == Outcome::Tie;
    let more = bench.dealt.len() - out;
    let mut rounds = 0;
    while bench.table().phase() == Phase::Betting {
        rounds += 1;
        events.extend(bench.coup(Spot::Player, 50, Until::Over)?);
    }
    // Most rounds end the shoe; those that do not make the better question.
    if rounds == 0 && bench.chance.below(4) != 0 {
        return None;
    }
    let when = match (out, more) {
        (0, _) => "before the first card of a round".into(),
        (out, 0) => format!("with the last of the {out} cards of a round"),
        (1, _) => "after the first card of a round".into(),
        (out, more) => format!("after {out} cards of a round that takes {more} more"),
    };
    let ends = if tie { "is a tie" } else { "is no tie" };
    let says = |fact: &Fact| {
        matches!(fact, Fact::CoupsLeft(_) | Fact::OneMoreRound | Fact::CuttingCardOut { .. })
    };
    Some(Question {
        topic: Topic::CuttingCard,
        text: format!(
            "the cutting card comes {when}, and that round {ends}: how many rounds are dealt from \
             this shoe after it?"
        ),
        hint: "a number".into(),
        answer: format!("{rounds} more"),
        accepted: vec![rounds.to_string()],
        choices: Vec::new(),
        clauses: clauses_of(&events, says),
    })
}
