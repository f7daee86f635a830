//! The secret of a shoe: drawn and committed to, put in order, kept sealed, opened again after a
//! start, and revealed.

use shoe::{Abandoned, Binds, Digest, PROTOCOL, Secret, Shoe, ShoeFact, ShoeRecord, Way, Which};
use store::With;
use table::Phase;

use super::{Dealing, Felt, Publication};
use crate::fault::LiveError;
use crate::world::World;

impl Dealing {
    /// Draws the entropy of a shoe and gives a commitment to it and to all that could be chosen
    /// later, to be published; the secret is taken once it is.
    pub(crate) fn commit(
        &self,
        felt: Felt<'_>,
        (key, book): (Digest, Digest),
        world: &World,
    ) -> Result<(Secret, Publication), LiveError> {
        let secret = Secret::draw(|bytes| world.fill(bytes)).map_err(LiveError::NoEntropy)?;
        let decks = felt.state.options().decks;
        let binds = Binds {
            key,
            table: self.table.clone(),
            number: self.known.number + 1,
            book,
            behind: felt.book.cut.behind.value.least(),
            least: felt.book.cut.depth.value.get(),
        };
        let commitment = secret.commitment(&binds, decks);
        let name = self.sealed_name(commitment);
        let sealed = With::Secret { name, secret: secret.bytes().to_vec().into() };
        let (protocol, binds) = (PROTOCOL.into(), Some(Box::new(binds)));
        let committed = ShoeFact::Committed { protocol, decks, commitment, binds };
        Ok((secret, (vec![committed], vec![sealed])))
    }

    /// The commitment was published in that record.
    pub(crate) fn committed(&mut self, secret: Secret, version: u64) {
        self.known.committed_in = version;
        self.secret = Some(secret);
    }

    /// Whether a shoe of the system's is to be shuffled.
    pub(crate) const fn has_secret(&self) -> bool {
        self.secret.is_some()
    }

    /// The shoe, in the order that follows from the house's entropy and the words that people
    /// opened; nothing if there is none to be made.
    pub(crate) fn order(&self) -> Result<Option<Shoe>, LiveError> {
        let Some(secret) = self.secret.clone() else { return Ok(None) };
        let Some(record) = self.known.record.clone() else {
            return Err(LiveError::NoSecret(self.known.number));
        };
        let shoe = match record.second() {
            Some(way) => {
                let firsts = self.words_of(&way.promises, Which::First);
                Shoe::new(secret, record.decks, &record.commitment, &way.promises, firsts)?
            }
            // The program that committed to it knew the first procedure only.
            None => Shoe::first(secret, record.decks, Vec::new())?,
        };
        Ok(Some(shoe))
    }

    /// The order was published.
    pub(crate) fn ordered(&mut self, shoe: Shoe) {
        if self.published().is_some_and(|record| record.root == Some(shoe.root())) {
            self.shoe = Some(shoe);
            self.secret = None;
        }
    }

    /// What is published when a shoe is over or abandoned: its secret. Nothing if there is none;
    /// of a secret that is lost, only that it is.
    pub(crate) fn reveal(&self, why: Option<Abandoned>) -> Option<Publication> {
        if why == Some(Abandoned::SecretLost) {
            return Some((vec![ShoeFact::Abandoned(Abandoned::SecretLost)], Vec::new()));
        }
        let entropy = match (&self.shoe, &self.secret) {
            (Some(shoe), _) => shoe.secret().bytes(),
            (None, Some(secret)) => secret.bytes(),
            (None, None) => return None,
        };
        let entropy = shoe::Bytes(entropy.to_vec());
        let commitment = self.known.record.as_ref()?.commitment;
        let mut facts: Vec<_> = why.map(ShoeFact::Abandoned).into_iter().collect();
        facts.push(ShoeFact::Revealed { entropy });
        let forgotten = vec![
            With::Forgotten(self.sealed_name(commitment)),
            With::Forgotten(self.words_name(commitment)),
        ];
        Some((facts, forgotten))
    }

    /// The name under which a secret is kept. It contains the commitment, so that no other secret
    /// can replace it.
    pub(crate) fn sealed_name(&self, commitment: Digest) -> String {
        format!("{} shoe {commitment}", self.table)
    }

    /// The name under which the words of those who take part in this process are kept.
    pub(crate) fn words_name(&self, commitment: Digest) -> String {
        format!("{} words {commitment}", self.table)
    }

    /// After a start in the middle of a shoe: continues from the same position with the secret that
    /// was sealed. One of a log that was restored is not dealt on.
    pub(crate) fn open_sealed(
        &mut self,
        secret: Option<&[u8]>,
        key: Option<Digest>,
        restored: Option<u64>,
    ) -> Result<(), LiveError> {
        let Some(record) = self.open_record().cloned() else { return Ok(()) };
        let secret = secret.and_then(Secret::from_bytes);
        let secret = secret.filter(|secret| {
            let committed = match &record.way {
                Way::First { .. } => secret.first_commitment(),
                Way::Second(way) => secret.commitment(&way.binds, record.decks),
            };
            committed == record.commitment
        });
        let Some(secret) = secret else {
            // The key that sealed it is lost, or its box: nobody can deal from it again.
            self.doomed = Some(Abandoned::SecretLost);
            return Ok(());
        };
        let unlisted = record.second().is_some_and(|way| way.signature.is_none());
        let bound = record.second().map(|way| way.binds.key);
        if unlisted && bound != key {
            // The list must be signed by the key that the commitment binds.
            self.doomed = Some(Abandoned::KeyChanged);
        }
        if restored.is_some_and(|version| self.known.committed_in <= version) {
            self.doomed = Some(Abandoned::Restored);
        }
        if record.root.is_none() {
            self.secret = Some(secret);
        } else {
            self.shoe = Some(self.shoe_again(&record, secret)?);
        }
        Ok(())
    }

    /// Whether the program stopped before the secret of a shoe that is over was published.
    pub(crate) fn is_unrevealed(&self, felt: Felt<'_>) -> bool {
        let used = self.open_record().is_some_and(|record| record.root.is_some());
        let over = felt.state.phase() == Phase::Closed || used && felt.is_over();
        self.has_shoe() && over
    }

    /// The shoe as it was when the program stopped.
    fn shoe_again(&self, record: &ShoeRecord, secret: Secret) -> Result<Shoe, LiveError> {
        let (decks, commitment) = (record.decks, record.commitment);
        let mut shoe = match &record.way {
            Way::First { nonces } => {
                let nonces = nonces.iter().map(|nonce| nonce.0.clone()).collect();
                Shoe::first(secret, decks, nonces)?
            }
            Way::Second(way) => {
                let firsts = way.firsts.clone().unwrap_or_default();
                Shoe::new(secret, decks, &commitment, &way.promises, firsts)?
            }
        };
        if record.root != Some(shoe.root()) {
            return Err(LiveError::NoSecret(self.known.number));
        }
        if let Some(depth) = record.cut {
            shoe.cut(depth)?;
        }
        for _ in 0..record.dealt.len() {
            shoe.take();
        }
        Ok(shoe)
    }
}
