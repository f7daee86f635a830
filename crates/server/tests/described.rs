//! The description of the API and what is made from it.
//!
//! `SABOT_DOCS=write cargo test -p server --test described` writes the types of the page anew.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod house;

use std::path::Path;

use house::{House, quick};

const TYPES: &str = "web/src/lib/types.ts";

#[test]
fn the_types_of_the_page_are_those_of_the_server() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(TYPES);
    let made = server::openapi::typescript();
    if std::env::var_os("SABOT_DOCS").is_some_and(|said| said == "write") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &made).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == made, "{TYPES} is old; SABOT_DOCS=write writes it anew");
}

#[test]
fn everything_that_is_named_in_the_document_is_in_it() {
    fn references(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(fields) => {
                for (key, value) in fields {
                    match (key.as_str(), value.as_str()) {
                        ("$ref", Some(path)) => found.push(path.to_owned()),
                        _ => references(value, found),
                    }
                }
            }
            serde_json::Value::Array(items) => {
                for item in items {
                    references(item, found);
                }
            }

            _ => {}
        }
    }
    let document = server::openapi::document();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 50, "{}", found.len());
    for path in found {
        let at = path.strip_prefix('#').unwrap();
        assert!(document.pointer(at).is_some(), "{path} leads nowhere");
    }
}

/// The example of `docs/API.md`, as it stands there.
#[tokio::test(flavor = "multi_thread")]
async fn the_program_in_the_page_plays() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/API.md")).expect("the page is there");
    let (_, program) = page.split_once("```python\n").expect("it has a program");
    let (program, _) = program.split_once("```").expect("which ends");
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let python = tokio::process::Command::new("python3")
        .args(["-c", program])
        .env("SABOT", &house.address)
        .output();
    let python = tokio::time::timeout(std::time::Duration::from_mins(2), python).await;
    let output = python.expect("it ends").expect("python3 is there");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("played 3 coups"), "{said}");
    house.close().await;
}

/// Items of the bar.
const ITEMS: usize = 31;

/// Every item of the bar has a row in `docs/BAR.md`, and every row names tests that exist.
#[test]
fn every_promise_has_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/BAR.md")).expect("the page is there");
    let (mut items, mut open) = (std::collections::BTreeSet::new(), 0);
    for row in page.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [item, _, shown] = cells.as_slice() else { panic!("three cells: {row}") };
        items.insert(item.parse::<usize>().expect("a number"));
        if shown.contains("*open*") {
            open += 1;
            continue;
        }
        let named: Vec<_> = shown.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty() && named.len().is_multiple_of(2), "no test in {row}");
        for pair in named.chunks(2) {
            let [file, test] = pair else { panic!("a file and a test: {row}") };
            let source = std::fs::read_to_string(root.join(file)).unwrap_or_default();
            // A test of the page or a transcript is named by words of its own.
            let wanted = match file.rsplit('.').next() {
                Some("rs") => format!("fn {test}("),
                Some("py") => format!("def {test}("),
                _ => (*test).to_owned(),
            };
            assert!(source.contains(&wanted), "{file} has no {test}");
        }
    }
    assert!(items.into_iter().eq(1..=ITEMS) && open < 6, "{open} are open");
}
