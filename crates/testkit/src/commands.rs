//! Commands: mostly what could come next at this table, now and then anything at all.

use rules::book::Exposure;
use rules::value::Layout;
use rules::{Card, Cents, Group, Method, Offer, Side, Spot, Terms};
use table::{
    Act, Bet, Checker, Decision, Deed, Limits, Name, Options, Phase, SignLine, Table, Work,
};

use crate::choices::Choices;

const NAMES: [&str; 9] =
    ["Ann", "Bo", "Mary Ann", "O'Brien", "Nguyễn", "Shoe", "says", "Dr. No", "Ida"];

/// A command made of choices.
pub fn any_command(choices: &mut Choices<'_>, table: &Table) -> Act {
    if choices.one_in(12) {
        return hostile(choices);
    }
    match table.phase() {
        Phase::Unopened => Act::Open(options(choices)),
        Phase::Preparing => preparing(choices),
        Phase::Betting if choices.one_in(40) => find_error(choices, table),
        Phase::Betting if !choices.one_in(3) => good_bet(choices, table),
        Phase::Betting => betting(choices),
        Phase::Called | Phase::Dealing => match table.coup() {
            Some(coup) if coup.suspended.is_some() && choices.one_in(3) => {
                Act::Supervisor(Decision::Resume)
            }
            Some(coup) if coup.has_hidden() && !choices.one_in(4) => {
                let two = [card(choices), card(choices)];
                Act::Dealer(Work::Turn(side(choices), Some(two)))
            }
            _ if choices.one_in(4) => trouble(choices),
            _ => draw(choices),
        },
        Phase::Closed => Act::Tick,
    }
}

/// A wager of somebody who is there, or the deal.
fn good_bet(choices: &mut Choices<'_>, table: &Table) -> Act {
    let here: Vec<_> = table.players().iter().filter(|player| player.present).collect();
    if here.len() < 2 {
        return arriving(choices);
    }
    if table.wagers().len() >= here.len() || choices.one_in(4) {
        return deal(choices);
    }
    let name = here[choices.below(here.len())].name;
    Act::Player(name, Deed::Bet(Bet { place: None, ..bet(choices) }))
}

/// An error found in one of the coups so far.
fn find_error(choices: &mut Choices<'_>, table: &Table) -> Act {
    let coups = usize::try_from(table.coups()).unwrap_or(0);
    let coup = coups.saturating_sub(choices.below(6));
    Act::Supervisor(Decision::FindError(u32::try_from(coup).unwrap_or(0)))
}

fn name(choices: &mut Choices<'_>) -> Name {
    Name::from(choices.of(&NAMES)).unwrap_or_default()
}

fn card(choices: &mut Choices<'_>) -> Card {
    let index = u8::try_from(choices.below(Card::KINDS)).unwrap_or(0);
    Card::from_index(index).unwrap_or_else(|| Card::new(rules::Rank::Ace, rules::Suit::Spades))
}

fn some_card(choices: &mut Choices<'_>) -> Option<Card> {
    if choices.one_in(40) { None } else { Some(card(choices)) }
}

fn side(choices: &mut Choices<'_>) -> Side {
    choices.of(&Side::BOTH)
}

fn spot(choices: &mut Choices<'_>) -> Spot {
    if choices.one_in(3) {
        choices.of(&any_spots())
    } else {
        choices.of(&[Spot::Banker, Spot::Player])
    }
}

/// Spots that some book has, and one that none has.
pub(crate) fn any_spots() -> Vec<Spot> {
    let sides = ["banker-pair", "player-pair", "banker-dragon", "player-dragon", "nowhere"];
    Spot::MAIN.into_iter().chain(sides.into_iter().filter_map(Spot::from_key)).collect()
}

fn any_group(choices: &mut Choices<'_>) -> Group {
    let groups = ["main", "tie", "pairs", "dragon", "nothing"];
    groups.get(choices.below(groups.len())).and_then(|g| Group::from_key(g)).unwrap_or(Group::Main)
}

fn any_method(choices: &mut Choices<'_>) -> Method {
    let methods = ["commission", "half-on-six", "commission", "free"];
    let said = methods.get(choices.below(methods.len())).and_then(|key| Method::from_key(key));
    said.unwrap_or_else(Method::commission)
}

fn any_offer(choices: &mut Choices<'_>) -> Offer {
    let offers = ["pairs=perfect", "pairs=canberra", "dragon", "pairs", "nothing"];
    let said = offers.get(choices.below(offers.len())).and_then(|offer| Offer::said(offer));
    said.expect("these are offers")
}

fn cents(cents: u64) -> Cents {
    Cents::new(cents).unwrap_or(Cents::MAX)
}

fn amount(choices: &mut Choices<'_>) -> Cents {
    let round = [500, 1000, 2500, 5000, 10_000, 100_000, 250];
    match choices.below(30) {
        0 => cents(u64::from(choices.byte())),
        1 => Cents::MAX,
        2 => Cents::ZERO,
        _ => cents(choices.of(&round)),
    }
}

