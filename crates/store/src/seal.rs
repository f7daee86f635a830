//! The house's key: it seals secrets, signs heads, and knows its own commands again. What it seals
//! is in the log's file, the key is in another.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use shoe::{Digest, Signer};
use zeroize::Zeroizing;

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;

/// Why a secret cannot be kept or opened.
#[derive(Debug, thiserror::Error)]
pub enum KeyFault {
    /// The key file cannot be read or written.
    #[error("the key file {}: {why}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        why: std::io::Error,
    },
    /// The key file has another length than a key.
    #[error("{} is not a key of sabot", .0.display())]
    NotAKey(PathBuf),
    /// Others than its owner can read the key file.
    #[error("others can read the key file {}; make it its owner's alone: chmod 600", .0.display())]
    Readable(PathBuf),
    /// The box was altered, or made with another key or under another name.
    #[error("what was sealed as `{0}` cannot be opened: it was altered, or the key is another")]
    Altered(String),
    /// The operating system gives no random numbers.
    #[error("the operating system gives no random numbers: {0}")]
    NoEntropy(getrandom::Error),
}

/// Where a key is written before it has its name.
pub(crate) fn unfinished(key: &Path) -> PathBuf {
    let mut name = key.file_name().unwrap_or_default().to_os_string();
    name.push(".new");
    key.with_file_name(name)
}

/// The house's key.
pub struct Key {
    // In a box each: what is moved about leaves copies of itself behind.
    bytes: Box<Zeroizing<[u8; KEY_BYTES]>>,
    macs: Box<Zeroizing<[u8; 32]>>,
    signer: Signer,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Key {
    /// Reads the key that was made before.
    ///
    /// # Errors
    ///
    /// When there is none, or the file is something else.
    pub fn read(path: &Path) -> Result<Self, KeyFault> {
        let fault = |why| KeyFault::File { path: path.into(), why };
        if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(KeyFault::NotAKey(path.into()));
        }
        let mut bytes = Zeroizing::new(Vec::new());
        let mut file = std::fs::File::open(path).map_err(fault)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            if file.metadata().map_err(fault)?.permissions().mode() & 0o077 != 0 {
                return Err(KeyFault::Readable(path.into()));
            }
        }
        // A key is short; whatever is longer is none.
        std::io::Read::by_ref(&mut file).take(1024).read_to_end(&mut bytes).map_err(fault)?;
        if bytes.len() != KEY_BYTES {
            return Err(KeyFault::NotAKey(path.into()));
        }
        let mut key = Box::new(Zeroizing::new([0; KEY_BYTES]));
        key.copy_from_slice(&bytes);
        Ok(Self::of(key))
    }

    fn of(bytes: Box<Zeroizing<[u8; KEY_BYTES]>>) -> Self {
        let seed = Zeroizing::new(Digest::of(&[b"sabot-sign-1", &**bytes]).0);
        let macs = Box::new(Zeroizing::new(Digest::of(&[b"sabot-mac-1", &**bytes]).0));
        Self { signer: Signer::of_seed(&seed), macs, bytes }
    }

    /// What the house signs with.
    #[must_use]
    pub const fn signer(&self) -> &Signer {
        &self.signer
    }

    /// A mark that only this key makes.
    #[must_use]
    pub fn mac(&self, pieces: &[&[u8]]) -> Digest {
        let mut mac = Hmac::<Sha256>::new_from_slice(&**self.macs).expect("any key will do");
        for piece in pieces {
            mac.update(piece);
        }
        Digest(mac.finalize().into_bytes().into())
    }

    /// Reads the key, or makes one that only its owner can read.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written, or is something else.
    pub fn at(path: &Path) -> Result<Self, KeyFault> {
        match Self::read(path) {
            Err(KeyFault::File { why, .. }) if why.kind() == std::io::ErrorKind::NotFound => {
                Self::make(path)
            }
            read => read,
        }
    }

    /// Makes a new key in a file that is not there.
    pub(crate) fn make(path: &Path) -> Result<Self, KeyFault> {
        let fault = |why| KeyFault::File { path: path.into(), why };
        let mut key = Box::new(Zeroizing::new([0; KEY_BYTES]));
        getrandom::fill(&mut **key).map_err(KeyFault::NoEntropy)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // Whole or not at all: an empty key would lock the secrets in for good.
        let new = unfinished(path);
        let _ = std::fs::remove_file(&new);
        let mut file = options.open(&new).map_err(fault)?;
        file.write_all(&**key).and_then(|()| file.sync_all()).map_err(fault)?;
        // Never over a key that is there: what it sealed would be lost.
        std::fs::hard_link(&new, path).map_err(fault)?;
        std::fs::remove_file(&new).map_err(fault)?;
        #[cfg(unix)]
        if let Some(folder) = path.parent().and_then(|folder| std::fs::File::open(folder).ok()) {
            folder.sync_all().map_err(fault)?;
        }
        Ok(Self::of(key))
    }

    /// Seals a secret under a name.
    ///
    /// # Errors
    ///
    /// When the operating system gives no random numbers.
    pub fn seal(&self, name: &str, secret: &[u8]) -> Result<Vec<u8>, KeyFault> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(KeyFault::NoEntropy)?;
        let payload = Payload { msg: secret, aad: name.as_bytes() };
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| KeyFault::Altered(name.into()))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Opens what was sealed under that name.
    ///
    /// # Errors
    ///
    /// When it was altered, or sealed with another key or under another name.
    pub fn open(&self, name: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, KeyFault> {
        let altered = || KeyFault::Altered(name.into());
        let (nonce, sealed) = sealed.split_at_checked(NONCE_BYTES).ok_or_else(altered)?;
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().map_err(|_| altered())?;
        let payload = Payload { msg: sealed, aad: name.as_bytes() };
        let secret = self.cipher().decrypt(&XNonce::from(nonce), payload);
        secret.map(Zeroizing::new).map_err(|_| altered())
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new_from_slice(&**self.bytes).expect("a key is as long as it must be")
    }
}
