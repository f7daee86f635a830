//! Checks what a transcript expects.

use rules::{Balance, Clause, Spot, Verdict, lies_within, spelt};
use table::{Account, CutBy, Event, Fact, Next, PlayerId, State};

use crate::language::{ClauseRef, Expectation};
use crate::play::{Ruled, Run};

impl Run {
    fn player(&self, name: &str) -> Result<PlayerId, String> {
        let table = self.table_of(name).ok_or("the table is not open")?;
        let named = table.player_named(name).or_else(|| {
            let named = |(_, player): &(usize, &table::Player)| player.name.as_str() == name;
            let (gone, _) = table.players().iter().enumerate().filter(named).last()?;
            u16::try_from(gone).ok().map(PlayerId)
        });
        named.ok_or_else(|| format!("{name} is not at the table"))
    }

    /// Whether a cited clause is the one that the transcript names.
    fn is(cited: Clause, wanted: &ClauseRef) -> bool {
        let book = wanted.book.as_ref().is_none_or(|book| book == cited.book());
        book && cited.each().any(|cited| lies_within(&spelt(cited.number()), &wanted.number))
    }

    /// Refuses a clause number that both an amendment and its base have: it needs the book's name.
    fn check_ambiguous(&self, wanted: &ClauseRef) -> Result<(), String> {
        let Some(book) = &self.played.book else { return Ok(()) };
        let Some(base) = &book.base_index else { return Ok(()) };
        let both = book.index.get(&wanted.number).is_some() && base.get(&wanted.number).is_some();
        if wanted.book.is_none() && both {
            let number = &wanted.number;
            return Err(format!("both books have a clause {number}; write the book before it"));
        }
        Ok(())
    }

    /// Checks an expectation, if there is a line above that it can refer to.
    pub(crate) fn check(&self, expectation: &Expectation) -> Result<(), String> {
        if !self.played.lines.iter().any(|line| line.is_act) {
            return Err(
                "nothing has happened yet: an expectation stands below the line that it is \
                        about"
                    .into(),
            );
        }
        if self.lost && is_about_the_line(expectation) {
            return Err("the line that it is about cannot be read".into());
        }
        self.holds(expectation)
    }

    fn holds(&self, expectation: &Expectation) -> Result<(), String> {
        match expectation {
            Expectation::Accepted => match &self.refusal {
                None => Ok(()),
                Some(refusal) => Err(format!("wanted accepted, got refused: {refusal}")),
            },
            Expectation::Refused(clause) => self.check_refused(clause.as_ref()),
            Expectation::Cites(clause) => self.check_cites(clause),
            Expectation::Totals(player, banker) => {
                let got =
                    self.totals.map(|(player, banker)| (u32::from(player), u32::from(banker)));
                equal(Some((*player, *banker)), got, |totals| match totals {
                    Some((player, banker)) => format!("player {player} banker {banker}"),
                    None => "no totals".into(),
                })
            }
            Expectation::Result(result) => {
                let got = self.result.unwrap_or("no result");
                equal(result.as_str(), got, |result| format!("result {result}"))
            }
            Expectation::Settled { name, verdict, amount, spot } => {
                self.check_settled(name, verdict, *amount, *spot)
            }
            Expectation::Has(name, amount) => {
                let id = self.player(name)?;
                let table = self.table_of(name).ok_or("the table is not open")?;
                let got = table.balance(Account::Stack(id));
                let wanted = Balance::from(*amount);
                equal(wanted, got, |cents| format!("{name} has {cents}"))
            }
            Expectation::Advised(name, clause) => {
                self.check_ambiguous(clause)?;
                let id = self.player(name)?;
                let told = self.recent().any(|event| {
                    matches!(event.fact, Fact::Advised(told, _) if told == id)
                        && event.clauses.iter().any(|cited| Self::is(*cited, clause))
                });
                if told || self.advised(name, |cited| Self::is(cited, clause)) {
                    Ok(())
                } else {
                    Err(format!("wanted {name} advised {clause}, got no such advice"))
                }
            }
            Expectation::Returned(name, amount, spot) => self.check_returned(name, *amount, *spot),
            Expectation::CutOffered(name) => self.check_cut(name),
            Expectation::CardsTo(name) => {
                let id = self.player(name)?;
                let coup = self.table_of(name).and_then(State::coup);
                let passed = coup.is_some_and(|coup| coup.passed.contains(&Some(id)));
                if passed { Ok(()) } else { Err(format!("wanted cards to {name}, got none there")) }
            }
            Expectation::Calls(words) => self.check_calls(words),
            Expectation::Says(words) => self.check_says(words),
            Expectation::SaysNothing(words) => match self.check_says(words) {
                Ok(()) => Err(format!("wanted nothing of \"{words}\", got it")),
                Err(_) => Ok(()),
            },
            Expectation::NoBetCoup => self.check_state("a no-bet coup", State::is_no_bet),
            Expectation::LastCoup => match self.current() {
                Some((_, true)) => Ok(()),
                _ => Err("wanted the last coup, got none".into()),
            },
            Expectation::Shuffle => self.check_state("a shuffle", State::is_shuffle_due),
            Expectation::Event(wanted) => self.check_event(wanted),
        }
    }

