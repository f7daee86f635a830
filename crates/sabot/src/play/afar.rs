//! A seat at a table of a server: the same screen as at a table of one's own, with the others who
//! are there. Every card's tick is this terminal's own check.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use rulebooks::Book;
use rules::{Cents, Clause};
use server::client::Reply as Answer;
use shoe::{Digest, Opening, ShoeRecord};
use table::{Act, Deed};
use tokio::sync::mpsc;
use transcript::Said;
use view::{CardView, EventView, TableView, Weight};

use super::Chance;
use super::deal::Cards;
use super::link::{Heard, Link, Next};
use super::orders::Reply;
use super::seat::{Face, Kind, LogLine, Moved, Seat, Slip, Sure, Wait};
use crate::network;
use crate::show::visible;

/// How long an act that was answered may take to be seen.
const SEEN_WITHIN: Duration = Duration::from_secs(3);
/// Entries that are kept to be read.
const MOST_KEPT: usize = 5000;

/// What a person typed.
pub(crate) enum Typed {
    Line(String),
    /// Nothing yet.
    Nothing,
    /// Nothing more.
    End,
}

/// A seat at a table of a server.
pub(crate) struct Afar {
    link: Link,
    sight: TableView,
    book: Option<Arc<Book>>,
    log: Vec<LogLine>,
    slip: Slip,
    /// The chips to sit down with.
    stack: Cents,
    until: Option<Instant>,
    shoe: Option<ShoeRecord>,
    /// The connection is lost: nothing is sent until it is back.
    lost: bool,
    /// Why there is nothing more to see.
    over: Option<String>,
}

impl Afar {
    /// Sits down at the table that the link follows.
    pub(crate) fn sit(mut link: Link, stack: Cents) -> Result<Self> {
        let (sight, until) = loop {
            match link.news_within(SEEN_WITHIN) {
                Some(Heard::Stands(sight, until)) => break (*sight, until),
                Some(Heard::Over(why)) => bail!("{why}"),
                Some(_) => {}
                None => bail!("the server does not answer"),
            }
        };
        let book = known_book(&sight);
        let mut seat = Self {
            link,
            sight,
            book,
            log: Vec::new(),
            slip: Slip::default(),
            stack,
            until,
            shoe: None,
            lost: false,
            over: None,
        };
        seat.trust_own_checks_only();
        seat.sit_down()?;
        Ok(seat)
    }

    /// Takes the first free place, unless this person has one.
    fn sit_down(&mut self) -> Result<()> {
        if self.sight.mine.is_some() {
            return Ok(());
        }
        let taken = |seat: u32| {
            let there = |player: &view::PlayerView| player.present && player.seat == seat;
            self.sight.players.iter().any(there)
        };
        let Some(seat) = (1..=self.sight.seats).find(|seat| !taken(*seat)) else {
            self.say("every place is taken; you watch".into());
            return Ok(());
        };
        let chips = self.stack.min(self.link.balance()?);
        self.deed(Deed::Sit(seat, chips))?;
        Ok(())
    }

    /// Takes in all that was heard.
    fn hear(&mut self) {
        while let Some(news) = self.link.news() {
            self.take(news);
        }
    }

    fn take(&mut self, news: Heard) {
        match news {
            Heard::Happened(events) => events.into_iter().for_each(|event| self.note(event)),
            Heard::Stands(sight, until) => self.stands(*sight, until),
            Heard::Shoe(record) => self.check(*record),
            Heard::TookPart => self.say("you took part: two words of yours are in the shoe".into()),
            Heard::LeftOut => self.alarm("YOUR WORDS ARE NOT IN THE LIST of this shoe"),
            Heard::Reminded(what) => self.say(what),
            Heard::Lost => {
                self.lost = true;
                self.alarm("the connection is lost; trying again");
            }
            Heard::Back => {
                self.lost = false;
                self.say("you are back".into());
            }
            Heard::Over(why) => {
                self.alarm(&why);
                self.over = Some(why);
            }
        }
    }

