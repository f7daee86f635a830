//! The terminal itself: taken for the full screen, and given back however the program ends.
//!
//! Signals that end the program end the table in order, and a panic puts the screen right first.
//! What no program can answer, such as `kill -9` or a crash of the machine, leaves a note behind:
//! whoever starts next at that terminal puts it right.
//!
//! Keys are read in a thread of their own. When a window is closed, the reader behind them never
//! comes back from a terminal that is gone; the table must end all the same.

use std::io::{IsTerminal, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::Result;
use ratatui::DefaultTerminal;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};

/// A full screen, for as long as this lives.
pub(crate) struct Screen {
    /// Never dropped: ratatui complains then on a terminal that is gone, and panics because it
    /// cannot.
    pub(crate) terminal: ManuallyDrop<DefaultTerminal>,
    /// Set when the system asks the program to end.
    pub(crate) ended: Arc<AtomicBool>,
    /// Keys, clicks and new sizes; it is closed when the terminal cannot be read.
    pub(crate) events: Receiver<Event>,
    note: Option<PathBuf>,
}

impl Screen {
    /// Takes the terminal; the note about it lies in that folder.
    pub(crate) fn take(notes: &Path) -> Result<Self> {
        let note = name().map(|name| notes.join(name));
        if let Some(note) = &note {
            // Without a note the screen works as well.
            let _ = std::fs::create_dir_all(notes);
            let _ = std::fs::write(note, std::process::id().to_string());
        }
        let ended = Arc::new(AtomicBool::new(false));
        let asked = ended.clone();
        // Without a handler the note helps the next who starts here.
        let _ = crate::stop::when_told(move || asked.store(true, Ordering::Relaxed));
        let terminal = ManuallyDrop::new(ratatui::try_init()?);
        mouse_off_on_panic(note.clone());
        let _ = execute!(std::io::stdout(), EnableMouseCapture);
        Ok(Self { terminal, ended, events: events(), note })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = execute!(std::io::stdout(), DisableMouseCapture, Show);
        // Where the terminal is gone, nobody is left to be told that it was not put right.
        let _ = ratatui::try_restore();
        forget(self.note.as_deref());
    }
}

/// What is typed and clicked, for as long as somebody takes it.
fn events() -> Receiver<Event> {
    let (sender, events) = channel();
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            if sender.send(event).is_err() {
                break;
            }
        }
    });
    events
}

fn forget(note: Option<&Path>) {
    if let Some(note) = note {
        // What is not there need not be taken away.
        let _ = std::fs::remove_file(note);
    }
}

/// What ratatui does on a panic knows nothing of the mouse.
fn mouse_off_on_panic(note: Option<PathBuf>) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let _ = execute!(std::io::stdout(), DisableMouseCapture, Show);
        forget(note.as_deref());
        before(panic);
    }));
}

/// Puts a terminal right that a killed full screen left as it was. Gives whether there was one.
pub(crate) fn put_right(notes: &Path) -> bool {
    let Some(note) = name().map(|name| notes.join(name)) else { return false };
    let Ok(process) = std::fs::read_to_string(&note) else { return false };
    if is_running(process.trim()) {
        return false;
    }
    let mut out = std::io::stdout();
    let _ = execute!(out, DisableMouseCapture, LeaveAlternateScreen, Show);
    let _ = out.flush();
    let _ = said("stty", &["sane"]);
    // What the mouse said meanwhile was for nobody.
    if enable_raw_mode().is_ok() {
        while event::poll(Duration::from_millis(50)).unwrap_or(false) {
            let _ = event::read();
        }
        let _ = disable_raw_mode();
    }
    forget(Some(&note));
    true
}

/// The terminal's name, as that of a file.
fn name() -> Option<String> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return None;
    }
    let name = said("tty", &[])?;
    Some(name.trim().trim_start_matches('/').replace('/', "-"))
}

/// Whether a process runs.
fn is_running(process: &str) -> bool {
    process.parse::<u32>().is_ok() && said("kill", &["-0", process]).is_some()
}

/// What one of the system's own commands says of this terminal, if it goes well.
fn said(command: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(command);
    command.args(arguments).stdin(Stdio::inherit()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}
