//! Events in words that a dealer uses.

use std::cmp::Ordering;

use rules::book::Exposure;
use rules::{Balance, Cents, Group, Outcome, Verdict};
use table::{
    Account, Advice, Checker, CutBy, Event, Fact, Keeping, NoBetWhy, PlayerId, ReturnWhy, SignLine,
    State, Step, SuspendedWhy,
};

/// How much of a wager above the maximum is at risk, in words.
fn at_risk(player: PlayerId, then: Option<&State>) -> String {
    let wagers = then.map(State::wagers).unwrap_or_default();
    let over = wagers.iter().rev().filter(|wager| wager.player == player);
    let mut over = over.filter_map(|w| w.limits.map(|limits| (w.stake, limits.most)));
    match over.find(|(stake, most)| stake > most) {
        Some((stake, most)) => format!("{most} of {stake} is at risk"),
        None => "only that much is at risk".into(),
    }
}

/// An event in a few words.
#[must_use]
pub fn tell(event: &Event, table: &State) -> String {
    let name = |id: PlayerId| table.players().get(usize::from(id.0)).map(|player| player.name);
    tell_as(event, table, &|id| name(id).map_or_else(|| "somebody".into(), |name| name.to_string()))
}

/// An event in a few words, with what `called` gives in place of the names of players. A name that
/// the event itself has is told as it stands there. If the table has gone on since, nothing is told
/// of how it was then: only what the event itself says.
#[must_use]
#[expect(clippy::too_many_lines, reason = "one arm for each fact")]
pub fn tell_as(event: &Event, table: &State, called: &dyn Fn(PlayerId) -> String) -> String {
    let name = |id: &PlayerId| called(*id);
    // An event of another session of the table may name a player whom this one does not have.
    let player = |id: &PlayerId| table.players().get(usize::from(id.0));
    let seat = |id: &PlayerId| player(id).map_or(0, |player| player.seat);
    let then = Some(table).filter(|table| table.now() == event.at);
    match &event.fact {
        Fact::Opened(opened) => match opened.base {
            Some(base) => format!("the table opens under {} over {base}", opened.book),
            None => format!("the table opens under {}", opened.book),
        },
        Fact::Kept(rule) => match rule {
            Keeping::Cards => "decks and cutting cards are as the book says".into(),
            Keeping::Bank => "the bank is the licensee's".into(),
            Keeping::Inspector => "an inspector is present".into(),
            Keeping::Method => "the method of settlement is on the sign".into(),
            Keeping::SideBets(key) => {
                format!("offered: {}", table.group_name(Group::Side(*key)))
            }
            Keeping::SideBetAreas(key) => {
                let name = table.group_name(Group::Side(*key));
                format!("{name}: has areas of its own; limits for it belong on the sign")
            }
            Keeping::BestPair => "only the best kind of pair is paid".into(),
            Keeping::Face => "the style of dealing is kept".into(),
            Keeping::Tableau => "the tableau is there to be read".into(),
        },
        Fact::Ticked => "time passes".into(),
        Fact::Posted(posting) => format!("the sign says: {}", sign(posting, table)),
        Fact::NoticeGiven { posting, from } => match from {
            _ if **posting == SignLine::Closing => "notice is given of closing".into(),
            Some(_) => {
                format!("notice is given of {}, in force after its time", sign(posting, table))
            }
            None => {
                format!("notice is given of {}, in force from a later round", sign(posting, table))
            }
        },
        Fact::TookEffect(posting) => format!("in force: {}", sign(posting, table)),
        Fact::Consented => "all players consent".into(),
        Fact::PersonalLimits { player, group, least, most } => match least {
            Some(least) => format!("{} has limits of {least}..{most} on {group}", name(player)),
            None => format!("{} has a maximum of {most} on {group}", name(player)),
        },
        Fact::Arrived { name, seat, standing, chips, .. } => {
            let how = if *standing { "stands behind" } else { "sits at" };
            format!("{name} {how} {seat} with {chips}")
        }
        Fact::Left(id) => format!("{} leaves", name(id)),
        Fact::Excluded(id, why) => format!("{} is excluded: {}", name(id), reason(why)),
        Fact::SeatRequired(id) => format!("{} must give up the seat", name(id)),
        Fact::Vacated => "nobody is at the table".into(),
        Fact::RiffleAsked(id) => format!("{} asks for a riffle", name(id)),
        Fact::RiffleApproved => "the riffle is approved".into(),
        Fact::CheckedBy(who) => match who {
            Checker::Dealer => "the dealer checks the cards".into(),
            Checker::Supervisor => "a supervisor checks the cards".into(),
            Checker::Device => "a device checks the cards".into(),
        },
        Fact::Sign(words) => format!("the sign says “{words}”"),
        Fact::Prepared(step) => match step {
            Step::Checked => "the cards are checked".into(),
            Step::Spread => "the cards are spread by suit".into(),
            Step::Inspected => "a player looks the cards over".into(),
            Step::Washed => "the cards are washed".into(),
            Step::Stacked => "the cards are stacked".into(),
            Step::Riffled => "the cards are riffled".into(),
            Step::Shuffled => "the cards are shuffled".into(),
            Step::PreShuffled => "pre-shuffled cards come in".into(),
            Step::CheckedAfter => "the cards are checked after gaming".into(),
            Step::SpreadAfter => "the cards are spread after gaming".into(),
        },
        Fact::CutOffered(CutBy::Player(id)) => format!("the cut is offered to {}", name(id)),
        Fact::CutOffered(CutBy::Staff(who)) => format!("no player cuts: {who}"),
        Fact::CutDeclined(id) => format!("{} declines the cut", name(id)),
        Fact::Cut { by: CutBy::Player(id), depth } => format!("{} cuts at {depth}", name(id)),
        Fact::Cut { by: CutBy::Staff(who), depth } => format!("{who} at {depth}"),
        Fact::CuttingCardPlaced(behind) => match behind {
            1 => "1 card is behind the cutting card".into(),
            behind => format!("{behind} cards are behind the cutting card"),
        },
        Fact::Burned { shown: Some(card), further } => {
            format!("{card} and {further} more are burnt")
        }
        Fact::Burned { shown: None, .. } => "cards are burnt".into(),
        Fact::BurnShort { missing: 1 } => {
            "1 card too few; it may be burnt until the first round begins".into()
        }
        Fact::BurnShort { missing } => {
            format!("{missing} cards too few; they may be burnt until the first round begins")
        }
        Fact::BurnedMore(1) => "1 more card is burnt".into(),
        Fact::BurnedMore(more) => format!("{more} more cards are burnt"),
        Fact::BurnSkipped => "the burn was missed; play goes on".into(),
        Fact::ShoeReady => "the shoe is ready".into(),
        Fact::Replaced => "the cards are replaced".into(),
        Fact::ShuffleDue => "a shuffle comes before the next coup".into(),
        Fact::Placed { player, spot, place, amount, .. } => {
            let (who, spot) = (name(player), spot.key());
            let Some(then) = then else {
                return format!("{who} bets {amount} on {spot} at {place}");
            };
            let mut mine = then.wagers().iter().filter(|w| w.player == *player);
            let whole = mine.find(|w| w.spot.key() == spot && w.place == *place);
            match whole.map(|wager| wager.stake).filter(|whole| whole > amount) {
                Some(whole) => format!("{who} adds {amount} on {spot} at {place}, {whole} in all"),
                None => format!("{who} has {amount} on {spot} at {place}"),
            }
        }
        Fact::Returned { player, spot, amount, why, .. } => {
            let why = match why {
                ReturnWhy::OverMaximum => "above the maximum",
                ReturnWhy::UnderMinimum => "below the minimum, again",
                ReturnWhy::Exposure => "beyond the cap",
                ReturnWhy::Unpayable => "a win could not be paid exactly",
                ReturnWhy::NoBetCoup => "the coup is without wagers",
                ReturnWhy::NewShoe => "the cards are shuffled or replaced first",
                ReturnWhy::Reopened => "the coup before is judged again first",
                ReturnWhy::Excluded => "the player is excluded",
                ReturnWhy::Void => "void",
                ReturnWhy::TakenBack => "taken back",
            };
            format!("{amount} on {} goes back to {}: {why}", spot.key(), name(player))
        }
        Fact::Moved { player, from, to, amount, .. } => {
            format!("{} moves {amount} from {} to {}", name(player), from.key(), to.key())
        }
        Fact::LetStand => "the dealer lets the wagers stand".into(),
        Fact::ClaimWaived(id, _) => format!("{} gives up the first claim", name(id)),
        Fact::Advised(id, Advice::UnderMinimum) => {
            format!("{} is told: below the minimum, further ones go back", name(id))
        }
        Fact::Advised(id, Advice::OverMaximum) => {
            format!("{} is told: above the maximum, {}", name(id), at_risk(*id, then))
        }
        Fact::Advised(id, Advice::Abstaining) => {
            format!("staff are told: {} sits out, the seat may be asked for", name(id))
        }
        Fact::Advised(id, Advice::Closing) => {
            format!("{} is told: the table is to close", name(id))
        }
        Fact::Advised(id, Advice::Change) => {
            format!("{} is told: the sign is to change", name(id))
        }
        Fact::BothSidesApproved(id) => format!("{} may wager on both sides", name(id)),
        Fact::NoBetAsked(id) => format!("{} asks for a coup without wagers", name(id)),
        Fact::NoBetAnswered(id, true) => format!("{} agrees", name(id)),
        Fact::NoBetAnswered(id, false) => format!("{} does not agree", name(id)),
        Fact::NoBetDirected(why) => match why {
            NoBetWhy::Asked => "the coming coup is a no-bet coup".into(),
            NoBetWhy::NobodyThere => "a no-bet coup, with nobody at the table".into(),
            NoBetWhy::SeenCard => "a no-bet coup, starting with the card that was seen".into(),
            NoBetWhy::AllOff => "all wagers are off: it goes on as a no-bet coup".into(),
        },
        Fact::OptionalCoups(1) => "1 coup may be dealt without a wager".into(),
        Fact::OptionalCoups(count) => format!("{count} coups may be dealt without a wager"),
        Fact::FaceDownAsked(id) => format!("{} asks for cards face down", name(id)),
        Fact::ManagementInformed => "management is informed".into(),
        Fact::SurveillanceInformed => "surveillance is informed".into(),
        Fact::Called(words) => format!("the dealer calls “{words}”"),
        Fact::BetsOpened => "wagers are open".into(),
        Fact::BetsClosed => "wagers are closed".into(),
        Fact::CoupBegan { number, no_bet, last } => {
            let kind = if no_bet.is_some() { ", without wagers" } else { "" };
            let last = if *last { ", the last of the shoe" } else { "" };
            format!("coup {number} begins{kind}{last}")
        }
        Fact::Dealt { side, card: Some(card), shown: true } => format!("{card} to {side}"),
        Fact::Dealt { side, .. } => format!("a card to {side}, face down"),
        Fact::Passed(side, id) => format!("{side}'s cards go to {}", name(id)),
        Fact::CardsRefused(side, id) => format!("{} refuses {side}'s cards", name(id)),
        Fact::Turned { index, card } => {
            let coup = then.and_then(State::coup);
            let turned = coup.and_then(|coup| coup.cards.get(usize::from(*index)));
            match turned {
                Some(turned) => format!("{}'s {card} is turned", turned.side),
                None => format!("{card} is turned"),
            }
        }
        Fact::Totals { player, banker } => format!("Player {player}, Banker {banker}"),
        Fact::PairsJudged { player, banker } => match (player, banker) {
            (true, true) => "a pair for Player and for Banker".into(),
            (true, false) => "a pair for Player".into(),
            (false, true) => "a pair for Banker".into(),
            (false, false) => "no pair".into(),
        },
        Fact::Natural => "a natural: nobody draws".into(),
        Fact::ThreeAlready(side) => format!("{side} has three cards already"),
        Fact::Stands(side) => format!("{side} stands"),
        Fact::GivenToBanker(Some(card)) => format!("{card} was not due to Player; it is Banker's"),
        Fact::GivenToBanker(None) => "the card was not due to Player; it is Banker's".into(),
        Fact::OutOfSequence(side) => format!("a card to {side} out of sequence"),
        Fact::Reconstructed => "put right by the order of leaving the shoe".into(),
        Fact::Rearranged(_) => {
            let coup = then.and_then(State::coup).map(|coup| &coup.cards[..]).unwrap_or_default();
            if coup.is_empty() {
                return "the cards are dealt again as they left the shoe".into();
            }
            let hands: Vec<_> =
                coup.iter().map(|card| format!("{} to {}", shown(*card), card.side)).collect();
            format!("dealt again: {}", hands.join(", "))
        }
        Fact::ThirdMoved(side) => format!("the third card goes to {side}"),
        Fact::Suspended(why) => match why {
            SuspendedWhy::OutOfSequence => "the coup waits to be reconstructed".into(),
            SuspendedWhy::Changes => "the coup waits; wagers may change".into(),
            SuspendedWhy::WrongPerson => "the coup waits; wagers may be taken off".into(),
        },
        Fact::Resumed => "the coup goes on".into(),
        Fact::Excess { card: Some(card) } => format!("{card} is in excess and seen"),
        Fact::Excess { card: None } => {
            "a card is in excess and unseen: first card of the next coup".into()
        }
        Fact::ExcessNotUsed(_) => "the card is not used".into(),
        Fact::FoundFaceUp(card) => format!("{card} lies face up in the shoe"),
        Fact::Result(Outcome::Won(side)) => format!("{side} wins"),
        Fact::Result(Outcome::Tie) => "a tie".into(),
        Fact::Settled { player, spot, stake, verdict, .. } => {
            let (who, spot) = (name(player), spot.key());
            match verdict {
                Verdict::Won(won) => format!("{who} wins {} with {stake} on {spot}", won.net),
                Verdict::Lost => format!("{who} loses {stake} on {spot}"),
                Verdict::Kept => format!("{who} keeps {stake} on {spot}"),
            }
        }
        Fact::Lies { player, spot, stake, .. } => {
            format!("{} keeps {stake} on {}, and it lies", name(player), spot.key())
        }
        Fact::ErrorFound { number } => {
            format!("an error of card placement in coup {number} waits to be put right")
        }
        Fact::Reopened { number } => {
            format!("coup {number} is judged again: its settlement is taken back")
        }
        Fact::Relaid { player, spot, stake, .. } => {
            format!("{stake} of {} lies on {} again", name(player), spot.key())
        }
        Fact::CoupEnded { number, outcome: Some(_), .. } => format!("coup {number} is over"),
        Fact::CoupEnded { number, outcome: None, .. } => format!("coup {number} is over, void"),
        Fact::Voided { number, why } => format!("coup {number} is void: {}", reason(why)),
        Fact::Reversed { player, number } => {
            let moved = |account: Account| -> Balance {
                let mine = event.postings.iter().filter(|entry| entry.account == account);
                mine.map(|entry| entry.cents).sum()
            };
            let (stack, open) =
                (moved(Account::Stack(*player)), moved(Account::Receivable(*player)));
            let mut said = match stack.cmp(&Balance::ZERO) {
                Ordering::Equal => format!("{}'s stack stays", name(player)),
                Ordering::Greater => format!("{} goes back to {}", stack.size(), name(player)),
                Ordering::Less => format!("{} is taken from {}", stack.size(), name(player)),
            };
            if open != Balance::ZERO {
                let how = if open.is_negative() { "still owed by" } else { "owed to" };
                said += &format!(", {} {how} {}", open.size(), name(player));
            }
            format!("coup {number} is reversed: {said}")
        }
        Fact::CuttingCardOut { first: true } => "the cutting card comes before a round".into(),
        Fact::CuttingCardOut { first: false } => "the cutting card comes in a round".into(),
        Fact::CoupsLeft(1) => "this round is the last of the shoe".into(),
        Fact::CoupsLeft(left) => format!("{left} rounds are left, this one counted"),
        Fact::OneMoreRound => "a tie: one more round is dealt".into(),
        Fact::NoMoreRound => "the tie is void: no further round is dealt".into(),
        Fact::CuttingCardSeen => "the cutting card shows in the shoe".into(),
        Fact::Disputed(id, coup) => format!("{} disputes coup {coup}", name(id)),
        Fact::DisputeDecided { number, decision } => {
            format!("the operator decides the dispute over coup {number}: {decision}")
        }
        Fact::DisputeReviewed { number, decision } => {
            format!("the regulator reviews the dispute over coup {number}: {decision}")
        }
        Fact::Decided(text) => format!("staff decide: {text}"),
        Fact::RulesAsked(id) => format!("{} asks for a copy of the rules", name(id)),
        Fact::InspectorLeft => "the inspector leaves; the game waits".into(),
        Fact::InspectorBack => "the inspector is back".into(),
        Fact::RulesGiven => "a copy of the rules is given".into(),
        Fact::Adjusted { player, cents: Balance::ZERO } => {
            match then.map(|then| then.balance(table::Account::Receivable(*player))) {
                None => format!("what is open with {} is counted anew", name(player)),
                Some(Balance::ZERO) => {
                    format!("nothing is open any more between {} and the table", name(player))
                }
                Some(open) => format!("{} still owed by {}", open.size(), name(player)),
            }
        }
        Fact::Adjusted { player, cents } => {
            let verb = if cents.is_negative() { "gives up" } else { "gets" };
            format!("{} {verb} {}", name(player), cents.size())
        }
        Fact::Closed => "the table closes".into(),
        Fact::Away(id) => format!("seat {} is empty: {} is away", seat(id), name(id)),
        Fact::Back(id) => format!("{} is in seat {}", name(id), seat(id)),
        Fact::InAgain(id) => {
            let chips = player(id).map_or(rules::Balance::ZERO, |player| player.stack);
            format!("{} sits at {} again with {chips}", name(id), seat(id))
        }
        Fact::OpenedAgain => "the table is open again".into(),
        Fact::WagerCorrected { player, spot, to, .. } if *to == Cents::ZERO => {
            format!("{} has no wager on {}", name(player), spot.key())
        }
        Fact::WagerCorrected { player, spot, to, .. } => {
            format!("{} has {to} on {}", name(player), spot.key())
        }
        Fact::CardCorrected { index, card } => format!("card {} is {card}", index + 1),
        Fact::SeatCorrected { player, seat } => format!("{} sits at {seat}", name(player)),
    }
}

