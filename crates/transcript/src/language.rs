//! The language of transcripts: every form of line, and what it means.

use rules::book::Exposure;
use rules::{Cents, Spot};
use table::{Act, Bet, By, Checker, Decision, Deed, Limits, Name, Options, Role, SignLine, Work};

use crate::form::{Filled, Furthest, Word, fill, is_reserved, words};
use crate::opening::opens;
use crate::tournament::lines::{EVENT_EXPECT_FORMS, EVENT_FORMS, EVENT_PLAYER_FORMS, Wanted};

/// A line that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// An empty line, or a comment.
    Empty,
    /// The table opens under a book; `twice` holds two options that exclude each other.
    Open { book: String, base: Option<String>, options: Box<Options>, twice: Option<[String; 2]> },
    /// A tournament is held under a book.
    Tournament { book: String, base: Option<String> },
    /// One condition of a tournament.
    Condition(String),
    /// The conditions as they stand are documented.
    Document,
    /// Somebody did something at a table; the number is the table's, if the line names one.
    Act(Option<u32>, By, Box<Act>),
    /// Somebody did something in a tournament.
    Event(By, Box<tournament::Act>),
    /// The clock shows so many minutes from midnight.
    ClockAt(i64),
    /// So many minutes passed.
    ClockForward(i64),
    /// The clock shows that day and time.
    Day(u64),
    /// An expectation.
    Expect(Expectation),
}

/// What a transcript expects after a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expectation {
    Accepted,
    Refused(Option<ClauseRef>),
    Cites(ClauseRef),
    Totals(u32, u32),
    Result(String),
    Settled {
        name: Name,
        verdict: &'static str,
        amount: Cents,
        spot: Spot,
    },
    Has(Name, Cents),
    Advised(Name, ClauseRef),
    Returned(Name, Cents, Option<Spot>),
    CutOffered(Name),
    CardsTo(Name),
    Calls(String),
    Says(String),
    SaysNothing(String),
    NoBetCoup,
    LastCoup,
    Shuffle,
    /// Something about a tournament.
    Event(Wanted),
}

/// A clause as a transcript names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClauseRef {
    pub(crate) book: Option<String>,
    pub(crate) number: String,
}

impl std::fmt::Display for ClauseRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.book {
            Some(book) => write!(f, "{book} {}", self.number),
            None => write!(f, "{}", self.number),
        }
    }
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The column of the word that was wrong.
    pub column: usize,
    /// The wrong word.
    pub found: String,
    /// What could stand there.
    pub wanted: Vec<String>,
    /// Why the word was not read, if that is known.
    pub why: Option<String>,
}

impl Unreadable {
    /// How many of the words that could stand there are named to somebody who waits at a table.
    const LIKELY: usize = 4;

    /// What is wrong with the line, without what could stand there.
    #[must_use]
    pub fn what(&self) -> String {
        match (&self.why, self.found.is_empty()) {
            (_, true) => "the line ends too early".to_owned(),
            (_, false) if self.is_complete() => {
                format!("the line is complete before `{}`", self.found)
            }
            (Some(why), false) => format!("`{}` is not understood: {why}", self.found),
            (None, false) => format!("`{}` is not understood", self.found),
        }
    }

    /// What could stand there; of many words those that begin most like the wrong one.
    #[must_use]
    pub fn likely(&self) -> String {
        let likeness = |word: &&String| {
            let letters = word.trim_start_matches('`').chars();
            letters.zip(self.found.to_lowercase().chars()).take_while(|(a, b)| a == b).count()
        };
        let mut words: Vec<&String> = self.wanted.iter().collect();
        words.sort_by_key(|word| std::cmp::Reverse(likeness(word)));
        let mut named: Vec<_> = words.iter().map(|word| word.trim_start_matches("or ")).collect();
        let others = named.len().saturating_sub(Self::LIKELY + 1);
        let rest = format!("one of {others} others");
        if others > 0 {
            named.truncate(Self::LIKELY);
            named.push(&rest);
        }
        match named.split_last() {
            Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
            _ => named.concat(),
        }
    }

