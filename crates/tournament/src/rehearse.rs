//! Plays a whole event with robots: for a director who wants to see it before the first entry.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use rules::{Card, Cents, Group, Rulebook, Side, Spot};
use shoe::below;
use table::{
    Act as TableAct, Bet, Code, Deed, Facing, Name, Next, Phase as TablePhase, Refusal, Work,
};

use crate::ballot;
use crate::command::{Act, Command};
use crate::conditions::Conditions;
use crate::event::{EntrantId, Event, Fact};
use crate::secret;
use crate::sitting::{Sitting, Stint};
use crate::state::Phase;
use crate::tournament::Tournament;

/// An event under rehearsal.
pub struct Rehearsal<'a, W> {
    book: &'a Arc<Rulebook>,
    words: W,
    at: u64,
    /// The tournament in its current state.
    pub tournament: Tournament,
    /// All acts so far.
    pub acts: Vec<Act>,
    /// All events so far.
    pub events: Vec<Event>,
    /// The cards left in the shoe of each table.
    shoes: BTreeMap<u32, Vec<Card>>,
    /// Cards of the coup that lie face down at each table: Player's and Banker's, in order.
    down: BTreeMap<u32, [Vec<Card>; 2]>,
    /// Forms that wait to be opened: salt and words.
    forms: BTreeMap<EntrantId, (String, String)>,
    /// One player in so many does not come; at 0, all come.
    pub no_show: u32,
}

/// More acts than any realistic event has; a rehearsal that needs more is endless.
const MOST_ACTS: usize = 1_000_000;

/// The names of the first players.
const NAMES: [&str; 40] = [
    "Ada", "Ben", "Cleo", "Dov", "Eve", "Finn", "Gus", "Hana", "Ida", "Jon", "Kai", "Lena", "Max",
    "Nia", "Otto", "Pia", "Quin", "Rex", "Sia", "Tom", "Una", "Vito", "Wes", "Xena", "Yan", "Zoe",
    "Abe", "Bea", "Cal", "Dot", "Eli", "Fay", "Gil", "Hal", "Ines", "Jed", "Kim", "Leo", "Mia",
    "Ned",
];

/// Why a rehearsal could not continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// An act that should be lawful was refused.
    Refused(Box<Act>, Refusal),
    /// The rehearsal does not end.
    Endless,
}

type Done = Result<(), Stuck>;

impl<'a, W: Iterator<Item = u32>> Rehearsal<'a, W> {
    /// A rehearsal of an event, with the random words of a stream.
    pub fn new(book: &'a Arc<Rulebook>, words: W) -> Self {
        Self {
            book,
            words,
            at: 0,
            tournament: Tournament::new(book.clone()),
            acts: Vec::new(),
            events: Vec::new(),
            shoes: BTreeMap::new(),
            down: BTreeMap::new(),
            forms: BTreeMap::new(),
            no_show: 0,
        }
    }

    /// Plays the whole event with so many entrants.
    ///
    /// # Errors
    ///
    /// When the event cannot be played to its end.
    pub fn run(&mut self, conditions: &Conditions, entrants: u32) -> Done {
        self.prepare(conditions, entrants)?;
        while self.tournament.phase() == Phase::Playing {
            if self.acts.len() > MOST_ACTS {
                return Err(Stuck::Endless);
            }
            self.round()?;
        }
        Ok(())
    }

    /// Does the next thing at every table, or between sessions.
    ///
    /// # Errors
    ///
    /// When the step cannot be done.
    pub fn round(&mut self) -> Done {
        let live: Vec<u32> =
            self.tournament.sittings().filter(|s| s.is_live()).map(|s| s.number).collect();
        if live.is_empty() {
            return match self.tournament.current_stage() {
                Some(_) => self.seat_players(),
                None => match self.act(Act::AwardPrizes) {
                    Err(Stuck::Refused(_, refusal)) if refusal.code == Code::TooFew => {
                        self.act(Act::Cancel("nobody is left to win".into()))
                    }
                    done => done,
                },
            };
        }
        live.into_iter().try_for_each(|table| self.step(table))
    }

    /// Salt and words of the forms that are not opened yet.
    pub fn sealed(&self) -> impl Iterator<Item = &(String, String)> {
        self.forms.values()
    }

