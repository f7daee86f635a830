//! The five roads, with what the next result would leave in them.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;
use rules::{Outcome, Side};
use table::roads::{Mark, ROWS};
use view::{BeadView, MarkView, RoadsView, RunView};

use super::Theme;
use crate::play::pages;

/// A road's marks: column, row, what is drawn there, and how.
type Marks = Vec<(usize, usize, String, Style)>;

/// A road in a box of its own.
fn road(frame: &mut Frame, area: Rect, title: &str, cell: u16, drawn: &Marks, theme: Theme) {
    let block = Block::bordered().title(title).border_style(theme.quiet());
    let inside = block.inner(area);
    frame.render_widget(block, area);
    marks(frame, inside, cell, drawn);
}

/// The marks of a road; the newest columns if not all fit.
fn marks(frame: &mut Frame, inside: Rect, cell: u16, marks: &Marks) {
    let columns = usize::from(inside.width / cell.max(1));
    let used = marks.iter().map(|(column, ..)| column + 1).max().unwrap_or(0);
    let first = used.saturating_sub(columns);
    for (column, row, text, style) in marks {
        let Some(column) = column.checked_sub(first) else { continue };
        let (Ok(x), Ok(y)) = (u16::try_from(column), u16::try_from(*row)) else { continue };
        let at = Rect { x: inside.x + x * cell, y: inside.y + y, width: cell, height: 1 };
        if y < inside.height && x * cell < inside.width {
            frame.render_widget(Span::styled(text.clone(), *style), at.intersection(inside));
        }
    }
}

/// The hand that a document names.
pub(crate) fn side(word: &str) -> Side {
    if word == "banker" { Side::Banker } else { Side::Player }
}

fn beads(roads: &RoadsView, theme: Theme, wide: bool) -> Marks {
    let mark = |(i, bead): (usize, &BeadView)| {
        let (letter, outcome) = match &*bead.outcome {
            "banker" => ("B", Outcome::Won(Side::Banker)),
            "player" => ("P", Outcome::Won(Side::Player)),
            _ => ("T", Outcome::Tie),
        };
        // A quotation mark for Banker's pair, above; a full stop for Player's, below.
        let pairs = match (bead.banker_pair, bead.player_pair) {
            (true, true) => ":",
            (true, false) => "'",
            (false, true) => ".",
            (false, false) => " ",
        };
        let text = if wide { format!("{letter}{pairs}") } else { letter.to_owned() };
        (i / ROWS, i % ROWS, text, theme.outcome(outcome))
    };
    roads.beads.iter().enumerate().map(mark).collect()
}

fn big(roads: &RoadsView, theme: Theme) -> Marks {
    if roads.big.is_empty() && roads.leading_ties > 0 {
        let style = theme.outcome(Outcome::Tie);
        return vec![(0, 0, format!("/{}", roads.leading_ties.min(9)), style)];
    }
    let mark = |run: &RunView| {
        let side = side(&run.side);
        let letter = if side == Side::Banker { "B" } else { "P" };
        let ties = if run.ties == 0 { String::new() } else { run.ties.min(9).to_string() };
        (run.column, run.row, format!("{letter}{ties}"), theme.side(side))
    };
    roads.big.iter().map(mark).collect()
}

fn derived(road: &[MarkView], theme: Theme) -> Marks {
    let mark = |cell: &MarkView| {
        let (letter, mark) = if cell.mark == "red" { ("r", Mark::Red) } else { ("b", Mark::Blue) };
        (cell.column, cell.row, letter.to_owned(), theme.mark(mark))
    };
    road.iter().map(mark).collect()
}

/// The three derived roads.
fn all_derived(roads: &RoadsView, theme: Theme) -> [Marks; 3] {
    [&roads.big_eye, &roads.small, &roads.pig].map(|road| derived(road, theme))
}

