//! Where a phase stands that is not finished, in a file of its own beside the weights.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use othello_engine::board::Phase;
use othello_engine::file::{Begin, Existing, FileError, Kind, Provenance, Reader, Section, Writer};
use othello_engine::progress::{Progress, Silent};

use super::checkpoint::CheckpointError;
use super::phase::{Keeper, Next};
use super::snapshot::Snapshot;

/// The file `WEIGHTS.phase-PP.checkpoint`: a whole container, replaced at once whenever the phase is
/// kept, and taken away when it is finished.
pub(super) struct Unfinished<'a> {
    path: PathBuf,
    provenance: Provenance,
    begun: Instant,
    kept: Instant,
    deadline: Option<Instant>,
    progress: &'a dyn Progress,
}

impl<'a> Unfinished<'a> {
    /// A kill costs at most this part of the work done on a phase …
    const PART: u32 = 10;
    /// … or this much, which keeps writing below a hundredth or so of the time …
    const SHORTEST: Duration = Duration::from_secs(2);
    /// … and never more than this.
    const LONGEST: Duration = Duration::from_secs(30);

    /// The file of a phase of the fit that will write `weights`, from now on.
    pub(super) fn new(weights: &Path, provenance: &Provenance, phase: Phase) -> Self {
        let now = Instant::now();
        Self {
            path: weights.with_added_extension(format!("phase-{:02}.checkpoint", phase.index())),
            provenance: provenance.clone().with("phase", phase.index()),
            begun: now,
            kept: now,
            deadline: None,
            progress: &Silent,
        }
    }

    /// The phase stops at `deadline`, and when somebody wants the work to stop.
    pub(super) fn until(self, deadline: Option<Instant>, progress: &'a dyn Progress) -> Self {
        Self { deadline, progress, ..self }
    }

    /// Where an earlier run of the same fit left the phase; `None` where there is nothing to go on
    /// from. What cannot be used is told to `warn`, and the phase begins anew.
    pub(super) fn read(&self, parameters: usize, warn: impl Fn(&str)) -> Option<Snapshot> {
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
    pub(super) fn anew(&self, reason: &impl Display) -> String {
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
    pub(super) fn remove(&self) -> Result<(), CheckpointError> {
        for path in [self.path.clone(), self.path.with_added_extension("partial")] {
            match std::fs::remove_file(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(CheckpointError::Remove { path, source });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Keeper for Unfinished<'_> {
    fn next(&mut self) -> Next {
        let now = Instant::now();
        if self.progress.is_interrupted() || self.deadline.is_some_and(|deadline| now >= deadline) {
            return Next::Stop;
        }
        let work = now.duration_since(self.begun);
        let interval = (work / Self::PART).clamp(Self::SHORTEST, Self::LONGEST);
        if now.duration_since(self.kept) < interval { Next::GoOn } else { Next::Keep }
    }

    fn keep(&mut self, snapshot: &Snapshot) -> Result<(), CheckpointError> {
        let (kind, existing) = (Kind::Checkpoint, Existing::Replace);
        let writer = Writer::begin(&self.path, kind, &self.provenance, existing)?;
        // What is there is replaced, never found done.
        if let Begin::Writer(mut writer) = writer {
            for Section { name, content } in snapshot.sections() {
                writer.section(&name, &content)?;
            }
            writer.finish()?;
        }
        self.kept = Instant::now();
        Ok(())
    }
}
