//! Every line of the language is read, and a line that is not says what could stand there.

use table::Act;
use transcript::{Judge, Ruled, Said, Shelf, play, understand};

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
operator caps areas
operator caps areas for Ann
operator lifts the cap
operator sets face=down
operator gives notice of main 20..500 in 30m
operator gives notice of differential 100
operator gives notice of settlement=half-on-six
operator gives notice of closing
operator allows Ann main 10..5000
operator voids the coup because the lights went out
operator invalidates the coup because of a fire
operator voids Ann's wagers because of cheating
operator voids Ann's wagers in coup 3 because of cheating
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
supervisor approves a riffle
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
supervisor reconstructs the coup in the order 3h Kd 3c 2s
supervisor reconstructs the coup in the order 3h Kd 3c 2s 10h As
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

/// What dealers and players say, and the same in the words of the table of forms.
const PLAIN: [(&str, &str); 23] = [
    ("dealer deal 3h Kd 3c 2s", "dealer deals 3h Kd 3c 2s"),
    ("deal 3h Kd 3c 2s", "dealer deals 3h Kd 3c 2s"),
    ("dealer: deal 3h Kd 3c 10s", "dealer deals 3h Kd 3c Ts"),
    ("Deals ?? ?? ?? ??", "dealer deals ?? ?? ?? ??"),
    ("dealer burn 10h", "dealer burns Th"),
    ("burn unseen", "dealer burns unseen"),
    ("no more bets", "dealer calls no more bets"),
    ("No more bets", "dealer calls no more bets"),
    ("dealer no more bets", "dealer calls no more bets"),
    ("dealer: no more bets", "dealer calls no more bets"),
    ("dealer call no more bets", "dealer calls no more bets"),
    ("dealer draw 5h to player", "dealer draws 5h to player"),
    ("draw 5h in excess face down", "dealer draws 5h in excess face down"),
    ("dealer shuffle", "dealer shuffles"),
    ("dealer pass the player cards to O'Brien", "dealer passes the player cards to O’Brien"),
    ("supervisor: void the coup because of a fire", "supervisor voids the coup because of a fire"),
    ("supervisor decide: Ann is right", "supervisor decides: Ann is right"),
    ("inspector: resume", "inspector resumes"),
    ("operator exclude \"Mary Ann\" because of x", "operator excludes \"Mary  Ann\" because of x"),
    ("operator void James' wagers because of x", "operator voids James's wagers because of x"),
    ("Ann bet 50 on banker", "Ann bets 50 on banker"),
    ("Ann take back banker", "Ann takes back banker"),
    ("shoe run out", "shoe runs out"),
];

#[test]
fn verbs_may_be_said_plainly_and_the_dealer_need_not_be_named() {
    for (plain, formal) in PLAIN {
        let (plain, formal) = (understand(plain), understand(formal));
        assert!(matches!(plain, Ok(Said::Act(..))), "{plain:?}");
        assert_eq!(plain, formal);
    }
    // Who bears a verb's name is still a player.
    let leaves = understand("Deal leaves");
    assert!(matches!(leaves, Ok(Said::Act(_, act)) if matches!(*act, Act::Player(..))));
    assert!(understand("deal leaves 3h").is_err());
}

/// The rest of the transcript is judged all the same.
#[test]
fn a_line_that_cannot_be_read_is_a_fault_of_that_line_alone() {
    let judge = Judge { books: &Shelf::default(), under: None };
    let text = "operator opens act-2018\nAnn sits at 1 with 500\nAnn blinks\nexpect Ann has 500\n\
                expect accepted\nexpect nothing much\nexpect Ann has 400\nBo sits at 2 with 5\n\
                expect accepted\n";
    let played = judge.judge(text);
    let columns: Vec<_> = played.unreadable().map(|fault| (fault.line, fault.column)).collect();
    assert_eq!(columns, [(3, 5), (6, 16)]);
    let failed: Vec<_> =
        played.lines.iter().filter_map(|l| Some((l.line, l.failure.as_deref()?))).collect();
    assert_eq!(
        failed,
        [
            (5, "the line that it is about cannot be read"),
            (7, "wanted Ann has 400, got Ann has 500"),
        ]
    );
    assert!(!played.passed() && played.lines.len() == 9);
    let unknown = judge.judge("operator opens act-1999\noperator opens act-2018\n");
    assert_eq!(unknown.unreadable().map(|fault| fault.line).collect::<Vec<_>>(), [1]);
    assert!(unknown.lines[1].rulings.len() > 2);
}

#[test]
fn refusals_fail_only_a_file_that_expects_something() {
    let text = "operator opens act-2018\nAnn leaves\n";
    assert!(play(text).is_ok_and(|played| played.passed()));
    assert!(play(&format!("{text}expect refused\n")).is_ok_and(|played| played.passed()));
    for more in ["operator closes the table\nexpect accepted\n", "expect says \"nobody is\"\n"] {
        assert!(play(&format!("{text}{more}")).is_ok_and(|played| !played.passed()), "{more}");
    }
}

#[test]
fn an_option_that_is_said_twice_is_refused() {
    for (options, clause) in [
        ("pairs=perfect, pairs=canberra", Some("8.2")),
        ("dragon, dragon", Some("4.4(b)")),
        ("settlement=commission, settlement=half-on-six", Some("8.1")),
        ("decks=8, seats=7, decks=6", Some("2.1")),
        ("face=up, face=down", Some("2.2")),
    ] {
        let played = play(&format!("operator opens act-2018 with {options}\n")).unwrap_or_default();
        let refusal = played.lines[0].refusal.as_ref();
        let code = refusal.map(|refusal| refusal.code.key());
        let cited = refusal.and_then(|refusal| Some(refusal.clause?.number()));
        assert_eq!((code, cited), (Some("bad-option"), clause), "{options}");
        assert!(understand(&format!("operator opens act-2018 with {options}")).is_err());
    }
}

