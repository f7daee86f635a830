//! What is due at a table: who is asked, for what, by which clause, and the line that does it.

use rules::{Card, Clause, Side};
use serde::Serialize;
use table::{
    Act, By, Checker, CutBy, Deed, Due, Facing, Next, PlayerId, Role, SuspendedWhy, Table, Work,
};
use transcript::say;

use crate::eyes::{Eyes, Scope, called};
use crate::lawful::Needs;

/// What somebody is asked to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The role of the person who is asked.
    pub role: Role,
    /// The player who is asked, if it is one: the name, or the place.
    pub player: Option<String>,
    /// Whether the person who looks is asked.
    pub mine: bool,
    /// What is due, in words.
    pub what: String,
    /// The line that does it, for those who may read it; `CARD` stands for a card.
    pub line: Option<String>,
    /// The clauses that require it.
    pub clauses: Vec<Clause>,
}

/// An act that would do what is due: the act as a line says it, and with cards to try it with.
#[derive(Clone, Debug)]
pub(crate) struct Doing {
    /// The person who does it.
    pub(crate) by: By,
    /// The act, without cards that are not known.
    pub(crate) act: Act,
    /// The same with any card, to see whether it is lawful.
    pub(crate) tried: Option<Act>,
    /// What the line lacks.
    pub(crate) needs: Option<Needs>,
}

impl Doing {
    /// An act that lacks nothing.
    pub(crate) const fn plain(by: By, act: Act) -> Self {
        Self { by, act, tried: None, needs: None }
    }

    /// The line, with words in capitals for what it lacks.
    pub(crate) fn line(&self) -> Option<String> {
        let line = say(self.by, &self.act, "")?;
        Some(match (self.needs, any_card_in(&self.act)) {
            (Some(Needs::Card), Some(card)) => line.replace(&card.to_string(), "CARD"),
            _ => line.replace("??", "CARD"),
        })
    }
}

/// The card of an act that cannot be said without one.
fn any_card_in(act: &Act) -> Option<Card> {
    if let Act::Dealer(Work::Burn(card) | Work::FindFaceUp(card)) = act {
        Some(*card)
    } else {
        None
    }
}

/// A card that could come next, to try an act with: which one does not matter.
pub(crate) fn any_card(table: &Table) -> Option<Card> {
    Card::deck().find(|card| table.shoe().left.count(*card) > 0)
}

/// Two of them.
fn two_cards(table: &Table) -> Option<[Card; 2]> {
    let mut left = table.shoe().left.clone();
    let first = any_card(table)?;
    left.take(first).ok()?;
    Some([first, Card::deck().find(|card| left.count(*card) > 0)?])
}

/// Whether a card of a hand lies face down and is not known.
fn is_unknown(table: &Table, side: Side) -> bool {
    let cards = table.coup().map(|coup| &coup.cards[..]).unwrap_or_default();
    cards.iter().any(|card| card.side == side && !card.shown && card.card.is_none())
}

/// How somebody turns cards; cards that are not known are named, unless the system deals.
pub(crate) fn turning(
    table: &Table,
    (side, third): (Side, bool),
    by: Option<PlayerId>,
    system: bool,
) -> Option<Doing> {
    let unknown = is_unknown(table, side);
    let act = |two: Option<[Card; 2]>, one: Option<Card>| match (by, third) {
        (Some(id), false) => Act::Player(table.player(id).name, Deed::Turn(side, two)),
        (Some(id), true) => Act::Player(table.player(id).name, Deed::TurnThird(side, one)),
        (None, false) => Act::Dealer(Work::Turn(side, two)),
        (None, true) => Act::Dealer(Work::TurnThird(side, one)),
    };
    let said = act(None, None);
    let by = By::usual(&said);
    if !unknown {
        return Some(Doing::plain(by, said));
    }
    let tried = Some(act(two_cards(table), any_card(table)));
    let needs = match (system, third) {
        (true, _) => None,
        (false, true) => Some(Needs::Card),
        (false, false) => Some(Needs::Cards),
    };
    Some(Doing { by, act: said, tried, needs })
}

/// How a card goes to a hand.
pub(crate) fn drawing(table: &Table, to: Side, system: bool) -> Doing {
    let face_down = !table.next_lies(Facing::Up).is_up();
    let said = Act::Dealer(Work::Draw { card: None, to, face_down });
    let by = By::role(Role::Dealer);
    let known = table.coming().is_some_and(|coming| coming.card.is_some());
    if face_down || known {
        return Doing::plain(by, said);
    }
    let tried =
        any_card(table).map(|card| Act::Dealer(Work::Draw { card: Some(card), to, face_down }));
    Doing { by, act: said, tried, needs: (!system).then_some(Needs::Card) }
}

