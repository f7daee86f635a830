//! A search of the process's own memory, as a thief would make it. What it looks for is kept
//! masked, so that it does not find itself.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

pub(crate) const MASK: u8 = 0x5a;

/// The writable memory of this process. All that a search needs is made before anything is given
/// back: what lies in memory that was given back is not written over by the search itself.
pub(crate) struct Search {
    parts: Vec<Range<u64>>,
    memory: File,
    page: Vec<u8>,
}

impl Search {
    pub(crate) fn new() -> Self {
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
    pub(crate) fn found(&mut self, masked: &[u8]) -> usize {
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
