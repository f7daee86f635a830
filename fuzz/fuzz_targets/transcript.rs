//! Any text as a transcript: it may be refused, but nothing panics.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| testkit::read_transcript(bytes));
