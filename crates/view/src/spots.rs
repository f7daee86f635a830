//! The spots of the layout: what each pays, its limits, and what lies there.

use rules::{Clause, Group, Rulebook, Side, Spot};
use serde::{Deserialize, Serialize};
use table::{Limits, State, Table, Wager};

use crate::Word;
use crate::eyes::{Eyes, Matter, called};

/// What a spot pays in one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PaysView {
    /// The case, in words.
    pub when: String,
    /// The price, such as `8:1` or `1:1 less 5%`.
    pub price: String,
    /// The clause that sets it.
    #[schemars(with = "String")]
    pub clause: Clause,
}

/// Minimum, maximum and step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LimitsView {
    /// The group of wagers.
    #[schemars(with = "String")]
    pub group: Group,
    /// The minimum.
    pub least_cents: u64,
    /// The maximum.
    pub most_cents: u64,
    /// The step that wagers must be a multiple of, if there is one.
    pub step_cents: Option<u64>,
}

/// A wager on the layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LaidView {
    /// The player: the name, or the place.
    pub player: String,
    /// Whether it is the player who looks.
    pub mine: bool,
    /// The spot.
    #[schemars(with = "String")]
    pub spot: Spot,
    /// The place.
    pub place: u32,
    /// The stake.
    pub stake_cents: u64,
    /// Whether staff have not noticed a fault in it; only the auditor sees this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unnoticed: Option<bool>,
}

/// A spot of the layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SpotView {
    /// The word for it in the language.
    #[schemars(with = "String")]
    pub spot: Spot,
    /// Its name in the book.
    pub name: String,
    /// The group whose limits apply.
    #[schemars(with = "String")]
    pub group: Group,
    /// The hand that it is on, if it is on one: `player` or `banker`.
    pub hand: Option<Word>,
    /// The clause by which it is offered.
    #[schemars(with = "String")]
    pub clause: Clause,
    /// What it pays.
    pub pays: Vec<PaysView>,
    /// The limits on the sign, if there are any.
    pub limits: Option<LimitsView>,
    /// What lies there.
    pub laid: Vec<LaidView>,
    /// The sum of what lies there.
    pub laid_cents: u64,
}

/// The spots that a table offers, in the order of the layout: the pairs of a hand stand beside it,
/// other side bets below.
#[must_use]
pub fn layout(book: &Rulebook, table: &State) -> Vec<Spot> {
    let terms = table.terms();
    let sides = book
        .spots()
        .into_iter()
        .filter(|spot| matches!(spot, Spot::Side(_)) && book.offers(*spot, terms).is_ok());
    let mut sides: Vec<Spot> = sides.collect();
    let on_pairs = |spot: &&Spot| match spot {
        Spot::Side(key) => book.side_bet(*key, terms).is_some_and(|(_, bet)| bet.is_on_pairs()),
        Spot::Banker | Spot::Player | Spot::Tie => false,
    };
    let first = sides.iter().find(on_pairs).and_then(|spot| book.group(*spot));
    let mut beside = |side: Side| {
        let on = |spot: &Spot| book.side(*spot) == Some(side) && book.group(*spot) == first;
        sides.iter().position(on).map(|at| sides.remove(at))
    };
    let (player, banker) = (beside(Side::Player), beside(Side::Banker));
    // Within a group, what is on Player comes first as it does on the layout.
    sides.sort_by_key(|spot| {
        let group = book.groups().iter().position(|group| book.group(*spot) == Some(*group));
        (group, book.side(*spot) != Some(Side::Player))
    });
    let main = [player, Some(Spot::Player), Some(Spot::Tie), Some(Spot::Banker), banker];
    main.into_iter().flatten().chain(sides).collect()
}

/// Limits, for a reader.
pub(crate) fn limits_view(group: Group, limits: Limits) -> LimitsView {
    LimitsView {
        group,
        least_cents: limits.least.get(),
        most_cents: limits.most.get(),
        step_cents: limits.step.map(rules::Cents::get),
    }
}

/// A wager on the layout.
pub(crate) fn laid_view(eyes: &Eyes, table: &State, wager: &Wager) -> LaidView {
    let name = &table.player(wager.player).name;
    LaidView {
        player: called(eyes, table, wager.player),
        mine: eyes.is(name),
        spot: wager.spot,
        place: wager.place,
        stake_cents: wager.stake.get(),
        unnoticed: eyes.may_see(Matter::Unnoticed, name).then_some(wager.unnoticed),
    }
}

/// The spots of a table.
pub(crate) fn spots_view(eyes: &Eyes, table: &Table) -> Vec<SpotView> {
    let (book, terms) = (table.book(), table.terms());
    let view = |spot: Spot| {
        let group = table.group(spot);
        let lie = || table.wagers().iter().filter(move |wager| wager.spot == spot);
        let pays = book.pays(spot, terms).into_iter().map(|(when, price)| PaysView {
            when,
            price: price.value.to_string(),
            clause: price.clause,
        });
        Some(SpotView {
            spot,
            name: book.spot_name(spot).to_owned(),
            group,
            hand: book.side(spot).map(|side| side.key().into()),
            clause: book.offers(spot, terms).ok()?,
            pays: pays.collect(),
            limits: table.limits(group).map(|limits| limits_view(group, limits)),
            laid: lie().map(|wager| laid_view(eyes, table, wager)).collect(),
            laid_cents: lie().map(|wager| wager.stake.get()).sum(),
        })
    };
    layout(book, table).into_iter().filter_map(view).collect()
}
