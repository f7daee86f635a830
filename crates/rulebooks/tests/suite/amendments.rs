//! An amendment over its own base and over others.

use rules::book::Payable;
use rules::value::Notice;

#[test]
fn vic_2005_is_laid_over_tas_2013_and_each_book_is_cited_where_it_spoke() {
    let book = crate::load("vic-2005", None).rulebook;
    assert_eq!(book.title.name(), "vic-2005 over tas-2013");
    let dragon = &book.side_bets[0].tables[0].bets[0];
    assert_eq!(dragon.rows[0].clauses[0].to_string(), "vic-2005 10.1");
    assert_eq!(book.methods[0].rules.banker.clause.to_string(), "tas-2013 12.2");
    // Both conditions hold for a higher minimum.
    assert_eq!(book.limits.change.unwrap().value, Notice::Minutes(30));
    assert_eq!(book.limits.higher_minimum.unwrap().value, Notice::Minutes(20));
}

#[test]
fn vic_2005_goes_over_every_principal_book() {
    for base in rulebooks::ids().into_iter().filter(|id| *id != "vic-2005") {
        let book = crate::load("vic-2005", Some(base)).rulebook;
        assert_eq!(book.title.name(), format!("vic-2005 over {base}"));
        assert_eq!(book.limits.payable.unwrap().value, Payable::AnyMayBeRefused);
        assert_eq!(book.limits.payable.unwrap().clause.to_string(), "vic-2005 6.6");
        // Where the amendment is silent the base speaks on.
        let decks = book.cards.decks.clause;
        assert_eq!(decks.book(), base);
    }
    let over_act = crate::load("vic-2005", Some("act-2018")).rulebook;
    let dragon = rules::Key::new("dragon").unwrap();
    let dragon = over_act.side_bets(dragon).unwrap();
    assert_eq!(dragon.rules.opportunity.unwrap().clause.to_string(), "act-2018 12.6");
}

#[test]
fn a_principal_book_is_laid_over_nothing() {
    let error = rulebooks::load("act-2012", Some("nz-1998")).unwrap_err();
    let message = "act-2012 is a rulebook of its own and is not laid over nz-1998";
    assert_eq!(error.to_string(), message);
    let error = rulebooks::load("vic-2005", Some("vic-2005")).unwrap_err().to_string();
    assert!(error.contains("the base vic-2005 is an amendment itself"), "{error}");
    let error = rulebooks::load("vic-2005", Some("nsw-1999")).unwrap_err().to_string();
    assert!(error.contains("there is no rulebook `nsw-1999`; there are act-2012"), "{error}");
}

#[test]
fn equal_books_have_equal_hashes_and_different_ones_do_not() {
    let hashes: Vec<_> = crate::all_books().iter().map(rulebooks::Book::sha256).collect();
    let again: Vec<_> = crate::all_books().iter().map(rulebooks::Book::sha256).collect();
    assert_eq!(hashes, again);
    for (i, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..i].contains(hash));
    }
}
