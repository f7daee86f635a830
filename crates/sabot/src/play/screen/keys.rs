//! What keys and clicks do.

use anyhow::Result;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use super::{CHIPS, Hit, Leaving, Page, Reasons, State, chip, reasons};
use crate::play::desk::{Desk, Wait};
use crate::play::orders::{self, Reply};
use crate::play::{deal, pages, squeeze};

/// Every key: what it is called, and what it does.
pub(crate) const KEYS: &[(&str, &str)] = &[
    ("← →", "choose a spot, or the depth of the cut"),
    ("↑ ↓", "choose a chip"),
    ("Enter, Space", "place the chip on the spot, cut, or squeeze the cards"),
    ("1 to 7", "place the chip on that spot"),
    ("d", "deal: no more bets"),
    ("r", "rebet"),
    ("x", "double"),
    ("u, Backspace", "undo"),
    ("c", "clear all wagers"),
    ("n", "ask for a coup without wagers"),
    ("$", "new play money, when you have run out"),
    ("s", "squeeze the cards in your hand"),
    ("t", "turn them"),
    ("o", "decline the cut, or refuse the cards"),
    ("f", "have cards dealt face down, or face up again"),
    ("w", "why? the clause behind anything that is shown"),
    ("g", "the sign: wagers, payouts, limits"),
    ("b", "the roads as text"),
    ("p", "the proof of the shoe"),
    ("l", "the log"),
    (":", "type an order, such as `bet 35 tie` or `players 3`"),
    ("?", "this page"),
    ("q", "quit; the session is kept"),
    ("L twice", "leave the table for good"),
    ("mouse", "click spots, chips and words; the right button asks why"),
];

/// The keys as a page.
pub(crate) fn page() -> String {
    let mut text = String::new();
    for (key, about) in KEYS {
        text += &format!("  {key:<14} {about}\n");
    }
    text + "\n  Orders that can be typed behind `:`\n" + &orders::help()
}

pub(crate) fn key(desk: &mut Desk, state: &mut State, key: KeyEvent) -> Result<()> {
    if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
        state.leaving = Some(Leaving::Quit);
        return Ok(());
    }
    if let Some(chosen) = state.reasons.map(|reasons| reasons.chosen) {
        reading_reasons(desk, state, key.code, chosen);
        return Ok(());
    }
    if state.page.is_some() {
        reading(state, key.code);
        return Ok(());
    }
    match (state.dealer, &state.order) {
        (Some(dealer), Some(_)) => return dealing(desk, state, key.code, dealer.system),
        (None, Some(_)) => return typing(desk, state, key.code),
        (_, None) => {}
    }
    if !matches!(key.code, KeyCode::Char('L' | 'd')) {
        state.sure = None;
    }
    match key.code {
        KeyCode::Char(':') => state.order = Some(String::new()),
        KeyCode::Char('?' | 'h') | KeyCode::F(1) => open(state, "keys", page()),
        KeyCode::Char('w') => state.reasons = Some(Reasons { chosen: 0 }),
        KeyCode::Char('g') => open(state, "the sign", pages::sign(desk)),
        KeyCode::Char('b') => open(state, "roads", pages::roads(desk)),
        KeyCode::Char('p') => open(state, "the shoe", pages::shoe(desk)),
        KeyCode::Char('l') => {
            open(state, "log", pages::log(desk, 200));
            // The newest is what is looked for.
            state.page.iter_mut().for_each(|page| page.scroll = u16::MAX);
        }
        KeyCode::Char('q') => state.leaving = Some(Leaving::Quit),
        KeyCode::Char('L') if state.sure == Some('L') => leave(desk, state)?,
        KeyCode::Char('L') => {
            state.sure = Some('L');
            desk.say("leave for good? L again does, and publishes the shoe; q keeps the session");
        }
        KeyCode::Char('f') => {
            let down = !desk.table().is_face_down();
            desk.face(down)?;
        }
        code => match state.wait {
            Some(Wait::Wagers) => wagering(desk, state, code)?,
            Some(Wait::Cut) => cutting(desk, state, code)?,
            Some(Wait::Turn { .. }) => turning(desk, state, code)?,
            Some(Wait::Over) | None => {}
        },
    }
    Ok(())
}

fn open(state: &mut State, title: &str, text: String) {
    state.page = Some(Page { title: title.into(), text, scroll: 0 });
}

