//! The odds in the middle of a coup, when some of its cards are seen.

use rules::{Card, Composition, Pair};

use crate::exact::{BadShoe, MOST, Outcomes, by_value, falling, pairs, pairs_of_one};
use crate::tableaux::{CLASSES, Class, Kind, Tableaux};
use crate::wagers::PAIRS;

/// Counts every class of outcome when the first cards of the coup are known, in the order of
/// dealing: Player, Banker, Player, Banker, third cards. `shoe` is what is left without them.
///
/// # Errors
///
/// When there are too few cards for the rest of the coup, too many to count, or more cards seen
/// than the coup has.
pub fn outcomes_given(
    shoe: &Composition,
    tableaux: &Tableaux,
    seen: &[Card],
) -> Result<Outcomes, BadShoe> {
    if seen.len() > 6 {
        return Err(BadShoe::Seen("a coup has at most six cards"));
    }
    let more = 6 - seen.len();
    let left = shoe.total();
    if (left as usize) < more {
        return Err(BadShoe::TooFew(left));
    }
    if left > MOST {
        return Err(BadShoe::TooMany(left));
    }
    let value = |card: &Card| usize::from(tableaux.values[card.rank() as usize]);
    let known: Vec<usize> = seen.iter().map(value).collect();
    let mut walk = Walk {
        tableaux,
        known: &known,
        left: by_value(shoe, tableaux),
        classes: [0; CLASSES],
        used: 0,
    };
    walk.deal(&mut Vec::with_capacity(6), u64::from(left), more as u64, 1);
    if seen.len() > walk.used {
        return Err(BadShoe::Seen("the coup was over before the last of these cards"));
    }
    Ok(Outcomes {
        total: falling(u64::from(left), more as u64),
        classes: walk.classes,
        pairs: pairs_given(shoe, seen, more as u64),
    })
}

struct Walk<'a> {
    tableaux: &'a Tableaux,
    known: &'a [usize],
    left: [u64; 10],
    classes: [u64; CLASSES],
    /// The most cards that a coup of these cards used.
    used: usize,
}

impl Walk<'_> {
    /// Deals the next card in every way that it can be, or ends the coup.
    fn deal(&mut self, cards: &mut Vec<usize>, left: u64, draws: u64, weight: u64) {
        if let Some(class) = self.class(cards) {
            self.used = self.used.max(cards.len());
            // Cards that the coup does not use may be any.
            self.classes[class.index()] += weight * falling(left, draws);
            return;
        }
        if let Some(value) = self.known.get(cards.len()) {
            cards.push(*value);
            self.deal(cards, left, draws, weight);
            cards.pop();
            return;
        }
        for value in 0..10 {
            let ways = self.left[value];
            if ways == 0 {
                continue;
            }
            self.left[value] -= 1;
            cards.push(value);
            self.deal(cards, left - 1, draws - 1, weight * ways);
            cards.pop();
            self.left[value] += 1;
        }
    }

    /// The class of a coup that is over with these cards.
    fn class(&self, cards: &[usize]) -> Option<Class> {
        let [first, second, third, fourth, thirds @ ..] = cards else { return None };
        let (player, banker) = ((first + third) % 10, (second + fourth) % 10);
        let class = |player: usize, banker: usize, kind: Kind| Class {
            player: u8::try_from(player % 10).unwrap_or(0),
            banker: u8::try_from(banker % 10).unwrap_or(0),
            kind,
        };
        let tableaux = self.tableaux;
        if tableaux.ends(player, banker) {
            return Some(class(player, banker, Kind::Natural));
        }
        if !tableaux.player_draws[player] {
            if !tableaux.banker_draws_after_stand[banker] {
                return Some(class(player, banker, Kind::BothStand));
            }
            return thirds.first().map(|u| class(player, banker + u, Kind::BankerDrew));
        }
        let v = *thirds.first()?;
        if !tableaux.banker_draws[v][banker] {
            return Some(class(player + v, banker, Kind::PlayerDrew));
        }
        thirds.get(1).map(|u| class(player + v, banker + u, Kind::BothDrew))
    }
}

/// The kind of pair that two cards make, by its place in [`PAIRS`].
fn kind(one: Card, other: Card) -> usize {
    let pair = Pair::of(one, other);
    PAIRS.iter().position(|kind| *kind == pair).unwrap_or(0)
}

/// The pairs of both hands, Player's kind first, when some of the first four cards are known.
fn pairs_given(shoe: &Composition, seen: &[Card], more: u64) -> [[u64; PAIRS.len()]; PAIRS.len()] {
    let Some(first) = seen.first() else { return pairs(shoe, u64::from(shoe.total())) };
    let mut found = [[0; PAIRS.len()]; PAIRS.len()];
    let thirds = more - 4_u64.saturating_sub(seen.len() as u64);
    let mut add = |player: usize, ways: u64, left: &Composition| {
        let unknown = 2_u64.saturating_sub(seen.iter().skip(1).step_by(2).take(2).count() as u64);
        let rest = falling(u64::from(left.total()).saturating_sub(unknown), thirds);
        for (banker, then) in banker_given(left, seen).into_iter().enumerate() {
            found[player][banker] += ways * then * rest;
        }
    };
    match seen.get(2) {
        Some(second) => add(kind(*first, *second), 1, shoe),
        None => {
            for card in Card::deck() {
                let mut left = *shoe;
                if left.take(card).is_ok() {
                    add(kind(*first, card), u64::from(shoe.count(card)), &left);
                }
            }
        }
    }
    found
}

/// The ways in which Banker's first two cards can fall, by the kind of pair.
fn banker_given(shoe: &Composition, seen: &[Card]) -> [u64; PAIRS.len()] {
    let mut ways = [0; PAIRS.len()];
    match (seen.get(1), seen.get(3)) {
        (Some(first), Some(second)) => ways[kind(*first, *second)] = 1,
        (Some(first), None) => {
            for card in Card::deck() {
                ways[kind(*first, card)] += u64::from(shoe.count(card));
            }
        }
        (None, _) => ways = pairs_of_one(shoe),
    }
    ways
}
