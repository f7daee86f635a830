//! What is said can be read: every act that has words comes back from its line as it was.

use table::{Act, By, Command, Table};
use testkit::{Choices, all_books, any_command, random_bytes};
use transcript::{Said, say, understand};

#[test]
fn every_act_comes_back_from_its_line() {
    let mut said = 0;
    for (seed, book) in (1..).zip(all_books()) {
        let bytes = random_bytes(seed, 60_000);
        let mut choices = Choices::new(&bytes);
        let mut table = Table::new(book);
        while !choices.is_empty() {
            let act = any_command(&mut choices, &table);
            if let Some(line) = say(By::usual(&act), &act, "act-2018@nz-1998") {
                let read = understand(&line);
                match (&act, read) {
                    (Act::Open(options), Ok(Said::Opening { book, base, options: read })) => {
                        assert_eq!((book.as_str(), base.as_deref()), ("act-2018", Some("nz-1998")));
                        assert_eq!(&read, options, "{line}");
                    }
                    (act, Ok(Said::Act(by, read))) => {
                        assert_eq!((by, &*read), (By::usual(act), act), "{line}");
                    }
                    (act, other) => panic!("{act:?} was said as `{line}` and read as {other:?}"),
                }
                said += 1;
            }
            for event in table.decide(&Command::new(0, act)).unwrap_or_default() {
                table.evolve(&event);
            }
        }
    }
    assert!(said > 10_000, "only {said} acts were said");
}
