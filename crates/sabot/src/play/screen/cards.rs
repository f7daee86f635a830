//! The hands: cards, totals, and the tick of every card that is proved.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph};
use rules::{Card, Side, Suit};

use super::{State, Theme};
use crate::play::seat::{Seat, Wait};
use crate::play::squeeze;

/// The sign of a suit.
pub(crate) const fn symbol(suit: Suit) -> char {
    match suit {
        Suit::Hearts => '♥',
        Suit::Diamonds => '♦',
        Suit::Clubs => '♣',
        Suit::Spades => '♠',
    }
}

/// A rank as people write it.
fn rank(card: Card) -> String {
    let rank = card.rank();
    if rank == rules::Rank::Ten { "10".into() } else { rank.letter().to_string() }
}

/// One hand in its part of the screen.
pub(crate) fn hand(frame: &mut Frame, area: Rect, desk: &dyn Seat, state: &State, side: Side) {
    let theme = state.theme;
    let outcome = desk.sight().felt.outcome.as_deref();
    let (won, tied) = (outcome == Some(side.key()), outcome == Some("tie"));
    let total = desk.hand(side).total.map_or(String::new(), |total| format!(" {total} "));
    let mut title = vec![Span::styled(format!(" {side}{total}"), theme.side(side))];
    if won {
        title.push(Span::styled(" wins ", theme.chosen()));
    } else if tied {
        title.push(Span::styled(" tie ", theme.chosen()));
    }
    let border = if won { BorderType::Double } else { BorderType::Rounded };
    let block = Block::bordered().border_type(border).title(Line::from(title));
    let block = block.border_style(if won { theme.side(side) } else { theme.quiet() });
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let large = inside.height >= 8 && inside.width >= 30;
    let (wide, high) = if large { (9, 7) } else { (6, 4) };
    let held = held(desk, state, side);
    let mut hidden = held.iter();
    for (i, lying) in (0_u16..).zip(&desk.hand(side).cards) {
        let at = Rect { x: inside.x + i * (wide + 1), y: inside.y, width: wide, height: high + 1 };
        let at = at.intersection(inside);
        let hint = if lying.card.is_none() { hidden.next() } else { None };
        let hint = hint.map(|card| squeeze::edge(*card, state.squeeze, usize::from(wide) - 2));
        card(frame, at, theme, lying.card, lying.proved, hint.as_deref());
    }
}

/// The cards of a side that the person holds and squeezes.
fn held(desk: &dyn Seat, state: &State, side: Side) -> Vec<Card> {
    match state.wait {
        Some(Wait::Turn { side: mine, .. }) if mine == side && state.squeeze > 0 => desk.peek(side),
        _ => Vec::new(),
    }
}

/// What the person sees of the cards in their hand, in words.
pub(crate) fn squeezed(desk: &dyn Seat, state: &State) -> Option<String> {
    let Some(Wait::Turn { side, .. }) = state.wait else { return None };
    let seen: Vec<_> = held(desk, state, side)
        .into_iter()
        .map(|card| squeeze::seen(card, state.squeeze))
        .collect();
    (!seen.is_empty()).then(|| format!("you see of {side}'s cards: {}", seen.join(" · ")))
}

fn card(
    frame: &mut Frame,
    area: Rect,
    theme: Theme,
    shown: Option<Card>,
    proof: Option<bool>,
    hint: Option<&str>,
) {
    if area.height < 3 || area.width < 5 {
        return;
    }
    let face = Rect { height: area.height.min(if area.width >= 9 { 7 } else { 4 }), ..area };
    let block = Block::bordered().border_type(BorderType::Rounded);
    let inside = block.inner(face);
    frame.render_widget(block, face);
    let wide = usize::from(inside.width);
    let lines: Vec<Line> = match (shown, hint) {
        (Some(card), _) => {
            let style = theme.suit(card.suit()).patch(theme.strong());
            let (rank, suit) = (rank(card), symbol(card.suit()));
            let mut lines = vec![String::new(); usize::from(inside.height)];
            lines[0] = format!("{rank:<wide$}");
            let middle = lines.len() / 2;
            if lines.len() >= 5 {
                lines[middle] = format!("{suit:^wide$}");
            }
            let last = lines.len() - 1;
            lines[last] = if last == middle || lines.len() >= 5 {
                format!("{:>wide$}", format!("{suit}{rank}"))
            } else {
                format!("{suit:>wide$}")
            };
            lines.into_iter().map(|line| Line::styled(line, style)).collect()
        }
        (None, Some(hint)) => {
            // The edge shows; the rest of the card is still covered by the hand.
            let back = Line::styled("▒".repeat(wide), theme.quiet());
            let mut lines = vec![back; usize::from(inside.height)];
            lines[0] = Line::styled(hint.to_owned(), theme.strong());
            lines
        }
        (None, None) => {
            let back = "▒".repeat(wide);
            vec![Line::styled(back, theme.quiet()); usize::from(inside.height)]
        }
    };
    frame.render_widget(Paragraph::new(lines), inside);
    let tick = match proof {
        Some(true) => Line::styled("✓ proved", theme.good()),
        Some(false) => Line::styled("✗ FALSE", theme.refused()),
        None => Line::raw(""),
    };
    let below = Rect { y: face.bottom(), height: 1, ..area };
    if below.bottom() <= area.bottom() {
        let tick = if area.width < 8 && proof == Some(true) {
            Line::styled("  ✓", theme.good())
        } else {
            tick
        };
        frame.render_widget(tick, below);
    }
}