    /// The events of the coup so far, with those of the last line.
    fn recent(&self) -> impl Iterator<Item = &Event> {
        self.coup.iter().chain(&self.last)
    }

    fn check_refused(&self, clause: Option<&ClauseRef>) -> Result<(), String> {
        let Some(refusal) = &self.refusal else {
            return Err("wanted refused, got accepted".into());
        };
        let Some(wanted) = clause else { return Ok(()) };
        self.check_ambiguous(wanted)?;
        let mut cited = refusal.clause.iter().chain(&refusal.also);
        if cited.any(|cited| Self::is(*cited, wanted)) {
            return Ok(());
        }
        Err(format!("wanted refused {wanted}, got refused: {refusal}"))
    }

    fn check_cites(&self, wanted: &ClauseRef) -> Result<(), String> {
        self.check_ambiguous(wanted)?;
        if self.cited.iter().any(|cited| Self::is(*cited, wanted)) {
            return Ok(());
        }
        let mut got: Vec<_> = self.cited.iter().map(rules::Clause::number).collect();
        got.dedup();
        Err(format!(
            "wanted cites {wanted}, got {}",
            if got.is_empty() { "none".into() } else { got.join(", ") }
        ))
    }

    fn check_settled(
        &self,
        name: &str,
        verdict: &str,
        amount: rules::Cents,
        spot: Spot,
    ) -> Result<(), String> {
        self.player(name)?;
        let table = self.table_of(name).ok_or("the table is not open")?;
        // A player who left and came back is another player of the same name.
        let is = |id: PlayerId| table.player(id).name.as_str() == name;
        let settled: Vec<_> = self
            .coup
            .iter()
            .filter_map(|event| {
                let (player, at, settled) =
                    if let Fact::Settled { player, spot, stake, verdict, .. } = event.fact {
                        let settled = match verdict {
                            Verdict::Won(won) => ("wins", won.net),
                            Verdict::Lost => ("loses", stake),
                            Verdict::Kept => ("keeps", stake),
                        };
                        (player, spot, settled)
                    } else if let Fact::Lies { player, spot, stake, .. } = event.fact {
                        (player, spot, ("keeps", stake))
                    } else {
                        return None;
                    };
                (is(player) && at == spot).then_some(settled)
            })
            .collect();
        // A player may have wagers on a spot at several places.
        if settled.contains(&(verdict, amount)) {
            return Ok(());
        }
        equal(Some((verdict, amount)), settled.last().copied(), |settled| match settled {
            Some((verdict, amount)) => format!("{name} {verdict} {amount} on {}", spot.key()),
            None => format!("no settlement of {name} on {}", spot.key()),
        })
    }