fn shown(card: table::CoupCard) -> String {
    card.card.filter(|_| card.shown).map_or("unseen".into(), |card| card.to_string())
}

/// A line of the sign in words.
#[must_use]
pub fn sign(posting: &SignLine, table: &State) -> String {
    match posting {
        SignLine::Limits(group, limits) => {
            let step = limits.step.map_or(String::new(), |step| format!(" by {step}"));
            let group = table.group_name(*group);
            format!("{group} {}..{}{step}", limits.least, limits.most)
        }
        SignLine::Differential(most) => format!("a differential of {most}"),
        SignLine::Liability(most) => format!("a liability of {most}"),
        SignLine::Chips(chips) => {
            let chips: Vec<_> = chips.iter().map(ToString::to_string).collect();
            format!("chips of {}", chips.join(", "))
        }
        SignLine::Sharing(players) => format!("{players} players on an area"),
        SignLine::CapAreas(None) => "the wagers on an area come to the maximum at most".into(),
        SignLine::CapAreas(Some(name)) => {
            format!("{name}'s wagers on an area, with others so named, come to the maximum at most")
        }
        SignLine::LiftCap => "areas are not capped".into(),
        SignLine::Lift(Exposure::Differential) => "no differential".into(),
        SignLine::Lift(Exposure::Liability) => "no liability".into(),
        SignLine::Offer(offer) => table.offer_name(*offer),
        SignLine::Withdraw(key) => format!("no {}", table.group_name(Group::Side(*key))),
        SignLine::FaceDown(true) => "cards face down".into(),
        SignLine::FaceDown(false) => "cards face up".into(),
        SignLine::Method(method) => format!("the {method} method"),
        SignLine::Closing => "closing".into(),
    }
}

/// A reason without its first word `of`, so that `because of a riot` and `because a riot broke out`
/// read alike.
pub(crate) fn reason(why: &str) -> &str {
    why.strip_prefix("of ").unwrap_or(why)
}
