//! Plots, as SVG or PNG by the ending of the file's name.

use std::path::Path;

use anyhow::{Context, Result, bail};
use kuva::plot::bar::BarPlot;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use odds::{Value, decimal};
use rules::Spot;

/// A fraction as a number to draw with.
fn number(value: &dashu_ratio::RBig) -> f64 {
    decimal(value, 12).parse().unwrap_or(0.0)
}

/// The house edge of several wagers; of one wager, what it brings and how often.
pub(crate) fn odds(path: &Path, title: &str, values: &[(Spot, Value)]) -> Result<()> {
    let mut bars = BarPlot::new().with_color("steelblue");
    let label = if let [(_, value)] = values {
        for (paid, chance) in value.payouts() {
            bars = bars.with_bar(decimal(&paid, 2), number(&chance) * 100.0);
        }
        ("what a unit brings", "how often, in per cent")
    } else {
        for (spot, value) in values {
            bars = bars.with_bar(spot.key(), number(&value.house_edge()) * 100.0);
        }
        ("wager", "house edge, in per cent of the stake")
    };
    write(path, title, label, bars)
}

/// How many shoes had how many rounds.
pub(crate) fn rounds(path: &Path, title: &str, counts: &[u64]) -> Result<()> {
    let first = counts.iter().position(|count| *count > 0).unwrap_or(0);
    let last = counts.iter().rposition(|count| *count > 0).unwrap_or(0);
    let mut bars = BarPlot::new().with_color("steelblue");
    for (rounds, count) in counts.iter().enumerate().take(last + 1).skip(first) {
        #[expect(clippy::cast_precision_loss, reason = "a bar of a picture")]
        let count = *count as f64;
        bars = bars.with_bar(rounds.to_string(), count);
    }
    write(path, title, ("rounds in a shoe", "shoes"), bars)
}

fn write(path: &Path, title: &str, (x, y): (&str, &str), bars: BarPlot) -> Result<()> {
    let plots: Vec<Plot> = vec![bars.into()];
    let layout = Layout::auto_from_plots(&plots)
        .with_title(title)
        .with_x_label(x)
        .with_y_label(y)
        .with_width(900.0)
        .with_height(500.0);
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
    let bytes = match ending.as_deref() {
        Some("svg") => kuva::render_to_svg(plots, layout).into_bytes(),
        Some("png") => kuva::render_to_png(plots, layout, 2.0)
            .map_err(|why| anyhow::anyhow!("the picture cannot be drawn: {why}"))?,
        _ => bail!("{} ends neither in .svg nor in .png", path.display()),
    };
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
