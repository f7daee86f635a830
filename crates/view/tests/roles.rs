//! Each role's documents are searched for what that role may not see, and a leak is found.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod play;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rules::Card;
use serde_json::Value;
use table::{Account, Event, Fact, Name, Table};
use tournament::Tournament;
use transcript::Shelf;
use view::{
    Eyes, Scope, Seen, TournamentSeen, event_view, table_view, tournament_event_view,
    tournament_view,
};

use play::Moment;

/// What must not be found, worked out from the events alone.
#[derive(Default)]
struct Secrets {
    /// Cards that nobody has seen, and that are not like any that was.
    cards: BTreeSet<String>,
    /// The names of players.
    names: BTreeSet<String>,
    /// Why somebody was excluded, with the name.
    reasons: Vec<(String, String)>,
    /// What was kept from everybody so far: words of sealed forms.
    sealed: Vec<String>,
}

/// Whether a text has these words, not as a part of others.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

/// The cards that an event shows to everybody.
fn shown_by(fact: &Fact) -> Vec<Card> {
    match fact {
        Fact::Dealt { card: Some(card), shown: true, .. }
        | Fact::Turned { card, .. }
        | Fact::CardCorrected { card, .. }
        | Fact::Burned { shown: Some(card), .. }
        | Fact::Excess { card: Some(card) }
        | Fact::FoundFaceUp(card)
        | Fact::GivenToBanker(Some(card)) => vec![*card],
        _ => Vec::new(),
    }
}

impl Secrets {
    fn of(events: &[Event]) -> Self {
        let mut secrets = Self::default();
        let mut names = BTreeMap::new();
        let (mut hidden, mut shown) = (BTreeSet::new(), BTreeSet::new());
        for event in events {
            match &event.fact {
                Fact::Arrived { player, name, .. } => {
                    names.insert(*player, name.to_string());
                }
                Fact::Excluded(id, why) => {
                    secrets.reasons.push((names[id].clone(), why.clone()));
                }
                Fact::Dealt { card: Some(card), shown: false, .. }
                | Fact::ExcessNotUsed(Some(card)) => {
                    hidden.insert(card.to_string());
                }
                _ => {}
            }
            shown.extend(shown_by(&event.fact).iter().map(ToString::to_string));
        }
        secrets.names.extend(names.into_values());
        secrets.cards = hidden.difference(&shown).cloned().collect();
        secrets
    }

    /// Everything in a document that these eyes may not see.
    fn found(&self, eyes: &Eyes, document: &Value) -> Vec<&'static str> {
        let text = document.to_string();
        let mut found = Vec::new();
        let mut note = |is: bool, what: &'static str| {
            if is {
                found.push(what);
            }
        };
        note(self.cards.iter().any(|card| has_word(&text, card)), "a card that nobody saw");
        note(self.sealed.iter().any(|words| text.contains(words)), "words of a sealed form");
        let unnoticed = has_word(&text, "unnoticed") && text.contains("\"unnoticed\":true");
        note(eyes.scope() != Scope::Auditor && unnoticed, "an unnoticed fault");
        let me = if let Eyes::Player(name) = eyes { name.as_str() } else { "" };
        let others: Vec<&String> = self.names.iter().filter(|name| *name != me).collect();
        if eyes.scope() == Scope::Spectator {
            note(others.iter().any(|name| has_word(&text, name)), "a name");
        }
        if matches!(eyes.scope(), Scope::Player | Scope::Spectator) {
            found.extend(self.found_of_others(me, document));
        }
        found
    }

    /// What a document has of other people that is for them and for staff.
    fn found_of_others(&self, me: &str, document: &Value) -> Vec<&'static str> {
        let text = document.to_string();
        let others: Vec<&String> = self.names.iter().filter(|name| *name != me).collect();
        let mut found = Vec::new();
        let mut note = |is: bool, what: &'static str| {
            if is {
                found.push(what);
            }
        };
        let foreign = |objects: &mut dyn FnMut(&Value) -> bool| any(document, objects);
        let is_other = |value: &Value| value["player"].as_str().is_some_and(|player| player != me);
        note(
            foreign(&mut |value| is_other(value) && value.get("owes_cents").is_some())
                || foreign(&mut |value| {
                    is_other(value) && value["account"].as_str() == Some("receivable")
                })
                || others.iter().any(|name| text.contains(&format!("owed by {name}")))
                || text.contains("{\"receivable\":") && others.iter().any(|n| has_word(&text, n)),
            "what somebody owes",
        );
        let limits = ["has limits of", "has a maximum of"];
        note(
            foreign(&mut |value| {
                is_other(value) && value.get("limits").is_some() && value.get("seat").is_some()
            }) || foreign(&mut |value| {
                is_other(value) && value["kind"].as_str() == Some("personal-limits")
            }) || others
                .iter()
                .any(|name| limits.iter().any(|words| text.contains(&format!("{name} {words}")))),
            "somebody's limits",
        );
        note(
            foreign(&mut |value| is_other(value) && value["kind"].as_str() == Some("advised"))
                || others.iter().any(|name| text.contains(&format!("{name} is told")))
                || others.iter().any(|name| text.contains(&format!("staff are told: {name}"))),
            "advice to somebody",
        );
        // Somebody else may have been excluded for the same reason.
        let own = |(name, own): &(String, String), why: &String| name == me && own.contains(why);
        let mine = |why: &String| self.reasons.iter().any(|reason| own(reason, why));
        note(
            self.reasons.iter().any(|(_, why)| !mine(why) && text.contains(why)),
            "why somebody was excluded",
        );
        found
    }
}

