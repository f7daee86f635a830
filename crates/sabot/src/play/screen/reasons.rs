//! Why? The clause behind anything that is shown, one thing at a time.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};
use rules::Spot;

use super::State;
use crate::play::pages;
use crate::play::seat::{Kind, Seat};

/// Something that can be asked about.
#[derive(Clone, Debug)]
pub(crate) enum Thing {
    LogLine(usize),
    Spot(Spot),
}

/// Everything that can be asked about: what happened last, newest first, then the spots.
pub(crate) fn things(desk: &dyn Seat) -> Vec<Thing> {
    let entries = desk.log().iter().enumerate().rev();
    let entries =
        entries.filter(|(_, entry)| !entry.clauses.is_empty() && entry.kind != Kind::Note);
    let mut things: Vec<_> = entries.take(60).map(|(i, _)| Thing::LogLine(i)).collect();
    things.extend(desk.spots().into_iter().map(Thing::Spot));
    things
}

/// The place of an entry among the things.
pub(crate) fn place(desk: &dyn Seat, wanted: usize) -> usize {
    let is = |thing: &Thing| matches!(thing, Thing::LogLine(i) if *i == wanted);
    things(desk).iter().position(is).unwrap_or(0)
}

/// The place of a spot among the things.
pub(crate) fn place_of_spot(desk: &dyn Seat, wanted: Spot) -> usize {
    let is = |thing: &Thing| matches!(thing, Thing::Spot(spot) if *spot == wanted);
    things(desk).iter().position(is).unwrap_or(0)
}

/// Draws the list and, below it, the clause and its gist.
pub(crate) fn draw(frame: &mut Frame, area: Rect, desk: &dyn Seat, state: &State, chosen: usize) {
    let theme = state.theme;
    frame.render_widget(Clear, area);
    let block =
        Block::bordered().title(" why?  ↑↓ choose, Esc closes ").border_style(theme.clause());
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let parts = Layout::vertical([Constraint::Percentage(45), Constraint::Min(4)]).split(inside);
    let (list, detail) = (parts[0], parts[1]);
    let things = things(desk);
    let rows = usize::from(list.height);
    let first = chosen.saturating_sub(rows.saturating_sub(1));
    let line = |(i, thing): (usize, &Thing)| {
        let text = match thing {
            Thing::LogLine(entry) => pages::told(desk, &desk.log()[*entry]),
            Thing::Spot(spot) => format!("the wager on {spot}"),
        };
        Line::styled(text, if i == chosen { theme.chosen() } else { theme.quiet() })
    };
    let lines: Vec<_> = things.iter().enumerate().skip(first).take(rows).map(line).collect();
    frame.render_widget(Paragraph::new(lines), list);
    let text = match things.get(chosen) {
        Some(Thing::LogLine(entry)) => pages::explain(desk, &desk.log()[*entry]),
        Some(Thing::Spot(spot)) => pages::why(desk, spot.key()),
        None => "nothing has happened yet".into(),
    };
    let block = Block::new().borders(ratatui::widgets::Borders::TOP).border_style(theme.quiet());
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: false }).block(block), detail);
}
