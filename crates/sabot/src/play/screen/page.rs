//! A page over the table, wrapped so that columns stay columns.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Paragraph};

use super::Page;

/// Draws the part of a page that the scroll has come to, and keeps the scroll within the page.
pub(super) fn draw(frame: &mut Frame, area: Rect, page: &mut Page, closes: &str) {
    frame.render_widget(Clear, area);
    let title = format!(" {}  ↑↓ scroll, {closes} closes ", page.title);
    let inside = area.width.saturating_sub(2);
    let lines: Vec<_> =
        page.text.lines().flat_map(|line| wrapped(line, usize::from(inside))).collect();
    let high = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    page.scroll = page.scroll.min(high.saturating_sub(area.height.saturating_sub(2)));
    let text = Paragraph::new(lines.join("\n"))
        .block(Block::bordered().title(title))
        .scroll((page.scroll, 0));
    frame.render_widget(text, area);
}

/// A line in the width that there is; what does not fit goes on below its last column.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let length = |text: &str| text.chars().count();
    if length(line) <= width {
        return vec![line.to_owned()];
    }
    // The last column begins behind the last gap; in a line without one, a little to the right.
    let margin = length(line) - length(line.trim_start());
    let column =
        line.trim_start().rfind("  ").map(|at| margin + length(&line.trim_start()[..at]) + 2);
    let indent = column.filter(|column| *column < width / 2).unwrap_or(margin + 2);
    let mut lines = vec![" ".repeat(margin)];
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let gap = length(rest) - length(rest.trim_start());
        let word = rest.trim_start().split(' ').next().unwrap_or_default();
        let last = lines.last_mut().expect("there is always a line");
        let fresh = last.trim().is_empty();
        if fresh || length(last) + gap + length(word) <= width {
            if !fresh {
                last.push_str(&" ".repeat(gap));
            }
            last.push_str(word);
        } else {
            lines.push(" ".repeat(indent) + word);
        }
        rest = &rest[rest.len() - rest.trim_start().len() + word.len()..];
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn what_does_not_fit_goes_on_below_its_column() {
        let line = "  nobet      (n)  ask for a coup without wagers";
        assert_eq!(
            wrapped(line, 38),
            ["  nobet      (n)  ask for a coup", "                  without wagers"]
        );
        assert_eq!(wrapped("one two three", 8), ["one two", "  three"]);
        assert_eq!(wrapped("  short", 8), ["  short"]);
        assert_eq!(wrapped("", 8), [""]);
        let long = "x".repeat(20);
        assert_eq!(wrapped(&format!("a {long}"), 8), ["a".to_owned(), format!("  {long}")]);
    }
}
