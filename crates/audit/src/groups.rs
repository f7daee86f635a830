//! The records of a table's stream, act by act.

use shoe::ShoeFact;
use store::{Acted, Body, RefusedAct, Setup, StoreError};
use table::{Act, Event};

use crate::actors::Name;

/// One act of the log: the act as it was said, and everything that followed.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The number of its first record.
    pub first: u64,
    /// The command: who sent it, and its name.
    pub name: Name,
    /// The time of the act, in microseconds UTC.
    pub at: u64,
    /// The rulebook, if the act begins a table.
    pub book: Option<store::Book>,
    /// How the table is run, if the act begins one.
    pub setup: Option<Setup>,
    /// The act, as a line of a transcript.
    pub line: Option<String>,
    /// The act itself; logs of the first form have only the line.
    pub acted: Option<Acted<Act>>,
    /// An act that was refused.
    pub refused: Option<RefusedAct<Act>>,
    /// An act that waits for a second person.
    pub proposed: Option<Acted<Act>>,
    /// The events that followed.
    pub events: Vec<Event>,
    /// What was published about the shoe.
    pub facts: Vec<ShoeFact>,
}

/// The acts of a log, each with its consequences.
///
/// # Errors
///
/// When a record cannot be read.
pub fn groups(records: &[store::Record]) -> Result<Vec<Group>, StoreError> {
    let mut groups: Vec<Group> = Vec::new();
    let mut named = None;
    for record in records {
        // Two people may have the same key for what they said one after the other.
        let name = (&record.actor, &record.key);
        if named.replace(name) != Some(name) {
            let (first, at) = (record.version, record.at);
            let name = Name { actor: record.actor.clone(), key: record.key.clone() };
            groups.push(Group { first, name, at, ..Group::default() });
        }
        let group = groups.last_mut().expect("a group was begun");
        match record.read()? {
            Body::Book(book) => group.book = Some(book),
            // A second line in one act would overwrite the first.
            Body::Line(line) => {
                let first = group.line.take().map_or(String::new(), |first| first + "; ");
                group.line = Some(first + &line);
            }
            Body::Act(acted) => {
                group.line.clone_from(&acted.line);
                group.acted = Some(*acted);
            }
            Body::Refused(refused) => group.refused = Some(*refused),
            Body::Proposed(proposed) => group.proposed = Some(*proposed),
            Body::Setup(setup) => group.setup = Some(setup),
            Body::Table(event) => group.events.push(*event),
            Body::Shoe(fact) => group.facts.push(fact),
            Body::Tournament(_)
            | Body::Checkpoint(_)
            | Body::Answer(_)
            | Body::Key(_)
            | Body::Restored(_)
            | Body::TournamentAct(_)
            | Body::TournamentRefused(_)
            | Body::Account(_)
            | Body::TableShoe(_) => {}
        }
    }
    Ok(groups)
}
