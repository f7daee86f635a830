//! Every kind of thing that a log can say, named once, so that the compiler asks for a new one.

use std::any::type_name;

use store::Body;
use tournament::Conditions;

use super::variants;

trait Kind {
    fn kind(&self) -> String;
}

/// Names the variants of enums: in a match without `_`, and in the list of all.
macro_rules! kinds {
    ($($enum:path { $($variant:ident)+ })+) => {
        $(impl Kind for $enum {
            fn kind(&self) -> String {
                let variant = match self {
                    $(Self::$variant { .. } => stringify!($variant),)+
                };
                variants::named(type_name::<Self>(), variant)
            }
        })+

        /// Every kind that a golden log must have.
        pub(crate) fn all() -> Vec<String> {
            let mut all = Vec::new();
            $(let of = type_name::<$enum>();
            all.extend([$(stringify!($variant)),+].map(|variant| variants::named(of, variant)));)+
            all
        }
    };
}

kinds! {
    store::Body {
        Book Line Table Tournament Shoe Checkpoint Answer Key Restored Setup Act Refused Proposed
        TournamentAct TournamentRefused Account TableShoe
    }
    store::AccountFact {
        Opened SignedUp RoleGiven RoleTaken Moved CorrectionAsked Corrected Limited Paused Reminded
    }
    store::AccountKind { Guest Member Robot }
    store::Purse { Account House Table Tournament }
    store::Deals { System Staff Keyed }
    table::Act {
        Tick Open Post GiveNotice PlayersConsent Allow VoidCoup VoidNumbered Invalidate VoidWagers
        Exclude RequireSeat ReplaceCards Close GiveRules DecideDispute ReviewDispute
        InspectorLeaves InspectorReturns Player Dealer Supervisor CuttingCardAppears
        CuttingCardShows ShoeRunsOut FreshShoe
    }
    table::Deed {
        Sit StandBehind Bet Call BetAgainst TakeBack Move Waive AskNoBet Agree Object AskFaceDown
        AskRiffle Inspect Cut DeclineCut RefuseCards Turn TurnThird Dispute AskRules Leave
    }
    table::Work {
        Check Shuffle Riffle PreShuffled OfferCut PlaceCuttingCard Burn BurnUnseen BurnCounted
        BurnMore SkipBurn NoMoreBets Reduce LetStand Deal Draw DrawExcess FindFaceUp Pass Turn
        TurnThird
    }
    table::Decision {
        ApproveBothSides ApproveOptionalCoups ApproveRiffle DirectNoBet DirectShuffle Cut
        Reconstruct CannotReconstruct PermitChanges InformManagement InformSurveillance Decide
        FindError Resume
    }
    tournament::Act {
        Tick Open Document Publish Notify Approve ApproveCommission NameDirector HandOver
        DirectorLeaves DirectorReturns RequireAgreement TellConditions OpenEntries AddToPool Apply
        Agree Accept Enter RefuseEntry Withdraw Disqualify Nominate Substitute Cancel CloseEntries
        MoveStart NameTables PlayersATable CommitBallot AbandonBallot DrawAgain AddToBallot
        RevealBallot Allot TakeSeat TakeSeats OfferSeat Start Break Resume SetWagerTime WaiveTime
        WaiveTimeForAll LiftWagerTime Direct MoveTable Correct ConfirmCorrection DropCorrection At
        PlaceMarker Ask GoAway ComeBack Eliminate VoidOutOfOrder InsertIndicator IndicatorAppears
        RaiseLimits HandIn Examine ReturnForm OpenForm SpoilForm AskForm AnnounceLast EndEarly
        DrawForPlayOff StartPlayOff BuyBack AwardPoints AwardPrizes
    }
    tournament::Miskeyed { Wager Card Seat Chips }
    shoe::ShoeFact { Committed Listed Ordered CutByChance Abandoned Mixed Dealt Opened Revealed }
    shoe::Abandoned { Left Restored KeyChanged SecretLost }
    table::Fact {
        Opened Kept Ticked Posted Sign NoticeGiven TookEffect Consented PersonalLimits Arrived Left
        Excluded SeatRequired Vacated RiffleAsked RiffleApproved CheckedBy Prepared CutOffered
        CutDeclined Cut
        CuttingCardPlaced Burned BurnShort BurnedMore BurnSkipped ShoeReady Replaced
        ShuffleDue Placed Returned Moved
        LetStand ClaimWaived Advised BothSidesApproved NoBetAsked NoBetAnswered NoBetDirected
        OptionalCoups FaceDownAsked ManagementInformed SurveillanceInformed Called
        BetsOpened BetsClosed CoupBegan
        Dealt Passed CardsRefused Turned Totals PairsJudged Natural ThreeAlready Stands
        GivenToBanker OutOfSequence Reconstructed Rearranged ThirdMoved Suspended Resumed Excess
        ExcessNotUsed
        FoundFaceUp Result Settled Lies ErrorFound Reopened Relaid CoupEnded Voided Reversed
        CuttingCardOut CoupsLeft OneMoreRound NoMoreRound
        CuttingCardSeen Disputed DisputeDecided DisputeReviewed Decided Adjusted Away Back InAgain
        OpenedAgain RulesAsked RulesGiven InspectorLeft InspectorBack
        WagerCorrected CardCorrected SeatCorrected Closed
    }
    table::SignLine {
        Limits Differential Liability Chips Sharing CapAreas LiftCap Lift Offer Withdraw
        FaceDown Method
        Closing
    }
    table::Advice { UnderMinimum OverMaximum Abstaining Closing Change }
    table::ReturnWhy {
        OverMaximum UnderMinimum Exposure Unpayable NoBetCoup NewShoe Reopened Excluded Void
        TakenBack
    }
    table::NoBetWhy { Asked NobodyThere SeenCard AllOff }
    table::SuspendedWhy { OutOfSequence Changes WrongPerson }
    table::Step {
        Checked Spread Inspected Washed Stacked Riffled Shuffled PreShuffled CheckedAfter
        SpreadAfter
    }
    table::Keeping {
        Cards Bank Inspector Method SideBets SideBetAreas BestPair Face Tableau
    }
    table::Account { Outside Float Layout Commission Stack Receivable }
    table::CutBy { Player Staff }
    rules::book::Cutter { Supervisor Employee Inspector }
    table::Checker { Dealer Supervisor Device }
    rules::book::Exposure { Differential Liability }
    rules::Verdict { Won Lost Kept }
    rules::Outcome { Won Tie }
    rules::Side { Player Banker }
    rules::value::Layout { Baccarat Mini Midi }
    tournament::Fact {
        Opened Documented States Prevails Published Notified Approved CommissionApproved
        DirectorNamed DirectorLeft DirectorBack AgreementRequired ConditionsTold EntriesOpened
        PoolAdded Applied Agreed Entered Reserved EntryRefused Withdrawn Refunded FeeForfeited
        FeeNotRefunded Disqualified Nominated Substituted Cancelled EntriesClosed StageOpened
        StartMoved TablesNamed PlayersATable BallotCommitted BallotAbandoned BallotAdded
        BallotRevealed Allotted SessionAllotted Seated SessionStarted TableOpened Kept AtTable
        ChairTaken Forfeited SeatTakenOver MayEnterSecondary BreakGiven PlayResumed WagerTimeSet
        Directed MarkerAt Asked OutOfOrder ToppedUp OverMaximum HeldToMinimum TimeWaived
        MissedCoup MayAlter OutOfOrderVoided DealerTurns LayForms WrongPlayer WentAway CameBack
        Eliminated PlaceVoid ChipsLeft CoupUndone PlayGoesOn IndicatorIn IndicatorOut LimitsRaised
        FormHandedIn FormExamined FormReturned FormOpened FormSpoiled FormVoid FormShown LastCoup
        EndedEarly PlayEnded PlayOffDue PlayOffDrawn PlayOffStarted ChipsCollected Shared
        TableFinished Advanced StoodDown StageEnded SessionReopened InAgain BuyBackUndone
        PointsTakenBack BoughtBack Points Placed Prize Goods Ended HandedOver DrawnAgain
        TimeWaivedForAll WagerTimeLifted TableMoved CorrectionAsked CorrectionConfirmed
        CorrectionDropped Corrected RunnersUp RunnersUpLevel
    }
    table::Role {
        Player Players Dealer Device Supervisor Inspector Management Operator Director Regulator
        Clock
    }
    tournament::Account { Outside Pool Commission }
    tournament::Keeping { ChipsApart ChipsInView EqualStart Advance Director }
    tournament::OutWhy { Chips NotThere Raised NoWager Left }
    tournament::Read { Wager Faulty BothSides }
    tournament::Mended { Wager Card Seat Chips }
    tournament::Offence { Breach Absence HiddenChips }
    tournament::conditions::Settle { Rounds Card Share }
    tournament::conditions::Ranking { Chips Points }
    tournament::conditions::Commission { Percent Each }
    tournament::conditions::Prize { Share Sum Goods }
    tournament::conditions::Source { Entrants Winners Losers Leaders }
    tournament::conditions::Length { Coups Shoes Minutes }
    tournament::conditions::BuyBack { None Some }
}

