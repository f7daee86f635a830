//! Words that nobody sees before their time: the forms of secret wagers, and the secret of a
//! ballot.

use shoe::Digest;
use store::With;
use table::{Code, Name};
use tournament::{Act, secret};

use super::judging::{Judged, no};
use super::{EventRuled, TournamentHost};
use crate::fault::LiveError;

impl TournamentHost {
    /// A player hands in the form of a secret wager: its words go into a sealed box, and everybody
    /// sees their commitment.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn hand_in(&mut self, name: Name, content: &str) -> Result<EventRuled, LiveError> {
        if !secret::is_plain(content) || content.len() > 200 || content.trim().is_empty() {
            let instead = "one line, such as `100 on player`";
            return Ok(no(Code::Unsayable, "a form that cannot be read", instead));
        }
        let salt = self.random_words()?;
        let commitment = secret::commitment(&salt, content);
        let kept = format!("{salt}\n{content}");
        let sealed =
            With::Secret { name: self.form_name(commitment), secret: kept.into_bytes().into() };
        let act = Act::HandIn(name, commitment);
        match self.judge_with(act.usual(), act, None, (vec![sealed], None)).await? {
            Judged::Done(told) => Ok(Ok(told)),
            Judged::Refused(refusal, _) => Ok(Err(refusal)),
            Judged::Before(..) => Err(LiveError::Broken),
        }
    }

    /// Draws the secret of a ballot, seals it, and commits to it.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn commit_ballot(&mut self) -> Result<EventRuled, LiveError> {
        let secret = self.random_words()?;
        let commitment = tournament::ballot::commitment(&secret);
        let name = self.ballot_name(commitment);
        let sealed = With::Secret { name, secret: secret.into_bytes().into() };
        let act = Act::CommitBallot(commitment);
        match self.judge_with(act.usual(), act, None, (vec![sealed], None)).await? {
            Judged::Done(told) => Ok(Ok(told)),
            Judged::Refused(refusal, _) => Ok(Err(refusal)),
            Judged::Before(..) => Err(LiveError::Broken),
        }
    }

    /// Reveals the secret of the ballot, and places are drawn.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn reveal_ballot(&mut self) -> Result<EventRuled, LiveError> {
        let Some(commitment) = self.tournament.ballot_commitment() else {
            let what = "a ballot that nobody committed to";
            return Ok(no(Code::BadBallot, what, "commit to one first"));
        };
        let Some(kept) = self.scribe.log.unseal(&self.ballot_name(commitment)).await? else {
            let what = "the secret of this ballot is not in the log";
            let instead = "`director reveals the ballot SECRET`, or `director abandons the ballot`";
            return Ok(no(Code::BadBallot, what, instead));
        };
        let act = Act::RevealBallot(String::from_utf8_lossy(&kept).into_owned());
        self.act_by(act.usual(), act).await
    }

    /// Sixteen random bytes, as text.
    fn random_words(&self) -> Result<String, LiveError> {
        let mut bytes = [0; 32];
        self.world.fill(&mut bytes).map_err(LiveError::NoEntropy)?;
        let mut text = Digest(bytes).to_string();
        text.truncate(32);
        Ok(text)
    }

    fn ballot_name(&self, commitment: Digest) -> String {
        format!("{} ballot {commitment}", self.scribe.stream)
    }

    fn form_name(&self, commitment: Digest) -> String {
        format!("{} form {commitment}", self.scribe.stream)
    }

    /// The words of a sealed form, where the inspector opens one without saying them.
    pub(super) async fn unseal_form(&self, act: Act) -> Result<Act, LiveError> {
        let Act::OpenForm { name, salt, content } = &act else { return Ok(act) };
        if !salt.is_empty() || !content.is_empty() {
            return Ok(act);
        }
        let sitting = self
            .tournament
            .entrant_named(name)
            .and_then(|id| Some((id, self.tournament.sitting_of(id)?)));
        let form = sitting.and_then(|(id, sitting)| sitting.chair(id)?.form.as_ref());
        let Some(commitment) = form.map(|form| form.commitment) else { return Ok(act) };
        let Some(kept) = self.scribe.log.unseal(&self.form_name(commitment)).await? else {
            return Ok(act);
        };
        let text = String::from_utf8_lossy(&kept).into_owned();
        let Some((salt, content)) = text.split_once('\n') else { return Ok(act) };
        Ok(Act::OpenForm { name: *name, salt: salt.into(), content: content.into() })
    }
}
