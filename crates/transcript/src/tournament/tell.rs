//! Describes the events of a tournament in words.

use rules::book::{Order, OutOfOrder, Prevails};
use rules::{Balance, Cents};
use tournament::conditions::Moment;
use tournament::{
    Correction, EntrantId, Event, Fact, Keeping, Lot, Mended, Missed, Offence, OutWhy, POINT, Read,
    Seat, Sitting, Tournament,
};

use crate::tell::reason;

/// An event in a few words; the tournament is in the state after the event.
#[must_use]
pub fn tell(event: &Event, tournament: &Tournament) -> String {
    Names(tournament, None, event.at).tell(&event.fact)
}

/// What people are called in place of their names.
pub struct Called<'a> {
    /// An entrant, or whoever plays for one.
    pub entrant: &'a dyn Fn(EntrantId) -> String,
    /// An entrant, regardless of a substitute.
    pub own: &'a dyn Fn(EntrantId) -> String,
    /// A player at a table.
    pub player: &'a dyn Fn(&table::State, table::PlayerId) -> String,
}

/// An event in a few words, with what `called` gives in place of the names of players. A name that
/// the event itself has is told as it stands there.
#[must_use]
pub fn tell_as(event: &Event, tournament: &Tournament, called: &Called<'_>) -> String {
    Names(tournament, Some(called), event.at).tell(&event.fact)
}

/// The tournament, what people are called in it, and when it happened.
struct Names<'a>(&'a Tournament, Option<&'a Called<'a>>, table::Time);

