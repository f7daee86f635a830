//! How a table or a tournament runs as a task: letters that wait for it, the loop that reads them,
//! and those who watch.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use shoe::ShoeFact;
use store::{Log, Record};
use tokio::sync::{Notify, broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::fault::LiveError;
use crate::order::Told;

/// Letters that may wait.
const MAILBOX: usize = 256;
/// Happenings that a reader may be behind before it is sent to the log for them.
pub(crate) const BEHIND: usize = 64;

/// What runs; an error says that the last state is under no head.
pub(crate) type Task = JoinHandle<Result<(), LiveError>>;

/// Where an answer goes.
pub(crate) type Reply<T> = oneshot::Sender<T>;

/// What one act did: what everybody who watches is told. At a table of the floor unless it is said
/// otherwise.
#[derive(Clone, Debug)]
pub struct Happened<T = Told, S = ShoeFact> {
    /// The records are these, from the first to the last.
    pub versions: (u64, u64),
    /// When.
    pub at: u64,
    /// The events.
    pub told: Arc<Vec<T>>,
    /// What was published about a shoe.
    pub shoe: Arc<Vec<S>>,
}

/// What a task of the floor does.
pub(crate) trait Runs: Send + 'static {
    /// What is written to it.
    type Mail: Send;

    /// The stream of the log that holds it.
    fn stream(&self) -> &str;

    /// The time by its clock.
    fn now(&self) -> u64;

    /// Does what the clock demands, and says when to look again.
    fn wake(&mut self) -> impl Future<Output = Result<Option<u64>, LiveError>> + Send;

    /// Reads a letter, and answers it.
    fn open(&mut self, letter: Self::Mail) -> impl Future<Output = ()> + Send;

    /// Keeps the state under a signed head.
    fn keep(&mut self) -> impl Future<Output = Result<store::Head, LiveError>> + Send;
}

/// The way to a task: all that others have of it.
#[derive(Debug)]
pub(crate) struct Mailbox<M> {
    pub(crate) stream: String,
    pub(crate) log: Log,
    mail: mpsc::Sender<M>,
    stopped: Arc<Mutex<Option<String>>>,
    closing: Arc<Notify>,
}

impl<M> Clone for Mailbox<M> {
    fn clone(&self) -> Self {
        let (stream, log) = (self.stream.clone(), self.log.clone());
        let (mail, stopped) = (self.mail.clone(), self.stopped.clone());
        Self { stream, log, mail, stopped, closing: self.closing.clone() }
    }
}

impl<M: Send + 'static> Mailbox<M> {
    /// Runs a table or a tournament as a task.
    pub(crate) fn start<H: Runs<Mail = M>>(host: H, log: Log) -> (Self, Task) {
        let (mail, letters) = mpsc::channel(MAILBOX);
        let stopped = Arc::new(Mutex::new(None));
        let stream = host.stream().to_owned();
        let closing = Arc::new(Notify::new());
        let (told, stops) = (stopped.clone(), closing.clone());
        let (own, name) = (log.clone(), stream.clone());
        let running = tokio::spawn(async move {
            match run(host, letters, told, stops).await {
                // A stream that does not hold has no state to be kept, and no head is signed.
                Err(_) if own.alarm_of(&name).is_some() => Ok(()),
                ended => ended,
            }
        });
        let why = stopped.clone();
        // A failed assertion stops this one, and it is told; others go on.
        let task = tokio::spawn(async move {
            running.await.unwrap_or_else(|_| {
                let what =
                    "a fault of the program; its log is whole, and goes on at the next start";
                *why.lock().expect("nobody panics holding it") = Some(what.into());
                Ok(())
            })
        });
        (Self { stream, log, mail, stopped, closing }, task)
    }

    /// Stops the task when it has answered what it is reading, whoever may still write to it.
    pub(crate) fn close(&self) {
        self.closing.notify_one();
    }

    /// Whether the task still reads its letters.
    pub(crate) fn is_open(&self) -> bool {
        !self.mail.is_closed()
    }

    fn gone(&self) -> LiveError {
        let why = self.stopped.lock().expect("nobody panics holding it").clone();
        LiveError::Stopped(self.stream.clone(), why.unwrap_or_else(|| "it was closed".into()))
    }

    /// Writes a letter, and waits for its answer.
    pub(crate) async fn ask<T>(&self, letter: impl FnOnce(Reply<T>) -> M) -> Result<T, LiveError> {
        let (reply, answer) = oneshot::channel();
        self.mail.send(letter(reply)).await.map_err(|_| self.gone())?;
        answer.await.map_err(|_| self.gone())
    }

    /// The records behind a version.
    pub(crate) async fn records(&self, after: u64) -> Result<Vec<Record>, LiveError> {
        Ok(self.log.records(&self.stream, after).await?)
    }

    /// Everything behind a version: first what happened, then what happens.
    pub(crate) fn subscription<T, S>(
        &self,
        seen: u64,
        watching: (u64, broadcast::Receiver<Happened<T, S>>),
    ) -> Subscription<T, S> {
        Subscription::of((self.stream.clone(), self.log.clone()), seen, watching)
    }
}

