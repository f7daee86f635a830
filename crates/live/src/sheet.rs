//! The sheets of a tournament, to be printed: who entered, who sits where, what was wagered and
//! won.

use store::Body;
use tournament::sheets;

use crate::fault::LiveError;
use crate::tournament_handle::TournamentHandle;

/// A sheet of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// Everybody who applied.
    Entrants,
    /// The places of the session in play, or of the next.
    Seating,
    /// Every round of every session.
    Scores,
    /// Places and prizes.
    Results,
}

impl Sheet {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Entrants, Self::Seating, Self::Scores, Self::Results];

    /// Its word.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Entrants => "entrants",
            Self::Seating => "seating",
            Self::Scores => "scores",
            Self::Results => "results",
        }
    }

    /// The sheet of a word.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sheet| sheet.key() == key)
    }
}

impl TournamentHandle {
    /// A sheet as the tournament stands.
    ///
    /// # Errors
    ///
    /// When the tournament has stopped, or the log cannot be read.
    pub async fn sheet(&self, sheet: Sheet) -> Result<String, LiveError> {
        let scene = self.look().await?;
        Ok(match sheet {
            Sheet::Entrants => sheets::entrants(&scene.tournament),
            Sheet::Seating => sheets::seating(&scene.tournament),
            Sheet::Results => sheets::results(&scene.tournament),
            Sheet::Scores => {
                let mut events = Vec::new();
                for record in self.records(0).await? {
                    if let Body::Tournament(event) = record.read()? {
                        events.push(event.renamed(&mut |account| scene.name_of(account)));
                    }
                }
                let each = sheets::scores(&events);
                each.iter().map(sheets::score_sheet).collect::<Vec<_>>().join("\n")
            }
        })
    }
}
