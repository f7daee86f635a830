//! How people take part in making a shoe: they promise words once the house has committed, and open
//! them when the list is closed.

use shoe::{Digest, MOST_PROMISES, Opened, Promise, ShoeFact, Signer, Which, Words, sign_list};
use store::With;
use table::{Code, Refusal};

use crate::dealing::{Dealing, Felt, Publication};
use crate::fault::LiveError;
use crate::world::World;

fn no(what: impl Into<String>, instead: &str) -> Refusal {
    Refusal::new(Code::WrongMoment, None, what, instead)
}

impl Dealing {
    /// Takes part for somebody in this process: draws their words, and promises them. They are
    /// opened by themselves when they are due.
    pub(crate) fn take_part(
        &mut self,
        account: &str,
        world: &World,
    ) -> Result<Result<(), Refusal>, LiveError> {
        let words = Words::draw(account, |bytes: &mut [u8]| world.fill(bytes));
        let words = words.map_err(LiveError::NoEntropy)?;
        let Some(record) = self.published() else {
            return Ok(Err(no("a promise without a shoe", "the house commits first")));
        };
        let promised = self.promise(words.promise(&record.commitment), world.now());
        if promised.is_ok() {
            self.words.push(words);
        }
        Ok(promised)
    }

    /// Takes a promise of words while the list is open.
    ///
    /// # Errors
    ///
    /// When there is no open list, or somebody is on it already, or takes no part for a day.
    pub(crate) fn promise(&mut self, promise: Promise, now: u64) -> Result<(), Refusal> {
        let way = self.open_record().and_then(|record| record.second());
        if way.is_none_or(|way| way.signature.is_some()) {
            return Err(no("a promise while no list is open", "the house commits to a shoe first"));
        }
        let barred = self.known.barred.iter();
        let mut barred =
            barred.filter(|(account, until)| *account == promise.account && *until > now);
        if barred.next().is_some() {
            let what = format!("{} promised words and did not open them", promise.account);
            return Err(no(what, "allowed a day later"));
        }
        let same =
            |other: &Promise| other.account == promise.account || other.first == promise.first;
        if self.promises.iter().any(same) {
            return Err(no("a second promise for one shoe", "open the words of the first"));
        }
        let named = (1..=shoe::MOST_TEXT).contains(&promise.account.len());
        if self.promises.len() >= MOST_PROMISES || !named {
            return Err(no("more promises than a shoe takes", "take part in the next shoe"));
        }
        self.promises.push(promise);
        Ok(())
    }

    /// The list of promises, closed and signed, to be published; nothing if it is closed already.
    pub(crate) fn list(&self, signer: &Signer) -> Option<Publication> {
        let record = self.open_record()?;
        if record.second().is_none_or(|way| way.signature.is_some()) {
            return None;
        }
        let (commitment, promises) = (record.commitment, self.promises.clone());
        let signature = sign_list(signer, &commitment, &promises);
        // Words of this process survive a crash, as the shoe does.
        let mut secret = Vec::new();
        for words in &self.words {
            secret.extend(words.word(Which::First).0);
            secret.extend(words.word(Which::Second).0);
            secret.extend(words.promise(&commitment).account.as_bytes());
            secret.push(b'\n');
        }
        let with = vec![With::Secret { name: self.words_name(commitment), secret: secret.into() }];
        Some((vec![ShoeFact::Listed { promises, signature }], with))
    }

    /// The words of this process, after a start.
    pub(crate) fn restore_words(&mut self, kept: &[u8]) {
        let mut rest = kept;
        while let Some((words, behind)) = rest.split_at_checked(64) {
            let end = behind.iter().position(|byte| *byte == b'\n').unwrap_or(behind.len());
            let account = String::from_utf8_lossy(&behind[..end]).into_owned();
            let mut given = words.chunks_exact(32);
            let drawn = Words::draw(account, |into: &mut [u8]| {
                into.copy_from_slice(given.next().unwrap_or(&[0; 32]));
                Ok::<(), std::convert::Infallible>(())
            });
            self.words.extend(drawn);
            rest = behind.get(end + 1..).unwrap_or_default();
        }
    }

