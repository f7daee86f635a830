//! Colours, or none. Whatever has a colour has a letter or a shape as well, so that nothing is lost
//! without; the ground is the terminal's own, light or dark.

use ratatui::style::{Color, Modifier, Style};
use rules::{Outcome, Side, Suit};
use table::roads::Mark;

/// How things look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theme {
    colour: bool,
}

#[expect(clippy::unused_self, reason = "what has no colour today may have one tomorrow")]
impl Theme {
    /// Everything in its colour.
    pub(crate) const COLOURED: Self = Self { colour: true };
    /// No colours.
    pub(crate) const PLAIN: Self = Self { colour: false };

    fn coloured(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    pub(crate) fn side(self, side: Side) -> Style {
        let style = match side {
            Side::Banker => self.coloured(Color::Red),
            Side::Player => self.coloured(Color::Blue),
        };
        style.add_modifier(Modifier::BOLD)
    }

    pub(crate) fn outcome(self, outcome: Outcome) -> Style {
        match outcome {
            Outcome::Won(side) => self.side(side),
            Outcome::Tie => self.coloured(Color::Green).add_modifier(Modifier::BOLD),
        }
    }

    pub(crate) fn suit(self, suit: Suit) -> Style {
        if suit.is_red() { self.coloured(Color::Red) } else { Style::new() }
    }

    pub(crate) fn mark(self, mark: Mark) -> Style {
        self.coloured(match mark {
            Mark::Red => Color::Red,
            Mark::Blue => Color::Blue,
        })
    }

    /// What stands back.
    pub(crate) fn quiet(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// What stands out.
    pub(crate) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What is chosen.
    pub(crate) fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD)
    }

    pub(crate) fn money(self) -> Style {
        self.coloured(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn good(self) -> Style {
        self.coloured(Color::Green)
    }

    pub(crate) fn refused(self) -> Style {
        self.coloured(Color::Magenta).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn clause(self) -> Style {
        self.coloured(Color::Cyan)
    }
}
