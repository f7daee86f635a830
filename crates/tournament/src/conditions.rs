//! The conditions of a tournament: one document, as the operator writes it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

use rules::{Cents, Group, Method, Offers, Terms};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use table::{Limits, Options};

mod values;

pub use values::{Commission, Dollars, Moment, Prize, Share, Span};

use crate::keys::near;
use crate::written;

/// The conditions of entry and of play: everything that a book may require in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Conditions {
    /// The book that the conditions are for.
    pub book: Option<String>,
    /// The name of the event.
    pub name: String,
    /// When its first session starts.
    #[serde(with = "written")]
    pub start: Option<Moment>,
    /// How players apply.
    pub application: Option<String>,
    /// Who may enter, and what entrants agree to.
    pub entry: Option<String>,
    /// Entry is not open to everybody, so the criteria must be stated.
    pub restricted: bool,
    /// The event is played with chips that are worth cash.
    pub live: bool,
    /// The entry fee.
    #[serde(with = "written")]
    pub fee: Option<Dollars>,
    /// The part of the fee that the house keeps.
    #[serde(with = "written")]
    pub commission: Option<Commission>,
    /// The amount that the house adds to the pool.
    #[serde(with = "written")]
    pub added: Option<Dollars>,
    /// Chips at the start of a session.
    #[serde(with = "written")]
    pub chips: Option<Dollars>,
    /// The fewest and the most players.
    #[serde(with = "written")]
    pub players: Option<Span>,
    /// Restrictions on groups of players.
    pub groups: Option<String>,
    /// The limits of the tables.
    pub limits: Option<Sign>,
    /// The limits after the indicator card.
    pub raised: Option<Sign>,
    /// The sessions, in the order in which they are played.
    pub stages: Stages,
    /// How a table starts as soon as it is full, and how players get to it.
    pub sit_and_go: Option<String>,
    /// Who qualifies for a second chance.
    pub repechage: Option<String>,
    /// Whether eliminated players may buy back in.
    pub buy_back: Option<BuyBack>,
    /// How players are eliminated.
    pub elimination: Option<String>,
    /// How players who are level on chips after a session are separated.
    pub level: Option<Settle>,
    /// How players who are level on chips or points at the end are separated.
    pub level_final: Option<Settle>,
    /// Whether chips or points decide at the end.
    pub ranking: Ranking,
    /// The prize of each place.
    #[serde(with = "written::list")]
    pub prizes: Vec<Prize>,
    /// Where the pool comes from, in words.
    pub pool: Option<String>,
    /// The statement that director and rules govern, and which of them prevail.
    pub statement: Option<String>,
    /// The number of secret wagers that a player has in a session.
    pub secret_wagers: Option<u32>,
    /// Whether an indicator card goes into the shoe.
    pub indicator: bool,
    /// Whether a player may wager on both Banker and Player.
    pub both_sides: Option<bool>,
    /// How winning Banker wagers are paid.
    pub settlement: Option<Method>,
    /// The side bets that are offered.
    pub side_bets: Offers,
}

impl Conditions {
    /// The index of a stage.
    #[must_use]
    pub fn stage(&self, name: &str) -> Option<usize> {
        self.stages.0.iter().position(|stage| stage.name == name)
    }

    /// The operator's options for a table of so many seats.
    #[must_use]
    pub fn options(&self, seats: u32) -> Options {
        Options {
            terms: Terms {
                method: self.settlement.unwrap_or_else(Method::commission),
                side_bets: self.side_bets.clone(),
            },
            seats: (seats > 7).then_some(9),
            ..Options::default()
        }
    }

    /// The chips at the start of a session of a stage: its own number, or the event's.
    #[must_use]
    pub fn chips_of(&self, stage: usize) -> Option<Cents> {
        let own = self.stages.0.get(stage).and_then(|stage| stage.chips);
        own.or(self.chips).map(|chips| chips.0)
    }

    /// The limits of a stage's tables: its own, or the event's.
    #[must_use]
    pub fn limits_of(&self, stage: usize) -> Option<&Sign> {
        let own = self.stages.0.get(stage).and_then(|stage| stage.limits.as_ref());
        own.or(self.limits.as_ref())
    }

    /// The limits of a stage's tables after the indicator card: its own, or the event's.
    #[must_use]
    pub fn raised_of(&self, stage: usize) -> Option<&Sign> {
        let own = self.stages.0.get(stage).and_then(|stage| stage.raised.as_ref());
        own.or(self.raised.as_ref())
    }

    /// Whether every session has a value: stated for the event, or by each stage.
    #[must_use]
    pub fn everywhere(&self, has: impl Fn(&Self, usize) -> bool) -> bool {
        (0..self.stages.0.len().max(1)).all(|stage| has(self, stage))
    }

