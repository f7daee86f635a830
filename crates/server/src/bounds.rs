//! A bound on everything: how often somebody may ask, and how much may be open at once.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use crate::config::Config;
use crate::problem::Problem;
use crate::who::Who;

/// The longest body of a request, and the longest message on a socket.
pub(crate) const MOST_BODY: usize = 64 << 10;
/// The longest transcript to be judged.
pub(crate) const MOST_TRANSCRIPT: usize = 1 << 20;
/// Lines of a transcript to be judged.
pub(crate) const MOST_LINES: usize = 5_000;
/// The longest answer to one, in bytes of its texts.
pub(crate) const MOST_ANSWER: usize = 8 << 20;
/// How long somebody waits for the turn of work that takes long.
const WAITS: std::time::Duration = std::time::Duration::from_secs(10);
/// Subscriptions of one socket.
pub(crate) const MOST_SUBSCRIPTIONS: usize = 64;
/// Messages that wait for a socket; then it is given a fresh view in their place.
pub(crate) const MOST_WAITING: usize = 64;
/// Their bytes.
pub(crate) const MOST_WAITING_BYTES: u32 = 512 << 10;
/// The bytes that wait for all sockets of an address, for each socket that it may have.
const WAITING_EACH: usize = 64 << 10;
/// All who came in by themselves from one address may ask so many times as much as one of them: a
/// household plays together, and whoever opens account after account gains nothing.
const OF_AN_ADDRESS: u32 = 4;
/// Records that are read for one request; whoever asks for more of the past pays more.
const RECORDS_A_REQUEST: u64 = 200;
/// Records that a page of the past has at the most.
const RECORDS_A_PAGE: u64 = 2048;
/// Tables that a floor has.
pub(crate) const MOST_TABLES: usize = 1_000;

/// What counts as one address: of the new kind, everybody has as many as they like of one network.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(six) => {
            let network = six.to_bits() & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
    }
}

/// Who asks, as it is counted.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    /// The account, or the address of somebody who has none.
    key: String,
    /// The address with which an account counts too. Staff came in by a link of the house, and
    /// many of them share an address.
    address: Option<String>,
}

impl Asker {
    pub(crate) fn new(who: Option<&Who>, address: IpAddr) -> Self {
        let address = network(address).to_string();
        match who {
            None => Self { key: address, address: None },
            Some(who) => {
                let address = who.roles.is_empty().then_some(address);
                Self { key: who.account.clone(), address }
            }
        }
    }
}

/// Who asks how often.
pub(crate) struct Bounds {
    asks: DefaultKeyedRateLimiter<String>,
    of_address: DefaultKeyedRateLimiter<String>,
    /// What somebody may ask at once.
    burst: u32,
    guests: DefaultKeyedRateLimiter<String>,
    heavy: DefaultKeyedRateLimiter<String>,
    turns: Arc<Semaphore>,
    pasts: Semaphore,
    waiting: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
    waiting_bytes: usize,
    pub(crate) sockets: Arc<Count>,
    per_address: Counts,
}

/// How many of something there are, and may be.
#[derive(Debug)]
pub(crate) struct Count {
    now: AtomicI64,
    most: i64,
}

/// One of them, as long as it lasts.
#[derive(Debug)]
pub(crate) struct One(Arc<Count>);

impl Drop for One {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Count {
    pub(crate) fn new(most: u32) -> Arc<Self> {
        Arc::new(Self { now: AtomicI64::new(0), most: i64::from(most) })
    }

    /// One more, if there may be.
    pub(crate) fn one(self: &Arc<Self>) -> Option<One> {
        let before = self.now.fetch_add(1, Ordering::Relaxed);
        let one = One(self.clone());
        (before < self.most).then_some(one)
    }
}

mod dashed {
    //! Counts by address, which are gone with the last of an address.

    use std::collections::HashMap;
    use std::net::IpAddr;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Debug, Default)]
    pub(crate) struct Counts(Arc<Mutex<HashMap<IpAddr, u32>>>);

    #[derive(Debug)]
    pub(crate) struct Place(Counts, IpAddr);

    impl Counts {
        pub(crate) fn one(&self, address: IpAddr, most: u32) -> Option<Place> {
            let mut counts = self.0.lock().expect("nobody panics holding it");
            let count = counts.entry(address).or_default();
            if *count >= most {
                return None;
            }
            *count += 1;
            Some(Place(self.clone(), address))
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let mut counts = self.0.0.lock().expect("nobody panics holding it");
            if let Some(count) = counts.get_mut(&self.1) {
                *count -= 1;
                if *count == 0 {
                    counts.remove(&self.1);
                }
            }
        }
    }
}

pub(crate) use dashed::{Counts, Place};

fn limiter(quota: Quota) -> DefaultKeyedRateLimiter<String> {
    RateLimiter::keyed(quota)
}

fn rate(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN)
}

