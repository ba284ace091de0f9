//! Rows that do not fit into memory: sorted runs in a temporary file, merged into another file that
//! is mapped.
//!
//! Runs keep all rows as they were read. Rows are merged and separated by part while they stream
//! by, in the order that [`super::layout`] uses in memory, so the result is the same. Datasets that
//! were laid out before take part in the merge like runs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};

use othello_engine::board::{PHASES, Phase};
use othello_engine::progress::Progress;
use othello_engine::record::{ROW_BYTES, ScoredPosition};
use rayon::prelude::*;

use super::Part;
use super::folder::{DatasetFolder, ExactRows, Failure, FolderError, FolderRows};
use super::layout::{ByPhase, Duplicates, key, order};
use super::rows_file::{Output, Stretch, map};
use super::stored::StoredRows;
use crate::memory::MemoryLimit;

/// Rows of some kind by part and phase.
pub(super) type Parts<R> = [Vec<R>; Part::ALL.len()];

/// The runs written so far.
pub(super) struct Runs {
    file: File,
    rows: u64,
    runs: Vec<Parts<Stretch>>,
    limit: MemoryLimit,
}

impl Runs {
    /// Creates an empty set of runs.
    pub(super) fn new(limit: MemoryLimit) -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile_in(&limit.folder)?, rows: 0, runs: vec![], limit })
    }

    /// Returns the number of rows in all runs.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Sorts rows, writes them as a run, and empties `parts`.
    pub(super) fn push(&mut self, parts: &mut [ByPhase; 3]) -> io::Result<()> {
        let mut writer = BufWriter::new(&self.file);
        let mut run = [const { vec![] }; Part::ALL.len()];
        for (stretches, by_phase) in run.iter_mut().zip(parts) {
            by_phase.par_iter_mut().for_each(|rows| rows.par_sort_unstable_by_key(order));
            for rows in by_phase.iter_mut().map(std::mem::take) {
                rows.iter().try_for_each(|row| writer.write_all(&row.to_bytes()))?;
                let begin = self.rows;
                self.rows += rows.len() as u64;
                stretches.push(Stretch { begin, end: self.rows });
            }
        }
        writer.flush()?;
        self.runs.push(run);
        Ok(())
    }

    /// Merges the runs and the datasets in folders phase by phase, with exact sums if `with_sums`
    /// is set.
    pub(super) fn merge(
        self,
        folders: &[DatasetFolder],
        with_sums: bool,
        progress: &dyn Progress,
    ) -> Result<Merged, Failure> {
        progress.begin_stoppable("merge (phases)", 0, PHASES as u64);
        let (file, file_of_sums) = (self.temporary()?, self.temporary()?);
        let (mut output, mut output_of_sums) = (Output::new(&file), Output::new(&file_of_sums));
        let (mut parts, mut sums) = ([const { vec![] }; Part::ALL.len()], vec![]);
        for phase in Phase::all() {
            progress.check().map_err(FolderError::from)?;
            let mut training = Stretch::default();
            sums.push(output_of_sums.append::<Failure>(|write_sum| {
                training = output.append::<Failure>(|write| {
                    let mut rows = self.sorted_rows(folders, Part::Training, phase)?;
                    while let Some(same) = rows.next_duplicates()? {
                        write(same.merged())?;
                        if with_sums {
                            same.exact().try_for_each(&mut *write_sum)?;
                        }
                    }
                    Ok(())
                })?;
                Ok(())
            })?);
            let [of_training, others @ ..] = &mut parts;
            of_training.push(training.clone());
            for (of_part, part) in others.iter_mut().zip([Part::Validation, Part::Test]) {
                let mut training =
                    Peekable::new(RowReader::new(&file, &training, self.buffer_bytes()))?;
                of_part.push(output.append::<Failure>(|write| {
                    let mut rows = self.sorted_rows(folders, part, phase)?;
                    while let Some(row) = rows.next()? {
                        if !training.has(&row)? {
                            write(row)?;
                        }
                    }
                    Ok(())
                })?);
            }
            progress.advance(1);
        }
        let [sums] = map(&file_of_sums, [sums])?;
        Ok(Merged { parts: map(&file, parts)?, sums })
    }

    fn temporary(&self) -> io::Result<File> {
        tempfile::tempfile_in(&self.limit.folder)
    }

    /// Returns the rows of all runs and folders in order.
    fn sorted_rows<'s>(
        &'s self,
        folders: &[DatasetFolder],
        part: Part,
        phase: Phase,
    ) -> Result<SortedRows<'s>, Failure> {
        let stretches = self.runs.iter().map(|run| &run[part as usize][phase.index()]);
        let filled = stretches.filter(|stretch| stretch.begin < stretch.end);
        let reader =
            |stretch| Ok(SomeRows::Run(RowReader::new(&self.file, stretch, self.buffer_bytes())));
        let laid_out = folders.iter().map(|folder| match part {
            Part::Training => Ok(SomeRows::Training(Box::new(folder.exact_rows(phase)?))),
            _ => Ok(SomeRows::HeldOut(Box::new(folder.rows(part, phase)?))),
        });
        SortedRows::new(filled.map(reader).chain(laid_out).collect::<Result<_, Failure>>()?)
    }

    /// Returns the size of a run's read buffer in bytes: all together take an eighth of the memory,
    /// but each at least 4 KiB and at most 256 KiB.
    fn buffer_bytes(&self) -> usize {
        let share = self.limit.bytes / 8 / self.runs.len().max(1) as u64;
        usize::try_from(share).unwrap_or(usize::MAX).clamp(1 << 12, 1 << 18)
    }
}