/// Runs a host until it is closed, nobody can write to it, or it fails. An error says that its
/// state could not be put under a head when it stopped.
async fn run<H: Runs>(
    mut host: H,
    mut mail: mpsc::Receiver<H::Mail>,
    stopped: Arc<Mutex<Option<String>>>,
    closing: Arc<Notify>,
) -> Result<(), LiveError> {
    loop {
        let next = match host.wake().await {
            Ok(next) => next,
            Err(fault) => {
                // Who fails to write stops and says so; others go on.
                *stopped.lock().expect("nobody panics holding it") = Some(fault.to_string());
                return Ok(());
            }
        };
        let until = next.map(|next| {
            let wait = Duration::from_micros(next.saturating_sub(host.now()));
            Instant::now() + wait.clamp(Duration::from_millis(1), Duration::from_hours(1))
        });
        let far = Instant::now() + Duration::from_hours(1);
        tokio::select! {
            letter = mail.recv() => match letter {
                Some(letter) => host.open(letter).await,
                None => break,
            },
            () = closing.notified() => break,
            () = tokio::time::sleep_until(until.unwrap_or(far)) => {}
        }
    }
    host.keep().await.map(drop)
}

/// What happened behind a version, and then everything as it happens.
#[derive(Debug)]
pub struct Subscription<T = Told, S = ShoeFact> {
    stream: String,
    log: Log,
    /// The last record that was given.
    seen: u64,
    /// The last record that the gap has.
    gap_until: u64,
    receiver: broadcast::Receiver<Happened<T, S>>,
}

/// What a subscriber gets.
#[derive(Clone, Debug)]
pub enum News<T = Told, S = ShoeFact> {
    /// Records that the subscriber had not seen, in order.
    Gap(Vec<Record>),
    /// What just happened.
    Happened(Happened<T, S>),
    /// The table or the tournament has stopped.
    Over,
}

impl<T, S> Subscription<T, S> {
    /// Everything of a stream behind a version: up to the given one from its records.
    pub(crate) fn of(
        (stream, log): (String, Log),
        seen: u64,
        (gap_until, receiver): (u64, broadcast::Receiver<Happened<T, S>>),
    ) -> Self {
        Self { stream, log, seen, gap_until, receiver }
    }
}

impl<T: Clone, S: Clone> Subscription<T, S> {
    /// The next news; nothing is lost or given twice.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn next(&mut self) -> Result<News<T, S>, LiveError> {
        if self.seen < self.gap_until {
            let mut records = self.log.records(&self.stream, self.seen).await?;
            // What is behind the gap comes by itself.
            records.retain(|record| record.version <= self.gap_until);
            self.seen = self.gap_until;
            if !records.is_empty() {
                return Ok(News::Gap(records));
            }
        }
        loop {
            match self.receiver.recv().await {
                Ok(happened) if happened.versions.1 <= self.seen => {}
                Ok(happened) if happened.versions.0 > self.seen + 1 => {
                    // Records that nobody is told about, such as refusals, lie between.
                    self.gap_until = happened.versions.0 - 1;
                    let records = self.log.records(&self.stream, self.seen).await?;
                    let all = records.into_iter().filter(|r| r.version <= happened.versions.1);
                    self.seen = happened.versions.1;
                    self.gap_until = self.seen;
                    return Ok(News::Gap(all.collect()));
                }
                Ok(happened) => {
                    self.seen = happened.versions.1;
                    self.gap_until = self.seen;
                    return Ok(News::Happened(happened));
                }
                // Too far behind: the log has it.
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return Ok(News::Over),
            }
        }
    }

    /// All that lies between the last record that was given and that version, from the log: of some
    /// records, such as refusals, nobody is told.
    pub(crate) async fn catch_up(&mut self, version: u64) -> Result<News<T, S>, LiveError> {
        let mut records = self.log.records(&self.stream, self.seen).await?;
        records.retain(|record| record.version <= version);
        (self.seen, self.gap_until) = (version, version);
        Ok(News::Gap(records))
    }

    /// The last record that was given.
    #[must_use]
    pub const fn seen(&self) -> u64 {
        self.seen
    }
}
