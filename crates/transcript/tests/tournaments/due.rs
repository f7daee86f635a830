//! What is due in a tournament: at every step of every transcript something is, and what is
//! suggested as a whole is accepted.

use std::collections::BTreeMap;

use tournament::{Command, Due, Need, Phase, Tournament};
use transcript::{Said, say_due, understand};

use crate::walk::every_step;

/// What is wrong with a suggestion, if something is.
fn fault(tournament: &Tournament, due: &Due, at: u64) -> Option<String> {
    let line = say_due(due, tournament.book(), false);
    let Some(act) = &due.act else {
        let silent = matches!(due.next, tournament::Next::WaitForStart(_));
        return (line.is_none() && !silent).then(|| "no line".into());
    };
    if let Err(refusal) = tournament.decide(&Command::new(at, act.clone())) {
        return Some(refusal.what.clone());
    }
    let line = line?;
    match understand(&line) {
        Ok(Said::Act(..) | Said::Tournament) => None,
        other => Some(format!("`{line}` is read as {other:?}")),
    }
}

fn check(tournament: &Tournament, at: u64, place: &str, faults: &mut Vec<String>) -> Vec<Due> {
    let all = tournament.due_at(at);
    let over = matches!(tournament.phase(), Phase::Ended | Phase::Cancelled);
    if all.is_empty() != over {
        faults.push(format!("{place}: {} due, {:?}", all.len(), tournament.phase()));
    }
    if !over && !all.iter().any(|due| due.need == Need::Must) {
        faults.push(format!("{place}: nothing must be done: {all:?}"));
    }
    for due in &all {
        if let Some(fault) = fault(tournament, due, at) {
            faults.push(format!("{place}: {:?}: {fault}", due.next));
        }
    }
    all
}

#[test]
fn something_is_due_at_every_step_and_what_is_suggested_is_accepted() {
    let (mut faults, mut seen) = (Vec::new(), BTreeMap::<String, u32>::new());
    every_step(&mut |step| {
        let now = step.after.now();
        for due in check(step.after, now, &step.place, &mut faults) {
            let next = format!("{:?}", due.next);
            let next = next.split(|c: char| !c.is_alphanumeric()).next().unwrap();
            *seen.entry(next.to_owned()).or_default() += 1;
        }
        check(step.after, now + 3_600_000_000, &format!("{} later", step.place), &mut faults);
    });
    let text = faults.join("\n");
    assert!(faults.is_empty(), "{} faults\n{text}", faults.len());
    assert!(seen.len() > 50, "{seen:#?}");
}
