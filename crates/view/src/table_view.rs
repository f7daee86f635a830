//! Everything that these eyes may see of a table, in one document.

use rulebooks::Book;
use rules::{Card, Clause, Group, Side};
use serde::{Deserialize, Serialize};
use shoe::ShoeRecord;
use table::{
    Account, Act, By, Phase, Player, PlayerId, SignLine, State, SuspendedWhy, Table, Time,
};
use transcript::tell_sign;

use crate::asked::{Asked, asked, role_of};
use crate::eyes::{Eyes, Matter, Scope, called};
use crate::felt::{CoupView, FeltView, coup_view, felt_view};
use crate::hide::hide_line;
use crate::lawful::{Lawful, lawful};
use crate::scoreboard::{RoadsView, roads_view};
use crate::shoe_view::{ShoeView, shoe_view};
use crate::spots::{LaidView, LimitsView, SpotView, laid_view, limits_view, spots_view};
use crate::watch::{Ruling, Watch, Words};
use crate::{FORM, Word};

/// What a view of a table is made from.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The name of the table.
    pub name: &'a str,
    /// The version of its stream.
    pub version: u64,
    /// The table, after the last event of an act: between the events of one act nothing is asked
    /// of anybody.
    pub table: &'a Table,
    /// Its book.
    pub book: &'a Book,
    /// The SHA-256 of the book, which takes too long to be worked out for every view.
    pub sha256: &'a str,
    /// What was watched of it.
    pub watch: &'a Watch,
    /// What was published of its shoe, if the system deals.
    pub shoe: Option<&'a ShoeRecord>,
    /// How many cards are left in the shoe, if that is known.
    pub cards_left: Option<u32>,
    /// The cards face down that the player who looks holds and may look at.
    pub peeked: &'a [(Side, Vec<Card>)],
    /// The account of the person who looks, as the shoe's promises name it.
    pub account: Option<&'a str>,
    /// What waits for a second person.
    pub proposed: Option<Proposed<'a>>,
}

/// An act that takes back a payment, and that waits for a second person.
#[derive(Clone, Copy, Debug)]
pub struct Proposed<'a> {
    /// The account of the person who proposed it.
    pub who: &'a str,
    /// In which role.
    pub by: By,
    /// The act.
    pub act: &'a Act,
    /// Until when it waits, in microseconds.
    pub until: Time,
}

/// An act that takes back a payment, and that waits for a second person: only for staff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProposedView {
    /// The role of the person who proposed it.
    pub role: Word,
    /// Whether it was the person who looks: somebody else confirms it.
    pub mine: bool,
    /// Whether the person who looks may confirm it.
    pub confirmable: bool,
    /// The line that confirms it.
    pub line: Option<String>,
    /// Until when it waits, in microseconds.
    pub until: Time,
}

/// The book of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BookView {
    /// The id, with the base and the sheets where there are any.
    pub id: String,
    /// The name of the game in the book.
    pub game: String,
    /// Where the book is law.
    pub jurisdiction: String,
    /// The instrument that made the book.
    pub instrument: String,
    /// The SHA-256 of the book in its fixed form.
    pub sha256: String,
}

/// A player at the table, or one who left and owes something.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PlayerView {
    /// The player: the name, or the place.
    pub player: String,
    /// Whether it is the player who looks.
    pub me: bool,
    /// The seat.
    pub seat: u32,
    /// Whether the player stands behind it.
    pub standing: bool,
    /// Whether the player is at the table.
    pub present: bool,
    /// Whether the player is away from the seat; this happens only in a tournament.
    pub away: bool,
    /// Whether the player is excluded.
    pub excluded: bool,
    /// The chips in front of the player.
    pub stack_cents: i64,
    /// The chips of the player on the layout.
    pub wagers_cents: u64,
    /// The answer to a request for a coup without wagers, if the player gave one.
    pub agreed: Option<bool>,
    /// What the player owes after a void: only for that player and for staff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owes_cents: Option<i64>,
    /// Personal limits: only for that player and for staff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Vec<LimitsView>>,
}

