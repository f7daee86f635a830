//! A list that is cheap to copy: its blocks are shared until they change.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How many elements a block has.
pub(crate) const BLOCK: usize = 20;

/// A list in blocks. A copy shares all of them, and a change copies one: what a decision on a copy
/// of a table costs does not grow with the players and coups that the table has had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared<T> {
    /// All are full but the last.
    blocks: Vec<Arc<Vec<T>>>,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self { blocks: Vec::new() }
    }
}

impl<T> Shared<T> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.last().map_or(0, |last| (self.blocks.len() - 1) * BLOCK + last.len())
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The one at a place.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&T> {
        self.blocks.get(index / BLOCK)?.get(index % BLOCK)
    }

    /// The first.
    #[must_use]
    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    /// The last.
    #[must_use]
    pub fn last(&self) -> Option<&T> {
        self.blocks.last()?.last()
    }

    /// All of them in order.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.blocks.iter().flat_map(|block| block.iter())
    }
}

impl<T: Clone> Shared<T> {
    /// The last, to be changed.
    pub(crate) fn last_mut(&mut self) -> Option<&mut T> {
        Arc::make_mut(self.blocks.last_mut()?).last_mut()
    }

    /// The latest that is such, to be changed.
    pub(crate) fn find_mut(&mut self, such: impl Fn(&T) -> bool) -> Option<&mut T> {
        let block = self.blocks.iter_mut().rev().find(|block| block.iter().any(&such))?;
        Arc::make_mut(block).iter_mut().rev().find(|one| such(one))
    }

    /// Adds one.
    pub(crate) fn push(&mut self, one: T) {
        if let Some(last) = self.blocks.last_mut().filter(|last| last.len() < BLOCK) {
            return Arc::make_mut(last).push(one);
        }
        let mut block = Vec::with_capacity(BLOCK);
        block.push(one);
        self.blocks.push(Arc::new(block));
    }

    /// Forgets the oldest, so many blocks of them.
    pub(crate) fn forget(&mut self, blocks: usize) {
        self.blocks.drain(..blocks.min(self.blocks.len()));
    }
}

impl<T> Index<usize> for Shared<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        &self.blocks[index / BLOCK][index % BLOCK]
    }
}

impl<T: Clone> IndexMut<usize> for Shared<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut Arc::make_mut(&mut self.blocks[index / BLOCK])[index % BLOCK]
    }
}

impl<T: Clone> FromIterator<T> for Shared<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        let mut shared = Self::default();
        all.into_iter().for_each(|one| shared.push(one));
        shared
    }
}

/// Stored as a plain list.
impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, T: Clone + Deserialize<'de>> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_does_not_see_what_changes_later() {
        let mut list: Shared<u32> = (0..40).collect();
        let copy = list.clone();
        list[3] = 100;
        list.push(40);
        *list.find_mut(|one| *one == 20).unwrap() = 200;
        assert_eq!(copy, (0..40).collect());
        assert_eq!((list[3], list[20], list.len(), list.last()), (100, 200, 41, Some(&40)));
        assert!(list.iter().rev().eq((0..41).rev().map(|i| &list[i])));
    }

    #[test]
    fn the_oldest_are_forgotten_in_blocks() {
        let mut list: Shared<usize> = (0..40).collect();
        list.forget(1);
        assert_eq!((list.first(), list.len()), (Some(&BLOCK), 40 - BLOCK));
        list.forget(5);
        assert!(list.is_empty() && list.first().is_none() && list.get(0).is_none());
    }
}
