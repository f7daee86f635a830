//! The table that questions come from: random shoes, dealt by the engine as the book wants it.

use std::sync::Arc;

use live::{Beginning, Floor, LiveError, Scene, TableHandle, World};
use rulebooks::Book;
use rules::{Card, Cents, Clause, Side, Spot};
use store::{Deals, Log, Model, Setup};
use table::{Act, Bet, Deed, Event, Fact, Name, Next, Phase, PlayerId, SignLine, Table, Work};
use tokio::runtime::{Builder, Runtime};

use crate::play::{Chance, all_offered, sign};

/// A table to ask about, on a floor whose log is in memory: it is run as every table is, and
/// nothing of it is worth keeping.
pub(super) struct Bench<'a> {
    runtime: Runtime,
    handle: TableHandle,
    /// What the table looked like after the last act.
    scene: Scene,
    pub(super) chance: &'a mut Chance,
    /// The cards in the shoe, the next one last.
    shoe: Vec<Card>,
    /// So many cards lie behind the cutting card.
    behind: usize,
    /// The cards of the coup in play or just over, in the order of dealing.
    pub(super) dealt: Vec<(Side, Card)>,
    /// The clauses by which the shoe is over, once it is.
    pub(super) over_by: Vec<Clause>,
}

/// How the cards of a coup are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dealt {
    FaceUp,
    FaceDown,
}

/// How far a coup is dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// So many cards are out.
    Cards(usize),
    Over,
}

fn cents(dollars: u32) -> Cents {
    Cents::new(u64::from(dollars) * 100).unwrap_or(Cents::ZERO)
}

fn ann() -> Name {
    Name::from("Ann").unwrap_or_default()
}

/// A table whose cards are keyed in, at a time that stands.
async fn begin(book: &Book) -> Result<(TableHandle, Scene), LiveError> {
    let floor = Floor::open(Log::Model(Model::new(0)), World::real().with_clock(0)).await?;
    let (name, title) = (book.rulebook.title.id.to_string(), "drill".to_owned());
    let setup = Setup { title, deals: Deals::Keyed, pace: None, alone: true, ahead_of_utc: None };
    let book = Arc::new(book.clone());
    let beginning = Beginning { stream: "table 1".into(), name, book, setup, opener: None };
    let handle = floor.begin_table(beginning).await?;
    let scene = handle.look().await?;
    Ok((handle, scene))
}

impl<'a> Bench<'a> {
    /// A table with a player and no shoe yet.
    pub(super) fn new(book: &Book, chance: &'a mut Chance) -> Option<Self> {
        let runtime = Builder::new_current_thread().enable_time().build().ok()?;
        let (handle, scene) = runtime.block_on(begin(book)).ok()?;
        let behind = book.rulebook.cut.behind.value.least();
        let behind = usize::try_from(behind).ok()?;
        let (shoe, dealt, over_by) = (Vec::new(), Vec::new(), Vec::new());
        let mut bench = Self { runtime, handle, scene, chance, shoe, behind, dealt, over_by };
        bench.act(Act::Open(all_offered(book)))?;
        for posting in sign(book, bench.table().terms()) {
            bench.act(Act::Post(posting))?;
        }
        bench.act(Act::Player(ann(), Deed::Sit(1, cents(100_000))))?;
        let decks = bench.table().options().decks;
        let deck = (0..52).filter_map(Card::from_index);
        bench.shoe = (0..decks).flat_map(|_| deck.clone()).collect();
        bench.chance.shuffle(&mut bench.shoe);
        Some(bench)
    }

    /// Ready for wagers on the first coup of a shoe.
    pub(super) fn ready(book: &Book, chance: &'a mut Chance) -> Option<Self> {
        let mut bench = Self::new(book, chance)?;
        bench.act(Act::FreshShoe)?;
        Some(bench)
    }

    /// Ready for wagers somewhere in a shoe.
    pub(super) fn later(book: &Book, chance: &'a mut Chance) -> Option<Self> {
        let mut bench = Self::ready(book, chance)?;
        for _ in 0..bench.chance.below(8) {
            bench.coup(Spot::Player, 50, Until::Over)?;
        }
        Some(bench)
    }

    /// The last coup of a shoe is over.
    pub(super) fn last(book: &Book, chance: &'a mut Chance) -> Option<Self> {
        let mut bench = Self::ready(book, chance)?;
        while bench.table().phase() == Phase::Betting {
            bench.coup(Spot::Player, 50, Until::Over)?;
        }
        Some(bench)
    }

    pub(super) const fn table(&self) -> &Table {
        &self.scene.table
    }

    pub(super) fn act(&mut self, act: Act) -> Option<Vec<Event>> {
        let told = self.runtime.block_on(self.handle.act(act)).ok()?.ok()?;
        self.scene = self.runtime.block_on(self.handle.look()).ok()?;
        let events: Vec<_> = told.into_iter().map(|told| told.event).collect();
        if let Some(over) = events.iter().rev().find(|event| event.fact == Fact::ShuffleDue) {
            self.over_by = over.clauses.to_vec();
        }
        Some(events)
    }

