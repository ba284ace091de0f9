//! Makes files from records of other files: split, sampled, shuffled or joined. The result depends
//! only on a seed and on the content of the files.

use std::path::{Path, PathBuf};
use std::slice;

use othello_engine::file::{Begin, Existing, Provenance, Summary};
use othello_engine::progress::Progress;
use othello_engine::random::Generator;
use othello_engine::record::{
    Game, PlacedPosition, Record, RecordReader, RecordWriter, ScoredPosition, key_of_moves,
};

use super::sequence::{Entry, Inputs, Key};
use crate::dataset::{Excluded, Filter, Split, Subset};
use crate::memory::{MemoryLimit, Sorter, Stored};
use crate::source::Result;

/// A file that was written from records of other files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selected {
    /// The number of games or positions in the file.
    pub records: u64,
    /// The size and checksum of the file.
    pub summary: Summary,
}

/// A record (game or position) that can be split, sampled or merged.
pub trait Selectable: Record {
    /// Returns the record's subset (such as training); `None` if `split` omits the record.
    fn subset(&self, split: &Split) -> Option<Subset>;

    /// Returns the record as a scored position; `None` for a game.
    fn row(&self) -> Option<&ScoredPosition> {
        None
    }

    /// Returns the key by which duplicates are omitted; `None` if duplicates are kept.
    fn key(&self) -> Option<Key> {
        None
    }
}

impl Selectable for Game {
    fn subset(&self, split: &Split) -> Option<Subset> {
        split.of_game(self)
    }

    fn key(&self) -> Option<Key> {
        Some(key_of_moves(self.squares()))
    }
}

impl Selectable for ScoredPosition {
    fn subset(&self, split: &Split) -> Option<Subset> {
        split.of_position(&self.position().canonical())
    }

    fn row(&self) -> Option<&ScoredPosition> {
        Some(self)
    }
}

impl Selectable for PlacedPosition {
    fn subset(&self, split: &Split) -> Option<Subset> {
        split.of_placed(self)
    }

    fn row(&self) -> Option<&ScoredPosition> {
        Some(&self.row)
    }
}

pub(super) struct Output<R> {
    file: Begin<RecordWriter<R>>,
    records: u64,
}

