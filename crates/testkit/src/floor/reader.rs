//! A subscriber of a simulated table: somebody who reads what happens, dies, comes back from the
//! last version that they had, and in the end has had every record exactly once.

use std::future::Future;
use std::task::{Context, Poll, Waker};

use live::{Host, News, Subscription};

use super::{Dice, finish};

/// Somebody who reads a table.
#[derive(Debug, Default)]
pub(super) struct Reader {
    news: Option<Subscription>,
    /// The last record that was read.
    seen: u64,
    /// How often the reader came back.
    pub(super) returns: usize,
    /// How many records were read as they happened, and how many from the log.
    pub(super) read: (usize, usize),
}

/// What comes of it now; nothing if it has to wait.
fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut context = Context::from_waker(Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

impl Reader {
    /// Reads on, or dies, or comes back; now and then the reader does nothing, and falls behind.
    pub(super) fn act(&mut self, host: &Host, dice: &mut Dice) {
        if dice.one_in(15) {
            self.news = None;
        } else if dice.one_in(3) {
            self.read_all(host);
        }
    }

    /// Reads all that there is.
    ///
    /// # Panics
    ///
    /// When a record is lost or comes twice.
    pub(super) fn read_all(&mut self, host: &Host) {
        let news = self.news.get_or_insert_with(|| {
            self.returns += usize::from(self.seen > 0);
            host.subscribe(self.seen)
        });
        let mut versions = Vec::new();
        loop {
            match poll_once(news.next()).map(|news| news.expect("the log is read")) {
                None => break,
                Some(News::Over) => {
                    self.news = None;
                    break;
                }
                Some(News::Gap(records)) => {
                    self.read.1 += records.len();
                    versions.extend(records.iter().map(|record| record.version));
                }
                Some(News::Happened(happened)) => {
                    let (first, last) = happened.versions;
                    self.read.0 += usize::try_from(last - first + 1).unwrap_or(0);
                    versions.extend(first..=last);
                }
            }
        }
        for version in versions {
            let wanted = self.seen + 1;
            assert_eq!(version, wanted, "{}: a record is lost, or comes twice", host.stream());
            self.seen = version;
        }
        assert!(self.seen <= host.version(), "{}: what was read is lost", host.stream());
    }

    /// The process that was read from is gone.
    pub(super) fn cut_off(&mut self) {
        self.news = None;
    }

    /// An older copy is in the place of the log: whoever reads begins anew.
    pub(super) fn begin_anew(&mut self) {
        (self.news, self.seen) = (None, 0);
    }

    /// In the end the reader has every record of the table.
    ///
    /// # Panics
    ///
    /// When one is missing.
    pub(super) fn end(&mut self, host: &Host) {
        self.read_all(host);
        // Of some records, such as refusals, nobody is told: who comes back finds them in the log.
        self.cut_off();
        self.read_all(host);
        let records = finish(host.log().records(host.stream(), 0)).expect("the log is read");
        assert_eq!(self.seen, records.len() as u64, "{}", host.stream());
    }
}
