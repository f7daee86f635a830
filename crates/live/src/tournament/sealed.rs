//! Words that nobody sees before their time: the forms of secret wagers, and the secret of a
//! ballot.

use serde::Serialize;
use shoe::Digest;
use store::With;
use table::{By, Code, Name, Refusal};
use tournament::{Act, Command, secret};

use super::judging::{Judged, Received, Source, no};
use super::{EventRuled, EventTold, TournamentHost};
use crate::answers::{self, Known, reused};
use crate::fault::LiveError;
use crate::order::{Answer, Order};

/// The longest form of a secret wager, in bytes.
const MOST_FORM: usize = 200;

/// What is said with words that the house keeps to itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Sealed {
    /// A player hands in the form of a secret wager, with these words.
    Form(Name, String),
    /// The director commits to a ballot.
    CommitBallot,
    /// The director reveals the ballot, and places are drawn.
    RevealBallot,
}

impl TournamentHost {
    /// Takes an order whose words are sealed. It is carried out once however often it comes, and
    /// answered the same, as any other.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is an answer.
    pub async fn deliver_sealed(
        &mut self,
        order: Order<Sealed>,
    ) -> Result<Answer<EventTold>, LiveError> {
        let words = self.words_of(&order)?;
        let (act, sealed) = match &order.act {
            Sealed::Form(name, content) => match self.form(*name, content, &words) {
                Ok(form) => form,
                Err(refusal) => return Ok(self.answer(Err(refusal))),
            },
            Sealed::CommitBallot => self.ballot(words),
            Sealed::RevealBallot => return self.deliver_reveal(order).await,
        };
        let Order { who, role, key, .. } = order;
        self.deliver_with(Order { who, role, key, act }, vec![sealed]).await
    }

    /// The salt of a form or the secret of a ballot that somebody asks for under a key: the same
    /// for the same key, so that who asks again commits to the same, and nobody else can tell it.
    fn words_of(&self, order: &Order<Sealed>) -> Result<String, LiveError> {
        let kind: &[u8] = match order.act {
            Sealed::Form(..) => b"form",
            Sealed::CommitBallot | Sealed::RevealBallot => b"ballot",
        };
        let (stream, who) = (self.scribe.stream.as_bytes(), order.who.as_bytes());
        let pieces = [b"sabot-words-1", kind, stream, who, order.key.as_bytes()];
        let pieces: Vec<&[u8]> = pieces.into_iter().flat_map(|piece| [piece, &[0]]).collect();
        let mark = self.scribe.log.mark(&pieces).ok_or(LiveError::Broken)?;
        Ok(as_words(mark))
    }

    /// A form's commitment, and the box that its words lie in.
    fn form(&self, name: Name, content: &str, salt: &str) -> Result<(Act, With), Refusal> {
        if !secret::is_plain(content) || content.len() > MOST_FORM || content.trim().is_empty() {
            let instead =
                format!("one line, such as `100 on player`, of at most {MOST_FORM} bytes");
            return no(Code::Unsayable, "a form that cannot be read", instead);
        }
        let commitment = secret::commitment(salt, content);
        let kept = format!("{salt}\n{content}").into_bytes();
        let sealed = With::Secret { name: self.form_name(commitment), secret: kept.into() };
        Ok((Act::HandIn(name, commitment), sealed))
    }

    /// A ballot's commitment, and the box that its secret lies in.
    fn ballot(&self, secret: String) -> (Act, With) {
        let commitment = tournament::ballot::commitment(&secret);
        let name = self.ballot_name(commitment);
        let sealed = With::Secret { name, secret: secret.into_bytes().into() };
        (Act::CommitBallot(commitment), sealed)
    }