impl Bounds {
    pub(crate) fn new(config: &Config) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let burst = config.requests_per_second.saturating_mul(4);
        let often = |times: u32| {
            let each = rate(config.requests_per_second.saturating_mul(times));
            limiter(Quota::per_second(each).allow_burst(rate(burst.saturating_mul(times))))
        };
        let sockets = usize::try_from(config.sockets_per_address).unwrap_or(usize::MAX);
        let least = usize::try_from(MOST_WAITING_BYTES).unwrap_or(usize::MAX);
        Self {
            asks: often(1),
            of_address: often(OF_AN_ADDRESS),
            burst,
            guests: limiter(Quota::per_hour(rate(config.guests_per_hour))),
            heavy: limiter(Quota::per_second(rate(2)).allow_burst(rate(10))),
            // Tables and people keep the other half of the machine.
            turns: Arc::new(Semaphore::new((cores / 2).max(1))),
            pasts: Semaphore::new((cores / 2).max(1)),
            waiting: Mutex::default(),
            waiting_bytes: sockets
                .saturating_mul(WAITING_EACH)
                .clamp(least, Semaphore::MAX_PERMITS),
            sockets: Count::new(config.most_sockets),
            per_address: Counts::default(),
        }
    }

    fn check(
        limiter: &DefaultKeyedRateLimiter<String>,
        (key, times): (&str, u32),
        what: &str,
    ) -> Result<(), Problem> {
        let refused = |seconds| Problem::too_many(format!("too many {what}"), seconds);
        match limiter.check_key_n(&key.to_owned(), rate(times)) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(not_until)) => {
                let wait = not_until.wait_time_from(DefaultClock::default().now());
                Err(refused(wait.as_secs() + 1))
            }
            Err(_) => Err(refused(1)),
        }
    }

    /// One more request of somebody.
    pub(crate) fn ask(&self, who: &Asker) -> Result<(), Problem> {
        self.asks(who, 1)
    }

    fn asks(&self, who: &Asker, times: u32) -> Result<(), Problem> {
        Self::check(&self.asks, (&who.key, times), "requests")?;
        let Some(address) = &who.address else { return Ok(()) };
        Self::check(&self.of_address, (address, times), "requests from this address")
    }

    /// What somebody pays for so many records of the past besides the request.
    pub(crate) fn reads(&self, who: &Asker, records: u64) -> Result<(), Problem> {
        // What is asked for once can be paid by somebody who rested.
        let times = u32::try_from(records / RECORDS_A_REQUEST).unwrap_or(u32::MAX);
        if times == 0 { Ok(()) } else { self.asks(who, times.min(self.burst)) }
    }

    /// A page of the past with so many records behind its beginning: paid for, and a turn to read
    /// it.
    pub(crate) async fn page(
        &self,
        who: &Asker,
        behind: u64,
    ) -> Result<SemaphorePermit<'_>, Problem> {
        self.reads(who, behind.min(RECORDS_A_PAGE))?;
        self.past().await
    }

    /// A turn to read the past, to be kept until it is read: orders keep the other half of the
    /// machine.
    pub(crate) async fn past(&self) -> Result<SemaphorePermit<'_>, Problem> {
        let turn = tokio::time::timeout(WAITS, self.pasts.acquire()).await;
        let turn = turn.ok().and_then(Result::ok);
        turn.ok_or_else(|| Problem::too_many("too many who read the past", WAITS.as_secs()))
    }

    /// The bytes that may wait for the sockets of an address.
    pub(crate) fn waiting(&self, address: IpAddr) -> Arc<Semaphore> {
        let mut waiting = self.waiting.lock().expect("nobody panics holding it");
        let known = waiting.entry(network(address)).or_default();
        known.upgrade().unwrap_or_else(|| {
            let bytes = Arc::new(Semaphore::new(self.waiting_bytes));
            *known = Arc::downgrade(&bytes);
            bytes
        })
    }

    /// One more guest from an address.
    pub(crate) fn guest(&self, address: IpAddr) -> Result<(), Problem> {
        let address = network(address).to_string();
        Self::check(&self.guests, (&address, 1), "guests from this address")
    }

    /// One more thing that takes the machine long.
    pub(crate) fn heavy(&self, address: IpAddr) -> Result<(), Problem> {
        let address = network(address).to_string();
        Self::check(&self.heavy, (&address, 1), "requests that take long")
    }

    /// A turn of work that takes long, to be kept until it is done: there are few at once, whoever
    /// asks for them.
    pub(crate) async fn turn(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let turn = tokio::time::timeout(WAITS, self.turns.clone().acquire_owned()).await;
        let turn = turn.ok().and_then(Result::ok);
        turn.ok_or_else(|| Problem::too_many("too many requests that take long", WAITS.as_secs()))
    }

    /// One more socket from an address.
    pub(crate) fn socket(&self, address: IpAddr, most: u32) -> Result<(One, Place), Problem> {
        let full = || Problem::too_many("too many sockets are open", 10);
        let one = self.sockets.one().ok_or_else(full)?;
        Ok((one, self.per_address.one(network(address), most).ok_or_else(full)?))
    }

    /// Forgets who has not asked for a while.
    pub(crate) fn sweep(&self) {
        for limiter in [&self.asks, &self.of_address, &self.guests, &self.heavy] {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
        let mut waiting = self.waiting.lock().expect("nobody panics holding it");
        waiting.retain(|_, bytes| bytes.strong_count() > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_the_new_kind_counts_with_its_network() {
        let of = |text: &str| network(text.parse().expect("an address")).to_string();
        assert_eq!(of("192.0.2.7"), "192.0.2.7");
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(of("2001:db8:1:2:ffff::1"), of("2001:db8:1:2::9"));
        assert_ne!(of("2001:db8:1:3::1"), of("2001:db8:1:2::1"));
    }
}
