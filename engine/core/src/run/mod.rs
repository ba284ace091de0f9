//! Runs: long work that can be killed and resumed, divided among processes, and extended.
//!
//! A *run* is a list of *stages*, each a list of independent *parts*. Every part is a separate
//! file. A resumed run therefore makes only the missing parts, and a *shard* (one of N processes of
//! the same run) makes every N-th part. No other state of earlier work is needed:
//!
//! ```text
//! OUT.parts/                exists while the run is unfinished; with shards, also afterwards
//!   run.json                provenance, stages, number of parts
//!   part-000017             a container: complete, checksummed, renamed into place, never changed
//!   part-000018.snapshot    the state of a long part that is unfinished; replaced again and again
//!   lock-1-of-4, lock-pack  locks: for making shard 1 of 4; for packing or removing the parts
//! OUT                       made by packing all parts
//! ```
//!
//! # How a command uses a run
//!
//! 1. The command describes its work in a [`Plan`]: the provenance, which determines the bytes of
//!    every part, and the [`Stage`]s. A part has several units of work, such as games ([`size`]).
//!    Parts are numbered over all stages.
//! 2. It opens the run with [`Run::open`], which returns [`Opened::Done`] if the output is
//!    complete. The open run holds the lock of its [`Shard`]: another process that opens the same
//!    shard gets an error at once.
//! 3. It makes the missing parts of each stage by one of the functions below. A stage requires all
//!    parts of earlier stages: if parts of other shards are missing, the exit status is 75.
//! 4. Unless [`Run::is_shard`] is true, it packs (joins) the parts with [`Run::pack`]: it reads
//!    them by [`Run::parts`] and writes the outputs, the main output ([`Run::writer`]) last. The
//!    command `othello-trainer pack OUT` only packs, with the run that [`Run::to_pack`] opens.
//!
//! | function | units | work |
//! |---|---|---|
//! | [`Run::make`] | many small units | all threads work on two parts at once; a kill loses both |
//! | [`Run::results`] | units with small results | as `make`; the results are kept as JSON |
//! | [`Run::steps`] | long tasks, such as a fit | one by one; a task can resume a run of its own |
//! | [`Run::make_parts`] | long parts | as many as memory allows, with snapshots ([`LongPart`]) |
//!
//! # Extending
//!
//! If [`Plan::growing`] names a number in the provenance, such as `games`, a run can be extended to
//! a greater number. The results in an existing output with fewer units are taken from the output
//! ([`Run::standing`]), not from parts. The parts of an unfinished run with fewer units are kept,
//! except a last part that has fewer units than the others. Only the missing parts are made.
//!
//! # Example
//!
//! ```
//! use othello_core::file::{Existing, Kind, Provenance};
//! use othello_core::progress::Silent;
//! use othello_core::run::{Opened, Plan, Run, RunError, Shard, Stage};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! let out = folder.path().join("out.positions");
//! let plan = Plan {
//!     kind: Some(Kind::Positions),
//!     provenance: Provenance::new("squares").with("numbers", 1000),
//!     stages: vec![Stage::new("squares (numbers)", 1000, 100)],
//!     growing: None,
//! };
//! let Opened::Run(run) = Run::open(&out, plan, Shard::WHOLE, Existing::Keep, &Silent)? else {
//!     return Ok(());
//! };
//! // Makes the ten parts of stage 0.
//! let squares = run.results(0, |number| Ok::<_, RunError>(number * number), &Silent)?;
//! let content: Vec<u8> = squares.into_iter().flat_map(u64::to_le_bytes).collect();
//! let summary = run.pack(|run| {
//!     let mut writer = run.writer()?;
//!     writer.section("squares", &content)?;
//!     Ok::<_, RunError>(writer.finish()?)
//! })?;
//! assert_eq!(summary.sections, 1);
//! assert!(!folder.path().join("out.positions.parts").exists());
//! # Ok::<(), RunError>(())
//! ```

mod folder;
mod items;
mod long;
mod open;
mod plan;
pub mod size;
#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;

use crate::file::{FileError, Kind, Provenance, Reader, Replaceable, Summary, Writer};
use crate::progress::Interrupted;
use folder::{Folder, Lock};

pub use items::Items;
pub use long::LongPart;
pub use plan::{Plan, Shard, Stage};