    /// A number below `n`.
    fn below(&mut self, n: u32) -> u32 {
        below(n.max(1), &mut self.words).unwrap_or(0)
    }

    /// Performs an act.
    ///
    /// # Errors
    ///
    /// When the act is refused.
    pub fn act(&mut self, act: Act) -> Done {
        let command = Command::new(self.at, act);
        match self.tournament.act(&command) {
            Ok(events) => {
                self.events.extend(events);
                self.acts.push(command.act);
                Ok(())
            }
            Err(refusal) => Err(Stuck::Refused(Box::new(command.act), refusal)),
        }
    }

    fn at_table(&mut self, table: u32, act: TableAct) -> Done {
        self.act(Act::At(Some(table), Box::new(act)))
    }

    /// Prepares the event, from the conditions to closed entries.
    ///
    /// # Errors
    ///
    /// When the conditions or the number of entrants are not accepted.
    pub fn prepare(&mut self, conditions: &Conditions, entrants: u32) -> Done {
        let name = |text: &str| Name::from(text).unwrap_or_default();
        self.act(Act::Open)?;
        self.act(Act::Document(Box::new(conditions.clone())))?;
        for act in [Act::Publish, Act::Notify, Act::Approve, Act::NameDirector(name("Dana"))] {
            self.act(act)?;
        }
        self.act(Act::OpenEntries)?;
        self.act(Act::TellConditions)?;
        let players = (0..entrants as usize).map(|i| match NAMES.get(i) {
            Some(short) => name(short),
            None => name(&format!("P{}", i + 1)),
        });
        self.act(Act::Enter(players.collect()))?;
        self.act(Act::CloseEntries)?;
        // Conditions without a stage get one table, and nobody plays at it.
        let fewest = conditions.stages.0.iter().map(|stage| stage.seats).min();
        let tables = fewest.map_or(1, |seats| entrants.div_ceil(seats.max(1)).max(1));
        let tables = (1..=tables).collect();
        self.act(Act::NameTables(tables))
    }

    fn seat_players(&mut self) -> Done {
        if self.tournament.allotments().is_empty() {
            let secret = format!("{:08x}{:08x}", self.below(u32::MAX), self.below(u32::MAX));
            self.act(Act::CommitBallot(ballot::commitment(&secret)))?;
            self.act(Act::RevealBallot(secret))?;
        }
        let places: Vec<_> = self.tournament.allotments().iter().map(|a| a.entrant).collect();
        let mut missing = Vec::new();
        for id in places {
            if self.no_show > 0 && self.below(self.no_show) == 0 {
                missing.push(self.tournament.entrant(id).name);
            }
        }
        self.act(Act::TakeSeats(missing))?;
        let start = self.tournament.conditions().and_then(|conditions| conditions.start);
        self.at = start.map_or(self.at, |start| self.at.max(start.0));
        self.act(Act::Start)
    }

    /// Does the next thing at a table.
    fn step(&mut self, table: u32) -> Done {
        let Some(sitting) = self.tournament.sitting(table) else { return Ok(()) };
        if let Stint::PlayOffDue(drawn) = sitting.stint {
            return self.play_off(table, drawn.is_some());
        }
        if sitting.active().count() <= 1 && sitting.table.coup().is_none() {
            return self.act(Act::EndEarly(Some(table)));
        }
        let first = sitting.chairs.iter().find(|chair| {
            chair.form.is_some_and(|form| form.dealt < sitting.dealt || sitting.laying)
        });
        if let (Some(chair), None) = (first, sitting.table.coup()) {
            let id = chair.entrant;
            return self.open_form(id);
        }
        match sitting.table.phase() {
            TablePhase::Preparing => self.fresh_shoe(table),
            TablePhase::Betting if sitting.table.is_shuffle_due() => self.fresh_shoe(table),
            TablePhase::Betting => self.wagers(table),
            TablePhase::Called | TablePhase::Dealing => self.deal(table),
            TablePhase::Unopened | TablePhase::Closed => Ok(()),
        }
    }

    fn fresh_shoe(&mut self, table: u32) -> Done {
        let book = self.tournament.table_book();
        let due = self.tournament.sitting(table).and_then(|sitting| sitting.table.due(book));
        if due.is_some_and(|due| due.next == Next::Replace) {
            return self.at_table(table, TableAct::ReplaceCards);
        }
        let decks = 8;
        let mut cards: Vec<Card> =
            (0..decks * 52).filter_map(|i| Card::from_index(u8::try_from(i % 52).ok()?)).collect();
        let _ = shoe::shuffle(&mut cards, &mut self.words);
        self.shoes.insert(table, cards);
        self.at_table(table, TableAct::FreshShoe)
    }

