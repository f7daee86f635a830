//! Writes acts as lines of a transcript: the reverse of reading them.

use rules::book::Exposure;
use rules::{Card, Cents};
use table::{Act, Bet, By, Checker, Decision, Deed, Limits, Options, SignLine, Work};

use crate::name::say_name;

const MINUTE: u64 = 60_000_000;

/// The line for an act of somebody; `None` for an act that the language has no words for. An
/// opening names `book`, with its base after an `@`. One arm for each act.
#[must_use]
pub fn say(by: By, act: &Act, book: &str) -> Option<String> {
    let role = by.role;
    Some(match act {
        Act::Tick => "clock +0m".into(),
        Act::Open(options) => opens(options, book),
        Act::Post(posting) => post(posting)?,
        Act::GiveNotice(posting, after) => {
            let after = match after {
                Some(after) if after % MINUTE == 0 => format!(" in {}m", after / MINUTE),
                Some(_) => return None,
                None => String::new(),
            };
            match posting {
                SignLine::Closing if after.is_empty() => "operator gives notice of closing".into(),
                SignLine::Differential(_)
                | SignLine::Liability(_)
                | SignLine::Method(_)
                | SignLine::Offer(_)
                | SignLine::Withdraw(_)
                | SignLine::Lift(_)
                | SignLine::LiftCap
                | SignLine::Limits(..) => {
                    let posted = post(posting)?;
                    let what = posted.strip_prefix("operator ")?;
                    let what = what.strip_prefix("posts ").unwrap_or(what);
                    let what = what.replace("withdraws ", "withdrawing ");
                    let what = what.replace("lifts ", "lifting ");
                    format!("operator gives notice of {what}{after}")
                }
                SignLine::Closing
                | SignLine::Chips(_)
                | SignLine::Sharing(_)
                | SignLine::CapAreas(_)
                | SignLine::FaceDown(_) => return None,
            }
        }
        Act::PlayersConsent => "players consent".into(),
        // The language has no words for a step of the player's own.
        Act::Allow(_, _, Limits { step: Some(_), .. }) => return None,
        Act::Allow(name, group, Limits { least, most, step: None }) => {
            format!("operator allows {} {} {least}..{most}", say_name(name), group.key())
        }
        Act::VoidCoup(why) => format!("{role} voids the coup because {}", plain(why)),
        Act::VoidNumbered(coup, why) => {
            format!("operator voids coup {coup} because {}", plain(why))
        }
        Act::DecideDispute(coup, text) => {
            format!("operator decides the dispute over coup {coup}: {}", plain(text))
        }
        Act::ReviewDispute(coup, text) => {
            format!("regulator reviews the dispute over coup {coup}: {}", plain(text))
        }
        Act::InspectorLeaves => "inspector leaves".into(),
        Act::InspectorReturns => "inspector returns".into(),
        Act::Invalidate(why) => format!("operator invalidates the coup because {}", plain(why)),
        Act::VoidWagers(name, coup, why) => {
            let coup = coup.map_or(String::new(), |coup| format!(" in coup {coup}"));
            format!("operator voids {}'s wagers{coup} because {}", say_name(name), plain(why))
        }
        Act::Exclude(name, why) => {
            format!("operator excludes {} because {}", say_name(name), plain(why))
        }
        Act::RequireSeat(seat) => format!("operator requires seat {seat}"),
        Act::ReplaceCards => "operator replaces the cards".into(),
        Act::Close => "operator closes the table".into(),
        Act::GiveRules => "operator gives a copy of the rules".into(),
        Act::Player(name, act) => format!("{} {}", say_name(name), deed(act)),
        Act::Dealer(Work::Check(by)) => match by {
            Checker::Dealer => "dealer checks the cards".into(),
            Checker::Supervisor => format!("{role} checks the cards"),
            Checker::Device => "device checks the cards".into(),
        },
        Act::Dealer(act) => format!("dealer {}", work(act)),
        Act::Supervisor(act) => format!("{role} {}", decision(act)),
        Act::CuttingCardAppears => "cutting card appears".into(),
        Act::CuttingCardShows => "cutting card shows".into(),
        Act::ShoeRunsOut => "shoe runs out".into(),
        Act::FreshShoe => "fresh shoe".into(),
    })
}

