//! A director who does nothing but what is due gets through a whole event, whatever happens on the
//! way; and every act that is suggested is accepted.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::sync::Arc;

use rules::{Card, Cents, Side, Spot};
use table::{Act as TableAct, Bet, Decision, Deed, Name, SuspendedWhy, Work};
use tournament::{
    Act, Command, Conditions, Due, Need, Next, Phase, Tournament, Whom, ballot, secret,
};

/// Random numbers from a seed, and a pack of cards that is shuffled when it runs out.
struct Words(u64, Vec<Card>);

impl Words {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn card(&mut self) -> Card {
        if self.1.is_empty() {
            let mut left: Vec<Card> = (0..52).filter_map(Card::from_index).collect();
            while !left.is_empty() {
                let which = self.below(left.len() as u64);
                self.1.push(left.swap_remove(usize::try_from(which).unwrap()));
            }
        }
        self.1.pop().unwrap()
    }
}

fn name(text: &str) -> Name {
    Name::from(text).unwrap()
}

/// A director, and everybody else, who do what is due.
struct Desk {
    tournament: Tournament,
    conditions: Conditions,
    words: Words,
    now: u64,
    entrants: u32,
    wanted: u32,
    draws: u32,
    /// The open forms: salt and words.
    forms: BTreeMap<Name, (String, String)>,
    done: Vec<String>,
}

impl Desk {
    fn new(book: &str, wanted: u32, seed: u64) -> Self {
        let path = format!("{}/../../tournaments/{book}.toml", env!("CARGO_MANIFEST_DIR"));
        let conditions: Conditions =
            toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let book = rulebooks::load(book, None).unwrap().rulebook;
        Self {
            tournament: Tournament::new(Arc::new(book)),
            conditions,
            words: Words(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, Vec::new()),
            now: 0,
            entrants: 0,
            wanted,
            draws: 0,
            forms: BTreeMap::new(),
            done: Vec::new(),
        }
    }

    fn act(&mut self, act: Act) {
        self.done.push(format!("{act:?}"));
        let command = Command::new(self.now, act);
        if let Err(refusal) = self.tournament.act(&command) {
            let last = self.done.len().saturating_sub(12);
            panic!("{}: {}\n{}", refusal.what, refusal.instead, self.done[last..].join("\n"));
        }
    }

    fn try_act(&mut self, act: Act) {
        let command = Command::new(self.now, act);
        if self.tournament.act(&command).is_ok() {
            self.done.push(format!("{:?}", command.act));
        }
    }

    fn at(&mut self, due: &Due, act: TableAct) {
        self.act(Act::At(due.table, Box::new(act)));
    }

    /// Does what is due until the event is over.
    fn run(&mut self, unrest: u64) {
        while !matches!(self.tournament.phase(), Phase::Ended | Phase::Cancelled) {
            assert!(self.done.len() < 60_000, "endless");
            if unrest > 0 && self.words.below(unrest) == 0 {
                self.disturb();
            }
            let all = self.tournament.due_at(self.now);
            if self.words.below(20) == 0 {
                self.check(&all);
            }
            let may = all.iter().filter(|due| due.need == Need::May && due.act.is_some());
            let may: Vec<_> = may.filter(|due| !gives_up(&due.next)).collect();
            if !may.is_empty() && self.words.below(12) == 0 {
                let which = self.words.below(may.len() as u64);
                let act = may[usize::try_from(which).unwrap()].act.clone().unwrap();
                self.act(act);
                continue;
            }
            let must: Vec<_> = all.iter().filter(|due| due.need == Need::Must).collect();
            assert!(!must.is_empty(), "{all:?}\n{:?}", self.done.last());
            self.does(must[0]);
        }
    }

    /// Every suggested act is accepted.
    fn check(&self, all: &[Due]) {
        for due in all {
            if let Some(act) = &due.act
                && let Err(refusal) = self.tournament.decide(&Command::new(self.now, act.clone()))
            {
                panic!("{due:?}: {}: {:?}", refusal.what, self.done.last());
            }
        }
    }

