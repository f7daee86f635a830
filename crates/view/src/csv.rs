//! A session, or one player's history, coup by coup as CSV.

use std::collections::BTreeMap;

use rules::{Card, Cents, Outcome, Side, Spot, Verdict};
use table::{Account, Event, Fact, PlayerId, Time};

use crate::eyes::{Eyes, Matter};
use crate::felt::outcome_word;

/// The names of the columns.
pub const COLUMNS: [&str; 17] = [
    "time",
    "shoe",
    "coup",
    "player_cards",
    "banker_cards",
    "player_total",
    "banker_total",
    "outcome",
    "void",
    "player",
    "spot",
    "stake_cents",
    "verdict",
    "won_cents",
    "lost_cents",
    "commission_cents",
    "balance_cents",
];

/// What one wager did, or what a void took back from a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WagerRow {
    /// When it was settled.
    pub at: Time,
    /// The player.
    pub player: PlayerId,
    /// The spot; nothing where all wagers of a player were taken back together.
    pub spot: Option<Spot>,
    /// The stake.
    pub stake: Cents,
    /// `won`, `lost`, `kept` or `reversed`.
    pub verdict: &'static str,
    /// What the player gained; below zero for a loss.
    pub gained: i64,
    /// The commission that was withheld; below zero where it was given back.
    pub commission: i64,
    /// The chips in front of the player afterwards.
    pub balance: i64,
}

/// A coup with its wagers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoupRow {
    /// When it began.
    pub at: Time,
    /// The number of the shoe, from 1.
    pub shoe: u32,
    /// The number of the coup.
    pub coup: u32,
    /// The cards in the order in which they left the shoe; nothing for one that was never turned.
    pub cards: Vec<(Side, Option<Card>)>,
    /// Player's and Banker's totals.
    pub totals: Option<(u8, u8)>,
    /// The outcome.
    pub outcome: Option<Outcome>,
    /// Whether it is void.
    pub void: bool,
    /// What became of the wagers.
    pub wagers: Vec<WagerRow>,
}

/// Folds the events of a table into rows. A cell that a spreadsheet would run as a formula gets an
/// apostrophe in front.
#[derive(Clone, Debug)]
pub struct Coups {
    eyes: Eyes,
    shoes: u32,
    rows: Vec<CoupRow>,
    /// The coup that events belong to now.
    current: Option<usize>,
    people: BTreeMap<u16, (String, u32, bool)>,
    stacks: BTreeMap<u16, i64>,
}

impl Coups {
    /// Rows for these eyes: a player gets the player's own wagers, a spectator nobody's name.
    #[must_use]
    pub const fn new(eyes: Eyes) -> Self {
        Self {
            eyes,
            shoes: 0,
            rows: Vec::new(),
            current: None,
            people: BTreeMap::new(),
            stacks: BTreeMap::new(),
        }
    }

    /// Folds one event.
    #[expect(clippy::wildcard_enum_match_arm, reason = "few facts make a row")]
    pub fn note(&mut self, event: &Event) {
        for leg in &event.postings {
            if let Account::Stack(PlayerId(id)) = leg.account {
                let cents = leg.cents;
                *self.stacks.entry(id).or_default() += cents.get();
            }
        }
        match &event.fact {
            Fact::Opened(_) => *self = Self::new(self.eyes),
            Fact::Arrived { player, name, seat, standing, .. } => {
                self.people.insert(player.0, (name.to_string(), *seat, *standing));
            }
            Fact::SeatCorrected { player, seat } => {
                if let Some(person) = self.people.get_mut(&player.0) {
                    person.1 = *seat;
                }
            }
            Fact::ShoeReady => self.shoes += 1,
            Fact::CoupBegan { number, .. } => {
                let row =
                    CoupRow { at: event.at, shoe: self.shoes, coup: *number, ..CoupRow::default() };
                self.rows.push(row);
                self.current = Some(self.rows.len() - 1);
            }
            Fact::Reopened { number } => {
                self.current = self.position(*number);
                if let Some(coup) = self.coup() {
                    (coup.outcome, coup.totals) = (None, None);
                }
            }
            Fact::Voided { number, .. } => {
                if let Some(at) = self.position(*number) {
                    (self.rows[at].void, self.rows[at].outcome) = (true, None);
                }
            }
            Fact::Settled { player, spot, stake, verdict, .. } => {
                let (word, gained, commission) = match verdict {
                    Verdict::Won(won) => ("won", signed(won.net), signed(won.commission)),
                    Verdict::Lost => ("lost", -signed(*stake), 0),
                    Verdict::Kept => ("kept", 0, 0),
                };
                self.settle(event.at, *player, (Some(*spot), *stake), (word, gained, commission));
            }
            Fact::Lies { player, spot, stake, .. } => {
                self.settle(event.at, *player, (Some(*spot), *stake), ("kept", 0, 0));
            }
            Fact::Reversed { player, number } => self.reverse(event, *player, *number),
            fact => {
                if let Some(coup) = self.coup() {
                    coup.follow(fact);
                }
            }
        }
    }

