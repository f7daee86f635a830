//! What a floor takes from outside: the time and random numbers. A test puts its own in place.

use std::sync::{Arc, Mutex};

/// Fills bytes with entropy.
type Fill = dyn FnMut(&mut [u8]) + Send;

/// The clock and the source of entropy of a floor.
#[derive(Clone, Default)]
pub struct World {
    clock: Option<Arc<Mutex<u64>>>,
    /// How far the house's clock is before UTC, in microseconds.
    ahead: i64,
    entropy: Option<Arc<Mutex<Box<Fill>>>>,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.clock.is_some() { "World(made)" } else { "World(real)" })
    }
}

impl World {
    /// The system's clock, and the operating system's entropy.
    #[must_use]
    pub fn real() -> Self {
        Self::default()
    }

    /// A clock that stands until it is set.
    #[must_use]
    pub fn with_clock(mut self, microseconds: u64) -> Self {
        self.clock = Some(Arc::new(Mutex::new(microseconds)));
        self
    }

    /// A clock that shows the house's own time, so many minutes before UTC.
    #[must_use]
    pub const fn with_offset(mut self, minutes: i32) -> Self {
        self.ahead = minutes as i64 * 60_000_000;
        self
    }

    /// Entropy from a function, for tests and simulations.
    #[must_use]
    pub fn with_entropy(mut self, fill: impl FnMut(&mut [u8]) + Send + 'static) -> Self {
        self.entropy = Some(Arc::new(Mutex::new(Box::new(fill))));
        self
    }

    /// Sets a clock of one's own; the system's is not set.
    pub fn set_clock(&self, microseconds: u64) {
        if let Some(clock) = &self.clock {
            *clock.lock().expect("nobody panics holding it") = microseconds;
        }
    }

    /// The time in microseconds, by the clock of the house: see [`World::with_offset`].
    #[must_use]
    pub fn now(&self) -> u64 {
        self.utc().saturating_add_signed(self.ahead)
    }

    /// The time in microseconds UTC.
    #[must_use]
    pub fn utc(&self) -> u64 {
        match &self.clock {
            Some(clock) => *clock.lock().expect("nobody panics holding it"),
            None => store::now(),
        }
    }

    /// Whether time passes by itself.
    #[must_use]
    pub const fn passes(&self) -> bool {
        self.clock.is_none()
    }

    /// Fills bytes with entropy.
    ///
    /// # Errors
    ///
    /// When the operating system gives none.
    pub fn fill(&self, bytes: &mut [u8]) -> Result<(), String> {
        match &self.entropy {
            Some(fill) => {
                (fill.lock().expect("nobody panics holding it"))(bytes);
                Ok(())
            }
            None => getrandom::fill(bytes).map_err(|why| why.to_string()),
        }
    }
}