    /// Whether the house keeps anything of the fees.
    #[must_use]
    pub const fn keeps_something(&self) -> bool {
        match self.commission {
            None => false,
            Some(Commission::Each(amount)) => amount.get() > 0,
            Some(Commission::Percent(part)) => part.0 > 0,
        }
    }

    /// The part of a fee that the house keeps.
    #[must_use]
    pub fn kept_of(&self, fee: Cents) -> Cents {
        match self.commission {
            None => Cents::ZERO,
            Some(Commission::Each(amount)) => amount.min(fee),
            Some(Commission::Percent(part)) => part.of(fee),
        }
    }
}

/// Limits by group, as a sign has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sign(pub Vec<(Group, Limits)>);

impl Sign {
    /// The limits of a group.
    #[must_use]
    pub fn of(&self, group: Group) -> Option<Limits> {
        self.0.iter().find(|(of, _)| *of == group).map(|(_, limits)| *limits)
    }
}

fn read_limits(word: &str) -> Result<Limits, String> {
    let wrong = || format!("`{word}` are no limits; `10..500` or `10..500 by 5` would be");
    let (range, step) = word.split_once(" by ").map_or((word, None), |(r, s)| (r, Some(s)));
    let (least, most) = range.split_once("..").ok_or_else(wrong)?;
    let amount = |word: &str| word.trim().parse::<Cents>().map_err(|_| wrong());
    let step = step.map(amount).transpose()?;
    Ok(Limits { least: amount(least)?, most: amount(most)?, step })
}

/// The limits as the conditions write them.
#[must_use]
pub(crate) fn write_limits(limits: Limits) -> String {
    match limits.step {
        Some(step) => format!("{}..{} by {step}", limits.least, limits.most),
        None => format!("{}..{}", limits.least, limits.most),
    }
}

impl Serialize for Sign {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(group, l)| (group.key(), write_limits(*l))))
    }
}

impl<'de> Deserialize<'de> for Sign {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries: Vec<(String, String)> = written::entries(deserializer)?;
        let mut sign = Vec::new();
        for (key, word) in entries {
            let group = Group::from_key(&key).ok_or_else(|| {
                de::Error::custom(format!(
                    "`{key}` is neither main nor tie nor a group of side bets"
                ))
            })?;
            sign.push((group, read_limits(&word).map_err(de::Error::custom)?));
        }
        Ok(Self(sign))
    }
}

/// Where the players of a stage come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Every entrant.
    Entrants,
    /// The players who advanced from a stage.
    Winners(String),
    /// The players who did not advance from a stage.
    Losers(String),
    /// So many players with the most points.
    Leaders(u32),
}

impl Source {
    fn read(words: &str) -> Result<Vec<Self>, String> {
        let one = |words: &str| {
            let words = words.trim();
            if words == "entrants" {
                return Ok(Self::Entrants);
            }
            if let Some(stage) = words.strip_prefix("winners of ") {
                return Ok(Self::Winners(stage.trim().to_string()));
            }
            if let Some(stage) = words.strip_prefix("losers of ") {
                return Ok(Self::Losers(stage.trim().to_string()));
            }
            if let Some(Ok(number)) = words.strip_prefix("leaders ").map(str::parse) {
                return Ok(Self::Leaders(number));
            }
            let first = words.split_whitespace().next().unwrap_or_default();
            let meant = near(first, ["entrants", "winners", "losers", "leaders"]);
            let instead = match meant.filter(|meant| *meant != first) {
                Some("entrants") => "did you mean `entrants`?".to_string(),
                Some("leaders") => "did you mean `leaders 6`?".to_string(),
                Some(meant) => format!("did you mean `{meant} of STAGE`?"),
                None => "allowed: `entrants`, `winners of STAGE`, `losers of STAGE` or `leaders 6`"
                    .to_string(),
            };
            Err(format!("`{words}` does not say where players come from; {instead}"))
        };
        words.split(" and ").map(one).collect()
    }

    /// The source as the conditions write it.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Entrants => "entrants".to_string(),
            Self::Winners(stage) => format!("winners of {stage}"),
            Self::Losers(stage) => format!("losers of {stage}"),
            Self::Leaders(number) => format!("leaders {number}"),
        }
    }
}

/// How long a session lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Length {
    /// This number of coups with wagers.
    Coups(u32),
    /// This number of shoes.
    Shoes(u32),
    /// This number of minutes; a coup that has begun is finished.
    Minutes(u32),
}

