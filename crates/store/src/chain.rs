//! The chain: every record's hash covers the record and the hash before it.

use shoe::Digest;

use crate::record::Record;

/// The hash before the first record of a stream.
pub const START: Digest = Digest([0; 32]);

/// The hash of a record that follows one with the hash `previous`.
#[must_use]
pub fn hash(previous: &Digest, record: &Record) -> Digest {
    let length = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes();
    let Record { stream, version, at, actor, key, schema, body, .. } = record;
    let (version, at) = (version.to_be_bytes(), at.to_be_bytes());
    let mut pieces: Vec<&[u8]> = vec![&previous.0, &version, &at];
    let texts = [stream, actor, key, schema, body];
    let lengths = texts.map(|text| length(text));
    for (text, length) in texts.iter().zip(&lengths) {
        pieces.push(length);
        pieces.push(text.as_bytes());
    }
    Digest::of(&pieces)
}

/// Where a chain does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// A record is missing, or there are two.
    #[error("{stream}: version {found} stands where {wanted} should")]
    Gap {
        /// Which stream.
        stream: String,
        /// The version that was due.
        wanted: u64,
        /// The one that is there.
        found: u64,
    },
    /// A record is not the one that was written.
    #[error("{stream}: record {version} was altered, or one before it")]
    Altered {
        /// Which stream.
        stream: String,
        /// Which record.
        version: u64,
    },
    /// A checkpoint knows of more than there is.
    #[error("{stream}: a checkpoint knows {wanted} records, but there are {found}")]
    Shortened {
        /// Which stream.
        stream: String,
        /// How many there were.
        wanted: u64,
        /// How many there are.
        found: u64,
    },
    /// A rulebook that a table was opened with is not there, or is another.
    #[error("{stream}: its rulebook {sha256} is missing, or was altered")]
    NoBook {
        /// Which stream.
        stream: String,
        /// The hash of the book.
        sha256: shoe::Digest,
    },
    /// A checkpoint that the house should have signed, and did not.
    #[error("checkpoint {0} is not signed by the house's key of that time")]
    Signature(u64),
    /// A key for which the key before it does not vouch.
    #[error("house: the key of record {0} is not signed by the one before it")]
    Key(u64),
    /// The tables of the file are not those of a log.
    #[error("{0}")]
    Schema(String),
    /// A rulebook is not the one that was kept.
    #[error("the rulebook {0} was altered")]
    Book(shoe::Digest),
    /// A record that is not as any version of sabot writes it.
    #[error("{stream}: record {version} cannot be read: {why}")]
    Unreadable {
        /// Which stream.
        stream: String,
        /// Which record.
        version: u64,
        /// Why.
        why: String,
    },
    /// A stream that the house did not write: no head knows it, and none of its commands.
    #[error("{stream}: no head and no command of the house knows this stream")]
    Unknown {
        /// Which stream.
        stream: String,
    },
    /// A command is not what the log has of it: it could be carried out again.
    #[error("command {number}, {stream}: {why}")]
    Command {
        /// Which command.
        number: u64,
        /// The stream in which it differs.
        stream: String,
        /// In what it differs.
        why: String,
    },
    /// A command of the first form that the log does not bear out: it was never carried out.
    #[error("command {number} of the first form is not one that the log has")]
    Former {
        /// Its number, below zero; 0 where it has none.
        number: i64,
    },
    /// A command was carried out more than once.
    #[error("the command `{key}` of {actor} was carried out twice")]
    Twice {
        /// Who sent it.
        actor: String,
        /// Their name for it.
        key: String,
    },
    /// A checkpoint knows less than the one before it, or has another epoch than the house's
    /// records.
    #[error("checkpoint {version}: {what}")]
    WentBack {
        /// Which checkpoint.
        version: u64,
        /// What it should have known.
        what: String,
    },
    /// A checkpoint has another hash.
    #[error("{stream}: record {version} is not the one that a checkpoint knows")]
    Replaced {
        /// Which stream.
        stream: String,
        /// Which record.
        version: u64,
    },
}

impl Broken {
    /// The stream that does not hold; nothing where more than one rests on it.
    #[must_use]
    pub fn stream(&self) -> Option<&str> {
        match self {
            Self::Gap { stream, .. }
            | Self::Altered { stream, .. }
            | Self::Shortened { stream, .. }
            | Self::NoBook { stream, .. }
            | Self::Unreadable { stream, .. }
            | Self::Replaced { stream, .. }
            | Self::Command { stream, .. }
            | Self::Unknown { stream } => Some(stream),
            Self::Signature(_)
            | Self::Key(_)
            | Self::Book(_)
            | Self::Schema(_)
            | Self::Former { .. }
            | Self::Twice { .. }
            | Self::WentBack { .. } => None,
        }
    }
}

/// Checks the chain of one stream, from its first record.
///
/// # Errors
///
/// Where it first breaks.
pub fn verify_chain(stream: &str, records: &[Record]) -> Result<Digest, Broken> {
    let mut previous = START;
    for (wanted, record) in (1..).zip(records) {
        if record.version != wanted {
            let found = record.version;
            return Err(Broken::Gap { stream: stream.into(), wanted, found });
        }
        if record.stream != stream || hash(&previous, record) != record.hash {
            return Err(Broken::Altered { stream: stream.into(), version: wanted });
        }
        previous = record.hash;
    }
    Ok(previous)
}
