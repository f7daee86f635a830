//! The page with the shape of everything that is recorded, made from the types themselves.
//!
//! `docs/reference/facts.md` is what this prints; a type that changes makes the test fail until
//! `SABOT_DOCS=write cargo test -p store --test shapes` has written the page anew.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use syn::{Attribute, Expr, Fields, GenericArgument, Item, Lit, Meta, PathArguments, Type};

const PAGE: &str = "docs/reference/facts.md";

/// The sources of all types that are recorded.
const SOURCES: [&str; 5] = ["rules", "shoe", "table", "tournament", "store"];

/// Where a body begins, and the name of its schema.
const BODIES: [(&str, &str, &str); 8] = [
    ("table", "Event", "table/3"),
    ("tournament", "Event", "tournament/2"),
    ("shoe", "ShoeFact", "shoe/2"),
    ("store", "Book", "book/2"),
    ("store", "Heads", "checkpoint/2"),
    ("store", "HouseKey", "key/1"),
    ("store", "Restored", "restored/1"),
    ("store", "Answer", "answer/1"),
];

/// Types that are written in a form of their own.
const WRITTEN: [(&str, &str, &str); 17] = [
    (
        "Card",
        "card",
        "rank and suit, such as `\"Th\"`; ranks `A 2 3 4 5 6 7 8 9 T J Q K`, suits `h d c s`",
    ),
    ("Cents", "cents", "a whole number, not below zero"),
    ("Balance", "balance", "a whole number of cents, which may be below zero"),
    (
        "Clause",
        "clause",
        "a book and a number, such as `\"act-2018 4.6(b)\"`; several that carry one rule together \
         have a comma between their numbers",
    ),
    ("Key", "word", "a word of the book, such as `\"lucky-6\"`"),
    ("Spot", "spot", "`\"banker\"`, `\"player\"`, `\"tie\"`, or the word of a side bet"),
    ("Group", "group", "`\"main\"`, `\"tie\"`, or the word of a group of side bets"),
    (
        "Offer",
        "offer",
        "the word of a group of side bets, with a pay table after `=` where there are several, \
         such as `\"pairs=perfect\"`",
    ),
    ("Offers", "offers", "an array of offers"),
    ("Digest", "hash", "32 bytes in lower-case hexadecimal"),
    ("Bytes", "bytes", "bytes in lower-case hexadecimal"),
    ("Nonce", "bytes", "bytes in lower-case hexadecimal"),
    (
        "Composition",
        "counts",
        "an array of 52 numbers, how many of each card: `Ah Ad Ac As 2h` and so on",
    ),
    ("BookId", "text", "text"),
    ("Name", "text", "text"),
    (
        "Conditions",
        "conditions",
        "the conditions of entry, an object; `docs/reference/conditions.md` has its keys",
    ),
    ("Clauses", "[clause, …]", "the clauses, at most four"),
];

/// A type of the sources, with its comment.
enum Known {
    Struct(syn::ItemStruct),
    Enum(syn::ItemEnum),
    Alias(syn::ItemType),
    /// Words of the book with their meanings, declared by `choices!`.
    Choices(Vec<(String, String)>),
}

/// The name and the words of a `choices!`.
fn choices(tokens: &str) -> (String, Vec<(String, String)>) {
    let (head, words) = tokens.rsplit_once('{').unwrap();
    // Before the brace: comments, the name, and perhaps the word of a book that is silent.
    let bare = head.split(" or ").next().unwrap();
    let name = bare.rsplit([' ', '\n', ']']).find(|part| !part.is_empty()).unwrap();
    let quoted: Vec<_> = words.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    let pairs = quoted.chunks_exact(2).map(|two| (two[0].clone(), two[1].clone()));
    (name.to_owned(), pairs.collect())
}

#[derive(Default)]
struct Types(BTreeMap<(String, String), Known>);

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn rust_files(folder: &Path, into: &mut Vec<std::path::PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("roads.rs") {
            // Roads are drawn from what is recorded, and have names of their own.
            into.push(path);
        }
    }
}

impl Types {
    fn read() -> Self {
        let mut types = Self::default();
        for source in SOURCES {
            let mut files = Vec::new();
            rust_files(&root().join("crates").join(source).join("src"), &mut files);
            for file in files {
                let parsed = syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap();
                for item in parsed.items {
                    let (name, known) = match item {
                        Item::Struct(item) => (item.ident.to_string(), Known::Struct(item)),
                        Item::Enum(item) => (item.ident.to_string(), Known::Enum(item)),
                        Item::Type(item) => (item.ident.to_string(), Known::Alias(item)),
                        Item::Macro(item) if item.mac.path.is_ident("choices") => {
                            let (name, words) = choices(&item.mac.tokens.to_string());
                            (name, Known::Choices(words))
                        }
                        _ => continue,
                    };
                    types.0.entry((source.into(), name)).or_insert(known);
                }
            }
        }
        types
    }

