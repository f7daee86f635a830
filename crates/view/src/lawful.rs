//! The lawful next acts of a person, found by asking the table about each.

use rules::{Cents, Clause, Side, Spot};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use table::{
    Act, Bet, By, Checker, Command, Decision, Deed, Event, Name, Phase, PlayerId, Role, SignLine,
    Table, Work,
};

use crate::asked::{Doing, any_card, dealing, doing, drawing, role_of, turning};
use crate::eyes::Eyes;
use crate::spots::layout;

/// The most acts that are listed.
const MOST: usize = 64;

/// What a line lacks, and a person fills in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Needs {
    /// A card, where the line has `CARD`.
    Card,
    /// Cards, one where the line has `CARD`.
    Cards,
    /// A reason, where the line has `REASON`.
    Reason,
    /// An amount, where the line has `AMOUNT`.
    Amount,
}

/// An act that the table would accept now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Lawful {
    /// What it does, in words.
    pub what: String,
    /// The line that does it.
    pub line: String,
    /// What the line lacks, if it lacks something.
    pub needs: Option<Needs>,
    /// The act in the form of the log, if it lacks nothing.
    pub act: Option<Value>,
    /// Whether it is due.
    pub due: bool,
    /// The clauses that its consequences rest on.
    #[schemars(with = "Vec<String>")]
    pub clauses: Vec<Clause>,
    /// The command with which the table was asked; a document that was sent has none.
    #[serde(skip)]
    pub command: Option<Command>,
}

/// The acts that are tried, in the order in which they are likely.
struct Trying<'a> {
    table: &'a Table,
    system: bool,
    found: Vec<Lawful>,
}

impl Trying<'_> {
    /// Lists an act if the table accepts it.
    fn attempt(&mut self, what: impl Into<String>, doing: &Doing, due: bool) {
        let Some(line) = doing.line() else { return };
        if self.found.len() >= MOST || self.found.iter().any(|found| found.line == line) {
            return;
        }
        let act = doing.tried.clone().unwrap_or_else(|| doing.act.clone());
        let command = Command { at: self.table.now(), by: doing.by, act };
        let Ok(events) = self.table.decide(&command) else { return };
        let needs = doing.needs;
        let whole = needs.is_none();
        let act = whole.then(|| serde_json::to_value(&doing.act).ok()).flatten();
        let clauses = cited(&events);
        let (what, command) = (what.into(), Some(command));
        self.found.push(Lawful { what, line, needs, act, due, clauses, command });
    }

    fn plain(&mut self, role: Role, what: &str, act: Act) {
        self.attempt(what, &Doing::plain(By::role(role), act), false);
    }

    fn lacking(&mut self, role: Role, what: &str, act: Act, needs: Needs) {
        let doing = Doing { by: By::role(role), act, tried: None, needs: Some(needs) };
        self.attempt(what, &doing, false);
    }

    /// What is due, if it is for that role.
    fn due(&mut self, by: By) {
        let Some(due) = self.table.due() else { return };
        let Some(mut doing) = doing(self.table, due.next, self.system) else { return };
        if doing.act.is_for(&by) {
            doing.by = by;
            self.attempt(due_words(&doing.act), &doing, true);
        }
    }
}

/// The clauses of events, in order and without repetition.
fn cited(events: &[Event]) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    for clause in events.iter().flat_map(|event| &event.clauses) {
        if !clauses.contains(clause) && clauses.len() < 8 {
            clauses.push(*clause);
        }
    }
    clauses
}

