//! The tableaux of all books, cell by cell, against a closed form.

use rules::{Action, Card, Rank, Suit};

/// Player draws on 5 or less.
fn player_draws(total: u8) -> bool {
    total <= 5
}

/// Banker draws on 5 or less if Player stood. Otherwise on at most 3 and half of Player's third
/// card, where 8 and 9 count as 2 and 1 below zero and halves are cut off.
fn banker_draws(total: u8, third: Option<u8>) -> bool {
    match third {
        None => total <= 5,
        Some(third) => {
            let third = i8::try_from(third).unwrap();
            let signed = if third >= 8 { third - 10 } else { third };
            i8::try_from(total).unwrap() <= 3 + signed / 2
        }
    }
}

fn action(draws: bool) -> Action {
    if draws { Action::Draw } else { Action::Stand }
}

#[test]
fn all_decisions_of_all_books_agree_with_the_closed_form() {
    for book in crate::all_books() {
        let book = book.rulebook;
        let name = book.title.name();
        for total in 0..=7 {
            let found = book.player_acts(total).value;
            assert_eq!(found, action(player_draws(total)), "{name}: Player with {total}");
            let mut cells = 0;
            for third in Rank::ALL {
                let card = Card::new(third, Suit::Spades);
                let count = if third as u8 >= 9 { 0 } else { third as u8 + 1 };
                let found = book.banker_acts(total, Some(card)).value;
                let wanted = action(banker_draws(total, Some(count)));
                assert_eq!(found, wanted, "{name}: Banker with {total} against {card}");
                cells += 1;
            }
            let found = book.banker_acts(total, None).value;
            assert_eq!(found, action(banker_draws(total, None)), "{name}: Banker with {total}");
            // Thirteen ranks are ten counts: with "Player stood" eleven cells a row, 88 in all.
            assert_eq!(cells, 13);
        }
        for total in 0..=9 {
            assert_eq!(book.is_natural(total), total >= 8, "{name}: {total}");
        }
    }
}

/// Plays every coup of point counts (each count once, as cards of one suit) and checks that the
/// cards drawn, the totals and the outcome are those of the closed form.
#[test]
fn every_coup_of_point_counts_is_played_as_the_closed_form_says() {
    let terms = rules::Terms::main(rules::Method::commission());
    let card = |count: u8| {
        let rank = if count == 0 { Rank::King } else { Rank::ALL[usize::from(count) - 1] };
        Card::new(rank, Suit::Clubs)
    };
    let books = crate::all_books();
    for code in 0..1_000_000_u32 {
        let digit = |place: u32| u8::try_from(code / 10_u32.pow(place) % 10).unwrap();
        let (player, banker) = ((digit(0) + digit(2)) % 10, (digit(1) + digit(3)) % 10);
        let mut used = 4;
        let (mut player_total, mut banker_total) = (player, banker);
        if player < 8 && banker < 8 {
            let third = player_draws(player).then(|| digit(4));
            if let Some(third) = third {
                player_total = (player + third) % 10;
                used += 1;
            }
            if banker_draws(banker, third) {
                banker_total = (banker + digit(u32::try_from(used).unwrap())) % 10;
                used += 1;
            }
        }
        // Codes that differ only in cards that are not dealt are one coup.
        if (used..6).any(|unused| digit(u32::try_from(unused).unwrap()) != 0) {
            continue;
        }
        let cards: Vec<_> = (0..used).map(|i| card(digit(u32::try_from(i).unwrap()))).collect();
        let book = &books[usize::try_from(code).unwrap() % books.len()].rulebook;
        let coup = book.play(&terms, &cards, &[]).unwrap();
        let score = (coup.score.player.total, coup.score.banker.total);
        assert_eq!(score, (player_total, banker_total), "{} {cards:?}", book.title.name());
    }
}
