//! A JSON Schema of the two files of a book, for editors.

use rules::book::{MethodRules, PayTableRules, SideBetRules};
use rules::policy::{FORMAT, Kind, NO_SECTION, Section, SectionSpec, Shape, Spec};
use rules::{MOST_CLAUSES, Rulebook, TestKey};
use serde_json::{Map, Value, json};

use crate::bets::MOST_ROW_CLAUSES;
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
    let texts = |about: &str| {
        let each = json!({ "type": "string" });
        json!({ "type": "array", "items": each, "description": about })
    };
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
                "with": texts("Sheets of side bets that are laid over the book"),
                "format": { "type": "integer", "minimum": 1, "maximum": FORMAT },
                "former": texts("Identities of the book before, under which the same was ruled"),
            },
        }),
    );
    for section in Rulebook::SECTIONS {
        let given = section_schema(section);
        let (none, about) = (NO_SECTION.0, "The book does not have this section");
        let schema = if section.optional {
            json!({ "oneOf": [given, { "const": none, "description": about }] })
        } else {
            given
        };
        properties.insert(section.path.into(), schema);
    }
    let named = |section: &SectionSpec| {
        let mut schema = section_schema(section);
        schema["properties"]["name"] = text("What it is called");
        json!({ "type": "object", "additionalProperties": schema })
    };
    properties.insert("side_bets".into(), named(&SideBetRules::SPEC));
    properties.insert("pay_tables".into(), named(&PayTableRules::SPEC));
    let mut methods = section_schema(&MethodRules::SPEC);
    let rows = side_bet()["properties"]["rows"].clone();
    let amended = json!({
        "type": "object",
        "additionalProperties": false,
        "minProperties": 1,
        "maxProperties": 1,
        "properties": amends(&rows),
    });
    methods["properties"]["rows"] = json!({ "oneOf": [rows, amended] });
    let methods = json!({ "type": "object", "additionalProperties": methods });
    properties.insert("methods".into(), methods);
    properties.insert("side_bet".into(), json!({ "type": "array", "items": side_bet() }));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sabot rulebook.toml",
        "description": "A regulator's rulebook: every decision and ground, with its clause",
        "type": "object",
        "additionalProperties": false,
        "required": ["title"],
        "properties": properties,
    })
}

/// One clause, or several that carry a rule together.
fn clauses_of(most: usize) -> Value {
    let one = json!({ "type": "string", "minLength": 1 });
    let several = json!({
        "type": "array",
        "minItems": 1,
        "maxItems": most,
        "uniqueItems": true,
        "items": one,
    });
    json!({ "oneOf": [one, several] })
}

/// A side bet: rows of conditions, the first match decides.
fn side_bet() -> Value {
    let text = |about: &str| json!({ "type": "string", "minLength": 1, "description": about });
    let outcomes = |mut properties: Map<String, Value>| {
        properties.insert("pays".into(), text("Odds such as 12:1"));
        properties.insert("kept".into(), json!({ "const": true }));
        properties.insert("lost".into(), json!({ "const": true }));
        properties.insert("clause".into(), clauses_of(MOST_ROW_CLAUSES));
        properties.insert("when".into(), text("What the felt says of it"));
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["clause"],
            "properties": properties,
        })
    };
    let tests = TestKey::ALL.iter().map(|key| {
        let forms = json!([
            { "type": "integer" },
            { "type": "string" },
            { "type": "array", "minItems": 1 },
        ]);
        (key.word().to_owned(), json!({ "description": key.may(), "anyOf": forms }))
    });
    let offered = json!({ "oneOf": [
        clauses_of(MOST_CLAUSES),
        {
            "type": "object",
            "additionalProperties": false,
            "required": ["clause"],
            "properties": { "clause": clauses_of(MOST_CLAUSES) },
        },
    ] });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["key", "name", "offered", "rows", "otherwise"],
        "properties": {
            "key": text("The word in transcripts, on the sign, on the felt"),
            "name": text("What it is called"),
            "of": text("The group that it belongs to"),
            "table": text("The pay table that it belongs to"),
            "side": { "enum": ["player", "banker"] },
            "offered": offered,
            "amends": { "enum": ["adds", "replaces", "sets"] },
            "rows": { "type": "array", "minItems": 1, "items": outcomes(tests.collect()) },
            "otherwise": outcomes(Map::new()),
        },
    })
}

/// A list of grounds that the book does not have.
fn silent(names: impl Iterator<Item = &'static str>) -> Value {
    json!({
        "type": "array",
        "uniqueItems": true,
        "description": "Grounds that the book does not have",
        "items": { "enum": names.collect::<Vec<_>>() },
    })
}

fn section_schema(section: &SectionSpec) -> Value {
    let mut properties: Map<_, _> =
        section.items.iter().map(|spec| (spec.key().to_owned(), item(spec))).collect();
    let grounds = section.items.iter().filter(|spec| spec.is_ground() && spec.may_lack_a_clause());
    if grounds.clone().next().is_some() {
        properties.insert("silent".into(), silent(grounds.map(Spec::key)));
    }
    json!({
        "type": "object",
        "description": section.title.trim(),
        "additionalProperties": false,
        "properties": properties,
    })
}

/// How an amendment's item meets its base.
const VERBS: [(&str, &str); 3] = [
    ("adds", "In an amendment: the base has no rule on this"),
    ("replaces", "In an amendment: this stands instead of what the base says"),
    ("sets", "In an amendment: this holds whatever the base says"),
];

/// A value under one of them.
fn amends(value: &Value) -> Map<String, Value> {
    let verb = |(verb, about): (&str, &str)| {
        (verb.to_owned(), json!({ "description": about, "allOf": [value] }))
    };
    VERBS.map(verb).into_iter().collect()
}

fn item(spec: &Spec) -> Value {
    let about: Vec<_> = spec.about.iter().map(|line| line.trim()).collect();
    let about = about.join(". ");
    let clause = clauses_of(MOST_CLAUSES);
    match spec.kind {
        Kind::Ground { .. } | Kind::Section => {
            let amended = json!({
                "type": "object",
                "additionalProperties": false,
                "minProperties": 1,
                "maxProperties": 1,
                "properties": amends(&clause),
            });
            json!({ "description": format!("Ground: {about}"), "oneOf": [clause, amended] })
        }
        Kind::Decision { shape: answers, without } => {
            let is = shape(answers);
            let mut properties = amends(&is);
            properties.insert("clause".into(), clause);
            properties.insert("is".into(), is);
            let given = json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["clause"],
                "properties": properties,
            });
            let mut forms = vec![given];
            let none = |(word, about)| json!({ "const": word, "description": about });
            forms.extend(without.map(none));
            json!({ "description": about, "oneOf": forms })
        }
    }
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
            "unread": {
                "type": "array",
                "items": { "type": "string" },
                "description": "Numbers that nobody has read yet, runs as 2.1-2.6",
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
