//! Snapshots of the screens, drawn from a seeded shoe.

use insta::assert_snapshot;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use rules::Cents;
use table::{Act, Deed, Name, SignLine};

use super::{Dealer, Hit, State, Theme, advance, draw, keys};
use crate::cli::Speed;
use crate::play::chance::Chance;
use crate::play::deal::{self, Cards};
use crate::play::desk::{Desk, Opening, all_offered};
use crate::play::seat::{Seat as _, Wait};

/// A table on a screen that is not there.
struct Seat {
    desk: Desk,
    state: State,
    terminal: Terminal<TestBackend>,
    _folder: tempfile::TempDir,
}

fn opening(book: &str, guests: usize, dealing: bool) -> Opening {
    let options = all_offered(&crate::books::load(book).expect("a book"));
    let (name, stack) = (Name::from("Ann").expect("a name"), Cents::new(100_000));
    let book = book.to_owned();
    let stack = stack.expect("an amount");
    let (keyed, world) = (false, live::World::real());
    Opening { book, options, name, stack, guests, dealing, keyed, world }
}

fn write_key(path: &std::path::Path) {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(path).expect("a key");
    file.write_all(&[7; 32]).expect("a key");
}

impl Seat {
    fn take(book: &str, (width, height): (u16, u16), guests: usize, dealing: bool) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut shoes = 4;
        let fill = move |bytes: &mut [u8]| {
            shoes += 1;
            bytes.copy_from_slice(&testkit::random_bytes(shoes, bytes.len())[..bytes.len()]);
        };
        let world = live::World::real().with_entropy(fill);
        let opening = Opening { world, ..opening(book, guests, dealing) };
        // The house's key is part of what it commits to, and so of the order of the cards.
        write_key(&folder.path().join("a.key"));
        let mut desk = Desk::open(&folder.path().join("a.sabot"), opening).expect("a table");
        desk.guests.chance = Chance::Seeded(7);
        let state = State::new(Theme::COLOURED, Speed::Instant, None);
        let terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen");
        let mut seat = Self { desk, state, terminal, _folder: folder };
        if dealing {
            seat.state.dealer = Some(Dealer { cards: Cards::System });
            seat.state.order = Some(String::new());
            seat.state.wait = Some(Wait::Wagers);
            deal::others(&mut seat.desk, Cards::System).expect("the others");
        } else {
            seat.settle();
        }
        seat
    }

    /// Lets the table go on until it waits.
    fn settle(&mut self) {
        while self.state.wait.is_none() && self.state.leaving.is_none() {
            advance(&mut self.desk, &mut self.state).expect("the table goes on");
        }
    }

    fn press(&mut self, code: KeyCode) {
        keys::key(&mut self.desk, &mut self.state, KeyEvent::new(code, KeyModifiers::NONE))
            .expect("a key does no harm");
        self.settle();
    }

    fn keys(&mut self, typed: &str) {
        typed.chars().for_each(|key| self.press(KeyCode::Char(key)));
    }

    fn line(&mut self, typed: &str) {
        self.keys(typed);
        self.press(KeyCode::Enter);
    }

    fn screen(&mut self) -> String {
        let (desk, state) = (&self.desk, &mut self.state);
        self.terminal.draw(|frame| draw::draw(frame, desk, state)).expect("it is drawn");
        self.terminal.backend().to_string()
    }

    fn click(&mut self, wanted: Hit, button: MouseButton) {
        self.screen();
        let hits = &self.state.hits;
        let (area, _) = hits.iter().find(|(_, hit)| *hit == wanted).expect("it is on the screen");
        let event = MouseEvent {
            kind: MouseEventKind::Down(button),
            column: area.x,
            row: area.y,
            modifiers: KeyModifiers::NONE,
        };
        keys::mouse(&mut self.desk, &mut self.state, event).expect("a click does no harm");
        self.settle();
    }
}

const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (160, 50);

#[test]
fn the_cut_is_asked_for_on_a_small_screen() {
    assert_snapshot!(Seat::take("act-2018", SMALL, 2, false).screen());
}

#[test]
fn wagers_and_a_refusal_on_a_small_screen() {
    let mut seat = Seat::take("act-2018", SMALL, 2, false);
    seat.press(KeyCode::Enter);
    seat.keys("231");
    seat.press(KeyCode::Up);
    seat.keys("4");
    assert_snapshot!(seat.screen());
}

