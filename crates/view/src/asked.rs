//! What is due at a table: who is asked, for what, by which clause, and the line that does it.

use rules::{Card, Clause, Side};
use serde::{Deserialize, Serialize};
use table::{
    Act, By, Checker, Command, CutBy, Decision, Deed, Due, Facing, Next, PlayerId, Role,
    SuspendedWhy, Table, Work,
};
use transcript::say;

use crate::eyes::{Eyes, Scope, called};
use crate::lawful::{Needs, some_chips};

/// What somebody is asked to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Asked {
    /// The role of the person who is asked.
    #[schemars(with = "String")]
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
    #[schemars(with = "Vec<String>")]
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
        let unknown = any_card_in(&self.act).map_or("??".into(), |card| card.to_string());
        Some(match self.needs {
            Some(Needs::Card) if line.contains(&unknown) => line.replace(&unknown, "CARD"),
            Some(Needs::Card) => line + " CARD",
            Some(Needs::Cards) if line.contains("??") => line.replace("??", "CARD"),
            Some(Needs::Cards) => line + " CARD CARD",
            Some(Needs::Amount) => line.replace(&some_chips().to_string(), "AMOUNT"),
            Some(Needs::Reason) | None => line,
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

/// The first two cards of a hand, with any card for one that is not known.
fn two_cards(table: &Table, side: Side) -> Option<[Card; 2]> {
    let mut left = table.shoe().left;
    let mut cards = table.coup()?.cards.iter().filter(|card| card.side == side);
    let mut next = || {
        let any = || Card::deck().find(|card| left.count(*card) > 0);
        let card = cards.next()?.card.or_else(any)?;
        // A card that is known is not in the shoe any more.
        let _ = left.take(card);
        Some(card)
    };
    Some([next()?, next()?])
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
) -> Doing {
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
        return Doing::plain(by, said);
    }
    let tried = Some(act(two_cards(table, side), any_card(table)));
    let needs = match (system, third) {
        (true, _) => None,
        (false, true) => Some(Needs::Card),
        (false, false) => Some(Needs::Cards),
    };
    Doing { by, act: said, tried, needs }
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

/// How the first four cards are dealt at once.
pub(crate) fn dealing(table: &Table, system: bool) -> Doing {
    let said = Act::Dealer(Work::Deal([None; 4]));
    let by = By::role(Role::Dealer);
    if !table.next_lies(Facing::Up).is_up() {
        return Doing::plain(by, said);
    }
    let mut left = table.shoe().left;
    let first = table.coming().and_then(|coming| coming.card);
    let mut next = |known: Option<Card>| {
        let card = known.or_else(|| Card::deck().find(|card| left.count(*card) > 0));
        // A card that is known is not in the shoe any more.
        let _ = card.map(|card| left.take(card));
        card
    };
    let tried = Some(Act::Dealer(Work::Deal([next(first), next(None), next(None), next(None)])));
    Doing { by, act: said, tried, needs: (!system).then_some(Needs::Cards) }
}

/// The act that would do what is due; nothing where somebody has a choice that no act stands for.
pub(crate) fn doing(table: &Table, next: Next, system: bool) -> Option<Doing> {
    let half = table.options().decks * 26;
    let dealer = By::role(Role::Dealer);
    let act = match next {
        Next::Replace => Act::ReplaceCards,
        Next::Check(by) => Act::Dealer(Work::Check(by)),
        // The system shuffles its own shoe, chance cuts it where staff would, and it gives the card
        // that is burnt, which no line can say.
        Next::Shuffle | Next::Cut(Some(CutBy::Staff(_))) | Next::Burn if system => return None,
        Next::Shuffle => Act::Dealer(Work::Shuffle),
        Next::Cut(Some(CutBy::Player(id))) => Act::Player(table.player(id).name, Deed::Cut(half)),
        Next::Cut(Some(CutBy::Staff(_))) => Act::Supervisor(table::Decision::Cut(half)),
        Next::Players | Next::Cut(None) => return None,
        Next::PlaceCuttingCard(behind) => Act::Dealer(Work::PlaceCuttingCard(behind)),
        Next::Burn => {
            let act = Act::Dealer(Work::Burn(any_card(table)?));
            return Some(Doing { by: dealer, act, tried: None, needs: Some(Needs::Card) });
        }
        Next::Wagers => Act::Dealer(Work::NoMoreBets),
        Next::Card(side) => return Some(drawing(table, side, system)),
        Next::Turn { side, third, by } => return Some(turning(table, (side, third), by, system)),
        Next::Inspector => Act::InspectorReturns,
        Next::Decide(SuspendedWhy::OutOfSequence) => {
            let [mends, gives_up] =
                [Decision::Reconstruct(Vec::new()), Decision::CannotReconstruct]
                    .map(Act::Supervisor);
            let refused =
                |act: &Act| table.decide(&Command::new(table.now(), act.clone())).is_err();
            // A coup whose cards are gone can only be given up.
            if refused(&mends) && !refused(&gives_up) { gives_up } else { mends }
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
        Next::Wagers => (Role::Dealer, None, "no more bets".into()),
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

/// How the player who looks cuts, where any player may: everybody is asked who has not declined.
fn own_cut(eyes: &Eyes, table: &Table) -> Option<Doing> {
    let me = eyes.player(table).filter(|me| !table.shoe().declined.contains(me))?;
    let act = Act::Player(table.player(me).name, Deed::Cut(table.options().decks * 26));
    let doing = Doing::plain(By::usual(&act), act);
    let command = Command { at: table.now(), by: doing.by, act: doing.act.clone() };
    table.decide(&command).is_ok().then_some(doing)
}

/// What is due, for these eyes. `system` says that the system deals, so that nobody names cards.
#[must_use]
pub fn asked(eyes: &Eyes, table: &Table, system: bool) -> Vec<Asked> {
    let Some(Due { next, clauses }) = table.due() else { return Vec::new() };
    let (role, player, what) = words(eyes, table, next);
    let own_cut = if next == Next::Cut(None) { own_cut(eyes, table) } else { None };
    let mine = match player {
        Some(id) => eyes.is(&table.player(id).name),
        None => own_cut.is_some() || role_of(eyes) == Some(role),
    };
    let may_read = match eyes.scope() {
        Scope::Staff | Scope::Auditor => true,
        Scope::Player => mine,
        Scope::Spectator => false,
    };
    let doing = own_cut.or_else(|| doing(table, next, system));
    let line = doing.as_ref().filter(|_| may_read).and_then(Doing::line);
    let player = player.map(|id| called(eyes, table, id));
    let clauses = clauses.to_vec();
    let due = Asked { role, player, mine, what, line, clauses: clauses.clone() };
    if next != Next::Wagers || table.is_no_bet() {
        return vec![due];
    }
    // While wagers are open, players are asked first; the dealer, once the call is lawful.
    let what = "wagers are open".into();
    let (role, mine) = (Role::Players, eyes.player(table).is_some());
    let mut all = vec![Asked { role, player: None, mine, what, line: None, clauses }];
    let at = table.now();
    let callable =
        doing.is_some_and(|Doing { by, act, .. }| table.decide(&Command { at, by, act }).is_ok());
    all.extend(callable.then_some(due));
    all
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