    fn is_complete(&self) -> bool {
        self.wanted == ["nothing more"]
    }
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what())?;
        if self.is_complete() && !self.found.is_empty() {
            return Ok(());
        }
        write!(f, "; here could stand {}", self.wanted.join(", "))
    }
}

type Make = fn(&Filled) -> Option<Act>;

/// Forms of lines, by role. A player's lines begin with the player's name.
pub(crate) const FORMS: &[(&str, &str, Make)] = &[
    ("operator", "posts differential AMOUNT", |f| post(SignLine::Differential(f.amount(0)?))),
    ("operator", "posts liability AMOUNT", |f| post(SignLine::Liability(f.amount(0)?))),
    ("operator", "posts chips AMOUNTS", |f| post(SignLine::Chips(f.amounts()))),
    ("operator", "posts METHOD", |f| post(SignLine::Method(f.method(0)?))),
    ("operator", "lifts the differential|liability", |f| post(lifted(f))),
    ("operator", "posts GROUP RANGE [by AMOUNT]", |f| post(limits_posting(f)?)),
    ("operator", "posts OFFER", |f| post(SignLine::Offer(f.offer(0)?))),
    ("operator", "withdraws OFFER", |f| post(withdrawn(f)?)),
    ("operator", "permits N on an area", |f| post(SignLine::Sharing(f.number(0)?))),
    ("operator", "caps areas [for NAME]", |f| post(SignLine::CapAreas(f.name(0).map(Box::new)))),
    ("operator", "lifts the cap", |_| post(SignLine::LiftCap)),
    ("operator", "sets face=down|face=up", |f| post(SignLine::FaceDown(f.has("face=down")))),
    ("operator", "gives notice of closing", |_| Some(Act::GiveNotice(SignLine::Closing, None))),
    ("operator", "gives notice of differential AMOUNT [in DURATION]", |f| {
        notice(f, SignLine::Differential(f.amount(0)?))
    }),
    ("operator", "gives notice of liability AMOUNT [in DURATION]", |f| {
        notice(f, SignLine::Liability(f.amount(0)?))
    }),
    ("operator", "gives notice of METHOD [in DURATION]", |f| {
        notice(f, SignLine::Method(f.method(0)?))
    }),
    ("operator", "gives notice of lifting the differential|liability|cap [in DURATION]", |f| {
        notice(f, lifted(f))
    }),
    ("operator", "gives notice of GROUP RANGE [by AMOUNT] [in DURATION]", |f| {
        notice(f, limits_posting(f)?)
    }),
    ("operator", "gives notice of withdrawing OFFER [in DURATION]", |f| notice(f, withdrawn(f)?)),
    ("operator", "gives notice of OFFER [in DURATION]", |f| {
        notice(f, SignLine::Offer(f.offer(0)?))
    }),
    ("operator", "allows NAME GROUP RANGE", |f| {
        let (least, most) = f.range()?;
        let limits = Limits { least, most, step: None };
        Some(Act::Allow(f.name(0)?, f.group(0)?, limits))
    }),
    ("operator", "voids the coup because TEXT", |f| Some(Act::VoidCoup(f.text(0)?))),
    ("operator", "voids coup N because TEXT", |f| {
        Some(Act::VoidNumbered(f.number(0)?, f.text(0)?))
    }),
    ("operator", "decides the dispute over coup N: TEXT", |f| {
        Some(Act::DecideDispute(f.number(0)?, f.text(0)?))
    }),
    ("regulator", "reviews the dispute over coup N: TEXT", |f| {
        Some(Act::ReviewDispute(f.number(0)?, f.text(0)?))
    }),
    ("operator", "invalidates the coup because TEXT", |f| Some(Act::Invalidate(f.text(0)?))),
    ("operator", "voids OWNER wagers [in coup N] because TEXT", |f| {
        Some(Act::VoidWagers(f.name(0)?, f.number(0), f.text(0)?))
    }),
    ("operator", "excludes NAME because TEXT", |f| Some(Act::Exclude(f.name(0)?, f.text(0)?))),
    ("operator", "requires seat N", |f| Some(Act::RequireSeat(f.number(0)?))),
    ("operator", "replaces the cards", |_| Some(Act::ReplaceCards)),
    ("operator", "gives a copy of the rules", |_| Some(Act::GiveRules)),
    ("operator", "closes the table", |_| Some(Act::Close)),
    ("players", "consent", |_| Some(Act::PlayersConsent)),
    ("dealer", "checks the cards", |_| work(Work::Check(Checker::Dealer))),
    ("dealer", "shuffles", |_| work(Work::Shuffle)),
    ("dealer", "riffles", |_| work(Work::Riffle)),
    ("dealer", "introduces pre-shuffled cards", |_| work(Work::PreShuffled)),
    ("dealer", "offers the cut to NAME", |f| work(Work::OfferCut(f.name(0)?))),
    ("dealer", "places the cutting card at N", |f| work(Work::PlaceCuttingCard(f.number(0)?))),
    ("dealer", "burns unseen", |_| work(Work::BurnUnseen)),
    ("dealer", "burns CARD and N cards|card", |f| {
        work(Work::BurnCounted { card: f.card(0)?, further: f.number(0)? })
    }),
    ("dealer", "burns N more cards|card", |f| work(Work::BurnMore(f.number(0)?))),
    ("dealer", "burns CARD", |f| match f.card(0)? {
        Some(card) => work(Work::Burn(card)),
        None => work(Work::BurnUnseen),
    }),
    ("dealer", "skips the burn", |_| work(Work::SkipBurn)),
    ("dealer", "[calls] no more bets", |_| work(Work::NoMoreBets)),
    ("dealer", "lets the wagers stand", |_| work(Work::LetStand)),
    ("dealer", "reduces SIDE", |f| work(Work::Reduce(f.side(0)?))),
    ("dealer", "deals CARD CARD CARD CARD", |f| {
        work(Work::Deal([f.card(0)?, f.card(1)?, f.card(2)?, f.card(3)?]))
    }),
    ("dealer", "draws CARD to SIDE [face down]", |f| {
        work(Work::Draw { card: f.card(0)?, to: f.side(0)?, face_down: f.has("down") })
    }),
    ("dealer", "draws CARD in excess [face down]", |f| {
        work(Work::DrawExcess { card: f.card(0)?, face_down: f.has("down") })
    }),
    ("dealer", "finds CARD face up", |f| work(Work::FindFaceUp(f.card(0).flatten()?))),
    ("dealer", "passes the SIDE cards to NAME", |f| work(Work::Pass(f.side(0)?, f.name(0)?))),
    ("dealer", "turns the SIDE cards [CARD CARD]", |f| work(Work::Turn(f.side(0)?, two_cards(f)?))),
    ("dealer", "turns the SIDE third card [CARD]", |f| {
        work(Work::TurnThird(f.side(0)?, f.card(0).flatten()))
    }),
    ("supervisor", "approves both sides for NAME", |f| {
        decision(Decision::ApproveBothSides(f.name(0)?))
    }),
    ("supervisor", "approves five coups", |_| decision(Decision::ApproveOptionalCoups)),
    ("supervisor", "approves a riffle", |_| decision(Decision::ApproveRiffle)),
    ("supervisor", "directs a no-bet coup", |_| decision(Decision::DirectNoBet)),
    ("supervisor", "directs a shuffle", |_| decision(Decision::DirectShuffle)),
    ("supervisor", "checks the cards", |_| work(Work::Check(Checker::Supervisor))),
    ("device", "checks the cards", |_| work(Work::Check(Checker::Device))),
    ("supervisor", "cuts at N", |f| decision(Decision::Cut(f.number(0)?))),
    ("supervisor", "reconstructs the coup", |_| decision(Decision::Reconstruct(Vec::new()))),
    ("supervisor", "reconstructs the coup in the order CARD CARD CARD CARD [CARD] [CARD]", |f| {
        let cards = (0..6).map_while(|nth| f.card(nth)).collect::<Option<Vec<_>>>()?;
        decision(Decision::Reconstruct(cards))
    }),
    ("supervisor", "cannot reconstruct the coup", |_| decision(Decision::CannotReconstruct)),
    ("supervisor", "permits changes", |_| decision(Decision::PermitChanges)),
    ("supervisor", "informs management", |_| decision(Decision::InformManagement)),
    ("supervisor", "informs surveillance", |_| decision(Decision::InformSurveillance)),
    ("supervisor", "decides: TEXT", |f| decision(Decision::Decide(f.text(0)?))),
    ("supervisor", "voids the coup because TEXT", |f| Some(Act::VoidCoup(f.text(0)?))),
    ("supervisor", "finds an error in coup N", |f| decision(Decision::FindError(f.number(0)?))),
    ("supervisor", "resumes", |_| decision(Decision::Resume)),
    ("inspector", "leaves", |_| Some(Act::InspectorLeaves)),
    ("inspector", "returns", |_| Some(Act::InspectorReturns)),
    ("cutting", "card appears", |_| Some(Act::CuttingCardAppears)),
    ("cutting", "card shows", |_| Some(Act::CuttingCardShows)),
    ("shoe", "runs out", |_| Some(Act::ShoeRunsOut)),
    ("fresh", "shoe", |_| Some(Act::FreshShoe)),
];

