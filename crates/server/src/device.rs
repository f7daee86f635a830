//! Browsers that somebody has signed in from. Each has a cookie of its own beside that of the
//! session, and keeps it when the session ends: it opens nothing, and only tells the browser from
//! others behind the same address. Programs have none.

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use crate::App;

/// The cookie over TLS and over plain HTTP: see the cookies of sessions.
const SAFE: &str = "__Host-sabot-device";
const PLAIN: &str = "sabot-device";
/// The longest that browsers keep one, in seconds.
const AGE: u32 = 400 * 24 * 3600;

fn cookie_name(app: &App) -> &'static str {
    if app.config.is_tls() { SAFE } else { PLAIN }
}

/// The cookie that a request brings, whoever's it is.
#[derive(Debug)]
pub(crate) struct Device(Option<String>);

impl Device {
    pub(crate) fn cookie(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl FromRequestParts<App> for Device {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let lines = parts.headers.get_all(header::COOKIE).iter();
        let mut pairs = lines.filter_map(|line| line.to_str().ok()).flat_map(|l| l.split(';'));
        let own = |pair: &str| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == cookie_name(app)).then(|| value.to_owned())
        };
        Ok(Self(pairs.find_map(own)))
    }
}

/// The line that gives a browser its cookie.
pub(crate) fn device_cookie(app: &App, value: &str) -> String {
    let (name, secure) = (cookie_name(app), if app.config.is_tls() { "; Secure" } else { "" });
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={AGE}{secure}")
}
