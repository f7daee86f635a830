//! A bound on everything: how often somebody may ask, and how much may be open at once.

use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::config::Config;
use crate::problem::Problem;

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

/// Who asks how often.
pub(crate) struct Bounds {
    asks: DefaultKeyedRateLimiter<String>,
    guests: DefaultKeyedRateLimiter<String>,
    heavy: DefaultKeyedRateLimiter<String>,
    turns: Arc<Semaphore>,
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
        Self {
            asks: limiter(
                Quota::per_second(rate(config.requests_per_second))
                    .allow_burst(rate(config.requests_per_second.saturating_mul(4))),
            ),
            guests: limiter(Quota::per_hour(rate(config.guests_per_hour))),
            heavy: limiter(Quota::per_second(rate(2)).allow_burst(rate(10))),
            // Tables and people keep the other half of the machine.
            turns: Arc::new(Semaphore::new((cores / 2).max(1))),
            sockets: Count::new(config.most_sockets),
            per_address: Counts::default(),
        }
    }

    fn check(
        limiter: &DefaultKeyedRateLimiter<String>,
        key: &str,
        what: &str,
    ) -> Result<(), Problem> {
        limiter.check_key(&key.to_owned()).map_err(|not_until| {
            let wait = not_until.wait_time_from(DefaultClock::default().now());
            Problem::too_many(format!("too many {what}"), wait.as_secs() + 1)
        })
    }

    /// One more request of somebody.
    pub(crate) fn ask(&self, who: &str) -> Result<(), Problem> {
        Self::check(&self.asks, who, "requests")
    }

    /// One more guest from an address.
    pub(crate) fn guest(&self, address: IpAddr) -> Result<(), Problem> {
        Self::check(&self.guests, &network(address).to_string(), "guests from this address")
    }

    /// One more thing that takes the machine long.
    pub(crate) fn heavy(&self, address: IpAddr) -> Result<(), Problem> {
        Self::check(&self.heavy, &network(address).to_string(), "requests that take long")
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
        for limiter in [&self.asks, &self.guests, &self.heavy] {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
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
