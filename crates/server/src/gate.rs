//! Who may connect: so many at once, in all and from one address, and nobody who leaves the server
//! waiting for a request or with an answer that is not read.

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
use tokio::time::Sleep;

use crate::bounds::{Count, Counts, One, Place, network};
use crate::config::Config;

/// Connections for each socket that may be open: a page has more than its socket.
const FOR_A_SOCKET: u32 = 2;
/// What a client of HTTP/2 sends first.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Requests at once on a connection of HTTP/2.
const MOST_STREAMS: u32 = 32;

/// Lets connections in as long as there is room. Clones count together.
#[derive(Clone)]
pub(crate) struct Gate<A> {
    inner: A,
    all: Arc<Count>,
    each: Counts,
    most_each: u32,
    patience: Duration,
    /// Proxies, which stand for many addresses.
    trusted: Arc<[IpAddr]>,
}

type Places = (One, Option<Place>);

impl<A> Gate<A> {
    /// A gate before whatever makes a stream of a connection.
    pub(crate) fn new(config: &Config, inner: A) -> Self {
        Self {
            inner,
            all: Count::new(config.most_connections()),
            each: Counts::default(),
            most_each: config.sockets_per_address.saturating_mul(FOR_A_SOCKET),
            patience: config.patience(),
            trusted: config.trusted.clone().into(),
        }
    }

    fn room(&self, stream: &TcpStream) -> io::Result<Places> {
        let full = || io::Error::new(ErrorKind::ConnectionRefused, "too many connections");
        let address = stream.peer_addr()?.ip().to_canonical();
        let one = self.all.one().ok_or_else(full)?;
        if self.trusted.contains(&address) {
            return Ok((one, None));
        }
        let place = self.each.one(network(address), self.most_each).ok_or_else(full)?;
        Ok((one, Some(place)))
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

impl<A, S> Accept<TcpStream, S> for Gate<A>
where
    A: Accept<TcpStream, S>,
    A::Future: Send + 'static,
{
    type Stream = Held<A::Stream>;
    type Service = A::Service;
    type Future = Pin<Box<dyn Future<Output = io::Result<(Self::Stream, A::Service)>> + Send>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let places = self.room(&stream).and_then(|places| {
            stream.set_nodelay(true)?;
            Ok(places)
        });
        let places = match places {
            Ok(places) => places,
            Err(full) => return Box::pin(async { Err(full) }),
        };
        let (accepted, patience) = (self.inner.accept(stream, service), self.patience);
        Box::pin(async move {
            let late = || io::Error::from(ErrorKind::TimedOut);
            let accepted = tokio::time::timeout(patience, accepted).await;
            let (stream, service) = accepted.map_err(|_| late())??;
            let deadline = Some(Box::pin(tokio::time::sleep(patience)));
            let held =
                Held { stream, deadline, matched: 0, patience, stalled: None, _places: places };
            Ok((held, service))
        })
    }
}

/// How connections are served: a head of a request that does not come in time ends the connection,
/// and so does a client of HTTP/2 that does not answer.
pub(crate) fn builder(patience: Duration) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(patience);
    let mut second = builder.http2();
    second.timer(TokioTimer::new()).max_concurrent_streams(MOST_STREAMS);
    second.keep_alive_interval(patience).keep_alive_timeout(patience);
    builder
}

/// A connection, which is counted as long as it is open.
pub(crate) struct Held<S> {
    stream: S,
    /// Until when it must be known how the client speaks; the times of HTTP begin only then.
    deadline: Option<Pin<Box<Sleep>>>,
    /// How much of [`PREFACE`] has come.
    matched: usize,
    /// How long the client may leave what is written unread.
    patience: Duration,
    /// Until when the client must read on, while nothing more can be written.
    stalled: Option<Pin<Box<Sleep>>>,
    _places: Places,
}

impl<S> Held<S> {
    /// The client speaks HTTP/1 with the first byte that differs, HTTP/2 with the last that does
    /// not.
    fn hear(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if PREFACE.get(self.matched) != Some(byte) {
                self.deadline = None;
                return;
            }
            self.matched += 1;
        }
        if self.matched == PREFACE.len() {
            self.deadline = None;
        }
    }
}

impl<S> Held<S> {
    /// What became of a write: one that waits for the client fails in the end. Any progress begins
    /// the time anew.
    fn wrote<T>(
        &mut self,
        context: &mut Context<'_>,
        wrote: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if wrote.is_ready() {
            self.stalled = None;
            return wrote;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        match stalled.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Held<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if let Some(deadline) = &mut self.deadline {
            match read {
                Poll::Pending if deadline.as_mut().poll(context).is_ready() => {
                    return Poll::Ready(Err(ErrorKind::TimedOut.into()));
                }
                Poll::Pending => {}
                Poll::Ready(_) => self.hear(&buffer.filled()[before..]),
            }
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Held<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(context, wrote)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.wrote(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.wrote(context, shut)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.wrote(context, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
