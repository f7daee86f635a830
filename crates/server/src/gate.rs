//! Who may connect: so many at once, in all and from one address, and nobody who leaves the server
//! waiting for a request.

use std::future::Ready;
use std::io::{self, ErrorKind, IoSlice};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum_server::accept::Accept;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::bounds::{Count, Counts, One, Place};
use crate::config::Config;

/// Connections for each socket that may be open: a page has more than its socket.
const FOR_A_SOCKET: u32 = 2;

/// Lets connections in as long as there is room. Clones count together.
#[derive(Clone)]
pub(crate) struct Gate {
    all: Arc<Count>,
    each: Counts,
    most_each: u32,
    /// Proxies, which stand for many addresses.
    trusted: Arc<[IpAddr]>,
}

impl Gate {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            all: Count::new(config.most_connections()),
            each: Counts::default(),
            most_each: config.sockets_per_address.saturating_mul(FOR_A_SOCKET),
            trusted: config.trusted.clone().into(),
        }
    }

    fn let_in(&self, stream: TcpStream) -> io::Result<Held> {
        let full = || io::Error::new(ErrorKind::ConnectionRefused, "too many connections");
        let address = stream.peer_addr()?.ip();
        let one = self.all.one().ok_or_else(full)?;
        let place = if self.trusted.contains(&address) {
            None
        } else {
            Some(self.each.one(address, self.most_each).ok_or_else(full)?)
        };
        stream.set_nodelay(true)?;
        Ok(Held { stream, _places: (one, place) })
    }
}

impl Config {
    /// How long the head of a request, and its body, may take to come.
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_secs(self.request_seconds.into())
    }

    /// Connections that may be open at once.
    #[must_use]
    pub const fn most_connections(&self) -> u32 {
        self.most_sockets.saturating_mul(FOR_A_SOCKET)
    }
}

impl<S> Accept<TcpStream, S> for Gate {
    type Stream = Held;
    type Service = S;
    type Future = Ready<io::Result<(Held, S)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        std::future::ready(self.let_in(stream).map(|held| (held, service)))
    }
}

/// How connections are served: HTTP/1.1, and a head of a request that does not come in time ends
/// the connection.
pub(crate) fn builder(patience: Duration) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(patience);
    builder
}

/// A connection, which is counted as long as it is open.
pub(crate) struct Held {
    stream: TcpStream,
    _places: (One, Option<Place>),
}

impl AsyncRead for Held {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Held {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
