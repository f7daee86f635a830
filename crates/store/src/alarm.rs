//! Why nothing more is written: to the log, or to one stream of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// Why the writer takes nothing more, once it does not: of the log, or of one stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alarm {
    all: Arc<OnceLock<String>>,
    streams: Arc<Mutex<BTreeMap<String, String>>>,
}

impl Alarm {
    /// Nothing more is written to the log.
    pub(crate) fn raise(&self, why: String) {
        let _ = self.all.set(why);
    }

    /// Nothing more is written to a stream; the others go on.
    pub(crate) fn raise_of(&self, stream: &str, why: String) {
        let mut streams = self.streams.lock().expect("nobody panics holding it");
        streams.entry(stream.into()).or_insert(why);
    }

    pub(crate) fn get(&self) -> Option<&String> {
        self.all.get()
    }

    pub(crate) fn of(&self, stream: &str) -> Option<String> {
        self.streams.lock().expect("nobody panics holding it").get(stream).cloned()
    }

    /// Every stream that is not gone on with, and why.
    pub(crate) fn by_stream(&self) -> Vec<(String, String)> {
        let streams = self.streams.lock().expect("nobody panics holding it");
        streams.iter().map(|(stream, why)| (stream.clone(), why.clone())).collect()
    }
}