/// Another book wants other steps before the first card: it takes them, and play goes on.
#[test]
fn a_shoe_that_was_prepared_for_one_book_is_dealable_under_every_other() {
    let prepared = |book: &str| {
        let steps = match book {
            "nz-1998" => {
                "dealer checks the cards\nsupervisor checks the cards\ndealer shuffles\nAnn cuts \
                 at 208\ndealer places the cutting card at 20\ndealer burns 5h\n"
            }
            "tas-2013" => {
                "dealer checks the cards\ndealer shuffles\nAnn cuts at 208\ndealer places the \
                 cutting card at 7\n"
            }
            _ => {
                "dealer checks the cards\ndealer shuffles\ndealer offers the cut to Ann\nAnn cuts \
                 at 208\ndealer places the cutting card at 14\ndealer burns 5h\n"
            }
        };
        format!(
            "operator opens {book}\noperator posts main 10..1000\nAnn sits at 1 with 500\n{steps}\
             Ann bets 100 on player\nno more bets\ndeal 9h Kd Kc 7s\n"
        )
    };
    let books = rulebooks::principals();
    for (own, under) in books.iter().flat_map(|own| books.iter().map(move |under| (*own, *under))) {
        let played = Judge { books: &Shelf::default(), under: Some(under) }.judge(&prepared(own));
        let deal = played.lines.last().map(|line| line.said().join("\n")).unwrap_or_default();
        assert!(deal.contains("Ann wins 100 with 100 on player"), "{own} under {under}: {deal}");
        let notes: Vec<_> = played.lines.iter().flat_map(|line| &line.notes).collect();
        let told = notes.iter().any(|note| note.contains("prepared as"));
        let wants_more = ["nz-1998", "tas-2013"].contains(&under) && own.starts_with("act");
        assert!(told || !wants_more, "{own} under {under}: {notes:?}");
        assert!(!told || own != under, "{own} under itself: {notes:?}");
    }
}

#[test]
fn what_another_book_does_not_have_is_dropped_and_said_so() {
    let text = "operator opens act-2018 with pairs=perfect, dragon, settlement=half-on-six\n\
                operator posts dragon 10..100\noperator allows Ann pairs 5..50\n\
                operator gives notice of pairs 5..50\nAnn sits at 1 with 500\nfresh shoe\n\
                Ann bets 10 on banker-dragon\nAnn calls 10 on player-pair\n\
                Ann moves 10 from banker-dragon to player-dragon\nAnn waives dragon\n\
                operator gives notice of settlement=half-on-six\n";
    let played = Judge { books: &Shelf::default(), under: Some("nz-1998") }.judge(text);
    let dropped = played.lines.iter().map(|line| line.notes.len()).collect::<Vec<_>>();
    assert_eq!(dropped, [3, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1]);
    assert!(played.lines.iter().all(|line| line.refusal.is_none() && line.failure.is_none()));
}

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
        transcript::play("dealer deals 3h Kd 3c\nAnn bets 50 on 5\ndealer draws 1h to player\n");
    let faults: Vec<_> = faults.unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "1:22: the line ends too early; here could stand a card such as 9h, Th or 10h, or ??",
            "2:16: `5` is not understood; here could stand a spot: banker, player, tie, or a side \
             bet such as banker-pair",
            "3:14: `1h` is not understood: a card is a rank `A 2 3 4 5 6 7 8 9 T J Q K` and a suit \
             `h d c s`, such as `Th` or `10h`; here could stand a card such as 9h, Th or 10h, or \
             ??",
        ]
    );
}

/// Somebody at a table is told the likely words, not all that begin a line.
#[test]
fn of_many_words_that_could_stand_there_the_likely_ones_are_named() {
    let likely = |line: &str| {
        let why = transcript::understand(line).unwrap_err();
        (why.what(), why.likely())
    };
    let (what, instead) = likely("dealer dels 3h");
    assert_eq!(what, "`dels` is not understood");
    assert!(instead.starts_with("`deals`, "), "{instead}");
    assert!(instead.ends_with(" others"), "{instead}");
    assert_eq!(instead.matches('`').count(), 8, "{instead}");
    // A second word may belong to a name: that is not said with two times "or".
    let (_, instead) = likely("Ann blinks");
    assert!(!instead.contains("or or"), "{instead}");
    let (what, instead) = likely("dealer deals 3h");
    assert_eq!(
        (what.as_str(), instead.as_str()),
        ("the line ends too early", "a card such as 9h, Th or 10h, or ??")
    );
}

/// A corrected card that leaves every card where it is due puts nothing else right.
#[test]
fn a_correction_that_moves_no_card_says_nothing_of_the_others() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../transcripts/act-2012/tournament-corrected-at-once.coup"
    );
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let played = play(&text).unwrap_or_default();
    let corrected = |line: &&Ruled| line.said().iter().any(|said| said.contains("is 2c, not 3c"));
    let said = played.lines.iter().find(corrected).map(Ruled::said).unwrap_or_default();
    assert!(!said.is_empty());
    assert!(!said.iter().any(|said| said.contains("put right")), "{said:?}");
}
