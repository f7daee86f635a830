//! A list that is cheap to copy: its blocks are shared until they change.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How many elements a block has: a power of two, as every access divides by it.
pub(crate) const BLOCK: usize = 32;

/// A list that owns its newest elements, at most `OWN`, and keeps the older ones in blocks. A copy
/// shares the blocks, and a change copies one block. So the cost of a decision on a copy of a table
/// does not grow with the number of past players and coups. The elements that change most are among
/// the newest, where a change need not check whether a block is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared<T, const OWN: usize> {
    /// The blocks; all but the last are full.
    blocks: Vec<Arc<Vec<T>>>,
    /// How many elements lie in blocks.
    blocked: usize,
    newest: Vec<T>,
}

impl<T, const OWN: usize> Default for Shared<T, OWN> {
    fn default() -> Self {
        Self { blocks: Vec::new(), blocked: 0, newest: Vec::new() }
    }
}

impl<T, const OWN: usize> Shared<T, OWN> {
    /// The number of elements.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.blocked + self.newest.len()
    }

    /// Whether the list is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at a position.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&T> {
        match index.checked_sub(self.blocked) {
            Some(index) => self.newest.get(index),
            None => self.blocks.get(index / BLOCK)?.get(index % BLOCK),
        }
    }

    /// The first element.
    #[must_use]
    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    /// The last element.
    #[must_use]
    pub const fn last(&self) -> Option<&T> {
        self.newest.as_slice().last()
    }

    /// The last element, to be changed.
    pub(crate) const fn last_mut(&mut self) -> Option<&mut T> {
        self.newest.as_mut_slice().last_mut()
    }

    /// All elements in order.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.blocks.iter().flat_map(|block| block.iter()).chain(&self.newest)
    }

    /// Drops the oldest elements, so many blocks of them.
    pub(crate) fn forget(&mut self, blocks: usize) {
        let gone = self.blocks.drain(..blocks.min(self.blocks.len()));
        self.blocked -= gone.map(|block| block.len()).sum::<usize>();
    }
}

impl<T: Clone, const OWN: usize> Shared<T, OWN> {
    /// The latest element that satisfies the condition, to be changed.
    pub(crate) fn find_mut(&mut self, such: impl Fn(&T) -> bool) -> Option<&mut T> {
        if let Some(found) = self.newest.iter().rposition(&such) {
            return self.newest.get_mut(found);
        }
        let block = self.blocks.iter_mut().rev().find(|block| block.iter().any(&such))?;
        Arc::make_mut(block).iter_mut().rev().find(|one| such(one))
    }

    /// Adds an element.
    pub(crate) fn push(&mut self, one: T) {
        if self.newest.len() >= OWN {
            let oldest = self.newest.remove(0);
            self.put_away(oldest);
        }
        self.newest.push(one);
    }

    fn put_away(&mut self, one: T) {
        self.blocked += 1;
        if let Some(last) = self.blocks.last_mut().filter(|last| last.len() < BLOCK) {
            return Arc::make_mut(last).push(one);
        }
        let mut block = Vec::with_capacity(BLOCK);
        block.push(one);
        self.blocks.push(Arc::new(block));
    }
}

impl<T, const OWN: usize> Index<usize> for Shared<T, OWN> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        match index.checked_sub(self.blocked) {
            Some(index) => &self.newest[index],
            None => &self.blocks[index / BLOCK][index % BLOCK],
        }
    }
}

impl<T: Clone, const OWN: usize> IndexMut<usize> for Shared<T, OWN> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        match index.checked_sub(self.blocked) {
            Some(index) => &mut self.newest[index],
            None => &mut Arc::make_mut(&mut self.blocks[index / BLOCK])[index % BLOCK],
        }
    }
}

impl<T: Clone, const OWN: usize> FromIterator<T> for Shared<T, OWN> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        let mut shared = Self::default();
        all.into_iter().for_each(|one| shared.push(one));
        shared
    }
}

/// The stored form is a plain list.
impl<T: Serialize, const OWN: usize> Serialize for Shared<T, OWN> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, T: Clone + Deserialize<'de>, const OWN: usize> Deserialize<'de> for Shared<T, OWN> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_does_not_see_what_changes_later() {
        let mut list: Shared<u32, 3> = (0..40).collect();
        let copy = list.clone();
        (list[3], list[38]) = (100, 380);
        list.push(40);
        *list.find_mut(|one| *one == 20).unwrap() = 200;
        *list.find_mut(|one| *one == 39).unwrap() = 390;
        assert_eq!(copy, (0..40).collect());
        assert_eq!((list[3], list[20], list[38], list[39]), (100, 200, 380, 390));
        assert_eq!((list.len(), list.last(), list.get(41)), (41, Some(&40), None));
        assert!(list.iter().rev().eq((0..41).rev().map(|i| &list[i])));
        assert!((0..41).all(|i| list.get(i) == Some(&list[i])));
    }

    #[test]
    fn the_latest_of_several_is_found() {
        let mut list: Shared<(u32, u32), 2> = (0..100).map(|i| (i % 7, i)).collect();
        for _ in 0..2 {
            list.push((9, 0));
        }
        assert_eq!(list.find_mut(|one| one.0 == 1), Some(&mut (1, 99)));
        assert_eq!(list.find_mut(|one| one.0 == 8), None);
    }

    #[test]
    fn the_oldest_are_forgotten_in_blocks() {
        let mut list: Shared<usize, 1> = (0..41).collect();
        list.forget(1);
        assert_eq!((list.first(), list.len()), (Some(&BLOCK), 41 - BLOCK));
        list.forget(5);
        assert_eq!((list.first(), list.len(), list.get(1)), (Some(&40), 1, None));
        let empty: Shared<usize, 1> = Shared::default();
        assert!(empty.is_empty() && empty.first().is_none() && !list.is_empty());
    }
}
