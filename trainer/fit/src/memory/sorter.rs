//! Sorts more items than fit into memory: writes sorted runs to a temporary file, and merges them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::ops::Range;
use std::{iter, mem};

use memmap2::Mmap;
use rayon::prelude::*;

use super::{MemoryError, MemoryLimit};

pub(crate) trait Stored: Ord + Send {
    /// The greatest size of an item in memory, in bytes.
    const BYTES: u64;

    fn write(&self, bytes: &mut Vec<u8>);

    /// Removes and returns the item with which `bytes` begins; `None` if it is not a valid item.
    fn read(bytes: &mut &[u8]) -> Option<Self>
    where
        Self: Sized;
}

pub(crate) struct Sorter<T> {
    limit: MemoryLimit,
    held: Vec<T>,
    most_held: usize,
    file: Option<Temporary>,
    /// The byte ranges of the sorted runs in the file.
    runs: Vec<Range<usize>>,
}

impl<T: Stored> Sorter<T> {
    const SMALLEST_RUN: u64 = 256;

    pub(crate) fn new(limit: MemoryLimit) -> Self {
        let most_held = usize::try_from(Self::fitting(&limit)).unwrap_or(usize::MAX);
        Self { limit, held: vec![], most_held, file: None, runs: vec![] }
    }

    /// Returns how many items may be held in memory. They take a quarter of the limit, since a
    /// vector that grows needs three times its size: the old buffer and one of twice the size.
    fn fitting(limit: &MemoryLimit) -> u64 {
        (limit.bytes / 4 / T::BYTES).max(Self::SMALLEST_RUN)
    }

    /// Returns a notice that items go to a temporary file, if `items` items do not fit into memory;
    /// otherwise `None`. `bytes` is the greatest size of an item in this file.
    pub(crate) fn notice(limit: &MemoryLimit, items: u64, bytes: u64) -> Option<String> {
        let (megabytes, folder) = (items.saturating_mul(bytes) >> 20, limit.folder.display());
        (items > Self::fitting(limit)).then(|| {
            format!(
                "records that do not fit into memory go to a temporary file: at most {} MB in \
                 {folder}",
                megabytes + 1
            )
        })
    }

    pub(crate) fn push(&mut self, item: T) -> Result<(), MemoryError> {
        if self.held.len() == self.most_held {
            self.spill()?;
        }
        self.held.push(item);
        Ok(())
    }

    fn spill(&mut self) -> Result<(), MemoryError> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(Temporary::create(&self.limit)?),
        };
        self.held.par_sort_unstable();
        let (begin, mut bytes) = (file.len(), vec![]);
        for item in self.held.drain(..) {
            bytes.clear();
            item.write(&mut bytes);
            file.write(&bytes)?;
        }
        self.runs.push(begin..file.len());
        Ok(())
    }

    pub(crate) fn sorted(
        mut self,
    ) -> Result<impl Iterator<Item = Result<T, MemoryError>>, MemoryError> {
        self.held.par_sort_unstable();
        let map = self.file.map(Temporary::map).transpose()?;
        let (limit, held) = (self.limit, self.held.into_iter());
        let mut sources = Sources { map, runs: self.runs, held, limit };
        merged(sources.runs.len() + 1, move |source| sources.next(source))
    }
}

struct Sources<T> {
    map: Option<Mmap>,
    /// For each sorted run in the temporary file, the range of bytes that have not been read yet.
    runs: Vec<Range<usize>>,
    held: std::vec::IntoIter<T>,
    limit: MemoryLimit,
}

impl<T: Stored> Sources<T> {
    /// Returns the next item of the sorted run with index `run`; `None` at its end. The run with
    /// the highest index consists of the items that are still in memory.
    fn next(&mut self, run: usize) -> Result<Option<T>, MemoryError> {
        let (Some(run), Some(map)) = (self.runs.get_mut(run), &self.map) else {
            return Ok(self.held.next());
        };
        let mut rest = &map[run.clone()];
        if rest.is_empty() {
            return Ok(None);
        }
        let item = T::read(&mut rest).ok_or_else(|| self.limit.changed())?;
        run.start = run.end - rest.len();
        Ok(Some(item))
    }
}

/// Merges `sources` sorted sources. `next` returns the next item of the source with a given index;
/// `None` at its end. Of equal items, that of the source with the lowest index comes first.
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

/// A temporary file that is written sequentially, and then memory-mapped.
pub(crate) struct Temporary {
    file: BufWriter<File>,
    bytes: usize,
    limit: MemoryLimit,
}

impl Temporary {
    pub(crate) fn create(limit: &MemoryLimit) -> Result<Self, MemoryError> {
        Ok(Self::of(limit.temporary_file()?, limit))
    }

    /// Creates a `Temporary` on `file`, empty and unnamed; errors name the folder of `limit`.
    pub(crate) fn of(file: File, limit: &MemoryLimit) -> Self {
        Self { file: BufWriter::new(file), bytes: 0, limit: limit.clone() }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), MemoryError> {
        self.bytes += bytes.len();
        self.file.write_all(bytes).map_err(|error| self.limit.no_room(error))
    }

    pub(crate) fn map(self) -> Result<Mmap, MemoryError> {
        let limit = self.limit;
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error);
        // SAFETY: the file has no name, so nobody else writes to it; its only writer is finished.
        let map = file.and_then(|file| unsafe { Mmap::map(&file) });
        map.map_err(|error| limit.no_room(error))
    }
}