    fn play_off(&mut self, table: u32, drawn: bool) -> Done {
        let stage = self.tournament.sitting(table).map_or(0, |sitting| sitting.stage);
        let chips = self.tournament.conditions().and_then(|c| c.chips_of(stage));
        if !drawn {
            let card = u8::try_from(self.below(52)).ok().and_then(Card::from_index);
            let command = card.map(|card| Act::DrawForPlayOff(Some(table), card));
            // Where the book draws no card, additional rounds continue until there is a result.
            if let Some(act) = command
                && self.tournament.decide(&Command::new(self.at, act.clone())).is_ok()
            {
                return self.act(act);
            }
        }
        let without = Act::StartPlayOff(Some(table), None);
        if self.tournament.decide(&Command::new(self.at, without.clone())).is_ok() {
            return self.act(without);
        }
        self.act(Act::StartPlayOff(Some(table), chips))
    }

    /// Everybody wagers in turn, and the dealer calls.
    fn wagers(&mut self, table: u32) -> Done {
        for _ in 0..20 {
            let Some(sitting) = self.tournament.sitting(table) else { return Ok(()) };
            let from = sitting.turn.or(sitting.marker).unwrap_or(0);
            let now = sitting.active().find(|chair| chair.seat == from);
            let now = now.filter(|chair| !sitting.has_wagered(chair) && !chair.is_missing());
            let Some(chair) = now.or_else(|| sitting.next_to_wager(from)) else { break };
            let id = chair.entrant;
            self.wager(table, id)?;
        }
        if self
            .tournament
            .sitting(table)
            .is_some_and(|s| s.table.wagers().is_empty() && !has_form(s))
        {
            // All players are missing.
            return self.wait_for_the_late(table);
        }
        self.at_table(table, TableAct::Dealer(Work::NoMoreBets))
    }

    /// No player is present to wager: the missing players come in.
    fn wait_for_the_late(&mut self, table: u32) -> Done {
        let Some(sitting) = self.tournament.sitting(table) else { return Ok(()) };
        let late = sitting.active().find(|chair| chair.late.is_some()).map(|chair| chair.entrant);
        match late {
            Some(id) => {
                let name = self.tournament.entrant(id).name;
                self.act(Act::TakeSeat(name))
            }
            None => Err(Stuck::Endless),
        }
    }

    fn wager(&mut self, table: u32, id: EntrantId) -> Done {
        let Some(sitting) = self.tournament.sitting(table) else { return Ok(()) };
        let Some(chair) = sitting.chair(id) else { return Ok(()) };
        let name = self.tournament.entrant(id).name;
        let stack = sitting.stack(chair).at_least_zero().get();
        let limits = sitting.table.limits(Group::Main);
        let (least, most, step) = limits.map_or((100, stack, 100), |limits| {
            (limits.least.get(), limits.most.get(), limits.step.map_or(100, Cents::get).max(100))
        });
        let length = self.tournament.length(sitting.stage);
        let final_coup = sitting.is_last_coup(length);
        let used = chair.secrets;
        let allowed = self.tournament.conditions().and_then(|c| c.secret_wagers).unwrap_or(0);
        let wanted = match self.below(if final_coup { 4 } else { 8 }) {
            0 => stack,
            1 => stack / 2,
            2 => stack / 4,
            3 => least * 2,
            _ => least,
        };
        let cap = most.min(stack);
        let amount = (wanted.clamp(least.min(cap), cap) / step * step).max(least);
        let amount = Cents::new(amount).unwrap_or(Cents::ZERO);
        let spot = if self.below(2) == 0 { Spot::Banker } else { Spot::Player };
        if used < allowed && self.below(if final_coup { 2 } else { 8 }) == 0 {
            return self.hand_in(id, spot, amount);
        }
        let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
        self.at_table(table, TableAct::Player(name, Deed::Bet(bet)))?;
        self.wager_besides(table, name, step)
    }

