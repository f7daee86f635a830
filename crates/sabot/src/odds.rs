//! `sabot odds`: what every wager is worth, exactly.

use anyhow::{Context, Result, bail};
use dashu_ratio::RBig;
use odds::{
    Outcomes, Plan, Tableaux, Value, Wager, Wagers, decimal, outcomes, outcomes_given, root,
};
use rulebooks::Book;
use rules::{Card, Composition, Rank, Spot, Terms};
use serde_json::{Value as Json, json};

use crate::books::{load, pretty, short, terms_of, with_sheets};
use crate::cli::OddsArguments;
use crate::json::number;
use crate::show::{Format, Style, clause, count, lines, plain, strong};
use crate::simulate::{Watched, threads};

/// One book's wagers, and the odds of a shoe.
struct Asked {
    book: Book,
    terms: Terms,
    tableaux: Tableaux,
    wagers: Vec<Wager>,
    shoe: Composition,
    decks: u32,
    found: Outcomes,
    /// So many cards of the coup are known.
    given: usize,
}

/// The decks of a shoe, as the book allows.
pub(crate) fn decks_of(book: &Book, wanted: Option<u32>) -> Result<u32> {
    let allowed = book.rulebook.cards.decks;
    let decks = wanted.unwrap_or_else(|| allowed.value.most().min(8));
    if decks == 0 || decks > 16 {
        bail!(
            "{decks} decks; 1 to 16 are counted ({} has {})",
            book.rulebook.title.id,
            allowed.value
        );
    }
    Ok(decks)
}

/// The cards that are left: of so many decks, or as a transcript leaves them.
fn shoe_of(arguments: &OddsArguments, decks: u32) -> Result<Composition> {
    let full = Composition::of_decks(u16::try_from(decks).unwrap_or(8));
    let mut shoe = match &arguments.shoe {
        None => full,
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let played = transcript::play(&text).map_err(|bad| {
                let bad: Vec<_> = bad.iter().map(ToString::to_string).collect();
                anyhow::anyhow!("{}: {}", path.display(), bad.join("; "))
            })?;
            let mut table = table::State::default();
            played.events.iter().for_each(|event| table.evolve(event));
            table.shoe().left
        }
    };
    for card in arguments.removed.iter().chain(&arguments.given) {
        if shoe.take(*card).is_err() {
            bail!("{card} is not in the shoe so often: of {decks} decks there are {decks}");
        }
    }
    Ok(shoe)
}

impl Asked {
    fn new(name: &str, arguments: &OddsArguments) -> Result<Self> {
        let book = load(&with_sheets(name, &arguments.with))?;
        let terms = terms_of(&book, arguments.method, &arguments.with)?;
        let decks = decks_of(&book, arguments.decks)?;
        let shoe = shoe_of(arguments, decks)?;
        let tableaux = Tableaux::of(&book.rulebook);
        let found = if arguments.given.is_empty() {
            outcomes(&shoe, &tableaux)?
        } else {
            outcomes_given(&shoe, &tableaux, &arguments.given)?
        };
        let mut wagers = Wagers::of(&book.rulebook, &terms).list;
        if let Some(spot) = arguments.wager {
            wagers.retain(|wager| wager.spot == spot);
            if wagers.is_empty() {
                let fault = book.rulebook.offers(spot, &terms).err();
                bail!("{}", fault.map_or(String::new(), |fault| fault.to_string()));
            }
        }
        let given = arguments.given.len();
        Ok(Self { book, terms, tableaux, wagers, shoe, decks, found, given })
    }

    fn title(&self) -> String {
        let (cards, decks) = (count(self.shoe.total(), "card"), count(self.decks, "deck"));
        let title = &self.book.rulebook.title;
        let method = self.terms.method;
        format!("{}: {cards} of {decks}, {method} method", title.name())
    }
}

/// Per cent, with a sign.
pub(crate) fn percent(value: &RBig, digits: usize) -> String {
    format!("{}%", decimal(&(value.clone() * RBig::from(100)), digits))
}

pub(crate) fn run(arguments: &OddsArguments, format: Format, style: Style) -> Result<String> {
    let format = if arguments.csv { Format::Csv } else { format };
    if !arguments.compare.is_empty() {
        return compare(arguments, format, style);
    }
    let asked = Asked::new(&arguments.book, arguments)?;
    if arguments.count {
        return counted(&asked, arguments, format, style);
    }
    if arguments.effect_of_removal {
        return removal(&asked, format, style);
    }
    if let Some(path) = &arguments.plot {
        let values: Vec<_> =
            asked.wagers.iter().map(|wager| (wager.spot, wager.value(&asked.found))).collect();
        crate::plot::odds(path, &asked.title(), &values)?;
        if format.is_json() {
            return Ok(crate::json::wrote(path));
        }
        return Ok(format!("drew {}\n", path.display()));
    }
    Ok(match format {
        Format::Json => pretty(&whole_json(&asked)),
        Format::Csv => csv(&asked),
        Format::Text if arguments.wager.is_some() => detail(&asked, style),
        Format::Text => table(&asked, style),
    })
}

