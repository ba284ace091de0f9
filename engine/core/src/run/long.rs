use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::{Run, RunError};
use crate::file::{FileError, Kind, RawSection, Reader, Section, Writer, remove_if_there};
use crate::progress::Progress;

/// A part of a run that takes long, such as the training of one phase, and can save snapshots.
pub struct LongPart<'r> {
    run: &'r Run,
    stage: usize,
    /// The index of the part in its stage.
    pub index: u64,
    writer: Option<Writer>,
    progress: &'r dyn Progress,
    reported: u64,
}

impl Run {
    /// Makes the parts `parts` of a stage in any order, at most `at_once` at a time.
    ///
    /// `make` writes the sections of a part. It returns false if the part remains unfinished, for
    /// example at a time limit; the part's snapshot is then kept. Each finished part advances the
    /// progress by its units. Returns the indices of the unfinished parts in order.
    pub fn make_parts<E: From<RunError> + Send>(
        &self,
        stage: usize,
        parts: Vec<u64>,
        at_once: usize,
        progress: &dyn Progress,
        make: impl Fn(&mut LongPart<'_>) -> Result<bool, E> + Sync,
    ) -> Result<Vec<u64>, E> {
        (0..stage).try_for_each(|earlier| self.require(earlier))?;
        self.begin_progress(stage, &parts, progress);
        let workers = at_once.clamp(1, parts.len().max(1));
        let make_part = |index| -> Result<bool, E> {
            progress.check().map_err(RunError::from)?;
            let mut part =
                LongPart { run: self, stage, index, writer: None, progress, reported: 0 };
            let is_complete = make(&mut part)?;
            if is_complete {
                let left = part.left();
                part.finish()?;
                progress.advance(left);
            }
            Ok(is_complete)
        };
        let left = Mutex::new((parts.into_iter(), vec![], None));
        let lock = || left.lock().unwrap_or_else(PoisonError::into_inner);
        let next = || {
            let (parts, _, failed) = &mut *lock();
            if failed.is_some() { None } else { parts.next() }
        };
        let work = || {
            while let Some(index) = next() {
                match make_part(index) {
                    Ok(true) => {}
                    Ok(false) => lock().1.push(index),
                    Err(error) => {
                        lock().2.get_or_insert(error);
                    }
                }
            }
        };
        rayon::scope(|scope| (0..workers).for_each(|_| scope.spawn(|_| work())));
        let (_, mut unfinished, failed) = left.into_inner().unwrap_or_else(PoisonError::into_inner);
        unfinished.sort_unstable();
        failed.map_or(Ok(unfinished), Err)
    }

    /// Returns the path of a complete part and the places of its uncompressed sections in the file.
    pub fn raw_sections(
        &self,
        stage: usize,
        index: u64,
    ) -> Result<(PathBuf, Vec<RawSection>), RunError> {
        let mut reader = self.part(stage, index)?.skipping_raw();
        reader.check_rest()?;
        Ok((self.path(stage, index), reader.raw_sections().to_vec()))
    }
}

impl LongPart<'_> {
    /// Returns the range of the part's units of work (such as phases), counted from 0 in the stage.
    pub fn units(&self) -> Range<u64> {
        self.run.plan.stages[self.stage].units_of(self.index)
    }

    /// Advances the progress by `units` finished units. The completion of the part advances it by
    /// the part's remaining units.
    pub fn advance(&mut self, units: u64) {
        let units = units.min(self.left());
        self.reported += units;
        self.progress.advance(units);
    }

    fn left(&self) -> u64 {
        self.run.plan.stages[self.stage].count_of(self.index).saturating_sub(self.reported)
    }

    /// Writes a section with this name and content to the part.
    pub fn section(&mut self, name: &str, content: &[u8]) -> Result<(), RunError> {
        Ok(self.writer()?.section(name, content)?)
    }

    /// Writes an uncompressed section of any length to the part. `produce` writes its content.
    pub fn raw_section<E: From<FileError> + From<RunError>>(
        &mut self,
        name: &str,
        produce: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<(), E> {
        self.writer()?.raw_section(name, produce)
    }

    /// Reads the snapshot of this part that an earlier process saved; `None` if there is none. Also
    /// returns `None`, after a message, if the snapshot is damaged or longer than `most` bytes.
    pub fn snapshot(&self, most: usize) -> Result<Option<Vec<Section>>, RunError> {
        const OF_ANOTHER: &str = "it is the snapshot of another run";
        let path = self.snapshot_path();
        if !path.exists() {
            return Ok(None);
        }
        let read = Reader::open(&path, Kind::Part).and_then(|mut reader| {
            let is_own =
                *reader.provenance() == self.run.plan.provenance_of(self.stage, self.index);
            let (mut sections, mut left) = (vec![], most);
            while let Some(section) = reader.next().transpose()? {
                let long = || reader.meaningless(format!("makes it longer than {most} bytes"));
                left = left.checked_sub(section.content.len()).ok_or_else(long)?;
                sections.push(section);
            }
            Ok((is_own, sections))
        });
        match read {
            Ok((true, sections)) => Ok(Some(sections)),
            Ok((false, _)) => Err(FileError::exists(&path, OF_ANOTHER).into()),
            Err(error @ FileError::Io { .. }) => Err(error.into()),
            Err(error) => {
                let (path, place) = (path.display(), error.place());
                self.progress.message(&format!("{path}: {place}: the part starts again"));
                Ok(None)
            }
        }
    }

    /// Returns the path of the snapshot of this part.
    pub fn snapshot_path(&self) -> PathBuf {
        self.run.folder.snapshot(self.run.number(self.stage, self.index))
    }

    /// Saves a snapshot, from which a later process can resume the part. Replaces an earlier one.
    pub fn save(&self, sections: &[Section]) -> Result<(), RunError> {
        self.run.write_part(&self.snapshot_path(), (self.stage, self.index), sections)
    }

    fn writer(&mut self) -> Result<&mut Writer, RunError> {
        let writer = self.take_writer()?;
        Ok(self.writer.insert(writer))
    }

    fn take_writer(&mut self) -> Result<Writer, FileError> {
        let path = || self.run.path(self.stage, self.index);
        let begin = || self.run.part_writer(&path(), self.stage, self.index);
        self.writer.take().map_or_else(begin, Ok)
    }

    fn finish(mut self) -> Result<(), RunError> {
        self.take_writer()?.finish()?;
        Ok(remove_if_there(&self.snapshot_path())?)
    }
}