    fn check_returned(
        &self,
        name: &str,
        amount: rules::Cents,
        spot: Option<Spot>,
    ) -> Result<(), String> {
        let id = self.player(name)?;
        let sum = |events: &[Event]| -> u64 {
            let mine = events.iter().filter_map(|event| {
                let Fact::Returned { player, spot: at, amount, .. } = event.fact else {
                    return None;
                };
                let here = spot.is_none_or(|spot| spot == at);
                (player == id && here).then_some(amount.get())
            });
            mine.sum()
        };
        let (last, coup) = (sum(&self.last), sum(&self.coup));
        if amount.get() == last || amount.get() == coup {
            return Ok(());
        }
        let got = rules::Cents::new(last).unwrap_or(rules::Cents::MAX);
        Err(format!("wanted {name} returned {amount}, got {got}"))
    }

    fn check_calls(&self, words: &str) -> Result<(), String> {
        let calls: Vec<_> =
            self.last
                .iter()
                .filter_map(|event| {
                    if let Fact::Called(words) = &event.fact { Some(&**words) } else { None }
                })
                .collect();
        if calls.iter().any(|call| call.eq_ignore_ascii_case(words.trim_matches('"'))) {
            return Ok(());
        }
        let got = if calls.is_empty() { "no call".to_owned() } else { calls.join(", ") };
        Err(format!("wanted calls \"{words}\", got {got}"))
    }

    fn check_says(&self, words: &str) -> Result<(), String> {
        let line = self.played.lines.iter().rev().find(|line| line.is_act);
        let said = line.map(Ruled::said).unwrap_or_default();
        if said.iter().any(|said| has_words(said, words)) {
            return Ok(());
        }
        let got: Vec<_> = said.iter().map(|said| format!("“{said}”")).collect();
        let got = if got.is_empty() { "nothing".to_owned() } else { got.join(", ") };
        Err(format!("wanted says \"{words}\", got {got}"))
    }

    /// Whether somebody has the cut; an offer is over once somebody has cut.
    fn check_cut(&self, name: &str) -> Result<(), String> {
        let id = self.player(name)?;
        let is_due = |table: &&State| {
            self.book_at_table()
                .and_then(|book| table.due(book))
                .is_some_and(|due| matches!(due.next, Next::Cut(_)))
        };
        let got = self.table_of(name).filter(is_due).and_then(State::cut_offered);
        equal(Some(CutBy::Player(id)), got, |by| cutter(by, self.table_of(name)))
    }

    fn check_state(&self, what: &str, holds: fn(&State) -> bool) -> Result<(), String> {
        match self.current() {
            Some((table, _)) if holds(table) => Ok(()),
            _ => Err(format!("wanted {what}, got none")),
        }
    }
}

/// Whether an expectation concerns only the line above it.
fn is_about_the_line(expectation: &Expectation) -> bool {
    matches!(
        expectation,
        Expectation::Accepted
            | Expectation::Refused(_)
            | Expectation::Cites(_)
            | Expectation::Calls(_)
            | Expectation::Says(_)
            | Expectation::SaysNothing(_)
    )
}

/// Whether a text has these words. A number is not found within another: `15.2.1` is neither in
/// `15.2.10` nor in `115.2.1`, but it is in `15.2.1(a)`.
fn has_words(text: &str, words: &str) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    text.match_indices(words).any(|(at, found)| {
        let mut before = text[..at].chars().rev();
        let (last, last_but_one) = (before.next(), before.next());
        let goes_on = is_digit(last) || last == Some('.') && is_digit(last_but_one);
        let begins_within = is_digit(words.chars().next()) && goes_on;
        let after = text[at + found.len()..].chars().next();
        let ends_within = is_digit(words.chars().next_back()) && is_digit(after);
        !begins_within && !ends_within
    })
}

/// An error with the wanted and the actual value, if they differ.
fn equal<T: PartialEq>(wanted: T, got: T, say: impl Fn(T) -> String) -> Result<(), String> {
    if wanted == got { Ok(()) } else { Err(format!("wanted {}, got {}", say(wanted), say(got))) }
}

/// The person to whom the cut is offered, in words.
fn cutter(by: Option<CutBy>, table: Option<&State>) -> String {
    match (by, table) {
        (Some(CutBy::Player(id)), Some(table)) => {
            format!("cut offered to {}", table.player(id).name)
        }
        (Some(CutBy::Staff(_)), _) => "cut offered to staff".into(),
        _ => "no cut offered".into(),
    }
}
