//! The squeeze: a card looked at bit by bit, from its edge.

use rules::{Card, Rank};

/// How many steps a squeeze has; the last one turns the card.
pub(crate) const STEPS: u8 = 3;

/// How many pips show along the long side of a card: how players call it.
const fn sides(rank: Rank) -> &'static str {
    match rank {
        Rank::Ace => "a single pip",
        Rank::Two | Rank::Three => "one side",
        Rank::Four | Rank::Five => "two sides",
        Rank::Six | Rank::Seven | Rank::Eight => "three sides",
        Rank::Nine | Rank::Ten => "four sides",
        Rank::Jack | Rank::Queen | Rank::King => "a frame",
    }
}

/// What a squeezed card shows at its edge, in so many letters.
pub(crate) fn edge(card: Card, step: u8, wide: usize) -> String {
    let court = matches!(card.rank(), Rank::Jack | Rank::Queen | Rank::King);
    let pips = match card.rank() {
        Rank::Ace | Rank::Two | Rank::Three => 1,
        Rank::Four | Rank::Five => 2,
        Rank::Six | Rank::Seven | Rank::Eight => 3,
        Rank::Nine | Rank::Ten => 4,
        Rank::Jack | Rank::Queen | Rank::King => 0,
    };
    match (step, court) {
        (0, _) => "▒".repeat(wide),
        (_, true) => "▓".repeat(wide),
        (1, false) => " ".repeat(wide),
        (_, false) => format!("{:^wide$}", "•".repeat(pips)),
    }
}

/// What is seen of a card after so many steps.
pub(crate) fn seen(card: Card, step: u8) -> String {
    let court = matches!(card.rank(), Rank::Jack | Rank::Queen | Rank::King);
    match step {
        0 => "face down".into(),
        1 if court => "paint: it counts nothing".into(),
        1 => "no paint".into(),
        2 => sides(card.rank()).into(),
        _ => card.to_string(),
    }
}
