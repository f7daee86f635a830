//! Writes a tournament's acts as lines of a transcript: the reverse of reading them.

use rules::Rulebook;
use table::Name;
use tournament::conditions::Moment;
use tournament::{Act, Conditions, Lot, Miskeyed, Offence};

use crate::name::say_name;
use crate::say::plain;

/// The lines for an act: several for conditions, none for an act that the language has no words
/// for. The book is named as somebody named it: with its sheets, and the path of its folder.
#[must_use]
pub fn say(act: &Act, book: &Rulebook, named: &str) -> Vec<String> {
    let conditions = if let Act::Document(conditions) = act { stated(conditions) } else { vec![] };
    conditions.into_iter().chain(line(act, book, named)).collect()
}

fn names(names: &[Name]) -> String {
    names.iter().map(|name| say_name(name)).collect::<Vec<_>>().join(" ")
}

/// The conditions, key by key.
fn stated(conditions: &Conditions) -> Vec<String> {
    let mut lines = Vec::new();
    if let Ok(toml::Value::Table(table)) = toml::Value::try_from(conditions) {
        for (key, value) in &table {
            let unsaid = match value {
                toml::Value::Array(list) => list.is_empty(),
                toml::Value::Boolean(yes) => !yes,
                toml::Value::String(word) => key == "ranking" && word == "chips",
                toml::Value::Table(_)
                | toml::Value::Integer(_)
                | toml::Value::Float(_)
                | toml::Value::Datetime(_) => false,
            };
            if let (toml::Value::Table(stages), "stages") = (value, key.as_str()) {
                let stages = stages.iter();
                lines.extend(stages.map(|(name, v)| format!("condition {key}.\"{name}\" = {v}")));
            } else if !unsaid {
                lines.push(format!("condition {key} = {value}"));
            }
        }
    }
    lines
}