    /// One player in five wagers on a tie besides, or on a side bet, if the event has them and the
    /// chips are there.
    fn wager_besides(&mut self, table: u32, name: Name, step: u64) -> Done {
        if self.below(5) != 0 {
            return Ok(());
        }
        let book = self.tournament.table_book();
        let Some(sitting) = self.tournament.sitting(table) else { return Ok(()) };
        let main = |spot: &Spot| matches!(spot, Spot::Banker | Spot::Player);
        let offered = |spot: &Spot| book.offers(*spot, sitting.table.terms()).is_ok();
        let spots: Vec<Spot> =
            book.spots().into_iter().filter(|spot| !main(spot) && offered(spot)).collect();
        let least: Vec<u64> = spots
            .iter()
            .map(|spot| {
                let limits = book.group(*spot).and_then(|group| sitting.table.limits(group));
                limits.map_or(step, |limits| limits.least.get().next_multiple_of(step))
            })
            .collect();
        let which = self.below(u32::try_from(spots.len()).unwrap_or(1)) as usize;
        let (Some(spot), Some(least)) = (spots.get(which), least.get(which)) else {
            return Ok(());
        };
        let times = u64::from(1 + self.below(3));
        let amount = Cents::new(least * times).unwrap_or(Cents::ZERO);
        let bet = Bet { spot: *spot, amount, place: None, unnoticed: false, in_error: false };
        let act = TableAct::Player(name, Deed::Bet(bet));
        let act = Act::At(Some(table), Box::new(act));
        // What the conditions, the sign or the chips do not allow is not wagered.
        if self.tournament.decide(&Command::new(self.at, act.clone())).is_ok() {
            return self.act(act);
        }
        Ok(())
    }

    fn hand_in(&mut self, id: EntrantId, spot: Spot, amount: Cents) -> Done {
        let name = self.tournament.entrant(id).name;
        let salt = format!("{:08x}{:08x}", self.below(u32::MAX), self.below(u32::MAX));
        let content = format!("{amount} on {}", spot.key());
        self.act(Act::HandIn(name, secret::commitment(&salt, &content)))?;
        self.forms.insert(id, (salt, content));
        self.act(Act::Examine(name))
    }

    fn open_form(&mut self, id: EntrantId) -> Done {
        let name = self.tournament.entrant(id).name;
        match self.forms.remove(&id) {
            Some((salt, content)) => self.act(Act::OpenForm { name, salt, content }),
            None => self.act(Act::SpoilForm(name)),
        }
    }

    fn take(&mut self, table: u32) -> Option<Card> {
        self.shoes.get_mut(&table).and_then(Vec::pop)
    }

    /// Deals or turns the cards that are due.
    fn deal(&mut self, table: u32) -> Done {
        let book = self.tournament.table_book();
        let Some(sitting) = self.tournament.sitting(table) else { return Ok(()) };
        let left = self.shoes.get(&table).map_or(0, Vec::len);
        if left <= 14 && sitting.table.shoe().cutting_card.is_none() {
            return self.at_table(table, TableAct::CuttingCardAppears);
        }
        let style = Facing::down_if(sitting.table.is_face_down());
        let face_down = sitting.table.next_lies(book, style) == Facing::Down;
        let first = sitting.table.coup().is_none();
        match sitting.table.due(book).map(|due| due.next) {
            Some(Next::Card(_)) if first => {
                let cards = [(); 4].map(|()| self.take(table));
                if face_down {
                    let two =
                        |a: usize, b: usize| [cards[a], cards[b]].into_iter().flatten().collect();
                    self.down.insert(table, [two(0, 2), two(1, 3)]);
                    return self.at_table(table, TableAct::Dealer(Work::Deal([None; 4])));
                }
                self.at_table(table, TableAct::Dealer(Work::Deal(cards)))
            }
            Some(Next::Card(to)) => {
                let card = self.take(table);
                let shown = card.filter(|_| !face_down);
                if let (Some(card), true) = (card, face_down) {
                    self.down.entry(table).or_default()[to as usize].push(card);
                }
                self.at_table(table, TableAct::Dealer(Work::Draw { card: shown, to, face_down }))
            }
            Some(Next::Turn { side, third, by }) => self.turn(table, side, third, by),
            _ => Err(Stuck::Endless),
        }
    }

