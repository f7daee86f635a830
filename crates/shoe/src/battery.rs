//! The raw stream of shoes under tests for generators: a few of our own always, and the battery
//! `dieharder` where `SABOT_BATTERY` asks for it (`make long`).
//!
//! The entropy here is as poor as can be, a counter: what makes it look random is the stream.
#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

extern crate std;

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::string::String;
use std::vec::Vec;
use std::{eprintln, format};

use crate::words::stream;
use crate::{Digest, ENTROPY_BYTES};

/// The tests of the battery that its authors call good, by number, but for those that need hours.
const BATTERY: [&str; 17] = [
    "0", "1", "2", "3", "4", "8", "9", "10", "11", "12", "13", "15", "16", "100", "101", "205",
    "209",
];

/// How far from its mean a count may be, in standard deviations: once in ten thousand runs of all.
const FAR: f64 = 5.5;

/// The streams of one shoe after another, each from entropy that only counts.
fn shoes() -> impl Iterator<Item = Vec<u8>> {
    (0_u64..).map(|number| {
        let blocks = ENTROPY_BYTES as u64 / 32;
        let counted = (number * blocks..).map(|count| {
            let mut block = [0; 32];
            block[..8].copy_from_slice(&count.to_le_bytes());
            block
        });
        let entropy: Vec<u8> = counted.take(ENTROPY_BYTES / 32).flatten().collect();
        let commitment = Digest::of(&[&number.to_be_bytes()]);
        stream(&entropy, &commitment, &[], &Vec::new()).to_vec()
    })
}

/// How far chi-square is from its mean, in standard deviations.
fn chi_square(counts: &[u64]) -> f64 {
    let all: u64 = counts.iter().sum();
    let cells = counts.len() as f64;
    let each = all as f64 / cells;
    let sum: f64 = counts.iter().map(|&count| (count as f64 - each).powi(2) / each).sum();
    (sum - (cells - 1.0)) / (2.0 * (cells - 1.0)).sqrt()
}

/// What the tests of our own find far from what chance gives: the name of each, and how far.
fn far_off(bytes: &[u8]) -> Vec<(String, f64)> {
    let bits = bytes.len() as f64 * 8.0;
    let mut found = Vec::new();
    let mut note = |name: String, far: f64| {
        if far.abs() > FAR {
            found.push((name, far));
        }
    };
    let ones: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
    note("ones".into(), (f64::from(ones) - bits / 2.0) / (bits / 4.0).sqrt());
    let mut values = [0; 256];
    let mut pairs = std::vec![0; 65_536];
    for pair in bytes.chunks_exact(2) {
        values[usize::from(pair[0])] += 1;
        values[usize::from(pair[1])] += 1;
        pairs[usize::from(pair[0]) << 8 | usize::from(pair[1])] += 1;
    }
    note("bytes".into(), chi_square(&values));
    note("pairs of bytes".into(), chi_square(&pairs));
    // Bits that are as they were some bytes before: words, blocks of the hash, whole shoes.
    for lag in [1, 2, 3, 4, 8, 16, 32, 64, 128, ENTROPY_BYTES] {
        let same = bytes.iter().zip(&bytes[lag..]).map(|(a, b)| (a ^ b).count_zeros());
        let (same, of) = (same.sum::<u32>(), (bytes.len() - lag) as f64 * 8.0);
        note(format!("{lag} bytes apart"), (f64::from(same) - of / 2.0) / (of / 4.0).sqrt());
    }
    found
}

/// Eight mebibytes of something.
fn so_many(source: impl Iterator<Item = u8>) -> Vec<u8> {
    source.take(8 << 20).collect()
}

#[test]
fn the_raw_stream_passes_the_battery() {
    let found = far_off(&so_many(shoes().flatten()));
    assert!(found.is_empty(), "{found:?}");
    if std::env::var_os("SABOT_BATTERY").is_some() {
        dieharder();
    }
}

#[test]
fn streams_that_are_weak_are_caught() {
    let counter = so_many((0_u64..).flat_map(u64::to_le_bytes));
    assert!(!far_off(&counter).is_empty(), "a counter passes");
    let good = so_many(shoes().flatten());
    // One bit of every 256 bytes is always set.
    let mut stuck = good.clone();
    stuck.iter_mut().step_by(256).for_each(|byte| *byte |= 1);
    assert!(!far_off(&stuck).is_empty(), "a stuck bit passes");
    // Every shoe has the stream of the first.
    let again = so_many(good[..ENTROPY_BYTES].iter().copied().cycle());
    assert!(!far_off(&again).is_empty(), "a stream that repeats itself passes");
    // A block of the hash comes twice, once in a while.
    let mut twice = good;
    for chunk in twice.chunks_exact_mut(ENTROPY_BYTES) {
        chunk.copy_within(0..32, 32);
    }
    assert!(!far_off(&twice).is_empty(), "a block that comes twice passes");
}

/// Runs each test of the battery over streams of its own.
fn dieharder() {
    for test in BATTERY {
        let mut battery = Command::new("dieharder")
            .args(["-g", "200", "-d", test])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("dieharder is installed");
        let mut input = battery.stdin.take().expect("it reads");
        // It stops reading when it has seen enough.
        let writer = std::thread::spawn(move || {
            for shoe in shoes() {
                if input.write_all(&shoe).is_err() {
                    return;
                }
            }
        });
        let output = battery.wait_with_output().expect("it ends");
        writer.join().expect("it writes until nobody reads");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        eprintln!("{told}");
        assert!(told.contains("PASSED") || told.contains("WEAK"), "test {test} said nothing");
        assert!(!told.contains("FAILED"), "the stream fails test {test} of the battery");
    }
}
