//! A client of the API: for the terminal, and for tests and benchmarks of the server.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use http_body_util::{BodyExt as _, Full};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Http;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};
use tokio_tungstenite::{Connector, MaybeTlsStream, WebSocketStream};

/// How long an answer is waited for. A server that lives answers within a moment; one that does not
/// must not keep a screen or a script waiting for ever.
const PATIENCE: Duration = Duration::from_mins(1);

/// What kept a request from being answered.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody answers there.
    #[error("no answer from {0}: {1}")]
    NoAnswer(String, String),
    /// The answer is no JSON.
    #[error("{0} answers what no sabot would: {1}")]
    Strange(String, String),
    /// The socket fails.
    #[error("the socket fails: {0}")]
    Socket(#[from] Box<SocketError>),
}

/// An answer: its status and its document.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The document.
    pub body: Value,
    /// The cookies that were set, the session's first.
    pub cookies: Vec<String>,
}

impl Reply {
    /// Whether it was done.
    #[must_use]
    pub const fn is_good(&self) -> bool {
        self.status < 300
    }
}

/// Somebody who speaks to a server.
#[derive(Clone, Debug)]
pub struct Client {
    address: String,
    token: Option<String>,
    tls: Arc<ClientConfig>,
    http: Http<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

/// A fault with what it comes from.
fn causes(fault: &dyn std::error::Error) -> String {
    let mut text = fault.to_string();
    let mut cause = fault.source();
    while let Some(fault) = cause {
        text = format!("{text}: {fault}");
        cause = fault.source();
    }
    text
}

/// How a server is known: by the certificates that this system trusts, or those of the file that
/// `SSL_CERT_FILE` names. Whoever is reached without TLS is not asked.
fn trusted(address: &str) -> Arc<ClientConfig> {
    // Another part of the program may have chosen one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut roots = RootCertStore::empty();
    if address.starts_with("https:") {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth())
}

impl Client {
    /// A client of the server at an address such as `http://127.0.0.1:7373`.
    #[must_use]
    pub fn new(address: &str) -> Self {
        let tls = trusted(address);
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.enforce_http(false);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(ClientConfig::clone(&tls))
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        // The server ends a connection on which nothing is asked for a while.
        let http = Http::builder(TokioExecutor::new())
            .pool_idle_timeout(Duration::from_secs(10))
            .pool_timer(TokioTimer::new())
            .build(connector);
        Self { address: address.trim_end_matches('/').into(), token: None, tls, http }
    }

    /// The same, as somebody.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.into());
        self
    }

    /// The token.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Sends a request with these headers.
    ///
    /// # Errors
    ///
    /// When nobody answers.
    pub async fn request(
        &self,
        (method, path): (&str, &str),
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Result<Reply, ClientError> {
        let fault = |why: String| ClientError::NoAnswer(self.address.clone(), why);
        let mut request =
            hyper::Request::builder().method(method).uri(format!("{}{path}", self.address));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(body.into())).map_err(|why| fault(why.to_string()))?;
        let answer = tokio::time::timeout(PATIENCE, self.answer(request)).await;
        answer.unwrap_or_else(|_| Err(fault(format!("none within {} s", PATIENCE.as_secs()))))
    }

    async fn answer(&self, request: hyper::Request<Full<Bytes>>) -> Result<Reply, ClientError> {
        let fault = |why: String| ClientError::NoAnswer(self.address.clone(), why);
        let answer = self.http.request(request).await.map_err(|why| fault(causes(&why)))?;
        let status = answer.status().as_u16();
        let cookies = answer.headers().get_all("set-cookie").iter();
        let cookies = cookies.filter_map(|line| Some(line.to_str().ok()?.to_owned())).collect();
        let body = answer.into_body().collect().await.map_err(|why| fault(why.to_string()))?;
        let body = body.to_bytes();
        let text = || Value::String(String::from_utf8_lossy(&body).into_owned());
        let body = serde_json::from_slice(&body).unwrap_or_else(|_| text());
        Ok(Reply { status, body, cookies })
    }

    /// Asks for a document.
    ///
    /// # Errors
    ///
    /// When nobody answers.
    pub async fn get(&self, path: &str) -> Result<Reply, ClientError> {
        self.request(("GET", path), &[], Vec::new()).await
    }

