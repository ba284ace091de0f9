//! The checkpoint file of an unfinished phase.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use othello_engine::board::Phase;
use othello_engine::file::{
    Begin, Existing, FileError, Kind, Provenance, Reader, Section, Writer, remove_if_there,
};
use othello_engine::progress::{Progress, Silent};

use super::{CheckpointError, CheckpointPolicy, Checkpointer, Snapshot};

/// The file `WEIGHTS.phase-PP.checkpoint`: a whole container, replaced at each save and deleted
/// when the phase is finished.
pub(in crate::fit) struct PhaseFile<'a> {
    path: PathBuf,
    provenance: Provenance,
    begun: Instant,
    saved: Instant,
    /// The time that writing the last save took.
    took: Duration,
    deadline: Option<Instant>,
    progress: &'a dyn Progress,
}

impl<'a> PhaseFile<'a> {
    /// The interval between saves is the work done on the phase divided by this …
    const PART: u32 = 10;
    /// … but no shorter than this …
    const SHORTEST: Duration = Duration::from_secs(2);
    /// … and no longer than this; a kill loses the work of one interval at most …
    const LONGEST: Duration = Duration::from_secs(30);
    /// … unless that were less than 50 times the last save: the state of a group is large, and
    /// a GPU is soon done with it.
    const SAVES: u32 = 50;

    /// Creates the checkpoint of a phase of the fit that will write `weights`. Time counts from
    /// now.
    pub(in crate::fit) fn new(weights: &Path, provenance: &Provenance, phase: Phase) -> Self {
        let now = Instant::now();
        Self {
            path: weights.with_added_extension(format!("phase-{:02}.checkpoint", phase.index())),
            provenance: provenance.clone().with("phase", phase.index()),
            begun: now,
            saved: now,
            took: Duration::ZERO,
            deadline: None,
            progress: &Silent,
        }
    }

    /// Returns this file with a `deadline`, and with a `progress` that can ask the phase to stop.
    pub(in crate::fit) fn until(
        self,
        deadline: Option<Instant>,
        progress: &'a dyn Progress,
    ) -> Self {
        Self { deadline, progress, ..self }
    }

    /// Refuses a foreign file under this name before it is replaced. A damaged checkpoint may be
    /// replaced.
    pub(in crate::fit) fn check_is_own(&self) -> Result<(), FileError> {
        let other = "it is the checkpoint of a fit with other settings";
        let is_own = |there: &Provenance| *there == self.provenance;
        let check = |path: &PathBuf| check_is_own(path, Kind::Checkpoint, is_own, other);
        self.paths().iter().try_for_each(check)
    }

    /// Reads the state in which an earlier run of the same fit left the phase; `None` if there is
    /// no usable file. Reports an unusable file to `warn`; the phase then starts from the
    /// beginning.
    pub(in crate::fit) fn read(&self, parameters: usize, warn: impl Fn(&str)) -> Option<Snapshot> {
        if !self.path.exists() {
            return None;
        }
        let anew = |reason: String| {
            warn(&self.anew(&reason));
            None
        };
        match self.sections(parameters) {
            Ok(None) => anew(
                "expected a checkpoint of this fit, and it was made from other settings".to_owned(),
            ),
            Ok(Some(sections)) => Snapshot::from_sections(&sections, parameters)
                .map_or_else(|error| anew(error.to_string()), Some),
            Err(error) => anew(error.to_string()),
        }
    }

    /// Returns the message for a file that cannot be used.
    pub(in crate::fit) fn anew(&self, reason: &impl Display) -> String {
        format!("{}: {reason}; the phase begins anew", self.path.display())
    }

    /// Reads the sections of the file; `None` if it belongs to another fit.
    fn sections(&self, parameters: usize) -> Result<Option<Vec<Section>>, FileError> {
        let mut reader = Reader::open(&self.path, Kind::Checkpoint)?;
        if reader.provenance() != &self.provenance {
            return Ok(None);
        }
        Snapshot::read(&mut reader, parameters).map(Some)
    }

    /// Deletes the file.
    pub(in crate::fit) fn remove(&self) -> Result<(), FileError> {
        self.paths().iter().try_for_each(|path| remove_if_there(path))
    }

    /// Returns the path of the file, and its path until it is complete.
    fn paths(&self) -> [PathBuf; 2] {
        [self.path.clone(), self.path.with_added_extension("partial")]
    }
}

/// Refuses a foreign file before it is replaced; `other` is the reason for one of another
/// provenance. A damaged or unfinished file may be replaced.
pub(in crate::fit) fn check_is_own(
    path: &Path,
    kind: Kind,
    is_own: impl Fn(&Provenance) -> bool,
    other: &str,
) -> Result<(), FileError> {
    let reason = match path.exists().then(|| Reader::open(path, kind)) {
        None | Some(Err(FileError::Truncated { .. } | FileError::Damaged { .. })) => return Ok(()),
        Some(Ok(reader)) if is_own(reader.provenance()) => return Ok(()),
        Some(Ok(_)) => other.to_owned(),
        Some(Err(error @ FileError::Io { .. })) => return Err(error),
        Some(Err(error)) => error.to_string(),
    };
    Err(FileError::exists(path, reason))
}

impl Checkpointer for PhaseFile<'_> {
    fn policy(&mut self) -> CheckpointPolicy {
        let now = Instant::now();
        if self.progress.is_interrupted() || self.deadline.is_some_and(|deadline| now >= deadline) {
            return CheckpointPolicy::Stop;
        }
        let work = now.duration_since(self.begun);
        let interval = (work / Self::PART).clamp(Self::SHORTEST, Self::LONGEST);
        let interval = interval.max(self.took * Self::SAVES);
        if now.duration_since(self.saved) < interval {
            CheckpointPolicy::Continue
        } else {
            CheckpointPolicy::Save
        }
    }

    fn save(&mut self, snapshot: &Snapshot) -> Result<(), CheckpointError> {
        let begun = Instant::now();
        let (kind, existing) = (Kind::Checkpoint, Existing::Replace);
        let writer = Writer::begin(&self.path, kind, &self.provenance, existing)?;
        // An existing file is always replaced, never taken for finished work.
        if let Begin::Writer(mut writer) = writer {
            for Section { name, content } in snapshot.sections() {
                writer.section(&name, &content)?;
            }
            writer.finish()?;
        }
        self.saved = Instant::now();
        self.took = self.saved - begun;
        Ok(())
    }
}