/// The result of merging the runs: mapped files.
pub(super) struct Merged {
    pub(super) parts: Parts<StoredRows>,
    /// The exact sums of training rows that had to be rounded, by phase.
    pub(super) sums: Vec<StoredRows>,
}

/// Sorted rows of any source.
enum SomeRows<'f> {
    Run(RowReader<'f>),
    Training(Box<ExactRows>),
    HeldOut(Box<FolderRows>),
}

impl SomeRows<'_> {
    fn next(&mut self) -> Result<Option<ScoredPosition>, Failure> {
        match self {
            Self::Run(rows) => Ok(rows.next()?),
            Self::Training(rows) => Ok(rows.next()?),
            Self::HeldOut(rows) => Ok(rows.next()?),
        }
    }
}

/// Reads a stretch of rows from its beginning to its end.
struct RowReader<'f> {
    file: &'f File,
    left: Stretch,
    buffer: Vec<u8>,
    next: usize,
    capacity: usize,
}

impl<'f> RowReader<'f> {
    fn new(file: &'f File, stretch: &Stretch, bytes: usize) -> Self {
        let capacity = bytes / ROW_BYTES * ROW_BYTES;
        Self { file, left: stretch.clone(), buffer: vec![], next: 0, capacity }
    }

    fn next(&mut self) -> io::Result<Option<ScoredPosition>> {
        if self.next == self.buffer.len() {
            let bytes = (self.left.end - self.left.begin).saturating_mul(ROW_BYTES as u64);
            let length = usize::try_from(bytes).unwrap_or(usize::MAX).min(self.capacity);
            self.buffer.resize(length, 0);
            read_exact_at(self.file, &mut self.buffer, self.left.begin * ROW_BYTES as u64)?;
            self.left.begin += (length / ROW_BYTES) as u64;
            self.next = 0;
        }
        let Some(row) = self.buffer[self.next..].first_chunk::<ROW_BYTES>() else {
            return Ok(None);
        };
        self.next += ROW_BYTES;
        let row = ScoredPosition::from_bytes(row);
        row.map(Some).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }
}

/// Reads bytes at a place of a file, and leaves the file where it was being written.
#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, place)
}

/// Reads bytes at a place of a file, and leaves the file where it was being written. Threads may
/// read at once, as long as none of them then writes without naming the place.
#[cfg(windows)]
fn read_exact_at(mut file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    use std::io::{Seek as _, SeekFrom};
    use std::os::windows::fs::FileExt as _;

    let written = file.stream_position()?;
    let mut read = 0;
    while read < bytes.len() {
        match file.seek_read(&mut bytes[read..], place + read as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            more => read += more,
        }
    }
    file.seek(SeekFrom::Start(written)).map(drop)
}

/// Merges sorted rows.
struct SortedRows<'f> {
    sources: Vec<SomeRows<'f>>,
    /// The next row of each source that is not at its end.
    next: BinaryHeap<Reverse<((u64, ScoredPosition), usize)>>,
}

impl<'f> SortedRows<'f> {
    fn new(sources: Vec<SomeRows<'f>>) -> Result<Self, Failure> {
        let mut rows = Self { next: BinaryHeap::with_capacity(sources.len()), sources };
        (0..rows.sources.len()).try_for_each(|source| rows.refill(source))?;
        Ok(rows)
    }

    fn next(&mut self) -> Result<Option<ScoredPosition>, Failure> {
        let Some(Reverse(((_, row), source))) = self.next.pop() else { return Ok(None) };
        self.refill(source)?;
        Ok(Some(row))
    }

    /// Returns all rows of the next position.
    fn next_duplicates(&mut self) -> Result<Option<Duplicates>, Failure> {
        let Some(first) = self.next()? else { return Ok(None) };
        let mut same = Duplicates::new(&first);
        while let Some(Reverse(((_, row), _))) = self.next.peek()
            && row.position() == same.position()
            && let Some(row) = self.next()?
        {
            same.add(&row);
        }
        Ok(Some(same))
    }