    fn coup(&mut self) -> Option<&mut CoupRow> {
        self.rows.get_mut(self.current?)
    }

    fn position(&self, number: u32) -> Option<usize> {
        self.rows.iter().rposition(|coup| coup.coup == number)
    }

    fn settle(
        &mut self,
        at: Time,
        player: PlayerId,
        (spot, stake): (Option<Spot>, Cents),
        (verdict, gained, commission): (&'static str, i64, i64),
    ) {
        let balance = self.stacks.get(&player.0).copied().unwrap_or_default();
        let row = WagerRow { at, player, spot, stake, verdict, gained, commission, balance };
        if let Some(coup) = self.coup() {
            coup.wagers.push(row);
        }
    }

    fn reverse(&mut self, event: &Event, player: PlayerId, number: u32) {
        let sum = |of: &dyn Fn(Account) -> bool| -> i64 {
            let legs = event.postings.iter().filter(|leg| of(leg.account));
            legs.map(|leg| leg.cents.get()).sum()
        };
        let own = [Account::Stack(player), Account::Receivable(player)];
        let gained = sum(&|account| own.contains(&account));
        let commission = sum(&|account| account == Account::Commission);
        let (before, of) = (self.current, self.position(number));
        self.current = of;
        self.settle(event.at, player, (None, Cents::ZERO), ("reversed", gained, commission));
        self.current = before;
    }

    /// The coups so far.
    #[must_use]
    pub fn rows(&self) -> &[CoupRow] {
        &self.rows
    }

    /// The text, with a line for each wager; a coup without wagers has one line.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = line(COLUMNS.into_iter().map(str::to_owned));
        for coup in &self.rows {
            let mine: Vec<_> = coup.wagers.iter().filter(|row| self.is_shown(row)).collect();
            for row in &mine {
                text += &line(coup.cells(row.at).into_iter().chain(self.wager_cells(row)));
            }
            // Of a player's history, only coups with the player's wagers are of interest.
            if mine.is_empty() && self.eyes.name().is_none() {
                let none = std::iter::repeat_n(String::new(), COLUMNS.len() - 9);
                text += &line(coup.cells(coup.at).into_iter().chain(none));
            }
        }
        text
    }

    fn is_shown(&self, row: &WagerRow) -> bool {
        let name = self.people.get(&row.player.0).map_or("", |(name, ..)| name.as_str());
        self.eyes.name().is_none() || self.eyes.is(name)
    }

    fn called(&self, player: PlayerId) -> String {
        match self.people.get(&player.0) {
            Some((name, ..)) if self.eyes.may_see(Matter::Name, name) => name.clone(),
            Some((_, seat, true)) => format!("behind seat {seat}"),
            Some((_, seat, false)) => format!("seat {seat}"),
            None => String::new(),
        }
    }

    fn wager_cells(&self, row: &WagerRow) -> [String; 8] {
        let (won, lost) = (row.gained.max(0), row.gained.min(0).unsigned_abs());
        [
            self.called(row.player),
            row.spot.map_or_else(String::new, |spot| spot.key().to_owned()),
            row.stake.get().to_string(),
            row.verdict.to_owned(),
            won.to_string(),
            lost.to_string(),
            row.commission.to_string(),
            row.balance.to_string(),
        ]
    }
}

