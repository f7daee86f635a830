//! `sabot tournament run`: a director's console. What is next is suggested, what is said is judged
//! and recorded, and an interrupted event goes on where it stopped.

mod client;
mod input;
mod pages;

pub(super) use self::pages::{NOBODY, OVER, WHICH, printed};

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use live::{Beginning, EventRuled, World};
use rules::Rulebook;
use store::{Begin, Deals, Setup, Store};
use table::{By, Role};
use tokio::runtime::Runtime;
use tournament::{Act, Conditions, Due, Need, Next, Phase, Tournament};
use transcript::{Clock, SaidInTournament, understand_in_tournament};

use self::client::Client;
use self::input::Lines;
use crate::Report;
use crate::cli::{EventCards, RunArguments};
use crate::data::{Data, quoted};
use crate::show::{Format, visible};
use crate::typed::{NOT_TEXT, Typed};

/// The event in a log of its own.
pub(crate) const TITLE: &str = "event";
const MINUTE: u64 = 60_000_000;
const DAY: u64 = 1440 * MINUTE;

struct Console {
    runtime: Runtime,
    client: Client,
    world: World,
    /// The clock stands until a line sets it.
    by_line: bool,
}

pub(crate) fn run(arguments: &RunArguments, format: Format) -> Result<Report> {
    let (conditions, book, _) = super::read(&arguments.conditions)?;
    let data = Data::folder(arguments.data.as_deref())?;
    let log = log_of(&data.events()?, &conditions, arguments.again)?;
    let begins = if log.exists() { Begin::Either } else { Begin::New };
    let mut console = match begins {
        Begin::New => Console::begin((&log, begins), arguments, &conditions)?,
        Begin::Either => match Console::resume(&log, arguments) {
            Err(fault) if crate::play::never_began(&fault) => {
                Console::begin((&log, begins), arguments, &conditions)?
            }
            resumed => resumed?.under(&book)?,
        },
    };
    if let Some(store) = console.client.log().file() {
        crate::stop::stop_in_order(store, console.runtime.handle().clone());
    }
    let file = &arguments.conditions.conditions;
    match console.go(conditions, file, &mut crate::show::talk(format)) {
        Ok(()) => console.end(&log, &data, format),
        // Whatever broke off, such as the pipe that reads: the log is stopped in order.
        Err(fault) => Err(crate::stop::after_closing(fault, console.close())),
    }
}

/// Where the newest event of this name is kept. Names that make the same file, such as those that
/// differ in case, are told apart by what the log says. An event that begins gets a log of its own.
fn log_of(folder: &Path, conditions: &Conditions, again: bool) -> Result<PathBuf> {
    let name = if conditions.name.is_empty() { TITLE } else { conditions.name.as_str() };
    let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let slug: String = name.chars().map(plain).take(60).collect();
    let log = |number: u32| match number {
        1 => folder.join(format!("{slug}.sabot")),
        _ => folder.join(format!("{slug}.{number}.sabot")),
    };
    let taken: Vec<_> = (1..1000).rev().filter(|number| log(*number).exists()).collect();
    if !again {
        for log in taken.iter().map(|number| log(*number)) {
            // A log that cannot be read says why when it is gone on with.
            if title_in(&log)?.is_none_or(|title| title == conditions.name) {
                return Ok(log);
            }
        }
    }
    match taken.first() {
        None => Ok(log(1)),
        Some(newest) if *newest < 999 => Ok(log(newest + 1)),
        Some(_) => bail!("there are too many events of this name; name the new one otherwise"),
    }
}

/// The name of the event of a log; nothing if that cannot be read.
fn title_in(log: &Path) -> Result<Option<String>> {
    let setup = async {
        let store = Store::read_only(log).await.ok()?;
        let page = store.page(&live::tournament_stream(TITLE), 0).await;
        store.close().await;
        let setup = |record: &store::Record| match record.read() {
            Ok(store::Body::Setup(setup)) => Some(setup),
            Ok(_) | Err(_) => None,
        };
        page.ok()?.iter().find_map(setup)
    };
    Ok(crate::play::runtime()?.block_on(setup).map(|setup| setup.title))
}

