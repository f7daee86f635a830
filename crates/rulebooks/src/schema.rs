//! A JSON Schema of the two files of a book, for editors.

use rules::Rulebook;
use rules::policy::{SectionSpec, Shape, Spec};
use serde_json::{Map, Value, json};

use crate::index::Duty;

/// The schema of `rulebook.toml`, or of `clauses.toml`.
#[must_use]
pub fn schema(file: SchemaOf) -> Value {
    match file {
        SchemaOf::Rulebook => rulebook(),
        SchemaOf::Clauses => clauses(),
    }
}

/// Which file a schema is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaOf {
    /// `rulebook.toml`.
    Rulebook,
    /// `clauses.toml`.
    Clauses,
}

fn rulebook() -> Value {
    let mut properties = Map::new();
    let text = |about: &str| json!({ "type": "string", "minLength": 1, "description": about });
    properties.insert(
        "title".into(),
        json!({
            "type": "object",
            "description": "Which book this is",
            "additionalProperties": false,
            "required": ["game", "jurisdiction", "instrument", "in_force"],
            "properties": {
                "game": text("What the game is called"),
                "jurisdiction": text("Where the book is law"),
                "instrument": text("The instrument that it was made by"),
                "in_force": text("From when on"),
                "amends": text("The id of the book that this one amends"),
            },
        }),
    );
    let sections = Rulebook::SECTIONS.iter().filter(|section| section.may_be_silent);
    properties.insert("silent".into(), silent(sections.map(|section| section.path)));
    for section in Rulebook::SECTIONS {
        properties.insert(section.path.into(), section_schema(section));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sabot rulebook.toml",
        "description": "A regulator's rulebook: every policy with its clause",
        "type": "object",
        "additionalProperties": false,
        "required": ["title"],
        "properties": properties,
    })
}

/// A list of what the book says nothing about.
fn silent(names: impl Iterator<Item = &'static str>) -> Value {
    json!({
        "type": "array",
        "uniqueItems": true,
        "description": "What the book says nothing about",
        "items": { "enum": names.collect::<Vec<_>>() },
    })
}

fn section_schema(section: &SectionSpec) -> Value {
    let key = |spec: &Spec| spec.path.split_once('.').map_or("", |(_, key)| key);
    let mut properties: Map<_, _> =
        section.policies.iter().map(|spec| (key(spec).to_owned(), policy(spec))).collect();
    let may_be_silent = section.policies.iter().filter(|spec| spec.may_be_silent);
    if may_be_silent.clone().next().is_some() {
        properties.insert("silent".into(), silent(may_be_silent.map(key)));
    }
    json!({
        "type": "object",
        "description": section.title.trim(),
        "additionalProperties": false,
        "properties": properties,
    })
}

fn policy(spec: &Spec) -> Value {
    let about: Vec<_> = spec.about.iter().map(|line| line.trim()).collect();
    let value = shape(spec.shape);
    let mut properties = Map::new();
    properties.insert("clause".into(), json!({ "type": "string", "minLength": 1 }));
    properties.insert("value".into(), value.clone());
    for (verb, about) in [
        ("adds", "In an amendment: the base is silent on this"),
        ("replaces", "In an amendment: this stands instead of what the base says"),
        ("sets", "In an amendment: this holds whatever the base says"),
    ] {
        properties.insert(verb.into(), json!({ "description": about, "allOf": [value] }));
    }
    json!({
        "type": "object",
        "description": about.join(". "),
        "additionalProperties": false,
        "required": ["clause"],
        "properties": properties,
    })
}

fn shape(shape: Shape) -> Value {
    let words = |words: &[(&str, &str)]| {
        let each = words.iter().map(|(word, about)| json!({ "const": word, "description": about }));
        json!({ "oneOf": each.collect::<Vec<_>>() })
    };
    let whole =
        |least: u32, most: u32| json!({ "type": "integer", "minimum": least, "maximum": most });
    let text = |what: &str, examples: &[&str]| {
        json!({
            "type": "string",
            "minLength": 1,
            "description": what,
            "examples": examples,
        })
    };
    match shape {
        Shape::Stated => json!({ "const": true }),
        Shape::OneOf(choices) => words(choices),
        Shape::SomeOf(choices) => {
            json!({ "type": "array", "minItems": 1, "uniqueItems": true, "items": words(choices) })
        }
        Shape::Whole { least, most } => whole(least, most),
        Shape::Text { what, examples } => text(what, examples),
        Shape::WholeOrText { least, most, what, examples } => {
            json!({ "anyOf": [whole(least, most), text(what, examples)] })
        }
    }
}

fn clauses() -> Value {
    let duties: Vec<_> = Duty::ALL.iter().map(|duty| duty.key()).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sabot clauses.toml",
        "description": "Every clause of a rulebook, in our own words",
        "type": "object",
        "additionalProperties": false,
        "required": ["numbered", "clause"],
        "properties": {
            "numbered": {
                "type": "array",
                "items": { "type": "string" },
                "description": "The numbers that the source gives its clauses, runs as 2.1-2.6",
            },
            "tournament": {
                "type": "array",
                "items": { "type": "string" },
                "description": "Clauses and sections that concern tournaments only",
            },
            "headings": {
                "type": "object",
                "additionalProperties": { "type": "string" },
                "description": "The titles of the source's sections",
            },
            "clause": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["id", "duty", "gist"],
                    "properties": {
                        "id": { "type": "string", "minLength": 1 },
                        "duty": { "enum": duties },
                        "gist": { "type": "string", "minLength": 1 },
                        "reading": { "type": "string", "minLength": 1 },
                    },
                },
            },
        },
    })
}
