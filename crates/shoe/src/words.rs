//! The second procedure: what the commitment binds, and the words that people add.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::digest::{Bytes, Digest};
use crate::order::{Exhausted, below};
use crate::sealed::BadShoe;
use crate::sign::{Signer, is_signed};

/// The most people who take part in a shoe.
pub const MOST_PROMISES: usize = 64;
/// The longest name of a table or an account, in bytes.
pub const MOST_TEXT: usize = 100;

/// What a commitment binds besides the entropy and the decks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Binds {
    /// The public key of the house.
    pub key: Digest,
    /// The table.
    pub table: String,
    /// Which shoe of the table, from 1.
    pub number: u32,
    /// The hash of the book's canonical text.
    pub book: Digest,
    /// How many cards are behind the cutting card.
    pub behind: u32,
    /// How many cards a cut leaves on either side, at least.
    pub least: u32,
}

impl Binds {
    /// Whether such a shoe of so many cards can be.
    #[must_use]
    pub fn is_sound(&self, total: u32) -> bool {
        let named = (1..=MOST_TEXT).contains(&self.table.len());
        let fits = u64::from(self.least) * 2 <= u64::from(total);
        named && self.number > 0 && self.behind < total && self.least > 0 && fits
    }

    /// The commitment to this and the entropy of a shoe.
    #[must_use]
    pub fn commitment(&self, decks: u32, entropy: &[u8]) -> Digest {
        let (number, decks) = (self.number.to_be_bytes(), decks.to_be_bytes());
        let (behind, least) = (self.behind.to_be_bytes(), self.least.to_be_bytes());
        let table = length(&self.table);
        Digest::of(&[
            b"sabot-shoe-2 commitment",
            &self.key.0,
            &table,
            self.table.as_bytes(),
            &number,
            &decks,
            &self.book.0,
            &behind,
            &least,
            entropy,
        ])
    }
}

fn length(text: &str) -> [u8; 4] {
    u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes()
}

/// What somebody promises who takes part: a hash of each of two words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    /// Who.
    pub account: String,
    /// The hash of the first word, which goes into the order.
    pub first: Digest,
    /// The hash of the second word, which goes into a cut that nobody chooses.
    pub second: Digest,
}

/// Which of the two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The one for the order.
    First,
    /// The one for the cut.
    Second,
}

impl Promise {
    /// Whether a word keeps the promise.
    #[must_use]
    pub fn is_kept(&self, commitment: &Digest, which: Which, word: &Digest) -> bool {
        let promised = match which {
            Which::First => self.first,
            Which::Second => self.second,
        };
        promise(commitment, &self.account, which, &word.0) == promised
    }
}

fn promise(commitment: &Digest, account: &str, which: Which, word: &[u8; 32]) -> Digest {
    let tag: &[u8] = match which {
        Which::First => b"sabot-shoe-2 first",
        Which::Second => b"sabot-shoe-2 second",
    };
    Digest::of(&[tag, &commitment.0, &length(account), account.as_bytes(), word])
}

/// The two words of somebody who takes part, drawn anew for each shoe.
#[derive(Clone)]
pub struct Words {
    account: String,
    // In a box each: what is moved about leaves copies of itself behind.
    first: Box<Zeroizing<[u8; 32]>>,
    second: Box<Zeroizing<[u8; 32]>>,
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Words({})", self.account)
    }
}

impl Words {
    /// Draws words from a source, such as the operating system's `getrandom::fill`.
    ///
    /// # Errors
    ///
    /// When the source fails.
    pub fn draw<E>(
        account: impl Into<String>,
        mut source: impl FnMut(&mut [u8]) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut first = Box::new(Zeroizing::new([0; 32]));
        let mut second = Box::new(Zeroizing::new([0; 32]));
        source(&mut **first)?;
        source(&mut **second)?;
        Ok(Self { account: account.into(), first, second })
    }

    /// The promise for the shoe of a commitment, which must be known first.
    #[must_use]
    pub fn promise(&self, commitment: &Digest) -> Promise {
        let of = |which, word| promise(commitment, &self.account, which, word);
        Promise {
            account: self.account.clone(),
            first: of(Which::First, &self.first),
            second: of(Which::Second, &self.second),
        }
    }