    /// Reveals the ballot for somebody. A refusal is not kept in the log: it would have the secret.
    async fn deliver_reveal(
        &mut self,
        order: Order<Sealed>,
    ) -> Result<Answer<EventTold>, LiveError> {
        let named = match self.receive(&order).await? {
            Received::New(named) => named,
            Received::Known(answer) => return Ok(answer),
        };
        match answers::known(&self.scribe, &named).await? {
            Known::Answered(first, last) => return self.answered(first, last).await,
            Known::Reused => return Ok(self.answer(Err(reused()))),
            Known::Nothing => {}
        }
        let act = match self.revealing().await? {
            Ok(act) => act,
            Err(refusal) => return self.refuse_unkept(named, refusal).await,
        };
        let Order { who, role, key, .. } = order;
        let order = Order { who, role, key, act };
        let by = match self.admit(&order).await? {
            Ok(by) => by,
            Err(refusal) => return self.refuse_unkept(named, refusal).await,
        };
        let from = Source { named: named.clone(), who: order.who, second: None };
        match self.judge(by, order.act, Some(from)).await? {
            Judged::Done(told) => Ok(self.answer(Ok(told))),
            Judged::Before(first, last) => self.answered(first, last).await,
            Judged::Refused(refusal, _) => self.refuse_unkept(named, refusal).await,
            Judged::Waits => Err(LiveError::Broken),
        }
    }

    /// A player hands in the form of a secret wager, where one person runs the event alone: its
    /// words go into a sealed box, and everybody sees their commitment.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn hand_in(&mut self, name: Name, content: &str) -> Result<EventRuled, LiveError> {
        match self.form(name, content, &self.random_words()?) {
            Ok((act, sealed)) => self.act_sealed(act, sealed).await,
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    /// Draws the secret of a ballot, seals it, and commits to it.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn commit_ballot(&mut self) -> Result<EventRuled, LiveError> {
        let (act, sealed) = self.ballot(self.random_words()?);
        self.act_sealed(act, sealed).await
    }

    async fn act_sealed(&mut self, act: Act, sealed: With) -> Result<EventRuled, LiveError> {
        match self.judge_with(act.usual(), act, None, (vec![sealed], None)).await? {
            Judged::Done(told) => Ok(Ok(told)),
            Judged::Refused(refusal, _) => Ok(Err(refusal)),
            Judged::Before(..) | Judged::Waits => Err(LiveError::Broken),
        }
    }

    /// Reveals the secret of the ballot, and places are drawn.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn reveal_ballot(&mut self) -> Result<EventRuled, LiveError> {
        match self.revealing().await? {
            Ok(act) => self.act_by(act.usual(), act).await,
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    /// The act that reveals the ballot that was committed to.
    async fn revealing(&self) -> Result<Result<Act, Refusal>, LiveError> {
        let Some(commitment) = self.tournament.ballot_commitment() else {
            let what = "a ballot that nobody committed to";
            return Ok(no(Code::BadBallot, what, "commit to one first"));
        };
        let Some(kept) = self.scribe.log.unseal(&self.ballot_name(commitment)).await? else {
            let what = "the secret of this ballot is not in the log";
            let instead = "`director reveals the ballot SECRET`, or `director abandons the ballot`";
            return Ok(no(Code::BadBallot, what, instead));
        };
        Ok(Ok(Act::RevealBallot(String::from_utf8_lossy(&kept).into_owned())))
    }

    /// Sixteen random bytes, as text.
    fn random_words(&self) -> Result<String, LiveError> {
        let mut bytes = [0; 32];
        self.world.fill(&mut bytes).map_err(LiveError::NoEntropy)?;
        Ok(as_words(Digest(bytes)))
    }

    fn ballot_name(&self, commitment: Digest) -> String {
        format!("{} ballot {commitment}", self.scribe.stream)
    }

    fn form_name(&self, commitment: Digest) -> String {
        format!("{} form {commitment}", self.scribe.stream)
    }

    /// The words of a sealed form, where the inspector opens one without saying them. The box stays
    /// closed unless the book refuses nothing but the lack of its words.
    pub(super) async fn unseal_form(&self, by: By, act: Act) -> Result<Act, LiveError> {
        let Act::OpenForm { name, salt, content } = &act else { return Ok(act) };
        if !salt.is_empty() || !content.is_empty() {
            return Ok(act);
        }
        let without = Command { at: self.world.now(), by, act: act.clone() };
        let refused = self.tournament.decide(&without).err().map(|refusal| refusal.code);
        if refused != Some(Code::BadForm) {
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

/// Sixteen bytes, as text.
fn as_words(digest: Digest) -> String {
    let mut text = digest.to_string();
    text.truncate(32);
    text
}
