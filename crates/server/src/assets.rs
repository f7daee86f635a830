//! The page, embedded in the program; a placeholder where it was not built.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use rust_embed::RustEmbed;

use crate::problem::Problem;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
struct Page;

/// Whether the page was built into this program.
pub(crate) fn is_built() -> bool {
    Page::get("index.html").is_some()
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript",
        "css" => "text/css",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "json" | "webmanifest" => "application/json",
        _ => "application/octet-stream",
    }
}

/// A file of the page, or the page itself for every address that is the page's own.
pub(crate) fn answer(request: &Request) -> Option<Response> {
    let path = request.uri().path().trim_start_matches('/');
    if path.starts_with("api") || !is_built() {
        return None;
    }
    let is_file = path.rsplit('/').next().is_some_and(|last| last.contains('.'));
    let name = if is_file { path } else { "index.html" };
    let Some(file) = Page::get(name) else {
        let problem = Problem::new(StatusCode::NOT_FOUND, "unknown", "nothing is there", "/");
        return Some(problem.into_response());
    };
    // Files with a hash in their names never change.
    let lasting = path.starts_with("assets/");
    let cache = if lasting { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [(header::CONTENT_TYPE, kind(name)), (header::CACHE_CONTROL, cache)];
    Some((headers, Body::from(file.data)).into_response())
}
