//! Every kind of thing that a log can say, named once, so that the compiler asks for a new one.

use rules::book::Cutter;
use rules::value::Layout;
use rules::{Group, Method, Outcome, PairsKind, Side, Spot, Verdict};
use shoe::Fact as ShoeFact;
use store::Body;
use table::{
    Account, Advice, Checker, CutBy, Event, Fact, Keeping, NoBetWhy, Options, Posting, ReturnWhy,
    Step, SuspendedWhy,
};

trait Kind {
    fn kind(&self) -> &'static str;
}

/// Names the variants of enums: in a match without `_`, and in the list of all.
macro_rules! kinds {
    ($($enum:ident { $($variant:ident)+ })+) => {
        $(impl Kind for $enum {
            fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => {
                        concat!(stringify!($enum), "::", stringify!($variant))
                    })+
                }
            }
        })+

        /// Every kind that a golden log must have.
        pub(crate) const ALL: &[&str] =
            &[$($(concat!(stringify!($enum), "::", stringify!($variant)),)+)+];
    };
}

kinds! {
    Body { Book Line Table Shoe Checkpoint Answer }
    ShoeFact { Committed Mixed Dealt Opened Revealed }
    Fact {
        Opened Kept Ticked Posted Sign NoticeGiven TookEffect Consented PersonalLimits Arrived Left
        Excluded SeatRequired Vacated RiffleAsked RiffleApproved CheckedBy Prepared CutOffered
        CutDeclined Cut
        CuttingCardPlaced Burned BurnSkipped ShoeReady Replaced ShuffleDue Placed Returned Moved
        LetStand DragonWaived Advised BothSidesApproved NoBetAsked NoBetAnswered NoBetDirected
        OptionalCoups FaceDownAsked ManagementInformed SurveillanceInformed Called BetsOpened BetsClosed CoupBegan
        Dealt Passed CardsRefused Turned Totals PairsJudged Natural ThreeAlready Stands
        GivenToBanker OutOfSequence Reconstructed Rearranged ThirdMoved Suspended Resumed Excess
        ExcessNotUsed
        FoundFaceUp Result Settled Lies ErrorFound Reopened Relaid CoupEnded Voided Reversed
        CuttingCardOut CoupsLeft OneMoreRound NoMoreRound
        CuttingCardSeen Disputed DisputeDecided DisputeReviewed Decided Adjusted RulesAsked RulesGiven
        InspectorLeft InspectorBack Closed
    }
    Posting {
        Limits Differential Liability Chips Sharing CapAreas LiftCap Lift Pairs Dragon FaceDown Method
        Closing
    }
    Advice { UnderMinimum OverMaximum Abstaining Closing Change }
    ReturnWhy {
        OverMaximum UnderMinimum Exposure Unpayable NoBetCoup NewShoe Reopened Excluded Void
        TakenBack
    }
    NoBetWhy { Asked NobodyThere SeenCard AllOff }
    SuspendedWhy { OutOfSequence Changes WrongPerson }
    Step {
        Checked Spread Inspected Washed Stacked Riffled Shuffled PreShuffled CheckedAfter
        SpreadAfter
    }
    Keeping {
        Cards Bank Inspector Method Pairs PairsAreas BestPair Dragon DragonAreas Face Tableau
    }
    Account { Outside Float Layout Commission Stack Receivable }
    CutBy { Player Staff }
    Cutter { Supervisor Employee Inspector }
    Checker { Dealer Supervisor Device }
    Verdict { Won Lost Kept }
    Outcome { Won Tie }
    Side { Player Banker }
    Spot { Banker Player Tie BankerPair PlayerPair BankerDragon PlayerDragon }
    Group { Main Tie Pairs Dragon }
    Method { Commission HalfOnSix }
    PairsKind { Perfect Canberra }
    Layout { Baccarat Mini Midi }
}

/// The kinds of things that a body has in it.
pub(crate) fn of(body: &Body) -> Vec<&'static str> {
    let mut kinds = vec![body.kind()];
    match body {
        Body::Table(event) => of_event(event, &mut kinds),
        Body::Shoe(fact) => kinds.push(fact.kind()),
        Body::Book(_) | Body::Line(_) | Body::Checkpoint(_) | Body::Answer(_) => {}
    }
    kinds
}

fn of_event(event: &Event, kinds: &mut Vec<&'static str>) {
    kinds.push(event.fact.kind());
    kinds.extend(event.postings.iter().map(|entry| entry.account.kind()));
    match &event.fact {
        Fact::Opened { options, .. } => of_options(options, kinds),
        Fact::Kept(keeping) => kinds.push(keeping.kind()),
        Fact::Posted(posting) | Fact::TookEffect(posting) | Fact::NoticeGiven { posting, .. } => {
            of_posting(posting, kinds);
        }
        Fact::PersonalLimits { group, .. } => kinds.push(group.kind()),
        Fact::CheckedBy(checker) => kinds.push(checker.kind()),
        Fact::Prepared(step) => kinds.push(step.kind()),
        Fact::CutOffered(by) | Fact::Cut { by, .. } => {
            kinds.push(by.kind());
            if let CutBy::Staff(cutter) = by {
                kinds.push(cutter.kind());
            }
        }
        Fact::Placed { spot, .. } => kinds.push(spot.kind()),
        Fact::Returned { spot, why, .. } => kinds.extend([spot.kind(), why.kind()]),
        Fact::Moved { from, to, .. } => kinds.extend([from.kind(), to.kind()]),
        Fact::Advised(_, advice) => kinds.push(advice.kind()),
        Fact::NoBetDirected(why) => kinds.push(why.kind()),
        Fact::CoupBegan { no_bet, .. } => kinds.extend(no_bet.iter().map(Kind::kind)),
        Fact::Dealt { side, .. }
        | Fact::Passed(side, _)
        | Fact::CardsRefused(side, _)
        | Fact::ThreeAlready(side)
        | Fact::Stands(side)
        | Fact::OutOfSequence(side)
        | Fact::ThirdMoved(side) => kinds.push(side.kind()),
        Fact::Suspended(why) => kinds.push(why.kind()),
        Fact::Result(outcome) | Fact::CoupEnded { outcome: Some(outcome), .. } => {
            of_outcome(*outcome, kinds);
        }
        Fact::Settled { spot, verdict, .. } => kinds.extend([spot.kind(), verdict.kind()]),
        _ => {}
    }
}

fn of_options(options: &Options, kinds: &mut Vec<&'static str>) {
    kinds.push(options.method.kind());
    kinds.extend(options.pairs.iter().map(Kind::kind));
    kinds.extend(options.layout.iter().map(Kind::kind));
}

fn of_posting(posting: &Posting, kinds: &mut Vec<&'static str>) {
    kinds.push(posting.kind());
    match posting {
        Posting::Limits(group, _) => kinds.push(group.kind()),
        Posting::Method(method) => kinds.push(method.kind()),
        _ => {}
    }
}

fn of_outcome(outcome: Outcome, kinds: &mut Vec<&'static str>) {
    kinds.push(outcome.kind());
    if let Outcome::Won(side) = outcome {
        kinds.push(side.kind());
    }
}
