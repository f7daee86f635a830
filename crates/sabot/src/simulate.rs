//! `sabot simulate`: whole shoes, and what they bring.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use dashu_ratio::RBig;
use indicatif::{ProgressBar, ProgressStyle};
use odds::{Burning, Figures, Paths, Plan, Tableaux, Tally, decimal, outcomes, simulate};
use rules::Composition;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::books::{load, pretty, terms_of, with_sheets};
use crate::cli::{BurnChoice, SimulateArguments, SimulateCommand};
use crate::json::number;
use crate::odds::{decks_of, percent};
use crate::show::{Format, Style, count, lines, plain, strong};

/// So many threads, or as many as the machine has.
pub(crate) fn threads(wanted: Option<usize>) -> usize {
    let own = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    wanted.unwrap_or(own).clamp(1, 1024)
}

/// A long run: a bar with rate and time left, and Ctrl-C, which prints what there is.
pub(crate) struct Watched {
    pub(crate) stop: Arc<AtomicBool>,
    bar: ProgressBar,
}

impl Watched {
    pub(crate) fn start(shoes: u64, what: &str) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (asked, again) = (stop.clone(), AtomicBool::new(false));
        // Without a handler Ctrl-C ends the program at once, which is no harm either.
        let _ = ctrlc::set_handler(move || {
            if again.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            asked.store(true, Ordering::Relaxed);
        });
        let form = "{bar:30} {percent}% {human_pos} {msg}, {per_sec}, {eta} left";
        let style = ProgressStyle::with_template(form);
        let bar = ProgressBar::new(shoes).with_message(what.to_owned());
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { stop, bar }
    }

    pub(crate) fn done(&self, shoes: u64) {
        self.bar.inc(shoes);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// What was asked, so that parts of a run are added only to their like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    book: String,
    sha256: String,
    method: String,
    side_bets: rules::Offers,
    decks: u32,
    behind: u32,
    burn: String,
    seed: u64,
    shoes: u64,
    paths: bool,
}

/// A part of a run, or the whole.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Gathered {
    schema: String,
    asked: Asked,
    /// Which shards it holds, and of how many.
    shards: Vec<u64>,
    of: u64,
    tally: Tally,
}

const SCHEMA: &str = "simulation/2";
const MOST_SHOES: u64 = 1_000_000_000_000;

pub(crate) fn run(arguments: &SimulateArguments, format: Format, style: Style) -> Result<String> {
    if let Some(SimulateCommand::Merge { files, csv }) = &arguments.command {
        return merge(files, if *csv { Format::Csv } else { format }, style);
    }
    let (asked, plan, tableaux) = planned(arguments)?;
    let shard = shard(arguments.shard.as_deref())?;
    let watched = Watched::start(arguments.shoes.div_ceil(shard.1), "shoes");
    let tally = simulate(
        &plan,
        &tableaux,
        asked.seed,
        asked.shoes,
        shard,
        threads(arguments.threads),
        if arguments.paths { Paths::Followed } else { Paths::Skipped },
        &watched.stop,
        &|done| watched.done(done),
    );
    watched.finish();
    let stopped = watched.stop.load(Ordering::Relaxed);
    if tally.shoes == 0 && stopped {
        bail!("stopped before the first shoe was done");
    }
    // Of few shoes a shard may have none, and is merged all the same.
    if arguments.shard.is_some() {
        if stopped {
            bail!("stopped: a part of a shard cannot be merged");
        }
        let (schema, shards) = (SCHEMA.into(), vec![shard.0 + 1]);
        let part = Gathered { schema, asked, shards, of: shard.1, tally };
        return Ok(serde_json::to_string(&part)? + "\n");
    }
    if let Some(path) = &arguments.plot {
        crate::plot::rounds(path, &title(&asked, &tally), &tally.rounds)?;
        if format.is_json() {
            return Ok(crate::json::wrote(path));
        }
        return Ok(format!("drew {}\n", path.display()));
    }
    Ok(shown(
        &asked,
        &plan,
        &tableaux,
        &tally,
        if arguments.csv { Format::Csv } else { format },
        style,
    ))
}

fn shard(said: Option<&str>) -> Result<(u64, u64)> {
    let Some(said) = said else { return Ok((0, 1)) };
    let read = said.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match read {
        Some((k, n)) if (1..=n).contains(&k) && n <= 1_000_000 => Ok((k - 1, n)),
        _ => bail!("`{said}` is no shard; the third of eight is 3/8"),
    }
}

