//! What waits to be sent on a socket: bounded in messages and in bytes, and in bytes for all the
//! sockets of an address. Whoever has something to send waits for room before it is made.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::PATIENCE;
use crate::bounds::{MOST_WAITING, MOST_WAITING_BYTES};

/// Where messages of a socket wait.
#[derive(Clone, Debug)]
pub(super) struct Out {
    queue: mpsc::Sender<Waiting>,
    own: Arc<Semaphore>,
    of_address: Arc<Semaphore>,
}

/// A message that waits, with its room, which is free again when it was sent.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) text: Utf8Bytes,
    _room: Room,
}

/// Room for so many bytes.
#[derive(Debug)]
pub(super) struct Room {
    own: OwnedSemaphorePermit,
    of_address: OwnedSemaphorePermit,
}

impl Room {
    /// The part of it that a text needs; a text that is longer than all of it has all of it.
    fn part(&mut self, text: &Utf8Bytes) -> Option<Self> {
        let bytes = text.len().max(1).min(self.own.num_permits());
        Some(Self { own: self.own.split(bytes)?, of_address: self.of_address.split(bytes)? })
    }
}

impl Out {
    /// A queue for a socket of an address whose sockets share that room.
    pub(super) fn new(of_address: Arc<Semaphore>) -> (Self, mpsc::Receiver<Waiting>) {
        let (queue, waiting) = mpsc::channel(MOST_WAITING);
        let own = usize::try_from(MOST_WAITING_BYTES).unwrap_or(usize::MAX);
        (Self { queue, own: Arc::new(Semaphore::new(own)), of_address }, waiting)
    }

    async fn bytes(&self, bytes: u32) -> Option<Room> {
        let own = self.own.clone().acquire_many_owned(bytes).await.ok()?;
        let of_address = self.of_address.clone().acquire_many_owned(bytes).await.ok()?;
        Some(Room { own, of_address })
    }

    /// All the room of the socket, for something whose length is not known yet: nothing waits any
    /// more.
    pub(super) async fn room(&self) -> Option<Room> {
        self.bytes(MOST_WAITING_BYTES).await
    }

    /// Lets texts wait in room that was had before; whether the socket still sends.
    pub(super) async fn fill(&self, mut room: Room, texts: Vec<Utf8Bytes>) -> bool {
        for text in texts {
            let Some(part) = room.part(&text) else { return false };
            if self.queue.send(Waiting { text, _room: part }).await.is_err() {
                return false;
            }
        }
        true
    }

    /// Lets a text wait, however long that takes; whether the socket still sends.
    pub(super) async fn put(&self, text: Utf8Bytes) -> bool {
        let bytes = u32::try_from(text.len()).unwrap_or(u32::MAX).clamp(1, MOST_WAITING_BYTES);
        let Some(room) = self.bytes(bytes).await else { return false };
        self.queue.send(Waiting { text, _room: room }).await.is_ok()
    }

    /// Lets a text wait, unless the reader left something lying for too long.
    pub(super) async fn tell(&self, text: Utf8Bytes) -> bool {
        tokio::time::timeout(PATIENCE, self.put(text)).await.unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: u32) -> Utf8Bytes {
        "x".repeat(bytes as usize).into()
    }

    #[tokio::test]
    async fn what_waits_is_bounded_in_bytes() {
        let (out, mut waiting) = Out::new(Arc::new(Semaphore::new(1 << 20)));
        assert!(out.put(text(MOST_WAITING_BYTES / 2)).await);
        assert!(out.put(text(MOST_WAITING_BYTES / 2)).await);
        let third = tokio::spawn(async move { out.put(text(1)).await });
        tokio::task::yield_now().await;
        assert!(!third.is_finished(), "there is no room for a third");
        drop(waiting.recv().await.unwrap());
        assert!(third.await.unwrap());
        assert_eq!(waiting.recv().await.unwrap().text.len(), (MOST_WAITING_BYTES / 2) as usize);
        assert_eq!(waiting.recv().await.unwrap().text.len(), 1);
        assert!(waiting.recv().await.is_none());
    }

    #[tokio::test]
    async fn the_sockets_of_an_address_share_their_room() {
        let of_address = Arc::new(Semaphore::new(MOST_WAITING_BYTES as usize));
        let (one, mut waiting) = Out::new(of_address.clone());
        let (other, _kept) = Out::new(of_address);
        // What is longer than all the room has all of it.
        assert!(one.put(text(MOST_WAITING_BYTES * 2)).await);
        let second = tokio::spawn(async move { other.room().await.is_some() });
        tokio::task::yield_now().await;
        assert!(!second.is_finished(), "another socket has taken it all");
        drop(waiting.recv().await);
        assert!(second.await.unwrap());
    }

    #[tokio::test]
    async fn room_that_was_had_is_given_back_as_far_as_it_is_not_needed() {
        let (out, mut waiting) = Out::new(Arc::new(Semaphore::new(1 << 20)));
        let room = out.room().await.unwrap();
        assert!(out.fill(room, vec![text(10), text(MOST_WAITING_BYTES), text(5)]).await);
        let free = |out: &Out| out.own.available_permits();
        assert_eq!(free(&out), 0, "the first two take all, and the third waits beside them");
        for left in [10, MOST_WAITING_BYTES as usize] {
            drop(waiting.recv().await);
            assert_eq!(free(&out), left);
        }
    }
}
