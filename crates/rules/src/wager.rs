//! Where a wager can be placed.

use core::fmt;

use crate::hand::Side;
use crate::policy::choices;

choices! {
    /// A place on the layout for a wager.
    Spot {
        Banker "banker" "Banker",
        Player "player" "Player",
        Tie "tie" "Tie",
        BankerPair "banker-pair" "Banker pair",
        PlayerPair "player-pair" "Player pair",
        BankerDragon "banker-dragon" "Banker Dragon Bonus",
        PlayerDragon "player-dragon" "Player Dragon Bonus",
    }
}

choices! {
    /// Wagers that share their limits.
    Group {
        Main "main" "Banker and Player",
        Tie "tie" "Tie",
        Pairs "pairs" "Pairs",
        Dragon "dragon" "Dragon Bonus",
    }
}

impl Spot {
    /// The group of wagers whose limits apply.
    #[must_use]
    pub const fn group(self) -> Group {
        match self {
            Self::Banker | Self::Player => Group::Main,
            Self::Tie => Group::Tie,
            Self::BankerPair | Self::PlayerPair => Group::Pairs,
            Self::BankerDragon | Self::PlayerDragon => Group::Dragon,
        }
    }

    /// The opposite wager: Banker for Player, and Player for Banker; no other spot has one.
    #[must_use]
    pub const fn other_hand(self) -> Option<Self> {
        match self {
            Self::Banker => Some(Self::Player),
            Self::Player => Some(Self::Banker),
            Self::Tie
            | Self::BankerPair
            | Self::PlayerPair
            | Self::BankerDragon
            | Self::PlayerDragon => None,
        }
    }

    /// The hand that it is on; a Tie wager is on neither.
    #[must_use]
    pub const fn side(self) -> Option<Side> {
        match self {
            Self::Banker | Self::BankerPair | Self::BankerDragon => Some(Side::Banker),
            Self::Player | Self::PlayerPair | Self::PlayerDragon => Some(Side::Player),
            Self::Tie => None,
        }
    }
}

choices! {
    /// How winning Banker wagers are paid.
    Method {
        Commission "commission" "commission",
        HalfOnSix "half-on-six" "half on six",
    }
}

choices! {
    /// Which kind of Pairs is offered.
    PairsKind {
        Perfect "perfect" "Perfect Pairs",
        Canberra "canberra" "Canberra Pairs",
    }
}

/// What the operator of a table has chosen, where the book leaves a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Terms {
    /// How winning Banker wagers are paid.
    pub method: Method,
    /// Which kind of Pairs is offered, if any.
    pub pairs: Option<PairsKind>,
    /// Whether the Dragon Bonus is offered.
    pub dragon: bool,
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} method", self.method)?;
        if let Some(pairs) = self.pairs {
            write!(f, ", {pairs}")?;
        }
        if self.dragon { write!(f, ", Dragon Bonus") } else { Ok(()) }
    }
}
