//! `sabot coup`: one coup, from the cards to the money, with the clauses that decided it.

use anyhow::{Context, Result};
use rulebooks::Book;
use rules::{Bet, Card, Cents, Cited, Clause, Coup, Hand, Ruling, Settled, Spot, Terms, Verdict};
use serde_json::{Value, json};

use crate::books::{load, pretty, short, terms_of, with_sheets};
use crate::cli::CoupArguments;
use crate::show::{Format, Style, clause, lines, plain, quiet};

/// Player stands on 6; Banker draws to 2 and wins with 7.
const EXAMPLE: [&str; 5] = ["3h", "Kd", "3c", "2s", "5h"];

pub(crate) fn run(arguments: &CoupArguments, format: Format, style: Style) -> Result<String> {
    let names = match &arguments.book {
        Some(name) => vec![name.as_str()],
        None => rulebooks::ids(),
    };
    let alone = names.len() == 1;
    let mut texts = Vec::new();
    let mut records = Vec::new();
    for name in names {
        let book = load(&with_sheets(name, &arguments.with))?;
        let (terms, cards, bets) = settings(arguments, &book)?;
        let title = book.rulebook.title.name();
        let coup = book.rulebook.play(&terms, &cards, &bets).with_context(|| title.clone())?;
        records.push(coup_json(&book, &terms, &coup));
        texts.push(coup_text(&book, &terms, &coup, alone, style));
    }
    if format.is_json() {
        let record = if alone { records.remove(0) } else { Value::Array(records) };
        return Ok(pretty(&record));
    }
    Ok(texts.join("\n"))
}

/// What was asked for; where nothing was, the example with all that the book offers.
fn settings(arguments: &CoupArguments, book: &Book) -> Result<(Terms, Vec<Card>, Vec<Bet>)> {
    let terms = terms_of(book, arguments.method, &arguments.with)?;
    if !arguments.cards.is_empty() {
        return Ok((terms, arguments.cards.clone(), arguments.bets.clone()));
    }
    let cards = EXAMPLE.iter().map(|card| card.parse()).collect::<Result<_, _>>()?;
    if !arguments.bets.is_empty() {
        return Ok((terms, cards, arguments.bets.clone()));
    }
    let stake = |dollars: u64| Cents::new(dollars * 100).context("an example is small");
    let mut bets = Vec::new();
    for spot in book.rulebook.spots() {
        let dollars = match spot {
            Spot::Banker => 100,
            Spot::Tie => 10,
            Spot::Side(_) => 5,
            Spot::Player => continue,
        };
        if book.rulebook.offers(spot, &terms).is_ok() {
            bets.push(Bet { spot, stake: stake(dollars)? });
        }
    }
    Ok((terms, cards, bets))
}

fn coup_text(book: &Book, terms: &Terms, coup: &Coup, with_gists: bool, style: Style) -> String {
    let title = &book.rulebook.title;
    let text = style.heading(&{
        let method = terms.method;
        let wagered = |key: rules::Key| {
            let group = Some(rules::Group::Side(key));
            coup.settled.iter().any(|settled| book.rulebook.group(settled.spot) == group)
        };
        let offered = terms.side_bets.iter().filter(|offer| wagered(offer.group));
        let offered = offered.filter_map(|offer| book.rulebook.offered(offer));
        let mut said = vec![title.jurisdiction.clone(), format!("{method} method")];
        said.extend(offered.map(|(_, table)| table.name.clone()));
        format!("{}: {}", title.name(), said.join(", "))
    });
    let mut table = style.table();
    let mut explained = Vec::new();
    for (what, clauses) in story(coup) {
        if !with_gists {
            let clauses: Vec<_> = clauses.iter().map(|by| short(&book.rulebook, *by)).collect();
            table.add_row([plain(what), clause(clauses.join(", "))]);
            continue;
        }
        let mut what = what.as_str();
        for by in clauses.into_iter().flat_map(Clause::each) {
            // A clause is explained once.
            let first = !explained.contains(&by);
            explained.push(by);
            let gist = book.clause(&by).filter(|_| first).map_or("", |entry| &entry.gist);
            table.add_row([plain(what), clause(short(&book.rulebook, by)), quiet(gist)]);
            what = "";
        }
    }
    let shares: &[u16] = if with_gists { &[40, 18, 42] } else { &[] };
    text + &lines(&mut table, shares)
}

