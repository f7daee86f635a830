//! Every coup asked about is one that the table accepts; every answer is the right one at times.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use clap::ValueEnum;
use rulebooks::Book;
use rules::{Card, Side};
use table::{Act, Bet, Command, Deed, Fact, Name, Next, Phase, Table, Work};

use super::questions::{Question, ask, steps};
use super::topic::{Fate, Topic};
use crate::play::{Chance, all_offered, sign};

const SEEDS: u64 = 300;

/// So many questions on a topic, each from a seed of its own.
fn asked(book: &Book, topic: Topic) -> Vec<Question> {
    let seeded = |seed: u64| ask(topic, book, &mut Chance::Seeded(seed << 20));
    (1..=SEEDS).filter_map(seeded).collect()
}

/// A book, and what is asked about it, by topic.
type Asked = (&'static str, Book, Vec<(Topic, Vec<Question>)>);

/// The questions that all tests look at; tables that ask them are run once.
static ASKED: LazyLock<Vec<Asked>> = LazyLock::new(|| {
    let ask_all = |name: &'static str| {
        let book = crate::books::load(name).expect("a book");
        let topics = Topic::value_variants().iter();
        let questions = topics.map(|topic| (*topic, asked(&book, *topic))).collect();
        (name, book, questions)
    };
    std::thread::scope(|scope| {
        let names = rulebooks::ids().into_iter();
        let asking: Vec<_> = names.map(|name| scope.spawn(move || ask_all(name))).collect();
        asking.into_iter().map(|one| one.join().expect("questions")).collect()
    })
});

fn each_book(mut check: impl FnMut(&str, &Book, Topic, &[Question])) {
    for (name, book, topics) in ASKED.iter() {
        for (topic, questions) in topics {
            let fits = *topic != Topic::Burn || book.rulebook.burn.is_some();
            assert_eq!(questions.is_empty(), !fits, "{name}: {topic:?}");
            check(name, book, *topic, questions);
        }
    }
}

/// A drill has no way of its own to a table: it asks one that is run as every table is.
#[test]
fn a_drill_deals_at_a_table_of_the_floor() {
    let files =
        [include_str!("bench.rs"), include_str!("questions.rs"), include_str!("trouble.rs")];
    for way in ["Table::new", ".decide(", ".evolve("] {
        assert!(files.iter().all(|text| !text.contains(way)), "{way} goes round the floor");
    }
}

/// The hands that a question names, if it names any.
fn hands(text: &str) -> Option<[Vec<Card>; 2]> {
    let cards = |after: &str| -> Vec<Card> {
        let words = after.split_whitespace();
        let card = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).parse().ok();
        words.map_while(card).collect()
    };
    let start = text.find("Player ")?;
    let player = cards(&text[start + 7..]);
    let banker = text.find(", Banker ").map_or(Vec::new(), |at| cards(&text[at + 9..]));
    (!player.is_empty()).then_some([player, banker])
}

/// A fresh table at which a coup can be dealt.
fn fresh(book: &Book) -> Table {
    let mut table = Table::new(Arc::new(book.rulebook.clone()));
    let mut acts = vec![Act::Open(all_offered(book))];
    let terms = {
        let mut opened = table.clone();
        must(&mut opened, acts[0].clone());
        opened.terms().clone()
    };
    acts.extend(sign(book, &terms).into_iter().map(Act::Post));
    let ann = Name::from("Ann").expect("a name");
    let amount = rules::Cents::new(5000).expect("an amount");
    let stack = rules::Cents::new(1_000_000).expect("an amount");
    let spot = rules::Spot::Player;
    let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
    acts.extend([
        Act::Player(ann, Deed::Sit(1, stack)),
        Act::FreshShoe,
        Act::Player(ann, Deed::Bet(bet)),
        Act::Dealer(Work::NoMoreBets),
    ]);
    for act in acts {
        must(&mut table, act);
    }
    table
}

fn must(table: &mut Table, act: Act) {
    let events = table.decide(&Command::new(0, act)).expect("it is lawful");
    for event in &events {
        let wrong = matches!(
            event.fact,
            Fact::OutOfSequence(_)
                | Fact::GivenToBanker(_)
                | Fact::Excess { .. }
                | Fact::ExcessNotUsed(_)
                | Fact::Suspended(_)
        );
        assert!(!wrong, "the coup was irregular before it was asked about: {event:?}");
        table.evolve(event);
    }
}

#[test]
fn every_coup_asked_about_is_dealt_by_the_book() {
    each_book(|name, book, topic, questions| {
        for question in questions {
            let Some([player, banker]) = hands(&question.text) else { continue };
            let mut table = fresh(book);
            let mut hands = [player.iter(), banker.iter()];
            for _ in 0..player.len() + banker.len() {
                let due = table.due().map(|due| due.next);
                let Some(Next::Card(side)) = due else {
                    panic!("{name}: nobody draws in `{}`", question.text)
                };
                let card = hands[side as usize].next();
                let card = card.unwrap_or_else(|| panic!("{name}: {side} in `{}`", question.text));
                let draw = Work::Draw { card: Some(*card), to: side, face_down: false };
                must(&mut table, Act::Dealer(draw));
            }
            let over = table.phase() != Phase::Dealing;
            let said_over = question.text.contains("is over")
                || matches!(topic, Topic::Totals | Topic::Result | Topic::Payout);
            let open = matches!(topic, Topic::NextCard);
            assert!(over == said_over || open, "{name}: `{}`", question.text);
        }
    });
}

