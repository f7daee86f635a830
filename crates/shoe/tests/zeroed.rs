//! What a shoe keeps secret is gone from the process's memory when the shoe is.
//!
//! The test reads its own memory as a thief would. It keeps what it looks for masked, so that it
//! does not find itself.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use shoe::{Secret, Shoe};

const MASK: u8 = 0x5a;
const NEEDLE: usize = 48;

/// The writable memory of this process. All that a search needs is made before anything is given
/// back: what lies in memory that was given back is not written over by the search itself.
struct Search {
    parts: Vec<Range<u64>>,
    memory: File,
    page: Vec<u8>,
}

impl Search {
    fn new() -> Self {
        let page = vec![0_u8; 1 << 16];
        let start = page.as_ptr() as u64;
        let own = start..start + page.len() as u64;
        let mut parts = Vec::with_capacity(1024);
        for line in fs::read_to_string("/proc/self/maps").unwrap().lines() {
            let mut words = line.split_whitespace();
            let (range, rights) = (words.next().unwrap(), words.next().unwrap());
            if !rights.starts_with("rw") {
                continue;
            }
            let (from, to) = range.split_once('-').unwrap();
            let of = |address| u64::from_str_radix(address, 16).unwrap();
            // What was read lies in the page itself, which is left out.
            parts.extend([of(from)..of(to).min(own.start), of(from).max(own.end)..of(to)]);
        }
        Self { parts, memory: File::open("/proc/self/mem").unwrap(), page }
    }

    /// How often something lies there.
    fn found(&mut self, masked: &[u8]) -> usize {
        let Self { parts, memory, page } = self;
        parts.iter().map(|part| found_in(memory, part, masked, page)).sum()
    }
}

fn found_in(memory: &mut File, part: &Range<u64>, masked: &[u8], page: &mut [u8]) -> usize {
    let holds = |bytes: &&[u8]| bytes.iter().zip(masked).all(|(b, m)| b ^ MASK == *m);
    let (mut at, mut count) = (part.start, 0);
    while at + masked.len() as u64 <= part.end {
        let wanted = page.len().min(usize::try_from(part.end - at).unwrap());
        memory.seek(SeekFrom::Start(at)).unwrap();
        if memory.read_exact(&mut page[..wanted]).is_err() {
            break;
        }
        count += page[..wanted].windows(masked.len()).filter(holds).count();
        // The next block begins where something that is cut in two is whole.
        at += (wanted - masked.len() + 1) as u64;
    }
    page.fill(0);
    count
}

/// Entropy that the test knows without keeping it: a counter, stirred.
fn byte(seed: u64, at: usize) -> u8 {
    let stirred = (seed + at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    stirred.wrapping_mul(0xbf58_476d_1ce4_e5b9).to_be_bytes()[2]
}

fn drawn(seed: u64) -> Secret {
    let Ok::<_, std::convert::Infallible>(secret) = Secret::draw(|bytes| {
        bytes.iter_mut().enumerate().for_each(|(at, to)| *to = byte(seed, at));
        Ok(())
    });
    secret
}

#[test]
fn neither_secret_nor_order_outlives_its_shoe() {
    let masked: Vec<u8> = (1000..1000 + NEEDLE).map(|at| byte(7, at) ^ MASK).collect();
    let mut shoe = Shoe::first(drawn(7), 8, vec![b"a word".to_vec()]).unwrap();
    let mut search = Search::new();
    assert!(search.found(&masked) > 0, "the search must find what is there");
    shoe.cut(100).unwrap();
    let mut order = Vec::new();
    for _ in 0..NEEDLE {
        let index = shoe.take().unwrap();
        order.push(u8::try_from(shoe.open(index).unwrap().card.index()).unwrap() ^ MASK);
    }
    let mut search = Search::new();
    assert!(search.found(&order) > 0, "the search must find what is there");
    drop(shoe);
    assert_eq!(search.found(&masked), 0, "the secret outlives its shoe");
    assert_eq!(search.found(&order), 0, "the order outlives its shoe");
}
