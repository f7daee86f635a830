//! Checks that conditions state what the book requires and contradict none of its rules.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use alloc::{format, vec};

use rules::book::{
    self, Always, BothSides, Entries, Inclusion, Kept, Level, Prevails, SessionLength,
};
use rules::{Cents, Cited, Clause, Ground, Group, Rulebook};
use table::{Act, Command, SignLine, Table};

use crate::conditions::{
    BuyBack, Commission, Conditions, Length, Prize, Ranking, Settle, Share, Source,
};
use crate::keys::near;
use crate::plan;
use crate::written::Written as _;

/// A fault in the conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The clause that the conditions breach; none where they contradict themselves.
    pub clause: Option<Clause>,
    /// The fault, and what would be accepted.
    pub what: String,
}

/// Something that conditions can state, and whether they do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matter {
    /// The name of the matter.
    pub name: &'static str,
    /// The keys of the conditions that state it.
    pub keys: &'static str,
    /// The book's rule on it.
    pub rule: Cited<Inclusion>,
    /// Whether the conditions state it.
    pub stated: bool,
    /// Whether it is relevant to this event.
    pub applies: bool,
}

/// A matter, before it is known whether the book has a rule on it.
type Row = (&'static str, &'static str, Option<Cited<Inclusion>>, bool, bool);

/// The rule on a matter that is relevant to every event.
fn always(rule: Option<Cited<Always>>) -> Option<Cited<Inclusion>> {
    rule.map(|rule| rule.map(Inclusion::from))
}

/// The rule on a matter that must be stated, where it is relevant, if another matter must be.
fn with(other: Option<Cited<Always>>, ground: Option<Ground>) -> Option<Cited<Inclusion>> {
    let value = match other.map(|other| other.value) {
        Some(Always::Must) => Inclusion::IfItApplies,
        Some(Always::May) | None => Inclusion::May,
    };
    ground.map(|ground| Cited { value, clause: ground.clause })
}

/// Every matter that the book has a rule on.
#[must_use]
pub fn matters(c: &Conditions, book: &Rulebook) -> Vec<Matter> {
    let Some(rules) = &book.conditions else { return Vec::new() };
    let rows = of_the_event(c, book, rules).into_iter().chain(of_the_end(c, rules));
    let on_record = rows.filter_map(|(name, keys, rule, stated, applies)| {
        rule.map(|rule| Matter { name, keys, rule, stated, applies })
    });
    on_record.collect()
}

/// One row for each matter of entry, structure and play: name, keys, rule, whether it is stated,
/// and whether it is relevant.
fn of_the_event(c: &Conditions, book: &Rulebook, rules: &book::Conditions) -> Vec<Row> {
    let stages = &c.stages.0;
    let several = stages.len() > 1;
    let points = c.ranking == Ranking::Points;
    let but_last = stages.len().saturating_sub(1);
    let progresses = stages.iter().take(but_last).all(|stage| stage.advance.is_some() || points);
    let lengths = !stages.is_empty() && stages.iter().all(|stage| stage.length.is_some());
    let tables = !stages.is_empty() && stages.iter().all(|stage| stage.tables.is_some());
    let loser = |source: &Source| matches!(source, Source::Losers(_));
    let second = stages.iter().any(|stage| stage.from.iter().any(loser));
    let limits = c.everywhere(|c, stage| c.limits_of(stage).is_some());
    let limits = limits && (!c.indicator || c.everywhere(|c, stage| c.raised_of(stage).is_some()));
    let chips = c.everywhere(|c, stage| c.chips_of(stage).is_some());
    let costs = c.fee.is_some() || c.commission.is_some();
    // The limits that rise after the indicator card are stated with it.
    let indicator = book.tournament_wagers.as_ref().and_then(|wagers| wagers.indicator);
    let rising = |rule: Cited<Inclusion>| match rule.value {
        Inclusion::May if indicator.is_some() => {
            Cited { value: Inclusion::IfItApplies, clause: rule.clause }
        }
        Inclusion::May | Inclusion::IfItApplies | Inclusion::Must => rule,
    };
    let limits_rule = always(rules.limits).map(rising);
    let scored = stages.iter().any(|stage| !stage.points.is_empty());
    vec![
        ("day and time of the start", "start", always(rules.start), c.start.is_some(), true),
        ("how to apply", "application", always(rules.application), c.application.is_some(), true),
        (
            "who may enter, and on what conditions",
            "entry",
            rules.entry,
            c.entry.is_some(),
            c.restricted,
        ),
        ("structure", "stages", with(rules.sessions, rules.structure), !stages.is_empty(), true),
        (
            "number and length of sessions",
            "coups, shoes or minutes of each stage",
            always(rules.sessions),
            lengths,
            true,
        ),
        (
            "tables in a session",
            "tables of each stage, or sit_and_go",
            always(rules.tables),
            tables || c.sit_and_go.is_some(),
            true,
        ),
        (
            "how players advance",
            "advance of each stage",
            with(rules.sessions, rules.progression),
            several && progresses,
            several,
        ),
        ("points", "points of a stage", rules.points, scored, points),
        ("repechage", "repechage", rules.repechage, c.repechage.is_some(), second),
        ("buy-backs", "buy_back", always(rules.buy_back), c.buy_back.is_some(), true),
        ("entry fee and commission", "fee, commission", rules.fee, c.fee.is_some(), costs),
        ("chips for the fee", "chips", always(rules.chips), chips, true),
        ("fewest and most players", "players", always(rules.players), c.players.is_some(), true),
        ("restrictions on groups", "groups", always(rules.groups), c.groups.is_some(), true),
        ("table limits", "limits, raised", limits_rule, limits, c.indicator),
        (
            "number of secret wagers",
            "secret_wagers",
            always(rules.secret_wagers),
            c.secret_wagers.is_some(),
            true,
        ),
        (
            "who conducts it and what prevails",
            "statement",
            always(rules.statement),
            c.statement.is_some(),
            true,
        ),
    ]
}