    fn does(&mut self, due: &Due) {
        if let (Some(act), false) = (&due.act, self.is_nearly_out(due)) {
            return self.act(act.clone());
        }
        let card = self.words.card();
        match &due.next {
            Next::Document => self.act(Act::Document(Box::new(self.conditions.clone()))),
            Next::NameDirector => self.act(Act::NameDirector(name("Dana"))),
            Next::Apply => self.apply(),
            Next::CommitBallot => {
                self.draws += 1;
                self.act(Act::CommitBallot(ballot::commitment(&self.secret())));
            }
            Next::RevealBallot => self.act(Act::RevealBallot(self.secret())),
            Next::Draw(who) => self.draw(*who),
            Next::WaitForStart(start) => self.now = *start,
            Next::Cut(Some(who)) => self.at(due, TableAct::Player(*who, Deed::Cut(100))),
            Next::Cut(None) if due.whom == Whom::Inspector => {
                self.at(due, TableAct::Supervisor(Decision::Cut(100)));
            }
            Next::Cut(None) => {
                let sitting = self.tournament.sitting(due.table.unwrap()).unwrap();
                let chair = sitting.active().find(|chair| !chair.is_missing()).unwrap();
                let who = self.tournament.entrant(chair.entrant);
                let who = who.substitute.unwrap_or(who.name);
                self.at(due, TableAct::Player(who, Deed::Cut(100)));
            }
            Next::Burn => self.at(due, TableAct::Dealer(Work::Burn(card))),
            Next::Wager { name, until } => {
                self.wager(*name, until.is_some_and(|until| self.now > until));
            }
            Next::Deal if self.is_nearly_out(due) => self.at(due, TableAct::CuttingCardAppears),
            Next::Deal => {
                let cards = [(); 4].map(|()| Some(self.words.card()));
                self.at(due, TableAct::Dealer(Work::Deal(cards)));
            }
            Next::DrawCard(to) => {
                let work = Work::Draw { card: Some(card), to: *to, face_down: false };
                self.at(due, TableAct::Dealer(work));
            }
            Next::Turn { side, third, by } => self.turn(due, *side, *third, *by),
            Next::OpenForm(who) => self.open_form(*who),
            Next::Rule(SuspendedWhy::OutOfSequence) => {
                self.at(due, TableAct::Supervisor(Decision::CannotReconstruct));
            }
            Next::DrawForPlayOff => self.act(Act::DrawForPlayOff(due.table, card)),
            Next::Cancel => self.act(Act::Cancel("nobody is left".into())),
            other => panic!("nobody knows how to do {other:?}: {:?}", self.done.last()),
        }
    }

    /// Whether the cards of a table, which nobody counts, may run out soon.
    fn is_nearly_out(&self, due: &Due) -> bool {
        let sitting = due.table.and_then(|table| self.tournament.sitting(table));
        let shoe = sitting.map(|sitting| sitting.table.shoe());
        due.next == Next::Deal
            && shoe.is_some_and(|shoe| shoe.coups >= 15 && shoe.cutting_card.is_none())
    }

    fn secret(&self) -> String {
        format!("words of draw {}", self.draws)
    }

    fn apply(&mut self) {
        self.entrants += 1;
        self.act(Act::Apply(name(&format!("P{}", self.entrants))));
    }

    fn draw(&mut self, who: Name) {
        for (table, seat) in (1..=6).flat_map(|table| (1..=7).map(move |seat| (table, seat))) {
            let act = Act::Allot { name: who, table, seat, lot: tournament::Lot::Drawn };
            if self.tournament.decide(&Command::new(self.now, act.clone())).is_ok() {
                return self.act(act);
            }
        }
        panic!("no place for {who}");
    }

