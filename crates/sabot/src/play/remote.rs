//! `sabot play --server`: a table of a server, on a full screen or line by line, with the others
//! who are there. This terminal takes part in every shoe by itself.

use std::io::Write;

use anyhow::{Result, bail};
use tokio::sync::mpsc;

use super::afar::{Afar, Typed};
use super::link::Link;
use super::orders::{Reply, obey};
use super::seat::{Kind, Seat};
use super::{has_screen, pages, screen, terminal, theme};
use crate::cli::PlayArguments;
use crate::data::Data;
use crate::show::visible;
use crate::typed::{NOT_TEXT, Typed as Line, line_of};

/// Plays at a table of a server until the person goes.
pub(super) fn run(arguments: &PlayArguments, address: &str) -> Result<String> {
    let data = Data::folder(arguments.data.as_deref())?;
    let full_screen = !arguments.plain && has_screen();
    if terminal::put_right(&data.screens()) {
        eprintln!("a table at this terminal was killed; the terminal is put right");
    }
    let mut seat = Afar::sit(Link::open(arguments, address)?, arguments.stack)?;
    if full_screen {
        let state = screen::State::new(theme(), arguments.speed, None);
        screen::run(&mut seat, state, &data.screens())?;
    } else {
        line_by_line(&mut seat)?;
    }
    seat.close()
}

fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = writeln!(out, "{}", text.trim_end());
    let _ = out.flush();
}

/// Tells what happens as it happens, and does what is typed.
fn line_by_line(seat: &mut Afar) -> Result<()> {
    let sight = seat.sight();
    print(&visible(&format!(
        "You are at {} under {}. `?` shows what you can do, `help` the orders, `tables` the other \
         tables, `quit` leaves.",
        sight.table, sight.book.id
    )));
    let (mut lines, mut told) = (typed(), 0);
    loop {
        for entry in &seat.log()[told..] {
            if entry.kind != Kind::Detail {
                print(&pages::told(seat, entry));
            }
        }
        told = seat.log().len() - seat.forget_old();
        if let Some(why) = seat.over() {
            bail!("{}", visible(why));
        }
        let line = match seat.next(&mut lines) {
            Typed::Line(line) => line,
            Typed::Nothing => continue,
            Typed::End => return Ok(()),
        };
        match line.trim() {
            "" => {}
            "?" => print(&lawful(seat)),
            "tables" => print(&seat.tables()?),
            line => {
                let wait = seat.wait();
                match obey(seat, wait, line)? {
                    Reply::Done => {}
                    Reply::Page(text) | Reply::Help(text) => print(&text),
                    Reply::Quit | Reply::Leave => return Ok(()),
                }
            }
        }
    }
}

/// What the person could do now.
fn lawful(seat: &Afar) -> String {
    let mut text = format!("You have {} before you.\n", seat.my_stack());
    for one in &seat.sight().lawful {
        text += &format!("  {}\n", visible(&one.line));
    }
    text
}

/// What the person types, line by line.
fn typed() -> mpsc::Receiver<String> {
    let (send, lines) = mpsc::channel(16);
    std::thread::spawn(move || {
        loop {
            let line = match line_of(&mut std::io::stdin().lock()) {
                Ok(Line::Line(line)) => line,
                Ok(Line::NotText) => {
                    print(NOT_TEXT);
                    continue;
                }
                Ok(Line::End) | Err(_) => break,
            };
            if send.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}
