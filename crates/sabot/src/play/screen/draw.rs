//! The screen: header, hands, felt, roads, log, chips and keys, at any size from 80 × 24 up.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph, Wrap};
use rules::{Outcome, Side, Spot};
use view::{PlayerView, SpotView};

use super::{CHIPS, Hit, State, cards, page, reasons, scoreboard};
use crate::play::orders::suggest;
use crate::play::pages;
use crate::play::seat::{Kind, LogLine, Seat, Wait, cents};

/// Smaller than this, the table is not drawn.
const LEAST: (u16, u16) = (80, 24);

pub(crate) fn draw(frame: &mut Frame, desk: &dyn Seat, state: &mut State) {
    state.hits.clear();
    let area = frame.area();
    state.fits = area.width >= LEAST.0 && area.height >= LEAST.1;
    if !state.fits {
        let text = format!(
            "the table needs {} × {} characters, and has {} × {}\nmake the window larger, or use \
             sabot play --plain\nuntil then nothing is bet or dealt, and the clock stands\n\
             q quits; the session is kept",
            LEAST.0, LEAST.1, area.width, area.height
        );
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
        return;
    }
    let roomy = area.width >= 120 && area.height >= 38;
    let table = if roomy {
        let columns = Layout::horizontal([Constraint::Min(80), Constraint::Length(52)]).split(area);
        side_column(frame, columns[1], desk, state);
        columns[0]
    } else {
        area
    };
    let hands = if roomy { 11 } else { 7 };
    let roads = if table.height >= 46 { 16 } else { 8 };
    let rows = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(hands),
        Constraint::Length(felt_height(desk, roomy)),
        Constraint::Length(if roomy { roads } else { 6 }),
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .split(table);
    header(frame, rows[0], desk, state);
    let shares = if roomy {
        [Constraint::Fill(1), Constraint::Fill(1), Constraint::Length(0)]
    } else {
        [Constraint::Length(24), Constraint::Length(24), Constraint::Fill(1)]
    };
    let hands = Layout::horizontal(shares).split(rows[1]);
    cards::hand(frame, hands[0], desk, state, Side::Player);
    cards::hand(frame, hands[1], desk, state, Side::Banker);
    if !roomy {
        happened(frame, hands[2], desk, state, false);
    }
    felt(frame, rows[2], desk, state, roomy);
    if roomy {
        scoreboard::draw(frame, rows[3], &desk.sight().roads, state.theme);
    } else {
        scoreboard::draw_bare(frame, rows[3], &desk.sight().roads, state.theme);
    }
    state.hits.push((rows[3], Hit::Page("roads")));
    frame.render_widget(scoreboard::counts(&desk.sight().roads, state.theme), rows[4]);
    state.hits.push((rows[4], Hit::Page("roads")));
    middle(frame, rows[5], desk, state);
    purse(frame, rows[6], desk, state);
    foot(frame, rows[7], desk, state);
    overlays(frame, area, desk, state);
}

fn overlays(frame: &mut Frame, area: Rect, desk: &dyn Seat, state: &mut State) {
    let inner = |margin_x: u16, margin_y: u16| Rect {
        x: area.x + margin_x,
        y: area.y + margin_y,
        width: area.width.saturating_sub(2 * margin_x),
        height: area.height.saturating_sub(2 * margin_y),
    };
    if let Some(chosen) = state.reasons.map(|reasons| reasons.chosen) {
        reasons::draw(frame, inner(4, 2), desk, state, chosen);
    } else if let Some(page) = &mut state.page {
        let closes = if state.dealer.is_some() { "Esc or typing" } else { "any other key" };
        page::draw(frame, inner(3, 1), page, closes);
    }
}