fn signed(amount: Cents) -> i64 {
    rules::Balance::from(amount).get()
}

impl CoupRow {
    #[expect(clippy::wildcard_enum_match_arm, reason = "few facts are about the cards of a coup")]
    fn follow(&mut self, fact: &Fact) {
        match fact {
            Fact::Dealt { side, card, shown } => self.cards.push((*side, card.filter(|_| *shown))),
            Fact::Turned { index, card } | Fact::CardCorrected { index, card } => {
                if let Some(lies) = self.cards.get_mut(usize::from(*index)) {
                    lies.1 = Some(*card);
                }
            }
            Fact::Reconstructed => {
                for (i, card) in self.cards.iter_mut().enumerate().take(4) {
                    card.0 = Side::BOTH[i % 2];
                }
            }
            Fact::ThirdMoved(side) => {
                if let Some(card) = self.cards.get_mut(4) {
                    card.0 = *side;
                }
            }
            Fact::Rearranged(order) => {
                let old = std::mem::take(&mut self.cards);
                let lies =
                    |(index, side): &(u8, Side)| Some((*side, old.get(usize::from(*index))?.1));
                self.cards = order.iter().filter_map(lies).collect();
            }
            Fact::Totals { player, banker } => self.totals = Some((*player, *banker)),
            Fact::Result(outcome) => self.outcome = Some(*outcome),
            Fact::CoupEnded { outcome, .. } => {
                (self.outcome, self.void) = (*outcome, self.void || outcome.is_none());
            }
            _ => {}
        }
    }

    fn cells(&self, at: Time) -> [String; 9] {
        let hand = |side: Side| {
            let cards = self.cards.iter().filter(|(of, _)| *of == side);
            let words = cards.map(|(_, card)| card.map_or("??".into(), |card| card.to_string()));
            words.collect::<Vec<_>>().join(" ")
        };
        let total = |of: Option<u8>| of.map_or_else(String::new, |total| total.to_string());
        [
            rfc3339(at),
            self.shoe.to_string(),
            self.coup.to_string(),
            hand(Side::Player),
            hand(Side::Banker),
            total(self.totals.map(|(player, _)| player)),
            total(self.totals.map(|(_, banker)| banker)),
            self.outcome.map(outcome_word).unwrap_or_default().into_owned(),
            if self.void { "yes" } else { "no" }.to_owned(),
        ]
    }
}

/// A line of cells.
fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<_> = cells.map(|text| cell(&text)).collect();
    cells.join(",") + "\r\n"
}

/// A cell, quoted where RFC 4180 wants it. Text that a spreadsheet would take for a formula gets an
/// apostrophe in front; a whole number below zero is no formula.
#[must_use]
pub fn cell(text: &str) -> String {
    let number = text.strip_prefix('-').is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    let runs = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !number;
    let text = if runs { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text
}

/// A time in microseconds since 1970, UTC, as RFC 3339 writes it.
#[must_use]
pub fn rfc3339(at: Time) -> String {
    let (seconds, micros) = (at / 1_000_000, at % 1_000_000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // The calendar from 1 March 0000 on, in which the leap day is the last day of a year.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let date = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let fraction = if micros == 0 { String::new() } else { format!(".{micros:06}") };
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_600, "2025-01-01T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds * 1_000_000), text);
        }
        assert_eq!(rfc3339(1_500_000), "1970-01-01T00:00:01.500000Z");
    }

    #[test]
    fn cells_are_quoted_and_run_nothing() {
        assert_eq!(cell("Ada"), "Ada");
        assert_eq!(cell("a,b"), "\"a,b\"");
        assert_eq!(cell("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(cell("=1+1"), "'=1+1");
        assert_eq!(cell("@cmd"), "'@cmd");
        assert_eq!(cell("+1"), "'+1");
        assert_eq!(cell("-x"), "'-x");
        assert_eq!(cell("-5"), "-5");
        assert_eq!(cell(""), "");
    }
}