/// A reason on one line, without anything that would begin a comment. Reading removes quotes around
/// the whole text, so a text that has its own gets another pair.
pub(crate) fn plain(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().map(|word| word.replace('#', "")).collect();
    let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let text = words.join(" ");
    if crate::form::unquoted(&text) == text { text } else { format!("\"{text}\"") }
}

fn opens(options: &Options, book: &str) -> String {
    let (book, base) = rulebooks::named(book);
    let mut with = vec![format!("settlement={}", options.terms.method.key())];
    with.extend(options.terms.side_bets.iter().map(|offer| offer.to_string()));
    with.extend(options.decks.map(|decks| format!("decks={decks}")));
    with.extend(options.seats.map(|seats| format!("seats={seats}")));
    with.extend(options.face_down.then(|| "face=down".to_owned()));
    with.extend(options.layout.map(|layout| format!("layout={}", layout.key())));
    with.extend(options.cutting_cards.map(|cards| format!("cutting-cards={cards}")));
    with.extend(base.map(|base| format!("base={base}")));
    format!("operator opens {book} with {}", with.join(", "))
}

fn post(posting: &SignLine) -> Option<String> {
    Some(match posting {
        SignLine::Limits(group, Limits { least, most, step }) => {
            let step = step.map_or(String::new(), |step| format!(" by {step}"));
            format!("operator posts {} {least}..{most}{step}", group.key())
        }
        SignLine::Differential(most) => format!("operator posts differential {most}"),
        SignLine::Liability(most) => format!("operator posts liability {most}"),
        SignLine::Chips(chips) => {
            let chips: Vec<_> = chips.iter().map(Cents::to_string).collect();
            format!("operator posts chips {}", chips.join(" "))
        }
        SignLine::Sharing(players) => format!("operator permits {players} on an area"),
        SignLine::CapAreas(None) => "operator caps areas".into(),
        SignLine::CapAreas(Some(name)) => format!("operator caps areas for {}", say_name(name)),
        SignLine::LiftCap => "operator lifts the cap".into(),
        SignLine::Lift(Exposure::Differential) => "operator lifts the differential".into(),
        SignLine::Lift(Exposure::Liability) => "operator lifts the liability".into(),
        SignLine::Offer(offer) => format!("operator posts {offer}"),
        SignLine::Withdraw(group) => format!("operator withdraws {group}"),
        SignLine::FaceDown(down) => {
            format!("operator sets face={}", if *down { "down" } else { "up" })
        }
        SignLine::Method(method) => format!("operator posts settlement={}", method.key()),
        SignLine::Closing => return None,
    })
}

fn deed(deed: &Deed) -> String {
    match deed {
        Deed::Sit(seat, chips) => format!("sits at {seat} with {chips}"),
        Deed::StandBehind(seat, chips) => format!("stands behind {seat} with {chips}"),
        Deed::Bet(Bet { spot, amount, place, unnoticed, in_error }) => {
            let place = place.map_or(String::new(), |place| format!(" at {place}"));
            let unnoticed = if *unnoticed { " unnoticed" } else { "" };
            let in_error = if *in_error { " in error" } else { "" };
            format!("bets {amount} on {}{place}{unnoticed}{in_error}", spot.key())
        }
        Deed::Call { spot, amount, with_chips } => {
            let chips = if *with_chips { " with chips" } else { "" };
            format!("calls {amount} on {}{chips}", spot.key())
        }
        Deed::BetAgainst(name, amount) => format!("bets {amount} against {}", say_name(name)),
        Deed::TakeBack(spot) => format!("takes back {}", spot.key()),
        Deed::Move(amount, from, to) => {
            format!("moves {amount} from {} to {}", from.key(), to.key())
        }
        Deed::Waive(group) => format!("waives {group}"),
        Deed::AskNoBet => "asks for a no-bet coup".into(),
        Deed::Agree => "agrees".into(),
        Deed::Object => "objects".into(),
        Deed::AskFaceDown => "asks for face down".into(),
        Deed::AskRiffle => "asks for a riffle".into(),
        Deed::Inspect => "inspects the cards".into(),
        Deed::Cut(depth) => format!("cuts at {depth}"),
        Deed::DeclineCut => "declines the cut".into(),
        Deed::RefuseCards => "refuses the cards".into(),
        Deed::Turn(side, cards) => turns(*side, *cards),
        Deed::TurnThird(side, card) => turns_third(*side, *card),
        Deed::Dispute(coup) => format!("disputes coup {coup}"),
        Deed::AskRules => "asks for the rules".into(),
        Deed::Leave => "leaves".into(),
    }
}

