//! The merge of sorted sources.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::{iter, mem};

/// Returns the items of sorted sources in order; of equal items, that of the first source comes
/// first. `next` returns the next item of a source, given its number below `sources`.
pub(crate) fn merged<T: Ord, E>(
    sources: usize,
    mut next: impl FnMut(usize) -> Result<Option<T>, E>,
) -> Result<impl Iterator<Item = Result<T, E>>, E> {
    let mut heap = BinaryHeap::with_capacity(sources);
    for source in 0..sources {
        heap.extend(next(source)?.map(|item| Reverse((item, source))));
    }
    Ok(iter::from_fn(move || {
        let mut first = heap.peek_mut()?;
        Some(next(first.0.1).map(|following| match following {
            Some(following) => mem::replace(&mut first.0.0, following),
            None => PeekMut::pop(first).0.0,
        }))
    }))
}
