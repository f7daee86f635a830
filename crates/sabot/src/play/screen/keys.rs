//! What keys and clicks do.
#![expect(clippy::wildcard_enum_match_arm, reason = "a keyboard has more keys than a table")]

use anyhow::Result;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use super::{CHIPS, Hit, Leaving, Page, Reasons, State, chip, reasons};
use crate::play::deal::Cards;
use crate::play::orders::{self, Reply};
use crate::play::seat::{Face, Seat, Sure, Wait};
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
    ("u, Backspace", "undo: the last chips, or a clear"),
    ("c", "clear all wagers; u brings them back"),
    ("n twice", "ask for a coup without wagers"),
    ("$ twice", "begin again with new play money"),
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

pub(crate) fn key(desk: &mut dyn Seat, state: &mut State, key: KeyEvent) -> Result<()> {
    let ctrl_c = key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c');
    // A window that is too small shows no line to type in either.
    if ctrl_c || (!state.fits && key.code == KeyCode::Char('q')) {
        state.leaving = Some(Leaving::Quit);
        return Ok(());
    }
    let reads = state.page.is_some() || state.reasons.is_some();
    // On a slow line Esc and the next key come together, and look like Alt.
    let closes = reads && key.modifiers == KeyModifiers::ALT;
    let esc = KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE);
    let key = unless_chord(key).or(Some(esc).filter(|_| closes));
    let Some(key) = key.filter(|_| state.fits) else { return Ok(()) };
    if let Some(chosen) = state.reasons.map(|reasons| reasons.chosen) {
        reading_reasons(desk, state, key.code, chosen);
        let typed = matches!(key.code, KeyCode::Char(_) | KeyCode::Backspace);
        if state.reasons.is_some() || state.dealer.is_none() || !typed {
            return Ok(());
        }
    }
    if state.page.is_some() && read_on(state, key.code) {
        return Ok(());
    }
    match (state.dealer, &state.order) {
        (Some(dealer), Some(_)) => return dealing(desk, state, key.code, dealer.cards),
        (None, Some(_)) => return typing(desk, state, key.code),
        (_, None) => {}
    }
    desk.change_mind(match key.code {
        KeyCode::Char('L') => Some(Sure::Leave),
        KeyCode::Char('d') => Some(Sure::DealWithoutWager),
        KeyCode::Char('n') => Some(Sure::NoBet),
        KeyCode::Char('$') => Some(Sure::NewChips),
        _ => None,
    });
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
        KeyCode::Char('L') => {
            if desk.is_sure(Sure::Leave, leave_question(desk)) {
                leave(desk, state)?;
            }
        }
        KeyCode::Char('f') => {
            let up = desk.sight().face_down;
            desk.face(if up { Face::Up } else { Face::Down })?;
        }
        code => match state.wait {
            Some(Wait::Wagers) => wagering(desk, state, code)?,
            Some(Wait::Cut) => cutting(desk, state, code)?,
            Some(Wait::Turn { .. }) => turning(desk, state, code)?,
            Some(Wait::Others | Wait::Over) | None => {}
        },
    }
    Ok(())
}

/// A key without Ctrl and Alt: with them it is another key, and none that does anything here.
fn unless_chord(key: KeyEvent) -> Option<KeyEvent> {
    let KeyCode::Char(letter) = key.code else { return Some(key) };
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let others = KeyModifiers::SUPER | KeyModifiers::HYPER | KeyModifiers::META;
    match (ctrl, alt) {
        // What some terminals send for Backspace.
        (true, false) if letter == 'h' => {
            Some(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE))
        }
        // AltGr, which makes signs and no letters.
        (true, true) if !letter.is_ascii_alphanumeric() => Some(key),
        (false, false) if !key.modifiers.intersects(others) => Some(key),
        (false, false) | (true, _) | (_, true) => None,
    }
}

fn open(state: &mut State, title: &str, text: String) {
    state.page = Some(Page { title: title.into(), text, scroll: 0 });
}

