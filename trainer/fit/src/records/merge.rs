//! Joins files of records that are not the parts of one run.

use std::path::Path;

use othello_engine::file::Existing;
use othello_engine::progress::Progress;
use othello_engine::record::{Game, Record, ScoredPosition, key_of_moves};

use super::repeated::{Key, Keys};
use super::select::{Output, Selected};
use super::sequence::Inputs;
use crate::memory::MemoryLimit;
use crate::source::SourceError;

/// A record that can be joined.
pub trait Mergeable: Record {
    /// Returns the key by which duplicates are dropped; `None` if duplicates are kept.
    fn key(&self) -> Option<Key>;
}

impl Mergeable for Game {
    fn key(&self) -> Option<Key> {
        Some(key_of_moves(self.squares()))
    }
}

impl Mergeable for ScoredPosition {
    fn key(&self) -> Option<Key> {
        None
    }
}

/// Writes the records of all files, omitting games whose moves equal those of an earlier game. Keys
/// of games beyond `limit` go into a temporary file.
pub fn merge<R: Mergeable>(
    limit: &MemoryLimit,
    inputs: &Inputs<R>,
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Selected, SourceError> {
    let (provenance, title) = (inputs.provenance("merge"), format!("merge ({})", R::PLURAL));
    Output::make(inputs, out, &provenance, &title, (existing, progress), |output| {
        progress.warn(Keys::notice(limit, inputs.len()));
        let mut keys = Keys::new(limit.clone());
        for (number, record) in (0..).zip(inputs.all()) {
            progress.check()?;
            record?.key().map_or(Ok(()), |key| keys.add(key, number))?;
        }
        let repeated = keys.repeated(inputs.len())?;
        inputs.each(progress, |number, record| match repeated.contains(number) {
            true => Ok(()),
            false => output.push(record),
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use othello_engine::progress::Silent;
    use othello_engine::record::{Label, Weight};

    use super::*;
    use crate::records::testing::{Folder, inputs, random_game};

    /// Short games, some of which are equal.
    fn games(numbers: std::ops::Range<u64>) -> Vec<Game> {
        numbers.map(|number| random_game(number, 0, 4)).collect()
    }

    #[test]
    fn games_are_joined_in_order_without_repeated_ones_whatever_the_memory() {
        let folder = Folder::new();
        let all = games(0..600);
        let [one, two] = [("one", &all[..400]), ("two", &all[400..])]
            .map(|(name, games)| folder.write(name, games));
        let mut seen = HashSet::new();
        let distinct: Vec<Game> =
            all.iter().filter(|game| seen.insert(game.squares().to_vec())).cloned().collect();
        assert!(distinct.len() < 300);
        let inputs = Inputs::<Game>::count(&[one, two], &Silent).unwrap();
        for bytes in [1, 4000, 1 << 20] {
            let out = folder.path("merged.games");
            let limit = MemoryLimit::beside(&out, bytes);
            let merged = merge(&limit, &inputs, &out, Existing::Replace, &Silent).unwrap();
            assert_eq!(merged.records, distinct.len() as u64);
            assert_eq!(folder.read::<Game>("merged.games"), distinct);
            assert_eq!(merge(&limit, &inputs, &out, Existing::Keep, &Silent).unwrap(), merged);
        }
        let limit = MemoryLimit { bytes: 1, folder: "/no/such/folder".into() };
        let out = folder.path("other.games");
        let error = merge(&limit, &inputs, &out, Existing::Keep, &Silent).unwrap_err().to_string();
        assert!(error.contains("/no/such/folder") && error.contains("free space there"), "{error}");
    }

    #[test]
    fn repeated_positions_count_and_an_input_is_never_replaced() {
        let folder = Folder::new();
        let label = Label::of_score(2).unwrap();
        let position = random_game(1, 0, 9).replay().end;
        let row = ScoredPosition::new(position, label, Weight::ONE);
        let one = folder.write("one.positions", &[row; 3]);
        let inputs = inputs::<ScoredPosition>(&one);
        let merge = |out: &str| {
            let out = folder.path(out);
            let limit = MemoryLimit::beside(&out, 1 << 20);
            merge(&limit, &inputs, &out, Existing::Replace, &Silent)
        };
        assert_eq!(merge("two.positions").unwrap().records, 3);
        let error = merge("one.positions").unwrap_err().to_string();
        assert!(error.contains("one.positions: is also an input"), "{error}");
    }
}
