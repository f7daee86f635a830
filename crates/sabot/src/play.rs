//! `sabot play`: a table in the terminal.

mod afar;
mod chance;
mod client;
mod deal;
mod desk;
mod guests;
mod link;
mod orders;
mod pages;
mod plain;
mod remote;
mod screen;
mod seat;
mod squeeze;
mod terminal;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use rules::Cents;

pub(crate) use self::chance::Chance;
use self::desk::{Desk, Opening};
pub(crate) use self::desk::{all_offered, runtime, sign};
use crate::cli::{GUEST, PlayArguments};
use crate::data::{Data, name_of};
use crate::show::{Format, count};

/// What runs tasks that speak to a server.
fn runtime_with_network() -> Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    Ok(builder.worker_threads(1).enable_all().build()?)
}

/// The colours of the terminal, unless they are not wanted.
fn theme() -> screen::Theme {
    if crate::show::wants_colour() { screen::Theme::COLOURED } else { screen::Theme::PLAIN }
}

/// Plays at a table until the person goes.
pub(crate) fn run(arguments: &PlayArguments, format: Format) -> Result<String> {
    if let Some(address) = &arguments.server {
        return remote::run(arguments, address);
    }
    let data = Data::folder(arguments.data.as_deref())?;
    let full_screen = !arguments.plain && has_screen();
    refuse_clock(arguments, full_screen)?;
    if terminal::put_right(&data.screens()) {
        eprintln!("a table at this terminal was killed; the terminal is put right");
    }
    let (log, mut desk) = if let Some(said) = &arguments.resume {
        let (log, desk) = resume(&data, Some(said.as_str()).filter(|said| !said.is_empty()))?;
        let (me, name) = (desk.me, arguments.name.as_str());
        if !desk.dealing && name != GUEST && name != me.as_str() {
            bail!("the session is {me}'s, not {name}'s; leave out --name, or begin another");
        }
        (log, desk)
    } else {
        begin(&data, arguments)?
    };
    if !full_screen {
        crate::stop::stop_in_order(desk.client.store(), desk.tasks());
    }
    let system = desk.client.is_dealt_from_the_systems_shoe();
    let cards = if system { deal::Cards::System } else { deal::Cards::Keyed };
    let left = if full_screen {
        on_the_screen(&mut desk, arguments, cards, &data)
    } else {
        line_by_line(&mut desk, cards, format)
    };
    let left = match left {
        Ok(left) => left,
        // Whatever broke off, such as the pipe that reads: the log is stopped in order.
        Err(fault) => return Err(crate::stop::after_closing(fault, desk.close())),
    };
    let coups = count(desk.table().coups(), "coup");
    let with = desk.left_with.map(|chips| format!("you leave with {chips}"));
    let secret = desk.client.published().is_some_and(|shoe| shoe.entropy.is_some());
    let (played, left_with) = (desk.table().coups(), desk.left_with.map(Cents::get));
    let head = desk.close()?;
    let name = name_of(&log);
    if format.is_json() {
        return Ok(crate::books::pretty(&serde_json::json!({
            "session": name, "coups": played, "left_with_cents": left_with, "left": left,
            "head": head,
        })));
    }
    let option = data.option();
    let mut told = vec![format!("session {name}: {coups}")];
    told.extend(with);
    if !left {
        // Without a name the newest goes on.
        let newest = data.all_sessions()?.last() == Some(&log);
        let which = if newest { String::new() } else { format!(" {name}") };
        told.push(format!("go on with: sabot play --resume{which}{option}"));
    } else if secret {
        told.push("the shoe's secret is published in it".to_owned());
    }
    let check = match &head {
        Some(head) => format!("{name} --head {head}{option}"),
        None => format!("{name}{option}"),
    };
    let told = told.join("; ");
    Ok(format!("{told}\ncheck it with: sabot audit verify {check}\n"))
}

/// Plays or deals line by line; gives whether the person left for good.
fn line_by_line(desk: &mut Desk, cards: deal::Cards, format: Format) -> Result<bool> {
    let (input, mut out) = (std::io::stdin().lock(), crate::show::talk(format));
    let left = if desk.dealing {
        deal::run(desk, cards, input, &mut out)?
    } else {
        plain::run(desk, input, &mut out)?
    };
    out.flush()?;
    Ok(left)
}