    /// Forgets the oldest entries once there are too many; gives how many.
    pub(crate) fn forget_old(&mut self) -> usize {
        if self.log.len() <= MOST_KEPT {
            return 0;
        }
        self.log.drain(..MOST_KEPT / 10).count()
    }

    /// What is heard or typed next: a line that was typed, or nothing if something was heard.
    pub(crate) fn next(&mut self, typed: &mut mpsc::Receiver<String>) -> Typed {
        match self.link.next(typed) {
            Some(Next::Typed(line)) => Typed::Line(line),
            Some(Next::Heard(news)) => {
                self.take(news);
                Typed::Nothing
            }
            None => Typed::End,
        }
    }

    /// The other tables, a line for each.
    pub(crate) fn tables(&self) -> Result<String> {
        let mut text = String::new();
        for table in self.link.tables()?.as_array().into_iter().flatten() {
            let say = |key: &str| table[key].as_str().unwrap_or_default().to_owned();
            let (id, title, book, phase) = (say("id"), say("title"), say("book"), say("phase"));
            let (seated, seats) = (&table["seated"], &table["seats"]);
            let line = format!("{id}: {title}, {book}, {seated} of {seats} seats taken, {phase}");
            text += &visible(&line);
            text.push('\n');
        }
        Ok(text)
    }

    /// Why there is nothing more to see.
    pub(crate) fn over(&self) -> Option<&str> {
        self.over.as_deref()
    }

    fn alarm(&mut self, what: &str) {
        let what = visible(what);
        self.log.push(LogLine { what, clauses: Vec::new(), kind: Kind::Refused });
    }

    fn note(&mut self, event: EventView) {
        // What others do is there to be read, but does not crowd the table.
        let others = ["placed", "settled", "lies"].contains(&event.kind.as_str()) && !event.mine;
        let kind = match event.weight {
            Weight::Detail => Kind::Detail,
            Weight::Call | Weight::Play if others => Kind::Detail,
            Weight::Call => Kind::Call,
            Weight::Play => Kind::Play,
        };
        self.log.push(LogLine { what: visible(&event.what), clauses: event.clauses, kind });
    }

    fn stands(&mut self, sight: TableView, until: Option<Instant>) {
        let was_open = self.sight.phase == "betting";
        let is_open = sight.phase == "betting";
        if was_open && !is_open && !self.mine().is_empty() {
            self.slip.last_bets = self.mine();
        }
        if is_open && !was_open {
            self.slip.done.clear();
        }
        (self.sight, self.until) = (sight, until);
        self.trust_own_checks_only();
    }

    /// Looks at what is published of the shoe.
    fn check(&mut self, record: ShoeRecord) {
        let told = record.entropy.is_some()
            && self.shoe.as_ref().is_none_or(|before| before.entropy.is_none());
        let before = self.shoe.replace(record);
        let bound =
            |record: &ShoeRecord| -> (Digest, Option<Digest>) { (record.commitment, record.root) };
        let (before, now) = (before.as_ref().map(bound), self.shoe.as_ref().map(bound));
        if let (Some((same, Some(root))), Some((commitment, other))) = (before, now)
            && same == commitment
            && other != Some(root)
        {
            self.alarm("THE ROOT OF THE SHOE HAS CHANGED: the order is not the one that was bound");
        }
        self.trust_own_checks_only();
        if told {
            self.check_what_was_told();
        }
    }

    /// The secret of a shoe was published: the whole of it is checked, and the house held to it.
    fn check_what_was_told(&mut self) {
        let verified = self.shoe.as_ref().map(shoe::verify);
        match verified {
            Some(Err(faults)) => {
                let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
                self.alarm(&format!("THE SHOE DOES NOT HOLD: {}", faults.join("; ")));
            }
            Some(Ok(_)) => self.say_that_the_shoe_is_told(),
            None => {}
        }
    }