/// The part of the player who looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MineView {
    /// The seat.
    pub seat: u32,
    /// Whether the player stands behind it.
    pub standing: bool,
    /// The chips in front of the player.
    pub stack_cents: i64,
    /// What the player owes after a void.
    pub owes_cents: i64,
    /// The wagers.
    pub wagers: Vec<LaidView>,
    /// The limits that apply to the player, for each group of wagers.
    pub limits: Vec<LimitsView>,
}

/// A line of the sign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SignView {
    /// The line in words.
    pub what: String,
    /// The line in the form of the log.
    #[schemars(with = "serde_json::Value")]
    pub line: SignLine,
}

/// A change that was announced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NoticeView {
    /// The change in words.
    pub what: String,
    /// The time from which it applies, in microseconds; nothing if it applies from a later round.
    pub from: Option<Time>,
    /// The clauses of the announcement.
    #[schemars(with = "Vec<String>")]
    pub clauses: Vec<Clause>,
}

/// A coup that players dispute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DisputeView {
    /// The number of the coup.
    pub coup: u32,
    /// The players who dispute it: names, or places.
    pub players: Vec<String>,
    /// How far it is settled: `open`, `decided` or `reviewed`.
    pub stage: Word,
}

/// Something that was ruled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RulingView {
    /// The time, in microseconds.
    pub at: Time,
    /// What happened, in words.
    pub what: String,
    /// The clauses.
    #[schemars(with = "Vec<String>")]
    pub clauses: Vec<Clause>,
}

/// Everything that these eyes may see of a table.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TableView {
    /// The number of the form.
    pub form: u32,
    /// The name of the table.
    pub table: String,
    /// The version of its stream.
    pub version: u64,
    /// The time of the last event, in microseconds.
    pub at: Time,
    /// The book.
    pub book: BookView,
    /// What the table is waiting for: `unopened`, `preparing`, `betting`, `called`, `dealing` or
    /// `closed`.
    pub phase: Word,
    /// Why the coup waits for a decision, if it does: `out_of_sequence`, `changes` or
    /// `wrong_person`.
    pub suspended: Option<Word>,
    /// The number of the current coup, or of the coming one.
    pub coup: u32,
    /// Whether the coming or current coup is without wagers.
    pub no_bet: bool,
    /// Whether somebody asked for a coup without wagers, and others are to answer.
    pub no_bet_asked: bool,
    /// Whether the coming or current coup is the last of the shoe.
    pub last: bool,
    /// Whether cards are dealt face down.
    pub face_down: bool,
    /// Whether the inspector is away.
    pub inspector_away: bool,
    /// Whether the table will close.
    pub closing: bool,
    /// The number of places.
    pub seats: u32,
    /// The denominations of the chips on the sign.
    pub chips_cents: Vec<u64>,
    /// What lies on the felt, and what each wager did.
    pub felt: FeltView,
    /// The spots, in the order of the layout.
    pub spots: Vec<SpotView>,
    /// The players.
    pub players: Vec<PlayerView>,
    /// The part of the player who looks, if that player is at the table.
    pub mine: Option<MineView>,
    /// The scoreboard.
    pub roads: RoadsView,
    /// The shoe.
    pub shoe: ShoeView,
    /// The sign.
    pub sign: Vec<SignView>,
    /// Changes that were announced.
    pub notices: Vec<NoticeView>,
    /// Disputes.
    pub disputes: Vec<DisputeView>,
    /// What waits for a second person: only for staff.
    #[serde(default)]
    pub proposed: Option<ProposedView>,
    /// What is due.
    pub asked: Vec<Asked>,
    /// What the person who looks could do now.
    pub lawful: Vec<Lawful>,
    /// The last calls of the dealer, the latest last.
    pub calls: Vec<String>,
    /// The last rulings, the latest last.
    pub rulings: Vec<RulingView>,
    /// The last coups, the latest last.
    pub coups: Vec<CoupView>,
}

