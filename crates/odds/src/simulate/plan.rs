//! What is simulated: the book's rules as tables.

use rules::book::Finish;
use rules::{Card, Group, Rank, Rulebook, Spot, Terms};

use crate::tableaux::{Class, Kind, Tableaux};
use crate::wagers::Wagers;

/// How the shoe begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Burning {
    /// The first card is shown and tells how many go with it.
    Shown,
    /// One card, unseen.
    Unseen,
    /// None.
    Nothing,
}

/// The most wagers of a book.
pub(crate) const WAGERS: usize = 8;
/// The most groups of payouts.
pub(crate) const GROUPS: usize = 64;

/// Tables have the size of a power of two, so that an index need not be checked but masked.
pub(crate) const ENDS: usize = 1 << 14;
pub(crate) const ROWS: usize = 1 << 13;

/// A simulation's rules.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Decks in the shoe.
    pub decks: u32,
    /// Cards behind the cutting card.
    pub behind: u32,
    /// How the shoe begins.
    pub burning: Burning,
    /// The wagers, all made at once.
    pub wagers: Wagers,
    /// How many cards are burnt after the one shown, by its byte.
    pub(crate) burnt: [u8; 256],
    /// The last rounds, when the cutting card comes before a round, and within one.
    pub(crate) finish: [Finish; 2],
    pub(crate) one_more_on_tie: bool,
    /// By both totals of two cards and both third cards: the group, and the cards that the coup
    /// takes beyond four.
    pub(crate) ends: Box<[u8; ENDS]>,
    /// By both sums of two cards, the second times 256: where their row in `ends` begins.
    pub(crate) rows: Box<[u16; ROWS]>,
    /// What each group pays on each wager but the Pairs.
    pub(crate) pays: [[i16; WAGERS]; GROUPS],
    /// What the pairs of both hands pay, by how their bytes differ, Player's times eight: perfect,
    /// of one colour, mixed, mixed, none.
    pub(crate) pair_pays: [[i16; WAGERS]; 64],
    /// Who wins with each group: nobody, Player, Banker.
    pub(crate) winner: [u8; GROUPS],
    pub(crate) groups: usize,
}

/// A card as the simulation has it: its value above, then its rank among those of the value, then
/// its suit. Two cards are a pair if they differ in the last two bits at most.
pub(crate) fn byte(card: Card, tableaux: &Tableaux) -> u8 {
    let value = tableaux.values[card.rank() as usize];
    let alike = Rank::ALL[..card.rank() as usize].iter();
    let before = alike.filter(|rank| tableaux.values[**rank as usize] == value).count();
    value << 4 | u8::try_from(before).expect("few ranks count the same") << 2 | card.suit() as u8
}

impl Plan {
    /// What the book has, unless something else is chosen. A choice that the book does not have is
    /// the caller's to refuse.
    ///
    /// # Panics
    ///
    /// When a book has more kinds of payouts than any book should.
    #[must_use]
    pub fn of(book: &Rulebook, terms: Terms, decks: u32) -> Self {
        let tableaux = Tableaux::of(book);
        let wagers = Wagers::of(book, terms);
        let burning = if book.burn.is_some() { Burning::Shown } else { Burning::Nothing };
        let end = &book.end_of_shoe;
        let mut plan = Self {
            decks,
            behind: book.cut.behind.value.least(),
            burning,
            wagers,
            burnt: [0; 256],
            finish: [end.cutting_card_first.value, end.cutting_card_during.value],
            one_more_on_tie: end.one_more_on_tie.is_some(),
            ends: Box::new([0; ENDS]),
            rows: Box::new([0; ROWS]),
            pays: [[0; WAGERS]; GROUPS],
            pair_pays: [[0; WAGERS]; 64],
            winner: [0; GROUPS],
            groups: 0,
        };
        plan.fill_burn(book, &tableaux);
        plan.fill_rows();
        plan.fill_ends(&tableaux);
        plan.fill_pairs();
        plan
    }

    fn fill_burn(&mut self, book: &Rulebook, tableaux: &Tableaux) {
        let Some(burn) = &book.burn else { return };
        for card in Card::deck() {
            let (further, _) = book.cards.burnt_with(burn, card.rank());
            let further = u8::try_from(further).expect("at most ten are burnt");
            self.burnt[usize::from(byte(card, tableaux))] = further;
        }
    }