    /// A word, to be opened.
    #[must_use]
    pub fn word(&self, which: Which) -> Digest {
        match which {
            Which::First => Digest(**self.first),
            Which::Second => Digest(**self.second),
        }
    }
}

/// The words of a shoe that were opened, by promise.
pub type Opened = Vec<Option<Digest>>;

/// The bytes of a list of promises that the house signs.
fn listed(commitment: &Digest, promises: &[Promise]) -> Vec<u8> {
    let mut message = b"sabot-shoe-2 list".to_vec();
    message.extend(commitment.0);
    message.extend(u32::try_from(promises.len()).unwrap_or(u32::MAX).to_be_bytes());
    for promise in promises {
        message.extend(length(&promise.account));
        message.extend(promise.account.as_bytes());
        message.extend(promise.first.0);
        message.extend(promise.second.0);
    }
    message
}

/// Closes the list of promises: the house signs it.
#[must_use]
pub fn sign_list(signer: &Signer, commitment: &Digest, promises: &[Promise]) -> Bytes {
    signer.sign(&[&listed(commitment, promises)])
}

/// Whether a list of promises is the one that the house signed.
#[must_use]
pub fn is_list_signed(
    public: &Digest,
    commitment: &Digest,
    promises: &[Promise],
    signature: &Bytes,
) -> bool {
    is_signed(public, &[&listed(commitment, promises)], signature)
}

/// The words that were opened, each after its first promise, in ascending order of these.
fn in_order(promises: &[Promise], words: &Opened) -> Vec<(Digest, Digest)> {
    let opened = promises.iter().zip(words).filter_map(|(promise, word)| {
        let word = (*word)?;
        Some((promise.first, word))
    });
    let mut opened: Vec<_> = opened.collect();
    opened.sort_unstable();
    opened
}

fn hashed(tag: &[u8], more: &[&[u8]], promises: &[Promise], words: &Opened) -> Digest {
    let mut message = tag.to_vec();
    message.extend(more.concat());
    for (promise, word) in in_order(promises, words) {
        message.extend(promise.0);
        message.extend(word.0);
    }
    Digest::of(&[&message])
}

/// The random stream of a shoe: each block keyed by a block of the entropy, so that every order
/// stays reachable, over all first words, so that nobody can solve for one.
pub(crate) fn stream(
    entropy: &[u8],
    commitment: &Digest,
    promises: &[Promise],
    firsts: &Opened,
) -> Zeroizing<Vec<u8>> {
    let all = hashed(b"sabot-shoe-2 words", &[], promises, firsts);
    let mut stream = Zeroizing::new(Vec::with_capacity(entropy.len()));
    for (i, block) in (0_u32..).zip(entropy.chunks(32)) {
        let mut mac = Hmac::<Sha256>::new_from_slice(block).expect("any key will do");
        mac.update(b"sabot-shoe-2 stream");
        mac.update(&commitment.0);
        mac.update(&all.0);
        mac.update(&i.to_be_bytes());
        stream.extend(mac.finalize().into_bytes());
    }
    stream
}

/// The depth of a cut that nobody chooses, from the root and the second words.
///
/// # Errors
///
/// When the bounds leave no cut.
pub fn cut_by_chance(
    (commitment, root): (&Digest, &Digest),
    promises: &[Promise],
    seconds: &Opened,
    (total, least): (u32, u32),
) -> Result<u32, BadShoe> {
    let places = total.checked_sub(least.saturating_mul(2)).ok_or(BadShoe::Cut)? + 1;
    let start = hashed(b"sabot-shoe-2 cut", &[&commitment.0, &root.0], promises, seconds);
    let blocks = (0_u32..).map(|i| Digest::of(&[&start.0, &i.to_be_bytes()]).0);
    let mut words = blocks.take(1024).flat_map(|block| {
        let word = |at: usize| [block[at], block[at + 1], block[at + 2], block[at + 3]];
        [0, 4, 8, 12, 16, 20, 24, 28].map(|at| u32::from_be_bytes(word(at)))
    });
    let more = below(places, &mut words).map_err(|Exhausted| BadShoe::Exhausted(Exhausted))?;
    Ok(least + more)
}
