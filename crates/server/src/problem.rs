//! Why something was not done, as a problem document: a code, what is wrong, the clause or limit
//! that it rests on, what would do.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use live::LiveError;
use rules::Clause;
use schemars::JsonSchema;
use serde::Serialize;
use table::{Code, Refusal};

/// The codes of the door's own problems, and what they mean. Refusals have those of the table.
pub(crate) const OWN_CODES: [(&str, &str); 17] = [
    ("bad-request", "Something that cannot be read, or cannot be"),
    ("begun", "It is there already"),
    ("door", "The door's file fails: nobody can sign in at the moment"),
    ("elsewhere", "The request is for a name that is none of this server's"),
    ("failed", "The server failed"),
    ("locked", "A log or a table that is locked"),
    ("no-entropy", "The system gives no randomness"),
    ("no-link", "A one-time link that is no good any more, or never was"),
    ("not-ready", "No orders are taken"),
    ("signed-out", "Nobody is signed in, or the session is over"),
    ("stopped", "The table has stopped, and nothing is acknowledged"),
    ("too-large", "More than is taken at once"),
    ("too-many", "Too often, or more than may be; `retry_after` says when to ask again"),
    ("too-slow", "A body that did not come in time"),
    ("unknown", "It is not there"),
    ("wrong-method", "A method that is not answered there"),
    ("wrong-password", "Name and password do not go together"),
];

/// Whether the page of the API says what a code means.
fn is_known(code: &str) -> bool {
    let own = OWN_CODES.iter().any(|(own, _)| *own == code);
    own || Code::ALL.iter().any(|known| known.key() == code)
}

/// Why something was not done.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Problem(Box<Content>);

impl JsonSchema for Problem {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Problem".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Content::json_schema(generator)
    }
}

/// Why something was not done.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Content {
    /// The kind of problem, as a place in this API's description.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The status of the answer.
    pub(crate) status: u16,
    /// The stable code.
    pub(crate) code: String,
    /// What is wrong.
    pub(crate) title: String,
    /// The clauses that it rests on, if any speak.
    #[schemars(with = "Vec<String>")]
    pub(crate) clauses: Vec<Clause>,
    /// What would do.
    pub(crate) instead: String,
    /// In how many seconds to ask again, where that would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after: Option<u64>,
}

impl Problem {
    pub(crate) fn new(
        status: StatusCode,
        code: &str,
        title: impl Into<String>,
        instead: impl Into<String>,
    ) -> Self {
        debug_assert!(is_known(code), "`{code}` is no code of OWN_CODES, which the page tells");
        Self(Box::new(Content {
            kind: format!("/api#problem-{code}"),
            status: status.as_u16(),
            code: code.into(),
            title: title.into(),
            clauses: Vec::new(),
            instead: instead.into(),
            retry_after: None,
        }))
    }

    pub(crate) fn bad(what: impl Into<String>, instead: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", what, instead)
    }

    pub(crate) fn unknown(what: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "unknown", what, "look at the list that has them all")
    }

    pub(crate) fn nobody() -> Self {
        let (what, instead) = ("nobody is signed in", "POST /api/v1/guests, or sign in");
        Self::new(StatusCode::UNAUTHORIZED, "signed-out", what, instead)
    }

    pub(crate) fn not_yours(what: impl Into<String>, instead: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, Code::NotTheirs.key(), what, instead)
    }

    pub(crate) fn too_many(what: impl Into<String>, seconds: u64) -> Self {
        let instead = format!("ask again in {seconds} s");
        let mut problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "too-many", what, instead);
        problem.retry_after = Some(seconds);
        problem
    }

    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl std::ops::Deref for Problem {
    type Target = Content;

    fn deref(&self) -> &Content {
        &self.0
    }
}

impl std::ops::DerefMut for Problem {
    fn deref_mut(&mut self) -> &mut Content {
        &mut self.0
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal.code {
            Code::NotTheirs => StatusCode::FORBIDDEN,
            Code::KeyReused | Code::SecondPerson => StatusCode::CONFLICT,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let (what, instead) = (refusal.what.clone(), refusal.instead.clone());
        let mut problem = Self::new(status, refusal.code.key(), what, instead);
        problem.clauses = refusal.clause.into_iter().chain(refusal.also.iter().copied()).collect();
        problem
    }
}

impl From<LiveError> for Problem {
    fn from(fault: LiveError) -> Self {
        match fault {
            LiveError::Unknown(what) => {
                Self::unknown(format!("there is no `{what}` on this floor"))
            }
            LiveError::Begun(what) => {
                let instead = "go on with it, or name another";
                Self::new(StatusCode::CONFLICT, "begun", format!("`{what}` is there"), instead)
            }
            LiveError::Locked(_) => {
                let instead = "ask the operator";
                Self::new(StatusCode::LOCKED, "locked", fault.to_string(), instead)
            }
            LiveError::Store(store::StoreError::KeyReused(_)) => {
                let (what, instead) =
                    ("a key that was used for something else", "a key of its own");
                Self::new(StatusCode::CONFLICT, Code::KeyReused.key(), what, instead)
            }
            LiveError::Book(why) => Self::bad(why, "one of GET /api/v1/books"),
            other => {
                // What stopped is told; what a disk said is for the house's own log.
                tracing::error!(fault = %other, "the floor failed");
                let what = "the table has stopped, and is not acknowledged anything";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "stopped", what, "ask the operator")
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, retry) = (self.status(), self.retry_after);
        let mut response = (status, Json(self)).into_response();
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        if let Some(seconds) = retry {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// An answer, or why there is none.
pub(crate) type Answered<T> = Result<Json<T>, Problem>;