/// Whether any object in a document is such.
fn any(value: &Value, such: &mut dyn FnMut(&Value) -> bool) -> bool {
    match value {
        Value::Array(all) => all.iter().any(|one| any(one, such)),
        Value::Object(fields) => such(value) || fields.values().any(|one| any(one, such)),
        _ => false,
    }
}

fn seen<'a>(moment: &'a Moment<'_>) -> Seen<'a> {
    Seen {
        name: "T1",
        version: moment.version,
        table: moment.table,
        book: moment.book,
        sha256: "",
        watch: moment.watch,
        shoe: None,
        cards_left: None,
        peeked: &[],
        account: None,
        proposed: None,
    }
}

fn first_player(table: &Table) -> Name {
    table.players().first().map_or_else(|| play::name("Stranger"), |player| player.name)
}

/// A moment at which a whole view is worth the time.
fn is_telling(moment: &Moment<'_>) -> bool {
    let hidden = moment.table.coup().is_some_and(table::Coup::has_hidden);
    let owed = moment.event.postings.iter().any(|l| matches!(l.account, Account::Receivable(_)));
    let said = matches!(
        moment.event.fact,
        Fact::Excluded(..) | Fact::PersonalLimits { .. } | Fact::Advised(..) | Fact::Closed
    );
    moment.whole && (hidden || owed || said || moment.version % 41 < 2)
}

/// Staff whose eyes see as the dealer's do: they look at what is worth the time.
const fn is_like_the_dealer(eyes: &Eyes) -> bool {
    matches!(eyes, Eyes::Supervisor | Eyes::Inspector | Eyes::Director | Eyes::Operator)
}

#[test]
fn no_role_sees_what_it_may_not() {
    let (mut looked, mut views) = (0_u32, 0_u32);
    play::follow_all(1, |moment| {
        let secrets = Secrets::of(moment.events);
        let telling = is_telling(moment);
        for eyes in play::all_eyes(first_player(moment.table)) {
            if !telling && is_like_the_dealer(&eyes) {
                continue;
            }
            if let Some(view) = event_view(&eyes, moment.table, moment.event) {
                let document = serde_json::to_value(&view).unwrap();
                let found = secrets.found(&eyes, &document);
                assert!(found.is_empty(), "{}: {eyes:?} sees {found:?}: {document}", moment.file);
                looked += 1;
            }
            if telling {
                let view = table_view(&eyes, &seen(moment));
                let document = serde_json::to_value(&view).unwrap();
                let found = secrets.found(&eyes, &document);
                assert!(found.is_empty(), "{}: {eyes:?} sees {found:?}: {document}", moment.file);
                views += 1;
            }
        }
    });
    assert!(looked > 50_000 && views > 2_000, "{looked} events, {views} views");
}

/// Documents that show too much: the search finds every kind of secret in them.
#[test]
fn a_leak_is_found() {
    let mut caught: BTreeMap<&str, u32> = BTreeMap::new();
    play::follow_all(2, |moment| {
        let secrets = Secrets::of(moment.events);
        let me = first_player(moment.table);
        let mut leaky = Vec::new();
        // The log's own record, given to everybody.
        leaky.push((Eyes::Dealer, serde_json::to_value(moment.event).unwrap()));
        leaky.push((Eyes::Player(me), serde_json::to_value(moment.event).unwrap()));
        leaky.push((Eyes::Spectator, serde_json::to_value(moment.event).unwrap()));
        // What an auditor sees, given to somebody else.
        if let Some(view) = event_view(&Eyes::Auditor, moment.table, moment.event) {
            let document = serde_json::to_value(&view).unwrap();
            leaky.push((Eyes::Spectator, document.clone()));
            leaky.push((Eyes::Player(play::name("Stranger")), document.clone()));
            leaky.push((Eyes::Supervisor, document));
        }
        if moment.whole && moment.version % 97 == 0 {
            let document = serde_json::to_value(table_view(&Eyes::Dealer, &seen(moment))).unwrap();
            leaky.push((Eyes::Spectator, document));
        }
        // The cards of the coup as the table has them.
        if let Some(coup) = moment.table.coup() {
            leaky.push((Eyes::Dealer, serde_json::to_value(coup).unwrap()));
        }
        for (eyes, document) in leaky {
            for what in secrets.found(&eyes, &document) {
                *caught.entry(what).or_default() += 1;
            }
        }
    });
    for what in [
        "a card that nobody saw",
        "an unnoticed fault",
        "a name",
        "what somebody owes",
        "somebody's limits",
        "advice to somebody",
        "why somebody was excluded",
    ] {
        let times = caught.get(what).copied().unwrap_or_default();
        assert!(times > 3, "{what} was found {times} times: {caught:?}");
    }
}