    /// A type by its name, looked for at home first and then in the crates below.
    fn find(&self, home: &str, name: &str) -> Option<(String, &Known)> {
        let below = SOURCES.iter().copied();
        let mut homes = std::iter::once(home).chain(below);
        homes.find_map(|home| {
            let known = self.0.get(&(home.to_owned(), name.to_owned()))?;
            Some((home.to_owned(), known))
        })
    }
}

/// The first paragraph of a comment.
fn comment(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| {
        let Meta::NameValue(meta) = &attribute.meta else { return None };
        let Expr::Lit(text) = &meta.value else { return None };
        let Lit::Str(text) = &text.lit else { return None };
        meta.path.is_ident("doc").then(|| text.value().trim().to_owned())
    });
    let lines: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
    lines.join(" ").replace('|', "\\|")
}

/// What serde is told of a type or a field, such as `rename_all = "kebab-case"`.
fn serde(attributes: &[Attribute], wanted: &str) -> Option<String> {
    let mut found = None;
    for attribute in attributes.iter().filter(|a| a.path().is_ident("serde")) {
        let _ = attribute.parse_nested_meta(|meta| {
            let value = match meta.value() {
                Ok(value) => value.parse::<syn::LitStr>().map(|text| text.value())?,
                Err(_) => String::new(),
            };
            if meta.path.is_ident(wanted) {
                found = Some(value);
            }
            Ok(())
        });
    }
    found
}

fn kebab(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

struct Page<'a> {
    types: &'a Types,
    /// Types that are still to be described, and those that are.
    due: Vec<(String, String)>,
    done: Vec<(String, String)>,
    text: String,
}

