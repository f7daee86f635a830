//! The table line by line: for screen readers, pipes and tests.

use std::io::{BufRead, Write};

use anyhow::Result;
use rules::Side;

use super::desk::Desk;
use super::orders::{Reply, obey, suggest};
use super::seat::{Kind, Moved, Seat as _, Wait};
use super::{pages, squeeze};
use crate::typed::text_of;

/// Plays until the input ends or the person goes. Gives whether they left for good.
pub(crate) fn run(desk: &mut Desk, mut input: impl BufRead, out: &mut impl Write) -> Result<bool> {
    let mut told = 0;
    writeln!(out, "{}", pages::table_in_short(desk))?;
    writeln!(out, "you sit at seat 3 with {}; `help` lists the orders", desk.my_stack())?;
    loop {
        let wait = settle_down(desk, out, &mut told)?;
        prompt(desk, wait, out)?;
        let Some(line) = text_of(&mut input, out)? else {
            writeln!(out)?;
            return Ok(false);
        };
        if let (Wait::Turn { side, .. }, "squeeze" | "s") = (wait, line.trim()) {
            say_squeeze(desk, side, out)?;
        }
        match obey(desk, wait, &line)? {
            Reply::Page(page) => write!(out, "{page}")?,
            Reply::Help(help) => writeln!(out, "{help}")?,
            Reply::Quit => return Ok(false),
            Reply::Leave if desk.leave()? => {
                tell(desk, out, &mut told)?;
                return Ok(true);
            }
            // What holds them was told, and the game goes on.
            Reply::Done | Reply::Leave => {}
        }
    }
}

/// Lets the table go on until it waits for the person, and tells what happens.
fn settle_down(desk: &mut Desk, out: &mut impl Write, told: &mut usize) -> Result<Wait> {
    loop {
        tell(desk, out, told)?;
        match desk.advance()? {
            Moved::On => {}
            Moved::Waits(wait) => {
                tell(desk, out, told)?;
                return Ok(wait);
            }
        }
    }
}

pub(crate) fn tell(desk: &Desk, out: &mut impl Write, told: &mut usize) -> Result<()> {
    for entry in &desk.log[*told..] {
        if entry.kind != Kind::Detail {
            writeln!(out, "{}", pages::told(desk, entry))?;
        }
    }
    *told = desk.log.len();
    Ok(())
}

fn prompt(desk: &Desk, wait: Wait, out: &mut impl Write) -> Result<()> {
    let question = match wait {
        Wait::Wagers => {
            let mine: Vec<_> =
                desk.mine().iter().map(|(spot, stake)| format!("{stake} on {spot}")).collect();
            let mine = if mine.is_empty() { "no wager".into() } else { mine.join(", ") };
            let sight = desk.sight();
            let last = if sight.last { ", last coup" } else { "" };
            let no_bet = if sight.no_bet { ", no bets" } else { "" };
            let next = sight.coup;
            format!("coup {next}{last}{no_bet}: you have {} and {mine}", desk.my_stack())
        }
        other @ (Wait::Cut | Wait::Turn { .. } | Wait::Others | Wait::Over) => suggest(other),
    };
    write!(out, "{question} > ")?;
    out.flush()?;
    Ok(())
}

/// What a squeeze shows, step by step, to the one who squeezes.
fn say_squeeze(desk: &Desk, side: Side, out: &mut impl Write) -> Result<()> {
    for (card, which) in desk.peek(side).into_iter().zip(["first", "second", "third"]) {
        for step in 1..squeeze::STEPS {
            writeln!(out, "{which} card: {}", squeeze::seen(card, step))?;
        }
    }
    Ok(())
}