/// The rows on elimination, places and prizes.
fn of_the_end(c: &Conditions, rules: &book::Conditions) -> Vec<Row> {
    let points = c.ranking == Ranking::Points;
    let knock_out = c.stages.0.len() > 1 && !points;
    let (out, level) = (c.elimination.is_some(), c.level.is_some());
    let pool = c.pool.is_some() || !c.prizes.is_empty();
    let settled = c.level_final.is_some();
    let shares = c.level_final == Some(Settle::Share);
    let plays = settled && !shares;
    let progress_out = rules.progress_elimination;
    let divided = with(rules.final_level_chips, rules.final_divided);
    let rounds = with(rules.final_level_chips, rules.final_rounds);
    vec![
        (
            "how players who advance are eliminated",
            "elimination",
            progress_out,
            out && knock_out,
            knock_out,
        ),
        (
            "level on chips after a session",
            "level",
            rules.progress_level,
            level && knock_out,
            knock_out,
        ),
        (
            "how players are eliminated in a series",
            "elimination",
            rules.series_elimination,
            out && points,
            points,
        ),
        ("level on chips in a series", "level", rules.series_level, level && points, points),
        ("prize pool", "pool, prizes", with(rules.distribution, rules.pool), pool, true),
        (
            "how the prizes are distributed",
            "prizes",
            always(rules.distribution),
            !c.prizes.is_empty(),
            true,
        ),
        (
            "level on chips in the final",
            "level_final",
            always(rules.final_level_chips),
            settled,
            true,
        ),
        (
            "level on points in the end",
            "level_final",
            with(rules.final_level_chips, rules.final_level_points),
            settled && points,
            points,
        ),
        ("prizes put together and shared", "level_final", divided, shares, !settled),
        ("additional rounds for the places", "level_final", rounds, plays, !settled),
    ]
}

/// All faults of the conditions under a book.
#[must_use]
pub fn faults(c: &Conditions, book: &Rulebook) -> Vec<Fault> {
    let mut faults = vec![];
    for Matter { name, keys, rule, stated, applies } in matters(c, book) {
        let missing = match rule.value {
            Inclusion::May => false,
            Inclusion::IfItApplies => applies,
            Inclusion::Must => true,
        };
        if missing && !stated {
            let what = format!("the conditions must state: {name} ({keys})");
            faults.push(Fault { clause: Some(rule.clause), what });
        }
    }
    let over_base = book.title.base.map(|base| format!("{}@{base}", book.title.id));
    let names = [book.title.id.to_string(), over_base.unwrap_or_default()];
    if let Some(other) = c.book.as_ref().filter(|other| !names.contains(other)) {
        let what = format!("the conditions are for {other}, not for {}", book.title.name());
        faults.push(Fault { clause: None, what });
    }
    contradictions(c, book, &mut faults);
    money(c, book, &mut faults);
    chips_and_limits(c, book, &mut faults);
    structure(c, book, &mut faults);
    faults
}