type MakeDeed = fn(&Filled) -> Option<Deed>;

/// Forms of a player's lines, after the name.
pub(crate) const PLAYER_FORMS: &[(&str, MakeDeed)] = &[
    ("sits at N with AMOUNT", |f| Some(Deed::Sit(f.number(0)?, f.amount(0)?))),
    ("stands behind N with AMOUNT", |f| Some(Deed::StandBehind(f.number(0)?, f.amount(0)?))),
    ("bets AMOUNT on SPOT [at N] [unnoticed] [in error]", |f| {
        Some(Deed::Bet(Bet {
            spot: f.spot(0)?,
            amount: f.amount(0)?,
            place: f.number(0),
            unnoticed: f.has("unnoticed"),
            in_error: f.has("error"),
        }))
    }),
    ("bets AMOUNT against NAME", |f| Some(Deed::BetAgainst(f.name(0)?, f.amount(0)?))),
    ("calls AMOUNT on SPOT [with chips]", |f| {
        let (spot, amount) = (f.spot(0)?, f.amount(0)?);
        Some(Deed::Call { spot, amount, with_chips: f.has("chips") })
    }),
    ("takes back SPOT", |f| Some(Deed::TakeBack(f.spot(0)?))),
    ("moves AMOUNT from SPOT to SPOT", |f| Some(Deed::Move(f.amount(0)?, f.spot(0)?, f.spot(1)?))),
    ("waives OFFER", |f| Some(Deed::Waive(f.offer(0)?.group))),
    ("asks for a no-bet coup", |_| Some(Deed::AskNoBet)),
    ("agrees", |_| Some(Deed::Agree)),
    ("objects", |_| Some(Deed::Object)),
    ("asks for face down", |_| Some(Deed::AskFaceDown)),
    ("asks for a riffle", |_| Some(Deed::AskRiffle)),
    ("inspects the cards", |_| Some(Deed::Inspect)),
    ("cuts at N", |f| Some(Deed::Cut(f.number(0)?))),
    ("declines the cut", |_| Some(Deed::DeclineCut)),
    ("refuses the cards", |_| Some(Deed::RefuseCards)),
    ("turns the SIDE cards [CARD CARD]", |f| Some(Deed::Turn(f.side(0)?, two_cards(f)?))),
    ("turns the SIDE third card [CARD]", |f| {
        Some(Deed::TurnThird(f.side(0)?, f.card(0).flatten()))
    }),
    ("disputes coup N", |f| Some(Deed::Dispute(f.number(0)?))),
    ("asks for the rules", |_| Some(Deed::AskRules)),
    ("leaves", |_| Some(Deed::Leave)),
];