impl Page<'_> {
    /// How a type is named in a shape; what it is made of is described too.
    fn shape(&mut self, home: &str, of: &Type) -> String {
        match of {
            Type::Path(path) => {
                let last = path.path.segments.last().unwrap();
                let name = last.ident.to_string();
                let inner: Vec<_> = match &last.arguments {
                    PathArguments::AngleBracketed(arguments) => {
                        let types = arguments.args.iter().filter_map(|argument| match argument {
                            GenericArgument::Type(of) => Some(of.clone()),
                            _ => None,
                        });
                        types.collect()
                    }
                    _ => Vec::new(),
                };
                self.named(home, &name, &inner)
            }
            Type::Tuple(tuple) => {
                let parts: Vec<_> = tuple.elems.iter().map(|of| self.shape(home, of)).collect();
                format!("[{}]", parts.join(", "))
            }
            Type::Array(array) => format!("[{}, …]", self.shape(home, &array.elem)),
            _ => panic!("a type that the page has no words for"),
        }
    }

    fn named(&mut self, home: &str, name: &str, inner: &[Type]) -> String {
        if let Some((_, word, _)) = WRITTEN.iter().find(|(written, ..)| *written == name) {
            return (*word).into();
        }
        match (name, inner) {
            ("Box" | "Arc" | "Shared", [of]) => self.shape(home, of),
            ("Option", [of]) => format!("{} or null", self.shape(home, of)),
            ("Vec" | "ArrayVec" | "VecDeque", [of]) => format!("[{}, …]", self.shape(home, of)),
            ("String" | "str" | "ArrayString", _) => "text".into(),
            ("bool", []) => "true or false".into(),
            ("u8" | "u16" | "u32" | "u64" | "i64" | "usize" | "NonZeroU32", []) => "number".into(),
            // What a type with a part that differs is made of.
            ("T", []) => "T".into(),
            (_, []) => self.own(home, name),
            (_, inner) => {
                let parts: Vec<_> = inner.iter().map(|of| self.shape(home, of)).collect();
                format!("{} with T = {}", self.own(home, name), parts.join(", "))
            }
        }
    }

    /// A type of ours: a wrapper is what it wraps, others are described by themselves.
    fn own(&mut self, home: &str, name: &str) -> String {
        let found = self.types.find(home, name);
        let (home, known) = found.unwrap_or_else(|| panic!("where is {name}, of {home}?"));
        if let Known::Alias(item) = known {
            let of = (*item.ty).clone();
            return self.shape(&home, &of);
        }
        if let Known::Struct(item) = known {
            if let Some(instead) = serde(&item.attrs, "into") {
                let of: Type = syn::parse_str(&instead).unwrap();
                return self.shape(&home, &of);
            }
            if let Fields::Unnamed(fields) = &item.fields
                && fields.unnamed.len() == 1
            {
                let of = fields.unnamed[0].ty.clone();
                return self.shape(&home, &of);
            }
        }
        if let Known::Enum(item) = known
            && let Some(instead) = serde(&item.attrs, "into")
        {
            let of: Type = syn::parse_str(&instead).unwrap();
            return self.shape(&home, &of);
        }
        let key = (home, name.to_owned());
        if !self.due.contains(&key) && !self.done.contains(&key) {
            self.due.push(key);
        }
        name.into()
    }

    /// The fields of an object.
    fn fields(&mut self, home: &str, fields: &Fields) -> (String, Vec<String>) {
        let (mut shapes, mut notes) = (Vec::new(), Vec::new());
        for field in fields {
            let said = comment(&field.attrs);
            let shape = self.shape(home, &field.ty);
            let Some(name) = &field.ident else {
                shapes.push(shape);
                continue;
            };
            if serde(&field.attrs, "flatten").is_some() {
                notes.push(format!("the fields of {shape}: {said}"));
                continue;
            }
            let name = serde(&field.attrs, "rename").unwrap_or_else(|| name.to_string());
            let name = name.trim_start_matches("r#").to_owned();
            let may_lack = serde(&field.attrs, "skip_serializing_if").is_some();
            let lacks = if may_lack { " (may be missing)" } else { "" };
            notes.push(format!("`{name}`: {said}{lacks}"));
            shapes.push(format!("\"{name}\": {shape}"));
        }
        let named = matches!(fields, Fields::Named(_));
        let shape = match (named, &shapes[..]) {
            (true, shapes) => format!("{{{}}}", shapes.join(", ")),
            (false, [one]) => one.clone(),
            (false, shapes) => format!("[{}]", shapes.join(", ")),
        };
        (shape, notes)
    }

    fn describe(&mut self, (home, name): (String, String)) {
        let types = self.types;
        let (_, known) = types.find(&home, &name).unwrap();
        match known {
            Known::Alias(_) => {}
            Known::Choices(words) => {
                self.text += &format!("\n### {name}\n\nA word of the book.\n\n");
                self.text += "| form | what it says |\n|---|---|\n";
                for (word, meaning) in words {
                    self.text += &format!("| `\"{word}\"` | {meaning} |\n");
                }
            }
            Known::Struct(item) => {
                let (shape, notes) = self.fields(&home, &item.fields);
                self.text += &format!("\n### {name}\n\n{}\n\n`{shape}`\n\n", comment(&item.attrs));
                for note in notes {
                    self.text += &format!("- {note}\n");
                }
            }
            Known::Enum(item) => {
                self.text += &format!("\n### {name}\n\n{}\n\n", comment(&item.attrs));
                self.text += "| form | what it says |\n|---|---|\n";
                let as_kebab = serde(&item.attrs, "rename_all").is_some();
                for variant in &item.variants {
                    let own = variant.ident.to_string();
                    let own = if as_kebab { kebab(&own) } else { own };
                    let own = serde(&variant.attrs, "rename").unwrap_or(own);
                    let (shape, notes) = self.fields(&home, &variant.fields);
                    let form = if variant.fields.is_empty() {
                        format!("\"{own}\"")
                    } else {
                        format!("{{\"{own}\": {shape}}}")
                    };
                    let said = comment(&variant.attrs);
                    let notes = notes.join("; ");
                    let said = if notes.is_empty() { said } else { format!("{said} {notes}") };
                    self.text += &format!("| `{form}` | {said} |\n");
                }
            }
        }
    }
}

fn page() -> String {
    let types = Types::read();
    let text = "# What the log records\n\nMade from the types of the program; `SABOT_DOCS=write \
        cargo test -p store --test shapes` writes it. [The log](../LOG.md) says what the records \
        are for.\n\nA form shows the JSON, with words for what differs. A field that is `or null` \
        is always there; an array of `…` has any number of items.\n\n| word | what stands there \
        |\n|---|---|\n| text | a text |\n| number | a whole number, not below zero |\n";
    let mut page = Page { types: &types, due: Vec::new(), done: Vec::new(), text: text.into() };
    let mut told: Vec<&str> = Vec::new();
    for (_, word, said) in WRITTEN {
        if !told.contains(&word) && word != "text" && !word.starts_with('[') {
            page.text += &format!("| {word} | {said} |\n");
            told.push(word);
        }
    }
    for (home, name, schema) in BODIES {
        page.text += &format!("\n## `{schema}`\n");
        page.due.push((home.into(), name.into()));
        while !page.due.is_empty() {
            let next = page.due.remove(0);
            page.done.push(next.clone());
            page.describe(next);
        }
    }
    page.text
}

#[test]
fn the_page_has_the_shape_of_everything() {
    let (path, page) = (root().join(PAGE), page());
    if env::var("SABOT_DOCS").is_ok_and(|how| how == "write") {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "{PAGE} is old: SABOT_DOCS=write cargo test -p store --test shapes");
}
