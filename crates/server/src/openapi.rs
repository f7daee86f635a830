//! The description of the API, and the types of the page, made from the list of requests.

mod page;

use std::fmt::Write as _;

use live::Sheet;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

pub use self::page::page;
use crate::api::{Asks, Route, routes};
use crate::problem::Problem;
use crate::socket::{Ask, SocketMessage, TableMessage, TournamentMessage};

/// The document, in `OpenAPI` 3.1.
#[must_use]
pub fn document() -> Value {
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    let problem = generator.subschema_for::<Problem>();
    let message = generator.subschema_for::<Ask>();
    let mut paths: Map<String, Value> = Map::new();
    for route in routes() {
        let path = format!("/api/v1{}", route.path);
        let operation = operation(&route, &mut generator, problem.as_value());
        let item = paths.entry(path).or_insert_with(|| json!({}));
        item[route.method] = operation;
    }
    let told = [
        generator.subschema_for::<TableMessage<'_>>(),
        generator.subschema_for::<TournamentMessage<'_>>(),
        generator.subschema_for::<SocketMessage<'_>>(),
    ];
    let schemas = generator.take_definitions(true);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Sabot",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Baccarat tables under a regulator's rulebook. Amounts are whole cents \
                of play money; times are microseconds since 1970, UTC.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
        "x-socket": { "path": "/api/v1/socket", "message": message, "told": { "oneOf": told } },
    })
}

fn operation(route: &Route, generator: &mut schemars::SchemaGenerator, problem: &Value) -> Value {
    let mut parameters: Vec<Value> = route
        .path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| {
            let schema = in_path(route.path, name);
            json!({ "name": name, "in": "path", "required": true, "schema": schema })
        })
        .collect();
    if let Some(query) = route.query {
        parameters.extend(query_parameters(query(generator).as_value(), generator));
    }
    let answer = (route.answer)(generator);
    let refused = json!({
        "description": "Why not, and what would do",
        "content": { "application/problem+json": { "schema": problem } },
    });
    let good = json!({
        "description": "What was asked for",
        "content": { "application/json": { "schema": answer.as_value() } },
    });
    let mut operation = json!({
        "summary": route.what,
        "operationId": format!("{} {}", route.method, route.path),
        "parameters": parameters,
        "responses": { "200": good, "4XX": refused, "503": refused },
    });
    if route.path == "/socket" {
        operation["responses"]["101"] = json!({ "description": "The socket is open" });
    }
    if route.path == "/judge" {
        let text = json!({ "text/plain": { "schema": { "type": "string" } } });
        operation["requestBody"] = json!({ "required": true, "content": text });
    }
    if let Some(body) = route.body {
        let schema = body(generator);
        let content = json!({ "application/json": { "schema": schema.as_value() } });
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    if route.asks != Asks::Anybody {
        operation["security"] = json!([{ "token": [] }]);
    }
    if !route.asks.roles().is_empty() {
        let roles: Vec<_> = route.asks.roles().iter().map(|role| role.key()).collect();
        operation["x-roles"] = json!(roles);
    }
    operation
}

/// What may stand in a path.
fn in_path(path: &str, name: &str) -> Value {
    match (path.split('/').nth(1), name) {
        (_, "sheet") => {
            json!({ "type": "string", "enum": Sheet::ALL.map(Sheet::key) })
        }
        (_, "number") => json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX }),
        (Some("tables"), _) => {
            json!({ "type": "string", "pattern": "^t[1-9][0-9]{0,8}$", "examples": ["t1"] })
        }
        (Some("tournaments"), _) => {
            json!({ "type": "string", "pattern": "^e[1-9][0-9]{0,8}$", "examples": ["e1"] })
        }
        (Some("books"), _) => {
            // A house may have books of its own.
            json!({ "type": "string", "minLength": 1, "examples": rulebooks::ids() })
        }
        (_, "token") => json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{43}$" }),
        _ => json!({ "type": "string", "minLength": 1, "maxLength": 60 }),
    }
}

/// The fields of a query, each as a parameter.
fn query_parameters(schema: &Value, generator: &schemars::SchemaGenerator) -> Vec<Value> {
    let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
    let Some(object) = name.and_then(|name| generator.definitions().get(name)) else {
        return Vec::new();
    };
    let needed = object["required"].as_array().cloned().unwrap_or_default();
    let fields = object["properties"].as_object().cloned().unwrap_or_default();
    let parameter = |(name, schema): (String, Value)| {
        let required = needed.iter().any(|needed| needed == &name);
        let about = schema["description"].clone();
        json!({
            "name": name, "in": "query", "required": required, "schema": schema,
            "description": about,
        })
    };
    fields.into_iter().map(parameter).collect()
}

/// What the page of an answer is: TypeScript for those who draw it, made from the same schemas.
#[must_use]
pub fn typescript() -> String {
    let document = document();
    let mut text = String::from(
        "// Made from the types of the server: `SABOT_DOCS=write cargo test -p server --test \
         described` writes it.\n",
    );
    for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
        if let Some(about) = schema["description"].as_str() {
            let _ = write!(text, "\n/** {} */", about.replace('\n', " "));
        }
        let _ = write!(text, "\nexport type {name} = {};\n", type_of(schema, 0));
    }
    text
}

/// A schema as a type of TypeScript.
fn type_of(schema: &Value, depth: usize) -> String {
    if let Some(path) = schema["$ref"].as_str() {
        return path.rsplit('/').next().unwrap_or("unknown").to_owned();
    }
    if let Some(path) = schema["x-part-of"].as_str() {
        return format!("Partial<{}>", path.rsplit('/').next().unwrap_or("unknown"));
    }
    if let Some(fixed) = schema.get("const") {
        return fixed.to_string();
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ");
    }
    for of in ["anyOf", "oneOf"] {
        if let Some(many) = schema[of].as_array() {
            let many: Vec<_> = many.iter().map(|one| type_of(one, depth)).collect();
            return many.join(" | ");
        }
    }
    let one = |kind: &str| match kind {
        "string" => "string".to_owned(),
        "integer" | "number" => "number".to_owned(),
        "boolean" => "boolean".to_owned(),
        "null" => "null".to_owned(),
        "array" => array(schema, depth),
        "object" => object(schema, depth),
        _ => "unknown".to_owned(),
    };
    match &schema["type"] {
        Value::String(kind) => one(kind),
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).map(one).collect::<Vec<_>>().join(" | ")
        }
        _ => "unknown".to_owned(),
    }
}

fn array(schema: &Value, depth: usize) -> String {
    if let Some(items) = schema["prefixItems"].as_array() {
        let items: Vec<_> = items.iter().map(|item| type_of(item, depth)).collect();
        return format!("[{}]", items.join(", "));
    }
    let item = type_of(&schema["items"], depth);
    if item.contains('|') { format!("({item})[]") } else { format!("{item}[]") }
}

fn object(schema: &Value, depth: usize) -> String {
    let Some(fields) = schema["properties"].as_object() else {
        return "Record<string, unknown>".to_owned();
    };
    let needed = schema["required"].as_array().cloned().unwrap_or_default();
    let pad = "  ".repeat(depth + 1);
    let mut text = String::from("{\n");
    for (name, field) in fields {
        if let Some(about) = field["description"].as_str() {
            let _ = writeln!(text, "{pad}/** {} */", about.replace('\n', " "));
        }
        let mark = if needed.iter().any(|needed| needed == name) { "" } else { "?" };
        let _ = writeln!(text, "{pad}{name}{mark}: {};", type_of(field, depth + 1));
    }
    text + &"  ".repeat(depth) + "}"
}