/// The further steps that sound conditions need before they take effect.
#[must_use]
pub fn remarks(c: &Conditions, book: &Rulebook) -> Vec<Fault> {
    let kept = book.prizes.as_ref().map(|prizes| prizes.kept);
    let approved = kept.filter(|kept| kept.value == Kept::Approved && c.keeps_something());
    let remark = |kept: Cited<Kept>| {
        let amount = c.commission.map_or_else(String::new, |kept| kept.write());
        let what = format!("the house keeps {amount}, which needs the regulator's approval");
        Fault { clause: Some(kept.clause), what }
    };
    approved.map(remark).into_iter().collect()
}

/// Checks where the conditions differ from the rules.
fn contradictions(c: &Conditions, book: &Rulebook, faults: &mut Vec<Fault>) {
    let (Some(rules), Some(prizes)) = (&book.tournament, &book.prizes) else { return };
    let prevail = rules.prevails.filter(|rule| rule.value == Prevails::Conditions);
    let mut clash = |clause: Clause, what: String| {
        if prevail.is_none() {
            faults.push(Fault { clause: Some(clause), what });
        }
    };
    let table_rule = book.wagers.both_sides;
    let wagers = book.tournament_wagers.as_ref();
    let one = wagers.and_then(|wagers| Some((wagers.one_side?, wagers.never_both)));
    let never = one.map(|(one, never)| never.map_or(one.clause, |never| never.clause));
    let allowed = never.is_none() && table_rule.value == BothSides::Allowed;
    if let Some(stated) = c.both_sides.filter(|stated| *stated != allowed) {
        let by_rule = rules.prevails.map_or(table_rule.clause, |rule| rule.clause);
        let clause = never.unwrap_or(by_rule);
        let says = if stated { "allow" } else { "forbid" };
        clash(
            clause,
            format!(
                "the conditions {says} wagers on Banker and Player together, and the rules go \
                 before them; leave it out"
            ),
        );
    }
    let entries = rules.entries.map_or(Entries::One, |rule| rule.value);
    if let (Entries::One, Some(BuyBack::Some { .. })) = (entries, c.buy_back) {
        let what = format!("a player may enter {entries} time, so nobody buys back in");
        faults.push(Fault { clause: rules.entries.map(|rule| rule.clause), what });
    }
    let levels =
        [("level", c.level, prizes.level), ("level_final", c.level_final, prizes.level_final)];
    for (key, stated, level) in levels {
        let rule = match level.value {
            Level::AsConditionsSay => continue,
            Level::AdditionalRounds => Settle::Rounds,
            Level::PlayOffByCard => Settle::Card,
        };
        if stated.is_some_and(|stated| stated != rule) {
            let what = format!("players who are level are told apart by {}", level.value);
            let what = format!("{what}; leave `{key}` out");
            faults.push(Fault { clause: Some(level.clause), what });
        }
    }
    let rounds = matches!(c.level_final, Some(Settle::Rounds | Settle::Card));
    if rounds && c.ranking == Ranking::Points {
        let clause = book.conditions.as_ref().and_then(|rules| rules.final_level_points);
        let what = "players who are level on points share; allowed: `level_final = \"share\"`";
        faults.push(Fault { clause: clause.map(|rule| rule.clause), what: what.to_string() });
    }
    if c.level == Some(Settle::Share) && c.ranking == Ranking::Chips {
        let what = "who advances cannot be shared; allowed: `rounds` or `card`".to_string();
        faults.push(Fault { clause: Some(prizes.level.clause), what });
    }
}

/// Checks fees, commission and prizes.
fn money(c: &Conditions, book: &Rulebook, faults: &mut Vec<Fault>) {
    let mut fault = |clause, what: String| faults.push(Fault { clause, what });
    let Some(prizes) = &book.prizes else { return };
    if let (Kept::UpTo(limit), Some(kept)) = (prizes.kept.value, c.commission) {
        let clause = prizes.kept.clause;
        let most = Share(limit * 100);
        let over = match (kept, c.fee) {
            (Commission::Percent(part), _) => part > most,
            (Commission::Each(amount), Some(fee)) => amount > most.of(fee.0),
            (Commission::Each(_), None) => false,
        };
        let each = |fee: Cents| matches!(kept, Commission::Each(amount) if amount > most.of(fee));
        let buy_back = match c.buy_back {
            Some(BuyBack::Some { fee, .. }) => each(fee),
            Some(BuyBack::None) | None => false,
        };
        if over || buy_back {
            let what = format!(
                "the house keeps {}, and at most {} may be kept",
                kept.write(),
                most.write()
            );
            fault(Some(clause), what);
        }
    }
    if let (Some(Commission::Each(amount)), Some(fee)) = (c.commission, c.fee)
        && amount > fee.0
    {
        fault(Some(prizes.kept.clause), format!("a commission of {amount} on a fee of {}", fee.0));
    }
    prize_faults(c, prizes, faults);
}