    /// Puts this terminal's own checks of the cards in place of what the server says of them.
    fn trust_own_checks_only(&mut self) {
        let record = self.shoe.as_ref();
        let felt = &mut self.sight.felt;
        let lying = felt.player.cards.len() + felt.banker.cards.len();
        let coup = (felt.coup, lying);
        let cards = felt.player.cards.iter_mut().chain(&mut felt.banker.cards);
        let mut is_false = false;
        for card in cards {
            card.proved = record.and_then(|record| proved(record, coup, card));
            is_false |= card.proved == Some(false);
        }
        let alarm = "A CARD IS NOT PROVED: it is not the one that the shoe has at its place";
        if is_false && self.log.last().is_none_or(|line| line.what != alarm) {
            self.alarm(alarm);
        }
    }

    /// Whom the table waits for.
    pub(crate) fn wait(&self) -> Wait {
        if self.over.is_some() || self.sight.phase == "closed" {
            return Wait::Over;
        }
        let asked = self.sight.asked.iter().filter(|asked| asked.mine);
        for line in asked.filter_map(|asked| asked.line.as_deref()) {
            if let Ok(Said::Act(_, act)) = transcript::understand(line)
                && let Some(wait) = turn_of(*act)
            {
                return wait;
            }
        }
        let open = self.sight.phase == "betting" && self.sight.mine.is_some();
        if open { Wait::Wagers } else { Wait::Others }
    }

    /// Sends something, unless the connection is lost, and takes the answer. A server that does not
    /// answer ends nothing: what it did is seen when it is back.
    fn send(&mut self, send: impl FnOnce(&mut Link) -> Result<Answer>) -> bool {
        if self.lost {
            self.alarm("the connection is lost; nothing is sent until it is back");
            return false;
        }
        match send(&mut self.link) {
            Ok(answer) => self.answered(&answer),
            Err(fault) => {
                self.alarm(&format!("{fault}; look at the felt before you bet again"));
                false
            }
        }
    }

    /// Takes an answer: a refusal is told, and what was done is waited for until it is seen.
    fn answered(&mut self, answer: &Answer) -> bool {
        if !answer.is_good() {
            let clauses = serde_json::from_value::<Vec<Clause>>(answer.body["clauses"].clone());
            let text = |key: &str| answer.body[key].as_str().unwrap_or_default().to_owned();
            let what = visible(&format!("{}; {}", text("title"), text("instead")));
            let clauses = clauses.unwrap_or_default();
            self.log.push(LogLine { what, clauses, kind: Kind::Refused });
            return false;
        }
        let version = answer.body["version"].as_u64().unwrap_or(0);
        let until = Instant::now() + SEEN_WITHIN;
        while self.sight.version < version && Instant::now() < until && self.over.is_none() {
            if let Some(news) = self.link.news_within(SEEN_WITHIN) {
                self.take(news);
            }
        }
        true
    }

    /// Leaves, and says what the account holds.
    pub(crate) fn close(mut self) -> Result<String> {
        if self.sight.mine.is_some() && self.over.is_none() {
            self.link.leave(&mut |why| eprintln!("you leave when the coup is over: {why}"))?;
        }
        let holds = self.link.balance()?;
        Ok(format!("Your account holds {holds} of play money.\n"))
    }
}

/// What a player is asked to do with cards.
fn turn_of(act: Act) -> Option<Wait> {
    let Act::Player(_, deed) = act else { return None };
    if let Deed::Cut(_) = deed {
        return Some(Wait::Cut);
    }
    if let Deed::Turn(side, _) = deed {
        return Some(Wait::Turn { side, third: false });
    }
    let Deed::TurnThird(side, _) = deed else { return None };
    Some(Wait::Turn { side, third: true })
}

/// The book of a table, if this program has the same.
fn known_book(sight: &TableView) -> Option<Arc<Book>> {
    let book = crate::books::load(&sight.book.id).ok()?;
    (book.sha256() == sight.book.sha256).then(|| Arc::new(book))
}

/// A card that waited for a later coup is among so many that left the shoe last.
const LATELY: usize = 24;