/// Plays or deals on the full screen; gives whether the person left for good.
fn on_the_screen(
    desk: &mut Desk,
    arguments: &PlayArguments,
    cards: deal::Cards,
    data: &Data,
) -> Result<bool> {
    let mut state = screen::State::new(theme(), arguments.speed, arguments.clock);
    state.dealer = desk.dealing.then_some(screen::Dealer { cards });
    if desk.dealing {
        deal::others(desk, cards)?;
    }
    crate::show::draws(true);
    let left = screen::run(desk, state, &data.screens());
    crate::show::draws(false);
    left
}

/// A new session: its name is taken by making its file.
fn begin(data: &Data, arguments: &PlayArguments) -> Result<(PathBuf, Desk)> {
    for log in data.new_sessions(&arguments.book)? {
        match Desk::open(&log, opening(arguments)?) {
            Ok(desk) => return Ok((log, desk)),
            // Somebody else began one in the same moment.
            Err(fault) if desk::is_anothers(&fault) => {}
            Err(fault) => return Err(fault),
        }
    }
    bail!("there are too many sessions of this very second; try again")
}

/// A clock is refused where nobody could obey it.
fn refuse_clock(arguments: &PlayArguments, full_screen: bool) -> Result<()> {
    match arguments.clock {
        Some(_) if arguments.deal => {
            bail!("--clock is for players, and a dealer calls no more bets; leave it out")
        }
        Some(_) if !full_screen => bail!(
            "--clock needs the full screen: a line that is being typed is not interrupted; leave \
             out --clock, or --plain"
        ),
        _ => Ok(()),
    }
}

/// The session that was named, or the newest that can be resumed.
fn resume(data: &Data, said: Option<&str>) -> Result<(PathBuf, Desk)> {
    if said.is_none() {
        for log in data.sessions_and_lost()?.into_iter().rev() {
            match Desk::resume(&log) {
                Ok(desk) => return Ok((log, desk)),
                // Such a session is over; the one before it may not be.
                Err(fault) if fault.is::<desk::NobodyLeft>() || never_began(&fault) => {}
                Err(_) if !log.exists() => bail!(
                    "the log of the newest session, {name}, is gone, though {name}.head knows it; \
                     put it back, or name the session to go on with",
                    name = name_of(&log)
                ),
                Err(fault) => {
                    let name = name_of(&log);
                    let why = format!("the newest session, {name}, cannot be gone on with");
                    return Err(fault.context(why));
                }
            }
        }
    }
    let named = data.session(said)?;
    let desk = Desk::resume(&named)?;
    Ok((named, desk))
}

/// Whether a session or an event was killed before its first record.
pub(crate) fn never_began(fault: &anyhow::Error) -> bool {
    let fault = fault.downcast_ref::<live::LiveError>();
    matches!(fault, Some(live::LiveError::NoTable(_)))
}

fn opening(arguments: &PlayArguments) -> Result<Opening> {
    let named = crate::books::with_sheets(&arguments.book, &arguments.with);
    let book = crate::books::load(&named)?;
    let mut options = desk::all_offered(&book);
    options.terms = crate::books::terms_of(&book, arguments.method, &arguments.with)?;
    options.face_down = arguments.face_down;
    options.decks = arguments.decks;
    let name = transcript::name(&arguments.name)
        .map_err(|fault| anyhow!("`{}` cannot be a name: {fault}", arguments.name))?;
    if arguments.stack == Cents::ZERO {
        bail!("nobody plays with nothing; allowed: --stack 1000");
    }
    let (stack, guests) = (arguments.stack, arguments.players);
    // Somebody has to bet where you deal.
    let guests = usize::from(guests.unwrap_or(if arguments.deal { 3 } else { 0 }));
    let (book, dealing) = (named, arguments.deal);
    let (keyed, world) = (arguments.keyed, live::World::real());
    Ok(Opening { book, options, name, stack, guests, dealing, keyed, world })
}

/// Whether there is a screen to draw on.
fn has_screen() -> bool {
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}
