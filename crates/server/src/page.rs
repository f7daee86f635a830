//! Pages without a script, until the web table is there: what this is, the tables as text, links.

use std::fmt::Write as _;

use axum::extract::{Request, State};
use axum::http::Method;
use axum::response::{Html, IntoResponse as _, Response};

use crate::api::{tables, tournaments};
use crate::{App, assets};

const STYLE: &str = "body{font:17px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;\
    padding:0 1rem;color:#1c1c1a;background:#faf8f3}a{color:#14532d}table{border-collapse:collapse;\
    width:100%}td,th{text-align:left;padding:.4rem .8rem .4rem 0;border-bottom:1px solid #d8d3c4}\
    pre{overflow:auto;background:#f1ede2;padding:.6rem}code{font-size:.95em}h3{margin-bottom:0}\
    @media(prefers-color-scheme:dark){body{color:#ece8dd;background:#171a17}a{color:#8fd3a8}\
    td,th{border-color:#3a3f39}pre{background:#202420}}";

/// A page around a text.
pub(crate) fn frame(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <link rel=\"stylesheet\" href=\"/style.css\"></head><body>{body}</body></html>"
    )
}

pub(crate) async fn style() -> ([(axum::http::HeaderName, &'static str); 1], &'static str) {
    ([(axum::http::header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)
}

/// A text as it stands in a page.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Every other address: the page if it was built in, and these pages if not.
pub(crate) async fn other(State(app): State<App>, request: Request) -> Response {
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        return crate::wrong_method().await.into_response();
    }
    if let Some(answer) = assets::answer(&request) {
        return answer;
    }
    match request.uri().path() {
        "/" => home(State(app)).await.into_response(),
        path if path.starts_with("/link/") => link().into_response(),
        _ => crate::api::nothing().await.into_response(),
    }
}

/// The first page.
pub(crate) async fn home(State(app): State<App>) -> Html<String> {
    let events = tournaments::list(State(app.clone())).await.map(|rows| rows.0).unwrap_or_default();
    let rows = tables::list(State(app)).await.map(|rows| rows.0).unwrap_or_default();
    let mut list = String::new();
    for row in rows {
        let limits = row
            .main_cents
            .map_or_else(String::new, |(least, most)| format!("{} to {}", least / 100, most / 100));
        let beads: String = row
            .beads
            .iter()
            .rev()
            .take(24)
            .rev()
            .map(|bead| match bead.as_str() {
                "player" => 'P',
                "banker" => 'B',
                _ => 'T',
            })
            .collect();
        let (id, title, book) = (escaped(&row.id), escaped(&row.title), escaped(&row.book));
        let _ = write!(
            list,
            "<tr><td><a href=\"/api/v1/tables/{id}\">{title}</a></td><td>{book}</td>\
             <td>{limits}</td>\
             <td>{} of {}</td><td>{}</td><td><code>{beads}</code></td></tr>",
            row.seated, row.seats, row.phase
        );
    }
    let mut held = String::new();
    for row in events.iter().filter(|row| !["ended", "cancelled"].contains(&row.phase)) {
        let (id, title) = (escaped(&row.id), escaped(&row.title));
        let start = row.start.as_deref().map(escaped).unwrap_or_default();
        let _ = write!(
            held,
            "<tr><td><a href=\"/api/v1/tournaments/{id}\">{title}</a></td><td>{}</td>\
             <td>{start}</td><td>{}</td><td>{}</td></tr>",
            escaped(&row.book),
            row.entrants,
            row.phase
        );
    }
    if !held.is_empty() {
        held = format!(
            "<h2>Tournaments</h2><table><tr><th>event</th><th>book</th><th>start, by the clock of \
             the house</th><th>entered</th><th>now</th></tr>{held}</table>"
        );
    }
    Html(frame(
        "Sabot",
        &format!(
            "<h1>Sabot</h1><p>Baccarat tables under a regulator's rulebook: every ruling names its \
             clause, and every shoe can be checked. It is played with play money.</p>\
             <h2>Tables</h2><table><tr><th>table</th><th>book</th><th>wagers</th><th>seats</th>\
             <th>now</th><th>this shoe</th></tr>{list}</table>{held}\
             <p>From a terminal: <code>sabot play --server ADDRESS</code>. For programs: \
             <a href=\"/api\">the API</a>, <a href=\"/api/v1/books\">the books</a>, \
             <a href=\"/api/v1/head\">the signed head of the log</a>.</p>"
        ),
    ))
}

/// The page of a one-time link: a form that a program or a page sends.
fn link() -> Html<String> {
    Html(frame(
        "Sabot: your link",
        "<h1>Your link</h1><p>This link is good once. Choose a name and a password:</p>\
         <form id=\"link\"><p><label>Name <input name=\"name\" autocomplete=\"username\"></label>\
         </p>\
         <p><label>Password <input name=\"password\" type=\"password\" minlength=\"8\" \
         autocomplete=\"new-password\"></label></p><p><button>Come in</button></p>\
         <p id=\"said\" role=\"status\"></p></form><script src=\"/link.js\"></script>",
    ))
}

/// Sends the form of a one-time link.
pub(crate) async fn link_script() -> ([(axum::http::HeaderName, &'static str); 1], &'static str) {
    const SCRIPT: &str = "document.getElementById('link').addEventListener('submit',async e=>{\
        e.preventDefault();const f=new FormData(e.target),t=location.pathname.split('/').pop(),\
        name=f.get('name'),body={password:f.get('password')};if(name)body.name=name;\
        const r=await fetch('/api/v1/links/'+t,{method:'POST',headers:{'content-type':\
        'application/json'},body:JSON.stringify(body)}),a=await r.json();\
        document.getElementById('said').textContent=r.ok?'Welcome, '+a.name+'.':\
        a.title+'; '+a.instead;\
        if(r.ok)location='/';});";
    ([(axum::http::header::CONTENT_TYPE, "text/javascript; charset=utf-8")], SCRIPT)
}