type MakeExpectation = fn(&Filled) -> Option<Expectation>;

/// Forms of expectations, after `expect`.
pub(crate) const EXPECT_FORMS: &[(&str, MakeExpectation)] = &[
    ("accepted", |_| Some(Expectation::Accepted)),
    ("refused [CLAUSE] [CLAUSE]", |f| Some(Expectation::Refused(clause(f, 0)))),
    ("cites CLAUSE [CLAUSE]", |f| Some(Expectation::Cites(clause(f, 0)?))),
    ("player N banker N", |f| Some(Expectation::Totals(f.number(0)?, f.number(1)?))),
    ("result banker|player|tie|void", |f| {
        let word = ["banker", "player", "tie", "void"].into_iter().find(|word| f.has(word))?;
        Some(Expectation::Result(word.to_owned()))
    }),
    ("cut offered to NAME", |f| Some(Expectation::CutOffered(f.name(0)?))),
    ("cards to NAME", |f| Some(Expectation::CardsTo(f.name(0)?))),
    ("calls TEXT", |f| Some(Expectation::Calls(f.text(0)?))),
    ("says nothing of TEXT", |f| Some(Expectation::SaysNothing(f.text(0)?))),
    ("says TEXT", |f| Some(Expectation::Says(f.text(0)?))),
    ("no-bet coup", |_| Some(Expectation::NoBetCoup)),
    ("last coup", |_| Some(Expectation::LastCoup)),
    ("shuffle", |_| Some(Expectation::Shuffle)),
    ("NAME wins|loses|keeps AMOUNT on SPOT", |f| {
        let verdict = ["wins", "loses", "keeps"].into_iter().find(|word| f.has(word))?;
        let (name, amount, spot) = (f.name(0)?, f.amount(0)?, f.spot(0)?);
        Some(Expectation::Settled { name, verdict, amount, spot })
    }),
    ("NAME has AMOUNT", |f| Some(Expectation::Has(f.name(0)?, f.amount(0)?))),
    ("NAME advised CLAUSE [CLAUSE]", |f| Some(Expectation::Advised(f.name(0)?, clause(f, 0)?))),
    ("NAME returned AMOUNT [on SPOT]", |f| {
        Some(Expectation::Returned(f.name(0)?, f.amount(0)?, f.spot(0)))
    }),
];