/// Whether the shoe proves a card of a coup in which so many lie; nothing while that cannot be
/// said. A shoe has each card eight times: it is the one that left it for this coup, and if two of
/// them did, both. A card that was drawn in excess may lie in a later coup: then fewer left the
/// shoe for it than lie there, and it is the one that came last.
fn proved(record: &ShoeRecord, (coup, lying): (u32, usize), card: &CardView) -> Option<bool> {
    let (shown, begins) = (card.card?, format!("coup {coup}:"));
    let place = |opening: &Opening| usize::try_from(opening.index).unwrap_or(usize::MAX);
    let of_coup = |opening: &&Opening| {
        record.dealt.get(place(opening)).is_some_and(|what| what.starts_with(&begins))
    };
    let left = record.dealt.iter().filter(|what| what.starts_with(&begins)).count();
    let same = || record.openings.iter().filter(|opening| opening.card == shown);
    let mut own = same().filter(of_coup).peekable();
    if own.peek().is_some() {
        return Some(own.all(|opening| record.proves(opening)));
    }
    let late = |opening: &&Opening| left < lying && place(opening) + LATELY >= record.dealt.len();
    if let Some(waited) = same().rfind(late) {
        return Some(record.proves(waited));
    }
    // The card's place was opened, and another card was there.
    let opened = record.openings.iter().any(|opening| card.index == Some(opening.index));
    opened.then_some(false)
}

impl Seat for Afar {
    fn sight(&self) -> &TableView {
        &self.sight
    }

    fn name(&self) -> String {
        visible(&format!("{} · {}", self.sight.table, self.sight.book.id))
    }

    fn log(&self) -> &[LogLine] {
        &self.log
    }

    fn tell(&mut self, line: LogLine) {
        self.log.push(line);
    }

    fn slip(&mut self) -> &mut Slip {
        &mut self.slip
    }

    fn book(&self) -> Option<&Book> {
        self.book.as_deref()
    }

    fn account(&self) -> String {
        self.link.account.clone()
    }

    fn shoe(&self) -> Option<ShoeRecord> {
        self.shoe.clone()
    }

    fn shoe_before(&self) -> Option<ShoeRecord> {
        self.link.shoe_before()
    }

    fn head(&self) -> Option<String> {
        self.link.head()
    }

    fn until(&self) -> Option<Instant> {
        self.until.filter(|until| *until > Instant::now())
    }

    fn runs_by_itself(&self) -> bool {
        true
    }

    fn deed(&mut self, deed: Deed) -> Result<bool> {
        Ok(self.send(|link| link.act(deed)))
    }

    fn any_cut(&mut self) -> u32 {
        let (least, most) = self.cut_range();
        least + Chance::System.below(most.saturating_sub(least) + 1)
    }

    fn advance(&mut self) -> Result<Moved> {
        self.hear();
        self.forget_old();
        Ok(Moved::Waits(self.wait()))
    }

    fn call(&mut self) -> Result<bool> {
        self.say("this table deals by its clock".into());
        Ok(false)
    }

    fn no_bet(&mut self) -> Result<()> {
        if self.is_sure(Sure::NoBet, "a coup without wagers? n again asks the others for it") {
            self.deed(Deed::AskNoBet)?;
        }
        Ok(())
    }

    fn face(&mut self, face: Face) -> Result<()> {
        match face {
            Face::Down => drop(self.deed(Deed::AskFaceDown)?),
            Face::Up => self.say("how cards lie is the operator's to change at this table".into()),
        }
        Ok(())
    }

    fn set_guests(&mut self, _count: usize) -> Result<()> {
        self.say("who sits at this table is not yours to say".into());
        Ok(())
    }

    /// Leaves with all chips and sits down again, with more from the house if there are few.
    fn fresh_chips(&mut self) -> Result<()> {
        if self.sight.phase != "betting" || !self.mine().is_empty() {
            self.say("new chips come between coups, without a wager on the layout".into());
            return Ok(());
        }
        let question = "leave and sit down again with new chips from your account? $ again does";
        if !self.is_broke() && !self.is_sure(Sure::NewChips, question) {
            return Ok(());
        }
        if self.sight.mine.is_some() && !self.deed(Deed::Leave)? {
            return Ok(());
        }
        // An account that holds enough is given nothing more.
        let given = self.link.ask_for_chips()?;
        if !given.is_good() && self.link.balance()? == Cents::ZERO {
            self.alarm(&network::told(&given.body));
        }
        self.sit_down()
    }

