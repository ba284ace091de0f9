//! The phases that are already fitted, so that a killed fit does not fit them again.

use std::path::{Path, PathBuf};

use othello_engine::board::Phase;
use othello_engine::file::{Begin, Existing, FileError, Kind, Provenance, Section, Writer};

use super::FittedPhase;

/// An unfinished container beside the weights file, with three sections for each fitted phase, of
/// which the report comes last. It is taken away when the weights are written.
pub(super) struct Checkpoint {
    writer: Writer,
    path: PathBuf,
}

/// Why a fit cannot be resumed.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The container is damaged, foreign or cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A section does not hold what it should.
    #[error("{}: section `{section}` is no part of this fit: delete the file to start over", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Which section.
        section: String,
    },
    /// The file cannot be taken away.
    #[error("{}: {source}", path.display())]
    Remove {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Checkpoint {
    /// Opens or starts the checkpoint of a fit that will write `weights`, and returns the phases
    /// found there.
    pub(super) fn open(
        weights: &Path,
        provenance: &Provenance,
        existing: Existing,
        parameters: usize,
    ) -> Result<(Self, Vec<FittedPhase>), CheckpointError> {
        let path = weights.with_added_extension("checkpoint");
        let writer = match Writer::begin(&path, Kind::Checkpoint, provenance, existing)? {
            Begin::Writer(writer) => writer,
            // Checkpoints are never completed: somebody else's file, which is not ours to touch.
            Begin::Done(_) => {
                return Err(CheckpointError::Content { path, section: "end".into() });
            }
        };
        let path = path.with_added_extension("partial");
        let mut phases = vec![];
        let (mut steps, mut counts) = (vec![], vec![]);
        for section in writer.reread()?.take(writer.resumed().len()) {
            let section = section?;
            let content =
                || CheckpointError::Content { path: path.clone(), section: section.name.clone() };
            match section.name.split_once(' ').map_or("", |(kind, _)| kind) {
                "weights" => steps = read_words::<2>(&section).map(i16::from_le_bytes).collect(),
                "counts" => counts = read_words::<4>(&section).map(u32::from_le_bytes).collect(),
                _ => {
                    let report = serde_json::from_slice(&section.content).map_err(|_| content())?;
                    let (steps, counts) = (std::mem::take(&mut steps), std::mem::take(&mut counts));
                    if steps.len() != parameters || counts.len() != parameters {
                        return Err(content());
                    }
                    phases.push(FittedPhase { steps, counts, report });
                }
            }
        }
        Ok((Self { writer, path }, phases))
    }

    /// What resuming dropped, for the user to know.
    pub(super) fn warning(&self) -> Option<String> {
        self.writer.warning()
    }

    /// Adds a fitted phase.
    pub(super) fn push(
        &mut self,
        phase: Phase,
        fitted: &FittedPhase,
    ) -> Result<(), CheckpointError> {
        let number = phase.index();
        let steps: Vec<u8> = fitted.steps.iter().flat_map(|step| step.to_le_bytes()).collect();
        let counts: Vec<u8> = fitted.counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        // A report is a plain record of numbers.
        let report = serde_json::to_vec(&fitted.report).unwrap_or_default();
        self.writer.section(&format!("weights {number:02}"), &steps)?;
        self.writer.section(&format!("counts {number:02}"), &counts)?;
        Ok(self.writer.section(&format!("report {number:02}"), &report)?)
    }

    /// Takes the file away: the weights are written.
    pub(super) fn remove(self) -> Result<(), CheckpointError> {
        let Self { writer, path } = self;
        drop(writer);
        std::fs::remove_file(&path).map_err(|source| CheckpointError::Remove { path, source })
    }
}

fn read_words<const BYTES: usize>(section: &Section) -> impl Iterator<Item = [u8; BYTES]> {
    section.content.as_chunks::<BYTES>().0.iter().copied()
}
