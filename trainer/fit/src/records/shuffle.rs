//! Shuffles all records of files: draws a random number for each from the seed, and sorts by these
//! numbers.

use std::path::Path;
use std::slice;

use othello_engine::file::Existing;
use othello_engine::progress::Progress;
use othello_engine::random::Generator;
use othello_engine::record::Record;

use super::select::{Output, Selected};
use super::sequence::Inputs;
use crate::memory::{MemoryLimit, Sorter, Stored};
use crate::source::SourceError;

/// The greatest size of a record in the temporary file in bytes: a game with values, and its
/// number.
const BYTES_IN_FILE: u64 = 164;

/// Writes all records in a random order drawn from `seed`.
pub fn shuffle<R: Record>(
    limit: &MemoryLimit,
    inputs: &Inputs<R>,
    seed: u64,
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Selected, SourceError> {
    let mut provenance = inputs.provenance("shuffle").with("seed", seed);
    if inputs.are_enumerated() {
        // The shuffled file is also a complete enumeration.
        provenance = provenance.with("enumerated", true);
    }
    let title = format!("shuffle ({} read)", R::PLURAL);
    Output::make(inputs, out, &provenance, &title, (existing, progress), |output| {
        progress.warn(Sorter::<Drawn<R>>::notice(limit, inputs.len(), BYTES_IN_FILE));
        let mut sorter = Sorter::new(limit.clone());
        inputs.each(progress, |number, record| {
            let key = Generator::split(seed, number).next_u64();
            Ok(sorter.push(Drawn { key, number, record })?)
        })?;
        let title = format!("shuffle ({} written)", R::PLURAL);
        progress.begin_stoppable(&title, 0, inputs.len());
        for drawn in sorter.sorted()? {
            progress.check()?;
            output.push(drawn?.record)?;
            progress.advance(1);
        }
        Ok(())
    })
}

/// A record with its random number and its number in the inputs, which decide the order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Drawn<R> {
    key: u64,
    number: u64,
    record: R,
}

impl<R: Record> Stored for Drawn<R> {
    // A game with the values of its moves takes most.
    const BYTES: u64 = 400;

    fn write(&self, bytes: &mut Vec<u8>) {
        let frame = R::encode_frame(slice::from_ref(&self.record));
        for number in [self.key, self.number, frame.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(frame);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut number = || Some(u64::from_le_bytes(*bytes.split_off(..8)?.first_chunk()?));
        let (key, number, length) = (number()?, number()?, number()?);
        let frame = bytes.split_off(..length as usize)?;
        Some(Self { key, number, record: R::decode_frame(frame).ok()?.pop()? })
    }
}

#[cfg(test)]
mod tests {
    use othello_engine::progress::Silent;
    use othello_engine::record::Game;

    use super::*;
    use crate::records::testing::{Folder, inputs, random_game};

    /// Tests all amounts of memory, from enough for all records to enough for the smallest runs.
    #[test]
    fn records_stand_by_their_random_numbers_whatever_the_memory() {
        let folder = Folder::new();
        let games: Vec<Game> = (0..1000).map(|number| random_game(number, 0, 12)).collect();
        let inputs = inputs::<Game>(&folder.write("all.games", &games));
        let shuffled = |held: u64, seed, name: &str| {
            let path = folder.path(name);
            let limit = MemoryLimit::beside(&path, 4 * held * Drawn::<Game>::BYTES);
            shuffle(&limit, &inputs, seed, &path, Existing::Keep, &Silent).unwrap()
        };
        let whole = shuffled(1000, 1, "whole");
        let order: Vec<Game> = folder.read("whole");
        let mut numbers: Vec<u64> = (0..1000).collect();
        numbers.sort_by_key(|&number| Generator::split(1, number).next_u64());
        assert!(order.iter().eq(numbers.iter().map(|&number| &games[number as usize])));
        for held in [999, 300, 0] {
            assert_eq!(shuffled(held, 1, &format!("parts-{held}")), whole);
            assert_eq!(shuffled(held, 1, &format!("parts-{held}")), whole);
        }
        assert_ne!(shuffled(1000, 2, "other").summary.sha256, whole.summary.sha256);
        // The failed run left nothing behind.
        assert!(!folder.path("whole.partial").exists());
        let nowhere = MemoryLimit { bytes: 1, folder: "/no/such/folder".into() };
        let path = folder.path("nowhere");
        let error = shuffle(&nowhere, &inputs, 1, &path, Existing::Keep, &Silent).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("/no/such/folder") && error.contains("--memory-mb"), "{error}");
    }
}
