//! The shoe that the system deals: nobody chooses its order, and every card is proved.
//!
//! `docs/VERIFY.md` describes the procedure, which has the name [`PROTOCOL`]. A [`Secret`] is drawn
//! and a commitment to it published; then people promise [`Words`] and open them, and together they
//! make a [`Shoe`], whose root is published before the cut; every card that leaves the shoe can be
//! opened by an [`Opening`], and at the end the secret itself is published. [`verify`] takes only
//! what was published, a [`ShoeRecord`].
//!
//! This crate draws no random numbers: the caller who draws a secret or a word brings the source.
//!
//! ```
//! use shoe::{Binds, CutOf, Digest, Secret, Shoe, ShoeFact, ShoeRecord, Signer, Which, Words};
//!
//! let house = Signer::of_seed(&[7; 32]);
//! let (key, book) = (house.public(), Digest([1; 32]));
//! let binds = Binds { key, table: "table 1".into(), number: 1, book, behind: 14, least: 52 };
//! let secret = Secret::draw(getrandom::fill)?;
//! let commitment = secret.commitment(&binds, 8);
//! let mut record = ShoeRecord::of(8, commitment, binds);
//!
//! let ann = Words::draw("Ann", getrandom::fill)?;
//! let promises = vec![ann.promise(&commitment)];
//! let signature = shoe::sign_list(&house, &commitment, &promises);
//! record.note(&ShoeFact::Listed { promises: promises.clone(), signature });
//!
//! let firsts = vec![Some(ann.word(Which::First))];
//! let mut shoe = Shoe::new(secret, 8, &commitment, &promises, firsts)?;
//! record.note(&shoe.mixed());
//! shoe.cut(208)?;
//! record.note_cut(208, CutOf::Player);
//! let index = shoe.take().expect("a fresh shoe has cards");
//! let opening = shoe.open(index).expect("it was taken");
//! record.note(&ShoeFact::Dealt { index, what: "coup 1: player".into(), opening: Some(opening) });
//! assert!(shoe::verify(&record).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]
#![deny(clippy::wildcard_enum_match_arm)]

extern crate alloc;

#[cfg(test)]
mod battery;
mod digest;
mod order;
mod record;
mod sealed;
mod sign;
mod tree;
mod verify;
mod words;

pub use digest::{Bytes, Digest};
pub use order::{Exhausted, below, shuffle};
pub use record::{
    Abandoned, CutOf, MOST_NONCES, Nonce, Opening, SecondWay, ShoeFact, ShoeRecord, Way,
};
pub use sealed::{BadShoe, ENTROPY_BYTES, MOST_DECKS, Secret, Shoe};
pub use sign::{Signer, is_signed};
pub use verify::{Fault, Verified, verify};
pub use words::{
    Binds, MOST_PROMISES, MOST_TEXT, Opened, Promise, Which, Words, cut_by_chance, is_list_signed,
    sign_list,
};

/// The name of the procedure. Any change to the procedure changes its name.
pub const PROTOCOL: &str = "sabot-shoe-2";
/// The name of the procedure before it, which is weaker: who knew the nonces early could choose.
pub const FIRST_PROTOCOL: &str = "sabot-shoe-1";