    /// Takes a word that was promised, when it is due.
    ///
    /// # Errors
    ///
    /// When it is not due, or is not the one that was promised.
    pub(crate) fn open_word(
        &mut self,
        account: &str,
        which: Which,
        word: Digest,
    ) -> Result<(), Refusal> {
        let Some(record) = self.open_record() else {
            return Err(no("a word without a shoe", "the house commits first"));
        };
        let Some(way) = record.second().filter(|way| way.signature.is_some()) else {
            return Err(no("a word before the list is closed", "wait for the signed list"));
        };
        let due = match which {
            Which::First => record.root.is_none(),
            Which::Second => record.root.is_some() && record.cut.is_none(),
        };
        if !due {
            return Err(no(
                "a word that is not due",
                "first words before the root, second before the cut",
            ));
        }
        let promise = way.promises.iter().find(|promise| promise.account == account);
        let Some(promise) = promise else {
            return Err(no(
                format!("{account} promised no word"),
                "promise before the list is closed",
            ));
        };
        if !promise.is_kept(&record.commitment, which, &word) {
            return Err(no("another word than the one that was promised", "open that one"));
        }
        self.opened.push((account.into(), which, word));
        Ok(())
    }

    /// Who still has to open a word: the first ones before the shuffle, the second ones before a
    /// cut that nobody chooses.
    pub(crate) fn words_due(&self, which: Which) -> Vec<String> {
        let way = self.open_record().and_then(|record| record.second());
        let promises = way.map_or(&[][..], |way| &way.promises);
        let given = self.words_of(promises, which);
        let due = promises.iter().zip(given).filter(|(_, word)| word.is_none());
        due.map(|(promise, _)| promise.account.clone()).collect()
    }

    /// The words that were opened, by promise.
    pub(crate) fn words_of(&self, promises: &[Promise], which: Which) -> Opened {
        let commitment = self.published().map(|record| record.commitment);
        let word = |promise: &Promise| {
            let sent = self.opened.iter();
            let sent = sent.filter(|(account, of, _)| *account == promise.account && *of == which);
            let own = self.words.iter().filter(|words| {
                commitment.is_some_and(|commitment| words.promise(&commitment) == *promise)
            });
            sent.map(|(.., word)| *word).chain(own.map(|words| words.word(which))).next()
        };
        promises.iter().map(word).collect()
    }

    /// A cut that nobody chooses, and the words that it is made from.
    pub(crate) fn cut_by_chance(
        &self,
        felt: Felt<'_>,
        world: &World,
    ) -> Result<(u32, Option<ShoeFact>), LiveError> {
        let least = felt.book.cut.depth.value.get();
        let total = felt.state.options().decks * 52;
        let record = self.open_record();
        let Some((record, way)) = record.and_then(|record| Some((record, record.second()?))) else {
            // Real cards, or a shoe of the first procedure.
            return Ok((any_cut(least, total, world)?, None));
        };
        let root = record.root.ok_or(LiveError::Broken)?;
        let mut seconds = self.words_of(&way.promises, Which::Second);
        let firsts = way.firsts.iter().flatten();
        for (second, first) in seconds.iter_mut().zip(firsts) {
            // Who did not open the first word is left out.
            *second = second.filter(|_| first.is_some());
        }
        let both = (&record.commitment, &root);
        let depth = shoe::cut_by_chance(both, &way.promises, &seconds, (total, way.binds.least))?;
        Ok((depth, Some(ShoeFact::CutByChance { seconds })))
    }
}

/// A cut somewhere within the bounds of the book.
fn any_cut(least: u32, total: u32, world: &World) -> Result<u32, LiveError> {
    let mut failed = None;
    let mut words = std::iter::from_fn(|| {
        let mut drawn = [0; 4];
        match world.fill(&mut drawn) {
            Ok(()) => Some(u32::from_be_bytes(drawn)),
            Err(why) => {
                failed = Some(why);
                None
            }
        }
    });
    let room = total.saturating_sub(2 * least) + 1;
    match shoe::below(room, &mut words) {
        Ok(extra) => Ok(least + extra),
        Err(_) => Err(LiveError::NoEntropy(failed.unwrap_or_default())),
    }
}