fn planned(arguments: &SimulateArguments) -> Result<(Asked, Plan, Tableaux)> {
    let name = with_sheets(&arguments.book, &arguments.with);
    let book = load(&name)?;
    let terms = terms_of(&book, arguments.method, &arguments.with)?;
    let decks = decks_of(&book, arguments.decks)?;
    if arguments.shoes == 0 || arguments.shoes > MOST_SHOES {
        bail!("{} shoes; allowed: 1 to {MOST_SHOES}", arguments.shoes);
    }
    let mut plan = Plan::of(&book.rulebook, &terms, decks);
    if let Some(behind) = arguments.cut {
        if behind + 20 > decks * 52 {
            bail!("{behind} cards behind the cutting card leave nothing of {} to deal", decks * 52);
        }
        plan.behind = behind;
    }
    can_count(&plan, arguments.shoes)?;
    match (arguments.burn, book.rulebook.burn.is_some()) {
        (Some(BurnChoice::Shown), false) => bail!("{} burns no cards", arguments.book),
        (Some(BurnChoice::Shown), true) | (None, _) => {}
        (Some(BurnChoice::Unseen), _) => plan.burning = Burning::Unseen,
        (Some(BurnChoice::None), _) => plan.burning = Burning::Nothing,
    }
    let burn = match plan.burning {
        Burning::Shown => "shown",
        Burning::Unseen => "unseen",
        Burning::Nothing => "none",
    };
    let asked = Asked {
        book: name,
        sha256: book.sha256(),
        method: terms.method.key().into(),
        side_bets: terms.side_bets,
        decks,
        behind: plan.behind,
        burn: burn.into(),
        seed: arguments.seed,
        shoes: arguments.shoes,
        paths: arguments.paths,
    };
    let tableaux = Tableaux::of(&book.rulebook);
    Ok((asked, plan, tableaux))
}

/// Sums of squares must fit; only odds that no house would offer come near.
fn can_count(plan: &Plan, shoes: u64) -> Result<()> {
    let most = plan.most_shoes();
    if most < u128::from(shoes) {
        let wager = plan.widest().map_or("", |wager| wager.spot.key());
        bail!(
            "`{wager}` has rows whose odds have too little in common: at most {most} shoes are \
             simulated"
        );
    }
    Ok(())
}

/// The plan of a part that was written before.
fn plan_of(asked: &Asked) -> Result<(Plan, Tableaux)> {
    let book = load(&asked.book)?;
    if book.sha256() != asked.sha256 {
        bail!("the parts were made with another edition of {}", asked.book);
    }
    let method = rules::Method::from_key(&asked.method).context("an unknown method")?;
    let terms = rules::Terms { method, side_bets: asked.side_bets.clone() };
    book.rulebook.allows(&terms)?;
    let mut plan = Plan::of(&book.rulebook, &terms, decks_of(&book, Some(asked.decks))?);
    can_count(&plan, asked.shoes)?;
    plan.behind = asked.behind;
    plan.burning = match asked.burn.as_str() {
        "shown" => Burning::Shown,
        "unseen" => Burning::Unseen,
        _ => Burning::Nothing,
    };
    Ok((plan, Tableaux::of(&book.rulebook)))
}

fn merge(files: &[PathBuf], format: Format, style: Style) -> Result<String> {
    let mut whole: Option<Gathered> = None;
    for path in files {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let part: Gathered = serde_json::from_str(&text)
            .with_context(|| format!("{} is no part of a simulation", path.display()))?;
        add(&mut whole, part, path)?;
    }
    let whole = whole.context("name the parts to be merged")?;
    let missing: Vec<_> = (1..=whole.of).filter(|k| !whole.shards.contains(k)).collect();
    if !missing.is_empty() {
        let shown: Vec<_> = missing.iter().take(10).map(|k| format!("{k}/{}", whole.of)).collect();
        bail!("of {} shards {} are missing: {}", whole.of, missing.len(), shown.join(", "));
    }
    let (plan, tableaux) = plan_of(&whole.asked)?;
    Ok(shown(&whole.asked, &plan, &tableaux, &whole.tally, format, style))
}

fn add(whole: &mut Option<Gathered>, part: Gathered, path: &Path) -> Result<()> {
    let name = path.display();
    if part.schema != SCHEMA || !part.tally.is_sound(&plan_of(&part.asked)?.0) {
        bail!("{name} is no sound part of a simulation of this version");
    }
    let Some(sum) = whole else {
        *whole = Some(part);
        return Ok(());
    };
    if sum.asked != part.asked || sum.of != part.of {
        bail!("{name} is a part of another simulation");
    }
    if let Some(twice) = part.shards.iter().find(|k| sum.shards.contains(k)) {
        bail!("{name}: shard {twice}/{} was added before", part.of);
    }
    sum.shards.extend(part.shards);
    sum.tally.add(&part.tally);
    Ok(())
}

