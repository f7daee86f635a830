//! What is simulated: the book's rules as tables.

use rules::book::Finish;
use rules::{Card, Rank, Rulebook, Side, Terms};

use crate::tableaux::{Class, Kind, Tableaux};
use crate::wagers::{By, Wager, Wagers};

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

/// Wagers are added up eight at a time.
pub(crate) const LANES: usize = 8;
/// The most groups of payouts: there are fewer classes.
pub(crate) const GROUPS: usize = 512;

/// What some wagers pay.
pub(crate) type Lanes = [i64; LANES];

/// How many bits the sums of a shoe need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// The usual case.
    Sixteen,
    /// A price with a commission, or odds such as 19:20.
    ThirtyTwo,
    /// Several prices that have little in common.
    SixtyFour,
}

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
    pub(crate) ends: Box<[u16; ENDS]>,
    /// By both sums of two cards, the second times 256: where their row in `ends` begins.
    pub(crate) rows: Box<[u16; ROWS]>,
    /// How many times eight wagers there are room for.
    pub(crate) eights: usize,
    /// What each group pays on each wager but those on pairs, eight by eight.
    pub(crate) pays: Vec<Lanes>,
    /// What the pairs of both hands pay, by how their bytes differ, Player's times eight: perfect,
    /// red, mixed, mixed, none, black.
    pub(crate) pair_pays: Vec<Lanes>,
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
    /// On a book that is not sound, as [`Wagers::of`] does.
    #[must_use]
    pub fn of(book: &Rulebook, terms: &Terms, decks: u32) -> Self {
        let tableaux = Tableaux::of(book);
        let wagers = Wagers::of(book, terms);
        let eights = wagers.list.len().div_ceil(LANES).max(1);
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
            ends: vec![0; ENDS].into_boxed_slice().try_into().expect("as long as it is"),
            rows: Box::new([0; ROWS]),
            eights,
            pays: vec![[0; LANES]; GROUPS * eights],
            pair_pays: vec![[0; LANES]; 64 * eights],
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
        let mut seen: Vec<(Vec<i64>, u8)> = Vec::new();
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
                        let group = u16::try_from(group).expect("fewer groups than classes");
                        let at = ((player * 10 + banker) * 10 + v) * 10 + u;
                        self.ends[at] = group << 2 | u16::from(used);
                    }
                }
            }
        }
        self.groups = seen.len();
        for (group, (pays, winner)) in seen.into_iter().enumerate() {
            for (at, parts) in pays.into_iter().enumerate() {
                self.pays[group * self.eights + at / LANES][at % LANES] = parts;
            }
            self.winner[group] = winner;
        }
    }

    /// What a class pays on each wager; nothing on those on pairs.
    fn paid(&self, class: Class) -> Vec<i64> {
        let pays = self.wagers.list.iter().map(|wager| match &wager.by {
            By::Class(cases) => parts(wager, cases[class.index()]),
            By::Pair(..) | By::Pairs(_) => 0,
        });
        pays.collect()
    }

    fn fill_pairs(&mut self) {
        // By how two bytes differ: perfect, red, mixed, mixed, none, black.
        let kinds = [4, 2, 1, 1, 0, 3];
        for (at, wager) in self.wagers.list.iter().enumerate() {
            for (player, player_kind) in kinds.into_iter().enumerate() {
                for (banker, banker_kind) in kinds.into_iter().enumerate() {
                    let case = match &wager.by {
                        By::Class(_) => continue,
                        By::Pair(Side::Player, cases) => cases[player_kind],
                        By::Pair(Side::Banker, cases) => cases[banker_kind],
                        By::Pairs(cases) => cases[player_kind][banker_kind],
                    };
                    let differ = (player << 3 | banker) * self.eights;
                    self.pair_pays[differ + at / LANES][at % LANES] = parts(wager, case);
                }
            }
        }
    }

    /// The most that any wager can win or lose in a whole shoe, in parts of its unit.
    fn most(&self) -> u64 {
        let all = self.pays.iter().chain(&self.pair_pays).flatten();
        let most = all.map(|parts| parts.unsigned_abs()).max().unwrap_or(0);
        // A round takes four cards at least.
        most.saturating_mul(u64::from(self.decks * 52 / 4).max(1))
    }

    /// The numbers that such sums fit into.
    pub(crate) fn width(&self) -> Width {
        let most = i64::try_from(self.most()).unwrap_or(i64::MAX);
        match (i16::try_from(most), i32::try_from(most)) {
            (Ok(_), _) => Width::Sixteen,
            (Err(_), Ok(_)) => Width::ThirtyTwo,
            (Err(_), Err(_)) => Width::SixtyFour,
        }
    }

    /// The most shoes whose sums of squares can be counted. Only odds that no house would offer
    /// bring it below all that a person would wait for.
    #[must_use]
    pub fn most_shoes(&self) -> u128 {
        let most = u128::from(self.most()).max(1);
        most.checked_mul(most).map_or(0, |square| i128::MAX.cast_unsigned() / square)
    }

    /// The wager whose odds need the most room.
    #[must_use]
    pub fn widest(&self) -> Option<&Wager> {
        let most = |wager: &&Wager| {
            wager.payouts.iter().map(|payout| payout.parts.unsigned_abs()).max().unwrap_or(0)
        };
        self.wagers.list.iter().max_by_key(most)
    }

    /// The cards of a fresh shoe.
    pub(crate) fn cards(&self, tableaux: &Tableaux) -> Vec<u8> {
        let deck = Card::deck().map(|card| byte(card, tableaux));
        let deck: Vec<u8> = deck.collect();
        (0..self.decks).flat_map(|_| deck.iter().copied()).collect()
    }
}

/// What a wager brings in a case.
fn parts(wager: &Wager, case: u16) -> i64 {
    wager.payouts[usize::from(case)].parts
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