impl Console {
    fn begin(
        log: (&Path, Begin),
        arguments: &RunArguments,
        conditions: &Conditions,
    ) -> Result<Self> {
        let runtime = crate::play::runtime()?;
        let stated = transcript::conditions(&super::text_of(&arguments.conditions)?);
        let stated = stated.ok().and_then(|conditions| conditions.book);
        let (book, name) = super::whole_book_of(&arguments.conditions, stated.as_deref())?;
        super::refuse_faults(conditions, &book.rulebook)?;
        let deals = match arguments.cards {
            EventCards::Keyed => Deals::Keyed,
            EventCards::System => Deals::System,
        };
        let ahead = (!arguments.clock_by_line).then(house_clock);
        let title = conditions.name.clone();
        let setup = Setup { title, deals, pace: None, alone: true, ahead_of_utc: ahead };
        let beginning =
            Beginning { stream: TITLE.into(), name, book: Arc::new(book), setup, opener: None };
        let world = world(arguments);
        let client = runtime.block_on(Client::begin(log, beginning, world.clone()))?;
        Ok(Self::at(runtime, client, world, arguments))
    }

    /// Opens the event if it is not open yet, and talks until the director goes.
    fn go(&mut self, conditions: Conditions, file: &Path, out: &mut impl Write) -> Result<()> {
        if let Some(warning) = self.open_under(conditions, file)? {
            writeln!(out, "{warning}")?;
        }
        self.talk(out)?;
        Ok(out.flush()?)
    }

    /// Stops in order, and gives the head.
    fn close(self) -> Result<Option<store::Head>> {
        Ok(self.runtime.block_on(self.client.close())?)
    }

    /// Opens an event that is not open yet under its conditions: it is new, or was stopped before.
    /// Of one that has others already, says so.
    fn open_under(&mut self, conditions: Conditions, file: &Path) -> Result<Option<String>> {
        if self.tournament().phase() == Phase::Unopened {
            self.must(Act::Open)?;
        }
        let recorded = self.tournament().conditions();
        if recorded.is_some() {
            let differs = recorded != Some(&conditions);
            let file = quoted(file);
            return Ok(differs.then(|| {
                format!(
                    "the event goes on under the conditions that it was opened with; {file} says \
                     otherwise by now, and that counts for nothing here. To play by it: quit, and \
                     begin a new event with --again"
                )
            }));
        }
        super::refuse_faults(&conditions, &self.client.book().rulebook)?;
        self.must(Act::Document(Box::new(conditions)))?;
        Ok(None)
    }

    fn resume(log: &Path, arguments: &RunArguments) -> Result<Self> {
        let runtime = crate::play::runtime()?;
        let world = world(arguments);
        let client = runtime.block_on(Client::resume(log, world.clone()))?;
        Ok(Self::at(runtime, client, world, arguments))
    }

    /// An event of the same name under another book is not gone on with.
    fn under(self, book: &Rulebook) -> Result<Self> {
        let (recorded, named) = (self.client.book().rulebook.title.name(), book.title.name());
        if recorded == named {
            return Ok(self);
        }
        self.runtime.block_on(self.client.close())?;
        bail!(
            "the event of this name is played under {recorded}, and the file names {named}; name \
             the new event otherwise, or begin it with --again"
        )
    }

    fn at(runtime: Runtime, client: Client, world: World, arguments: &RunArguments) -> Self {
        let by_line = arguments.clock_by_line;
        // A clock that lines set stands where the event has come to.
        world.set_clock(client.tournament().now());
        Self { runtime, client, world, by_line }
    }

    fn tournament(&self) -> &Tournament {
        self.client.tournament()
    }

    /// The time, as acts get it.
    fn now(&self) -> u64 {
        if self.by_line {
            return self.world.now();
        }
        let ahead = self.client.setup().ahead_of_utc.unwrap_or(0);
        self.world.clone().with_offset(ahead).now()
    }

    fn must(&mut self, act: Act) -> Result<()> {
        match self.runtime.block_on(self.client.act(act))? {
            Ok(_) => Ok(()),
            Err(refusal) => bail!("{refusal}"),
        }
    }

    /// What is due, what holds up the event first.
    fn dues(&self) -> Vec<Due> {
        let mut dues = self.tournament().due_at(self.now());
        dues.sort_by_key(|due| due.need == Need::May);
        dues
    }

    fn say_due(&self, due: &Due) -> Option<String> {
        let system = self.client.setup().deals != Deals::Keyed;
        transcript::say_due(due, &self.client.book().rulebook, system)
    }