fn header(frame: &mut Frame, area: Rect, desk: &dyn Seat, state: &mut State) {
    let (sight, theme) = (desk.sight(), state.theme);
    let mut left = vec![
        Span::styled(" SABOT ", theme.chosen()),
        Span::styled(format!(" {} ", desk.name()), theme.strong()),
        Span::raw(format!("play money · coup {}", sight.coup)),
    ];
    if sight.last {
        left.push(Span::styled(" · LAST COUP", theme.refused()));
    }
    if sight.no_bet {
        left.push(Span::styled(" · NO BETS", theme.refused()));
    }
    if sight.face_down {
        left.push(Span::raw(" · face down"));
    }
    frame.render_widget(Line::from(left), area);
    let shoe = &sight.shoe;
    let right = shoe.cards_left.map_or("no shoe yet ".into(), |cards| {
        let (number, total) = (shoe.number, shoe.decks * 52);
        let full = usize::try_from(cards * 10 / total.max(1)).unwrap_or(0);
        let bar = "█".repeat(full) + &"░".repeat(10 - full.min(10));
        format!("shoe {number} {bar} {cards} left ")
    });
    let wide = u16::try_from(right.chars().count()).unwrap_or(area.width);
    let at = Rect { x: area.right().saturating_sub(wide), width: wide.min(area.width), ..area };
    frame.render_widget(Line::raw(right).alignment(Alignment::Right), at);
    state.hits.push((area, Hit::Page("sign")));
    state.hits.push((at, Hit::Page("shoe")));
}

fn felt_height(desk: &dyn Seat, roomy: bool) -> u16 {
    let each = if roomy { 5 } else { 3 };
    // Of many side bets two rows are seen at a time, those around the chosen one.
    let rows = desk.sight().spots.len().div_ceil(A_ROW).clamp(1, ROWS);
    u16::try_from(rows).unwrap_or(1) * each
}

/// What a spot pays, in a few letters.
fn odds(spot: &SpotView) -> String {
    let prices: Vec<_> = spot.pays.iter().map(|pays| pays.price.as_str()).collect();
    match prices.as_slice() {
        [] => String::new(),
        [one] => one.replace(" less ", " −"),
        [first, .., last] if prices.len() > 3 => format!("{first} to {last}"),
        several => several.iter().map(|p| p.trim_end_matches(":1")).collect::<Vec<_>>().join("/"),
    }
}

/// How many spots stand in a row of the felt.
const A_ROW: usize = 5;
/// How many rows of spots are seen at a time.
const ROWS: usize = 2;

/// The name of a spot on the felt; a hand is its first letter.
fn name(spot: &SpotView) -> String {
    match spot.spot {
        Spot::Banker => "BANKER".to_owned(),
        Spot::Player => "PLAYER".to_owned(),
        Spot::Tie => "TIE".to_owned(),
        Spot::Side(key) => {
            let words = key.as_str().split_once('-');
            match (spot.hand.as_deref(), words) {
                (Some("banker"), Some(("banker", rest))) => format!("B {rest}"),
                (Some("player"), Some(("player", rest))) => format!("P {rest}"),
                _ => spot.name.clone(),
            }
        }
    }
}

fn felt(frame: &mut Frame, area: Rect, desk: &dyn Seat, state: &mut State, roomy: bool) {
    let spots = &desk.sight().spots;
    let each = if roomy { 5 } else { 3 };
    let all = spots.len().div_ceil(A_ROW);
    let first = (state.spot / A_ROW + 1).saturating_sub(ROWS).min(all.saturating_sub(ROWS));
    let seen = spots.chunks(A_ROW).enumerate().skip(first).take(ROWS);
    for (row, (at, spots)) in (0..).zip(seen) {
        let offset = at * A_ROW;
        let line = Rect { y: area.y + row * each, height: each, ..area }.intersection(area);
        let shares = vec![Constraint::Fill(1); spots.len()];
        let cells = Layout::horizontal(shares).split(line);
        for (i, (spot, cell)) in spots.iter().zip(cells.iter()).enumerate() {
            spot_cell(frame, *cell, desk, state, spot, offset + i);
            state.hits.push((*cell, Hit::Spot(spot.spot)));
        }
    }
}