    /// Has cards dealt face down from now on.
    pub(super) fn face(&mut self, dealt: Dealt) -> Option<()> {
        match dealt {
            Dealt::FaceUp => Some(()),
            Dealt::FaceDown => {
                let asked = self.table().book().deal.face.value == rules::book::Face::UpUnlessAsked;
                if asked {
                    self.act(Act::Player(ann(), Deed::AskFaceDown))?;
                    // Where nobody is to be told, this is refused, and nothing is lost.
                    let _ = self.act(Act::Supervisor(table::Decision::InformManagement));
                    let _ = self.act(Act::Supervisor(table::Decision::InformSurveillance));
                }
                self.act(Act::Post(SignLine::FaceDown(true))).map(|_| ())
            }
        }
    }

    /// The next card of the shoe.
    pub(super) fn card(&mut self) -> Option<Card> {
        self.shoe.pop()
    }

    /// Whether the cutting card is the next thing to come out.
    pub(super) fn marker_is_next(&self) -> bool {
        self.shoe.len() <= self.behind && self.table().shoe().cutting_card.is_none()
    }

    /// Bets, calls no more bets and deals so far.
    pub(super) fn coup(&mut self, spot: Spot, dollars: u32, until: Until) -> Option<Vec<Event>> {
        self.open(spot, dollars)?;
        self.deal(until)
    }

    /// Bets and calls no more bets.
    pub(super) fn open(&mut self, spot: Spot, dollars: u32) -> Option<()> {
        // Wagers that lie after a tie are taken back: the question names one wager alone.
        let lying: Vec<_> = self.table().wagers().iter().map(|wager| wager.spot).collect();
        for spot in lying {
            self.act(Act::Player(ann(), Deed::TakeBack(spot)))?;
        }
        let amount = cents(dollars);
        let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
        self.act(Act::Player(ann(), Deed::Bet(bet)))?;
        self.act(Act::Dealer(Work::NoMoreBets))?;
        self.dealt.clear();
        Some(())
    }

    /// Deals what is due.
    pub(super) fn deal(&mut self, until: Until) -> Option<Vec<Event>> {
        let mut events = Vec::new();
        while matches!(self.table().phase(), Phase::Called | Phase::Dealing)
            && until != Until::Cards(self.dealt.len())
        {
            let act = match self.table().due()?.next {
                Next::Card(_) if self.marker_is_next() => Act::CuttingCardAppears,
                Next::Card(side) => {
                    let card = self.card()?;
                    self.dealt.push((side, card));
                    Act::Dealer(Work::Draw { card: Some(card), to: side, face_down: false })
                }
                Next::Turn { side, third: true, by } => {
                    turned(by, Deed::TurnThird(side, None), Work::TurnThird(side, None))
                }
                Next::Turn { side, third: false, by } => {
                    turned(by, Deed::Turn(side, None), Work::Turn(side, None))
                }
                Next::Replace
                | Next::Check(_)
                | Next::Players
                | Next::Shuffle
                | Next::Cut(_)
                | Next::PlaceCuttingCard(_)
                | Next::Burn
                | Next::Wagers
                | Next::Inspector
                | Next::Decide(_) => return None,
            };
            events.extend(self.act(act)?);
        }
        Some(events)
    }

    /// Whose card is due, in a coup.
    pub(super) fn due(&self) -> Option<(Side, Vec<Clause>)> {
        let due = self.table().due()?;
        let Next::Card(side) = due.next else { return None };
        Some((side, due.clauses.to_vec()))
    }

    /// The hands as they lie.
    pub(super) fn hands(&self) -> String {
        let hand = |side: Side| {
            let cards = self.dealt.iter().filter(|(to, _)| *to == side);
            cards.fold(side.to_string(), |text, (_, card)| format!("{text} {card}"))
        };
        match self.dealt.len() {
            0 => "no card is dealt yet".into(),
            1 => hand(Side::Player),
            _ => format!("{}, {}", hand(Side::Player), hand(Side::Banker)),
        }
    }

    /// Prepares the shoe up to a step.
    pub(super) fn prepare(&mut self, until: impl Fn(Next) -> bool) -> Option<Vec<Event>> {
        let mut events = Vec::new();
        for _ in 0..16 {
            let next = self.table().due()?.next;
            if until(next) {
                return Some(events);
            }
            let act = match next {
                Next::Check(by) => Act::Dealer(Work::Check(by)),
                Next::Shuffle => Act::Dealer(Work::Shuffle),
                Next::Cut(_) => Act::Player(ann(), Deed::Cut(100)),
                Next::PlaceCuttingCard(behind) => Act::Dealer(Work::PlaceCuttingCard(behind)),
                Next::Burn => Act::Dealer(Work::Burn(self.card()?)),
                Next::Replace
                | Next::Players
                | Next::Wagers
                | Next::Card(_)
                | Next::Turn { .. }
                | Next::Inspector
                | Next::Decide(_) => return None,
            };
            events.extend(self.act(act)?);
        }
        None
    }
}

/// Cards are turned by the player who has them, or by the dealer.
fn turned(by: Option<PlayerId>, deed: Deed, work: Work) -> Act {
    by.map_or(Act::Dealer(work), |_| Act::Player(ann(), deed))
}

/// The clauses of the last fact of a kind.
pub(super) fn clauses_of(events: &[Event], wanted: impl Fn(&Fact) -> bool) -> Vec<Clause> {
    let found = events.iter().rev().find(|event| wanted(&event.fact));
    found.map_or(Vec::new(), |event| event.clauses.to_vec())
}
