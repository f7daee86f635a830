//! Every line of the language is read, and a line that is not says what could stand there.

/// One line of every form, in the words of a dealer.
const LINES: &str = "
operator opens act-2018 with settlement=half-on-six, pairs=canberra, dragon, decks=8, seats=9
operator opens act-2018 with face=down
OPERATOR   Opens act-2018   with settlement=commission
operator opens vic-2005 with base=act-2018, dragon
operator posts main 10..1000 by 5
operator posts tie 5..100
operator posts differential 500
operator posts liability 2000
operator posts chips 2.50 5 25 100
operator permits 3 on an area
operator caps areas at 500
operator sets face=down
operator gives notice of main 20..500 in 30m
operator gives notice of differential 100
operator gives notice of settlement=half-on-six
operator gives notice of closing
operator allows Ann main 10..5000
operator voids the coup because the lights went out
operator invalidates the coup because of a fire
operator voids Ann's wagers because of cheating
operator excludes Ann because of cheating
operator requires seat 3
operator replaces the cards
operator closes the table
Ann sits at 3 with 500
Ann stands behind 3 with 200
Ann bets 50 on banker
Ann bets 2.50 on banker-pair at 3 unnoticed
Ann bets 50 on banker in error
Ann calls 50 on banker
Ann calls 50 on banker with chips
Ann takes back banker
Ann moves 50 from banker to player
Ann waives dragon
Ann asks for a no-bet coup
Ann agrees
Ann objects
Ann asks for face down
Ann asks for a riffle
Ann inspects the cards
Ann cuts at 120
Ann declines the cut
Ann refuses the cards
Ann turns the player cards
Ann turns the player cards 3h 3c
Ann turns the player third card 5h
Ann disputes coup 3
Ann leaves
players consent
dealer checks the cards
dealer shuffles
dealer riffles
dealer introduces pre-shuffled cards
dealer offers the cut to Ann
dealer places the cutting card at 14
dealer burns 5h
dealer burns unseen
dealer skips the burn
dealer calls no more bets
dealer reduces banker
dealer deals 3h Kd 3c 2s
dealer deals ?? ?? ?? ??
dealer draws 5h to player
dealer draws ?? to banker face down
dealer draws 5h in excess
dealer draws ?? in excess face down
dealer finds 5h face up
dealer passes the player cards to Ann
dealer turns the player cards 3h 3c
supervisor approves both sides for Ann
management approves five coups
supervisor directs a no-bet coup
supervisor directs a shuffle
inspector cuts at 150
supervisor reconstructs the coup
supervisor cannot reconstruct the coup
supervisor permits changes
supervisor informs surveillance
supervisor decides: Ann is right
supervisor voids the coup because of a misdeal
supervisor finds an error in coup 3
supervisor resumes
cutting card appears
cutting card shows
shoe runs out
fresh shoe
clock 20:15
clock +30m
expect accepted
expect refused
expect refused 4.6(b)
expect cites vic-2005 10.1
expect cites \"Void\"
expect player 6 banker 7
expect result void
expect Ann wins 95 on banker
expect Ann keeps 50 on player
expect Ann has 595
expect Ann advised 3.4
expect Ann returned 50
expect Ann returned 50 on banker
expect cut offered to Ann
expect cards to Ann
expect calls \"No more bets\"
expect no-bet coup
expect last coup
expect shuffle
# a comment, and nothing else
";

#[test]
fn every_line_of_the_language_is_read() {
    if let Err(faults) = transcript::play(LINES) {
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        panic!("{}", faults.join("\n"));
    }
}

#[test]
fn all_lines_that_cannot_be_read_are_told_with_what_could_stand_there() {
    let faults =
        transcript::play("dealer deals 3h Kd 3c\nAnn bets 50 on bank\ndealer draws 1h to player\n");
    let faults: Vec<_> = faults.unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "1:22: the line ends too early; here could stand a card such as Th, or ??",
            "2:16: `bank` is not understood; here could stand a spot: banker, player, tie, \
             banker-pair, player-pair, banker-dragon, player-dragon",
            "3:14: `1h` is not understood: a card is a rank `A 2 3 4 5 6 7 8 9 T J Q K` and a suit \
             `h d c s`, such as `Th`; here could stand a card such as Th, or ??",
        ]
    );
}