fn title(asked: &Asked, tally: &Tally) -> String {
    let (shoes, decks) = (count(tally.shoes, "shoe"), count(asked.decks, "deck"));
    format!("{}: {shoes} of {decks}", asked.book)
}

fn shown(
    asked: &Asked,
    plan: &Plan,
    tableaux: &Tableaux,
    tally: &Tally,
    format: Format,
    style: Style,
) -> String {
    let figures = tally.figures(plan);
    let exact = outcomes(&Composition::of_decks(u16::try_from(asked.decks).unwrap_or(8)), tableaux);
    let value =
        |at: usize| exact.as_ref().ok().map(|found| plan.wagers.list[at].value(found).expected());
    if format.is_json() {
        return pretty(&shown_json(asked, tally, &figures, &value));
    }
    if format == Format::Csv {
        let mut text = String::from("wager,mean,error_99,exact\n");
        for (at, wager) in figures.wagers.iter().enumerate() {
            let exact = value(at).map_or(String::new(), |value| decimal(&value, 12));
            text += &format!("{},{},{},{exact}\n", wager.spot.key(), wager.mean, wager.error);
        }
        return text;
    }
    let mut text = style.heading(&title(asked, tally));
    text += &format!(
        "{}, {:.3} ± {:.3} a shoe, {:.4} cards a round; {} behind the cutting card, burn {}; seed \
         {}\n",
        count(tally.coups, "round"),
        figures.rounds_a_shoe,
        figures.rounds_error,
        figures.cards_a_coup,
        count(asked.behind, "card"),
        asked.burn,
        asked.seed
    );
    let mut table = style.table();
    let mut head = vec!["wager", "mean a unit", "± 99 %", "exact, full shoe"];
    if tally.paths {
        head.extend(["fall in a shoe", "deepest"]);
    }
    table.set_header(head.into_iter().map(strong));
    for (at, wager) in figures.wagers.iter().enumerate() {
        let mut row = vec![
            strong(&plan.wagers.list[at].name),
            plain(format!("{:+.4} %", wager.mean * 100.0)),
            plain(format!("{:.4} %", wager.error * 100.0)),
            plain(value(at).map_or(String::new(), |value| percent(&value, 4))),
        ];
        if tally.paths {
            row.push(plain(format!("{:.2} units", wager.mean_fall)));
            row.push(plain(format!("{:.2} units", wager.deepest_fall)));
        }
        table.add_row(row);
    }
    text += &lines(&mut table, &[]);
    text + &streaks(tally)
}

fn shown_json(
    asked: &Asked,
    tally: &Tally,
    figures: &Figures,
    value: &dyn Fn(usize) -> Option<RBig>,
) -> Json {
    let wager = |(at, wager): (usize, &odds::WagerFigures)| {
        let mut row = json!({
            "wager": wager.spot.key(),
            "mean": wager.mean,
            "error_99": wager.error,
            "exact": value(at).map(|value| number(&value, 12)),
        });
        if tally.paths {
            row["mean_fall"] = wager.mean_fall.into();
            row["deepest_fall"] = wager.deepest_fall.into();
        }
        row
    };
    json!({
        "asked": asked,
        "shoes": tally.shoes,
        "coups": tally.coups,
        "rounds_a_shoe": figures.rounds_a_shoe,
        "rounds_error_99": figures.rounds_error,
        "cards_a_coup": figures.cards_a_coup,
        "wagers": figures.wagers.iter().enumerate().map(wager).collect::<Vec<_>>(),
        "rounds": tally.rounds,
        "streaks": { "player": tally.streaks[0], "banker": tally.streaks[1] },
    })
}

/// Streaks a shoe, by length.
fn streaks(tally: &Tally) -> String {
    let mut text = String::from("streaks a shoe, by length, ties passed over\n");
    for (side, counts) in ["Player", "Banker"].iter().zip(&tally.streaks) {
        let each = counts.iter().enumerate().skip(1).take(9);
        #[expect(clippy::cast_precision_loss, reason = "figures for people")]
        let each = each.map(|(length, count)| {
            format!("{length}: {:.2}", *count as f64 / tally.shoes.max(1) as f64)
        });
        text += &format!("  {side}  {}\n", each.collect::<Vec<_>>().join("  "));
    }
    text
}
