//! A page with the shape of types, made from their sources: the names, the fields, the comments.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use syn::{Attribute, Expr, Fields, GenericArgument, Item, Lit, Meta, PathArguments, Type};

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

/// All types of some crates.
pub(crate) struct Types {
    sources: &'static [&'static str],
    known: BTreeMap<(String, String), Known>,
}

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
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
    /// Reads the crates, those below first.
    pub(crate) fn read(sources: &'static [&'static str]) -> Self {
        let mut types = Self { sources, known: BTreeMap::new() };
        for source in sources.iter().copied() {
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
                    types.known.entry((source.into(), name)).or_insert(known);
                }
            }
        }
        types
    }

    /// A type by its name, looked for at home first and then in the crates below.
    fn find(&self, home: &str, name: &str) -> Option<(String, &Known)> {
        let below = self.sources.iter().copied();
        let mut homes = std::iter::once(home).chain(below);
        homes.find_map(|home| {
            let known = self.known.get(&(home.to_owned(), name.to_owned()))?;
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

/// The word of a variant, with what stands between its parts.
fn word(name: &str, between: char) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push(between);
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// A type that is written in a form of its own: its name, the word for it, and what that means.
pub(crate) type Written = (&'static str, &'static str, &'static str);

/// A page that is being made.
pub(crate) struct Page<'a> {
    types: &'a Types,
    written: &'static [Written],
    /// Types that are still to be described, and those that are.
    due: Vec<(String, String)>,
    done: Vec<(String, String)>,
    /// The text so far.
    pub(crate) text: String,
}

impl<'a> Page<'a> {
    /// A page that begins with a text, and says what the words mean.
    pub(crate) fn new(types: &'a Types, written: &'static [Written], text: &str) -> Self {
        let (due, done) = (Vec::new(), Vec::new());
        let mut page = Self { types, written, due, done, text: text.into() };
        let mut told: Vec<&str> = Vec::new();
        for (_, word, said) in written {
            if !told.contains(word) && *word != "text" && !word.starts_with('[') {
                page.text += &format!("| {word} | {said} |\n");
                told.push(word);
            }
        }
        page
    }

    /// A chapter: a type, and all that it is made of and was not described before.
    pub(crate) fn chapter(&mut self, home: &str, name: &str, title: &str) {
        self.text += &format!("\n## `{title}`\n");
        let first = (home.to_owned(), name.to_owned());
        if !self.done.contains(&first) {
            self.due.push(first);
        }
        while !self.due.is_empty() {
            let next = self.due.remove(0);
            self.done.push(next.clone());
            self.describe(next);
        }
    }

    /// Writes the page if that is wanted, and compares it with what is written.
    pub(crate) fn check(&self, path: &str, test: &str) {
        let file = root().join(path);
        if env::var("SABOT_DOCS").is_ok_and(|how| how == "write") {
            fs::write(&file, &self.text).unwrap();
        }
        let written = fs::read_to_string(&file).unwrap_or_default();
        let same = written == self.text;
        assert!(same, "{path} is old: SABOT_DOCS=write cargo test -p {test} --test shapes");
    }

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
            Type::Reference(reference) => self.shape(home, &reference.elem),
            _ => panic!("a type that the page has no words for"),
        }
    }

    fn named(&mut self, home: &str, name: &str, inner: &[Type]) -> String {
        if let Some((_, word, _)) = self.written.iter().find(|(written, ..)| *written == name) {
            return (*word).into();
        }
        match (name, inner) {
            ("Box" | "Arc" | "Shared", [of]) => self.shape(home, of),
            ("Option", [of]) => format!("{} or null", self.shape(home, of)),
            ("Vec" | "ArrayVec" | "VecDeque", [of]) => format!("[{}, …]", self.shape(home, of)),
            ("String" | "str" | "ArrayString" | "Cow", _) => "text".into(),
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
            if serde(&field.attrs, "skip").is_some() {
                continue;
            }
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
                let between = match serde(&item.attrs, "rename_all").as_deref() {
                    None => None,
                    Some("snake_case") => Some('_'),
                    Some(_) => Some('-'),
                };
                for variant in &item.variants {
                    let own = variant.ident.to_string();
                    let own = between.map_or(own.clone(), |between| word(&own, between));
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