/// The number of the current coup, or of the coming one.
#[must_use]
pub fn coup_number(table: &State) -> u32 {
    table.coup().map_or(table.coups() + 1, |coup| coup.number)
}

/// The word for what a table is waiting for.
#[must_use]
pub const fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Unopened => "unopened",
        Phase::Preparing => "preparing",
        Phase::Betting => "betting",
        Phase::Called => "called",
        Phase::Dealing => "dealing",
        Phase::Closed => "closed",
    }
}

const fn suspended_word(why: SuspendedWhy) -> &'static str {
    match why {
        SuspendedWhy::OutOfSequence => "out_of_sequence",
        SuspendedWhy::Changes => "changes",
        SuspendedWhy::WrongPerson => "wrong_person",
    }
}

/// The book, for a reader.
pub(crate) fn book_view(book: &Book, sha256: &str) -> BookView {
    let title = &book.rulebook.title;
    BookView {
        id: title.name(),
        game: title.game.clone(),
        jurisdiction: title.jurisdiction.clone(),
        instrument: title.instrument.clone(),
        sha256: sha256.to_owned(),
    }
}

fn player_view(eyes: &Eyes, table: &Table, id: PlayerId, player: &Player) -> PlayerView {
    let wagers = table.wagers().iter().filter(|wager| wager.player == id);
    let personal = |group: Group| {
        player.limits.get(group)?;
        Some(limits_view(group, table.limits_for(id, group)?))
    };
    let limits = || table.book().groups().into_iter().filter_map(personal).collect();
    PlayerView {
        player: called(eyes, table, id),
        me: player.present && eyes.is(&player.name),
        seat: player.seat,
        standing: player.standing,
        present: player.present,
        away: table.is_away(id),
        excluded: player.excluded,
        stack_cents: player.stack.get(),
        wagers_cents: wagers.map(|wager| wager.stake.get()).sum(),
        agreed: player.agreed,
        owes_cents: eyes.may_see(Matter::Debt, &player.name).then(|| -player.receivable.get()),
        limits: eyes.may_see(Matter::Limits, &player.name).then(limits),
    }
}

/// The players at the table, and those who left and owe something, if these eyes may see it.
fn players_view(eyes: &Eyes, table: &Table) -> Vec<PlayerView> {
    let owes = |player: &Player| {
        !player.present && player.receivable.get() != 0 && eyes.may_see(Matter::Debt, &player.name)
    };
    let left = table.players().iter().zip(0_u16..).filter(|(player, _)| owes(player));
    let left = left.map(|(player, id)| (PlayerId(id), player));
    let all = table.present().chain(left);
    all.map(|(id, player)| player_view(eyes, table, id, player)).collect()
}

fn mine_view(eyes: &Eyes, table: &Table) -> Option<MineView> {
    let id = eyes.player(table)?;
    let player = table.player(id);
    let limits = |group: Group| Some(limits_view(group, table.limits_for(id, group)?));
    let mine = table.wagers().iter().filter(|wager| wager.player == id);
    Some(MineView {
        seat: player.seat,
        standing: player.standing,
        stack_cents: player.stack.get(),
        owes_cents: -table.balance(Account::Receivable(id)).get(),
        wagers: mine.map(|wager| laid_view(eyes, table, wager)).collect(),
        limits: table.book().groups().into_iter().filter_map(limits).collect(),
    })
}

fn sign_view(eyes: &Eyes, table: &Table) -> Vec<SignView> {
    let cap = table.book().limits.exposure.map(|exposure| exposure.value);
    let lines = table.sign(&table.book().groups(), cap);
    let shown = lines.iter().map(|line| hide_line(eyes, table, line));
    shown.map(|line| SignView { what: tell_sign(&line, table), line }).collect()
}