fn table(asked: &Asked, style: Style) -> String {
    let mut text = style.heading(&asked.title());
    let mut table = style.table();
    let head = ["wager", "house edge", "deviation", "wins", "kept", "pays", "clause"];
    table.set_header(head.map(strong));
    for wager in &asked.wagers {
        let value = wager.value(&asked.found);
        let (pays, by) = pays(asked, wager.spot);
        table.add_row([
            strong(&wager.name),
            strong(percent(&value.house_edge(), 4)),
            plain(format!("{} units", decimal(&root(&value.variance(), 8), 3))),
            plain(percent(&value.hit_rate(), 3)),
            plain(percent(&value.push_rate(), 3)),
            plain(pays),
            clause(by),
        ]);
    }
    text += &lines(&mut table, &[]);
    let drawn = match asked.given {
        0 => "draws of six cards",
        1 => "draws of the other five cards",
        2 => "draws of the other four cards",
        3 => "draws of the other three cards",
        4 => "draws of the other two cards",
        5 => "draws of the last card",
        _ => "draws: all six cards are given",
    };
    text += &format!("  of {} equally likely {drawn}; exact\n", asked.found.total);
    text
}

/// What a spot pays, in short, and the clause of its first price.
fn pays(asked: &Asked, spot: Spot) -> (String, String) {
    let rulebook = &asked.book.rulebook;
    let pays = rulebook.pays(spot, &asked.terms);
    let said: Vec<_> = pays.iter().map(|(_, price)| price.value.to_string()).collect();
    let by = pays.first().map_or(String::new(), |(_, price)| short(rulebook, price.clause));
    let said = match said.as_slice() {
        [first, .., last] if said.len() > 3 => format!("{first} to {last}"),
        few => few.join(", "),
    };
    (said, by)
}

/// One wager, payout by payout.
fn detail(asked: &Asked, style: Style) -> String {
    let mut text = style.heading(&asked.title());
    for wager in &asked.wagers {
        let value = wager.value(&asked.found);
        let mut table = style.table();
        table.set_header(["a unit brings", "how often", "exactly", "clause"].map(strong));
        for (payout, (paid, chance)) in wager.payouts.iter().zip(value.payouts()) {
            let by = payout.clause.map_or(String::new(), |by| short(&asked.book.rulebook, by));
            let exact = chance.to_string();
            table.add_row([
                strong(decimal(&paid, 2)),
                plain(percent(&chance, 6)),
                plain(exact),
                clause(by),
            ]);
        }
        text += &format!("{}\n{}", wager.name, lines(&mut table, &[]));
        let (expected, edge) = (value.expected(), value.house_edge());
        text += &format!("  house edge {} = {edge}\n", percent(&edge, 6));
        text += &format!("  expected {} units a unit staked\n", decimal(&expected, 8));
        let deviation = decimal(&root(&value.variance(), 10), 6);
        text += &format!("  standard deviation {deviation} units\n");
    }
    text
}

fn value_json(wager: &Wager, value: &Value) -> Json {
    let payouts: Vec<_> = value
        .payouts()
        .into_iter()
        .map(|(paid, chance)| {
            json!({
                "pays": number(&paid, 4),
                "probability": number(&chance, 12),
                "exact": chance.to_string(),
            })
        })
        .collect();
    json!({
        "wager": wager.spot.key(),
        "house_edge": number(&value.house_edge(), 12),
        "house_edge_exact": value.house_edge().to_string(),
        "standard_deviation": number(&root(&value.variance(), 12), 10),
        "variance_exact": value.variance().to_string(),
        "hit_rate": number(&value.hit_rate(), 12),
        "push_rate": number(&value.push_rate(), 12),
        "payouts": payouts,
    })
}

fn whole_json(asked: &Asked) -> Json {
    let wagers: Vec<_> =
        asked.wagers.iter().map(|wager| value_json(wager, &wager.value(&asked.found))).collect();
    let classes = odds::Class::all().filter(|class| asked.found.classes[class.index()] > 0);
    let classes: Vec<_> = classes
        .map(|class| {
            let (player_cards, banker_cards) = class.cards();
            json!({
                "player": class.player, "banker": class.banker,
                "natural": class.kind == odds::Kind::Natural,
                "player_cards": player_cards, "banker_cards": banker_cards,
                "draws": asked.found.classes[class.index()],
            })
        })
        .collect();
    let pairs = |side: rules::Side| {
        let [none, mixed, red, black, perfect] = asked.found.pairs(side);
        json!({ "none": none, "mixed": mixed, "red": red, "black": black, "perfect": perfect })
    };
    json!({
        "book": asked.book.rulebook.title.name(),
        "decks": asked.decks,
        "cards": asked.shoe.total(),
        "draws": asked.found.total,
        "wagers": wagers,
        "outcomes": classes,
        "pairs": { "player": pairs(rules::Side::Player), "banker": pairs(rules::Side::Banker) },
    })
}

