//! The secret and the shoe made of it. Neither shows an undealt card to anybody.

use alloc::vec::Vec;
use alloc::{format, vec};
use core::fmt;

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use rules::Card;
use zeroize::Zeroizing;

use crate::digest::{Bytes, Digest};
use crate::order::{Exhausted, shuffle};
use crate::record::{MOST_NONCES, Nonce, Opening, ShoeFact};
use crate::tree::{Tree, leaf};
use crate::words::{Binds, Opened, Promise, stream};
use crate::{FIRST_PROTOCOL, PROTOCOL};

/// Bytes of entropy for one shoe; the order of eight decks needs 279.
pub const ENTROPY_BYTES: usize = 4096;

/// The most decks that a shoe may have.
pub const MOST_DECKS: u32 = 16;

/// Why such a shoe cannot be made, or cannot be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadShoe {
    /// Too few or too many decks.
    #[error("{0} decks; allowed: 1 to {MOST_DECKS}")]
    Decks(u32),
    /// A nonce that is empty or too long, or too many of them.
    #[error("nonces have 1 to 64 bytes, and there are at most {MOST_NONCES}")]
    Nonces,
    /// A cut that is not within the shoe, or a second one, or one after the first card.
    #[error("a shoe is cut once, before its first card, at less than its number of cards")]
    Cut,
    /// The stream has too few words.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

/// The entropy of a shoe, until it is published.
#[derive(Clone)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Secret {
    /// Draws the entropy from a source, such as the operating system's `getrandom::fill`.
    ///
    /// # Errors
    ///
    /// When the source fails.
    pub fn draw<E>(mut source: impl FnMut(&mut [u8]) -> Result<(), E>) -> Result<Self, E> {
        let mut bytes = Zeroizing::new(vec![0; ENTROPY_BYTES]);
        source(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// The secret that was kept under lock and key; nothing if its length is wrong.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        (bytes.len() == ENTROPY_BYTES).then(|| Self(Zeroizing::new(bytes.to_vec())))
    }

    /// The secret itself: to be kept under lock and key, or published when the shoe is over.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The commitment of the first procedure.
    #[must_use]
    pub fn first_commitment(&self) -> Digest {
        Digest::of(&[&self.0])
    }

    /// The commitment, which is published before anything else, and what it binds.
    #[must_use]
    pub fn commitment(&self, binds: &Binds, decks: u32) -> Digest {
        binds.commitment(decks, &self.0)
    }

    /// The stream of the first procedure.
    fn first_stream(&self, nonces: &[Vec<u8>]) -> Result<Zeroizing<Vec<u8>>, BadShoe> {
        if nonces.len() > MOST_NONCES || nonces.iter().any(|n| n.is_empty() || n.len() > 64) {
            return Err(BadShoe::Nonces);
        }
        let mut said = format!("{FIRST_PROTOCOL} nonces").into_bytes();
        for nonce in nonces {
            said.extend(u8::try_from(nonce.len()));
            said.extend(nonce);
        }
        let key = Digest::of(&[&said]);
        let mut stream = self.0.clone();
        ChaCha20::new(&key.0.into(), &[0; 12].into()).apply_keystream(&mut stream);
        Ok(stream)
    }

    fn salts(&self, protocol: &str, cards: u32) -> Zeroizing<Vec<u8>> {
        let key = Digest::of(&[format!("{protocol} salts").as_bytes(), &self.0]);
        let salt = |position: u32| Digest::of(&[&key.0, &position.to_be_bytes()]).0;
        Zeroizing::new((0..cards).flat_map(salt).collect())
    }
}

/// The order that a stream gives to so many decks.
fn ordered(stream: &[u8], decks: u32) -> Result<Zeroizing<Vec<u8>>, BadShoe> {
    let mut words =
        stream.chunks_exact(4).map(|word| u32::from_be_bytes([word[0], word[1], word[2], word[3]]));
    let kinds = 0..u8::try_from(Card::KINDS).expect("52 fits in a byte");
    let mut order: Zeroizing<Vec<u8>> =
        Zeroizing::new((0..decks).flat_map(|_| kinds.clone()).collect());
    shuffle(&mut order, &mut words)?;
    Ok(order)
}

const fn check_decks(decks: u32) -> Result<(), BadShoe> {
    if decks == 0 || decks > MOST_DECKS { Err(BadShoe::Decks(decks)) } else { Ok(()) }
}

/// A shoe in use. Its cards are known to nobody until they are opened: there is no way to ask for a
/// card that has not been taken.
pub struct Shoe {
    secret: Secret,
    decks: u32,
    made: ShoeFact,
    order: Zeroizing<Vec<u8>>,
    salts: Zeroizing<Vec<u8>>,
    tree: Tree,
    cut: Option<u32>,
    taken: u32,
}

impl fmt::Debug for Shoe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shoe(root {}, {} taken, {} left)", self.root(), self.taken, self.left())
    }
}