/// Checks that the places get the whole pool, and no later place more than an earlier one.
fn prize_faults(c: &Conditions, prizes: &book::Prizes, faults: &mut Vec<Fault>) {
    let mut fault = |clause, what: String| faults.push(Fault { clause, what });
    let shares: Vec<_> = c.prizes.iter().filter_map(Prize::share).collect();
    let sum: u32 = shares.iter().map(|part| part.0).sum();
    let due = Share(prizes.returned.value.0.get() * 100);
    let fixed = crate::prizes::fixed(&c.prizes);
    // Without a fee the pool is what the house adds, and fixed sums may be all of it.
    let all_fixed = shares.is_empty() && c.fee.is_none() && crate::prizes::pool(c, 0) == fixed;
    if !c.prizes.is_empty() && sum != due.0 && !all_fixed {
        let (sum, due) = (Share(sum).write(), due.write());
        let of = if fixed > Cents::ZERO { "what is left of the pool" } else { "the pool" };
        let what = format!("the prizes are {sum} of {of}; {due} of it goes back");
        fault(Some(prizes.returned.clause), what);
    }
    let nothing = |prize: &Prize| matches!(prize, Prize::Share(Share(0)) | Prize::Sum(Cents::ZERO));
    if c.prizes.iter().any(nothing) {
        fault(Some(prizes.returned.clause), "a prize of nothing; leave the place out".to_string());
    }
    let larger = || "a later place has a larger prize than an earlier one".to_string();
    if !shares.is_sorted_by(|a, b| a >= b) {
        return fault(None, larger());
    }
    let Some(players) = c.players.filter(|_| fixed > Cents::ZERO) else { return };
    let clause = prizes.added.map_or(prizes.returned.clause, |rule| rule.clause);
    let pool = crate::prizes::pool(c, players.least);
    if let Some(short) = fixed.checked_sub(pool).filter(|short| *short > Cents::ZERO) {
        let (least, added) = (players.least, c.added.map_or(Cents::ZERO, |added| added.0));
        let enough = added.checked_add(short).unwrap_or(Cents::MAX);
        let what = format!(
            "with {least} entrants the pool is ${pool}, and the fixed prizes come to ${fixed}; \
             allowed: `added = {enough}`"
        );
        return fault(Some(clause), what);
    }
    for entrants in [players.least, players.most] {
        let sums = crate::prizes::planned(c, entrants).1;
        let money = sums.iter().zip(&c.prizes).filter(|(_, p)| !matches!(p, Prize::Goods(_)));
        if !money.map(|(sum, _)| *sum).is_sorted_by(|a, b| a >= b) {
            return fault(None, format!("with {entrants} entrants {}", larger()));
        }
    }
}

