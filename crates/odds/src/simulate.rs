//! Whole shoes, dealt as fast as they can be shuffled.
//!
//! Cards are bytes that have their value in the upper half, so that six of them are counted with a
//! few shifts and one look into a table: who draws, how many cards the coup takes, and which group
//! of payouts it falls in. Wagers are settled by that group. Shoes come in blocks, each with a
//! stream of random numbers of its own, and all that is gathered are sums of integers: so the same
//! seed gives the same figures for any number of threads or machines.

#[expect(clippy::inline_always, reason = "a block is compiled as a whole, see there")]
mod deal;
mod plan;
mod rounds;
#[expect(clippy::inline_always, reason = "part of a block, see deal")]
mod shuffle;
mod tally;

pub use deal::{BLOCK, rounds_of_block, simulate, simulate_block};
pub(crate) use plan::byte;
pub use plan::{Burning, Plan};
pub(crate) use rounds::rounds;
pub(crate) use shuffle::{ROOM, shuffle_room};
pub use shuffle::{reference_shuffle, shuffle_front, shuffle_many};
pub use tally::{Figures, Paths, Tally, WagerFigures};