/// What happened, line by line, each with the clauses that it rests on.
fn story(coup: &Coup) -> Vec<(String, Vec<Clause>)> {
    let mut story: Vec<(String, Vec<Clause>)> = Vec::new();
    for Cited { value: ruling, clause } in &coup.rulings {
        match (ruling, story.last_mut()) {
            // Two cards to each hand are one line, and so are the duty to draw and the card drawn.
            (Ruling::Dealt(..), Some((_, clauses))) => {
                if !clauses.contains(clause) {
                    clauses.push(*clause);
                }
            }
            (Ruling::Dealt(..), None) => {
                let first_two = |hand: &Hand| Hand::of(&hand.cards()[..2]).to_string();
                let (player, banker) = (first_two(&coup.player), first_two(&coup.banker));
                story.push((format!("Player {player}, Banker {banker}"), vec![*clause]));
            }
            (Ruling::Drawn(..), Some((what, clauses))) => {
                *what = ruling.to_string();
                clauses.push(*clause);
            }
            _ => story.push((ruling.to_string(), vec![*clause])),
        }
    }
    let settled = coup.settled.iter();
    story.extend(settled.map(|settled| (settlement(settled), settled.clauses.to_vec())));
    story
}

/// What became of a wager, in words.
fn settlement(settled: &Settled) -> String {
    let (stake, spot) = (settled.stake, settled.spot);
    match settled.verdict {
        Verdict::Won(winnings) if winnings.commission > Cents::ZERO => {
            format!("{stake} on {spot} wins {} (commission {})", winnings.net, winnings.commission)
        }
        Verdict::Won(winnings) => format!("{stake} on {spot} wins {}", winnings.net),
        Verdict::Lost => format!("{stake} on {spot} loses"),
        Verdict::Kept => format!("{stake} on {spot} is kept"),
    }
}

fn coup_json(book: &Book, terms: &Terms, coup: &Coup) -> Value {
    let cards = |cards: &[Card]| cards.iter().map(Card::to_string).collect::<Vec<_>>();
    let clauses = |clauses: &[Clause]| clauses.iter().map(Clause::to_string).collect::<Vec<_>>();
    let rulings: Vec<_> = coup
        .rulings
        .iter()
        .map(|ruling| {
            json!({ "ruling": ruling.value.to_string(), "clause": ruling.clause.to_string() })
        })
        .collect();
    let settled: Vec<_> = coup
        .settled
        .iter()
        .map(|settled| {
            let (verdict, net, commission) = match settled.verdict {
                Verdict::Won(winnings) => ("won", winnings.net, winnings.commission),
                Verdict::Lost => ("lost", Cents::ZERO, Cents::ZERO),
                Verdict::Kept => ("kept", Cents::ZERO, Cents::ZERO),
            };
            json!({
                "spot": settled.spot.key(),
                "stake_cents": settled.stake.get(),
                "verdict": verdict,
                "wins_cents": net.get(),
                "commission_cents": commission.get(),
                "clauses": clauses(&settled.clauses),
            })
        })
        .collect();
    json!({
        "book": book.rulebook.title.name(),
        "method": terms.method.key(),
        "player": { "cards": cards(coup.player.cards()), "total": coup.score.player.total },
        "banker": { "cards": cards(coup.banker.cards()), "total": coup.score.banker.total },
        "result": coup.score.outcome().to_string(),
        "rulings": rulings,
        "settled": settled,
    })
}