impl<R: Record> Output<R> {
    fn begin(
        inputs: &Inputs<R>,
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Self> {
        inputs.check_output(path)?;
        let file = RecordWriter::<R>::begin(path, provenance, existing)?;
        let records = match &file {
            Begin::Done(_) => RecordReader::<R>::open(path)?.pass_by(u64::MAX)?,
            Begin::Writer(_) => 0,
        };
        Ok(Self { file, records })
    }

    pub(super) fn make(
        inputs: &Inputs<R>,
        path: &Path,
        provenance: &Provenance,
        title: &str,
        (existing, progress): (Existing, &dyn Progress),
        write: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Selected> {
        let mut output = Self::begin(inputs, path, provenance, existing)?;
        let is_done = output.file.is_done();
        progress.begin_stoppable(title, if is_done { inputs.len() } else { 0 }, inputs.len());
        if !is_done {
            write(&mut output)?;
        }
        output.finish()
    }

    pub(super) fn push(&mut self, record: R) -> Result<()> {
        self.records += u64::from(!self.file.is_done());
        Ok(self.file.push(record)?)
    }

    fn finish(self) -> Result<Selected> {
        Ok(Selected { records: self.records, summary: self.file.finish()? })
    }
}

/// Writes each subset of the records (training, validation, test) to its own file. The subsets are
/// the same as in a fit with this split.
pub fn split<R: Selectable>(
    inputs: &Inputs<R>,
    split: Split,
    outs: &[(Subset, PathBuf); 3],
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Vec<Selected>> {
    let provenance = inputs
        .provenance("split")
        .with("seed", split.seed)
        .with("validation_percent", split.validation_percent)
        .with("test_percent", split.test_percent);
    let mut outputs = vec![];
    for (part, path) in outs {
        let provenance = provenance.clone().with("part", part.to_string());
        outputs.push((*part, Output::begin(inputs, path, &provenance, existing)?));
    }
    let is_done = outputs.iter().all(|(_, output)| output.file.is_done());
    let (title, all) = (format!("split ({})", R::PLURAL), inputs.len());
    progress.begin_stoppable(&title, if is_done { all } else { 0 }, all);
    if !is_done {
        inputs.each(progress, |_, record| {
            let subset = record.subset(&split);
            let output = outputs.iter_mut().find(|(part, _)| Some(*part) == subset);
            output.map_or(Ok(()), |(_, output)| output.push(record))
        })?;
    }
    outputs.into_iter().map(|(_, output)| output.finish()).collect()
}

/// Writes a random selection of `count` records that pass the filter, or all of them if there are
/// fewer, in their order (selection sampling: Knuth, The Art of Computer Programming, volume 2,
/// algorithm 3.4.2 S). Filters apply to positions only: in files of games, all pass.
pub fn sample<R: Selectable>(
    inputs: &Inputs<R>,
    (count, filter): (u64, &Filter),
    seed: u64,
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Selected> {
    let provenance = inputs
        .provenance("sample")
        .with("seed", seed)
        .with(R::PLURAL, count)
        .with_unusual(!filter.is_all(), "filter", filter.to_string());
    let passes = |record: &R, excluded: &mut Excluded| {
        record.row().is_none_or(|row| filter.passes(row, None, seed, excluded))
    };
    let title = format!("sample ({})", R::PLURAL);
    Output::make(inputs, out, &provenance, &title, (existing, progress), |output| {
        let mut random = Generator::new(seed);
        let (mut left, mut excluded) = (inputs.len(), Excluded::default());
        if !filter.is_all() {
            for record in inputs.all() {
                left -= u64::from(!passes(&record?, &mut excluded));
            }
        }
        if left == 0 && excluded.total() > 0 {
            return Err(excluded.all_of(&inputs.first_path().display().to_string(), filter));
        }
        let mut wanted = count.min(left);
        inputs.each(progress, |_, record| {
            if !passes(&record, &mut excluded) {
                return Ok(());
            }
            if random.below_u64(left) < wanted {
                wanted -= 1;
                output.push(record)?;
            }
            left = left.saturating_sub(1);
            Ok(())
        })
    })
}

/// Writes the records of all files, but omits each game that has the same moves as an earlier game.
pub fn merge<R: Selectable>(
    limit: &MemoryLimit,
    inputs: &Inputs<R>,
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Selected> {
    let (provenance, title) = (inputs.provenance("merge"), format!("merge ({})", R::PLURAL));
    Output::make(inputs, out, &provenance, &title, (existing, progress), |output| {
        progress.warn(Sorter::<Entry>::notice(limit, inputs.len(), Entry::BYTES));
        let mut keys = Sorter::new(limit.clone());
        for (number, record) in (0..).zip(inputs.all()) {
            progress.check()?;
            record?.key().map_or(Ok(()), |key| keys.push((key, number)))?;
        }
        let is_repeated = keys.repeated(inputs.len())?;
        inputs.each(progress, |number, record| match is_repeated(number) {
            true => Ok(()),
            false => output.push(record),
        })
    })
}

/// The greatest size in bytes of a record (a game with values) in the temporary file of `shuffle`.
const BYTES_IN_FILE: u64 = 164;

/// Writes all records in a random order drawn from `seed`.
pub fn shuffle<R: Record>(
    limit: &MemoryLimit,
    inputs: &Inputs<R>,
    seed: u64,
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Selected> {
    let provenance = inputs.provenance("shuffle").with("seed", seed);
    let provenance = provenance.with_unusual(inputs.enumerated, "enumerated", true);
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

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Drawn<R> {
    key: u64,
    number: u64,
    record: R,
}

impl<R: Record> Stored for Drawn<R> {
    // The greatest, of a game with values.
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
    use std::collections::HashSet;
    use std::fmt::Debug;

    use othello_engine::progress::Silent;
    use othello_engine::record::{Label, Weight};

    use super::*;
    use crate::records::tests::{Folder, inputs, random_game};

    fn games(count: u64, most: usize) -> Vec<Game> {
        (0..count).map(|number| random_game(number, 0, most)).collect()
    }

    fn positions(count: u64) -> Vec<ScoredPosition> {
        let label = Label::of_score(3).unwrap();
        let row = |game: Game| ScoredPosition::new(game.replay().end, label, Weight::ONE);
        games(count, 12).into_iter().map(row).collect()
    }

    #[test]
    fn a_split_is_that_of_a_fit() {
        check_split(&games(1000, 12));
        check_split(&positions(9000));
    }

    fn check_split<R: Selectable + Debug>(records: &[R]) {
        let folder = Folder::new();
        let by = Split { validation_percent: 20, test_percent: 10, ..Split::new(3) };
        let outs = Subset::ALL.map(|part| (part, folder.path(&format!("{part:?}"))));
        let inputs = inputs::<R>(&folder.write("all", records));
        let written = split(&inputs, by, &outs, Existing::Keep, &Silent).unwrap();
        for (part, written) in Subset::ALL.into_iter().zip(&written) {
            let expected = records.iter().filter(|record| record.subset(&by) == Some(part));
            assert!(folder.read::<R>(&format!("{part:?}")).iter().eq(expected));
            assert!(written.records > 50);
        }
        assert_eq!(written.iter().map(|part| part.records).sum::<u64>(), records.len() as u64);
        assert_eq!(split(&inputs, by, &outs, Existing::Keep, &Silent).unwrap(), written);
    }

    #[test]
    fn a_sample_has_as_many_records_as_wanted_from_everywhere() {
        check_sample(&games(1000, 12));
        check_sample(&positions(9000));
    }

    fn check_sample<R: Selectable + Debug>(records: &[R]) {
        let folder = Folder::new();
        let inputs = inputs::<R>(&folder.write("all", records));
        let take = |count, seed, name: &str| {
            let path = folder.path(name);
            sample(&inputs, (count, &Filter::default()), seed, &path, Existing::Keep, &Silent)
                .unwrap()
                .records
        };
        assert_eq!(take(300, 1, "a"), 300);
        let chosen: Vec<R> = folder.read("a");
        let mut all = records.iter();
        assert!(chosen.iter().all(|record| all.any(|other| other == record)), "in other order");
        let (_, second_half) = records.split_at(records.len() / 2);
        let late = chosen.iter().filter(|record| second_half.contains(record)).count();
        assert!((110..190).contains(&late), "{late} of 300 from the second half");
        let all = records.len() as u64;
        assert_eq!((take(300, 2, "b"), take(20_000, 1, "c"), take(0, 1, "d")), (300, all, 0));
        assert_ne!(folder.read::<R>("b"), chosen);
        assert_eq!(folder.read::<R>("c"), records);
    }

    #[test]
    fn merged_games_are_in_order_without_repeated_ones_whatever_the_memory() {
        let folder = Folder::new();
        let all = games(600, 4);
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
    }

    #[test]
    fn repeated_positions_count_and_an_input_is_never_replaced() {
        let folder = Folder::new();
        let inputs = inputs::<ScoredPosition>(&folder.write("one", &[positions(1)[0]; 3]));
        let merge = |out: &str| {
            let out = folder.path(out);
            let limit = MemoryLimit::beside(&out, 1 << 20);
            merge(&limit, &inputs, &out, Existing::Replace, &Silent)
        };
        assert_eq!(merge("two").unwrap().records, 3);
        let error = merge("one").unwrap_err().to_string();
        assert!(error.contains("one: is also an input"), "{error}");
    }

    #[test]
    fn shuffled_records_stand_by_their_random_numbers_whatever_the_memory() {
        check_shuffle(&games(1000, 12));
        check_shuffle(&positions(9000));
    }

    fn check_shuffle<R: Record + Ord + Debug>(records: &[R]) {
        let folder = Folder::new();
        let inputs = inputs::<R>(&folder.write("all", records));
        let shuffled = |held: u64, seed, name: &str| {
            let path = folder.path(name);
            let limit = MemoryLimit::beside(&path, 4 * held * Drawn::<R>::BYTES);
            shuffle(&limit, &inputs, seed, &path, Existing::Keep, &Silent).unwrap()
        };
        let all = records.len() as u64;
        let whole = shuffled(all, 1, "whole");
        let mut numbers: Vec<u64> = (0..all).collect();
        numbers.sort_by_key(|&number| Generator::split(1, number).next_u64());
        let expected = numbers.iter().map(|&number| &records[number as usize]);
        assert!(folder.read::<R>("whole").iter().eq(expected));
        for held in [all - 1, 300, 0] {
            assert_eq!(shuffled(held, 1, &format!("parts-{held}")), whole);
            assert_eq!(shuffled(held, 1, &format!("parts-{held}")), whole);
        }
        assert_ne!(shuffled(all, 2, "other").summary.sha256, whole.summary.sha256);
        assert!(!folder.path("whole.partial").exists());
    }

    #[test]
    fn a_folder_without_space_is_told_of_with_what_helps() {
        let folder = Folder::new();
        let inputs = inputs::<Game>(&folder.write("all", &games(1000, 12)));
        let (limit, out) =
            (MemoryLimit { bytes: 1, folder: "/no/such/folder".into() }, folder.path("out"));
        for error in [
            merge(&limit, &inputs, &out, Existing::Keep, &Silent).unwrap_err(),
            shuffle(&limit, &inputs, 1, &out, Existing::Keep, &Silent).unwrap_err(),
        ] {
            let error = error.to_string();
            for part in ["/no/such/folder", "free space there", "--memory-mb"] {
                assert!(error.contains(part), "{error}");
            }
        }
    }
}