fn wagering(desk: &mut Desk, state: &mut State, code: KeyCode) -> Result<()> {
    let spots = desk.spots();
    match code {
        KeyCode::Left => state.spot = (state.spot + spots.len() - 1) % spots.len(),
        KeyCode::Right | KeyCode::Tab => state.spot = (state.spot + 1) % spots.len(),
        KeyCode::Up => state.chip = (state.chip + 1).min(CHIPS.len() - 1),
        KeyCode::Down => state.chip = state.chip.saturating_sub(1),
        KeyCode::Enter | KeyCode::Char(' ') => {
            desk.bet(spots[state.spot % spots.len()], chip(state.chip))?;
        }
        KeyCode::Char(digit @ '1'..='9') => {
            let which = digit as usize - '1' as usize;
            if let Some(spot) = spots.get(which) {
                state.spot = which;
                desk.bet(*spot, chip(state.chip))?;
            } else {
                desk.say(format!("the spots are 1 to {}", spots.len()));
            }
        }
        KeyCode::Char('d') => deal(desk, state)?,
        KeyCode::Char('r') => desk.rebet()?,
        KeyCode::Char('x') => desk.double()?,
        KeyCode::Char('u') | KeyCode::Backspace => desk.undo()?,
        KeyCode::Char('c') | KeyCode::Delete => desk.clear()?,
        KeyCode::Char('n') => desk.no_bet()?,
        KeyCode::Char('$') => desk.fresh_chips()?,
        KeyCode::Char(other) => unknown(desk, other, Wait::Wagers),
        _ => {}
    }
    Ok(())
}

fn unknown(desk: &mut Desk, key: char, wait: Wait) {
    desk.say(format!("`{key}` does nothing here; ? lists the keys. {}", orders::suggest(wait)));
}

fn deal(desk: &mut Desk, state: &mut State) -> Result<()> {
    let idle = desk.mine().next().is_none() && !desk.table().is_no_bet();
    if idle && state.sure != Some('d') {
        state.sure = Some('d');
        desk.say("you have no wager; d again deals without one");
        return Ok(());
    }
    state.sure = None;
    if desk.call()? {
        state.wait = None;
        state.deadline = None;
    }
    Ok(())
}

fn cutting(desk: &mut Desk, state: &mut State, code: KeyCode) -> Result<()> {
    let (least, most) = desk.cut_range();
    match code {
        KeyCode::Left => state.cut = state.cut.saturating_sub(4).max(least),
        KeyCode::Right => state.cut = (state.cut + 4).min(most),
        KeyCode::Down => state.cut = state.cut.saturating_sub(1).max(least),
        KeyCode::Up => state.cut = (state.cut + 1).min(most),
        KeyCode::Enter | KeyCode::Char(' ') => {
            desk.cut(Some(state.cut))?;
            state.wait = None;
        }
        KeyCode::Char('o') => {
            desk.decline_cut()?;
            state.wait = None;
        }
        KeyCode::Char(other) => unknown(desk, other, Wait::Cut),
        _ => {}
    }
    Ok(())
}

fn turning(desk: &mut Desk, state: &mut State, code: KeyCode) -> Result<()> {
    let Some(Wait::Turn { side, third }) = state.wait else { return Ok(()) };
    match code {
        KeyCode::Char('s' | ' ') | KeyCode::Enter if state.squeeze + 1 < squeeze::STEPS => {
            state.squeeze += 1;
        }
        KeyCode::Char('s' | ' ' | 't') | KeyCode::Enter => {
            desk.turn(side, third)?;
            state.wait = None;
        }
        KeyCode::Char('o') => {
            desk.refuse_cards()?;
            state.wait = None;
        }
        KeyCode::Char(other) => unknown(desk, other, Wait::Turn { side, third }),
        _ => {}
    }
    Ok(())
}

fn leave(desk: &mut Desk, state: &mut State) -> Result<()> {
    desk.leave()?;
    state.leaving = Some(Leaving::Left);
    Ok(())
}

/// What a dealer types: a line, judged; an empty one does what is due.
fn dealing(desk: &mut Desk, state: &mut State, code: KeyCode, system: bool) -> Result<()> {
    let Some(order) = &mut state.order else { return Ok(()) };
    match code {
        KeyCode::Esc => order.clear(),
        KeyCode::Backspace => drop(order.pop()),
        KeyCode::Char(letter) if order.len() < 200 => order.push(letter),
        KeyCode::F(1) => open(state, "dealing", deal::HELP.into()),
        KeyCode::Enter => {
            let order = std::mem::take(order);
            match deal::obey(desk, &order, system)? {
                Reply::Done => deal::others(desk, system)?,
                Reply::Page(text) => open(state, &order, text),
                Reply::Help(help) if help.chars().count() > 150 => open(state, &order, help),
                Reply::Help(help) => desk.say(help),
                Reply::Quit => state.leaving = Some(Leaving::Quit),
                Reply::Leave => leave(desk, state)?,
            }
        }
        _ => {}
    }
    Ok(())
}

