//! Waiting for a file that another program holds is said while it lasts, and not only afterwards.

use std::sync::OnceLock;

use crate::writer::PATIENCE;

static SAY: OnceLock<fn(&str)> = OnceLock::new();

/// Has it said whenever a log is waited for. Who asks first is heard.
pub fn when_waiting(say: fn(&str)) {
    let _ = SAY.set(say);
}

/// One wait, which is said once.
#[derive(Default)]
pub(crate) struct Waiting {
    said: bool,
}

impl Waiting {
    pub(crate) fn say(&mut self) {
        if let Some(say) = SAY.get().filter(|_| !self.said) {
            let seconds = PATIENCE.as_secs();
            say(&format!("another program holds the log; waiting for it, {seconds} s at the most"));
        }
        self.said = true;
    }
}