#[expect(clippy::unnecessary_wraps, reason = "a form may fail to make an act")]
fn post(posting: SignLine) -> Option<Act> {
    Some(Act::Post(posting))
}

#[expect(clippy::unnecessary_wraps, reason = "a form may fail to make an act")]
fn work(work: Work) -> Option<Act> {
    Some(Act::Dealer(work))
}

#[expect(clippy::unnecessary_wraps, reason = "a form may fail to make an act")]
fn decision(decision: Decision) -> Option<Act> {
    Some(Act::Supervisor(decision))
}

fn withdrawn(f: &Filled) -> Option<SignLine> {
    Some(SignLine::Withdraw(f.offer(0)?.group))
}

fn lifted(f: &Filled) -> SignLine {
    match (f.has("cap"), f.has("liability")) {
        (true, _) => SignLine::LiftCap,
        (false, true) => SignLine::Lift(Exposure::Liability),
        (false, false) => SignLine::Lift(Exposure::Differential),
    }
}

fn limits_posting(f: &Filled) -> Option<SignLine> {
    let (least, most) = f.range()?;
    Some(SignLine::Limits(f.group(0)?, Limits { least, most, step: f.amount(0) }))
}

#[expect(clippy::unnecessary_wraps, reason = "a form may fail to make an act")]
fn notice(f: &Filled, posting: SignLine) -> Option<Act> {
    Some(Act::GiveNotice(posting, f.minutes(0).map(|minutes| minutes * 60_000_000)))
}

