//! The description of the API as a page to read; it needs nothing but itself.

use std::fmt::Write as _;

use serde_json::Value;
use table::Code;

use super::document;
use crate::api::{Asks, Route, routes};
use crate::page::{escaped, frame};
use crate::problem::OWN_CODES;

/// A page that lists every request, message and shape, and what every problem means.
#[must_use]
pub fn page() -> String {
    let document = document();
    let requests: String = routes().iter().map(|route| request(route, &document)).collect();
    let mut shapes = String::new();
    for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
        let shape = shape(schema);
        let _ = write!(shapes, "<h3 id=\"{name}\"><code>{name}</code></h3><pre>{shape}</pre>");
    }
    let socket = &document["x-socket"];
    let (message, told) = (shape(&socket["message"]), shape(&socket["told"]));
    let problems = problems();
    frame(
        "Sabot: the API",
        &format!(
            "<h1>The API</h1><p>The same as a document for programs: \
             <a href=\"/api/openapi.json\">openapi.json</a>. A program sends its token as \
             <code>Authorization: Bearer …</code>. Orders have a key of your own: the same key is \
             carried out once. Below: <a href=\"#socket\">messages on the socket</a>, \
             <a href=\"#problems\">problems</a>, <a href=\"#shapes\">shapes</a>.</p>{requests}\
             <h2 id=\"socket\">Messages on the socket</h2><p>What you send:</p>\
             <pre>{message}</pre><p>What comes:</p><pre>{told}</pre>\
             <h2 id=\"problems\">Problems</h2><dl>{problems}</dl>\
             <h2 id=\"shapes\">Shapes</h2>{shapes}"
        ),
    )
}

/// A request: who may ask, what is in it, and the answer.
fn request(route: &Route, document: &Value) -> String {
    let (method, path) = (route.method.to_uppercase(), route.path);
    let operation = &document["paths"][format!("/api/v1{path}")][route.method];
    let what = escaped(route.what);
    let mut text = format!(
        "<section><h3><code>{method} /api/v1{path}</code></h3><p>{what} <small>({})</small></p>",
        who(route.asks)
    );
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let asked: String = parameters.filter(|one| one["in"] == "query").map(parameter).collect();
    if !asked.is_empty() {
        let _ = write!(text, "<ul>{asked}</ul>");
    }
    for (kind, schema) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
        let (kind, schema) = (escaped(kind), shape(&schema["schema"]));
        let _ =
            write!(text, "<details><summary>body: {kind}</summary><pre>{schema}</pre></details>");
    }
    let answer = shape(&operation["responses"]["200"]["content"]["application/json"]["schema"]);
    text + &format!("<details><summary>answer</summary><pre>{answer}</pre></details></section>")
}

/// Who may ask, in words.
fn who(asks: Asks) -> String {
    let roles: Vec<_> = asks.roles().iter().map(|role| role.key()).collect();
    match asks {
        Asks::Anybody => "anybody".into(),
        Asks::Somebody => "somebody signed in".into(),
        Asks::Operator | Asks::Director | Asks::Dealing | Asks::EventStaff => roles.join(" or "),
    }
}

/// A parameter of a query.
fn parameter(one: &Value) -> String {
    let name = escaped(one["name"].as_str().unwrap_or_default());
    let about = escaped(one["description"].as_str().unwrap_or_default());
    let needed = if one["required"] == true { "" } else { ", may be left out" };
    format!("<li><code>?{name}=</code> {about} <small>(in the query{needed})</small></li>")
}

/// A schema; what it refers to is a link.
fn shape(schema: &Value) -> String {
    let text = serde_json::to_string_pretty(schema).unwrap_or_default();
    let (mut parts, mut shape) = (text.split("\"#/components/schemas/"), String::new());
    shape += &escaped(parts.next().unwrap_or_default());
    for part in parts {
        let (name, rest) = part.split_once('"').unwrap_or((part, ""));
        let (name, rest) = (escaped(name), escaped(rest));
        let _ = write!(shape, "<a href=\"#{name}\">{name}</a>{rest}");
    }
    shape
}

/// What every problem means, at the place that its `type` names.
fn problems() -> String {
    let own = OWN_CODES.iter().copied();
    let refusals = Code::ALL.iter().map(|code| (code.key(), code.about()));
    // One word is both: it is told once.
    let refusals = refusals.filter(|(code, _)| OWN_CODES.iter().all(|(own, _)| own != code));
    let one = |(code, about): (&str, &str)| {
        format!("<dt id=\"problem-{code}\"><code>{code}</code></dt><dd>{}</dd>", escaped(about))
    };
    own.chain(refusals).map(one).collect()
}