fn csv(asked: &Asked) -> String {
    let mut text = String::from("wager,house_edge,standard_deviation,hit_rate,push_rate\n");
    for wager in &asked.wagers {
        let value = wager.value(&asked.found);
        text += &format!(
            "{},{},{},{},{}\n",
            wager.spot.key(),
            decimal(&value.house_edge(), 12),
            decimal(&root(&value.variance(), 12), 10),
            decimal(&value.hit_rate(), 12),
            decimal(&value.push_rate(), 12)
        );
    }
    text
}

/// Several books side by side: the house edge of each wager.
fn compare(arguments: &OddsArguments, format: Format, style: Style) -> Result<String> {
    let mut names = vec![arguments.book.clone()];
    names.extend(arguments.compare.iter().filter(|name| **name != arguments.book).cloned());
    let asked: Vec<_> =
        names.iter().map(|name| Asked::new(name, arguments)).collect::<Result<_>>()?;
    let edge = |asked: &Asked, spot: Spot| {
        let wager = asked.wagers.iter().find(|wager| wager.spot == spot)?;
        Some(wager.value(&asked.found).house_edge())
    };
    let mut all: Vec<Spot> = Vec::new();
    for spot in asked.iter().flat_map(|asked| asked.book.rulebook.spots()) {
        if !all.contains(&spot) {
            all.push(spot);
        }
    }
    let spots = all.iter().filter(|spot| asked.iter().any(|a| edge(a, **spot).is_some()));
    let name = |asked: &Asked| asked.book.rulebook.title.name();
    if format.is_json() {
        let of_book = |asked: &Asked, spot: Spot| {
            let edge = edge(asked, spot).map(|edge| number(&edge, 12));
            json!({ "book": name(asked), "house_edge": edge })
        };
        let row = |spot: &Spot| {
            let books: Json = asked.iter().map(|asked| of_book(asked, *spot)).collect();
            json!({ "wager": spot.key(), "books": books })
        };
        return Ok(pretty(&spots.map(row).collect()));
    }
    if format == Format::Csv {
        let line = |first: &str, cells: Vec<String>| format!("{first},{}\n", cells.join(","));
        let cell = |asked: &Asked, spot: Spot| {
            edge(asked, spot).map_or(String::new(), |edge| decimal(&edge, 12))
        };
        let mut text = line("wager", asked.iter().map(name).collect());
        for spot in spots {
            text += &line(spot.key(), asked.iter().map(|asked| cell(asked, *spot)).collect());
        }
        return Ok(text);
    }
    let mut table = style.table();
    let mut head = vec![strong("house edge")];
    head.extend(asked.iter().map(|asked| strong(asked.book.rulebook.title.name())));
    table.set_header(head);
    for spot in spots {
        let titles = asked.iter().map(|a| a.book.rulebook.spot_name(*spot));
        let title = titles.max_by_key(|title| *title != spot.key());
        let mut row = vec![strong(title.unwrap_or_default())];
        for asked in &asked {
            let edge = edge(asked, *spot).map_or("not offered".into(), |edge| percent(&edge, 4));
            row.push(plain(edge));
        }
        table.add_row(row);
    }
    Ok(lines(&mut table, &[]))
}