/// One stage: sessions that its players play at the same time or one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The name of the stage.
    pub name: String,
    /// Where its players come from.
    pub from: Vec<Source>,
    /// The most players at a table.
    pub seats: u32,
    /// The number of tables that play at the same time; as many as needed if it is not stated.
    pub tables: Option<u32>,
    /// How long a session lasts.
    pub length: Option<Length>,
    /// How many players of each table advance.
    pub advance: Option<u32>,
    /// How many more advance: those with the most chips of all tables who did not by their place.
    pub runners_up: Option<u32>,
    /// The points for each place at the table.
    pub points: Vec<u32>,
    /// Whether the stage is a second chance.
    pub secondary: bool,
    /// The chips at the start of its sessions, if they differ from those of the event.
    pub chips: Option<Dollars>,
    /// The limits of its tables, if they differ from those of the event.
    pub limits: Option<Sign>,
    /// Its limits after the indicator card, if they differ from those of the event.
    pub raised: Option<Sign>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StageBody {
    from: String,
    #[serde(default = "seven")]
    seats: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tables: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    coups: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shoes: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    minutes: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    advance: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    runners_up: Option<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    points: Vec<u32>,
    #[serde(default, skip_serializing_if = "is_no")]
    secondary: bool,
    #[serde(default, with = "written", skip_serializing_if = "Option::is_none")]
    chips: Option<Dollars>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limits: Option<Sign>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    raised: Option<Sign>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_no(value: &bool) -> bool {
    !*value
}

const fn seven() -> u32 {
    7
}

impl Stage {
    fn of(name: String, body: StageBody) -> Result<Self, String> {
        let mut lengths = vec![];
        lengths.extend(body.coups.map(Length::Coups));
        lengths.extend(body.shoes.map(Length::Shoes));
        lengths.extend(body.minutes.map(Length::Minutes));
        if lengths.len() > 1 {
            return Err(format!("{name} has one of coups, shoes and minutes, not several"));
        }
        Ok(Self {
            name,
            from: Source::read(&body.from)?,
            seats: body.seats,
            tables: body.tables,
            length: lengths.first().copied(),
            advance: body.advance,
            runners_up: body.runners_up,
            points: body.points,
            secondary: body.secondary,
            chips: body.chips,
            limits: body.limits,
            raised: body.raised,
        })
    }

    fn body(&self) -> StageBody {
        let from: Vec<_> = self.from.iter().map(Source::words).collect();
        let mut body = StageBody {
            from: from.join(" and "),
            seats: self.seats,
            tables: self.tables,
            coups: None,
            shoes: None,
            minutes: None,
            advance: self.advance,
            runners_up: self.runners_up,
            points: self.points.clone(),
            secondary: self.secondary,
            chips: self.chips,
            limits: self.limits.clone(),
            raised: self.raised.clone(),
        };
        match self.length {
            Some(Length::Coups(n)) => body.coups = Some(n),
            Some(Length::Shoes(n)) => body.shoes = Some(n),
            Some(Length::Minutes(n)) => body.minutes = Some(n),
            None => {}
        }
        body
    }
}

/// The stages, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stages(pub Vec<Stage>);

impl Serialize for Stages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|stage| (&stage.name, stage.body())))
    }
}

impl<'de> Deserialize<'de> for Stages {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bodies: Vec<(String, StageBody)> = written::entries(deserializer)?;
        let stages = bodies.into_iter().map(|(name, body)| Stage::of(name, body));
        stages.collect::<Result<_, _>>().map(Self).map_err(de::Error::custom)
    }
}

/// Whether and how players buy back in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuyBack {
    /// Players may not buy back.
    None,
    /// Players may buy back.
    Some {
        /// How often a player may buy back.
        times: u32,
        /// The fee for each buy-back.
        fee: Cents,
        /// The number of stages, from the first, in which it is allowed.
        stages: u32,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BuyBackBody {
    times: u32,
    #[serde(with = "written")]
    fee: Option<Dollars>,
    #[serde(default = "one")]
    stages: u32,
}

const fn one() -> u32 {
    1
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum BuyBackForm {
    Word(String),
    Terms(BuyBackBody),
}

impl Serialize for BuyBack {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match *self {
            Self::None => BuyBackForm::Word("none".to_string()),
            Self::Some { times, fee, stages } => {
                BuyBackForm::Terms(BuyBackBody { times, fee: Some(Dollars(fee)), stages })
            }
        };
        form.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for BuyBack {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match BuyBackForm::deserialize(deserializer) {
            Ok(BuyBackForm::Word(word)) if word == "none" => Ok(Self::None),
            Ok(BuyBackForm::Terms(body)) => {
                let fee = body.fee.map_or(Cents::ZERO, |fee| fee.0);
                Ok(Self::Some { times: body.times, fee, stages: body.stages })
            }
            _ => Err(de::Error::custom(
                "a buy-back is \"none\" or { times = 1, fee = 50, stages = 1 }",
            )),
        }
    }
}

/// How players who are level are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Settle {
    /// By additional rounds, until they are no longer level.
    Rounds,
    /// By a play-off whose number of coups a drawn card decides.
    Card,
    /// Not at all: they share the prizes or points of their places.
    Share,
}

/// The measure that decides at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranking {
    /// The chips after the final.
    #[default]
    Chips,
    /// The points of all sessions.
    Points,
}