/// What an act that is due does, in words.
#[expect(clippy::wildcard_enum_match_arm, reason = "few acts are ever due")]
fn due_words(act: &Act) -> &'static str {
    match act {
        Act::ReplaceCards => "replace the cards",
        Act::Dealer(Work::Check(_)) => "check the cards",
        Act::Dealer(Work::Shuffle) => "shuffle",
        Act::Dealer(Work::PlaceCuttingCard(_)) => "place the cutting card",
        Act::Dealer(Work::Burn(_)) => "burn a card",
        Act::Dealer(Work::NoMoreBets) => "no more bets",
        Act::Dealer(Work::Draw { .. }) => "draw the card that is due",
        Act::Dealer(Work::Turn(..) | Work::TurnThird(..))
        | Act::Player(_, Deed::Turn(..) | Deed::TurnThird(..)) => "turn the cards",
        Act::Player(_, Deed::Cut(_)) | Act::Supervisor(Decision::Cut(_)) => "cut the cards",
        Act::InspectorReturns => "return to the table",
        Act::Supervisor(Decision::Reconstruct(_)) => "put the coup right",
        Act::Supervisor(Decision::Resume) => "let the coup go on",
        _ => "do what is due",
    }
}

/// The acts that a person with these eyes could do now, those that are likely first. `system` says
/// that the system deals, so that nobody names cards.
#[must_use]
pub fn lawful(eyes: &Eyes, table: &Table, system: bool) -> Vec<Lawful> {
    let mut trying = Trying { table, system, found: Vec::new() };
    match (eyes, role_of(eyes)) {
        (Eyes::Player(name), _) => match table.player_named(name) {
            Some(id) => trying.player(*name, id),
            None => trying.newcomer(*name),
        },
        (Eyes::Dealer, _) => trying.dealer(),
        (Eyes::Supervisor | Eyes::Inspector, Some(role)) => trying.supervisor(role),
        (Eyes::Operator, _) => trying.operator(),
        (
            Eyes::Supervisor | Eyes::Inspector | Eyes::Director | Eyes::Spectator | Eyes::Auditor,
            _,
        ) => {}
    }
    trying.found
}

/// Chips to try a seat with.
pub(crate) fn some_chips() -> Cents {
    Cents::new(100_000).unwrap_or(Cents::MAX)
}

