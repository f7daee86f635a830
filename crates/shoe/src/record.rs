//! What is published of a shoe: fact by fact as it happens, and all together as a record.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use rules::Card;
use serde::{Deserialize, Serialize};

use crate::PROTOCOL;
use crate::digest::{Bytes, Digest};

/// The most nonces that a shoe takes.
pub const MOST_NONCES: usize = 64;

/// Bytes that somebody other than the house chose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Bytes", into = "Bytes")]
pub struct Nonce(pub Vec<u8>);

impl From<Bytes> for Nonce {
    fn from(bytes: Bytes) -> Self {
        Self(bytes.0)
    }
}

impl From<Nonce> for Bytes {
    fn from(nonce: Nonce) -> Self {
        Self(nonce.0)
    }
}

/// A card that was shown, with its proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// How many cards left the shoe before it.
    pub index: u32,
    /// The card.
    #[serde(deserialize_with = "exactly")]
    pub card: Card,
    /// The salt of its leaf.
    pub salt: Digest,
    /// The neighbouring hashes on the way to the root.
    pub path: Vec<Digest>,
}

/// A fact that was published about a shoe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ShoeFact {
    /// The house has drawn its entropy.
    Committed {
        /// The name of the procedure.
        protocol: String,
        /// The number of decks.
        decks: u32,
        /// The hash of the entropy.
        commitment: Digest,
    },
    /// The order is made, before the cut.
    Mixed {
        /// The nonces that others added.
        nonces: Vec<Nonce>,
        /// The root of the tree, which binds the order.
        root: Digest,
    },
    /// A card left the shoe.
    Dealt {
        /// How many cards left the shoe before it.
        index: u32,
        /// What the card was used for.
        what: String,
        /// Its proof, if it was shown at once.
        opening: Option<Opening>,
    },
    /// A card that had left the shoe face down was shown.
    Opened(Opening),
    /// The shoe is over.
    Revealed {
        /// The entropy.
        entropy: Bytes,
    },
}

/// All facts that were published about one shoe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShoeRecord {
    /// The name of the procedure.
    pub protocol: String,
    /// The number of decks.
    pub decks: u32,
    /// The hash of the entropy.
    pub commitment: Digest,
    /// The nonces that others added.
    pub nonces: Vec<Nonce>,
    /// The root of the tree, which binds the order; nothing before the order is made.
    #[serde(deserialize_with = "Option::deserialize")]
    pub root: Option<Digest>,
    /// How deep it was cut.
    #[serde(deserialize_with = "Option::deserialize")]
    pub cut: Option<u32>,
    /// What each card that left the shoe was used for.
    pub dealt: Vec<String>,
    /// The cards that were shown.
    pub openings: Vec<Opening>,
    /// The entropy, when the shoe is over.
    #[serde(deserialize_with = "Option::deserialize")]
    pub entropy: Option<Bytes>,
}

impl ShoeRecord {
    /// A shoe of which only the commitment is known.
    #[must_use]
    pub fn of(decks: u32, commitment: Digest) -> Self {
        Self {
            protocol: PROTOCOL.into(),
            decks,
            commitment,
            nonces: Vec::new(),
            root: None,
            cut: None,
            dealt: Vec::new(),
            openings: Vec::new(),
            entropy: None,
        }
    }

    /// Whether an opening leads to the root: the card was at its place before the cut.
    #[must_use]
    pub fn proves(&self, opening: &Opening) -> bool {
        let (Some(cut), Some(root), total) = (self.cut, self.root, self.decks * 52) else {
            return false;
        };
        if total == 0 || opening.index >= total {
            return false;
        }
        let position = (cut % total + opening.index) % total;
        let leaf = crate::tree::leaf(total, position, opening.card, &opening.salt);
        crate::tree::climb(leaf, position, total, &opening.path) == Some(root)
    }

    /// Adds the next fact. The cut is not one of these facts: the table announces it.
    pub fn note(&mut self, fact: &ShoeFact) {
        match fact {
            ShoeFact::Committed { protocol, decks, commitment } => {
                let protocol = protocol.clone();
                *self = Self { protocol, ..Self::of(*decks, *commitment) };
            }
            ShoeFact::Mixed { nonces, root } => {
                self.nonces.clone_from(nonces);
                self.root = Some(*root);
            }
            ShoeFact::Dealt { what, opening, .. } => {
                self.dealt.push(what.clone());
                self.openings.extend(opening.clone());
            }
            ShoeFact::Opened(opening) => self.openings.push(opening.clone()),
            ShoeFact::Revealed { entropy } => self.entropy = Some(entropy.clone()),
        }
    }
}

/// Reads a card in the one form that a record may have.
fn exactly<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Card, D::Error> {
    let text = String::deserialize(deserializer)?;
    let card = text.parse().ok().filter(|card: &Card| card.to_string() == text);
    card.ok_or_else(|| serde::de::Error::custom(rules::NotACard))
}
