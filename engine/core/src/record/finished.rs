//! The finished pieces of work that are not in their file of records yet.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::{Record, RecordError};
use crate::file::{Checkpoint, Existing, Provenance, Section, Writer};
use crate::progress::Progress;
use crate::text::excerpt;
use crate::weights::Value;

/// The result of a piece of work: a record, or the value of a position.
pub trait Finished: Clone + Send + Sync {
    /// Encodes the results of consecutive pieces.
    fn encode(finished: &[Self]) -> Vec<u8>;
    /// Decodes results; `None` for bytes that encode no results.
    fn decode(bytes: &[u8]) -> Option<Vec<Self>>;
}

impl<R: Record> Finished for R {
    fn encode(records: &[Self]) -> Vec<u8> {
        R::encode_frame(records)
    }

    fn decode(bytes: &[u8]) -> Option<Vec<Self>> {
        R::decode_frame(bytes).ok()
    }
}

impl Finished for Value {
    fn encode(values: &[Self]) -> Vec<u8> {
        values.iter().flat_map(|value| value.steps().to_le_bytes()).collect()
    }

    fn decode(bytes: &[u8]) -> Option<Vec<Self>> {
        let (steps, rest) = bytes.as_chunks();
        let values = steps.iter().copied().map(i32::from_le_bytes).map(Self::from_steps);
        if rest.is_empty() { values.collect() } else { None }
    }
}

/// The finished pieces of work by their numbers, in a checkpoint beside the file that they are for.
/// A killed run thus loses few pieces, however long each takes.
pub struct FinishedWork<T> {
    checkpoint: Mutex<Checkpoint>,
    earlier: BTreeMap<u64, T>,
    warning: Option<String>,
}

impl<T: Finished> FinishedWork<T> {
    /// Opens the checkpoint of the file `output`, or begins it.
    pub fn open(
        output: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Self, RecordError> {
        let (checkpoint, sections) = Checkpoint::open(output, provenance, existing)?;
        let (mut earlier, mut refused) = (BTreeMap::new(), None);
        for section in sections {
            match Self::piece(&section) {
                Some((first, finished)) => {
                    let numbered = finished.into_iter().zip(first..);
                    earlier.extend(numbered.map(|(finished, number)| (number, finished)));
                }
                None => refused = refused.or(Some(section.name)),
            }
        }
        let refused = refused.map(|name| {
            let again = "is no finished work, and is done again";
            format!(
                "{}: what is recorded beside it as `{}` {again}",
                output.display(),
                excerpt(&name)
            )
        });
        let warnings = [checkpoint.warning(), refused].into_iter().flatten();
        let warning = warnings.reduce(|one, other| format!("{one}\n{other}"));
        Ok(Self { checkpoint: Mutex::new(checkpoint), earlier, warning })
    }

    /// Returns the number of a section's first piece, and the results of its pieces; `None` for
    /// bytes without meaning.
    fn piece(section: &Section) -> Option<(u64, Vec<T>)> {
        let first: u64 = section.name.parse().ok()?;
        let finished = T::decode(&section.content)?;
        first.checked_add(finished.len() as u64).map(|_| (first, finished))
    }

    /// Returns a message for the user about anything that was dropped or refused when the
    /// checkpoint was resumed.
    pub fn warning(&self) -> Option<String> {
        self.warning.clone()
    }

    /// Returns the number of pieces with numbers in this range that an earlier run finished.
    pub fn count_in(&self, numbers: Range<u64>) -> u64 {
        self.earlier.range(numbers).count() as u64
    }

    /// Returns the result of each of `items`, in their order; the first item has the number
    /// `first`. `work` computes the results of `at_once` consecutive items, in several threads, and
    /// they are recorded together. Items that an earlier run finished are not computed again if
    /// `fits` holds for all of them and their recorded results.
    pub fn complete<I: Sync>(
        &self,
        first: u64,
        items: &[I],
        at_once: usize,
        progress: &dyn Progress,
        fits: impl Fn(&I, &T) -> bool + Sync,
        work: impl Fn(&[I]) -> Vec<T> + Sync,
    ) -> Result<Vec<T>, RecordError> {
        let complete = |(index, items): (usize, &[I])| {
            let first = first + (index * at_once) as u64;
            let fit = |finished: &Vec<T>| items.iter().zip(finished).all(|(i, t)| fits(i, t));
            if let Some(finished) = self.earlier(first, items.len()).filter(fit) {
                return Ok(finished);
            }
            progress.check()?;
            let finished = work(items);
            self.lock().record(&first.to_string(), &T::encode(&finished))?;
            progress.advance(items.len() as u64);
            Ok(finished)
        };
        let completed = items.par_chunks(at_once).enumerate().with_max_len(1).map(complete);
        Ok(completed.collect::<Result<Vec<_>, RecordError>>()?.concat())
    }

    /// Declares all finished pieces to be in the file now, in whole frames, so that the checkpoint
    /// may drop them.
    pub fn settle(&self, output: &impl AsRef<Writer>) -> Result<(), RecordError> {
        Ok(self.lock().settle(output.as_ref())?)
    }

    /// Removes the checkpoint of a completed file.
    pub fn remove(self) -> Result<(), RecordError> {
        let checkpoint = self.checkpoint.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(checkpoint.remove()?)
    }

    fn earlier(&self, first: u64, count: usize) -> Option<Vec<T>> {
        (first..).take(count).map(|number| self.earlier.get(&number).cloned()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Checkpoint> {
        self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
