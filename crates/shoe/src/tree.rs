//! The Merkle tree over the shoe: its root is published and binds every card.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use rules::Card;

use crate::digest::Digest;

/// The hash of a card at its position before the cut, in a shoe of so many cards.
pub(crate) fn leaf(total: u32, position: u32, card: Card, salt: &Digest) -> Digest {
    let (total, position) = (total.to_be_bytes(), position.to_be_bytes());
    Digest::of(&[&[0], &total, &position, card.to_string().as_bytes(), &salt.0])
}

fn node(left: &Digest, right: &Digest) -> Digest {
    Digest::of(&[&[1], &left.0, &right.0])
}

/// Every level, from the leaves to the root.
pub(crate) struct Tree(Vec<Vec<Digest>>);

impl Tree {
    pub(crate) fn over(leaves: Vec<Digest>) -> Self {
        let mut levels = vec![leaves];
        while let Some(last) = levels.last().filter(|last| last.len() > 1) {
            let above = last.chunks(2).map(|pair| match pair {
                [left, right] => node(left, right),
                // The last node of an odd number goes up unchanged.
                single => single[0],
            });
            let above = above.collect();
            levels.push(above);
        }
        Self(levels)
    }

    pub(crate) fn root(&self) -> Digest {
        *self.0.last().and_then(|top| top.first()).expect("a tree has leaves")
    }

    /// The neighbours on the way from a leaf to the root.
    pub(crate) fn path(&self, position: u32) -> Vec<Digest> {
        let mut at = position as usize;
        let mut path = Vec::new();
        for level in &self.0 {
            path.extend(level.get(at ^ 1));
            at /= 2;
        }
        path
    }
}

/// The root that a path leads to from a leaf of a tree with so many leaves; nothing if the path is
/// too long or too short.
pub(crate) fn climb(leaf: Digest, position: u32, leaves: u32, path: &[Digest]) -> Option<Digest> {
    let (mut here, mut at, mut width) = (leaf, position, leaves);
    let mut path = path.iter();
    while width > 1 {
        if at % 2 == 1 {
            here = node(path.next()?, &here);
        } else if at < width - 1 {
            here = node(&here, path.next()?);
        }
        at /= 2;
        width = width.div_ceil(2);
    }
    path.next().is_none().then_some(here)
}