/// The kind of a body itself.
pub(crate) fn of_body(body: &Body) -> String {
    body.kind()
}

/// The kinds of things that a body has in it.
pub(crate) fn of(body: &Body) -> Vec<String> {
    let mut kinds = vec![body.kind()];
    kinds.extend(match body {
        Body::Book(book) => variants::of(book),
        Body::Line(line) => variants::of(line),
        Body::Table(event) => variants::of(event),
        Body::Tournament(event) => variants::of(event),
        Body::Shoe(fact) => variants::of(fact),
        Body::Checkpoint(heads) => variants::of(heads),
        Body::Answer(answer) => variants::of(answer),
        Body::Key(key) => variants::of(key),
        Body::Restored(restored) => variants::of(restored),
        Body::Setup(setup) => variants::of(setup),
        Body::Act(acted) | Body::Proposed(acted) => variants::of(acted),
        Body::Refused(refused) => variants::of(refused),
        Body::TournamentAct(acted) => variants::of(acted),
        Body::TournamentRefused(refused) => variants::of(refused),
        Body::Account(fact) => variants::of(fact),
        Body::TableShoe(fact) => variants::of(fact),
    });
    if let Body::Tournament(event) = body
        && let tournament::Fact::Documented { conditions, .. } = &event.fact
    {
        of_conditions(conditions, &mut kinds);
    }
    kinds
}

/// What conditions say in words of their own, which do not show in the form that is stored.
fn of_conditions(conditions: &Conditions, kinds: &mut Vec<String>) {
    kinds.extend(conditions.commission.iter().map(Kind::kind));
    kinds.extend(conditions.prizes.iter().map(Kind::kind));
    kinds.extend(conditions.buy_back.iter().map(Kind::kind));
    for stage in &conditions.stages.0 {
        kinds.extend(stage.from.iter().map(Kind::kind));
        kinds.extend(stage.length.iter().map(Kind::kind));
    }
}