/// A player who holds a hand sees the cards that the caller lets the player look at; nobody else
/// does, even if the caller hands them out.
#[test]
fn only_the_holder_looks_at_a_hand() {
    let (mut holders, mut others) = (0, 0);
    play::follow_all(1, |moment| {
        let Some(coup) = moment.table.coup().filter(|_| moment.whole) else { return };
        let Some(side) = rules::Side::BOTH.into_iter().find(|side| {
            let hidden = coup.cards.iter().any(|card| card.side == *side && !card.shown);
            coup.passed[*side as usize].is_some() && hidden
        }) else {
            return;
        };
        let holder = moment.table.player(coup.passed[side as usize].unwrap()).name;
        let peeked = [(side, vec!["9s".parse().unwrap(), "9c".parse().unwrap()])];
        for eyes in play::all_eyes(holder) {
            let view = table_view(&eyes, &Seen { peeked: &peeked, ..seen(moment) });
            let hand =
                if side == rules::Side::Player { &view.felt.player } else { &view.felt.banker };
            let sees = hand.cards.iter().any(|card| card.peeked.is_some());
            assert_eq!(sees, eyes == Eyes::Player(holder), "{}: {eyes:?}", moment.file);
            assert!(hand.cards.iter().all(|card| card.card.is_none() || card.peeked.is_none()));
            if sees { holders += 1 } else { others += 1 }
        }
    });
    assert!(holders > 5 && others > 5, "{holders} {others}");
}

/// Searches whole views of a tournament.
fn check_view(tournament: &Tournament, book: &rulebooks::Book, secrets: &Secrets, file: &str) {
    let seen = TournamentSeen {
        name: "Cup",
        version: 1,
        tournament,
        book,
        sha256: "",
        watches: &[],
        now: tournament.now(),
        system: false,
    };
    for eyes in [Eyes::Spectator, Eyes::Director, Eyes::Player(play::name("Stranger"))] {
        let document = serde_json::to_value(tournament_view(&eyes, &seen)).unwrap();
        let found = secrets.found(&eyes, &document);
        assert!(found.is_empty(), "{file}: {eyes:?} sees {found:?}");
        let paid = any(&document, &mut |value| value.get("paid_cents").is_some());
        assert_eq!(paid, eyes == Eyes::Director && !tournament.entrants().is_empty(), "{eyes:?}");
    }
}

/// In a tournament: no names for spectators, no sealed form before it is opened, and no reason for
/// strangers.
#[test]
fn a_tournament_keeps_its_secrets() {
    let shelf = Shelf::default();
    let (mut looked, mut opened, mut caught) = (0_u32, 0_u32, 0_u32);
    for (path, text) in play::transcripts().into_iter().step_by(3) {
        let played = play::played(&shelf, &text);
        let Some(book) = played.book.clone().filter(|_| !played.tournament.is_empty()) else {
            continue;
        };
        let mut tournament = Tournament::new(Arc::new(book.rulebook.clone()));
        let (mut secrets, mut directors) = (Secrets::default(), Vec::new());
        for event in &played.tournament {
            if let tournament::Fact::FormOpened { salt, content, .. } = &event.fact {
                secrets.sealed.extend([salt.clone(), content.clone()]);
            }
        }
        for (i, event) in played.tournament.iter().enumerate() {
            if let tournament::Fact::Opened { .. } = event.fact {
                tournament = Tournament::new(Arc::new(book.rulebook.clone()));
                secrets.names.clear();
            }
            tournament.evolve(event);
            match &event.fact {
                tournament::Fact::FormOpened { salt, content, .. } => {
                    secrets.sealed.retain(|words| words != salt && words != content);
                    opened += 1;
                }
                tournament::Fact::Applied { name, .. }
                | tournament::Fact::Nominated(_, name)
                | tournament::Fact::Substituted(_, name) => {
                    secrets.names.insert(name.to_string());
                }
                _ => {}
            }
            if let tournament::Fact::DirectorNamed(name) = &event.fact {
                directors.push(name.to_string());
            }
            // The name of a director is no secret, even if that person wants to play.
            secrets.names.retain(|name| !directors.contains(name));
            // A wager in the open may happen to be what is written on a form.
            secrets.sealed.retain(|words| words.len() > 3 && !words.contains(" on "));
            let me = tournament.entrants().first().map(|entrant| entrant.name);
            for eyes in play::all_eyes(me.unwrap_or_else(|| play::name("Stranger"))) {
                if i % 7 != 0 && is_like_the_dealer(&eyes) {
                    continue;
                }
                let Some(view) = tournament_event_view(&eyes, &tournament, event) else { continue };
                let document = serde_json::to_value(&view).unwrap();
                let found = secrets.found(&eyes, &document);
                let file = path.display();
                assert!(found.is_empty(), "{file}: {eyes:?} sees {found:?}: {document}");
                looked += 1;
                if eyes == Eyes::Auditor {
                    caught += u32::from(!secrets.found(&Eyes::Spectator, &document).is_empty());
                }
            }
            if i % 23 == 0 {
                check_view(&tournament, &book, &secrets, &path.display().to_string());
            }
        }
    }
    assert!(looked > 20_000 && opened > 3 && caught > 1000, "{looked} {opened} {caught}");
}

