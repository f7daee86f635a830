//! What is published of a shoe: fact by fact as it happens, and all together as a record.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use rules::Card;
use serde::{Deserialize, Serialize};

use crate::digest::{Bytes, Digest};
use crate::words::{Binds, Opened, Promise};
use crate::{FIRST_PROTOCOL, PROTOCOL};

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
        /// The commitment to the entropy, and to what it binds.
        commitment: Digest,
        /// What else it binds; nothing in the first procedure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        binds: Option<Box<Binds>>,
    },
    /// The list of those who take part is closed.
    Listed {
        /// Their promises, in the order in which they came.
        promises: Vec<Promise>,
        /// The house's signature of the list.
        signature: Bytes,
    },
    /// The order is made, before the cut, from the first words.
    Ordered {
        /// The first word of each promise; nothing for one that was not opened.
        firsts: Opened,
        /// The root of the tree, which binds the order.
        root: Digest,
    },
    /// The second words are opened, for a cut that nobody chooses.
    CutByChance {
        /// The second word of each promise; nothing for one that was not opened.
        seconds: Opened,
    },
    /// The shoe is not dealt on.
    Abandoned(Abandoned),
    /// The order is made, before the cut, in the first procedure.
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

/// Why a shoe is not dealt on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Abandoned {
    /// Everybody has left.
    Left,
    /// The log was restored from an old copy: cards that it knows as undealt may have been seen.
    Restored,
    /// The house's key was changed before anybody could take part.
    KeyChanged,
    /// The secret is lost, with the key that sealed it or with its box: it is never revealed.
    SecretLost,
}

/// Who cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CutOf {
    /// A player, who chose the depth.
    Player,
    /// Staff, or nobody: chance chose the depth.
    Staff,
}

/// How the order of a shoe is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// By the first procedure, from nonces that others added.
    First {
        /// The nonces.
        nonces: Vec<Nonce>,
    },
    /// By the second, from words that were promised.
    Second(Box<SecondWay>),
}

/// What the second procedure publishes of how an order is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondWay {
    /// What the commitment binds.
    pub binds: Binds,
    /// The promises of those who take part.
    pub promises: Vec<Promise>,
    /// The house's signature of the list, when it is closed.
    pub signature: Option<Bytes>,
    /// The first words, when the order is made.
    pub firsts: Option<Opened>,
    /// Who cut, when it is cut.
    pub cutter: Option<CutOf>,
    /// The second words, if the cut was computed from them.
    pub seconds: Option<Opened>,
}

impl SecondWay {
    /// How many first words were opened: nobody took part if there are none.
    #[must_use]
    pub fn witnesses(&self) -> usize {
        self.firsts.iter().flatten().flatten().count()
    }

    /// Those who promised words and did not open them when they were due.
    pub fn silent(&self) -> impl Iterator<Item = &str> {
        let lacks = |words: &Option<Opened>, at: usize| {
            words.as_ref().is_some_and(|words| words.get(at).is_none_or(Option::is_none))
        };
        let promises = self.promises.iter().enumerate();
        let silent =
            promises.filter(move |(at, _)| lacks(&self.firsts, *at) || lacks(&self.seconds, *at));
        silent.map(|(_, promise)| promise.account.as_str())
    }
}

/// All facts that were published about one shoe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct ShoeRecord {
    /// The name of the procedure.
    pub protocol: String,
    /// The number of decks.
    pub decks: u32,
    /// The commitment.
    pub commitment: Digest,
    /// How the order is made.
    pub way: Way,
    /// The root of the tree, which binds the order; nothing before the order is made.
    pub root: Option<Digest>,
    /// How deep it was cut.
    pub cut: Option<u32>,
    /// What each card that left the shoe was used for.
    pub dealt: Vec<String>,
    /// The cards that were shown.
    pub openings: Vec<Opening>,
    /// The entropy, when the shoe is over.
    pub entropy: Option<Bytes>,
}

