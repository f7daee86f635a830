//! What is asked of the log and what stands in it: records, the commands that add them, and what is
//! kept beside them.

use shoe::Digest;

use crate::body::Body;
use crate::fault::StoreError;

/// A record as it stands in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Which stream.
    pub stream: String,
    /// Position in the stream, from 1.
    pub version: u64,
    /// When, in microseconds UTC.
    pub at: u64,
    /// Who acted.
    pub actor: String,
    /// The command that it came from.
    pub key: String,
    /// How to read the body.
    pub schema: String,
    /// What it says, as JSON.
    pub body: String,
    /// The hash of it and the one before it.
    pub hash: Digest,
}

impl Record {
    /// What it says.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn read(&self) -> Result<Body, StoreError> {
        Body::from_json(&self.schema, &self.body).map_err(|why| StoreError::Unreadable {
            stream: self.stream.clone(),
            version: self.version,
            why,
        })
    }
}

/// Something to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When, in microseconds UTC.
    pub at: u64,
    /// What.
    pub body: Body,
}

/// Entries for one stream, which must be where the writer believes it to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamEntries {
    /// Which stream.
    pub stream: String,
    /// Its version before.
    pub expected: u64,
    /// What to add.
    pub entries: Vec<Entry>,
}

/// A command, named by who sent it, so that it is carried out once however often it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandKey {
    /// Who.
    pub actor: String,
    /// Their name for it.
    pub key: String,
    /// The hash of what was asked.
    pub payload: Digest,
}

/// What one command adds, to one stream or several: all of it or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// Which command.
    pub command: CommandKey,
    /// What it adds.
    pub parts: Vec<StreamEntries>,
    /// What is kept beside the records, in the same transaction.
    pub with: Vec<With>,
}

/// Something that is kept beside records.
#[derive(Clone, PartialEq, Eq)]
pub enum With {
    /// A rulebook that a table is opened with.
    Book {
        /// The hash of its canonical text.
        sha256: Digest,
        /// The text.
        canonical: String,
        /// Its files, as JSON.
        files: String,
    },
    /// A secret, to be sealed with the house's key.
    Secret {
        /// The name under which it is kept.
        name: String,
        /// The secret.
        secret: zeroize::Zeroizing<Vec<u8>>,
    },
    /// A secret that is no longer one.
    Forgotten(String),
    /// The name of somebody who has an account.
    Person {
        /// The account.
        account: String,
        /// The name.
        name: String,
    },
    /// What an account holds.
    Balance {
        /// The account.
        account: String,
        /// After which record of the account.
        version: u64,
        /// How much.
        cents: u64,
    },
}

impl std::fmt::Debug for With {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Book { sha256, .. } => write!(f, "Book({sha256})"),
            Self::Secret { name, .. } => write!(f, "Secret({name})"),
            Self::Forgotten(name) => write!(f, "Forgotten({name})"),
            Self::Person { account, .. } => write!(f, "Person({account})"),
            Self::Balance { account, cents, .. } => write!(f, "Balance({account}, {cents})"),
        }
    }
}

/// The state of a stream after a record, to be kept under the next head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Which stream.
    pub stream: String,
    /// After which record.
    pub version: u64,
    /// The state, as JSON.
    pub state: String,
}

/// What an account holds, as it is kept beside the account's own records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptBalance {
    /// Which account.
    pub account: String,
    /// After which of its records.
    pub version: u64,
    /// How many cents.
    pub cents: u64,
}

/// What became of an append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The first and the last version in the first stream.
    pub versions: (u64, u64),
    /// It was there already; nothing was written.
    pub repeated: bool,
}