#[test]
fn a_coup_that_is_over_on_a_small_screen() {
    let mut seat = Seat::take("act-2018", SMALL, 2, false);
    seat.press(KeyCode::Enter);
    seat.keys("23d");
    (0..20).for_each(|_| seat.keys("rd"));
    assert_snapshot!(seat.screen());
}

#[test]
fn the_reasons_on_a_small_screen() {
    let mut seat = Seat::take("act-2018", SMALL, 0, false);
    seat.press(KeyCode::Enter);
    seat.keys("2dw");
    seat.press(KeyCode::Down);
    assert_snapshot!(seat.screen());
}

#[test]
fn cards_in_hand_are_squeezed() {
    let mut seat = Seat::take("act-2018", SMALL, 0, false);
    seat.press(KeyCode::Enter);
    seat.desk.act(Act::Post(SignLine::FaceDown(true))).expect("a log").expect("lawful");
    seat.keys("2ds");
    assert_snapshot!("squeezed_once", seat.screen());
    seat.keys("s");
    assert_snapshot!("squeezed_twice", seat.screen());
    seat.keys("s");
    assert_snapshot!("turned", seat.screen());
}

#[test]
fn a_dealer_draws_to_the_wrong_hand() {
    let mut seat = Seat::take("nz-1998", SMALL, 3, true);
    for line in ["", "", "", "", "", "", "", "", "", "draws to player"] {
        seat.line(line);
    }
    assert_snapshot!(seat.screen());
}

#[test]
fn a_large_screen_is_used_well() {
    let mut seat = Seat::take("act-2018", LARGE, 3, false);
    seat.press(KeyCode::Enter);
    seat.keys("21d");
    (0..30).for_each(|_| seat.keys("rd"));
    assert_snapshot!(seat.screen());
}

/// The numbers in a text.
fn numbers(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    words.filter(|word| !word.is_empty()).collect()
}

#[test]
fn no_amount_is_cut_into_another() {
    let pieces = ["◉ 1000 ", "+950.50 won ", "others 205"];
    let (all, limits) = (numbers(&pieces.concat()).join(" "), "1:1 to 30:1 5–100.50");
    for room in 0..40 {
        let line = draw::whole(pieces.into_iter().map(ratatui::text::Span::raw), room);
        let line: String = line.iter().map(|span| span.content.as_ref()).collect();
        let line = line.trim_end();
        assert!(line.chars().count() <= room.max(1), "{room}: {line}");
        assert!(all.starts_with(&numbers(line).join(" ")), "{room}: {line}");
        assert_eq!(line.ends_with('…'), room < 29, "{room}: {line}");
        let limits_in_room = draw::shortened(limits, room);
        let whole = numbers(limits).join(" ");
        assert!(whole.starts_with(&numbers(&limits_in_room).join(" ")), "{room}");
        assert!(numbers(&limits_in_room).iter().all(|n| numbers(limits).contains(n)), "{room}");
    }
}

#[test]
fn wagers_that_do_not_fit_beside_the_table_are_left_out() {
    let mut seat = Seat::take("act-2018", (120, 38), 3, false);
    seat.press(KeyCode::Enter);
    let screen = seat.screen();
    assert!(screen.contains("4 Chen          1950  BANKER 30 …     │"), "{screen}");
}

#[test]
fn every_book_has_its_own_felt() {
    for book in rulebooks::ids().into_iter().filter(|id| *id != "act-2018") {
        let mut seat = Seat::take(book, SMALL, 1, false);
        seat.press(KeyCode::Enter);
        seat.keys("1d");
        assert_snapshot!(format!("felt_of_{}", book.replace('-', "_")), seat.screen());
    }
}

#[test]
fn a_screen_that_is_too_small_says_so() {
    assert_snapshot!(Seat::take("act-2018", (60, 12), 0, false).screen());
}

#[test]
fn without_colour_nothing_is_lost() {
    let mut seat = Seat::take("act-2018", SMALL, 2, false);
    seat.press(KeyCode::Enter);
    seat.keys("23d");
    let coloured = seat.screen();
    seat.state.theme = Theme::PLAIN;
    assert_eq!(seat.screen(), coloured, "the letters and shapes are the same");
    let plain = seat.terminal.backend().buffer().content().iter();
    assert!(plain.clone().all(|cell| cell.fg == ratatui::style::Color::Reset), "a colour is left");
}

