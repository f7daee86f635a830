//! The rulebook: every decision that a regulator takes and every ground, each with its clause.

mod betting;
mod equipment;
mod numbers;
mod paying;
mod playing;
mod tournament;
mod trouble;

use alloc::string::String;
use alloc::vec::Vec;

pub use betting::*;
pub use equipment::*;
pub use numbers::*;
pub use paying::*;
pub use playing::*;
pub use tournament::*;
pub use trouble::*;

use crate::clause::{BookId, Ground};
use crate::key::Key;
use crate::policy::{Answer, Section, SectionSpec, Source};
use crate::side_bet::{Declared, PayMethod, Row, SideBets};

/// The identity of a book, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Title {
    /// The book's id, such as `act-2018`.
    pub id: BookId,
    /// The book that this one amends, if it is an amendment laid over one.
    pub base: Option<BookId>,
    /// The sheets of side bets that are laid over the book, beyond its own.
    pub with: Vec<BookId>,
    /// The name of the game in this book.
    pub game: String,
    /// Where the book is law.
    pub jurisdiction: String,
    /// The instrument that made the book.
    pub instrument: String,
    /// The date from which it is in force, in the instrument's own words.
    pub in_force: String,
}

impl Title {
    /// The id, with the base and the sheets where there are any: `vic-2005 over tas-2013`,
    /// `act-2018 with lucky-6`.
    #[must_use]
    pub fn name(&self) -> String {
        let mut name = match self.base {
            Some(base) => alloc::format!("{} over {base}", self.id),
            None => String::from(self.id.as_str()),
        };
        for (i, sheet) in self.with.iter().enumerate() {
            name += if i == 0 { " with " } else { ", " };
            name += sheet;
        }
        name
    }
}

macro_rules! rulebook {
    ($( $field:ident: $section:ty, )+) => {
        /// A regulator's rulebook, complete: a table is run by it. Everything in it is cited.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Rulebook {
            /// The identity of the book.
            pub title: Title,
            $(
                #[doc = concat!("The section `", stringify!($field), "`.")]
                pub $field: $section,
            )+
            /// The methods of paying main wagers; the first is the usual one.
            pub methods: Vec<PayMethod>,
            /// The side bets, by groups.
            pub side_bets: Vec<SideBets>,
        }

        impl Rulebook {
            /// Every section there is, in the order in which books are shown.
            pub const SECTIONS: &'static [SectionSpec] = &[$(<$section as Section>::SPEC),+];

            /// Reads a book; nothing if the source had to note a fault.
            pub fn gather(
                title: Title,
                methods: Vec<(Key, Vec<Row>)>,
                side_bets: Vec<Declared>,
                source: &mut dyn Source,
            ) -> Option<Self> {
                // Every section is read before any is reported missing, so that all faults are
                // noted.
                $( let $field = <$section as Section>::gather(source); )+
                let methods: Vec<_> = methods
                    .into_iter()
                    .map(|(key, rows)| PayMethod::gather(key, rows, source))
                    .collect();
                let methods: Option<Vec<_>> = methods.into_iter().collect();
                let side_bets: Vec<_> =
                    side_bets.into_iter().map(|group| group.gather(source)).collect();
                let side_bets: Option<Vec<_>> = side_bets.into_iter().collect();
                let (methods, side_bets) = (methods?, side_bets?);
                Some(Self { title, $( $field: $field?, )+ methods, side_bets })
            }

            /// All that the book says, item by item, in order.
            #[must_use]
            pub fn answers(&self) -> Vec<Answer> {
                let mut answers = Vec::new();
                $( self.$field.answers(&mut answers); )+
                self.methods.iter().for_each(|method| method.answers(&mut answers));
                self.side_bets.iter().for_each(|group| group.answers(&mut answers));
                // An item of a section that the book lacks is not a decision of its own.
                let lacks = |section: &str| {
                    let whole = |answer: &Answer| answer.spec.path == section;
                    answers.iter().any(whole)
                };
                let idle: Vec<_> = Self::SECTIONS
                    .iter()
                    .filter(|section| section.part_of.is_some_and(lacks))
                    .map(|section| section.path)
                    .collect();
                answers.retain(|answer| !idle.contains(&answer.spec.path));
                answers
            }
        }
    };
}

rulebook! {
    table: TableRules,
    cards: Cards,
    shuffle: Shuffle,
    cut: Cut,
    burn: Option<Burn>,
    boxes: Boxes,
    wagers: Wagers,
    limits: Limits,
    no_bet: NoBet,
    no_bet_request: Option<NoBetRequest>,
    deal: Deal,
    tableau: Tableau,
    calls: Calls,
    banker: BankerWager,
    player: PlayerWager,
    tie: TieWager,
    settlement: Settlement,
    end_of_shoe: EndOfShoe,
    irregularities: Irregularities,
    wager_changes: Option<WagerChanges>,
    general: General,
    tournament: Option<Tournament>,
    tournament_chips: Option<TournamentChips>,
    tournament_wagers: Option<TournamentWagers>,
    secret_wagers: Option<SecretWagers>,
    prizes: Option<Prizes>,
    conditions: Option<Conditions>,
}

impl Rulebook {
    /// Lays a sheet of side bets over the book. Gives whether the source had no fault to note.
    pub fn add(&mut self, sheet: BookId, groups: Vec<Declared>, source: &mut dyn Source) -> bool {
        let groups: Vec<_> = groups.into_iter().map(|group| group.gather(source)).collect();
        let Some(groups) = groups.into_iter().collect::<Option<Vec<_>>>() else { return false };
        self.title.with.push(sheet);
        self.side_bets.extend(groups);
        true
    }

    /// The ground on which wagers may change in a round, if they may.
    #[must_use]
    pub fn wager_change(&self, ground: fn(&WagerChanges) -> Ground) -> Option<Ground> {
        self.wager_changes.as_ref().map(ground)
    }
}