    fn wager(&mut self, who: Name, late: bool) {
        let id = self.tournament.entrant_named(&who).unwrap();
        let sitting = self.tournament.sitting_of(id).unwrap();
        let chair = sitting.chair(id).unwrap();
        let (least, stack) = (sitting.minimum().get(), sitting.stack(chair).at_least_zero().get());
        let twice = if !late && stack >= 2 * least && self.words.below(3) == 0 { 2 } else { 1 };
        let amount = Cents::new(least * twice).unwrap();
        let spot = if self.words.below(2) == 0 { Spot::Banker } else { Spot::Player };
        let most = self.conditions.secret_wagers.unwrap_or(0);
        if chair.secrets < most && self.words.below(6) == 0 {
            let salt = format!("{:08x}", self.words.below(u64::from(u32::MAX)));
            let content = format!("{amount} on {}", spot.key());
            self.act(Act::HandIn(who, secret::commitment(&salt, &content)));
            self.forms.insert(self.tournament.entrant(id).name, (salt, content));
            return;
        }
        let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
        self.act(Act::At(None, Box::new(TableAct::Player(who, Deed::Bet(bet)))));
    }

    fn turn(&mut self, due: &Due, side: Side, third: bool, by: Option<Name>) {
        let (one, two) = (self.words.card(), self.words.card());
        let act = match (by, third) {
            (Some(who), true) => TableAct::Player(who, Deed::TurnThird(side, Some(one))),
            (Some(who), false) => TableAct::Player(who, Deed::Turn(side, Some([one, two]))),
            (None, true) => TableAct::Dealer(Work::TurnThird(side, Some(one))),
            (None, false) => TableAct::Dealer(Work::Turn(side, Some([one, two]))),
        };
        self.at(due, act);
    }

    fn open_form(&mut self, who: Name) {
        match self.forms.remove(&who) {
            Some((salt, content)) => self.act(Act::OpenForm { name: who, salt, content }),
            None => self.act(Act::SpoilForm(who)),
        }
    }

    /// Something that nobody planned, if it is possible.
    fn disturb(&mut self) {
        let number = 1 + self.words.below(u64::from(self.wanted));
        let who = name(&format!("P{number}"));
        let table = Some(u32::try_from(1 + self.words.below(6)).unwrap());
        let at = |act: TableAct| Act::At(table, Box::new(act));
        let act = match self.words.below(16) {
            0 => Act::GoAway(who),
            1 => Act::ComeBack(who),
            2 => Act::Withdraw(who),
            3 => Act::Disqualify(who, tournament::Offence::Breach("of a breach".into())),
            4 => Act::DirectorLeaves,
            5 => Act::Break(1 + self.words.below(60_000_000)),
            6 => Act::SetWagerTime(1_000_000),
            7 => Act::Nominate(who, name("Sub")),
            8 => at(TableAct::VoidCoup("of a fault".into())),
            9 => at(TableAct::CuttingCardAppears),
            10 => Act::IndicatorAppears(table),
            11 => {
                let bet = Bet {
                    spot: Spot::Banker,
                    amount: Cents::new(10_000).unwrap(),
                    place: None,
                    unnoticed: false,
                    in_error: false,
                };
                Act::At(None, Box::new(TableAct::Player(who, Deed::Bet(bet))))
            }
            12 => Act::TakeSeat(who),
            13 => Act::DrawAgain("of a slip".into()),
            14 => {
                let wrong = tournament::Miskeyed::Chips {
                    name: who,
                    amount: Cents::new(50_000 + 5_000 * self.words.below(9)).unwrap(),
                };
                Act::Correct(Box::new(wrong), "of the count".into())
            }
            _ => {
                self.now += self.words.below(30_000_000);
                Act::Tick
            }
        };
        self.try_act(act);
    }
}

/// Steps that a director takes only for a reason.
const fn gives_up(next: &Next) -> bool {
    matches!(next, Next::AbandonBallot | Next::DropCorrection | Next::Eliminate(_))
}

#[test]
fn whoever_does_what_is_due_gets_through_the_event() {
    for (book, entrants) in [("act-2012", 14), ("act-2018", 24), ("tas-2013", 24)] {
        let mut desk = Desk::new(book, entrants, 7);
        desk.run(0);
        assert_eq!(desk.tournament.phase(), Phase::Ended, "{book}");
        assert_eq!(desk.tournament.pool(), rules::Balance::ZERO, "{book}");
    }
}

#[test]
fn something_is_due_whatever_happens() {
    for seed in 1..=12 {
        for (book, entrants) in [("act-2012", 14), ("act-2018", 25), ("tas-2013", 26)] {
            Desk::new(book, entrants, seed).run(6);
        }
    }
}