#[test]
fn the_mouse_places_chips_and_asks_why() {
    let mut seat = Seat::take("act-2018", SMALL, 0, false);
    seat.press(KeyCode::Enter);
    seat.click(Hit::Chip(3), MouseButton::Left);
    seat.click(Hit::Spot(rules::Spot::Banker), MouseButton::Left);
    assert_eq!(seat.desk.mine().first().map(|(_, stake)| stake.get()), Some(10_000));
    seat.click(Hit::Spot(rules::Spot::Banker), MouseButton::Right);
    assert!(seat.screen().contains("a win pays"), "{}", seat.screen());
    seat.press(KeyCode::Esc);
    seat.click(Hit::Order("deal"), MouseButton::Left);
    assert_eq!(seat.desk.table().coups(), 1);
}

#[test]
fn chips_go_back_as_they_came() {
    let mut seat = Seat::take("act-2018", SMALL, 0, false);
    seat.press(KeyCode::Enter);
    let before = seat.desk.my_stack();
    seat.keys("2233");
    seat.keys("x");
    let stakes: Vec<_> = seat.desk.mine().iter().map(|(_, stake)| stake.get()).collect();
    assert_eq!(stakes, [10_000, 10_000], "double");
    seat.keys("uuuuuu");
    assert_eq!(seat.desk.my_stack(), before, "undone to the last chip");
    assert_eq!(seat.desk.mine().len(), 0);
    seat.keys("23dr");
    assert_eq!(seat.desk.mine().len(), 2, "rebet");
    seat.keys("c");
    assert_eq!(seat.desk.mine().len(), 0, "cleared");
}

#[test]
fn a_clear_is_undone_as_a_whole() {
    let mut seat = Seat::take("act-2018", SMALL, 0, false);
    seat.press(KeyCode::Enter);
    seat.keys("22234");
    let wagers = |seat: &Seat| -> Vec<_> {
        seat.desk.mine().iter().map(|(spot, stake)| (*spot, stake.get())).collect()
    };
    let before = wagers(&seat);
    seat.keys("c");
    assert_eq!(wagers(&seat), []);
    seat.keys("u");
    assert_eq!(wagers(&seat), before, "undone");
    seat.keys("cu");
    assert_eq!(wagers(&seat), before, "and again");
    seat.keys("uuuuu");
    assert_eq!(wagers(&seat), [], "what was placed before can still be undone");
    assert_eq!(seat.desk.my_stack().get(), 100_000);
}

#[test]
fn what_cannot_be_taken_back_is_asked_first() {
    let mut seat = Seat::take("act-2018", SMALL, 0, false);
    seat.press(KeyCode::Enter);
    seat.keys("5dr");
    let (stack, wagers) = (seat.desk.my_stack(), seat.desk.mine().len());
    for typed in ["n", "n2un", "n", "$", "un", "L", "uL"] {
        seat.keys(typed);
        assert!(!seat.desk.table().is_no_bet(), "{typed}: nobody was asked");
        assert_eq!(seat.state.leaving, None, "{typed}");
        seat.keys("?");
        seat.press(KeyCode::Esc);
    }
    assert!(seat.desk.mine().len() <= wagers, "{}", seat.screen());
    seat.keys("c$");
    assert_ne!(seat.desk.my_stack().get(), 100_000, "{stack} is not given away by one key");
    seat.keys("$");
    assert_eq!(seat.desk.my_stack().get(), 100_000);
    seat.keys("nn");
    assert!(seat.desk.table().is_no_bet(), "said twice, it is done:\n{}", seat.screen());
}

#[test]
fn ctrl_and_alt_make_other_keys() {
    let mut seat = Seat::take("act-2018", SMALL, 0, false);
    seat.press(KeyCode::Enter);
    let before = seat.desk.log.len();
    for modifiers in [KeyModifiers::CONTROL, KeyModifiers::ALT, KeyModifiers::SUPER] {
        for key in "2dnrxcq$L:w? ".chars() {
            if (modifiers, key) == (KeyModifiers::CONTROL, 'c') {
                continue;
            }
            let event = KeyEvent::new(KeyCode::Char(key), modifiers);
            keys::key(&mut seat.desk, &mut seat.state, event).expect("a key does no harm");
            let (page, order) = (seat.state.page.is_some(), seat.state.order.is_some());
            assert!(!page && !order && seat.state.reasons.is_none(), "{modifiers:?} {key}");
            assert_eq!(seat.state.leaving, None, "{modifiers:?} {key}");
        }
    }
    assert_eq!(seat.desk.log.len(), before, "nothing happened and nothing was said");
    // Esc and a key that came together close a page, and do nothing else.
    for opens in ["?", "w"] {
        seat.keys(opens);
        let event = KeyEvent::new(KeyCode::Char('d'), KeyModifiers::ALT);
        keys::key(&mut seat.desk, &mut seat.state, event).expect("a key does no harm");
        assert!(seat.state.page.is_none() && seat.state.reasons.is_none(), "{opens}");
        assert_eq!(seat.desk.log.len(), before, "{opens}");
    }
    let end = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    keys::key(&mut seat.desk, &mut seat.state, end).expect("a key does no harm");
    assert!(seat.state.leaving.is_some(), "Ctrl-C quits");
}