/// A record in the form that is exchanged: exactly the fields of its procedure.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Second(Box<WrittenSecond>),
    First(Box<WrittenFirst>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFirst {
    protocol: String,
    decks: u32,
    commitment: Digest,
    nonces: Vec<Nonce>,
    #[serde(deserialize_with = "Option::deserialize")]
    root: Option<Digest>,
    #[serde(deserialize_with = "Option::deserialize")]
    cut: Option<u32>,
    dealt: Vec<String>,
    openings: Vec<Opening>,
    #[serde(deserialize_with = "Option::deserialize")]
    entropy: Option<Bytes>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSecond {
    protocol: String,
    decks: u32,
    commitment: Digest,
    binds: Binds,
    promises: Vec<Promise>,
    #[serde(deserialize_with = "Option::deserialize")]
    signature: Option<Bytes>,
    #[serde(deserialize_with = "Option::deserialize")]
    firsts: Option<Opened>,
    #[serde(deserialize_with = "Option::deserialize")]
    root: Option<Digest>,
    #[serde(deserialize_with = "Option::deserialize")]
    cutter: Option<CutOf>,
    #[serde(deserialize_with = "Option::deserialize")]
    cut: Option<u32>,
    #[serde(deserialize_with = "Option::deserialize")]
    seconds: Option<Opened>,
    dealt: Vec<String>,
    openings: Vec<Opening>,
    #[serde(deserialize_with = "Option::deserialize")]
    entropy: Option<Bytes>,
}

impl From<ShoeRecord> for Written {
    fn from(record: ShoeRecord) -> Self {
        let ShoeRecord { protocol, decks, commitment, way, root, cut, dealt, openings, entropy } =
            record;
        match way {
            Way::First { nonces } => Self::First(Box::new(WrittenFirst {
                protocol,
                decks,
                commitment,
                nonces,
                root,
                cut,
                dealt,
                openings,
                entropy,
            })),
            Way::Second(way) => {
                let SecondWay { binds, promises, signature, firsts, cutter, seconds } = *way;
                Self::Second(Box::new(WrittenSecond {
                    protocol,
                    decks,
                    commitment,
                    binds,
                    promises,
                    signature,
                    firsts,
                    root,
                    cutter,
                    cut,
                    seconds,
                    dealt,
                    openings,
                    entropy,
                }))
            }
        }
    }
}

impl From<Written> for ShoeRecord {
    fn from(written: Written) -> Self {
        match written {
            Written::First(w) => Self {
                protocol: w.protocol,
                decks: w.decks,
                commitment: w.commitment,
                way: Way::First { nonces: w.nonces },
                root: w.root,
                cut: w.cut,
                dealt: w.dealt,
                openings: w.openings,
                entropy: w.entropy,
            },
            Written::Second(w) => Self {
                protocol: w.protocol,
                decks: w.decks,
                commitment: w.commitment,
                way: Way::Second(Box::new(SecondWay {
                    binds: w.binds,
                    promises: w.promises,
                    signature: w.signature,
                    firsts: w.firsts,
                    cutter: w.cutter,
                    seconds: w.seconds,
                })),
                root: w.root,
                cut: w.cut,
                dealt: w.dealt,
                openings: w.openings,
                entropy: w.entropy,
            },
        }
    }
}

impl ShoeRecord {
    /// A shoe of the first procedure of which only the commitment is known.
    #[must_use]
    pub fn first(decks: u32, commitment: Digest) -> Self {
        let way = Way::First { nonces: Vec::new() };
        Self { protocol: FIRST_PROTOCOL.into(), ..Self::bare(decks, commitment, way) }
    }

    /// A shoe of which only the commitment is known, and what it binds.
    #[must_use]
    pub fn of(decks: u32, commitment: Digest, binds: Binds) -> Self {
        let way = SecondWay {
            binds,
            promises: Vec::new(),
            signature: None,
            firsts: None,
            cutter: None,
            seconds: None,
        };
        Self::bare(decks, commitment, Way::Second(Box::new(way)))
    }

    fn bare(decks: u32, commitment: Digest, way: Way) -> Self {
        Self {
            protocol: PROTOCOL.into(),
            decks,
            commitment,
            way,
            root: None,
            cut: None,
            dealt: Vec::new(),
            openings: Vec::new(),
            entropy: None,
        }
    }

    /// What the second procedure publishes; nothing for a shoe of the first.
    #[must_use]
    pub fn second(&self) -> Option<&SecondWay> {
        match &self.way {
            Way::Second(way) => Some(way),
            Way::First { .. } => None,
        }
    }

    /// The table announces a cut.
    pub fn note_cut(&mut self, depth: u32, by: CutOf) {
        self.cut = Some(depth);
        if let Way::Second(way) = &mut self.way {
            way.cutter = Some(by);
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
            ShoeFact::Committed { protocol, decks, commitment, binds } => {
                let fresh = match binds {
                    None => Self::first(*decks, *commitment),
                    Some(binds) => Self::of(*decks, *commitment, (**binds).clone()),
                };
                *self = Self { protocol: protocol.clone(), ..fresh };
            }
            ShoeFact::Mixed { nonces, root } => {
                if let Way::First { nonces: known } = &mut self.way {
                    known.clone_from(nonces);
                }
                self.root = Some(*root);
            }
            ShoeFact::Listed { promises, signature } => {
                if let Way::Second(way) = &mut self.way {
                    way.promises.clone_from(promises);
                    way.signature = Some(signature.clone());
                }
            }
            ShoeFact::Ordered { firsts, root } => {
                if let Way::Second(way) = &mut self.way {
                    way.firsts = Some(firsts.clone());
                }
                self.root = Some(*root);
            }
            ShoeFact::CutByChance { seconds } => {
                if let Way::Second(way) = &mut self.way {
                    way.seconds = Some(seconds.clone());
                }
            }
            ShoeFact::Abandoned(_) => {}
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