    fn turn(&mut self, table: u32, side: Side, third: bool, by: Option<table::PlayerId>) -> Done {
        let cards = self.down.get(&table).map_or_else(Vec::new, |down| down[side as usize].clone());
        let (first, last) = (cards.first().copied(), cards.get(1).copied());
        let two = first.zip(last).map(|(a, b)| [a, b]);
        let player = by.and_then(|id| {
            self.tournament.sitting(table).map(|sitting| sitting.table.player(id).name)
        });
        let act = match (player, third) {
            (Some(name), false) => TableAct::Player(name, Deed::Turn(side, two)),
            (Some(name), true) => {
                TableAct::Player(name, Deed::TurnThird(side, cards.get(2).copied()))
            }
            (None, false) => TableAct::Dealer(Work::Turn(side, two)),
            (None, true) => TableAct::Dealer(Work::TurnThird(side, cards.get(2).copied())),
        };
        self.at_table(table, act)
    }

    /// The book of the rehearsal.
    #[must_use]
    pub fn book(&self) -> &Rulebook {
        self.book
    }
}

fn has_form(sitting: &Sitting) -> bool {
    sitting.active().any(|chair| chair.form.is_some())
}

/// The statistics of one rehearsal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// For each stage, the coups of the longest table of each session, added up.
    pub coups: Vec<u32>,
    /// For each stage, how often players had to be separated by play.
    pub play_offs: Vec<u32>,
    /// How many of these were by additional rounds.
    pub rounds: u32,
    /// How many of these were by coups that a drawn card decided.
    pub by_card: u32,
    /// How many of these were between players eliminated in one coup.
    pub out_together: u32,
    /// How often prizes or points were shared.
    pub shared: u32,
    /// How many players did not come.
    pub missing: u32,
    /// Whether the event was cancelled, because nobody was left.
    pub cancelled: bool,
}

/// Counts what happened in an event.
#[must_use]
pub fn outcome(tournament: &Tournament, events: &[Event]) -> Outcome {
    let stages = tournament.stages().len();
    let (coups, play_offs) = (alloc::vec![0; stages], alloc::vec![0; stages]);
    let mut outcome = Outcome { coups, play_offs, ..Outcome::default() };
    // Tables of one session play at the same time: the longest counts.
    let (mut stage, mut longest): (usize, BTreeMap<u32, u32>) = (0, BTreeMap::new());
    // The players eliminated since the last coup of a table began, and whether a card was drawn
    // there.
    let mut out: BTreeMap<u32, Vec<EntrantId>> = BTreeMap::new();
    let mut drawn: BTreeMap<u32, bool> = BTreeMap::new();
    for event in events {
        // Only some facts are counted.
        if let Fact::SessionStarted { stage: next, .. } = &event.fact {
            close(&mut outcome, stage, &mut longest);
            stage = *next;
        } else if let Fact::AtTable { table, event } = &event.fact {
            if let table::Fact::CoupBegan { .. } = event.fact {
                *longest.entry(*table).or_default() += 1;
                out.remove(table);
            }
        } else if let Fact::Eliminated { entrant, table, .. } = &event.fact {
            out.entry(*table).or_default().push(*entrant);
        } else if let Fact::PlayOffDue { table, players } = &event.fact {
            let gone = out.get(table);
            let all = gone.is_some_and(|gone| players.iter().all(|id| gone.contains(id)));
            outcome.out_together += u32::from(all);
            drawn.insert(*table, false);
        } else if let Fact::PlayOffDrawn { table, .. } = &event.fact {
            drawn.insert(*table, true);
        } else if let Fact::PlayOffStarted { table, .. } = &event.fact {
            let card = drawn.get(table).copied().unwrap_or(false);
            outcome.play_offs[stage] += 1;
            outcome.by_card += u32::from(card);
            outcome.rounds += u32::from(!card);
        }
        outcome.shared += u32::from(matches!(event.fact, Fact::Shared { .. }));
        outcome.missing += u32::from(matches!(event.fact, Fact::Forfeited(_)));
        outcome.cancelled |= matches!(event.fact, Fact::Cancelled(_));
    }
    close(&mut outcome, stage, &mut longest);
    outcome
}

fn close(outcome: &mut Outcome, stage: usize, longest: &mut BTreeMap<u32, u32>) {
    if let Some(coups) = outcome.coups.get_mut(stage) {
        *coups += longest.values().max().copied().unwrap_or(0);
    }
    longest.clear();
}
