//! What the house watches: counts and times, in the form that Prometheus reads.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// Bounds of the buckets for times, in microseconds.
const BOUNDS: [u64; 10] =
    [250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 500_000, 2_500_000];

/// Times, by bucket.
#[derive(Debug, Default)]
pub(crate) struct Times {
    buckets: [AtomicU64; BOUNDS.len() + 1],
    sum: AtomicU64,
}

impl Times {
    pub(crate) fn note(&self, time: Duration) {
        let time = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.iter().position(|bound| time <= *bound).unwrap_or(BOUNDS.len());
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(time, Ordering::Relaxed);
    }

    #[expect(clippy::cast_precision_loss, reason = "a bound is a small number")]
    fn write(&self, name: &str, about: &str, into: &mut String) {
        let _ = writeln!(into, "# HELP {name} {about}\n# TYPE {name} histogram");
        let mut all = 0;
        for (bucket, bound) in self.buckets.iter().zip(BOUNDS) {
            all += bucket.load(Ordering::Relaxed);
            let _ = writeln!(into, "{name}_bucket{{le=\"{}\"}} {all}", bound as f64 / 1e6);
        }
        all += self.buckets[BOUNDS.len()].load(Ordering::Relaxed);
        let sum = self.sum.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(
            into,
            "{name}_bucket{{le=\"+Inf\"}} {all}\n{name}_sum {sum}\n{name}_count {all}"
        );
    }
}

/// All that is counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub(crate) requests: AtomicU64,
    pub(crate) problems: AtomicU64,
    pub(crate) failures: AtomicU64,
    pub(crate) orders: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) sockets: AtomicI64,
    pub(crate) sent: AtomicU64,
    pub(crate) resynchronised: AtomicU64,
    pub(crate) order_times: Times,
}

impl Metrics {
    pub(crate) fn add(count: &AtomicU64) {
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// The page that a collector reads; what floor and hub count is given.
    pub(crate) fn page(&self, tables: usize, alarms: usize, watched: usize) -> String {
        let mut text = String::new();
        let of = |count: &AtomicU64| i128::from(count.load(Ordering::Relaxed));
        let rows = [
            ("sabot_requests_total", "counter", "requests answered", of(&self.requests)),
            ("sabot_problems_total", "counter", "requests that were refused", of(&self.problems)),
            ("sabot_failures_total", "counter", "requests that failed", of(&self.failures)),
            ("sabot_orders_total", "counter", "orders given to the floor", of(&self.orders)),
            ("sabot_refusals_total", "counter", "orders that were refused", of(&self.refused)),
            ("sabot_messages_total", "counter", "messages sent to sockets", of(&self.sent)),
            (
                "sabot_resynchronised_total",
                "counter",
                "slow readers that were given a fresh view",
                of(&self.resynchronised),
            ),
            (
                "sabot_sockets",
                "gauge",
                "sockets that are open",
                self.sockets.load(Ordering::Relaxed).into(),
            ),
            ("sabot_tables", "gauge", "tables that run", tables as i128),
            ("sabot_alarms", "gauge", "what is wrong with the log or a table", alarms as i128),
            ("sabot_watched", "gauge", "pairs of table and role watched", watched as i128),
        ];
        for (name, kind, about, value) in rows {
            let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} {kind}\n{name} {value}");
        }
        self.order_times.write("sabot_order_seconds", "from order to answer", &mut text);
        text
    }
}