    fn fill_rows(&mut self) {
        for banker in 0..19_usize {
            for player in 0..19_usize {
                let row = (player % 10 * 10 + banker % 10) * 100;
                self.rows[banker << 8 | player] = u16::try_from(row).expect("10,000 ends");
            }
        }
    }

    fn fill_ends(&mut self, tableaux: &Tableaux) {
        let mut seen: Vec<([i16; WAGERS], u8)> = Vec::new();
        for player in 0..10 {
            for banker in 0..10 {
                for v in 0..10 {
                    for u in 0..10 {
                        let (class, used) = end(tableaux, player, banker, v, u);
                        let key = (self.paid(class), winner(class));
                        let group = seen.iter().position(|other| *other == key);
                        let group = group.unwrap_or_else(|| {
                            seen.push(key);
                            seen.len() - 1
                        });
                        let group = u8::try_from(group).expect("few groups of payouts");
                        assert!(usize::from(group) < GROUPS, "few groups of payouts");
                        let at = ((player * 10 + banker) * 10 + v) * 10 + u;
                        self.ends[at] = group << 2 | used;
                    }
                }
            }
        }
        self.groups = seen.len();
        for (group, (pays, winner)) in seen.into_iter().enumerate() {
            self.pays[group] = pays;
            self.winner[group] = winner;
        }
    }

    /// What a class pays on each wager but the Pairs.
    fn paid(&self, class: Class) -> [i16; WAGERS] {
        let mut pays = [0; WAGERS];
        for (pays, wager) in pays.iter_mut().zip(&self.wagers.0) {
            if wager.spot.group() != Group::Pairs {
                let payout = wager.payouts[usize::from(wager.by_class[class.index()])];
                *pays = small(payout.parts);
            }
        }
        pays
    }

    fn fill_pairs(&mut self) {
        // By how two bytes differ: perfect, of one colour, mixed, mixed, none.
        let kinds = [4, 2, 1, 1, 0];
        for (at, wager) in self.wagers.0.iter().enumerate() {
            for (player, player_kind) in kinds.into_iter().enumerate() {
                for (banker, banker_kind) in kinds.into_iter().enumerate() {
                    let kind = match wager.spot {
                        Spot::PlayerPair => player_kind,
                        Spot::BankerPair => banker_kind,
                        Spot::Banker
                        | Spot::Player
                        | Spot::Tie
                        | Spot::BankerDragon
                        | Spot::PlayerDragon => continue,
                    };
                    let payout = wager.payouts[usize::from(wager.by_class[kind])];
                    self.pair_pays[player << 3 | banker][at] = small(payout.parts);
                }
            }
        }
    }

    /// The cards of a fresh shoe.
    pub(crate) fn cards(&self, tableaux: &Tableaux) -> Vec<u8> {
        let deck = Card::deck().map(|card| byte(card, tableaux));
        let deck: Vec<u8> = deck.collect();
        (0..self.decks).flat_map(|_| deck.iter().copied()).collect()
    }
}

/// A payout, of which a whole shoe's fit into sixteen bits.
fn small(parts: i64) -> i16 {
    let parts = i16::try_from(parts).ok().filter(|parts| parts.unsigned_abs() <= 200);
    parts.expect("a payout is at most 200 parts of its unit")
}

const fn winner(class: Class) -> u8 {
    if class.player > class.banker {
        1
    } else if class.player < class.banker {
        2
    } else {
        0
    }
}

/// How a coup ends with these totals of two cards, if the next two cards count so; and how many of
/// them it takes.
fn end(tableaux: &Tableaux, player: usize, banker: usize, v: usize, u: usize) -> (Class, u8) {
    let class = |player: usize, banker: usize, kind: Kind| Class {
        player: u8::try_from(player % 10).unwrap_or(0),
        banker: u8::try_from(banker % 10).unwrap_or(0),
        kind,
    };
    if tableaux.ends(player, banker) {
        return (class(player, banker, Kind::Natural), 0);
    }
    if !tableaux.player_draws[player] {
        return if tableaux.banker_draws_after_stand[banker] {
            (class(player, banker + v, Kind::BankerDrew), 1)
        } else {
            (class(player, banker, Kind::BothStand), 0)
        };
    }
    if tableaux.banker_draws[v][banker] {
        (class(player + v, banker + u, Kind::BothDrew), 2)
    } else {
        (class(player + v, banker, Kind::PlayerDrew), 1)
    }
}