fn wagering(desk: &mut dyn Seat, state: &mut State, code: KeyCode) -> Result<()> {
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

fn unknown(desk: &mut dyn Seat, key: char, wait: Wait) {
    desk.say(format!("`{key}` does nothing here; ? lists the keys. {}", orders::suggest(wait)));
}

fn deal(desk: &mut dyn Seat, state: &mut State) -> Result<()> {
    let idle = !desk.runs_by_itself() && desk.mine().is_empty() && !desk.sight().no_bet;
    let question = "you have no wager; d again deals without one";
    if idle && !desk.is_sure(Sure::DealWithoutWager, question) {
        return Ok(());
    }
    if desk.call()? {
        state.wait = None;
        state.deadline = None;
    }
    Ok(())
}

fn cutting(desk: &mut dyn Seat, state: &mut State, code: KeyCode) -> Result<()> {
    let (least, most) = desk.cut_range();
    match code {
        KeyCode::Left => state.cut = state.cut.saturating_sub(4).max(least),
        KeyCode::Right => state.cut = (state.cut + 4).min(most),
        KeyCode::Down => state.cut = state.cut.saturating_sub(1).max(least),
        KeyCode::Up => state.cut = (state.cut + 1).min(most),
        KeyCode::Enter | KeyCode::Char(' ') => {
            desk.cut(state.cut)?;
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

fn turning(desk: &mut dyn Seat, state: &mut State, code: KeyCode) -> Result<()> {
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

fn leave_question(desk: &dyn Seat) -> &'static str {
    if desk.runs_by_itself() {
        "leave the table? L again does, and your chips go to your account"
    } else {
        "leave for good? L again does, and publishes the shoe; q keeps the session"
    }
}

fn leave(desk: &mut dyn Seat, state: &mut State) -> Result<()> {
    if desk.leave()? {
        state.leaving = Some(Leaving::Left);
    }
    Ok(())
}

/// What a dealer types: a line, judged; an empty one does what is due.
fn dealing(desk: &mut dyn Seat, state: &mut State, code: KeyCode, cards: Cards) -> Result<()> {
    let Some(order) = &mut state.order else { return Ok(()) };
    match code {
        KeyCode::Esc => order.clear(),
        KeyCode::Backspace => drop(order.pop()),
        KeyCode::Char(letter) if order.len() < 200 => order.push(letter),
        KeyCode::F(1) => open(state, "dealing", deal::HELP.into()),
        KeyCode::Enter => {
            let order = std::mem::take(order);
            match desk.obey_dealer(&order, cards)? {
                Reply::Done => {}
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

fn typing(desk: &mut dyn Seat, state: &mut State, code: KeyCode) -> Result<()> {
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

fn obey(desk: &mut dyn Seat, state: &mut State, order: &str) -> Result<()> {
    let Some(wait) = state.wait else {
        desk.say("the table is busy; a moment".into());
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

/// Reads on in the page, or closes it; gives whether the key is used up by that. What a dealer
/// types belongs to their line, page or no page.
fn read_on(state: &mut State, code: KeyCode) -> bool {
    let types = state.dealer.is_some();
    let Some(page) = &mut state.page else { return false };
    match code {
        KeyCode::End => page.scroll = u16::MAX,
        KeyCode::Home => page.scroll = 0,
        KeyCode::Down => page.scroll = page.scroll.saturating_add(1),
        KeyCode::Up => page.scroll = page.scroll.saturating_sub(1),
        KeyCode::Char('j') if !types => page.scroll = page.scroll.saturating_add(1),
        KeyCode::Char('k') if !types => page.scroll = page.scroll.saturating_sub(1),
        KeyCode::Char(' ') if !types => page.scroll = page.scroll.saturating_add(10),
        KeyCode::PageDown => page.scroll = page.scroll.saturating_add(10),
        KeyCode::PageUp => page.scroll = page.scroll.saturating_sub(10),
        _ => {
            state.page = None;
            return !types || !matches!(code, KeyCode::Char(_) | KeyCode::Backspace);
        }
    }
    true
}

fn reading_reasons(desk: &dyn Seat, state: &mut State, code: KeyCode, chosen: usize) {
    let last = reasons::things(desk).len().saturating_sub(1);
    let types = state.dealer.is_some();
    let chosen = match code {
        KeyCode::Down => (chosen + 1).min(last),
        KeyCode::Up => chosen.saturating_sub(1),
        KeyCode::Char('j') if !types => (chosen + 1).min(last),
        KeyCode::Char('k') if !types => chosen.saturating_sub(1),
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

pub(crate) fn mouse(desk: &mut dyn Seat, state: &mut State, mouse: MouseEvent) -> Result<()> {
    if !state.fits {
        return Ok(());
    }
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
            desk.change_mind(None);
            state.spot = desk.spots().iter().position(|other| *other == spot).unwrap_or(0);
            desk.bet(spot, chip(state.chip))?;
        }
        (Some(Hit::Chip(which)), _) => state.chip = which,
        (Some(Hit::LogLine(entry)), _) => {
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
fn button(desk: &mut dyn Seat, state: &mut State, word: &'static str) -> Result<()> {
    let code = match word {
        "cut" | "place" => KeyCode::Enter,
        word => KeyCode::Char(word.chars().next().unwrap_or('?')),
    };
    key(desk, state, KeyEvent::new(code, KeyModifiers::NONE))
}