    fn refill(&mut self, source: usize) -> Result<(), Failure> {
        if let Some(row) = self.sources[source].next()? {
            self.next.push(Reverse((order(&row), source)));
        }
        Ok(())
    }
}

/// The sorted training rows of a phase, with one row of look-ahead.
struct Peekable<'f> {
    rows: RowReader<'f>,
    next: Option<ScoredPosition>,
}

impl<'f> Peekable<'f> {
    fn new(mut rows: RowReader<'f>) -> io::Result<Self> {
        let next = rows.next()?;
        Ok(Self { rows, next })
    }

    /// Returns true if the training rows have the position of `row`. Calls must be in sorted order.
    fn has(&mut self, row: &ScoredPosition) -> io::Result<bool> {
        while self.next.as_ref().is_some_and(|next| key(next) < key(row)) {
            self.next = self.rows.next()?;
        }
        Ok(self.next.as_ref().is_some_and(|next| next.position() == row.position()))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::dataset::tests::games;
    use crate::dataset::{DataChoice, Dataset, DatasetBuilder, DatasetError, Split};
    use crate::source::LabelRules;
    use othello_engine::progress::Silent;
    use othello_engine::random::Generator;
    use othello_engine::record::Game;
    use othello_testing::records;
    use proptest::prelude::*;

    fn builder(split: Split) -> DatasetBuilder {
        DatasetBuilder::new(LabelRules::default(), split)
    }

    /// Builds a dataset from batches of games, each with a weight, as one run for each batch.
    fn from_runs(folder: &Path, split: Split, batches: &[(Vec<Game>, f64)]) -> Dataset {
        let limit = MemoryLimit { bytes: 1, folder: folder.into() };
        let mut runs = builder(split).within(limit);
        for (games, weight) in batches {
            runs.add_games(games, *weight);
            runs.push_run().unwrap();
        }
        runs.finish_within(&Silent).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        /// Few different games, many of them several times, in batches of any size, empty ones
        /// included.
        #[test]
        fn runs_give_the_dataset_that_memory_gives(
            different in 1_u64..120,
            sizes in proptest::collection::vec(0_usize..80, 1..8),
            seed in any::<u64>(),
        ) {
            let different = games(different);
            let mut random = Generator::new(seed);
            let mut draw = || different[random.below(different.len() as u32) as usize].clone();
            let batch = |size: usize| ((0..size).map(|_| draw()).collect(), 0.1 + size as f64);
            let batches: Vec<(Vec<Game>, f64)> = sizes.into_iter().map(batch).collect();
            let split = Split { validation_percent: 20, test_percent: 20, ..Split::new(seed) };
            let mut memory = builder(split);
            batches.iter().for_each(|(games, weight)| memory.add_games(games, *weight));
            let folder = tempfile::tempdir().unwrap();
            let found = from_runs(folder.path(), split, &batches);
            prop_assert_eq!(found.sha256(), memory.finish().sha256());
        }
    }

    #[test]
    fn any_limit_on_memory_gives_the_same_dataset_and_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.games");
        records::write(&path, games(1500));
        let data = [DataChoice { path, weight: 1.5 }];
        let (rules, split) = (LabelRules::default(), Split::new(1));
        let expected = Dataset::read(&data, &[], &rules, split, &Silent).unwrap();
        let temporary = tempfile::tempdir().unwrap();
        for bytes in [1, 1 << 21, 1 << 40] {
            let limit = Some(MemoryLimit { bytes, folder: temporary.path().into() });
            let all = Phase::all().collect();
            let found =
                Dataset::read_within(limit, all, &data, &[], &rules, split, &Silent).unwrap();
            assert_eq!(found.sha256(), expected.sha256());
            assert_eq!(found.inputs(), expected.inputs());
            let mapped = matches!(found.training[30], StoredRows::Mapped(..));
            assert_eq!(mapped, bytes < 1 << 40);
            assert_eq!(temporary.path().read_dir().unwrap().count(), 0);
        }
    }

    #[test]
    fn a_folder_that_takes_no_file_is_named() {
        let limit = MemoryLimit { bytes: 5 << 20, folder: "/no/such/folder".into() };
        let mut builder = builder(Split::new(1)).within(limit);
        builder.add_games(&games(1), 1.0);
        let error = builder.push_run().unwrap_err();
        assert!(matches!(error, DatasetError::Temporary(_)));
        let text = error.to_string();
        assert!(text.contains("/no/such/folder") && text.contains("5 MB"), "{text}");
    }
}
