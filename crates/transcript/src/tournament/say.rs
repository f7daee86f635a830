//! A tournament's acts as lines of a transcript: what reading them undoes.

use rules::Rulebook;
use table::Name;
use tournament::conditions::Moment;
use tournament::{Act, Conditions, Ground};

/// An act as the lines that say it. Conditions take several.
#[must_use]
pub fn say(act: &Act, book: &Rulebook) -> Vec<String> {
    if let Act::Document(conditions) = act {
        return document(conditions);
    }
    vec![entry(act, book).or_else(|| seating(act)).or_else(|| play(act, book)).unwrap_or_default()]
}

fn names(names: &[Name]) -> String {
    names.iter().map(Name::as_str).collect::<Vec<_>>().join(" ")
}

/// Conditions, key by key.
fn document(conditions: &Conditions) -> Vec<String> {
    let mut lines = Vec::new();
    if let Ok(toml::Value::Table(table)) = toml::Value::try_from(conditions) {
        for (key, value) in &table {
            match value {
                toml::Value::Table(entries) if key == "stages" => {
                    let stages = entries.iter();
                    lines.extend(
                        stages.map(|(name, v)| format!("condition {key}.\"{name}\" = {v}")),
                    );
                }
                toml::Value::Array(list) if list.is_empty() => {}
                toml::Value::Boolean(false) => {}
                toml::Value::String(word) if key == "ranking" && word == "chips" => {}
                value => lines.push(format!("condition {key} = {value}")),
            }
        }
    }
    lines.push("operator documents the conditions".into());
    lines
}

fn entry(act: &Act, book: &Rulebook) -> Option<String> {
    Some(match act {
        Act::Open => match book.title.base {
            Some(base) => {
                format!("operator opens a tournament under {} over {base}", book.title.id)
            }
            None => format!("operator opens a tournament under {}", book.title.id),
        },
        Act::Publish => "operator publishes the conditions".into(),
        Act::Notify => "operator notifies the regulator".into(),
        Act::Approve => "regulator approves the conditions".into(),
        Act::ApproveCommission => "regulator approves the commission".into(),
        Act::NameDirector(name) => format!("operator names {name} director"),
        Act::DirectorLeaves => "director leaves".into(),
        Act::DirectorReturns => "director returns".into(),
        Act::RequireAgreement => "director requires agreement in writing".into(),
        Act::TellConditions => "director tells the conditions".into(),
        Act::OpenEntries => "operator opens entries".into(),
        Act::AddToPool(amount) => format!("operator adds {amount} to the pool"),
        Act::Apply(name) => format!("{name} applies"),
        Act::Agree(name) => format!("{name} agrees to the conditions"),
        Act::Accept(name) => format!("director accepts {name}"),
        Act::Enter(all) => format!("director enters {}", names(all)),
        Act::RefuseEntry(name, why) => format!("director refuses {name} because {why}"),
        Act::Withdraw(name) => format!("{name} withdraws"),
        Act::Disqualify(name, Ground::Breach(why)) => {
            format!("director disqualifies {name} because {why}")
        }
        Act::Disqualify(name, Ground::Absence) => {
            format!("director disqualifies {name} for absence")
        }
        Act::Disqualify(name, Ground::HiddenChips) => {
            format!("director disqualifies {name} for hiding chips")
        }
        Act::Nominate(name, substitute) => format!("{name} nominates {substitute}"),
        Act::Substitute(name, substitute) => format!("director approves {substitute} for {name}"),
        Act::Cancel(why) => format!("operator cancels the tournament because {why}"),
        Act::CloseEntries => "director closes entries".into(),
        _ => return None,
    })
}

fn seating(act: &Act) -> Option<String> {
    Some(match act {
        Act::MoveStart(to) => format!("director moves the start to {}", Moment(*to)),
        Act::NameTables(tables) => {
            let numbers: Vec<_> = tables.iter().map(ToString::to_string).collect();
            format!("director names tables {}", numbers.join(" "))
        }
        Act::PlayersATable(number) => format!("director sets {number} players a table"),
        Act::CommitBallot(hash) => format!("director commits to the ballot {hash}"),
        Act::AbandonBallot => "director abandons the ballot".into(),
        Act::AddToBallot(name, words) => format!("{name} adds \"{words}\" to the ballot"),
        Act::RevealBallot(secret) => format!("director reveals the ballot \"{secret}\""),
        Act::Allot { name, table, seat, by_lot } => {
            let how = if *by_lot { "draws" } else { "allots" };
            format!("director {how} {name} to table {table} seat {seat}")
        }
        Act::TakeSeat(name) => format!("{name} takes the seat"),
        Act::TakeSeats(except) if except.is_empty() => "players take their seats".into(),
        Act::TakeSeats(except) => format!("players take their seats except {}", names(except)),
        Act::OfferSeat(from, to) => format!("director offers the seat of {from} to {to}"),
        Act::Start => "director starts the session".into(),
        Act::Break(time) => format!("director gives a break of {}m", time / 60_000_000),
        Act::Resume => "director resumes play".into(),
        Act::SetWagerTime(time) => format!("director sets {}s to wager", time / 1_000_000),
        Act::WaiveTime(name) => format!("director waives the time to wager for {name}"),
        Act::Direct(name) => format!("director directs {name} to wager"),
        Act::GoAway(name) => format!("{name} goes away"),
        Act::ComeBack(name) => format!("{name} comes back"),
        _ => return None,
    })
}

fn play(act: &Act, book: &Rulebook) -> Option<String> {
    let at = |table: &Option<u32>, line: String| match table {
        Some(table) => format!("at table {table} {line}"),
        None => line,
    };
    Some(match act {
        Act::At(table, act) => at(table, crate::say(act, &book.title.id)?),
        Act::PlaceMarker(table, seat) => {
            at(table, format!("dealer places the marker at seat {seat}"))
        }
        Act::Ask(name) => format!("dealer asks {name}"),
        Act::Eliminate(name) => format!("director eliminates {name}"),
        Act::VoidOutOfOrder(name) => format!("director voids the wager of {name}"),
        Act::InsertIndicator(table) => at(table, "inspector inserts the indicator card".into()),
        Act::IndicatorAppears(table) => at(table, "indicator card appears".into()),
        Act::RaiseLimits(table) => at(table, "director raises the limits".into()),
        Act::HandIn(name, hash) => format!("{name} hands in a form {hash}"),
        Act::Examine(name) => format!("inspector examines {name}'s form"),
        Act::ReturnForm(name) => format!("inspector returns {name}'s form"),
        Act::OpenForm { name, salt, content } => {
            format!("inspector opens {name}'s form with salt {salt} saying {content}")
        }
        Act::SpoilForm(name) => format!("inspector cannot read {name}'s form"),
        Act::AskForm(name, of) => format!("{name} asks to see {of}'s form"),
        Act::AnnounceLast(table) => at(table, "director announces the last coup".into()),
        Act::EndEarly(table) => at(table, "director ends the session early".into()),
        Act::DrawForPlayOff(table, card) => {
            at(table, format!("director draws {card} for the play-off"))
        }
        Act::StartPlayOff(table, None) => at(table, "director starts the play-off".into()),
        Act::StartPlayOff(table, Some(chips)) => {
            at(table, format!("director starts the play-off with {chips}"))
        }
        Act::BuyBack(name) => format!("{name} buys back in"),
        Act::AwardPoints(name, points, why) => {
            format!("director awards {name} {points} points for {why}")
        }
        Act::AwardPrizes => "director awards the prizes".into(),
        _ => return None,
    })
}