    /// Takes lines until the input ends or the director goes.
    fn talk(&mut self, out: &mut impl Write) -> Result<()> {
        let mut lines = Lines::open();
        writeln!(out, "{}", pages::opening(self))?;
        let mut was_over = false;
        loop {
            let (dues, over) = (self.dues(), self.is_over());
            let suggested: Vec<_> = dues.iter().filter_map(|due| self.say_due(due)).collect();
            if !was_over {
                write!(out, "{}", pages::status(self, &dues))?;
            }
            if over && !was_over {
                write!(out, "{}", pages::ending(self))?;
            }
            was_over = over;
            out.flush()?;
            let line = match lines.next(&suggested, self.names(), out)? {
                Typed::Line(line) => line,
                Typed::NotText => {
                    writeln!(out, "{NOT_TEXT}")?;
                    continue;
                }
                Typed::End => return Ok(()),
            };
            if matches!(line.trim(), "quit" | "q") {
                return Ok(());
            }
            let reply = if over { self.look_up(line.trim()) } else { self.obey(line.trim())? };
            write!(out, "{reply}")?;
        }
    }

    fn is_over(&self) -> bool {
        matches!(self.tournament().phase(), Phase::Ended | Phase::Cancelled)
    }

    /// What can still be asked of an event that is over: its pages, and to print them.
    fn look_up(&self, line: &str) -> String {
        if let Some(page) = pages::page(self, line) {
            return page;
        }
        match line.strip_prefix("print ") {
            Some(rest) => pages::print(self, rest),
            None => pages::OVER.into(),
        }
    }

    fn names(&self) -> Vec<String> {
        let entrants = self.tournament().entrants().iter();
        entrants.map(|entrant| transcript::say_name(&entrant.name).to_string()).collect()
    }

    fn obey(&mut self, line: &str) -> Result<String> {
        if let Some(page) = pages::page(self, line) {
            return Ok(page);
        }
        if line.is_empty() || line == "next" {
            return self.do_next();
        }
        if let Some(rest) = line.strip_prefix("print ") {
            return Ok(pages::print(self, rest));
        }
        if line == "ballot" {
            let ruled = self.runtime.block_on(self.client.commit_ballot())?;
            return Ok(told(&ruled));
        }
        if line == "reveal" {
            let ruled = self.runtime.block_on(self.client.reveal_ballot())?;
            return Ok(told(&ruled));
        }
        if let Some((name, form)) = line.split_once(" seals ") {
            let name = match transcript::name(name.trim_matches('"')) {
                Ok(name) => name,
                Err(fault) => return Ok(format!("who seals a form? {fault}\n")),
            };
            let ruled = self.runtime.block_on(self.client.hand_in(name, form.trim()))?;
            return Ok(told(&ruled));
        }
        match understand_in_tournament(line) {
            Ok(SaidInTournament::Nothing) => Ok(String::new()),
            Ok(SaidInTournament::Opening) => {
                Ok("the event is open, and its conditions come from the file\n".into())
            }
            Ok(SaidInTournament::Clock(clock)) => self.set_clock(clock),
            Ok(SaidInTournament::Act(by, act)) => self.act(by, *act),
            Err(fault) => Ok(format!("{fault}; `help` has the lines of the console\n")),
        }
    }

    fn act(&mut self, by: By, act: Act) -> Result<String> {
        let ruled = self.runtime.block_on(self.client.act_by(by, act))?;
        Ok(told(&ruled))
    }

    fn set_clock(&mut self, clock: Clock) -> Result<String> {
        if !self.by_line {
            return Ok("the clock is the house's; `--clock-by-line` is for rehearsals\n".into());
        }
        let now = self.world.now();
        let start = self.tournament().conditions().and_then(|c| c.start);
        let day = start.map_or(now, |start| start.0) / DAY * DAY;
        let minutes = |minutes: i64| u64::try_from(minutes).unwrap_or(0) * MINUTE;
        let to = match clock {
            Clock::Later(later) => now.saturating_add(minutes(later)),
            Clock::At(at) => day.saturating_add(minutes(at)),
            Clock::Day(at) => at,
        };
        if to < now {
            return Ok("the clock does not go back\n".into());
        }
        self.world.set_clock(to);
        let ruled = self.runtime.block_on(self.client.act(Act::Tick))?;
        Ok(told(&ruled))
    }

