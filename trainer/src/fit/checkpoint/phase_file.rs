//! The file in which an unfinished phase is kept.

use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use othello_engine::board::Phase;
use othello_engine::file::{Begin, Existing, FileError, Kind, Provenance, Reader, Section, Writer};
use othello_engine::progress::{Progress, Silent};

use super::{CheckpointError, CheckpointPolicy, Checkpointer, Snapshot};

/// The file `WEIGHTS.phase-PP.checkpoint`: a whole container, replaced at once whenever the phase is
/// saved, and taken away when it is finished.
pub(in crate::fit) struct PhaseFile<'a> {
    path: PathBuf,
    provenance: Provenance,
    begun: Instant,
    saved: Instant,
    deadline: Option<Instant>,
    progress: &'a dyn Progress,
}

impl<'a> PhaseFile<'a> {
    /// A kill costs at most this part of the work done on a phase …
    const PART: u32 = 10;
    /// … or this much, which keeps writing below a hundredth or so of the time …
    const SHORTEST: Duration = Duration::from_secs(2);
    /// … and never more than this.
    const LONGEST: Duration = Duration::from_secs(30);

    /// The file of a phase of the fit that will write `weights`, from now on.
    pub(in crate::fit) fn new(weights: &Path, provenance: &Provenance, phase: Phase) -> Self {
        let now = Instant::now();
        Self {
            path: weights.with_added_extension(format!("phase-{:02}.checkpoint", phase.index())),
            provenance: provenance.clone().with("phase", phase.index()),
            begun: now,
            saved: now,
            deadline: None,
            progress: &Silent,
        }
    }

    /// The same file for a phase that stops at `deadline`, and when somebody wants the work to stop.
    pub(in crate::fit) fn until(
        self,
        deadline: Option<Instant>,
        progress: &'a dyn Progress,
    ) -> Self {
        Self { deadline, progress, ..self }
    }

    /// Refuses a file of somebody else where this one belongs, before it is replaced. A damaged
    /// checkpoint is nobody's any more.
    pub(in crate::fit) fn check_is_own(&self) -> Result<(), FileError> {
        for path in self.paths().iter().filter(|path| path.exists()) {
            let reason = match Reader::open(path, Kind::Checkpoint) {
                Ok(reader) if reader.provenance() == &self.provenance => continue,
                Err(FileError::Truncated { .. } | FileError::Damaged { .. }) => continue,
                Err(error @ FileError::Io { .. }) => return Err(error),
                Err(error) => error.to_string(),
                Ok(_) => "it is the checkpoint of a fit with other settings".to_owned(),
            };
            return Err(FileError::Exists { path: path.clone(), reason });
        }
        Ok(())
    }

    /// Where an earlier run of the same fit left the phase; `None` where there is nothing to go on
    /// from. What cannot be used is told to `warn`, and the phase begins anew.
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

    /// What to say where the file cannot be used.
    pub(in crate::fit) fn anew(&self, reason: &impl Display) -> String {
        format!("{}: {reason}; the phase begins anew", self.path.display())
    }

    /// The sections of the file; `None` where it belongs to another fit.
    fn sections(&self, parameters: usize) -> Result<Option<Vec<Section>>, FileError> {
        let mut reader = Reader::open(&self.path, Kind::Checkpoint)?;
        if reader.provenance() != &self.provenance {
            return Ok(None);
        }
        Snapshot::read(&mut reader, parameters).map(Some)
    }

    /// Takes the file away.
    pub(in crate::fit) fn remove(&self) -> Result<(), FileError> {
        for path in self.paths() {
            match fs::remove_file(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(FileError::Io { path, action: "remove it", source });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The file, and what it is until it is complete.
    fn paths(&self) -> [PathBuf; 2] {
        [self.path.clone(), self.path.with_added_extension("partial")]
    }
}

impl Checkpointer for PhaseFile<'_> {
    fn policy(&mut self) -> CheckpointPolicy {
        let now = Instant::now();
        if self.progress.is_interrupted() || self.deadline.is_some_and(|deadline| now >= deadline) {
            return CheckpointPolicy::Stop;
        }
        let work = now.duration_since(self.begun);
        let interval = (work / Self::PART).clamp(Self::SHORTEST, Self::LONGEST);
        if now.duration_since(self.saved) < interval {
            CheckpointPolicy::Continue
        } else {
            CheckpointPolicy::Save
        }
    }

    fn save(&mut self, snapshot: &Snapshot) -> Result<(), CheckpointError> {
        let (kind, existing) = (Kind::Checkpoint, Existing::Replace);
        let writer = Writer::begin(&self.path, kind, &self.provenance, existing)?;
        // What is there is replaced, never found done.
        if let Begin::Writer(mut writer) = writer {
            for Section { name, content } in snapshot.sections() {
                writer.section(&name, &content)?;
            }
            writer.finish()?;
        }
        self.saved = Instant::now();
        Ok(())
    }
}
