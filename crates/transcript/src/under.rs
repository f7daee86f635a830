//! A transcript under another book than its own: lines about things that the book does not have are
//! dropped, and the shoe is prepared as the book requires.

use std::sync::Arc;

use rulebooks::Book;
use rules::{Group, Key, NotOffered, Offer, Spot};
use table::{Act, Bet, By, Command, Deed, Options, Phase, SignLine, Table};

use crate::play::{Judge, Ruled, Run};

/// Drops options that the other book does not have, with a note for each.
pub(crate) fn drop_options(options: &mut Options, book: &Book, notes: &mut Vec<String>) {
    let rulebook = &book.rulebook;
    let id = rulebook.title.id;
    let mut note = |what: &str| notes.push(format!("{id} has no {what}; it is dropped"));
    if rulebook.method(options.terms.method).is_none() {
        note(&format!("{} method", options.terms.method.key()));
        options.terms.method = rulebook.usual_method();
    }
    for offer in options.terms.side_bets.clone().iter() {
        if rulebook.may_offer(offer).is_err() {
            options.terms.side_bets.drop(offer.group);
            note(&offer.to_string());
        }
    }
    let decks = rulebook.cards.decks.value;
    if options.decks.is_some_and(|wanted| !decks.holds(wanted)) {
        options.decks = None;
        note("such number of decks");
    }
    let seats = rulebook.table.seats.value;
    if options.seats.is_some_and(|wanted| !seats.allow(wanted)) {
        options.seats = None;
        note("such number of places");
    }
    let layouts = rulebook.table.layouts.value.as_slice();
    if options.layout.is_some_and(|layout| !layouts.contains(&layout)) {
        options.layout = None;
        note("such form of table");
    }
    let markers = rulebook.cards.cutting_cards.value;
    if options.cutting_cards.is_some_and(|wanted| !markers.holds(wanted)) {
        options.cutting_cards = None;
        note("such number of cutting cards");
    }
    if options.face_down && rulebook.deal.face.value == rules::book::Face::UpUnlessAsked {
        options.face_down = false;
        note("dealing face down from the start");
    }
}

impl Judge<'_> {
    /// The table under the book that the file itself names; nothing if that book would not open it.
    pub(crate) fn own_table(
        &self,
        (book, base): (&str, Option<&str>),
        options: &Options,
    ) -> Option<Table> {
        let book = self.books.book(book, base).ok()?;
        let mut table = Table::new(Arc::new(book.rulebook.clone()));
        done(&mut table, Act::Open(options.clone()), 0).then_some(table)
    }
}

/// Judges an act at a table, and returns whether it was accepted.
fn done(table: &mut Table, act: Act, at: u64) -> bool {
    let Ok(events) = table.decide(&Command::new(at, act)) else { return false };
    for event in &events {
        table.evolve(event);
    }
    true
}

/// Whether there is a shoe to deal from.
fn has_shoe(table: &Table) -> bool {
    matches!(table.phase(), Phase::Betting | Phase::Called | Phase::Dealing)
}

impl Run {
    /// Judges an act at a table under another book.
    pub(crate) fn act_elsewhere(&mut self, by: By, act: Act, ruled: &mut Ruled) {
        self.prepare_shoe(ruled);
        if let Some(own) = &mut self.own {
            done(own, act.clone(), self.now);
        }
        match self.dropped(&act) {
            Some(note) => ruled.notes.push(note),
            None => self.act(by, act, ruled),
        }
    }

    /// If the file's own book already has a shoe to deal from, but the other book still waits for a
    /// step that the file does not have, takes the remaining steps of the other book.
    fn prepare_shoe(&mut self, ruled: &mut Ruled) {
        let is_ready = self.own.as_ref().is_some_and(has_shoe);
        let waiting = self.table.as_ref().filter(|table| table.phase() == Phase::Preparing);
        let Some(table) = waiting.filter(|_| is_ready) else { return };
        let ways = [vec![Act::FreshShoe], vec![Act::ReplaceCards, Act::FreshShoe]];
        let works = |acts: &Vec<Act>| {
            let mut trial = table.clone();
            acts.iter().all(|act| done(&mut trial, act.clone(), self.now))
        };
        let Some(acts) = ways.into_iter().find(works) else { return };
        for act in acts {
            self.act(By::usual(&act), act, ruled);
        }
        let id = self.played.book.as_ref().map(|book| book.rulebook.title.id).unwrap_or_default();
        ruled.notes.push(format!("the shoe is prepared as {id} wants it"));
    }