fn spot_cell(
    frame: &mut Frame,
    area: Rect,
    desk: &dyn Seat,
    state: &State,
    spot: &SpotView,
    number: usize,
) {
    let theme = state.theme;
    let mine = state.wait == Some(Wait::Wagers) && state.dealer.is_none();
    let chosen = state.spot == number && mine;
    let style = match spot.hand.as_deref() {
        Some(hand) => theme.side(scoreboard::side(hand)),
        None => theme.outcome(Outcome::Tie),
    };
    let odds = odds(spot);
    let title = format!(" {} {} ", number + 1, name(spot));
    let border = if chosen { BorderType::Thick } else { BorderType::Plain };
    let title = Span::styled(title, if chosen { theme.chosen() } else { style });
    let block = Block::bordered().border_type(border).title(Line::from(title));
    let block = block.border_style(if chosen { theme.strong() } else { theme.quiet() });
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let mine = desk.mine_on(spot.spot);
    let others: u64 = spot.laid.iter().filter(|laid| !laid.mine).map(|laid| laid.stake_cents).sum();
    let wide = usize::from(inside.width);
    let laid = mine.map(|stake| Span::styled(format!("◉ {stake} "), theme.money()));
    let mut line = whole(laid.into_iter().chain(paid(desk, state, spot.spot)), wide);
    let limits = spot.limits.as_ref().map_or(String::new(), |limits| {
        format!("{}–{}", cents(limits.least_cents), cents(limits.most_cents))
    });
    let others = if others > 0 { format!("others {}", cents(others)) } else { String::new() };
    let both = format!("{odds} {limits}");
    // Nothing is cut in the middle: what does not fit is left out, what matters least first.
    let wishes: &[&str] = if inside.height < 2 {
        let room = both.chars().count() <= wide;
        match (line.is_empty() && others.is_empty(), room) {
            (true, true) => &[&both],
            (true, false) => &[&limits],
            (false, _) => &[&others, &both],
        }
    } else {
        &[&others]
    };
    for wish in wishes {
        let taken: usize = line.iter().map(Span::width).sum();
        if !wish.is_empty() && taken + wish.chars().count() <= wide {
            line.push(Span::styled(format!("{wish} "), theme.quiet()));
        }
    }
    let mut lines = vec![Line::from(line)];
    if inside.height >= 2 {
        let one = both.chars().count() <= wide || inside.height < 3;
        let below = if one { vec![both] } else { vec![odds, limits] };
        lines.extend(below.iter().map(|text| Line::styled(shortened(text, wide), theme.quiet())));
    }
    frame.render_widget(Paragraph::new(lines), inside);
}

/// The sign that more was to be shown.
const MORE: &str = " …";

/// As many of the pieces as there is room for. An amount that were cut would be another amount, so
/// a piece is shown whole or not at all; `…` stands for the rest.
pub(super) fn whole(
    pieces: impl Iterator<Item = Span<'static>>,
    room: usize,
) -> Vec<Span<'static>> {
    let mut pieces = pieces.peekable();
    let (mut shown, mut taken) = (Vec::<Span>::new(), 0);
    while let Some(piece) = pieces.next() {
        // The space behind the last piece may be lost; before another there is room for the sign.
        let needed = match pieces.peek() {
            Some(_) => piece.width() + MORE.chars().count(),
            None => piece.content.trim_end().chars().count(),
        };
        if taken + needed > room {
            let after_space = shown.last().is_none_or(|last| last.content.ends_with(' '));
            shown.push(Span::raw(if after_space { MORE.trim_start() } else { MORE }));
            break;
        }
        taken += piece.width();
        shown.push(piece);
    }
    shown
}

/// A text that has room, with `…` at its end where it was cut.
pub(super) fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().take(room.saturating_sub(1)).collect();
    // Not in the middle of a number: what is left of it would be another.
    let kept = kept.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    format!("{kept}…")
}

/// What my wager on a spot became.
fn paid(desk: &dyn Seat, state: &State, spot: Spot) -> Option<Span<'static>> {
    let paid = desk.sight().felt.paid.iter().find(|paid| paid.mine && paid.spot == spot)?;
    let theme = state.theme;
    // Where wagers lie after a tie, the chips are still there to be seen.
    let lies = paid.lies && desk.mine_on(spot).is_some();
    let (laid, won) = (cents(paid.stake_cents), cents(paid.won_cents));
    Some(match &*paid.verdict {
        "won" => Span::styled(format!("+{won} won "), theme.good()),
        "lost" => Span::styled(format!("−{laid} lost "), theme.refused()),
        _ if lies => Span::styled("kept, lies ", theme.strong()),
        _ => Span::styled(format!("{laid} kept "), theme.strong()),
    })
}

