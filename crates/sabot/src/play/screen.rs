//! The table on a full screen, by keyboard and mouse.

mod cards;
mod draw;
mod keys;
mod page;
mod reasons;
mod scoreboard;
#[cfg(test)]
mod tests;
mod theme;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use anyhow::Result;
use ratatui::crossterm::event::{Event, KeyEventKind};
use ratatui::layout::Rect;
use rules::{Cents, Spot};

pub(crate) use self::theme::Theme;
use super::deal::Cards;
use super::seat::{Kind, Moved, Seat, Wait};
use super::terminal::Screen;
use crate::cli::Speed;

/// Something on the screen that can be clicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    Spot(Spot),
    Chip(usize),
    Order(&'static str),
    LogLine(usize),
    Page(&'static str),
    Cut(u32),
}

/// Something to read that lies over the table.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) scroll: u16,
}

/// The reasons, one thing at a time: the spots and what happened last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reasons {
    pub(crate) chosen: usize,
}

/// What the screen shows beyond the table itself.
pub(crate) struct State {
    pub(crate) theme: Theme,
    pub(crate) wait: Option<Wait>,
    pub(crate) spot: usize,
    pub(crate) chip: usize,
    pub(crate) cut: u32,
    /// How far the cards in hand are squeezed.
    pub(crate) squeeze: u8,
    pub(crate) page: Option<Page>,
    pub(crate) reasons: Option<Reasons>,
    /// An order that is being typed.
    pub(crate) order: Option<String>,
    /// When the time for wagers ends.
    pub(crate) deadline: Option<Instant>,
    pub(crate) clock: Option<Duration>,
    pub(crate) hits: Vec<(Rect, Hit)>,
    pub(crate) leaving: Option<Leaving>,
    /// The person deals.
    pub(crate) dealer: Option<Dealer>,
    /// Whether the window is large enough to show the table. If not, nothing is bet or dealt.
    pub(crate) fits: bool,
    speed: Speed,
}

/// How the person deals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dealer {
    /// From the system's shoe, or with real cards that are keyed in.
    pub(crate) cards: Cards,
}

/// How the person goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// The session is kept.
    Quit,
    /// For good.
    Left,
}

/// The chips that can be placed.
pub(crate) const CHIPS: [u64; 5] = [5, 10, 25, 100, 500];

pub(crate) fn chip(index: usize) -> Cents {
    Cents::new(CHIPS[index.min(CHIPS.len() - 1)] * 100).unwrap_or(Cents::ZERO)
}

impl State {
    pub(crate) fn new(theme: Theme, speed: Speed, clock: Option<u16>) -> Self {
        Self {
            theme,
            wait: None,
            spot: usize::MAX,
            chip: 2,
            cut: 0,
            squeeze: 0,
            page: None,
            reasons: None,
            order: None,
            deadline: None,
            clock: clock.map(|seconds| Duration::from_secs(seconds.into())),
            hits: Vec::new(),
            leaving: None,
            dealer: None,
            fits: true,
            speed,
        }
    }

    fn delay(&self) -> Duration {
        Duration::from_millis(match self.speed {
            Speed::Slow => 1000,
            Speed::Normal => 400,
            Speed::Fast => 120,
            Speed::Instant => 0,
        })
    }
}

/// Plays until the person goes. Gives whether they left for good.
pub(crate) fn run(desk: &mut dyn Seat, mut state: State, notes: &Path) -> Result<bool> {
    let mut screen = Screen::take(notes)?;
    let played = play(&mut screen, desk, &mut state);
    drop(screen);
    played.map(|()| state.leaving == Some(Leaving::Left))
}

/// How often it is looked whether the program is to end.
const LOOK: Duration = Duration::from_millis(200);
/// How often it is looked what happened at a table that goes on by itself.
const GLANCE: Duration = Duration::from_millis(40);

fn play(screen: &mut Screen, desk: &mut dyn Seat, state: &mut State) -> Result<()> {
    let mut not_before = Instant::now();
    if state.dealer.is_some() {
        // A dealer types; the line is always open.
        state.order = Some(String::new());
        state.wait = Some(Wait::Wagers);
    }
    while state.leaving.is_none() {
        if desk.runs_by_itself() {
            advance(desk, state)?;
        }
        let drawn = screen.terminal.draw(|frame| draw::draw(frame, desk, state)).is_ok();
        // A terminal that takes no output is gone, and with it the person.
        if screen.ended.load(Ordering::Relaxed) || !drawn {
            state.leaving = Some(Leaving::Quit);
            break;
        }
        let since = Instant::now();
        let patience = match state.wait {
            _ if desk.runs_by_itself() => GLANCE,
            None if state.fits => not_before.saturating_duration_since(since).min(LOOK),
            None | Some(_) => LOOK,
        };
        let happened = match screen.events.recv_timeout(patience) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                state.leaving = Some(Leaving::Quit);
                break;
            }
        };
        if !state.fits {
            // Nobody sees the clock, so it stands.
            state.deadline = state.deadline.map(|deadline| deadline + since.elapsed());
        }
        match happened {
            Some(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                // A key in the middle of a deal brings the next card at once.
                not_before = Instant::now();
                keys::key(desk, state, key)?;
            }
            Some(Event::Mouse(mouse)) => keys::mouse(desk, state, mouse)?,
            _ => {}
        }
        if happened.is_some() || desk.runs_by_itself() {
            continue;
        }
        if !state.fits || (state.wait.is_none() && Instant::now() < not_before) {
            continue;
        }
        if state.wait.is_none() {
            let shown = advance(desk, state)?;
            not_before = Instant::now() + if shown { state.delay() } else { Duration::ZERO };
        } else if state.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            time_is_up(desk, state)?;
        }
    }
    Ok(())
}

/// Lets the table go on by one step; gives whether there is something new to look at.
pub(crate) fn advance(desk: &mut dyn Seat, state: &mut State) -> Result<bool> {
    let before = desk.log().len();
    match desk.advance()? {
        Moved::On => {}
        // A table that goes on by itself is asked often, and mostly waits as it did.
        Moved::Waits(wait) if state.wait == Some(wait) => {}
        Moved::Waits(wait) => {
            state.wait = Some(wait);
            state.squeeze = 0;
            if state.spot == usize::MAX {
                // The first chip goes on Player, wherever the layout has it.
                state.spot = desk.spots().iter().position(|s| *s == Spot::Player).unwrap_or(0);
            }
            let (least, most) = desk.cut_range();
            state.cut = least + most.saturating_sub(least) / 2;
            let clock = state.clock.filter(|_| wait == Wait::Wagers);
            state.deadline = clock.map(|clock| Instant::now() + clock);
        }
    }
    if desk.runs_by_itself() {
        state.deadline = desk.until();
    }
    Ok(desk.log()[before..].iter().any(|entry| matches!(entry.kind, Kind::Play | Kind::Call)))
}

/// The time for wagers is over: the coup is dealt, if there is anything to deal for.
fn time_is_up(desk: &mut dyn Seat, state: &mut State) -> Result<()> {
    let sight = desk.sight();
    if sight.spots.iter().all(|spot| spot.laid.is_empty()) && !sight.no_bet {
        desk.say("no wagers: the clock starts again".into());
        state.deadline = state.clock.map(|clock| Instant::now() + clock);
        return Ok(());
    }
    state.deadline = None;
    if desk.call()? {
        state.wait = None;
    } else {
        state.deadline = state.clock.map(|clock| Instant::now() + clock);
    }
    Ok(())
}