impl Shoe {
    /// Makes a shoe of so many decks by the first procedure, which is weaker.
    ///
    /// # Errors
    ///
    /// When such a shoe cannot be made.
    pub fn first(secret: Secret, decks: u32, nonces: Vec<Vec<u8>>) -> Result<Self, BadShoe> {
        check_decks(decks)?;
        let order = ordered(&secret.first_stream(&nonces)?, decks)?;
        let nonces = nonces.into_iter().map(Nonce).collect();
        let made = |root| ShoeFact::Mixed { nonces, root };
        Ok(Self::made(secret, decks, FIRST_PROTOCOL, order, made))
    }

    /// Makes a shoe of so many decks from the words that were opened.
    ///
    /// # Errors
    ///
    /// When such a shoe cannot be made.
    pub fn new(
        secret: Secret,
        decks: u32,
        commitment: &Digest,
        promises: &[Promise],
        firsts: Opened,
    ) -> Result<Self, BadShoe> {
        check_decks(decks)?;
        let order = ordered(&stream(&secret.0, commitment, promises, &firsts), decks)?;
        let made = |root| ShoeFact::Ordered { firsts, root };
        Ok(Self::made(secret, decks, PROTOCOL, order, made))
    }

    fn made(
        secret: Secret,
        decks: u32,
        protocol: &str,
        order: Zeroizing<Vec<u8>>,
        made: impl FnOnce(Digest) -> ShoeFact,
    ) -> Self {
        let salts = secret.salts(protocol, decks * 52);
        let leaves = (0..decks * 52).map(|position| {
            leaf(decks * 52, position, card_at(&order, position), &salt_at(&salts, position))
        });
        let tree = Tree::over(leaves.collect());
        let made = made(tree.root());
        Self { secret, decks, made, order, salts, tree, cut: None, taken: 0 }
    }

    /// The root, which is published before the cut.
    #[must_use]
    pub fn root(&self) -> Digest {
        self.tree.root()
    }

    /// The words and the root, as they are published.
    #[must_use]
    pub fn mixed(&self) -> ShoeFact {
        self.made.clone()
    }

    /// Moves so many cards from the front to the back.
    ///
    /// # Errors
    ///
    /// When the shoe is cut already, a card has left it, or it has too few cards.
    pub fn cut(&mut self, depth: u32) -> Result<(), BadShoe> {
        if self.cut.is_some() || self.taken > 0 || depth >= self.total() {
            return Err(BadShoe::Cut);
        }
        self.cut = Some(depth);
        Ok(())
    }

    /// Whether the shoe was cut.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// How many cards the shoe had when it was full.
    #[must_use]
    pub const fn total(&self) -> u32 {
        self.decks * 52
    }

    /// How many cards the shoe has left.
    #[must_use]
    pub const fn left(&self) -> u32 {
        self.decks * 52 - self.taken
    }

    /// How many cards were taken.
    #[must_use]
    pub const fn taken(&self) -> u32 {
        self.taken
    }

    /// Takes the next card, face down, and gives its index; nothing if there is none or the shoe
    /// was not cut.
    pub fn take(&mut self) -> Option<u32> {
        self.cut?;
        if self.left() == 0 {
            return None;
        }
        self.taken += 1;
        Some(self.taken - 1)
    }

    /// Puts the last card back: the act that was to take it was refused, and nobody saw the card.
    pub fn put_back(&mut self) {
        self.taken = self.taken.saturating_sub(1);
    }

    /// Shows a card that was taken, with its proof; nothing if the card was not taken.
    #[must_use]
    pub fn open(&self, index: u32) -> Option<Opening> {
        let cut = self.cut.filter(|_| index < self.taken)?;
        let position = (cut + index) % self.total();
        Some(Opening {
            index,
            card: card_at(&self.order, position),
            salt: salt_at(&self.salts, position),
            path: self.tree.path(position),
        })
    }

    /// Ends the shoe and gives its secret, to be published.
    #[must_use]
    pub fn reveal(self) -> ShoeFact {
        ShoeFact::Revealed { entropy: Bytes(self.secret.bytes().to_vec()) }
    }

    /// The secret, to be kept under lock and key until the shoe is over.
    #[must_use]
    pub const fn secret(&self) -> &Secret {
        &self.secret
    }
}

fn card_at(order: &[u8], position: u32) -> Card {
    Card::from_index(order[position as usize]).expect("the order is made of cards")
}

fn salt_at(salts: &[u8], position: u32) -> Digest {
    let from = position as usize * 32;
    Digest(salts[from..from + 32].try_into().expect("a salt has 32 bytes"))
}

/// What a published secret produces.
pub(crate) struct Remade {
    /// The cards, by position.
    pub(crate) cards: Vec<Card>,
    /// The salts, by position.
    pub(crate) salts: Vec<Digest>,
    /// The root.
    pub(crate) root: Digest,
}

/// Takes a shoe apart that was made again from a published secret, for a verifier.
pub(crate) fn remade(shoe: &Shoe) -> Remade {
    let cards = (0..shoe.total()).map(|position| card_at(&shoe.order, position)).collect();
    let salts = (0..shoe.total()).map(|position| salt_at(&shoe.salts, position)).collect();
    Remade { cards, salts, root: shoe.root() }
}