    /// Why a line is dropped under the other book: it concerns something that the book does not
    /// have. One arm for each act.
    fn dropped(&self, act: &Act) -> Option<String> {
        let table = self.table.as_ref()?;
        let rulebook = &self.played.book.as_ref()?.rulebook;
        let missing = |spot: Spot| rulebook.offers(spot, table.terms()).err();
        let of_group = |group: Group| match group {
            Group::Main | Group::Tie => None,
            Group::Side(key) if table.terms().side_bets.of(key).is_some() => None,
            Group::Side(key) => Some(match rulebook.side_bets(key) {
                Some(bets) => {
                    let (what, clause) = (bets.name.clone(), bets.rules.offered.clause);
                    NotOffered::NotAtThisTable { what, clause }
                }
                None => return rulebook.may_offer(Offer { group: key, table: None }).err(),
            }),
        };
        let withdrawn = |key: Key| match rulebook.side_bets(key) {
            Some(_) => None,
            None => rulebook.may_offer(Offer { group: key, table: None }).err(),
        };
        let fault = match act {
            Act::Allow(_, group, _)
            | Act::Post(SignLine::Limits(group, _))
            | Act::GiveNotice(SignLine::Limits(group, _), _) => of_group(*group),
            Act::Post(SignLine::Offer(offer)) | Act::GiveNotice(SignLine::Offer(offer), _) => {
                rulebook.may_offer(*offer).err()
            }
            Act::Post(SignLine::Withdraw(key)) | Act::GiveNotice(SignLine::Withdraw(key), _) => {
                withdrawn(*key)
            }
            Act::Post(SignLine::Method(method)) | Act::GiveNotice(SignLine::Method(method), _) => {
                let has = rulebook.method(*method).is_some();
                let id = rulebook.title.id;
                let what = format!("{id} has no {} method; the line is dropped", method.key());
                return (!has).then_some(what);
            }
            Act::Player(_, deed) => match deed {
                Deed::Bet(Bet { spot, .. }) | Deed::Call { spot, .. } | Deed::TakeBack(spot) => {
                    missing(*spot)
                }
                Deed::Move(_, from, to) => missing(*from).or_else(|| missing(*to)),
                Deed::Waive(key) => of_group(Group::Side(*key)),
                Deed::Sit(..)
                | Deed::StandBehind(..)
                | Deed::BetAgainst(..)
                | Deed::AskNoBet
                | Deed::Agree
                | Deed::Object
                | Deed::AskFaceDown
                | Deed::AskRiffle
                | Deed::Inspect
                | Deed::Cut(_)
                | Deed::DeclineCut
                | Deed::RefuseCards
                | Deed::Turn(..)
                | Deed::TurnThird(..)
                | Deed::Dispute(_)
                | Deed::AskRules
                | Deed::Leave => None,
            },
            Act::Post(_)
            | Act::GiveNotice(..)
            | Act::Tick
            | Act::Open(_)
            | Act::PlayersConsent
            | Act::VoidCoup(_)
            | Act::VoidNumbered(..)
            | Act::DecideDispute(..)
            | Act::ReviewDispute(..)
            | Act::InspectorLeaves
            | Act::InspectorReturns
            | Act::Invalidate(_)
            | Act::VoidWagers(..)
            | Act::Exclude(..)
            | Act::RequireSeat(_)
            | Act::ReplaceCards
            | Act::Close
            | Act::GiveRules
            | Act::Dealer(_)
            | Act::Supervisor(_)
            | Act::CuttingCardAppears
            | Act::CuttingCardShows
            | Act::ShoeRunsOut
            | Act::FreshShoe => None,
        };
        fault.map(|fault| format!("{fault}; the line is dropped"))
    }
}