    /// Sends a document.
    ///
    /// # Errors
    ///
    /// When nobody answers.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Reply, ClientError> {
        let kind = [("content-type", "application/json")];
        self.request(("POST", path), &kind, body.to_string().into_bytes()).await
    }

    /// Says a line at a table under a key.
    ///
    /// # Errors
    ///
    /// When nobody answers.
    pub async fn say(&self, table: &str, key: &str, line: &str) -> Result<Reply, ClientError> {
        let body = serde_json::json!({ "key": key, "line": line });
        self.post(&format!("/api/v1/tables/{table}/orders"), &body).await
    }

    /// Becomes a guest.
    ///
    /// # Errors
    ///
    /// When nobody answers, or no guests are taken.
    pub async fn guest(&self, name: Option<&str>) -> Result<Self, ClientError> {
        let reply = self.post("/api/v1/guests", &serde_json::json!({ "name": name })).await?;
        match reply.body["token"].as_str() {
            Some(token) => Ok(self.clone().with_token(token)),
            None => Err(ClientError::Strange(self.address.clone(), reply.body.to_string())),
        }
    }

    /// Opens a socket with these headers.
    ///
    /// # Errors
    ///
    /// When it is not opened.
    pub async fn socket(&self, headers: &[(&'static str, &str)]) -> Result<Socket, ClientError> {
        let address = format!("{}/api/v1/socket", self.address.replacen("http", "ws", 1));
        let mut request = address.into_client_request().map_err(Box::new)?;
        let put =
            |value: &str| HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static(""));
        if let Some(token) = &self.token {
            request.headers_mut().insert("authorization", put(&format!("Bearer {token}")));
        }
        for (name, value) in headers {
            request.headers_mut().insert(*name, put(value));
        }
        // A message goes out at once: somebody is waiting for it.
        let (limits, at_once) = (None, true);
        let tls = Some(Connector::Rustls(self.tls.clone()));
        let open = tokio_tungstenite::connect_async_tls_with_config(request, limits, at_once, tls);
        let (stream, _) = open.await.map_err(Box::new)?;
        Ok(Socket { stream, why: None })
    }
}

/// An open socket.
#[derive(Debug)]
pub struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// Why the server closed it.
    why: Option<(u16, String)>,
}

impl Socket {
    /// Sends a message.
    ///
    /// # Errors
    ///
    /// When the socket is closed.
    pub async fn send(&mut self, message: &Value) -> Result<(), ClientError> {
        self.send_text(&message.to_string()).await
    }

    /// Sends any text.
    ///
    /// # Errors
    ///
    /// When the socket is closed.
    pub async fn send_text(&mut self, text: &str) -> Result<(), ClientError> {
        Ok(self.stream.send(Message::text(text)).await.map_err(Box::new)?)
    }

    /// Sends bytes, which the server does not take.
    ///
    /// # Errors
    ///
    /// When the socket is closed.
    pub async fn send_bytes(&mut self, bytes: Vec<u8>) -> Result<(), ClientError> {
        Ok(self.stream.send(Message::binary(bytes)).await.map_err(Box::new)?)
    }

    /// Sends a ping of the protocol.
    ///
    /// # Errors
    ///
    /// When the socket is closed.
    pub async fn ping(&mut self) -> Result<(), ClientError> {
        Ok(self.stream.send(Message::Ping(Bytes::new())).await.map_err(Box::new)?)
    }

    /// The next message; nothing when the socket is closed.
    ///
    /// # Errors
    ///
    /// When the socket fails.
    pub async fn next(&mut self) -> Result<Option<Value>, ClientError> {
        while let Some(message) = self.stream.next().await {
            match message.map_err(Box::new)? {
                Message::Text(text) => return Ok(serde_json::from_str(&text).ok()),
                Message::Close(said) => {
                    self.why = said.map(|said| (said.code.into(), said.reason.to_string()));
                    return Ok(None);
                }
                Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
        Ok(None)
    }

    /// Why the server closed it, if it said so: the code and the reason.
    #[must_use]
    pub fn why_closed(&self) -> Option<(u16, &str)> {
        self.why.as_ref().map(|(code, reason)| (*code, reason.as_str()))
    }
}