fn turns(side: rules::Side, cards: Option<[Card; 2]>) -> String {
    let cards = cards.map_or(String::new(), |[first, second]| format!(" {first} {second}"));
    format!("turns the {} cards{cards}", side.key())
}

fn turns_third(side: rules::Side, card: Option<Card>) -> String {
    let card = card.map_or(String::new(), |card| format!(" {card}"));
    format!("turns the {} third card{card}", side.key())
}

fn card(card: Option<Card>) -> String {
    card.map_or("??".into(), |card| card.to_string())
}

fn work(work: &Work) -> String {
    let down = |face_down: bool| if face_down { " face down" } else { "" };
    match work {
        Work::Check(_) => "checks the cards".into(),
        Work::Shuffle => "shuffles".into(),
        Work::Riffle => "riffles".into(),
        Work::PreShuffled => "introduces pre-shuffled cards".into(),
        Work::OfferCut(name) => format!("offers the cut to {}", say_name(name)),
        Work::PlaceCuttingCard(behind) => format!("places the cutting card at {behind}"),
        Work::Burn(shown) => format!("burns {shown}"),
        Work::BurnUnseen => "burns unseen".into(),
        Work::BurnCounted { card: shown, further } => {
            format!("burns {} and {further} cards", card(*shown))
        }
        Work::BurnMore(more) => format!("burns {more} more cards"),
        Work::SkipBurn => "skips the burn".into(),
        Work::NoMoreBets => "calls no more bets".into(),
        Work::Reduce(side) => format!("reduces {}", side.key()),
        Work::LetStand => "lets the wagers stand".into(),
        Work::Deal(cards) => format!("deals {}", cards.map(card).join(" ")),
        Work::Draw { card: drawn, to, face_down } => {
            format!("draws {} to {}{}", card(*drawn), to.key(), down(*face_down))
        }
        Work::DrawExcess { card: drawn, face_down } => {
            format!("draws {} in excess{}", card(*drawn), down(*face_down))
        }
        Work::FindFaceUp(found) => format!("finds {found} face up"),
        Work::Pass(side, name) => format!("passes the {} cards to {}", side.key(), say_name(name)),
        Work::Turn(side, cards) => turns(*side, *cards),
        Work::TurnThird(side, card) => turns_third(*side, *card),
    }
}

fn decision(decision: &Decision) -> String {
    match decision {
        Decision::ApproveBothSides(name) => format!("approves both sides for {}", say_name(name)),
        Decision::ApproveOptionalCoups => "approves five coups".into(),
        Decision::ApproveRiffle => "approves a riffle".into(),
        Decision::DirectNoBet => "directs a no-bet coup".into(),
        Decision::DirectShuffle => "directs a shuffle".into(),
        Decision::Cut(depth) => format!("cuts at {depth}"),
        Decision::Reconstruct(cards) if cards.is_empty() => "reconstructs the coup".into(),
        Decision::Reconstruct(cards) => {
            let cards: Vec<_> = cards.iter().map(Card::to_string).collect();
            format!("reconstructs the coup in the order {}", cards.join(" "))
        }
        Decision::CannotReconstruct => "cannot reconstruct the coup".into(),
        Decision::PermitChanges => "permits changes".into(),
        Decision::InformManagement => "informs management".into(),
        Decision::InformSurveillance => "informs surveillance".into(),
        Decision::Decide(text) => format!("decides: {}", plain(text)),
        Decision::FindError(coup) => format!("finds an error in coup {coup}"),
        Decision::Resume => "resumes".into(),
    }
}