fn options(choices: &mut Choices<'_>) -> Options {
    let method = any_method(choices);
    let side_bets = (0..choices.below(3)).map(|_| any_offer(choices)).collect();
    Options {
        terms: Terms { method, side_bets },
        decks: if choices.one_in(8) { choices.of(&[Some(4), Some(0), Some(9)]) } else { None },
        seats: if choices.one_in(8) { choices.of(&[Some(9), Some(3), Some(0)]) } else { None },
        face_down: choices.one_in(6),
        layout: if choices.one_in(8) { Some(Layout::Midi) } else { None },
        cutting_cards: if choices.one_in(8) { choices.of(&[Some(1), Some(5)]) } else { None },
    }
}

fn limits(choices: &mut Choices<'_>) -> Limits {
    let least = choices.of(&[500, 1000, 2500]);
    let most = choices.of(&[5000, 10_000, 100_000, 100]);
    Limits { least: cents(least), most: cents(most), step: choices.of(&[None, Some(cents(500))]) }
}

fn posting(choices: &mut Choices<'_>) -> SignLine {
    match choices.below(16) {
        13 => SignLine::Lift(choices.of(Exposure::ALL)),
        14 => SignLine::Offer(any_offer(choices)),
        15 => SignLine::Withdraw(any_offer(choices).group),
        0 => SignLine::Differential(amount(choices)),
        1 => SignLine::Liability(amount(choices)),
        2 => SignLine::Chips(vec![cents(250), cents(500), amount(choices)]),
        3 => SignLine::Sharing(u32::from(choices.byte() % 5)),
        4 => SignLine::CapAreas(choices.one_in(2).then(|| Box::new(name(choices)))),
        5 => SignLine::FaceDown(choices.one_in(2)),
        6 => SignLine::Method(any_method(choices)),
        7 => SignLine::Closing,
        8 => SignLine::LiftCap,
        _ => SignLine::Limits(any_group(choices), limits(choices)),
    }
}

fn bet(choices: &mut Choices<'_>) -> Bet {
    Bet {
        spot: spot(choices),
        amount: amount(choices),
        place: choices.of(&[None, None, None, Some(1), Some(2), Some(99)]),
        unnoticed: choices.one_in(10),
        in_error: choices.one_in(10),
    }
}

fn arriving(choices: &mut Choices<'_>) -> Act {
    let seat = u32::from(choices.byte() % 9);
    let chips = cents(choices.of(&[10_000, 100_000, 1_000_000]));
    let deed =
        if choices.one_in(5) { Deed::StandBehind(seat, chips) } else { Deed::Sit(seat, chips) };
    Act::Player(name(choices), deed)
}

fn preparing(choices: &mut Choices<'_>) -> Act {
    let depth = choices.of(&[5, 10, 52, 104, 208, 300, 410]);
    match choices.below(16) {
        0 | 1 => arriving(choices),
        2 => Act::Dealer(Work::Check(choices.of(&[Checker::Dealer, Checker::Supervisor]))),
        3 => Act::Dealer(Work::Shuffle),
        4 => Act::Player(name(choices), Deed::Cut(depth)),
        5 => Act::Player(name(choices), Deed::DeclineCut),
        6 => Act::Supervisor(Decision::Cut(depth)),
        7 => Act::Dealer(Work::PlaceCuttingCard(choices.of(&[7, 12, 20, 3]))),
        8 => Act::Dealer(Work::Burn(card(choices))),
        9 if choices.one_in(3) => Act::Dealer(counted_burn(choices)),
        9 => Act::Dealer(if choices.one_in(2) { Work::BurnUnseen } else { Work::SkipBurn }),
        10 => Act::Post(posting(choices)),
        11 => Act::ReplaceCards,
        12 => Act::Dealer(Work::PreShuffled),
        13 => Act::Dealer(Work::OfferCut(name(choices))),
        _ => Act::FreshShoe,
    }
}

fn betting(choices: &mut Choices<'_>) -> Act {
    match choices.below(64) {
        0..=3 => arriving(choices),
        4..=15 | 29..=50 => Act::Player(name(choices), Deed::Bet(bet(choices))),
        16 => Act::Player(name(choices), Deed::TakeBack(spot(choices))),
        17 => Act::Player(name(choices), Deed::Move(amount(choices), spot(choices), spot(choices))),
        18 => Act::Player(name(choices), Deed::Leave),
        19 => Act::Post(posting(choices)),
        20 => Act::GiveNotice(posting(choices), choices.of(&[None, Some(1_800_000_000)])),
        21 => Act::CuttingCardAppears,
        22 => {
            Act::Dealer(Work::DrawExcess { card: some_card(choices), face_down: choices.one_in(2) })
        }
        23 => draw(choices),
        24 => Act::Dealer(Work::FindFaceUp(card(choices))),
        25 => decision(choices),
        26 if choices.one_in(3) => Act::VoidCoup("a test".into()),
        27 => {
            Act::Player(name(choices), if choices.one_in(2) { Deed::AskNoBet } else { Deed::Agree })
        }
        28 => Act::Dealer(Work::NoMoreBets),
        _ => deal(choices),
    }
}