/// The middle: the cut when it is asked for, otherwise what was refused or said last.
fn middle(frame: &mut Frame, area: Rect, desk: &dyn Seat, state: &mut State) {
    let (mut area, most) = (area, area.height.min(3));
    if state.wait == Some(Wait::Cut) {
        cut(frame, Rect { height: 1, ..area }, desk, state);
        area = Rect { y: area.y + 1, height: area.height - 1, ..area };
    }
    if let Some(seen) = cards::squeezed(desk, state) {
        frame.render_widget(Line::styled(format!(" {seen}"), state.theme.strong()), area);
        return;
    }
    // A word that was followed by play is old.
    let recent = desk.log().iter().enumerate().rev();
    let recent = recent.take_while(|(_, entry)| matches!(entry.kind, Kind::Refused | Kind::Note));
    let mut lines: Vec<_> = recent.take(usize::from(most)).collect();
    lines.reverse();
    let mut y = area.y;
    for (entry_at, entry) in lines {
        let line = entry_line(desk, state, entry);
        let wide = usize::from(area.width.max(1));
        let high = u16::try_from(line.width().div_ceil(wide).max(1)).unwrap_or(1);
        let at = Rect { y, height: high, ..area }.intersection(area);
        frame.render_widget(Paragraph::new(line).wrap(Wrap { trim: false }), at);
        state.hits.push((at, Hit::LogLine(entry_at)));
        y += high;
    }
}

/// A line of the shoe's length with the place of the cut.
fn cut(frame: &mut Frame, area: Rect, desk: &dyn Seat, state: &mut State) {
    let theme = state.theme;
    let (least, most) = desk.cut_range();
    let label = format!(" cut the cards at {} ({least}–{most}) ", state.cut);
    let wide = area.width.saturating_sub(u16::try_from(label.len()).unwrap_or(0) + 2);
    let at = u32::from(wide.saturating_sub(1)) * (state.cut - least) / (most - least).max(1);
    let mut line: String = "▕".into();
    for x in 0..u32::from(wide) {
        line.push(if x == at { '┃' } else { '─' });
    }
    line.push('▏');
    for x in 0..u32::from(wide) {
        let depth = least + x * (most - least) / u32::from(wide.saturating_sub(1)).max(1);
        let column = area.x + 1 + u16::try_from(x).unwrap_or(0);
        state.hits.push((Rect { x: column, width: 1, ..area }, Hit::Cut(depth)));
    }
    let line = Line::from(vec![Span::raw(line), Span::styled(label, theme.strong())]);
    frame.render_widget(line, area);
}

/// The entries that a player wants to see.
fn told(desk: &dyn Seat, with_details: bool) -> impl Iterator<Item = (usize, &LogLine)> {
    // Where there is little room, what is said below is not said here as well.
    let small = |kind| matches!(kind, Kind::Detail | Kind::Refused | Kind::Note);
    let matters = move |(_, entry): &(usize, &LogLine)| with_details || !small(entry.kind);
    desk.log().iter().enumerate().rev().filter(matters)
}

fn entry_line(desk: &dyn Seat, state: &State, entry: &LogLine) -> Line<'static> {
    let theme = state.theme;
    let (mark, style) = match entry.kind {
        Kind::Call => ("» ", theme.strong()),
        Kind::Refused => ("✗ ", theme.refused()),
        Kind::Note => ("· ", theme.quiet()),
        Kind::Play | Kind::Detail => ("  ", ratatui::style::Style::new()),
    };
    Line::from(vec![
        Span::styled(format!("{mark}{} ", entry.what), style),
        Span::styled(pages::cited(desk, &entry.clauses), theme.clause()),
    ])
}

