//! Chance for everything but the cards: what simulated players do, where they cut, what is asked.

/// Where chance comes from.
#[derive(Clone, Debug)]
pub(crate) enum Chance {
    /// The operating system.
    System,
    /// A seed, so that a screen can be drawn twice.
    #[cfg(test)]
    Seeded(u64),
}

impl Chance {
    /// Fills bytes.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) -> Result<(), String> {
        match self {
            Self::System => getrandom::fill(bytes).map_err(|why| why.to_string()),
            #[cfg(test)]
            Self::Seeded(seed) => {
                *seed += 1;
                let filled = testkit::random_bytes(*seed, bytes.len());
                bytes.copy_from_slice(&filled[..bytes.len()]);
                Ok(())
            }
        }
    }

    /// A number below `n`, each with the same chance.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        let mut words = std::iter::from_fn(|| {
            let mut word = [0; 4];
            self.fill(&mut word).ok().map(|()| u32::from_be_bytes(word))
        });
        // Without a source the first choice is as good as any.
        shoe::below(n.max(1), &mut words).unwrap_or(0)
    }

    /// Brings things into any order.
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        let mut words = std::iter::from_fn(|| {
            let mut word = [0; 4];
            self.fill(&mut word).ok().map(|()| u32::from_be_bytes(word))
        });
        // Without a source the order stays, which is as good as any here.
        let _ = shoe::shuffle(things, &mut words);
    }
}