/// Who comes in plays for the entrant, and not for "Sue (for Bo)".
#[test]
fn a_substitute_plays_for_the_entrant_in_the_words_of_the_transcript() {
    let shelf = Shelf::default();
    let mut told = 0;
    for (path, text) in play::transcripts() {
        if !text.contains(" nominates ") {
            continue;
        }
        let played = play::played(&shelf, &text);
        let Some(book) = played.book.clone().filter(|_| !played.tournament.is_empty()) else {
            continue;
        };
        let mut tournament = Tournament::new(Arc::new(book.rulebook.clone()));
        for event in &played.tournament {
            tournament.evolve(event);
            if let tournament::Fact::Substituted(..) | tournament::Fact::Nominated(..) = event.fact
            {
                let view = tournament_event_view(&Eyes::Director, &tournament, event).unwrap();
                let words = transcript::tell_of_tournament(event, &tournament);
                assert_eq!(view.what, words, "{}", path.display());
                told += 1;
            }
        }
    }
    assert!(told > 5, "{told}");
}

/// Who reads an event of a tournament need not read its fact: whom it concerns and how much it was
/// about stand beside it, as they do at a table.
#[test]
fn an_event_of_a_tournament_says_whom_it_concerns_and_how_much() {
    let shelf = Shelf::default();
    let mut told: BTreeMap<&str, u32> = BTreeMap::new();
    for (path, text) in play::transcripts().into_iter().step_by(5) {
        let played = play::played(&shelf, &text);
        let Some(book) = played.book.clone().filter(|_| !played.tournament.is_empty()) else {
            continue;
        };
        let mut tournament = Tournament::new(Arc::new(book.rulebook.clone()));
        for event in &played.tournament {
            if let tournament::Fact::Opened { .. } = event.fact {
                tournament = Tournament::new(Arc::new(book.rulebook.clone()));
            }
            tournament.evolve(event);
            let (entrant, cents, kind) = match &event.fact {
                tournament::Fact::Entered { entrant, fee } => (*entrant, *fee, "entered"),
                tournament::Fact::Prize { entrant, amount } => (*entrant, *amount, "prize"),
                tournament::Fact::Refunded(entrant, cents) => (*entrant, *cents, "refunded"),
                tournament::Fact::AtTable { event: inner, .. } => {
                    let view = tournament_event_view(&Eyes::Auditor, &tournament, event).unwrap();
                    let there = view.event.unwrap();
                    let both = (view.player, view.amount_cents);
                    assert_eq!(both, (there.player, there.amount_cents));
                    let laid = matches!(inner.fact, Fact::Placed { .. });
                    assert!(!laid || both.0.is_some() && both.1.is_some());
                    *told.entry("placed").or_default() += u32::from(laid);
                    continue;
                }
                _ => continue,
            };
            let place = path.display();
            let director = tournament_event_view(&Eyes::Director, &tournament, event).unwrap();
            let name = tournament.entrant(entrant).name;
            assert!(director.player.unwrap().contains(name.as_str()), "{place}: {kind}");
            assert_eq!(director.amount_cents, Some(cents.get()), "{place}: {kind}");
            let anybody = tournament_event_view(&Eyes::Spectator, &tournament, event).unwrap();
            assert_eq!(anybody.player, Some(format!("entrant {}", entrant.0 + 1)), "{place}");
            *told.entry(kind).or_default() += 1;
        }
    }
    for kind in ["entered", "prize", "refunded", "placed"] {
        assert!(told.get(kind).is_some_and(|times| *times > 0), "{kind}: {told:?}");
    }
}