    /// The seat is given up when the screen closes.
    fn leave(&mut self) -> Result<bool> {
        Ok(true)
    }

    fn line(&mut self, line: &str) -> Result<Option<Reply>> {
        self.send(|link| link.say(line));
        Ok(Some(Reply::Done))
    }

    fn dealers_question(&self) -> String {
        String::new()
    }

    fn obey_dealer(&mut self, _line: &str, _cards: Cards) -> Result<Reply> {
        Ok(Reply::Help("nobody deals from here".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shoe that a browser took part in, dealt by the program and closed by its operator.
    fn record() -> ShoeRecord {
        let shoe = include_str!("../../../../web/test/shoe.json");
        serde_json::from_str(shoe).unwrap_or_else(|why| panic!("{why}"))
    }

    fn coup_of(record: &ShoeRecord, index: u32) -> Option<u32> {
        let what = record.dealt.get(usize::try_from(index).ok()?)?;
        what.strip_prefix("coup ")?.split(':').next()?.parse().ok()
    }

    fn card(card: rules::Card, index: u32) -> CardView {
        CardView { card: Some(card), peeked: None, index: Some(index), proved: None }
    }

    #[test]
    fn a_card_is_proved_by_its_own_opening_and_by_no_other_of_its_face() {
        let sound = record();
        let mut tried = 0;
        for (at, opening) in sound.openings.iter().enumerate() {
            let Some(number) = coup_of(&sound, opening.index) else { continue };
            let (shown, coup) = (card(opening.card, opening.index), (number, 4));
            assert_eq!(proved(&sound, coup, &shown), Some(true), "{}", opening.index);
            let mut forged = sound.clone();
            forged.openings[at].salt.0[0] ^= 1;
            assert_eq!(proved(&forged, coup, &shown), Some(false), "{}", opening.index);
            // The card left the shoe and is not opened: no card of its face speaks for it.
            let mut unopened = sound.clone();
            unopened.openings.truncate(at);
            unopened.dealt.truncate(usize::try_from(opening.index).unwrap_or(0) + 1);
            let same = || unopened.openings.iter().filter(|other| other.card == opening.card);
            if same().any(|other| coup_of(&sound, other.index) == Some(number)) {
                continue;
            }
            let left = (0..=opening.index).filter(|at| coup_of(&sound, *at) == Some(number));
            assert_eq!(proved(&unopened, (number, left.count()), &shown), None);
            tried += usize::from(same().next().is_some());
        }
        assert!(tried > 3, "{tried}");
    }

    #[test]
    fn a_card_that_waited_is_proved_by_the_last_of_its_face() {
        let sound = record();
        let last = sound.openings.last().unwrap_or_else(|| panic!("a shoe without cards"));
        let coup = coup_of(&sound, last.index).unwrap_or(0) + 1;
        let shown = CardView { index: None, ..card(last.card, 0) };
        assert_eq!(proved(&sound, (coup, 1), &shown), Some(true));
        assert_eq!(proved(&sound, (coup, 0), &shown), None, "no card waited");
    }

    #[test]
    fn a_card_that_the_shoe_does_not_have_at_its_place_is_not_proved() {
        let sound = record();
        let opening = sound.openings.iter().rev().find(|o| coup_of(&sound, o.index).is_some());
        let opening = opening.unwrap_or_else(|| panic!("a shoe without coups"));
        let coup = coup_of(&sound, opening.index).unwrap_or(0);
        let own: Vec<_> =
            sound.openings.iter().filter(|o| coup_of(&sound, o.index) == Some(coup)).collect();
        let other = (0..52).filter_map(rules::Card::from_index);
        let mut other = other.filter(|other| own.iter().all(|o| o.card != *other));
        let other = other.next().unwrap_or_else(|| panic!("a coup of 52 cards"));
        assert_eq!(proved(&sound, (coup, 4), &card(other, opening.index)), Some(false));
    }
}