/// The act that would do what is due; nothing where somebody has a choice that no act stands for.
pub(crate) fn doing(table: &Table, next: Next, system: bool) -> Option<Doing> {
    let half = table.options().decks * 26;
    let dealer = By::role(Role::Dealer);
    let act = match next {
        Next::Replace => Act::ReplaceCards,
        Next::Check(by) => Act::Dealer(Work::Check(by)),
        Next::Shuffle => Act::Dealer(Work::Shuffle),
        Next::Cut(Some(CutBy::Player(id))) => Act::Player(table.player(id).name, Deed::Cut(half)),
        Next::Cut(Some(CutBy::Staff(_))) => Act::Supervisor(table::Decision::Cut(half)),
        Next::Players | Next::Cut(None) => return None,
        Next::PlaceCuttingCard(behind) => Act::Dealer(Work::PlaceCuttingCard(behind)),
        Next::Burn => {
            let act = Act::Dealer(Work::Burn(any_card(table)?));
            let needs = (!system).then_some(Needs::Card);
            return Some(Doing { by: dealer, act, tried: None, needs });
        }
        Next::Wagers => Act::Dealer(Work::NoMoreBets),
        Next::Card(side) => return Some(drawing(table, side, system)),
        Next::Turn { side, third, by } => return turning(table, (side, third), by, system),
        Next::Inspector => Act::InspectorReturns,
        Next::Decide(SuspendedWhy::OutOfSequence) => {
            Act::Supervisor(table::Decision::Reconstruct(Vec::new()))
        }
        Next::Decide(SuspendedWhy::Changes | SuspendedWhy::WrongPerson) => {
            Act::Supervisor(table::Decision::Resume)
        }
    };
    Some(Doing::plain(By::usual(&act), act))
}

/// Who is asked, and for what, in words.
fn words(eyes: &Eyes, table: &Table, next: Next) -> (Role, Option<PlayerId>, String) {
    let name = |id: PlayerId| called(eyes, table, id);
    match next {
        Next::Replace => (Role::Operator, None, "the cards must be replaced".into()),
        Next::Check(Checker::Dealer) => (Role::Dealer, None, "check the cards".into()),
        Next::Check(Checker::Supervisor) => {
            (Role::Supervisor, None, "a supervisor checks the cards".into())
        }
        Next::Check(Checker::Device) => (Role::Device, None, "a device checks the cards".into()),
        Next::Players => {
            let what = "the first player comes, and may look the cards over";
            (Role::Players, None, what.into())
        }
        Next::Shuffle => (Role::Dealer, None, "shuffle".into()),
        Next::Cut(Some(CutBy::Player(id))) => {
            (Role::Player, Some(id), format!("{} cuts", name(id)))
        }
        Next::Cut(Some(CutBy::Staff(who))) => (Role::Supervisor, None, who.to_string()),
        Next::Cut(None) => (Role::Players, None, "a player cuts".into()),
        Next::PlaceCuttingCard(behind) => {
            (Role::Dealer, None, format!("place the cutting card, {behind} cards behind it"))
        }
        Next::Burn => (Role::Dealer, None, "burn: show the first card".into()),
        Next::Wagers if table.is_no_bet() => {
            (Role::Dealer, None, "no bets in this coup; call it".into())
        }
        Next::Wagers => (Role::Dealer, None, "wagers are open; then no more bets".into()),
        Next::Card(side) => (Role::Dealer, None, format!("a card to {side}")),
        Next::Turn { side, third, by } => {
            let who = by.map_or("the dealer".into(), name);
            let what = if third { "third card" } else { "cards" };
            let role = if by.is_some() { Role::Player } else { Role::Dealer };
            (role, by, format!("{who} turns {side}'s {what}"))
        }
        Next::Inspector => (Role::Inspector, None, "the inspector comes back".into()),
        Next::Decide(_) => (Role::Supervisor, None, "a supervisor decides".into()),
    }
}

/// What is due, for these eyes. `system` says that the system deals, so that nobody names cards.
#[must_use]
pub fn asked(eyes: &Eyes, table: &Table, system: bool) -> Vec<Asked> {
    let Some(Due { next, clauses }) = table.due() else { return Vec::new() };
    let (role, player, what) = words(eyes, table, next);
    let mine = match player {
        Some(id) => eyes.is(&table.player(id).name),
        None => role_of(eyes) == Some(role),
    };
    let may_read = match eyes.scope() {
        Scope::Staff | Scope::Auditor => true,
        Scope::Player => mine,
        Scope::Spectator => false,
    };
    let line = doing(table, next, system).filter(|_| may_read).and_then(|doing| doing.line());
    let player = player.map(|id| called(eyes, table, id));
    vec![Asked { role, player, mine, what, line, clauses: clauses.to_vec() }]
}

/// The role in which a person with these eyes acts at a table.
pub(crate) const fn role_of(eyes: &Eyes) -> Option<Role> {
    match eyes {
        Eyes::Player(_) => Some(Role::Player),
        Eyes::Dealer => Some(Role::Dealer),
        Eyes::Supervisor => Some(Role::Supervisor),
        Eyes::Inspector => Some(Role::Inspector),
        Eyes::Director => Some(Role::Director),
        Eyes::Operator => Some(Role::Operator),
        Eyes::Spectator | Eyes::Auditor => None,
    }
}