    /// Does what is next, as far as nothing is left to choose.
    fn do_next(&mut self) -> Result<String> {
        let dues = self.dues();
        // What waits for words does not hold up what can be done without.
        for due in dues.iter().filter(|due| due.need == Need::Must) {
            if let Some(reply) = self.try_due(due)? {
                return Ok(reply);
            }
        }
        let first = dues.iter().find(|due| due.need == Need::Must).or(dues.first());
        Ok(match first.map(|due| self.say_due(due)) {
            Some(Some(line)) => format!("say what is open in capitals: {line}\n"),
            Some(None) => "wait for the time\n".into(),
            None => "nothing is due\n".into(),
        })
    }

    /// Does a step for which nothing is left to choose; nothing for others.
    fn try_due(&mut self, due: &Due) -> Result<Option<String>> {
        if due.next == Next::CommitBallot {
            return Ok(Some(told(&self.runtime.block_on(self.client.commit_ballot())?)));
        }
        if let Next::OpenForm(name) = due.next {
            // The words are in a sealed box, which the inspector opens now.
            let act = Act::OpenForm { name, salt: String::new(), content: String::new() };
            return self.act(By::role(Role::Inspector), act).map(Some);
        }
        if due.next == Next::RevealBallot {
            return Ok(Some(told(&self.runtime.block_on(self.client.reveal_ballot())?)));
        }
        if let Some(table) = due.table.filter(|_| self.client.setup().deals == Deals::System)
            && let Some(reply) = self.deal(table)?
        {
            return Ok(Some(reply));
        }
        if let Some(act) = due.act.clone() {
            return self.act(act.usual(), act).map(Some);
        }
        // Cards that everybody saw leave nothing to choose either.
        let line = self.say_due(due).filter(|line| !due.known.is_empty() && !line.contains("CARD"));
        match line.map(|line| understand_in_tournament(&line)) {
            Some(Ok(SaidInTournament::Act(by, act))) => self.act(by, *act).map(Some),
            _ => Ok(None),
        }
    }

    /// The system deals at a table as far as it is its turn; nothing if somebody else is asked.
    fn deal(&mut self, table: u32) -> Result<Option<String>> {
        let mut reply = String::new();
        for _ in 0..64 {
            match self.runtime.block_on(self.client.step(table))? {
                live::TableStep::Did(Ok(events)) => {
                    for told in &events {
                        reply += &format!("  {}\n", visible(&told.what));
                    }
                }
                live::TableStep::Did(Err(refusal)) => {
                    reply += &format!("refused: {refusal}\n");
                    break;
                }
                live::TableStep::Shoe => {}
                live::TableStep::Waits(_) | live::TableStep::Nothing => break,
            }
        }
        Ok((!reply.is_empty()).then_some(reply))
    }

    fn end(self, log: &Path, data: &Data, format: Format) -> Result<Report> {
        let (over, version) = (self.is_over(), self.client.version());
        let head = self.close()?.map(|head| format!("{}:{}", head.version, head.hash));
        if format.is_json() {
            let end = serde_json::json!({
                "log": log.display().to_string(), "records": version, "over": over, "head": head,
            });
            return Ok(crate::books::pretty(&end).into());
        }
        let file = quoted(log);
        let head = head.map_or_else(String::new, |head| format!(" --head {head}"));
        let option = data.option();
        let go_on = if over { "the event is over" } else { "the same command goes on" };
        Ok(format!("{go_on}\ncheck it with: sabot audit verify {file}{head}{option}\n").into())
    }
}

fn told(ruled: &EventRuled) -> String {
    match ruled {
        Ok(events) => {
            let one = |told: &live::EventTold| {
                let clauses: Vec<_> = told.event.clauses.iter().map(ToString::to_string).collect();
                let cited = if clauses.is_empty() {
                    String::new()
                } else {
                    format!(" [{}]", clauses.join(", "))
                };
                format!("  {}{cited}\n", visible(&told.what))
            };
            events.iter().map(one).collect()
        }
        Err(refusal) => format!("refused: {}\n", visible(&refusal.to_string())),
    }
}

/// The clock and the entropy of the event's floor; a clock that lines set stands until then.
fn world(arguments: &RunArguments) -> World {
    if arguments.clock_by_line { World::real().with_clock(0) } else { World::real() }
}

/// How far the clock on the wall is before UTC, in minutes.
fn house_clock() -> i32 {
    let now = crate::data::moment(std::time::SystemTime::now());
    jiff::tz::TimeZone::system().to_offset(now).seconds() / 60
}