/// The error of a run (long work in parts) that cannot begin or continue. Finished parts are kept.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum RunError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
    /// Parts of a stage are missing that other shards (processes) may still make. The error has the
    /// kind `WouldBlock` and the exit status is 75, because a retry may succeed.
    #[error("{0}")]
    Missing(#[source] io::Error),
}

/// The result of opening a run.
#[allow(clippy::large_enum_variant, reason = "a process has few, and moves them seldom")]
pub enum Opened {
    /// The output, made with the settings and inputs of the plan, is already complete.
    Done(Summary),
    /// The run that makes the output, which is not complete yet.
    Run(Run),
}

/// A run, opened by this process to make the parts of one shard, or to pack the parts.
pub struct Run {
    /// The path of the output.
    pub output: PathBuf,
    /// The settings that determine the parts and the output.
    pub plan: Plan,
    shard: Shard,
    folder: Folder,
    /// The shard's lock or, if this process only packs parts into the output, the lock for packing.
    lock: Lock,
    packs_only: bool,
    replaceable: Replaceable,
    /// The number of units of the first stage whose results an existing output contains, or 0.
    pub standing: u64,
}

impl Run {
    /// Returns true if the run is divided into several shards. This process then makes the parts of
    /// one shard and must not pack them; `othello-trainer pack` packs the parts of all shards.
    pub fn is_shard(&self) -> bool {
        !self.shard.is_whole()
    }

    /// Returns the number of parts that exist as files, over all stages.
    pub fn count(&self) -> Result<u64, RunError> {
        let all: u64 = self.plan.stages.iter().map(Stage::parts).sum();
        Ok(self.folder.numbers()?.filter(|&number| number < all).count() as u64)
    }

    /// Returns true if the part exists as a file, or if the existing output contains its results.
    pub fn has(&self, stage: usize, index: u64) -> bool {
        index < self.standing_parts(stage) || self.path(stage, index).exists()
    }

    /// Returns the indices of the parts of a stage that this shard (one of the run's processes)
    /// makes, except parts whose results the output already contains.
    pub fn own(&self, stage: usize) -> impl Iterator<Item = u64> {
        let parts = self.standing_parts(stage)..self.plan.stages[stage].parts();
        parts.filter(|&index| self.shard.makes(index))
    }

    /// Returns the indices of the parts of a stage that this shard still has to make, in order.
    pub fn missing(&self, stage: usize) -> Vec<u64> {
        self.own(stage).filter(|&index| !self.has(stage, index)).collect()
    }

    /// Returns an error, which names the parts and their shards, if parts of a stage are missing.
    pub fn require(&self, stage: usize) -> Result<(), RunError> {
        let parts = 0..self.plan.stages[stage].parts();
        let missing: Vec<u64> = parts.filter(|&index| !self.has(stage, index)).collect();
        if missing.is_empty() { Ok(()) } else { Err(self.waits_for(stage, &missing)) }
    }

    /// Opens the file of a complete part. Refuses a part that is missing or of another run.
    pub fn part(&self, stage: usize, index: u64) -> Result<Reader, RunError> {
        let path = self.path(stage, index);
        if !path.exists() {
            return Err(self.waits_for(stage, &[index]));
        }
        let reader = Reader::open(&path, Kind::Part)?;
        let wanted = self.plan.provenance_of(stage, index);
        if *reader.provenance() != wanted {
            let differences = Provenance::differences(reader.provenance(), &wanted);
            let reason = format!("it is a part of another run ({differences})");
            return Err(FileError::exists(&path, reason).into());
        }
        Ok(reader)
    }

    /// Opens the parts of a stage in order, except parts whose results are already in the output.
    pub fn parts(&self, stage: usize) -> impl Iterator<Item = Result<Reader, RunError>> {
        let parts = self.standing_parts(stage)..self.plan.stages[stage].parts();
        parts.map(move |index| self.part(stage, index))
    }