/// Both cards of a hand, or neither.
#[expect(clippy::option_option, reason = "one of two cards is no line")]
fn two_cards(f: &Filled) -> Option<Option<[rules::Card; 2]>> {
    match (f.card(0).flatten(), f.card(1).flatten()) {
        (Some(first), Some(second)) => Some(Some([first, second])),
        (None, None) => Some(None),
        _ => None,
    }
}

/// `13.1`, or `vic-2005 10.1`.
fn clause(f: &Filled, nth: usize) -> Option<ClauseRef> {
    // A word in quotes names an entry of the dictionary.
    let number = |text: String| {
        if text.starts_with('"') { format!("dictionary {text}") } else { text }
    };
    let first = f.text(nth)?;
    match f.text(nth + 1) {
        Some(second) => Some(ClauseRef { book: Some(first), number: number(second) }),
        None => Some(ClauseRef { book: None, number: number(first) }),
    }
}

/// Reads one line.
pub(crate) fn read(line: &str) -> Result<Line, Unreadable> {
    let words = words(line);
    let table = match words.as_slice() {
        [at, table, number, ..]
            if at.text.eq_ignore_ascii_case("at") && table.text.eq_ignore_ascii_case("table") =>
        {
            number.text.parse().ok()
        }
        _ => None,
    };
    let words = if table.is_some() { &words[3..] } else { &words[..] };
    let Some(first) = words.first() else { return Ok(Line::Empty) };
    let who = role(first.text).unwrap_or_else(|| first.text.to_lowercase());
    let mut furthest = Furthest::default();
    let second = words.get(1).map(|word| word.text.to_lowercase());
    let found = match (who.as_str(), second.as_deref()) {
        ("expect", _) => EXPECT_FORMS
            .iter()
            .find_map(|(form, make)| {
                fill(form, line, words, 1, &mut furthest).and_then(|f| make(&f)).map(Line::Expect)
            })
            .or_else(|| {
                EVENT_EXPECT_FORMS.iter().find_map(|(form, make)| {
                    let filled = fill(form, line, words, 1, &mut furthest)?;
                    make(&filled).map(|wanted| Line::Expect(Expectation::Event(wanted)))
                })
            }),
        ("condition", _) => fill("TEXT", line, words, 1, &mut furthest)
            .and_then(|_| Some(Line::Condition(rest(line, words)?))),
        ("clock", _) => clock(line, words, &mut furthest),
        ("operator", Some("documents" | "document")) => {
            let filled = fill("documents the conditions", line, words, 1, &mut furthest);
            filled.map(|_| Line::Document)
        }
        ("operator", Some("opens" | "open"))
            if !words.get(2).is_some_and(|word| {
                ["entries", "a"].iter().any(|other| word.text.eq_ignore_ascii_case(other))
            }) =>
        {
            return opens(words);
        }
        (role, _) if is_reserved(role) => acts((role, 1), line, words, table, &mut furthest)
            .or_else(|| said_by_another(role, line, words, table)),
        _ => {
            let name = fill("NAME", line, &words[..1], 0, &mut furthest).and_then(|f| f.name(0));
            let deed = name.and_then(|name| deeds(name, line, words, table, &mut furthest));
            // A line that names nobody is the dealer's: `no more bets`, `burn 5h`.
            deed.or_else(|| acts(("dealer", 0), line, words, table, &mut furthest))
        }
    };
    found.ok_or_else(|| {
        let (at, mut wanted, why) = furthest.report();
        let word = words.get(at);
        // After a name, any word may be a second word of the name.
        if let (1, Some(word), false) = (at, word, is_reserved(&who)) {
            let both = format!("\"{} {}\"", first.text, word.text);
            wanted.push(format!("or quotes around a name of two words, {both}"));
        }
        let end = line.trim_end().chars().count() + 1;
        Unreadable {
            column: word.map_or(end, |word| word.column),
            found: word.map_or(String::new(), |word| word.text.to_owned()),
            wanted,
            why: why.map(str::to_owned),
        }
    })
}

