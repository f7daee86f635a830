//! The door's own secret: it marks the browsers that people signed in from, and stands in the place
//! of what somebody typed. It is in the door's file, and in no copy of it.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use sqlx::sqlite::SqlitePool;
use zeroize::Zeroizing;

use super::DoorError;

/// The secret.
pub(super) struct Secret(Zeroizing<Vec<u8>>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// The secret of a door's file, which is made if there is none.
    pub(super) async fn of(pool: &SqlitePool) -> Result<Self, DoorError> {
        let mut new = Zeroizing::new(vec![0_u8; 32]);
        getrandom::fill(&mut new).map_err(|_| DoorError::NoEntropy)?;
        let insert = "insert or ignore into secret (name, value) values ('door', ?)";
        sqlx::query(insert).bind(new.as_slice()).execute(pool).await?;
        let query = "select value from secret where name = 'door'";
        Ok(Self(Zeroizing::new(sqlx::query_scalar(query).fetch_one(pool).await?)))
    }

    fn mac(&self, parts: &[&str]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("any key will do");
        for part in parts {
            // With its length, so that no two lists of parts are the same bytes.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac
    }

    /// The mark of these parts.
    pub(super) fn mark(&self, parts: &[&str]) -> Vec<u8> {
        self.mac(parts).finalize().into_bytes().to_vec()
    }

    /// Whether that is their mark.
    pub(super) fn is_mark(&self, parts: &[&str], mark: &[u8]) -> bool {
        self.mac(parts).verify_slice(mark).is_ok()
    }
}