fn typing(desk: &mut Desk, state: &mut State, code: KeyCode) -> Result<()> {
    let Some(order) = &mut state.order else { return Ok(()) };
    match code {
        KeyCode::Esc => state.order = None,
        KeyCode::Backspace if order.pop().is_none() => {
            state.order = None;
        }
        KeyCode::Char(letter) if order.len() < 200 => order.push(letter),
        KeyCode::Enter => {
            let order = state.order.take().unwrap_or_default();
            obey(desk, state, &order)?;
        }
        _ => {}
    }
    Ok(())
}

fn obey(desk: &mut Desk, state: &mut State, order: &str) -> Result<()> {
    let Some(wait) = state.wait else {
        desk.say("the table is busy; a moment");
        return Ok(());
    };
    match orders::obey(desk, wait, order)? {
        // Whom the table waits for now is asked anew.
        Reply::Done => state.wait = None,
        Reply::Page(text) => open(state, order, text),
        Reply::Help(help) => desk.say(help),
        Reply::Quit => state.leaving = Some(Leaving::Quit),
        Reply::Leave => leave(desk, state)?,
    }
    Ok(())
}

fn reading(state: &mut State, code: KeyCode) {
    let Some(page) = &mut state.page else { return };
    match code {
        KeyCode::End => page.scroll = u16::MAX,
        KeyCode::Home => page.scroll = 0,
        KeyCode::Down | KeyCode::Char('j') => page.scroll = page.scroll.saturating_add(1),
        KeyCode::Up | KeyCode::Char('k') => page.scroll = page.scroll.saturating_sub(1),
        KeyCode::PageDown | KeyCode::Char(' ') => page.scroll = page.scroll.saturating_add(10),
        KeyCode::PageUp => page.scroll = page.scroll.saturating_sub(10),
        _ => state.page = None,
    }
}

fn reading_reasons(desk: &Desk, state: &mut State, code: KeyCode, chosen: usize) {
    let last = reasons::things(desk).len().saturating_sub(1);
    let chosen = match code {
        KeyCode::Down | KeyCode::Char('j') => (chosen + 1).min(last),
        KeyCode::Up | KeyCode::Char('k') => chosen.saturating_sub(1),
        KeyCode::PageDown => (chosen + 10).min(last),
        KeyCode::PageUp => chosen.saturating_sub(10),
        KeyCode::End => last,
        KeyCode::Home => 0,
        _ => {
            state.reasons = None;
            return;
        }
    };
    state.reasons = Some(Reasons { chosen });
}

pub(crate) fn mouse(desk: &mut Desk, state: &mut State, mouse: MouseEvent) -> Result<()> {
    let at = Position { x: mouse.column, y: mouse.row };
    let hit = state.hits.iter().rev().find(|(area, _)| area.contains(at)).map(|(_, hit)| *hit);
    let why = match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) => false,
        MouseEventKind::Down(MouseButton::Right) => true,
        MouseEventKind::ScrollDown => {
            if let Some(page) = &mut state.page {
                page.scroll = page.scroll.saturating_add(2);
            }
            return Ok(());
        }
        MouseEventKind::ScrollUp => {
            if let Some(page) = &mut state.page {
                page.scroll = page.scroll.saturating_sub(2);
            }
            return Ok(());
        }
        _ => return Ok(()),
    };
    if state.page.take().is_some() || state.reasons.take().is_some() {
        return Ok(());
    }
    match (hit, why) {
        (Some(Hit::Spot(spot)), true) => {
            state.reasons = Some(Reasons { chosen: reasons::place_of_spot(desk, spot) });
        }
        (Some(Hit::Spot(spot)), false)
            if state.wait == Some(Wait::Wagers) && state.dealer.is_none() =>
        {
            state.spot = desk.spots().iter().position(|other| *other == spot).unwrap_or(0);
            desk.bet(spot, chip(state.chip))?;
        }
        (Some(Hit::Chip(which)), _) => state.chip = which,
        (Some(Hit::Entry(entry)), _) => {
            state.reasons = Some(Reasons { chosen: reasons::place(desk, entry) });
        }
        (Some(Hit::Page("roads")), _) => open(state, "roads", pages::roads(desk)),
        (Some(Hit::Page("shoe")), _) => open(state, "the shoe", pages::shoe(desk)),
        (Some(Hit::Page(_)), _) => open(state, "the sign", pages::sign(desk)),
        (Some(Hit::Cut(depth)), _) if state.wait == Some(Wait::Cut) => state.cut = depth,
        (Some(Hit::Order(word)), _) if state.dealer.is_none() => button(desk, state, word)?,
        _ => {}
    }
    Ok(())
}

/// The words at the foot of the screen are the keys.
fn button(desk: &mut Desk, state: &mut State, word: &'static str) -> Result<()> {
    let code = match word {
        "cut" | "place" => KeyCode::Enter,
        word => KeyCode::Char(word.chars().next().unwrap_or('?')),
    };
    key(desk, state, KeyEvent::new(code, KeyModifiers::NONE))
}