impl Trying<'_> {
    fn newcomer(&mut self, name: Name) {
        let seats = self.table.options().seats;
        for seat in 1..=seats {
            let act = Act::Player(name, Deed::Sit(seat, some_chips()));
            let doing =
                Doing { by: By::player(name), act, tried: None, needs: Some(Needs::Amount) };
            self.attempt(format!("sit at {seat}"), &doing, false);
        }
    }

    fn player(&mut self, name: Name, id: PlayerId) {
        let table = self.table;
        let by = By::player(name);
        self.due(by);
        let deed = |deed: Deed| Doing::plain(by, Act::Player(name, deed));
        for side in Side::BOTH {
            if table.coup().is_some_and(|coup| coup.passed[side as usize] == Some(id)) {
                self.turns(side, Some(id));
            }
        }
        self.attempt("refuse the cards", &deed(Deed::RefuseCards), false);
        let half = table.options().decks * 26;
        self.attempt("cut the cards", &deed(Deed::Cut(half)), false);
        self.attempt("decline the cut", &deed(Deed::DeclineCut), false);
        self.attempt("agree to a coup without wagers", &deed(Deed::Agree), false);
        self.attempt("object to a coup without wagers", &deed(Deed::Object), false);
        self.bets(by, name, id);
        for offer in table.terms().side_bets.iter() {
            let what = format!("give up the first claim on {}", table.offer_name(offer));
            self.attempt(what, &deed(Deed::Waive(offer.group)), false);
        }
        self.attempt("look the cards over", &deed(Deed::Inspect), false);
        self.attempt("ask for a coup without wagers", &deed(Deed::AskNoBet), false);
        self.attempt("ask for cards face down", &deed(Deed::AskFaceDown), false);
        self.attempt("ask for a riffle", &deed(Deed::AskRiffle), false);
        if table.coups() > 0 {
            let coup = table.coups();
            self.attempt(format!("dispute coup {coup}"), &deed(Deed::Dispute(coup)), false);
        }
        self.attempt("ask for the rules", &deed(Deed::AskRules), false);
        self.attempt("leave with all chips", &deed(Deed::Leave), false);
    }

    /// Turning the cards of a hand that lie face down.
    fn turns(&mut self, side: Side, by: Option<PlayerId>) {
        let table = self.table;
        let hidden = |card: &table::CoupCard| card.side == side && !card.shown;
        if table.coup().is_some_and(|coup| coup.cards.iter().any(hidden)) {
            for third in [false, true] {
                let doing = turning(table, (side, third), by, self.system);
                self.attempt(format!("turn {side}'s cards"), &doing, false);
            }
        }
    }

    /// The least bet on every spot, and wagers taken back.
    fn bets(&mut self, by: By, name: Name, id: PlayerId) {
        let table = self.table;
        let book = table.book();
        for spot in layout(book, table) {
            let limits = table.limits_for(id, table.group(spot));
            let amount = limits.map_or(Cents::new(100).unwrap_or(Cents::MAX), |l| l.least);
            let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
            let what = format!("{amount} on {}", book.spot_name(spot));
            self.attempt(what, &Doing::plain(by, Act::Player(name, Deed::Bet(bet))), false);
        }
        let mine: Vec<Spot> =
            table.wagers().iter().filter(|wager| wager.player == id).map(|w| w.spot).collect();
        for spot in mine {
            let what = format!("take back {}", book.spot_name(spot));
            self.attempt(what, &Doing::plain(by, Act::Player(name, Deed::TakeBack(spot))), false);
        }
    }

    fn dealer(&mut self) {
        let (table, role) = (self.table, Role::Dealer);
        self.due(By::role(role));
        if table.phase() == Phase::Preparing && !self.system {
            self.plain(role, "a whole fresh shoe", Act::FreshShoe);
        }
        self.attempt("deal the first four cards", &dealing(table, self.system), false);
        let works = [
            ("no more bets", Work::NoMoreBets),
            ("let the wagers stand", Work::LetStand),
            ("reduce the wagers on Player", Work::Reduce(Side::Player)),
            ("reduce the wagers on Banker", Work::Reduce(Side::Banker)),
            ("check the cards", Work::Check(Checker::Dealer)),
            ("burn a card unseen", Work::BurnUnseen),
            ("burn the missing cards", Work::BurnMore(table.shoe().burn_short)),
        ];
        for (what, work) in works {
            self.plain(role, what, Act::Dealer(work));
        }
        // The system shuffles its own shoe, and no other cards come to the table.
        let shuffles = [
            ("shuffle", Work::Shuffle),
            ("riffle", Work::Riffle),
            ("bring in pre-shuffled cards", Work::PreShuffled),
        ];
        let shuffles = if self.system { None } else { Some(shuffles) };
        for (what, work) in shuffles.into_iter().flatten() {
            self.plain(role, what, Act::Dealer(work));
        }
        let there: Vec<(PlayerId, Name)> = table.present().map(|(id, p)| (id, p.name)).collect();
        for (_, name) in &there {
            let act = Act::Dealer(Work::OfferCut(*name));
            self.attempt(
                format!("offer {name} the cut"),
                &Doing::plain(By::role(role), act),
                false,
            );
        }
        for side in Side::BOTH {
            for (_, name) in &there {
                let what = format!("pass {side}'s cards to {name}");
                let act = Act::Dealer(Work::Pass(side, *name));
                self.attempt(what, &Doing::plain(By::role(role), act), false);
            }
            self.turns(side, None);
        }
        self.mishaps(role);
    }

    /// What a dealer says that happens against the will of all.
    fn mishaps(&mut self, role: Role) {
        self.plain(role, "the cutting card comes out", Act::CuttingCardAppears);
        self.plain(role, "the cutting card shows in the shoe", Act::CuttingCardShows);
        self.plain(role, "the shoe runs out", Act::ShoeRunsOut);
        self.plain(role, "the burn was missed", Act::Dealer(Work::SkipBurn));
        for side in Side::BOTH {
            let doing = drawing(self.table, side, self.system);
            self.attempt(format!("draw a card to {side}"), &doing, false);
        }
        let excess = Work::DrawExcess { card: None, face_down: true };
        self.plain(role, "a card in excess, unseen", Act::Dealer(excess));
        if let Some(card) = any_card(self.table) {
            let act = Act::Dealer(Work::FindFaceUp(card));
            self.lacking(role, "a card lies face up in the shoe", act, Needs::Card);
        }
    }

    fn supervisor(&mut self, role: Role) {
        let table = self.table;
        self.due(By::role(role));
        let decisions = [
            ("put the coup right", Decision::Reconstruct(Vec::new())),
            ("the coup cannot be put right", Decision::CannotReconstruct),
            ("let the coup go on", Decision::Resume),
            ("cut the cards", Decision::Cut(table.options().decks * 26)),
            ("approve the riffle", Decision::ApproveRiffle),
            ("tell management", Decision::InformManagement),
            ("tell surveillance", Decision::InformSurveillance),
            ("direct a coup without wagers", Decision::DirectNoBet),
            ("let five coups be dealt without a wager", Decision::ApproveOptionalCoups),
            ("let wagers change", Decision::PermitChanges),
            ("direct a shuffle", Decision::DirectShuffle),
        ];
        for (what, decision) in decisions {
            self.plain(role, what, Act::Supervisor(decision));
        }
        let check = Act::Dealer(Work::Check(Checker::Supervisor));
        self.plain(role, "check the cards", check);
        let there: Vec<Name> = table.present().map(|(_, player)| player.name).collect();
        for name in there {
            let what = format!("let {name} wager on both sides");
            let act = Act::Supervisor(Decision::ApproveBothSides(name));
            self.attempt(what, &Doing::plain(By::role(role), act), false);
        }
        if table.coups() > 0 {
            let what = format!("an error in coup {}", table.coups());
            let act = Act::Supervisor(Decision::FindError(table.coups()));
            self.attempt(what, &Doing::plain(By::role(role), act), false);
        }
        if role == Role::Inspector {
            self.plain(role, "return to the table", Act::InspectorReturns);
            self.plain(role, "leave the table", Act::InspectorLeaves);
        }
        let void = Act::VoidCoup("REASON".into());
        self.lacking(role, "void the coup", void, Needs::Reason);
    }

    fn operator(&mut self) {
        let (table, role) = (self.table, Role::Operator);
        self.due(By::role(role));
        let open: Vec<u32> = table.disputes().filter(|d| !d.decided).map(|d| d.coup).collect();
        for coup in open {
            let act = Act::DecideDispute(coup, "REASON".into());
            self.lacking(role, "decide the dispute", act, Needs::Reason);
        }
        self.plain(role, "give the rules to those who asked", Act::GiveRules);
        self.plain(role, "give notice of closing", Act::GiveNotice(SignLine::Closing, None));
        self.plain(role, "close the table", Act::Close);
        self.plain(role, "replace the cards", Act::ReplaceCards);
        let seats: Vec<u32> = table.present().map(|(_, player)| player.seat).collect();
        for seat in seats {
            let what = format!("ask for seat {seat}");
            let doing = Doing::plain(By::role(role), Act::RequireSeat(seat));
            self.attempt(what, &doing, false);
        }
        self.lacking(role, "void the coup", Act::VoidCoup("REASON".into()), Needs::Reason);
        if table.coups() > 0 {
            let act = Act::VoidNumbered(table.coups(), "REASON".into());
            self.lacking(role, "void the last coup", act, Needs::Reason);
        }
        let act = Act::Invalidate("REASON".into());
        self.lacking(role, "invalidate the coup after a disturbance", act, Needs::Reason);
    }
}