fn notices_view(eyes: &Eyes, table: &State) -> Vec<NoticeView> {
    let view = |pending: &table::Pending| NoticeView {
        what: tell_sign(&hide_line(eyes, table, &pending.posting), table),
        from: pending.from,
        clauses: pending.by.to_vec(),
    };
    table.pending().iter().map(view).collect()
}

fn disputes_view(eyes: &Eyes, table: &State) -> Vec<DisputeView> {
    let view = |dispute: table::Disputed<'_>| DisputeView {
        coup: dispute.coup,
        players: dispute.players.iter().map(|id| called(eyes, table, *id)).collect(),
        stage: Word::Borrowed(match (dispute.decided, dispute.reviewed) {
            (_, true) => "reviewed",
            (true, false) => "decided",
            (false, false) => "open",
        }),
    };
    table.disputes().map(view).collect()
}

/// What waits for a second person, for those who may be it.
fn proposed_view(eyes: &Eyes, seen: &Seen<'_>) -> Option<ProposedView> {
    let first = seen.proposed?;
    let staff = matches!(eyes.scope(), Scope::Staff | Scope::Auditor);
    let mine = seen.account == Some(first.who);
    let confirmable = !mine && role_of(eyes).is_some_and(|role| first.act.roles().contains(&role));
    staff.then(|| ProposedView {
        role: first.by.role.key().into(),
        mine,
        confirmable,
        line: transcript::say(first.by, first.act, &seen.book.rulebook.title.name()),
        until: first.until,
    })
}

/// A ruling in the words for these eyes.
pub(crate) fn ruling_view(eyes: &Eyes, ruling: &Ruling) -> Option<RulingView> {
    let own = ruling.name.is_some_and(|name| eyes.is(&name));
    let for_others = match eyes.scope() {
        Scope::Staff | Scope::Auditor => &Words::Same,
        Scope::Player if own => &Words::Same,
        Scope::Player => &ruling.for_players,
        Scope::Spectator => &ruling.for_spectators,
    };
    let what = match for_others {
        Words::Same => ruling.what.clone(),
        Words::Other(words) => words.clone(),
        Words::Hidden => return None,
    };
    Some(RulingView { at: ruling.at, what, clauses: ruling.clauses.to_vec() })
}

/// Everything that these eyes may see of a table.
#[must_use]
pub fn table_view(eyes: &Eyes, seen: &Seen<'_>) -> TableView {
    let (table, watch, system) = (seen.table, seen.watch, seen.shoe.is_some());
    let current = table.coup();
    TableView {
        form: FORM,
        table: seen.name.to_owned(),
        version: seen.version,
        at: table.now(),
        book: book_view(seen.book, seen.sha256),
        phase: phase(table.phase()).into(),
        suspended: current.and_then(|coup| coup.suspended).map(|why| suspended_word(why).into()),
        coup: coup_number(table),
        no_bet: table.is_no_bet(),
        no_bet_asked: table.is_no_bet_asked(),
        last: table.is_last_coup(),
        face_down: table.is_face_down(),
        inspector_away: table.is_inspector_away(),
        closing: table.is_closing(),
        seats: table.options().seats,
        chips_cents: table.chips().iter().map(|chip| chip.get()).collect(),
        felt: felt_view(eyes, seen),
        spots: spots_view(eyes, table),
        players: players_view(eyes, table),
        mine: mine_view(eyes, table),
        roads: roads_view(table.roads()),
        shoe: shoe_view(table, seen.shoe, seen.cards_left, seen.account),
        sign: sign_view(eyes, table),
        notices: notices_view(eyes, table),
        disputes: disputes_view(eyes, table),
        proposed: proposed_view(eyes, seen),
        asked: asked(eyes, table, system),
        lawful: lawful(eyes, table, system),
        calls: watch.calls.iter().map(|call| call.words.to_string()).collect(),
        rulings: watch.rulings.iter().filter_map(|one| ruling_view(eyes, one)).collect(),
        coups: watch.coups.iter().map(coup_view).collect(),
    }
}