#[expect(clippy::too_many_lines, reason = "one arm for each act")]
fn line(act: &Act, book: &Rulebook, named: &str) -> Option<String> {
    let at = |table: &Option<u32>, line: String| match table {
        Some(table) => format!("at table {table} {line}"),
        None => line,
    };
    Some(match act {
        Act::Tick => "clock +0m".into(),
        Act::Open => match (rulebooks::named(named), book.title.base) {
            ((named, Some(base)), _) => {
                format!("operator opens a tournament under {named} over {base}")
            }
            ((named, None), Some(base)) if rulebooks::ids().contains(&base.as_str()) => {
                format!("operator opens a tournament under {named} over {base}")
            }
            // A base beside the book's own folder is found by what the book says.
            ((named, None), _) => format!("operator opens a tournament under {named}"),
        },
        Act::Document(_) => "operator documents the conditions".into(),
        Act::Publish => "operator publishes the conditions".into(),
        Act::Notify => "operator notifies the regulator".into(),
        Act::Approve => "regulator approves the conditions".into(),
        Act::ApproveCommission => "regulator approves the commission".into(),
        Act::NameDirector(name) => format!("operator names {} director", say_name(name)),
        Act::HandOver(name) => format!("director hands over to {}", say_name(name)),
        Act::DirectorLeaves => "director leaves".into(),
        Act::DirectorReturns => "director returns".into(),
        Act::RequireAgreement => "director requires agreement in writing".into(),
        Act::TellConditions => "director tells the conditions".into(),
        Act::OpenEntries => "operator opens entries".into(),
        Act::AddToPool(amount) => format!("operator adds {amount} to the pool"),
        Act::Apply(name) => format!("{} applies", say_name(name)),
        Act::Agree(name) => format!("{} agrees to the conditions", say_name(name)),
        Act::Accept(name) => format!("director accepts {}", say_name(name)),
        Act::Enter(all) => format!("director enters {}", names(all)),
        Act::RefuseEntry(name, why) => {
            format!("director refuses {} because {}", say_name(name), plain(why))
        }
        Act::Withdraw(name) => format!("{} withdraws", say_name(name)),
        Act::Disqualify(name, Offence::Breach(why)) => {
            format!("director disqualifies {} because {}", say_name(name), plain(why))
        }
        Act::Disqualify(name, Offence::Absence) => {
            format!("director disqualifies {} for absence", say_name(name))
        }
        Act::Disqualify(name, Offence::HiddenChips) => {
            format!("director disqualifies {} for hiding chips", say_name(name))
        }
        Act::Nominate(name, substitute) => {
            format!("{} nominates {}", say_name(name), say_name(substitute))
        }
        Act::Substitute(name, substitute) => {
            format!("director approves {} for {}", say_name(substitute), say_name(name))
        }
        Act::Cancel(why) => format!("operator cancels the tournament because {}", plain(why)),
        Act::CloseEntries => "director closes entries".into(),
        Act::MoveStart(to) => format!("director moves the start to {}", Moment(*to)),
        Act::NameTables(tables) => {
            let numbers: Vec<_> = tables.iter().map(ToString::to_string).collect();
            format!("director names tables {}", numbers.join(" "))
        }
        Act::PlayersATable(number) => format!("director sets {number} players a table"),
        Act::CommitBallot(hash) => format!("director commits to the ballot {hash}"),
        Act::AbandonBallot => "director abandons the ballot".into(),
        Act::DrawAgain(why) => format!("director draws again because {}", plain(why)),
        Act::AddToBallot(name, words) => {
            format!("{} adds \"{words}\" to the ballot", say_name(name))
        }
        Act::RevealBallot(secret) => format!("director reveals the ballot \"{secret}\""),
        Act::Allot { name, table, seat, lot } => {
            let how = match lot {
                Lot::Drawn => "draws",
                Lot::Given => "allots",
            };
            format!("director {how} {} to table {table} seat {seat}", say_name(name))
        }
        Act::TakeSeat(name) => format!("{} takes the seat", say_name(name)),
        Act::TakeSeats(except) if except.is_empty() => "players take their seats".into(),
        Act::TakeSeats(except) => format!("players take their seats except {}", names(except)),
        Act::OfferSeat(from, to) => {
            format!("director offers the seat of {} to {}", say_name(from), say_name(to))
        }
        Act::Start => "director starts the session".into(),
        Act::Break(time) => format!("director gives a break of {}m", time / 60_000_000),
        Act::Resume => "director resumes play".into(),
        Act::SetWagerTime(time) => format!("director sets {}s to wager", time / 1_000_000),
        Act::WaiveTime(name) => {
            format!("director waives the time to wager for {}", say_name(name))
        }
        Act::WaiveTimeForAll(table) => {
            at(table, "director waives the time to wager for everybody".into())
        }
        Act::LiftWagerTime => "director lifts the time to wager".into(),
        Act::MoveTable { from, to, why } => {
            format!("director moves table {from} to table {to} because {}", plain(why))
        }
        Act::Correct(wrong, why) => {
            let (table, wrong) = miskeyed(wrong);
            at(&table, format!("director corrects {wrong} because {}", plain(why)))
        }
        Act::ConfirmCorrection(table) => at(table, "supervisor confirms the correction".into()),
        Act::DropCorrection(table) => at(table, "director takes the correction back".into()),
        Act::Direct(name) => format!("director directs {} to wager", say_name(name)),
        Act::GoAway(name) => format!("{} goes away", say_name(name)),
        Act::ComeBack(name) => format!("{} comes back", say_name(name)),
        Act::At(table, act) => at(table, crate::say(table::By::usual(act), act, &book.title.id)?),
        Act::PlaceMarker(table, seat) => {
            at(table, format!("dealer places the marker at seat {seat}"))
        }
        Act::Ask(name) => format!("dealer asks {}", say_name(name)),
        Act::Eliminate(name) => format!("director eliminates {}", say_name(name)),
        Act::VoidOutOfOrder(name) => format!("director voids the wager of {}", say_name(name)),
        Act::InsertIndicator(table) => at(table, "inspector inserts the indicator card".into()),
        Act::IndicatorAppears(table) => at(table, "indicator card appears".into()),
        Act::RaiseLimits(table) => at(table, "director raises the limits".into()),
        Act::HandIn(name, hash) => format!("{} hands in a form {hash}", say_name(name)),
        Act::Examine(name) => format!("inspector examines {}'s form", say_name(name)),
        Act::ReturnForm(name) => format!("inspector returns {}'s form", say_name(name)),
        Act::OpenForm { name, salt, content } => {
            format!("inspector opens {}'s form with salt {salt} saying {content}", say_name(name))
        }
        Act::SpoilForm(name) => format!("inspector cannot read {}'s form", say_name(name)),
        Act::AskForm(name, of) => format!("{} asks to see {}'s form", say_name(name), say_name(of)),
        Act::AnnounceLast(table) => at(table, "director announces the last coup".into()),
        Act::EndEarly(table) => at(table, "director ends the session early".into()),
        Act::DrawForPlayOff(table, card) => {
            at(table, format!("director draws {card} for the play-off"))
        }
        Act::StartPlayOff(table, None) => at(table, "director starts the play-off".into()),
        Act::StartPlayOff(table, Some(chips)) => {
            at(table, format!("director starts the play-off with {chips}"))
        }
        Act::BuyBack(name) => format!("{} buys back in", say_name(name)),
        Act::AwardPoints(name, points, why) => {
            let why = plain(why);
            format!("director awards {} {points} points for {why}", say_name(name))
        }
        Act::AwardPrizes => "director awards the prizes".into(),
    })
}

