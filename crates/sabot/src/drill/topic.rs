//! What can be asked about, and what may be answered.

use clap::ValueEnum;
use rules::Rulebook;
use rules::book::{NotDue, OutOfSequence, SeenCard};

/// What can be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Topic {
    /// What the hands come to
    Totals,
    /// Who draws, by the tableau
    NextCard,
    /// Who wins the coup
    Result,
    /// What a wager is paid
    Payout,
    /// How many cards are burnt
    Burn,
    /// The order of preparing a shoe
    Preparation,
    /// A card to a hand when that hand may not be due one
    NotDue,
    /// A card that belongs to no hand
    ExcessCard,
    /// A card that may have gone to the wrong hand
    OutOfSequence,
    /// How many rounds are left when the cutting card comes
    CuttingCard,
}

impl Topic {
    /// The word that names it, on the command line and in the record of answers.
    pub(crate) fn key(self) -> String {
        self.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
    }

    /// What it is about, for somebody who reads their results.
    pub(crate) fn about(self) -> String {
        let value = self.to_possible_value();
        let help = value.and_then(|value| value.get_help().map(ToString::to_string));
        help.unwrap_or_default().to_lowercase()
    }
}

/// What becomes of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    Due,
    Banker,
    Next,
    NoBet,
    Unused,
    Right,
    Wait,
    Void,
}

impl Fate {
    /// The word that answers.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Due => "due",
            Self::Banker => "banker",
            Self::Next => "next",
            Self::NoBet => "nobet",
            Self::Unused => "unused",
            Self::Right => "right",
            Self::Wait => "wait",
            Self::Void => "void",
        }
    }

    /// What it means.
    pub(super) const fn meaning(self) -> &'static str {
        match self {
            Self::Due => "nothing is wrong: the card is due there",
            Self::Banker => "it is Banker's card",
            Self::Next => "it starts the next coup",
            Self::NoBet => "it starts the next coup, which is without wagers",
            Self::Unused => "it is not used",
            Self::Right => "the cards are put right by their order",
            Self::Wait => "the coup waits for a supervisor",
            Self::Void => "the coup is void",
        }
    }

    /// The words to choose from.
    pub(super) fn hint(fates: &[Self]) -> String {
        let words: Vec<_> = fates.iter().map(|fate| fate.word()).collect();
        match words.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, first)) => format!("{} or {last}", first.join(", ")),
            None => String::new(),
        }
    }

    /// The words with their meanings, one a line.
    pub(super) fn meanings(fates: &[Self]) -> String {
        let line = |fate: &Self| format!("\n   {:<7} {}", fate.word(), fate.meaning());
        fates.iter().map(line).collect()
    }

    /// What can become of a card under a book. Each of these is asked about.
    pub(super) fn all(topic: Topic, book: &Rulebook) -> Vec<Self> {
        let trouble = &book.irregularities;
        let seen = match trouble.excess_seen.value {
            SeenCard::NoBetCoup => Self::NoBet,
            SeenCard::Used => Self::Next,
        };
        let mut fates = match topic {
            Topic::NotDue => match trouble.not_due_otherwise.value {
                // A card to Banker is in excess under each book, and may lie face down.
                NotDue::InExcess | NotDue::FaceUpAtTheMouth => {
                    vec![Self::Due, Self::Banker, seen, Self::Next, Self::Unused]
                }
            },
            Topic::ExcessCard => vec![seen, Self::Next, Self::Unused],
            Topic::OutOfSequence => match trouble.out_of_sequence.value {
                OutOfSequence::Reconstructed => vec![Self::Due, Self::Right],
                OutOfSequence::ReconstructedSupervised => vec![Self::Due, Self::Wait],
                OutOfSequence::ToPlayer => vec![Self::Due, Self::Right, Self::Wait],
            },
            Topic::Totals
            | Topic::NextCard
            | Topic::Result
            | Topic::Payout
            | Topic::Burn
            | Topic::Preparation
            | Topic::CuttingCard => Vec::new(),
        };
        if topic == Topic::OutOfSequence {
            fates.extend(book.wager_changes.as_ref().map(|_| Self::Wait));
            fates.extend(trouble.beyond_repair.map(|_| Self::Void));
        }
        fates.sort_unstable();
        fates.dedup();
        fates
    }
}
