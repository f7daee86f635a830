//! The page, embedded in the program; a placeholder where it was not built.

use std::borrow::Cow;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use data_encoding::HEXLOWER;
use rust_embed::RustEmbed;

use crate::problem::Problem;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
struct Page;

/// A file of the page, with the hash of what it holds.
struct File {
    data: Cow<'static, [u8]>,
    hash: [u8; 32],
}

fn embedded(name: &str) -> Option<File> {
    let file = Page::get(name)?;
    Some(File { hash: file.metadata.sha256_hash(), data: file.data })
}

/// The ways in which the building of the page compresses a file, the smallest first: as a request
/// and a header name them, and what is appended to the name of the file.
const ENCODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

/// Whether the page was built into this program.
pub(crate) fn is_built() -> bool {
    Page::get("index.html").is_some()
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml; charset=utf-8",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "json" | "webmanifest" => "application/json",
        _ => "application/octet-stream",
    }
}

/// Everything that a list in a header says, whether it came in one header or in several.
fn items(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

/// Whether a request takes an answer in this encoding: it names it, or all, and not with `q=0`.
fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let weight = |wanted: &str| {
        items(headers, header::ACCEPT_ENCODING).find_map(|item| {
            let mut parts = item.split(';').map(str::trim);
            let named = parts.next()?.eq_ignore_ascii_case(wanted);
            let weight = parts.find_map(|part| part.strip_prefix("q="));
            named.then(|| weight.map_or(1.0, |text| text.parse::<f32>().unwrap_or(0.0)))
        })
    };
    weight(encoding).or_else(|| weight("*")).is_some_and(|weight| weight > 0.0)
}

/// A file of the page, or the page itself for every address that is the page's own.
pub(crate) fn answer(request: &Request) -> Option<Response> {
    let path = request.uri().path().trim_start_matches('/');
    if path.starts_with("api") || !is_built() {
        return None;
    }
    Some(file(path, request.headers(), embedded))
}

fn file(path: &str, asked: &HeaderMap, find: impl Fn(&str) -> Option<File>) -> Response {
    let is_file = path.rsplit('/').next().is_some_and(|last| last.contains('.'));
    let name = if is_file { path } else { "index.html" };
    // What was compressed is sent as the file that it was, never by its own name.
    let is_compressed = ENCODINGS.iter().any(|(_, ending)| name.ends_with(ending));
    let Some(plain) = find(name).filter(|_| !is_compressed) else {
        let problem = Problem::new(StatusCode::NOT_FOUND, "unknown", "nothing is there", "/");
        return problem.into_response();
    };
    let compressed =
        ENCODINGS.map(|(word, ending)| Some((word, find(&format!("{name}{ending}"))?)));
    let varies = compressed.iter().any(Option::is_some);
    let chosen = compressed.into_iter().flatten().find(|(word, _)| accepts(asked, word));
    let (encoding, file) = chosen.map_or((None, plain), |(word, file)| (Some(word), file));

    // Files with a hash in their names never change.
    let lasting = path.starts_with("assets/");
    let cache = if lasting { "public, max-age=31536000, immutable" } else { "no-cache" };
    // The hash is of what is sent: each encoding has a tag of its own.
    let tag = format!("\"{}\"", HEXLOWER.encode(&file.hash));
    let known = items(asked, header::IF_NONE_MATCH)
        .any(|one| one == "*" || one.trim_start_matches("W/") == tag);
    let tag = HeaderValue::try_from(tag).expect("hexadecimal digits in quotes are a header");
    let mut answer = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, kind(name))], Body::from(file.data)).into_response()
    };
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.insert(header::ETAG, tag);
    if varies {
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    if let Some(word) = encoding.filter(|_| !known) {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(word));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of which the script was compressed in both ways, and the picture in none.
    fn tried(name: &str) -> Option<File> {
        let place = ["index.html", "assets/a.js", "assets/a.js.br", "assets/a.js.gz", "icon.png"]
            .iter()
            .position(|one| *one == name)?;
        let data = name.as_bytes().to_vec().into();
        Some(File { data, hash: [u8::try_from(place).unwrap(); 32] })
    }

    const SCRIPT: &str = "text/javascript; charset=utf-8";

    fn ask(path: &str, headers: &[(HeaderName, &str)]) -> Response {
        let mut asked = HeaderMap::new();
        for (name, value) in headers {
            asked.append(name, value.parse().unwrap());
        }
        file(path, &asked, tried)
    }

    fn says(answer: &Response, name: &HeaderName) -> String {
        answer.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned()
    }

    #[test]
    fn a_file_is_sent_in_the_smallest_encoding_that_the_request_takes() {
        for (asked, sent) in [
            ("gzip, deflate, br, zstd", "br"),
            ("gzip", "gzip"),
            ("GZIP;q=0.5, br;q=0", "gzip"),
            ("*", "br"),
            ("br;q=0, *", "gzip"),
            ("*;q=0", ""),
            ("identity", ""),
            ("br;q=much", ""),
            ("", ""),
        ] {
            let answer = ask("assets/a.js", &[(header::ACCEPT_ENCODING, asked)]);
            assert_eq!(says(&answer, &header::CONTENT_ENCODING), sent, "{asked}");
            // A cache between must know that another request gets another answer.
            assert_eq!(says(&answer, &header::VARY), "accept-encoding", "{asked}");
            assert_eq!(says(&answer, &header::CONTENT_TYPE), SCRIPT, "{asked}");
            assert!(says(&answer, &header::CACHE_CONTROL).ends_with("immutable"), "{asked}");
        }
        let answer = ask("icon.png", &[(header::ACCEPT_ENCODING, "gzip, br")]);
        assert_eq!(says(&answer, &header::CONTENT_ENCODING), "");
        assert_eq!(says(&answer, &header::VARY), "");
    }

    #[test]
    fn what_the_browser_has_is_not_sent_again_and_each_encoding_has_a_tag() {
        let accept = |encoding| (header::ACCEPT_ENCODING, encoding);
        let tag = |encoding| says(&ask("assets/a.js", &[accept(encoding)]), &header::ETAG);
        let [plain, gzip, br] = ["identity", "gzip", "br"].map(tag);
        assert!(plain != gzip && gzip != br && br != plain, "{plain} {gzip} {br}");
        let listed = format!("\"other\", W/{br}");
        for (known, encoding, status) in [
            (br.as_str(), "br", StatusCode::NOT_MODIFIED),
            (listed.as_str(), "br", StatusCode::NOT_MODIFIED),
            (gzip.as_str(), "br", StatusCode::OK),
        ] {
            let headers = [accept(encoding), (header::IF_NONE_MATCH, known)];
            let answer = ask("assets/a.js", &headers);
            assert_eq!(answer.status(), status, "{known}");
            assert_eq!(says(&answer, &header::ETAG), br, "{known}");
            assert_eq!(says(&answer, &header::VARY), "accept-encoding", "{known}");
        }
        let home = says(&ask("", &[]), &header::ETAG);
        assert_eq!(ask("table/t1", &[(header::IF_NONE_MATCH, &home)]).status(), 304);
    }

    #[test]
    fn a_compressed_file_has_no_address_of_its_own() {
        for path in ["assets/a.js.br", "assets/a.js.gz", "assets/b.js"] {
            assert_eq!(ask(path, &[]).status(), StatusCode::NOT_FOUND, "{path}");
        }
    }
}
