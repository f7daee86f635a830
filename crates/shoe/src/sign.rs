//! Signatures of the house: Ed25519, over the pieces of a message one after another.

use alloc::vec::Vec;
use core::fmt;

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use crate::digest::{Bytes, Digest};

/// The key that a house signs with.
pub struct Signer(SigningKey);

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({})", self.public())
    }
}

impl Signer {
    /// The key of a secret seed.
    #[must_use]
    pub fn of_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// The public key, by which signatures are checked.
    #[must_use]
    pub fn public(&self) -> Digest {
        Digest(self.0.verifying_key().to_bytes())
    }

    /// Signs a message.
    #[must_use]
    pub fn sign(&self, pieces: &[&[u8]]) -> Bytes {
        Bytes(self.0.sign(&pieces.concat()).to_bytes().to_vec())
    }
}

/// Whether a signature is that of the key's owner over this message. Strict: a signature cannot be
/// written in two ways.
#[must_use]
pub fn is_signed(public: &Digest, pieces: &[&[u8]], signature: &Bytes) -> bool {
    let message: Vec<u8> = pieces.concat();
    let (Ok(key), Ok(signature)) =
        (VerifyingKey::from_bytes(&public.0), Signature::from_slice(&signature.0))
    else {
        return false;
    };
    key.verify_strict(&message, &signature).is_ok()
}