/// Checks chips, limits, and options that the book may not have.
fn chips_and_limits(c: &Conditions, book: &Rulebook, faults: &mut Vec<Fault>) {
    let mut fault = |clause, what: String| faults.push(Fault { clause, what });
    let Some(chips) = &book.tournament_chips else { return };
    let stages = 0..c.stages.0.len().max(1);
    if let Err(none) = book.allows(&c.options(0).terms) {
        fault(none.clause(), none.to_string());
    }
    for (group, _) in c.limits.iter().flat_map(|sign| &sign.0) {
        if let Group::Side(key) = group
            && c.side_bets.of(*key).is_none()
        {
            let what = format!("limits of `{key}`, which `side_bets` does not offer");
            fault(None, what);
        }
    }
    for offer in c.side_bets.iter() {
        let group = Group::Side(offer.group);
        let lacks = |stage| c.limits_of(stage).is_some_and(|sign| sign.of(group).is_none());
        if stages.clone().any(lacks) {
            let name = book.group_name(group);
            let what = format!("{name} is offered without limits; `limits` has none for it");
            fault(None, what);
        }
    }
    if c.live && chips.live.is_none() {
        let what = "the book has no competition with cash chips; leave `live` out".to_string();
        fault(Some(chips.apart.clause), what);
    }
    if c.secret_wagers.is_some_and(|number| number > 0) && book.secret_wagers.is_none() {
        fault(None, format!("{} has no secret wagers; leave them out", book.title.name()));
    }
    let indicator = book.tournament_wagers.as_ref().and_then(|wagers| wagers.indicator);
    if c.indicator && indicator.is_none() {
        fault(None, format!("{} has no indicator card; leave it out", book.title.name()));
    }
    faults.extend(sign_faults(c, book));
    for stage in stages {
        for fault in stage_chips_and_limits(c, stage, book) {
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
    }
}

/// Checks the chips and limits of a stage against each other.
fn stage_chips_and_limits(c: &Conditions, stage: usize, book: &Rulebook) -> Vec<Fault> {
    let mut faults = Vec::new();
    let own =
        c.stages.0.get(stage).filter(|stage| {
            stage.chips.is_some() || stage.limits.is_some() || stage.raised.is_some()
        });
    let place = own.map_or_else(String::new, |stage| format!(" in {}", stage.name));
    let rise = book.tournament_wagers.as_ref().and_then(|wagers| wagers.limits_rise);
    for (group, raised) in c.raised_of(stage).iter().flat_map(|sign| &sign.0) {
        let before = c.limits_of(stage).and_then(|sign| sign.of(*group));
        if before.is_some_and(|before| raised.least < before.least || raised.most < before.most) {
            let group = book.group_name(*group);
            let what = format!("limits of {group} that do not rise{place}");
            faults.push(Fault { clause: rise.map(|rule| rule.clause), what });
        }
    }
    let least = c.limits_of(stage).and_then(|sign| sign.of(Group::Main)).map(|main| main.least);
    if let (Some(chips), Some(least)) = (c.chips_of(stage), least)
        && chips < least
    {
        let what = format!("{chips} chips are less than one minimum wager of {least}{place}");
        faults.push(Fault { clause: None, what });
    }
    faults
}

/// The faults that a table would find in its sign.
fn sign_faults(c: &Conditions, book: &Rulebook) -> Vec<Fault> {
    let table_book = Arc::new(crate::tables::at_the_tables(book, Some(c)));
    let mut found: Vec<Fault> = Vec::new();
    let of_stages = c.stages.0.iter().flat_map(|stage| [&stage.limits, &stage.raised]);
    for sign in [&c.limits, &c.raised].into_iter().chain(of_stages).flatten() {
        let mut table = Table::new(table_book.clone());
        let act = |act| Command::new(0, act);
        for event in table.decide(&act(Act::Open(c.options(7)))).unwrap_or_default() {
            table.evolve(&event);
        }
        for (group, limits) in &sign.0 {
            let posted = table.decide(&act(Act::Post(SignLine::Limits(*group, *limits))));
            if let Err(refusal) = posted {
                let what = format!("{}; {}", refusal.what, refusal.instead);
                let fault = Fault { clause: refusal.clause, what };
                if !found.contains(&fault) {
                    found.push(fault);
                }
            }
        }
    }
    found
}

/// The clause on structure, if the book has one.
fn structure_clause(book: &Rulebook) -> Option<Clause> {
    book.conditions.as_ref().and_then(|rules| rules.structure).map(|rule| rule.clause)
}

/// Checks that a stage by itself can be played.
fn stage_alone(c: &Conditions, i: usize, book: &Rulebook, faults: &mut Vec<Fault>) {
    let mut fault = |clause, what: String| faults.push(Fault { clause, what });
    let (stages, clause) = (&c.stages.0, structure_clause(book));
    let stage = &stages[i];
    let leads = stage.from.iter().any(|source| matches!(source, Source::Leaders(_)));
    if leads && c.ranking == Ranking::Chips {
        let what = format!("{} takes leaders, and nobody has points", stage.name);
        fault(clause, what);
    }
    for source in &stage.from {
        let (Source::Winners(name) | Source::Losers(name)) = source else { continue };
        if c.stage(name).is_none_or(|of| of >= i) {
            let before: Vec<_> = stages[..i].iter().map(|s| s.name.as_str()).collect();
            let meant = near(name, before.iter().copied());
            let before = if before.is_empty() { "none".into() } else { before.join(", ") };
            let instead = match meant {
                Some(meant) => format!("did you mean {meant}?"),
                None => format!("there are: {before}"),
            };
            let what = format!(
                "{} takes players of {name}, which is no stage before it; {instead}",
                stage.name
            );
            fault(clause, what);
        }
    }
    let wins = stage.from.iter().any(|s| matches!(s, Source::Winners(_) | Source::Entrants));
    let second = book.prizes.as_ref().and_then(|prizes| prizes.secondary);
    if let (true, true, Some(rule)) = (stage.secondary, wins, second) {
        let what = format!("{} is a second chance, for players who did not advance", stage.name);
        fault(Some(rule.clause), what);
    }
    if stage.seats == 0 || stage.seats > 9 {
        let (name, seats) = (&stage.name, stage.seats);
        let what = format!("{name} has tables of {seats} seats; 1 to 9 sit at a table");
        fault(Some(book.table.seats.clause), what);
    }
    if stage.tables == Some(0) {
        fault(clause, format!("{} has no table; allowed: 1 or more", stage.name));
    }
    let none =
        matches!(stage.length, Some(Length::Coups(0) | Length::Shoes(0) | Length::Minutes(0)));
    if none {
        fault(clause, format!("{} lasts no time at all", stage.name));
    }
    let length = book.tournament.as_ref().map(|rules| rules.session);
    let prevail = book.tournament.as_ref().and_then(|rules| rules.prevails);
    let prevail = prevail.is_some_and(|rule| rule.value == Prevails::Conditions);
    if let (Some(Length::Minutes(_)), Some(rule), false) = (stage.length, length, prevail)
        && rule.value == SessionLength::RoundsOrShoes
    {
        let what = format!("{} lasts minutes; allowed: `coups` or `shoes`", stage.name);
        fault(Some(rule.clause), what);
    }
    who_advances(c, i, clause, &mut fault);
}

/// Checks that the conditions say who advances from a stage, if players do.
fn who_advances(
    c: &Conditions,
    i: usize,
    clause: Option<Clause>,
    fault: &mut impl FnMut(Option<Clause>, String),
) {
    let stages = &c.stages.0;
    let stage = &stages[i];
    if i + 1 == stages.len() && stage.advance.is_some() {
        fault(clause, format!("{} is the last stage, and nobody advances from it", stage.name));
    }
    if let Some(others) = stage.runners_up {
        let name = &stage.name;
        if i + 1 == stages.len() {
            fault(clause, format!("{name} is the last stage, and no runners-up advance from it"));
        }
        if stage.advance.is_none() {
            fault(clause, format!("{name} has runners-up, and `advance` does not say who wins"));
        }
        if !(1..=8).contains(&others) {
            let what = format!(
                "{others} runners-up of {name}; allowed: 1 to 8, for those who are level play off \
                 at one table"
            );
            fault(clause, what);
        }
    }
    let points = c.ranking == Ranking::Points;
    if i + 1 < stages.len() && stage.advance.is_none() && !points {
        fault(clause, format!("how many advance from {} is not said", stage.name));
    }
}

/// Checks that the stages make an event.
fn structure(c: &Conditions, book: &Rulebook, faults: &mut Vec<Fault>) {
    let (stages, clause) = (&c.stages.0, structure_clause(book));
    let before = faults.len();
    for i in 0..stages.len() {
        stage_alone(c, i, book, faults);
    }
    let mut fault = |clause, what: String| faults.push(Fault { clause, what });
    if let Some(wrong) =
        stages.iter().enumerate().find(|(i, stage)| c.stage(&stage.name) != Some(*i))
    {
        fault(clause, format!("two stages are called {}", wrong.1.name));
    }
    let loser = |source: &Source| matches!(source, Source::Losers(_));
    let second = stages.iter().any(|stage| stage.from.iter().any(loser));
    if c.repechage.is_some() && !second && !stages.is_empty() {
        let clause = book.conditions.as_ref().and_then(|rules| rules.repechage);
        let what = "a repechage is stated, and no stage takes losers";
        fault(clause.map(|rule| rule.clause), what.to_string());
    }
    // Players can be counted only if the stages themselves are sound.
    if faults.len() > before || stages.is_empty() {
        return;
    }
    if let Some(players) = c.players {
        // Every permitted number of entrants must make an event; the first that does not is
        // reported.
        let numbers = players.least..=players.most.min(players.least.saturating_add(500));
        let mut found =
            numbers.map(|n| plan::faults(c, n)).find(|f| !f.is_empty()).unwrap_or_default();
        let last = plan::plan(c, players.most).pop().map_or(0, |heads| heads.players as usize);
        if c.ranking == Ranking::Chips && c.prizes.len() > last {
            let prizes = c.prizes.len();
            found.push(format!("{last} play in the last stage at most, for {prizes} prizes"));
        }
        faults.extend(found.into_iter().map(|what| Fault { clause, what }));
    }
}
