//! The shoe that the system deals: nobody chooses its order, and every card is proved.
//!
//! `docs/VERIFY.md` describes the procedure, which has the name [`PROTOCOL`]. A [`Secret`] is drawn
//! and its commitment published; with the players' nonces it makes a [`Shoe`], whose root is
//! published before the cut; every card that leaves the shoe can be opened by an [`Opening`], and
//! at the end the secret itself is published. [`verify`] takes only what was published, a
//! [`ShoeRecord`].
//!
//! This crate draws no random numbers: the caller who draws a secret brings the source.
//!
//! ```
//! use shoe::{ShoeFact, ShoeRecord, Secret, Shoe, verify};
//!
//! let secret = Secret::draw(getrandom::fill)?;
//! let mut record = ShoeRecord::of(8, secret.commitment());
//! let mut shoe = Shoe::new(secret, 8, vec![b"a player's word".to_vec()])?;
//! record.note(&shoe.mixed());
//! shoe.cut(208)?;
//! record.cut = Some(208);
//! let index = shoe.take().expect("a fresh shoe has cards");
//! let opening = shoe.open(index).expect("it was taken");
//! record.note(&ShoeFact::Dealt { index, what: "coup 1: player".into(), opening: Some(opening) });
//! assert!(verify(&record).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]
#![deny(clippy::wildcard_enum_match_arm)]

extern crate alloc;

mod digest;
mod order;
mod record;
mod sealed;
mod tree;
mod verify;

pub use digest::{Bytes, Digest};
pub use order::{Exhausted, below, shuffle};
pub use record::{MOST_NONCES, Nonce, Opening, ShoeFact, ShoeRecord};
pub use sealed::{BadShoe, ENTROPY_BYTES, MOST_DECKS, Secret, Shoe};
pub use verify::{Fault, Verified, verify};

/// The name of the procedure. Any change to the procedure changes its name.
pub const PROTOCOL: &str = "sabot-shoe-1";
