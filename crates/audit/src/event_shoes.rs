//! The shoes at the tables of a tournament: every commitment, order, proof and secret holds, and
//! every card that an event shows is the card at that position of the published shoe.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use shoe::{Abandoned, CutOf, Digest, ShoeFact, ShoeRecord};
use tournament::Fact;

use crate::cards::Places;
use crate::table::Finding;
use crate::tournament::Group;

/// What was published at one table.
#[derive(Default)]
struct AtTable {
    shoe: Option<ShoeRecord>,
    places: Places,
    /// The secret of the shoe is lost: nothing of it can be proved any more.
    lost: bool,
    /// How many shoes the house committed to.
    shoes: u32,
}

/// The shoes of a tournament.
pub(crate) struct Shoes {
    stream: String,
    book: Option<Digest>,
    tables: BTreeMap<u32, AtTable>,
    commitments: HashSet<Digest>,
    findings: Vec<Finding>,
    at: u64,
}

impl Shoes {
    pub(crate) fn of(stream: &str) -> Self {
        let (tables, commitments) = (BTreeMap::new(), HashSet::new());
        Self { stream: stream.into(), book: None, tables, commitments, findings: Vec::new(), at: 0 }
    }

    fn find(&mut self, table: u32, what: impl std::fmt::Display) {
        let what = format!("table {table}: {what}");
        self.findings.push(Finding { version: self.at, what });
    }

    /// Checks one act, and gives what is wrong with it.
    pub(crate) fn group(&mut self, group: &Group) -> Vec<Finding> {
        self.at = group.first;
        if let Some(book) = &group.book {
            self.book = Some(book.sha256);
        }
        let (mut events, mut facts) = (BTreeMap::new(), BTreeMap::new());
        let mut touched = BTreeSet::new();
        for event in &group.events {
            if let Fact::AtTable { table, event } = &event.fact {
                events.entry(*table).or_insert_with(Vec::new).push(event.clone());
                touched.insert(*table);
            }
        }
        for one in &group.facts {
            facts.entry(one.table).or_insert_with(Vec::new).push(one.fact.clone());
            touched.insert(one.table);
        }
        for table in touched {
            let events = events.remove(&table).unwrap_or_default();
            let facts = facts.remove(&table).unwrap_or_default();
            self.note_cuts(table, &events);
            if group.acted.is_none() && facts.iter().any(is_card) {
                self.find(table, "cards of the shoe that no act took");
            }
            self.check_cards(table, &events, &facts);
            for fact in &facts {
                self.note(table, fact);
            }
        }
        std::mem::take(&mut self.findings)
    }

    fn note_cuts(&mut self, table: u32, events: &[table::Event]) {
        for event in events {
            let table::Fact::Cut { by, depth } = event.fact else { continue };
            let Some(shoe) = self.tables.get_mut(&table).and_then(|at| at.shoe.as_mut()) else {
                continue;
            };
            let of = match by {
                table::CutBy::Player(_) => CutOf::Player,
                table::CutBy::Staff(_) => CutOf::Staff,
            };
            let early = shoe.root.is_none();
            shoe.note_cut(depth, of);
            if early {
                self.find(table, "the shoe was cut before its root was published");
            }
        }
    }

    /// Every card of the act is the shoe's, and as many left the shoe as the act takes.
    fn check_cards(&mut self, table: u32, events: &[table::Event], facts: &[ShoeFact]) {
        let Some(at) = self.tables.get_mut(&table) else { return };
        let Some(shoe) = &at.shoe else { return };
        let takes = events.iter().any(|event| takes_a_card(&event.fact));
        let altered =
            |event: &table::Event| matches!(event.fact, table::Fact::CardCorrected { .. });
        let faults = if shoe.entropy.is_some() || at.lost {
            let late = "a card after the shoe was revealed or given up";
            takes.then(|| late.into()).into_iter().collect()
        } else if shoe.root.is_none() || shoe.cut.is_none() {
            let early = "a card before the shoe was made and cut";
            takes.then(|| early.into()).into_iter().collect()
        } else {
            let mut faults = at.places.check(shoe, events, facts);
            if events.iter().any(altered) {
                faults.push("a card of the shoe was put right as if somebody had keyed it".into());
            }
            faults
        };
        for fault in faults {
            self.find(table, fault);
        }
    }

    fn note(&mut self, table: u32, fact: &ShoeFact) {
        if let ShoeFact::Committed { protocol, decks, commitment, binds } = fact {
            self.commit(table, *commitment, binds.as_deref());
            let fresh = match binds {
                None => ShoeRecord::first(*decks, *commitment),
                Some(binds) => ShoeRecord::of(*decks, *commitment, (**binds).clone()),
            };
            let shoe = ShoeRecord { protocol: protocol.clone(), ..fresh };
            let at = self.tables.entry(table).or_default();
            let before = at.shoe.replace(shoe);
            (at.lost, at.shoes) = (false, at.shoes + 1);
            at.places.new_shoe();
            self.verify(table, before.as_ref());
            return;
        }
        let Some(at) = self.tables.get_mut(&table) else {
            return self.find(table, "a card of no shoe");
        };
        let Some(shoe) = at.shoe.as_mut() else { return };
        let due = shoe.dealt.len();
        shoe.note(fact);
        at.lost |= matches!(fact, ShoeFact::Abandoned(Abandoned::SecretLost));
        if let ShoeFact::Dealt { index, .. } = fact
            && *index as usize != due
        {
            self.find(table, format!("card {index} left where card {due} was due"));
        }
    }

    /// The commitment is a new one, to a shoe of this table, this number and this book.
    fn commit(&mut self, table: u32, commitment: Digest, binds: Option<&shoe::Binds>) {
        if !self.commitments.insert(commitment) {
            self.find(table, "a commitment that was used before");
        }
        let at = self.tables.entry(table).or_default();
        let open = at.shoe.as_ref().is_some_and(|shoe| shoe.entropy.is_none()) && !at.lost;
        let number = at.shoes + 1;
        if open {
            self.find(table, "a new shoe was begun before the last one was revealed");
        }
        let Some(binds) = binds else { return };
        if binds.table != format!("{} table {table}", self.stream) {
            self.find(table, format!("a shoe of another table: {}", binds.table));
        }
        if binds.number != number {
            self.find(table, format!("shoe {} where shoe {number} is due", binds.number));
        }
        if Some(binds.book) != self.book {
            self.find(table, "a shoe for another book");
        }
    }

    fn verify(&mut self, table: u32, shoe: Option<&ShoeRecord>) {
        for fault in shoe.and_then(|shoe| shoe::verify(shoe).err()).into_iter().flatten() {
            self.find(table, format!("a shoe does not hold: {fault}"));
        }
    }

    /// What is wrong with the shoes that are still open at the end.
    pub(crate) fn finish(mut self, last: u64) -> Vec<Finding> {
        self.at = last;
        for (table, at) in std::mem::take(&mut self.tables) {
            self.verify(table, at.shoe.as_ref());
        }
        self.findings
    }
}

/// Whether something of one card was published.
const fn is_card(fact: &ShoeFact) -> bool {
    matches!(fact, ShoeFact::Dealt { .. } | ShoeFact::Opened(_))
}

/// Whether a card leaves the shoe or is turned by this.
pub(crate) const fn takes_a_card(fact: &table::Fact) -> bool {
    use table::Fact::{Burned, BurnedMore, Dealt, Excess, Turned};
    matches!(fact, Burned { .. } | BurnedMore(_) | Dealt { .. } | Excess { .. } | Turned { .. })
}
