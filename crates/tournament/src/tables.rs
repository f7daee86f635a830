//! The rules of the table in a tournament: the tournament's own rules come before them.

use rules::book::{BothSides, Face, OverMaximum, Prevails, ThirdCards, Turning};
use rules::{Cited, Ground, Rulebook};

use crate::conditions::Conditions;

/// The book that governs the tables of a tournament.
pub(crate) fn at_the_tables(book: &Rulebook, conditions: Option<&Conditions>) -> Rulebook {
    let mut table = book.clone();
    let Some(wagers) = &book.tournament_wagers else { return table };
    // The tournament itself checks that all players have wagered, secretly or not.
    table.no_bet.optional_coups = None;
    if let Some(rule) = wagers.player_cards {
        // The tournament itself passes the cards, in its own order.
        let deal = &mut table.deal;
        deal.face = Cited { value: Face::EachRound, clause: rule.clause };
        deal.turned_by = Cited { value: Turning::AsDetermined, clause: rule.clause };
        deal.player_cards_to = Some(Ground { clause: rule.clause });
        deal.banker_cards_to = wagers.banker_cards;
        (deal.refused, deal.lowest_seat_first, deal.one_hand_at_a_time) = (None, None, None);
        if let Some(third) = wagers.third_cards {
            let (value, clause) = (ThirdCards::AsTheFirstFour, third.clause);
            deal.third_cards = Some(Cited { value, clause });
        }
    }
    if let Some(rule) = wagers.one_side {
        let clause = wagers.never_both.map_or(rule.clause, |never| never.clause);
        table.wagers.both_sides = Cited { value: BothSides::Never, clause };
    }
    if let Some(rule) = wagers.over_maximum {
        let value = OverMaximum::ToTheMaximum;
        table.limits.over_maximum = Some(Cited { value, clause: rule.clause });
    }
    let prevail = book.tournament.as_ref().and_then(|rules| rules.prevails);
    let stated = conditions.and_then(|conditions| conditions.both_sides);
    if let (Some(rule), Some(both)) = (prevail, stated)
        && rule.value == Prevails::Conditions
    {
        let value = if both { BothSides::Allowed } else { BothSides::Never };
        table.wagers.both_sides = Cited { value, clause: rule.clause };
    }
    table
}
