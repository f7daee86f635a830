//! The JSON Schema accepts the books that come with Sabot and refuses broken ones.

use std::fs;
use std::path::Path;

use rulebooks::{SchemaOf, schema};
use serde_json::Value;

fn read(book: &str, file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulebooks");
    fs::read_to_string(root.join(book).join(file)).unwrap()
}

fn faults(of: SchemaOf, text: &str) -> Vec<String> {
    let validator = jsonschema::validator_for(&schema(of)).unwrap();
    let file: Value = toml::from_str(text).unwrap();
    validator.iter_errors(&file).map(|error| error.to_string()).collect()
}

#[test]
fn the_books_that_come_with_sabot_are_as_the_schema_says() {
    for book in rulebooks::ids() {
        let none: [String; 0] = [];
        assert_eq!(faults(SchemaOf::Rulebook, &read(book, "rulebook.toml")), none, "{book}");
        assert_eq!(faults(SchemaOf::Clauses, &read(book, "clauses.toml")), none, "{book}");
    }
}

#[test]
fn the_schema_takes_lists_of_clauses_and_rows_that_amend() {
    let book = read("act-2018", "rulebook.toml");
    for (from, to) in [
        (
            "depth = { is = 52, clause = \"5.4\" }",
            "depth = { is = 52, clause = [\"5.4\", \"5.3\"] }",
        ),
        ("shoe = \"6.1\"", "shoe = [\"6.1\", \"6.2\"]"),
        ("shoe = \"6.1\"", "shoe = { sets = [\"6.1\", \"6.2\"] }"),
    ] {
        assert!(book.contains(from), "{from}");
        let none: [String; 0] = [];
        assert_eq!(faults(SchemaOf::Rulebook, &book.replacen(from, to, 1)), none, "{to}");
    }
    let amended = "[title]\ngame = \"a\"\njurisdiction = \"b\"\ninstrument = \"c\"\nin_force = \
                   \"d\"\n[methods.ez]\nrows = { adds = [{ banker = [7], kept = true, clause = \
                   \"1\" }] }\n";
    assert_eq!(faults(SchemaOf::Rulebook, amended), [""; 0]);
    let empty = book.replacen("shoe = \"6.1\"", "shoe = []", 1);
    assert_ne!(faults(SchemaOf::Rulebook, &empty).len(), 0);
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let book = read("act-2018", "rulebook.toml");
    for (from, to) in [
        ("[cut]", "[cutt]"),
        ("depth = { is = 52", "depht = { is = 52"),
        ("depth = { is = 52", "depth = { is = 0"),
        ("is = \"any-player\", clause = \"5.3\"", "is = \"any-player\""),
        ("\"any-player\"", "\"some-player\""),
        ("shoe = \"6.1\"", "shoe = { is = 1, clause = \"6.1\" }"),
        ("in_a_row = \"none\"", "in_a_row = \"never\""),
        ("secret_wagers = \"none\"", "secret_wagers = \"some\""),
    ] {
        assert!(book.contains(from), "{from}");
        assert_ne!(faults(SchemaOf::Rulebook, &book.replacen(from, to, 1)).len(), 0, "{to}");
    }
}