fn deal(choices: &mut Choices<'_>) -> Act {
    Act::Dealer(Work::Deal([0; 4].map(|_| some_card(choices))))
}

fn draw(choices: &mut Choices<'_>) -> Act {
    let (card, to) = (some_card(choices), side(choices));
    Act::Dealer(Work::Draw { card, to, face_down: choices.one_in(6) })
}

fn trouble(choices: &mut Choices<'_>) -> Act {
    let two = [card(choices), card(choices)];
    match choices.below(24) {
        0..=7 => draw(choices),
        8 | 15..=17 if !choices.one_in(4) => deal(choices),
        9 | 10 => Act::Dealer(Work::Turn(side(choices), Some(two))),
        11 => Act::Dealer(Work::TurnThird(side(choices), Some(two[0]))),
        12 => Act::Player(name(choices), Deed::Turn(side(choices), Some(two))),
        13 => Act::Player(name(choices), Deed::TurnThird(side(choices), Some(two[0]))),
        14 => Act::CuttingCardAppears,
        15 => Act::VoidCoup("a test".into()),
        16 => Act::Invalidate("a test".into()),
        17 => Act::ShoeRunsOut,
        18 => Act::Dealer(Work::Pass(side(choices), name(choices))),
        19 => Act::Player(name(choices), Deed::TakeBack(spot(choices))),
        20 => Act::Dealer(Work::FindFaceUp(card(choices))),
        _ => decision(choices),
    }
}

fn decision(choices: &mut Choices<'_>) -> Act {
    Act::Supervisor(match choices.below(13) {
        0 => Decision::ApproveBothSides(name(choices)),
        1 => Decision::ApproveOptionalCoups,
        2 => Decision::DirectNoBet,
        3 => Decision::DirectShuffle,
        4 if choices.one_in(4) => {
            let cards = 4 + choices.below(3);
            Decision::Reconstruct((0..cards).map(|_| card(choices)).collect())
        }
        4 => Decision::Reconstruct(Vec::new()),
        5 => Decision::CannotReconstruct,
        6 => Decision::PermitChanges,
        7 if choices.one_in(2) => Decision::InformManagement,
        7 => Decision::InformSurveillance,
        8 => Decision::Decide("so it is".into()),
        9 => Decision::FindError(u32::from(choices.byte() % 12)),
        10 => Decision::ApproveRiffle,
        _ => Decision::Resume,
    })
}

/// Anything at all, whatever the table waits for.
fn hostile(choices: &mut Choices<'_>) -> Act {
    match choices.below(18) {
        13 => staff(choices),
        14 | 15 if choices.one_in(3) => Act::InspectorLeaves,
        14 | 15 => Act::InspectorReturns,
        16 => Act::Player(name(choices), Deed::AskRules),
        0 => Act::Open(options(choices)),
        1 => preparing(choices),
        2 => betting(choices),
        3 => trouble(choices),
        4 => decision(choices),
        5 => Act::Allow(name(choices), any_group(choices), limits(choices)),
        6 => {
            let coup = choices.one_in(2).then(|| u32::from(choices.byte() % 12));
            Act::VoidWagers(name(choices), coup, "a test".into())
        }
        7 => Act::Exclude(name(choices), "a test".into()),
        8 => Act::RequireSeat(u32::from(choices.byte() % 10)),
        9 => Act::PlayersConsent,
        10 => Act::CuttingCardShows,
        11 => Act::Player(name(choices), Deed::Waive(any_offer(choices).group)),
        12 => Act::Player(name(choices), Deed::RefuseCards),
        _ => Act::Dealer(Work::Reduce(side(choices))),
    }
}

/// What the operator decides and gives, and the regulator reviews.
fn staff(choices: &mut Choices<'_>) -> Act {
    let coup = u32::from(choices.byte() % 12);
    match choices.below(5) {
        0 => Act::DecideDispute(coup, "it stands".into()),
        1 => Act::ReviewDispute(coup, "it stands".into()),
        2 => Act::Player(name(choices), Deed::Dispute(coup)),
        3 => Act::GiveRules,
        _ => Act::VoidNumbered(coup, "a test".into()),
    }
}

fn counted_burn(choices: &mut Choices<'_>) -> Work {
    let number = u32::from(choices.byte() % 16);
    if choices.one_in(3) {
        return Work::BurnMore(number);
    }
    Work::BurnCounted { card: some_card(choices), further: number }
}