/// The right side of a large screen: the log with its clauses, and who else is there.
fn side_column(frame: &mut Frame, area: Rect, desk: &dyn Seat, state: &mut State) {
    let theme = state.theme;
    let sight = desk.sight();
    let players: Vec<_> = sight.players.iter().filter(|player| player.present).collect();
    let high = u16::try_from(players.len()).unwrap_or(8) + 2;
    let rows = Layout::vertical([Constraint::Length(high), Constraint::Min(5)]).split(area);
    let block = Block::bordered().title(" at the table ").border_style(theme.quiet());
    let inside = block.inner(rows[0]);
    frame.render_widget(block, rows[0]);
    let line = |player: &&PlayerView| {
        // Where there is little room, the main wagers are what to know.
        let (sides, main): (Vec<_>, Vec<_>) =
            sight.spots.iter().partition(|spot| matches!(spot.spot, Spot::Side(_)));
        let laid = |spot: &SpotView| laid_by(spot, &player.player);
        let wagers = main.into_iter().chain(sides).flat_map(laid).enumerate();
        let comma = |i: usize| if i == 0 { "" } else { ", " };
        let wagers = wagers.map(|(i, wager)| format!("{}{wager}", comma(i)));
        let stack = cents(u64::try_from(player.stack_cents).unwrap_or(0));
        let who = format!("{} {:<8} ", player.seat, shortened(&player.player, 16));
        let pieces = [who, format!("{:>9}  ", stack.to_string())].into_iter().chain(wagers);
        let line = whole(pieces.map(Span::raw), usize::from(inside.width));
        Line::from(line).style(if player.me { theme.strong() } else { theme.quiet() })
    };
    frame.render_widget(Paragraph::new(players.iter().map(line).collect::<Vec<_>>()), inside);
    happened(frame, rows[1], desk, state, true);
}

/// What a player has on a spot, in a few letters each.
fn laid_by(spot: &SpotView, player: &str) -> Vec<String> {
    let own = spot.laid.iter().filter(|laid| laid.player == player);
    own.map(|laid| format!("{} {}", name(spot), cents(laid.stake_cents))).collect()
}

/// What happened last, and by which clause; the newest at the bottom.
fn happened(frame: &mut Frame, area: Rect, desk: &dyn Seat, state: &mut State, details: bool) {
    let title = if details { " what happened, by which clause " } else { " what happened " };
    let block = Block::bordered().title(title);
    let block = block.border_style(state.theme.quiet());
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let mut bottom = inside.bottom();
    for (entry_at, entry) in told(desk, details) {
        let line = entry_line(desk, state, entry);
        let wide = usize::from(inside.width.max(1));
        let high = u16::try_from(line.width().div_ceil(wide).max(1)).unwrap_or(1);
        let Some(y) = bottom.checked_sub(high).filter(|y| *y >= inside.y) else { break };
        bottom = y;
        let at = Rect { y, height: high, ..inside };
        frame.render_widget(Paragraph::new(line).wrap(Wrap { trim: false }), at);
        state.hits.push((at, Hit::LogLine(entry_at)));
    }
}

/// Chips to choose from, and what I have.
fn purse(frame: &mut Frame, area: Rect, desk: &dyn Seat, state: &mut State) {
    let theme = state.theme;
    if state.dealer.is_some() {
        let question = format!(" {}", desk.dealers_question());
        // The line that does it is said where it fits; Enter says it too.
        let fits = question.chars().count() <= usize::from(area.width);
        let short = question.split_once(" (").map_or(question.as_str(), |(short, _)| short);
        let question = if fits { question.as_str() } else { short };
        let question = shortened(question, usize::from(area.width));
        frame.render_widget(Line::styled(question, theme.strong()), area);
        return;
    }
    let mut spans = vec![Span::raw(" chips ")];
    let mut x = area.x + 7;
    for (i, value) in CHIPS.iter().enumerate() {
        let text = format!("({value})");
        let wide = u16::try_from(text.len()).unwrap_or(0);
        state.hits.push((Rect { x, width: wide, ..area }, Hit::Chip(i)));
        x += wide + 1;
        spans
            .push(Span::styled(text, if i == state.chip { theme.chosen() } else { theme.quiet() }));
        spans.push(Span::raw(" "));
    }
    if let Some(deadline) = state.deadline {
        let left = deadline.saturating_duration_since(Instant::now()).as_secs();
        spans.push(Span::styled(format!(" {left} s "), theme.chosen()));
    }
    let laid = cents(desk.mine().iter().map(|(_, stake)| stake.get()).sum());
    spans.push(Span::styled(format!(" you have {}", desk.my_stack()), theme.money()));
    spans.push(Span::raw(format!(" · laid {laid}")));
    if let Some(net) = net(desk) {
        let style = if net.starts_with('+') { theme.good() } else { theme.refused() };
        spans.push(Span::styled(format!(" · last {net}"), style));
    }
    let spans = whole(spans.into_iter(), usize::from(area.width));
    frame.render_widget(Line::from(spans), area);
}