#[test]
fn every_answer_is_the_right_one_at_times() {
    each_book(|name, book, topic, questions| {
        let mut found = BTreeMap::<&str, u32>::new();
        for question in questions {
            *found.entry(question.accepted[0].as_str()).or_default() += 1;
            assert_eq!(question.judge(&question.answer), Some(true), "{question:?}");
            assert!(question.accepted.iter().all(|said| question.judge(said) == Some(true)));
            // Where a book is silent, a supervisor decides by no clause.
            let silent = question.accepted[0] == Fate::Wait.word();
            assert!(silent || !question.clauses.is_empty(), "{name}: {question:?}");
        }
        let found: BTreeSet<_> = found.into_keys().collect();
        let wanted: BTreeSet<_> = match topic {
            Topic::NextCard => ["player", "banker", "nobody"].into(),
            Topic::Result => ["player", "banker", "tie"].into(),
            Topic::Preparation => steps(book).into_iter().map(|(step, _)| step).collect(),
            Topic::NotDue | Topic::ExcessCard | Topic::OutOfSequence => {
                let fates = Fate::all(topic, &book.rulebook);
                fates.into_iter().map(Fate::word).collect()
            }
            Topic::CuttingCard => ["0", "1"].into(),
            // Amounts and totals: losses and pushes among them, and many others.
            Topic::Payout => {
                assert!(found.contains("loses") && found.contains("kept"), "{name}: {found:?}");
                assert!(found.len() > 12, "{name}: {found:?}");
                return;
            }
            Topic::Totals => return assert!(found.len() > 30, "{name}: {found:?}"),
            Topic::Burn if questions.is_empty() => return,
            Topic::Burn => return assert!(found.len() > 5, "{name}: {found:?}"),
        };
        assert_eq!(found, wanted, "{name}: {topic:?}");
    });
}

/// The wager that a question about a payout names.
fn named_wager(book: &Book, text: &str) -> rules::Bet {
    let wager = text.split("; ").nth(1).and_then(|text| text.split(": ").next()).expect("a wager");
    let (stake, spot) = wager.split_once(" on ").expect("an amount and a spot");
    let mut spots = book.rulebook.spots().into_iter();
    let spot = spots.find(|other| book.rulebook.spot_name(*other) == spot).expect("a spot");
    rules::Bet { spot, stake: stake.parse().expect("an amount") }
}

/// The cards of two hands in the order of dealing.
fn in_order([player, banker]: [Vec<Card>; 2]) -> Vec<Card> {
    let first = player.iter().zip(&banker).take(2).flat_map(|(one, other)| [*one, *other]);
    let third = player.iter().skip(2).chain(banker.iter().skip(2)).copied();
    first.chain(third).collect()
}

#[test]
fn every_payout_is_the_books_own_settlement() {
    for name in rulebooks::ids() {
        let book = crate::books::load(name).expect("a book");
        let terms = fresh(&book).terms().clone();
        for question in asked(&book, Topic::Payout) {
            let cards = in_order(hands(&question.text).expect("two hands"));
            let bet = named_wager(&book, &question.text);
            let coup = book.rulebook.play(&terms, &cards, &[bet]).expect("a coup");
            let due = match coup.settled[0].verdict {
                rules::Verdict::Won(won) => won.net.to_string(),
                rules::Verdict::Lost => "loses".into(),
                rules::Verdict::Kept => "kept".into(),
            };
            assert_eq!(question.judge(&due), Some(true), "{name}: {due}, not {question:?}");
        }
    }
}

/// A card that is not used has no clause that brings it into the next coup.
#[test]
fn a_card_behind_the_last_coup_is_not_said_to_start_the_next() {
    each_book(|name, book, topic, questions| {
        let trouble = &book.rulebook.irregularities;
        for question in questions {
            let last = question.text.starts_with("the last coup of the shoe is over");
            let asked = matches!(topic, Topic::NotDue | Topic::ExcessCard);
            if asked && last && question.accepted[0] == Fate::Unused.word() {
                let next = [trouble.excess_seen.clause, trouble.excess_unseen.clause];
                let wrong = question.clauses.iter().any(|clause| next.contains(clause));
                assert!(!wrong, "{name}: {question:?}");
            }
        }
    });
}

/// What is wrong but answers is told from what was not understood.
#[test]
fn a_choice_answers_and_gibberish_does_not() {
    each_book(|_, _, _, questions| {
        for question in questions {
            assert_eq!(question.judge("gibberish"), None, "{question:?}");
            let wrong = question.choices.iter().filter(|word| question.judge(word).is_none());
            assert_eq!(wrong.count(), 0, "{question:?}");
        }
    });
}

/// Sides index the hands above.
const _: () = assert!(Side::Player as usize == 0 && Side::Banker as usize == 1);