/// What one card less of each rank does to each wager.
fn removal(asked: &Asked, format: Format, style: Style) -> Result<String> {
    let base: Vec<_> =
        asked.wagers.iter().map(|wager| wager.value(&asked.found).expected()).collect();
    let mut rows = Vec::new();
    for rank in Rank::ALL {
        let of_rank = Card::deck().filter(|card| card.rank() == rank);
        let Some(card) = of_rank.max_by_key(|card| asked.shoe.count(*card)) else { continue };
        let mut shoe = asked.shoe;
        if shoe.take(card).is_err() {
            continue;
        }
        let found = outcomes(&shoe, &asked.tableaux)?;
        let effects: Vec<_> = asked
            .wagers
            .iter()
            .zip(&base)
            .map(|(wager, base)| wager.value(&found).expected() - base.clone())
            .collect();
        rows.push((rank.letter(), effects));
    }
    if format != Format::Text {
        let key = |wager: &Wager| wager.spot.key();
        let mut text =
            format!("rank,{}\n", asked.wagers.iter().map(key).collect::<Vec<_>>().join(","));
        let mut all = Vec::new();
        for (rank, effects) in rows {
            let cells: Vec<_> = effects.iter().map(|effect| decimal(effect, 12)).collect();
            text += &format!("{rank},{}\n", cells.join(","));
            let effects: Vec<_> = effects.iter().map(|effect| number(effect, 12)).collect();
            all.push(json!({ "rank": rank.to_string(), "effects": effects }));
        }
        let wagers: Vec<_> = asked.wagers.iter().map(key).collect();
        let whole = json!({ "wagers": wagers, "ranks": all });
        return Ok(if format.is_json() { pretty(&whole) } else { text });
    }
    let mut text = style.heading(&asked.title());
    text += "one card less of a rank changes the expected value, in per cent of the stake, by\n";
    let mut table = style.table();
    let mut head = vec![strong("rank")];
    head.extend(asked.wagers.iter().map(|wager| strong(&wager.name)));
    table.set_header(head);
    for (rank, effects) in rows {
        let mut row = vec![strong(rank)];
        row.extend(effects.iter().map(|effect| {
            let sign = if *effect > RBig::ZERO { "+" } else { "" };
            plain(format!("{sign}{}", decimal(&(effect.clone() * RBig::from(100)), 4)))
        }));
        table.add_row(row);
    }
    Ok(text + &lines(&mut table, &[]))
}

/// Plays shoes, and counts how often each wager turns favourable.
fn count_shoes(asked: &Asked, arguments: &OddsArguments) -> Result<odds::Counted> {
    if arguments.shoes == 0 || arguments.shoes > 100_000_000 {
        bail!("{} shoes; allowed: 1 to 100000000", arguments.shoes);
    }
    let plan = Plan::of(&asked.book.rulebook, &asked.terms, asked.decks);
    let watched = Watched::start(arguments.shoes, "shoes counted");
    let found = odds::count(
        &plan,
        &asked.tableaux,
        arguments.seed,
        arguments.shoes,
        threads(arguments.threads),
        &watched.stop,
        &|done| watched.done(done),
    );
    watched.finish();
    Ok(found)
}

/// How often each wager turns favourable under perfect play.
fn counted(
    asked: &Asked,
    arguments: &OddsArguments,
    format: Format,
    style: Style,
) -> Result<String> {
    let found = count_shoes(asked, arguments)?;
    let parts = |gain: i128, of: u64| {
        let of = i64::try_from(of.max(1)).unwrap_or(i64::MAX);
        RBig::from_parts(gain.into(), 1_000_000_000_000_u64.into()) / RBig::from(of)
    };
    let often = |count: u64| RBig::from_parts(count.into(), found.coups.max(1).into());
    let figures = |wager: &odds::CountedWager| {
        [
            often(wager.favourable),
            parts(wager.gain, wager.favourable),
            parts(wager.best, 1),
            parts(wager.gain, found.shoes),
        ]
    };
    if format == Format::Csv {
        let mut text = String::from("wager,favourable,mean_edge,best_edge,units_a_shoe\n");
        for wager in &found.wagers {
            let cells = figures(wager).map(|figure| decimal(&figure, 8));
            text += &format!("{},{}\n", wager.spot.key(), cells.join(","));
        }
        return Ok(text);
    }
    if format.is_json() {
        let row = |wager: &odds::CountedWager| {
            let [often, mean, best, units] = figures(wager).map(|figure| number(&figure, 8));
            json!({
                "wager": wager.spot.key(), "favourable": often, "mean_edge": mean,
                "best_edge": best, "units_a_shoe": units,
            })
        };
        let rows: Vec<_> = found.wagers.iter().map(row).collect();
        let whole = json!({ "shoes": found.shoes, "coups": found.coups, "wagers": rows });
        return Ok(pretty(&whole));
    }
    let mut text = style.heading(&asked.title());
    text += &format!(
        "perfect play over {} shoes, {} rounds; the odds before each are exact\n",
        found.shoes, found.coups
    );
    let mut table = style.table();
    let head = ["wager", "favourable", "player's edge then", "at most", "units a shoe"];
    table.set_header(head.map(strong));
    for wager in &found.wagers {
        table.add_row([
            strong(asked.book.rulebook.spot_name(wager.spot)),
            plain(percent(&often(wager.favourable), 3)),
            plain(percent(&parts(wager.gain, wager.favourable), 4)),
            plain(percent(&parts(wager.best, 1), 3)),
            plain(decimal(&parts(wager.gain, found.shoes), 4)),
        ]);
    }
    Ok(text + &lines(&mut table, &[]))
}