#[test]
fn a_window_that_is_too_small_takes_no_bets() {
    let mut seat = Seat::take("act-2018", SMALL, 0, false);
    seat.press(KeyCode::Enter);
    seat.screen();
    seat.terminal.backend_mut().resize(70, 20);
    seat.terminal.resize(ratatui::layout::Rect::new(0, 0, 70, 20)).expect("a smaller screen");
    assert!(seat.screen().contains("nothing is bet or dealt"), "{}", seat.screen());
    seat.keys("22d?:nn$$LL");
    seat.press(KeyCode::Enter);
    assert_eq!((seat.desk.mine().len(), seat.desk.table().coups()), (0, 0));
    assert!(seat.state.page.is_none() && seat.state.order.is_none());
    assert_eq!(seat.state.leaving, None);
    seat.terminal.backend_mut().resize(80, 24);
    seat.terminal.resize(ratatui::layout::Rect::new(0, 0, 80, 24)).expect("a larger screen");
    seat.screen();
    seat.keys("2");
    assert_eq!(seat.desk.mine().len(), 1, "{}", seat.screen());
    seat.terminal.backend_mut().resize(70, 20);
    seat.terminal.resize(ratatui::layout::Rect::new(0, 0, 70, 20)).expect("a smaller screen");
    seat.screen();
    seat.keys("q");
    assert!(seat.state.leaving.is_some(), "q quits, as the small screen says");
}

#[test]
fn what_a_dealer_types_over_a_page_is_not_lost() {
    let mut seat = Seat::take("nz-1998", SMALL, 3, true);
    for opens in ["help", "sign", "why", "roads"] {
        seat.line(opens);
        assert!(seat.state.page.is_some(), "{opens}");
        seat.press(KeyCode::Down);
        assert!(seat.state.page.is_some(), "{opens}: arrows read on");
        seat.keys("jack k");
        assert!(seat.state.page.is_none(), "{opens}");
        assert_eq!(seat.state.order.as_deref(), Some("jack k"), "{opens}");
        seat.press(KeyCode::Esc);
    }
    seat.line("help");
    seat.press(KeyCode::Esc);
    assert!(seat.state.page.is_none());
}

/// Any keys, in any order, at any moment: the session verifies and balances.
#[test]
fn random_keys_do_no_harm() {
    for (seed, book) in (1..).zip(rulebooks::ids()) {
        let mut seat = Seat::take(book, SMALL, 2, false);
        let all: Vec<char> =
            "12345672222ddddddddddrxucnn$$stowgbpl:?f \u{8}\n\t09%é".chars().collect();
        let bytes = testkit::random_bytes(seed, 3000);
        for byte in bytes {
            let key = all[usize::from(byte) % all.len()];
            let code = match key {
                '\n' => KeyCode::Enter,
                '\u{8}' => KeyCode::Backspace,
                '\t' => [KeyCode::Left, KeyCode::Right, KeyCode::Up, KeyCode::Esc, KeyCode::Tab]
                    [usize::from(byte / 64)],
                key => KeyCode::Char(key),
            };
            seat.press(code);
            if byte % 16 == 0 {
                seat.screen();
            }
            // Esc quits; this person stays.
            seat.state.leaving = None;
        }
        let me = seat.desk.me;
        let screen = seat.screen();
        assert!(seat.desk.table().coups() > 10, "{book}: the table went on\n{screen}");
        let deed = Deed::Leave;
        let _ = seat.desk.act(Act::Player(me, deed)).expect("a log");
        let tasks = crate::play::runtime().expect("tasks");
        let log = seat.desk.client.store().path().to_path_buf();
        seat.desk.close().expect("it closes");
        let found = tasks.block_on(async {
            let store = store::Store::read_only(&log).await.expect("a log");
            assert!(store.verify(None).await.expect("it is read").broken.is_empty());
            audit::audit(&store.records(crate::data::STREAM, 0).await.expect("records"))
        });
        assert_eq!(found.expect("it is read").findings, [], "{book}");
    }
}