/// What was recorded wrongly, and the table if it is given.
fn miskeyed(wrong: &Miskeyed) -> (Option<u32>, String) {
    match wrong {
        Miskeyed::Wager { name, coup, spot, amount } => {
            let coup = coup.map_or_else(String::new, |coup| format!(" in coup {coup}"));
            let (name, spot) = (say_name(name), spot.key());
            (None, format!("{name}'s wager{coup} to {amount} on {spot}"))
        }
        Miskeyed::Card { table, coup, number, card } => {
            (*table, format!("card {number} of coup {coup} to {card}"))
        }
        Miskeyed::Seat { name, seat } => (None, format!("{}'s seat to {seat}", say_name(name))),
        Miskeyed::Chips { name, amount } => {
            (None, format!("{}'s chips to {amount}", say_name(name)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Line, read};

    /// Every act that names a person, with both names in each position.
    fn acts(name: Name, other: Name) -> Vec<Act> {
        let hash = shoe::Digest::of(&[b"form"]);
        vec![
            Act::NameDirector(name),
            Act::Apply(name),
            Act::Agree(name),
            Act::Accept(name),
            Act::Enter(vec![name, other, name]),
            Act::RefuseEntry(name, "of #1 \"x\"".into()),
            Act::Withdraw(name),
            Act::Disqualify(name, Offence::Breach("of cheating".into())),
            Act::Disqualify(name, Offence::Absence),
            Act::Disqualify(name, Offence::HiddenChips),
            Act::Nominate(name, other),
            Act::Substitute(name, other),
            Act::AddToBallot(name, "a b".into()),
            Act::Allot { name, table: 1, seat: 2, lot: Lot::Drawn },
            Act::TakeSeat(name),
            Act::TakeSeats(vec![name, other]),
            Act::OfferSeat(name, other),
            Act::Direct(name),
            Act::HandOver(name),
            Act::Correct(Box::new(Miskeyed::Seat { name, seat: 3 }), "it was keyed so".into()),
            Act::Correct(
                Box::new(Miskeyed::Chips { name, amount: rules::Cents::ZERO }),
                "of the count".into(),
            ),
            Act::Correct(
                Box::new(Miskeyed::Wager {
                    name,
                    coup: Some(2),
                    spot: rules::Spot::Tie,
                    amount: rules::Cents::ZERO,
                }),
                "of a slip".into(),
            ),
            Act::GoAway(name),
            Act::ComeBack(name),
            Act::Ask(name),
            Act::Eliminate(name),
            Act::VoidOutOfOrder(name),
            Act::HandIn(name, hash),
            Act::Examine(name),
            Act::ReturnForm(name),
            Act::OpenForm { name, salt: "a".into(), content: "50 on player".into() },
            Act::SpoilForm(name),
            Act::AskForm(name, other),
            Act::BuyBack(name),
            Act::AwardPoints(name, 3, "roulette".into()),
        ]
    }

    #[test]
    fn time_that_passes_has_a_line_and_what_has_no_words_has_none() {
        let book = rulebooks::load("act-2018", None).expect("a book of the house").rulebook;
        assert_eq!(say(&Act::Tick, &book, "act-2018"), ["clock +0m"]);
        let wordless = table::Act::GiveNotice(table::SignLine::CapAreas(None), None);
        assert!(say(&Act::At(None, Box::new(wordless)), &book, "act-2018").is_empty());
    }

    #[test]
    fn a_book_is_opened_as_it_was_named() {
        let opens = |name: &str| {
            let (book, base) = rulebooks::named(name);
            let book = rulebooks::load(book, base).expect("a book of the house").rulebook;
            say(&Act::Open, &book, name).concat()
        };
        assert_eq!(opens("act-2018"), "operator opens a tournament under act-2018");
        let over = "operator opens a tournament under vic-2005 over";
        assert_eq!(opens("vic-2005"), format!("{over} tas-2013"));
        assert_eq!(opens("vic-2005@act-2012"), format!("{over} act-2012"));
        let with = "operator opens a tournament under act-2018+lucky-6+tiger";
        assert_eq!(opens("act-2018+lucky-6+tiger"), with);
    }

    #[test]
    fn whoever_is_named_comes_back_from_the_line() {
        let book = rulebooks::load("act-2018", None).expect("a book of the house").rulebook;
        let names = ["Ann", "O'Brien", "Mary Ann", "Nguyễn", "table", "the", "Dr. No", "James'"];
        let names = names.map(|text| crate::name(text).expect("a name"));
        for name in names {
            for act in names.into_iter().flat_map(|other| acts(name, other)) {
                let lines = say(&act, &book, "act-2018");
                let read = read(&lines[0]);
                let Ok(Line::Event(_, read)) = read else {
                    panic!("{lines:?} is read as {read:?}")
                };
                assert_eq!(say(&read, &book, "act-2018"), lines);
                assert!(matches!(act, Act::RefuseEntry(..)) || *read == act, "{lines:?}: {read:?}");
            }
        }
    }
}