/// The counts, on one line.
pub(crate) fn counts(roads: &RoadsView, theme: Theme) -> Line<'static> {
    let counts = &roads.counts;
    Line::from(vec![
        Span::styled(format!("B {} ", counts.banker), theme.side(Side::Banker)),
        Span::styled(format!("P {} ", counts.player), theme.side(Side::Player)),
        Span::styled(format!("T {}", counts.ties), theme.outcome(Outcome::Tie)),
        Span::styled(
            format!(
                "   next B leaves {}   next P leaves {}",
                pages::asks(&roads.ask_banker),
                pages::asks(&roads.ask_player)
            ),
            theme.quiet(),
        ),
    ])
}

/// All roads side by side without boxes, where every line counts.
pub(crate) fn draw_bare(frame: &mut Frame, area: Rect, roads: &RoadsView, theme: Theme) {
    let derived_wide = 13;
    let bead_wide = 13;
    let big_wide = area.width.saturating_sub(bead_wide + 3 * derived_wide);
    let mut x = area.x;
    let mut part = |width: u16| {
        let at = Rect { x, width: width.saturating_sub(1), ..area };
        x += width;
        for y in area.y..area.bottom() {
            let line = Rect { x: at.right(), y, width: 1, height: 1 };
            if at.right() + 1 >= area.right() {
                break;
            }
            frame.render_widget(Span::styled("│", theme.quiet()), line.intersection(area));
        }
        at
    };
    let parts = [bead_wide, big_wide, derived_wide, derived_wide, derived_wide].map(&mut part);
    marks(frame, parts[0], 1, &beads(roads, theme, false));
    marks(frame, parts[1], 2, &big(roads, theme));
    for (part, derived) in parts[2..].iter().zip(all_derived(roads, theme)) {
        marks(frame, *part, 1, &derived);
    }
    // What stands nowhere yet has its name there.
    if roads.beads.is_empty() {
        let names = "bead plate, big road, big eye boy, small road, cockroach pig: no result yet";
        frame.render_widget(Span::styled(names, theme.quiet()), Rect { height: 1, ..area });
    }
}

/// All roads side by side, or in two rows where there is room.
pub(crate) fn draw(frame: &mut Frame, area: Rect, roads: &RoadsView, theme: Theme) {
    // Six rows and the lines around them.
    const HIGH: u16 = 8;
    let part = |x: u16, y: u16, width: u16| Rect { x, y, width, height: HIGH }.intersection(area);
    let names = ["big eye boy", "small road", "cockroach pig"];
    if area.height >= 2 * HIGH {
        let beads_wide = (area.width / 3).clamp(14, 40);
        road(
            frame,
            part(area.x, area.y, beads_wide),
            " bead plate ",
            2,
            &beads(roads, theme, true),
            theme,
        );
        let rest = area.width - beads_wide;
        road(
            frame,
            part(area.x + beads_wide, area.y, rest),
            " big road ",
            2,
            &big(roads, theme),
            theme,
        );
        let each = area.width / 3;
        for ((i, name), marks) in (0_u16..).zip(names).zip(all_derived(roads, theme)) {
            let wide = if i == 2 { area.width - 2 * each } else { each };
            let at = part(area.x + i * each, area.y + HIGH, wide);
            road(frame, at, &format!(" {name} "), 1, &marks, theme);
        }
        return;
    }
    let short = [" eye ", " small ", " pig "];
    let bead_wide = (area.width * 3 / 16).max(10);
    let derived_wide = (area.width * 3 / 20).max(9);
    let big_wide = area.width.saturating_sub(bead_wide + 3 * derived_wide);
    road(frame, part(area.x, area.y, bead_wide), " bead ", 1, &beads(roads, theme, false), theme);
    road(
        frame,
        part(area.x + bead_wide, area.y, big_wide),
        " big road ",
        2,
        &big(roads, theme),
        theme,
    );
    for ((i, name), marks) in (0_u16..).zip(short).zip(all_derived(roads, theme)) {
        let x = area.x + bead_wide + big_wide + i * derived_wide;
        road(frame, part(x, area.y, derived_wide), name, 1, &marks, theme);
    }
}