    /// Calls `pack`, which must write all outputs, the main output last. Then removes the folder of
    /// parts, unless [`Self::to_pack`] opened the run. Fails if another process packs the parts.
    pub fn pack<T, E: From<RunError>>(
        self,
        pack: impl FnOnce(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let packing = || Lock::for_packing(&self.folder.path);
        let _packing = (!self.packs_only).then(packing).transpose().map_err(RunError::from)?;
        let packed = pack(&self)?;
        if !self.packs_only {
            self.clean()?;
        }
        Ok(packed)
    }

    /// Removes the folder of the run. Call this function when the output is complete.
    pub fn clean(&self) -> Result<(), RunError> {
        Ok(self.folder.remove(&self.lock)?)
    }

    /// Returns a writer of the main output, for the closure that [`Self::pack`] calls.
    pub fn writer(&self) -> Result<Writer, RunError> {
        self.writer_with(&self.plan.provenance)
    }

    /// Returns a writer of the main output with another provenance than the plan's. The weights of
    /// an unfinished fit, for example, also state how far the fit got.
    pub fn writer_with(&self, provenance: &Provenance) -> Result<Writer, RunError> {
        let kind = self.plan.kind.unwrap_or(Kind::Part);
        let writer = Writer::create(&self.output, kind, provenance)?;
        Ok(writer.replacing(self.replaceable.clone()))
    }

    /// Returns true if this run may replace files that it did not make, as with `--force`.
    pub fn is_forced(&self) -> bool {
        self.replaceable == Replaceable::Any
    }

    fn number(&self, stage: usize, index: u64) -> u64 {
        self.plan.stages[..stage].iter().map(Stage::parts).sum::<u64>() + index
    }

    fn path(&self, stage: usize, index: u64) -> PathBuf {
        self.folder.part(self.number(stage, index))
    }

    fn standing_parts(&self, stage: usize) -> u64 {
        if stage == 0 { self.standing / self.plan.stages[0].per_part } else { 0 }
    }

    fn waits_for(&self, stage: usize, missing: &[u64]) -> RunError {
        let count = self.shard.count();
        let mut shards: Vec<u64> =
            missing.iter().map(|&index| Shard::of_part(index, count).number()).collect();
        shards.sort_unstable();
        shards.dedup();
        let remedy = if self.is_shard() {
            let plural = if shards.len() == 1 { "" } else { "s" };
            format!("wait for shard{plural} {} of {count}", listed(&shards))
        } else {
            "make them with the command of the run".to_owned()
        };
        let numbers: Vec<u64> = missing.iter().map(|&index| self.number(stage, index)).collect();
        let missing = match numbers[..] {
            [number] => format!("part {number} is"),
            _ => format!("parts {} are", listed(&numbers)),
        };
        let (folder, stage) = (self.folder.path.display(), &self.plan.stages[stage].name);
        let text = format!(
            "{folder}: {missing} missing of stage `{stage}`; {remedy}, then run this command again"
        );
        RunError::Missing(io::Error::new(io::ErrorKind::WouldBlock, text))
    }
}

/// Removes the folder of the run if it has no parts and no other process uses it. A run that
/// [`Run::to_pack`] opened keeps its folder.
impl Drop for Run {
    fn drop(&mut self) {
        // After `clean`, the lock is not current: a folder at this path belongs to another run.
        if !self.packs_only
            && !self.folder.has_work()
            && self.lock.is_current()
            && let Ok(_packing) = self.lock.for_removal()
            // Another shard can have ended in the meantime, and left its first part.
            && !self.folder.has_work()
        {
            let _ = self.folder.remove(&self.lock);
        }
    }
}

/// Describes the output of a run, or for `None` says that only the parts of a shard are complete.
pub fn described(summary: Option<&Summary>) -> String {
    const OF_SHARD: &str = "the parts of this shard are complete; when those of all shards are, \
        `othello-trainer pack OUT` makes the output";
    summary.map_or_else(|| OF_SHARD.to_owned(), Summary::to_string)
}

/// Formats ascending numbers as at most ten ranges, such as `3, 7..9`; `…` marks omitted ranges.
fn listed(numbers: &[u64]) -> String {
    let ranges: Vec<&[u64]> = numbers.chunk_by(|one, next| one + 1 == *next).collect();
    let range = |range: &&[u64]| match range {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}..{last}"),
        [] => String::new(),
    };
    let more = if ranges.len() > 10 { ", …" } else { "" };
    ranges.iter().take(10).map(range).collect::<Vec<_>>().join(", ") + more
}