impl Names<'_> {
    /// An entrant, regardless of a substitute.
    fn own(&self, id: EntrantId) -> String {
        match self.1 {
            Some(called) => (called.own)(id),
            None => self.0.entrant(id).name.to_string(),
        }
    }

    fn one(&self, id: EntrantId) -> String {
        if let Some(called) = self.1 {
            return (called.entrant)(id);
        }
        let entrant = self.0.entrant(id);
        match entrant.substitute {
            Some(substitute) => format!("{substitute} (for {})", entrant.name),
            None => entrant.name.to_string(),
        }
    }

    fn all(&self, ids: &[EntrantId]) -> String {
        ids.iter().map(|id| self.one(*id)).collect::<Vec<_>>().join(", ")
    }

    /// Players who are level, with their chips.
    fn with_chips(&self, table: u32, group: &[EntrantId]) -> String {
        let sitting = self.0.sitting_at(table, self.2);
        let chips = group.first().and_then(|id| sitting?.chair(*id)).map(|chair| chair.chips);
        match chips.filter(|chips| *chips > Balance::ZERO) {
            Some(chips) => format!("{} {chips}", self.all(group)),
            None => format!("{} out", self.all(group)),
        }
    }

    /// The player whose turn it is to wager at an entrant's table.
    fn turn(&self, id: EntrantId) -> String {
        let chair = self.0.sitting_of(id).and_then(Sitting::to_wager);
        chair.map_or("nobody".into(), |chair| self.one(chair.entrant))
    }

    /// What was recorded, and what it should be.
    fn mended(&self, what: &Mended) -> String {
        match *what {
            Mended::Wager { entrant, coup, from, to: (spot, stake) } => {
                let coup = coup.map_or_else(String::new, |coup| format!(" in coup {coup}"));
                let to = format!("{stake} on {}", spot.key());
                let from = match from {
                    Some((spot, stake)) => format!("{stake} on {}", spot.key()),
                    None => "nothing".into(),
                };
                format!("{}'s wager{coup} is {to}, not {from}", self.one(entrant))
            }
            Mended::Card { coup, index, from, to } => {
                format!("card {} of coup {coup} is {to}, not {from}", index + 1)
            }
            Mended::Seat { entrant, from, to, other } => {
                let other = other.map_or_else(String::new, |other| {
                    format!(", and {}'s is {from}", self.one(other))
                });
                format!("{}'s seat is {to}, not {from}{other}", self.one(entrant))
            }
            Mended::Chips { entrant, from, to } => {
                format!("{} holds {to}, not {}", self.one(entrant), from.at_least_zero())
            }
        }
    }

    /// Players of several tables who are level, with what they held at the end of the session.
    fn at_the_end(&self, group: &[EntrantId]) -> String {
        let chair = group
            .first()
            .and_then(|id| self.0.sittings().filter_map(|sitting| sitting.chair(*id)).last());
        let held = chair.map_or(Cents::ZERO, |chair| chair.at_the_end.at_least_zero());
        format!("{} {held}", self.all(group))
    }

    fn is_live(&self) -> bool {
        self.0.conditions().is_some_and(|conditions| conditions.live)
    }

    fn at(&self, table: u32, seat: u32) -> String {
        let sitting = self.0.sitting_at(table, self.2);
        let chair = sitting.and_then(|s| s.chairs.iter().find(|chair| chair.seat == seat));
        chair.map_or_else(|| format!("seat {seat}"), |chair| self.one(chair.entrant))
    }

    /// An event at a table.
    fn at_table(&self, table: u32, event: &table::Event) -> String {
        match (self.0.sitting_at(table, self.2), self.1) {
            (Some(Sitting { table: at, .. }), Some(called)) => {
                let name = |id| (called.player)(at, id);
                format!("table {table}: {}", crate::tell_as(event, at, &name))
            }
            (Some(sitting), None) => {
                format!("table {table}: {}", crate::tell(event, &sitting.table))
            }
            (None, _) => format!("table {table}"),
        }
    }

    /// The book's name for the marker in front of the player who wagers first.
    fn marker(&self) -> &'static str {
        let wagers = self.0.book().tournament_wagers.as_ref();
        match wagers.map(|wagers| wagers.order.value) {
            Some(Order::AnticlockwiseFromPuck) => "puck",
            Some(Order::ClockwiseFromMarker) | None => "starting marker",
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each fact")]
    fn tell(&self, fact: &Fact) -> String {
        let stage = |stage: &usize| self.0.stage_name(*stage);
        match fact {
            // The event as a whole.
            Fact::Opened { book, base } => {
                let over = base.map_or_else(String::new, |base| format!(" over {base}"));
                let rules = self.0.book().tournament.as_ref();
                let prevails = rules.and_then(|rules| rules.applies.and(rules.prevails));
                let how = match prevails.map(|rule| rule.value) {
                    Some(Prevails::Conditions) => "; its rules come on top of those of the table",
                    Some(Prevails::Rules) => "; its rules go before those of the table",
                    None => "",
                };
                format!("a tournament is to be held under {book}{over}{how}")
            }
            Fact::Documented { hash, .. } => {
                format!("the conditions are documented; their SHA-256 is {hash}")
            }
            Fact::States(what) => format!("they state: {what}"),
            Fact::Prevails => "they say it for this tournament, and prevail".into(),
            Fact::Published => "the conditions are available to everybody".into(),
            Fact::Notified => "the regulator has a copy of the conditions".into(),
            Fact::Approved => "the conditions are approved".into(),
            Fact::CommissionApproved => "what the house keeps of the fees is approved".into(),
            Fact::DirectorNamed(name) => format!("{name} is the director"),
            Fact::DirectorLeft => {
                "the director goes away; no coup begins meanwhile where the book \
                                   wants the director there"
                    .into()
            }
            Fact::DirectorBack => "the director is back".into(),
            Fact::AgreementRequired => "players must agree to the conditions in writing".into(),
            Fact::ConditionsTold => "applicants are told the conditions of play".into(),
            Fact::EntriesOpened => "entries are open, and the conditions stand".into(),
            Fact::PoolAdded(amount) => format!("the house adds {amount} to the pool"),
            Fact::Cancelled(why) => format!("the tournament is cancelled: {}", reason(why)),
            Fact::EntriesClosed => "entries are closed".into(),
            Fact::HandedOver { from, to } => match from {
                Some(from) => format!("{from} hands over, and {to} is the director"),
                None => format!("{to} is the director"),
            },
            Fact::WagerTimeLifted => "no time to wager is set from the next turn on".into(),
            Fact::BreakGiven(until) => format!("there is a break until {}", Moment(*until)),
            Fact::PlayResumed => "play goes on".into(),
            Fact::WagerTimeSet(time) => format!("players have {} s to wager", time / 1_000_000),
            Fact::Directed(id) => format!("{} is told to keep the pace", self.one(*id)),
            Fact::Ended => "the pool is paid out, and the tournament is over".into(),

            // Entrants.
            Fact::Applied { name, .. } => format!("{name} applies"),
            Fact::Agreed(id) => format!("{} agrees to the conditions in writing", self.one(*id)),
            Fact::Entered { entrant, fee } if *fee == Cents::ZERO => {
                format!("{} is in", self.one(*entrant))
            }
            Fact::Entered { entrant, fee } => {
                format!("{} is in, for a fee of {fee}", self.one(*entrant))
            }
            Fact::Reserved(id) => format!("all places are taken; {} is a reserve", self.one(*id)),
            Fact::EntryRefused(id, why) => {
                format!("{} is not accepted: {}", self.one(*id), reason(why))
            }
            Fact::Withdrawn(id) => format!("{} withdraws", self.one(*id)),
            Fact::Refunded(id, amount) => format!("{amount} go back to {}", self.one(*id)),
            Fact::FeeForfeited(id) => {
                format!("{}'s fee does not go back and stays in the pool", self.one(*id))
            }
            Fact::FeeNotRefunded(id) => {
                format!("{}'s fee does not go back, for the player was disqualified", self.one(*id))
            }
            Fact::BuyBackUndone { entrant, fee } => {
                format!("{}'s buy-back never was, and {fee} go back", self.one(*entrant))
            }
            Fact::Disqualified(id, ground) => {
                let why = match ground {
                    Offence::Breach(why) => why.as_str(),
                    Offence::Absence => "not there when due to play",
                    Offence::HiddenChips => "chips were hidden",
                };
                format!("{} is disqualified: {}", self.one(*id), reason(why))
            }
            Fact::Nominated(id, name) => {
                format!("{} names {name} as a substitute", self.own(*id))
            }
            Fact::Substituted(id, name) if self.0.entrant(*id).name == *name => {
                format!("{name} plays again in person")
            }
            Fact::Substituted(id, name) => format!("{name} plays for {}", self.own(*id)),
            Fact::Forfeited(id) => {
                format!("{} has lost the place by not being there", self.one(*id))
            }
            Fact::MayEnterSecondary(id) => {
                format!("{} may enter a secondary competition", self.one(*id))
            }
            Fact::BoughtBack { entrant, fee } => {
                format!("{} buys back in for {fee}", self.one(*entrant))
            }
            Fact::WentAway(id) => format!("{} goes away", self.one(*id)),
            Fact::CameBack(id) => format!("{} is back", self.one(*id)),

            // Stages and places.
            Fact::StageOpened { stage: number, players } => {
                format!("{} is next, with {}", stage(number), self.all(players))
            }
            Fact::StageEnded(number) => format!("{} is over", stage(number)),
            Fact::StartMoved(to) => format!("it starts at {}", Moment(*to)),
            Fact::TablesNamed(tables) => {
                let numbers: Vec<_> = tables.iter().map(ToString::to_string).collect();
                format!("played at tables {}", numbers.join(", "))
            }
            Fact::PlayersATable(number) => format!("{number} play at a table"),
            Fact::BallotCommitted(hash) => format!("the ballot is committed to: {hash}"),
            Fact::BallotAbandoned => "the ballot is abandoned, unrevealed".into(),
            Fact::BallotAdded(id, words) => {
                format!("{} adds “{words}” to the ballot", self.one(*id))
            }
            Fact::BallotRevealed(words) => format!("the ballot's secret was “{words}”"),
            Fact::DrawnAgain { why, by } => {
                format!("the {by} has all places drawn again: {}", reason(why))
            }
            Fact::SessionAllotted(number) => format!("players are given session {number}"),
            Fact::Allotted { entrant, table, seat, lot } => {
                let how = match lot {
                    Lot::Drawn => "draws",
                    Lot::Given => "is given",
                };
                format!("{} {how} table {table} seat {seat}", self.one(*entrant))
            }
            Fact::Seated(id) => format!("{} takes the seat", self.one(*id)),
            Fact::SessionStarted { stage: number, session } => {
                format!("session {session} of {} starts", stage(number))
            }
            Fact::TableMoved { from, to, why, by } => {
                let why = reason(why);
                format!("the {by} moves table {from} to table {to}, with other cards: {why}")
            }
            Fact::CorrectionAsked(correction) => {
                let Correction { why, by, .. } = &**correction;
                let what = self.mended(&correction.what);
                format!("the {by} corrects: {what}: {}; a second person is to confirm", reason(why))
            }
            Fact::CorrectionConfirmed { by, .. } => format!("the {by} confirms the correction"),
            Fact::CorrectionDropped(_) => "the correction is taken back".into(),
            Fact::Corrected(correction) => {
                let Correction { why, by, .. } = &**correction;
                let what = self.mended(&correction.what);
                format!("corrected by the {by}: {what}: {}", reason(why))
            }
            Fact::TableOpened(number) => format!("table {number} is in play"),
            Fact::Kept(keeping) => match keeping {
                Keeping::ChipsApart => "wagers are made with the session's chips alone".into(),
                Keeping::ChipsInView => {
                    "all chips stay in full view, and nobody adds or takes any".into()
                }
                Keeping::EqualStart => "everybody starts with as many chips".into(),
                Keeping::Advance => {
                    let stage = self.0.current_stage();
                    let stage = stage.and_then(|stage| self.0.conditions()?.stages.0.get(stage));
                    match stage.and_then(|stage| stage.advance) {
                        Some(advance) => format!("the best {advance} of each table advance"),
                        None => "how many advance is settled".into(),
                    }
                }
                Keeping::Director => "the director is present".into(),
            },
            Fact::ChairTaken { table, seat, entrant, is } => {
                let how = match is {
                    Seat::Taken => "sits",
                    Seat::Empty => "is missing",
                };
                format!("{} {how} at table {table} seat {seat}", self.one(*entrant))
            }
            Fact::SeatTakenOver { from, to } => {
                format!("{} has the seat of {}", self.one(*to), self.one(*from))
            }

            // Wagers.
            Fact::AtTable { table, event } => self.at_table(*table, event),
            Fact::MarkerAt { table, seat } => {
                let marker = self.marker();
                format!("the {marker} is before {}, who wagers first", self.at(*table, *seat))
            }
            Fact::Asked { table, seat } => format!("{} is asked to wager", self.at(*table, *seat)),
            Fact::OutOfOrder { entrant, again } => {
                let rules = self.0.book().tournament_wagers.as_ref();
                let void =
                    rules.is_some_and(|r| r.out_of_order.value == OutOfOrder::StandsThenVoid);
                let then = match (void, again) {
                    (true, true) => "; it may be declared void",
                    (true, false) => "; the player is advised that a further one may be void",
                    (false, _) => "",
                };
                let (who, turn) = (self.one(*entrant), self.turn(*entrant));
                format!("{who} wagers out of order ({turn} is to wager), and it stands{then}")
            }
            Fact::OutOfOrderVoided(id) => {
                format!("{}'s wager out of order is void", self.one(*id))
            }
            Fact::ToppedUp { entrant, from, to } => {
                format!("{} brings the wager of {from} up to {to}", self.one(*entrant))
            }
            Fact::OverMaximum(id) => {
                format!("{}'s wager counts up to the maximum only", self.one(*id))
            }
            Fact::HeldToMinimum(id) => {
                format!("{} let the time run out and wagers the minimum", self.one(*id))
            }
            Fact::TimeWaived(id) => {
                format!("the director waives the time to wager for {}", self.one(*id))
            }
            Fact::TimeWaivedForAll(table) => {
                format!("the director waives the time to wager at table {table} for this coup")
            }
            Fact::MissedCoup(id) => {
                let chair = self.0.sitting_of(*id).and_then(|sitting| sitting.chair(*id));
                let late = chair.is_some_and(|chair| chair.missed == Some(Missed::Late));
                let why = if late { "has not come" } else { "is away" };
                format!("{} {why}, and misses this coup", self.one(*id))
            }
            Fact::MayAlter(_) => "a tie: wagers on a hand lie, and may be altered, in turn".into(),
            Fact::WrongPlayer(id) => {
                format!("the cards are not {}'s to turn; what is exposed counts", self.one(*id))
            }
            Fact::DealerTurns { unwagered, .. } => match unwagered {
                true => "nobody wagered on that hand; the dealer turns its cards".into(),
                false => "no player turned the cards; the dealer does".into(),
            },

            // Eliminations, and the limits.
            Fact::Eliminated { entrant, why, .. } => {
                let why = match why {
                    OutWhy::Chips => "has less than the minimum and is out",
                    OutWhy::Raised => "has less than the minimum as it is now, and is out",
                    OutWhy::NotThere => "is not there and is out",
                    OutWhy::NoWager => "does not wager and is out",
                    OutWhy::Left => "is out of the session",
                };
                format!("{} {why}", self.one(*entrant))
            }
            Fact::CoupUndone(table) => {
                format!("the session of table {table} is as it was before that coup")
            }
            Fact::InAgain { entrant, cents, .. } => {
                format!("{} is in again, with {cents}", self.one(*entrant))
            }
            Fact::PlayGoesOn(table) => format!("what table {table} came to is judged anew"),
            Fact::PlaceVoid(id) => format!("nobody wagers from {}'s place", self.one(*id)),
            Fact::ChipsLeft(id) => {
                let whose = if self.is_live() { "the player's own" } else { "the house's" };
                format!("chips left to {} are {whose}", self.one(*id))
            }
            Fact::IndicatorIn(_) => {
                "the indicator card is in the shoe, about 2 decks from the back".into()
            }
            Fact::IndicatorOut(_) => {
                "the indicator card is laid aside, and the coup is finished".into()
            }
            Fact::LimitsRaised(_) => "the limits rise".into(),

            // Secret wagers.
            Fact::FormHandedIn { entrant, commitment } => {
                format!("{} hands in a sealed form: {commitment}", self.one(*entrant))
            }
            Fact::FormExamined(id) => format!("the inspector examined {}'s form", self.one(*id)),
            Fact::FormReturned(id) => {
                format!("the inspector hands {}'s form back to be put right", self.one(*id))
            }
            Fact::FormOpened { entrant, content, read, .. } => {
                let counts = match read {
                    Read::Wager { spot, amount } => format!("counts as {amount} on {}", spot.key()),
                    Read::Faulty => "is faulty, and the minimum is deducted".into(),
                    Read::BothSides => "is on the other hand than the chips; no effect".into(),
                };
                format!("{}'s form says “{content}” and {counts}", self.one(*entrant))
            }
            Fact::FormSpoiled(id) => {
                format!("{}'s form cannot be read; the minimum is deducted", self.one(*id))
            }
            Fact::FormVoid(id) => {
                format!("{}'s secret wager is void with its coup", self.one(*id))
            }
            Fact::FormShown { of, to } => {
                format!("{} sees {}'s form", self.one(*to), self.one(*of))
            }
            Fact::LayForms(_) => {
                "all bet secretly in the last coup of the final; the forms are opened now".into()
            }

            // The end of play.
            Fact::LastCoup(table) => format!("the coming coup of table {table} is the last"),
            Fact::EndedEarly(table) => format!("table {table} ends early: its winners are certain"),
            Fact::PlayEnded { table, ranking } => {
                let groups = ranking.iter().map(|group| self.with_chips(*table, group));
                format!("table {table} stands: {}", groups.collect::<Vec<_>>().join("; "))
            }
            Fact::PlayOffDue { players, .. } => {
                format!("{} are level and play off", self.all(players))
            }
            Fact::PlayOffDrawn { card, coups, .. } => {
                format!("{card} is drawn: the play-off has {coups} coups")
            }
            Fact::PlayOffStarted { chips, .. } => match chips {
                Some(chips) => format!("the play-off starts with {chips} for each"),
                None => "additional rounds are played".into(),
            },
            Fact::ChipsCollected(table) if self.is_live() => {
                format!("the players of table {table} keep their chips")
            }
            Fact::ChipsCollected(table) => format!("the chips of table {table} are collected"),
            Fact::Shared { players, .. } => {
                format!("what {} contest is put together and shared evenly", self.all(players))
            }
            Fact::TableFinished(table) => format!("table {table} is done"),
            Fact::SessionReopened(table) => {
                format!("table {table} is not done: its play is judged anew")
            }
            Fact::PointsTakenBack { entrant, parts } => {
                let points = Cents::new(parts * 100 / POINT).unwrap_or(Cents::MAX);
                format!("{points} points of {} are taken back", self.one(*entrant))
            }
            Fact::RunnersUp { ranking, places, .. } => {
                let groups = ranking.iter().map(|group| self.at_the_end(group));
                let groups = groups.collect::<Vec<_>>().join("; ");
                format!("of all others the best {places} advance: {groups}")
            }
            Fact::RunnersUpLevel { table, players, places, .. } => {
                let (players, places) = (self.all(players), *places);
                format!("{players} are level for {places} more, and play off at table {table}")
            }
            Fact::Advanced { stage, entrant } => {
                format!("{} advances from {}", self.one(*entrant), self.0.stage_name(*stage))
            }
            Fact::StoodDown { stage, entrant } => {
                format!(
                    "{} does not advance from {}",
                    self.one(*entrant),
                    self.0.stage_name(*stage)
                )
            }
            Fact::Points { entrant, parts, why } => {
                let points = Cents::new(parts * 100 / POINT).unwrap_or(Cents::MAX);
                format!("{} gets {points} points for {why}", self.one(*entrant))
            }
            Fact::Placed { place, entrant } => {
                format!("place {place}: {}", self.one(*entrant))
            }
            Fact::Prize { entrant, amount } => format!("{} wins {amount}", self.one(*entrant)),
            Fact::Goods { entrant, what } => format!("{} wins: {what}", self.one(*entrant)),
        }
    }
}