/// The word that names a role, in lower case; a colon may follow it.
fn role(word: &str) -> Option<String> {
    let word = word.strip_suffix(':').unwrap_or(word);
    is_reserved(word).then(|| word.to_lowercase())
}

/// A line after its first word, with its quotes.
fn rest(line: &str, words: &[Word<'_>]) -> Option<String> {
    let (from, last) = (words.get(1)?, words.last()?);
    Some(line[from.start..last.start + last.text.len()].to_owned())
}

fn clock(line: &str, words: &[Word<'_>], furthest: &mut Furthest) -> Option<Line> {
    if let Some(filled) = fill("DATE WORD", line, words, 1, furthest)
        && let (Some(day), Some(time)) = (filled.text(0), filled.text(1))
        && let Ok(moment) = tournament::conditions::Moment::parse(&format!("{day} {time}"))
    {
        return Some(Line::Day(moment.0));
    }
    let minutes = fill("CLOCK", line, words, 1, furthest)?.signed(0)?;
    Some(if minutes < 0 { Line::ClockForward(-minutes - 1) } else { Line::ClockAt(minutes) })
}

/// A line that begins with a role, read from its verb on: at a table, or in a tournament.
fn acts(
    (word, verb): (&str, usize),
    line: &str,
    words: &[Word<'_>],
    table: Option<u32>,
    furthest: &mut Furthest,
) -> Option<Line> {
    let role = Role::from_key(word);
    let supervises = role.is_some_and(|role| Role::SUPERVISORS.contains(&role));
    let form_of = if supervises { Role::Supervisor.key() } else { word };
    let theirs = |who: &str| who == form_of || who == word;
    let at_table = FORMS.iter().filter(|(who, ..)| theirs(who)).find_map(|(_, form, make)| {
        let act = make(&fill(form, line, words, verb, furthest)?)?;
        // A line about a card or the shoe itself counts as said by the person who usually does it.
        let by = role.map_or_else(|| By::usual(&act), By::role);
        Some(Line::Act(table, by, Box::new(act)))
    });
    at_table.or_else(|| {
        EVENT_FORMS.iter().filter(|(who, ..)| *who == form_of).find_map(|(_, form, make)| {
            let line = make(&fill(form, line, words, verb, furthest)?, table)?;
            Some(match (line, role) {
                (Line::Event(_, act), Some(role)) => Line::Event(By::role(role), act),
                (line, _) => line,
            })
        })
    })
}

/// A line whose words belong to another role. It is read so that the refusal can name the role.
fn said_by_another(word: &str, line: &str, words: &[Word<'_>], table: Option<u32>) -> Option<Line> {
    let by = By::role(Role::from_key(word)?);
    let others = [
        Role::Operator,
        Role::Supervisor,
        Role::Inspector,
        Role::Dealer,
        Role::Director,
        Role::Regulator,
    ];
    let mut nowhere = Furthest::default();
    others.iter().find_map(|other| {
        match acts((other.key(), 1), line, words, table, &mut nowhere)? {
            Line::Act(table, _, act) => Some(Line::Act(table, by, act)),
            Line::Event(_, act) => Some(Line::Event(by, act)),
            Line::Empty
            | Line::Open { .. }
            | Line::Tournament { .. }
            | Line::Condition(_)
            | Line::Document
            | Line::ClockAt(_)
            | Line::ClockForward(_)
            | Line::Day(_)
            | Line::Expect(_) => None,
        }
    })
}

/// A player's line: at a table, or in a tournament.
fn deeds(
    name: Name,
    line: &str,
    words: &[Word<'_>],
    table: Option<u32>,
    furthest: &mut Furthest,
) -> Option<Line> {
    let at_table = PLAYER_FORMS.iter().find_map(|(form, make)| {
        let filled = fill(form, line, words, 1, furthest)?;
        let act = Act::Player(name, make(&filled)?);
        Some(Line::Act(table, By::player(name), Box::new(act)))
    });
    at_table.or_else(|| {
        EVENT_PLAYER_FORMS.iter().find_map(|(form, make)| {
            let filled = fill(form, line, words, 1, furthest)?;
            make(&filled, name).map(|act| Line::Event(By::player(name), Box::new(act)))
        })
    })
}

/// Whether lines begin with this word, as with `dealer`, so that it is nobody's name.
#[must_use]
pub fn is_role(word: &str) -> bool {
    role(word).is_some()
}

/// The meaning of a line, for callers who judge it themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// An empty line, a comment, or an expectation.
    Nothing,
    /// A table opens under a book.
    Opening {
        /// The book.
        book: String,
        /// The book that it amends.
        base: Option<String>,
        /// The operator's choices.
        options: Options,
    },
    /// Somebody does something.
    Act(By, Box<Act>),
    /// Something in a tournament, which does not concern a single table.
    Tournament,
}

/// Reads one line.
///
/// # Errors
///
/// With what could stand at the first word that cannot be read.
pub fn understand(line: &str) -> Result<Said, Unreadable> {
    Ok(match read(line)? {
        Line::Empty | Line::Expect(_) => Said::Nothing,
        Line::Tournament { .. } | Line::Condition(_) | Line::Document | Line::Event(..) => {
            Said::Tournament
        }
        Line::Open { twice: Some([first, found]), .. } => {
            let why = Some(format!("`{first}` was said before"));
            let column = line.find(&found).map_or(1, |at| line[..at].chars().count() + 1);
            return Err(Unreadable { column, found, wanted: vec!["another option".into()], why });
        }
        Line::Open { book, base, options, twice: None } => {
            Said::Opening { book, base, options: *options }
        }
        Line::Act(_, by, act) => Said::Act(by, act),
        Line::ClockAt(_) | Line::ClockForward(_) | Line::Day(_) => {
            Said::Act(By::role(Role::Clock), Box::new(Act::Tick))
        }
    })
}

/// The meaning of a line in a tournament, for callers who judge it themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaidInTournament {
    /// An empty line, a comment, or an expectation.
    Nothing,
    /// Somebody does something, in the event or at a table of it.
    Act(By, Box<tournament::Act>),
    /// The clock is set: so many minutes on, or to a day and time in microseconds.
    Clock(Clock),
    /// Conditions, or an opening: they are not said to an event that is open.
    Opening,
}

/// What a line says of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// So many minutes from midnight.
    At(i64),
    /// So many minutes later.
    Later(i64),
    /// A day and time.
    Day(u64),
}

/// Reads one line of a tournament.
///
/// # Errors
///
/// With what could stand at the first word that cannot be read.
pub fn understand_in_tournament(line: &str) -> Result<SaidInTournament, Unreadable> {
    Ok(match read(line)? {
        Line::Empty | Line::Expect(_) => SaidInTournament::Nothing,
        Line::Tournament { .. } | Line::Condition(_) | Line::Document | Line::Open { .. } => {
            SaidInTournament::Opening
        }
        Line::Event(by, act) => SaidInTournament::Act(by, act),
        Line::Act(table, by, act) => {
            SaidInTournament::Act(by, Box::new(tournament::Act::At(table, act)))
        }
        Line::ClockAt(minutes) => SaidInTournament::Clock(Clock::At(minutes)),
        Line::ClockForward(minutes) => SaidInTournament::Clock(Clock::Later(minutes)),
        Line::Day(at) => SaidInTournament::Clock(Clock::Day(at)),
    })
}