/// What the last coup brought me.
fn net(desk: &dyn Seat) -> Option<String> {
    let mine: Vec<_> = desk.sight().felt.paid.iter().filter(|paid| paid.mine).collect();
    if mine.is_empty() {
        return None;
    }
    let won: u64 = mine.iter().map(|paid| paid.won_cents).sum();
    let lost: u64 = mine.iter().map(|paid| paid.lost_cents).sum();
    let sign = if lost > won { "−" } else { "+" };
    Some(format!("{sign}{}", cents(won.abs_diff(lost))))
}

/// The keys that do something now, or the order that is being typed.
fn foot(frame: &mut Frame, area: Rect, desk: &dyn Seat, state: &mut State) {
    let theme = state.theme;
    if let (Some(order), Some(_)) = (&state.order, state.dealer) {
        let line = Line::from(vec![
            Span::styled(" dealer ", theme.chosen()),
            Span::raw(format!(" {order}▏")),
            Span::styled("  Enter alone: what is due · help · why · quit", theme.quiet()),
        ]);
        frame.render_widget(line, area);
        return;
    }
    if let Some(order) = &state.order {
        let line = Line::from(vec![
            Span::styled(" : ", theme.chosen()),
            Span::raw(format!(" {order}▏")),
            Span::styled("  Enter does it, Esc does not", theme.quiet()),
        ]);
        frame.render_widget(line, area);
        return;
    }
    let words: &[(&str, &'static str)] = match state.wait {
        Some(Wait::Wagers) => &[
            ("⏎", "place"),
            ("", "deal"),
            ("", "rebet"),
            ("", "x2"),
            ("", "undo"),
            ("", "clear"),
            ("", "nobet"),
            ("", "why"),
            ("", "?"),
            ("", "quit"),
        ],
        Some(Wait::Cut) => &[("←→", "choose"), ("⏎", "cut"), ("", "other cuts"), ("", "quit")],
        Some(Wait::Turn { .. }) => {
            &[("", "squeeze"), ("", "turn"), ("", "other turns"), ("", "why"), ("", "quit")]
        }
        Some(Wait::Over) => &[("", "quit")],
        Some(Wait::Others) | None => &[("", "why"), ("", "?"), ("", "quit")],
    };
    let mut spans = vec![Span::raw(" ")];
    let mut x = area.x + 1;
    // A table that goes on by itself is not dealt by a key.
    let words = words.iter().filter(|(_, word)| *word != "deal" || !desk.runs_by_itself());
    for (key, word) in words {
        let (key, rest) = if key.is_empty() { word.split_at(1) } else { (*key, *word) };
        let rest = if key == *word || rest.starts_with(' ') || word.starts_with(key) {
            rest.to_owned()
        } else {
            format!(" {rest}")
        };
        let wide = u16::try_from(key.chars().count() + rest.chars().count()).unwrap_or(0);
        state.hits.push((Rect { x, width: wide, ..area }, Hit::Order(word)));
        x += wide + 2;
        spans.push(Span::styled(key.to_owned(), theme.chosen()));
        spans.push(Span::raw(rest + "  "));
    }
    if let Some(wait @ Wait::Over) = state.wait {
        spans.push(Span::styled(suggest(wait), theme.quiet()));
    }
    frame.render_widget(Line::from(spans), area);
}
