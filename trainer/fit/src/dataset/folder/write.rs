//! Writes a dataset to a folder.

use std::fs;
use std::path::Path;

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::{Begin, Existing, FileError, Provenance, plain, stated_sha256};
use othello_engine::progress::Progress;
use othello_engine::record::{PositionWriter, RecordError};
use rayon::prelude::*;
use serde_json::json;

use super::{
    Content, DatasetFolder, FORMAT, FileEntry, LayoutSettings, MANIFEST, Manifest, PhaseEntry,
    VERSION,
};
use crate::dataset::{Dataset, DatasetError, Input};

impl Dataset {
    /// Writes the files that are missing, and the manifest last.
    pub(super) fn write(
        &self,
        folder: &Path,
        provenance: &Provenance,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<(), DatasetError> {
        fs::create_dir_all(folder).map_err(FileError::io(folder, "create it"))?;
        progress.begin_stoppable(FILES, 0, FILE_COUNT);
        let phases: Vec<Phase> = Phase::all().collect();
        let entry = |&phase: &Phase| -> Result<PhaseEntry, DatasetError> {
            let file =
                |content| self.write_file(folder, content, phase, provenance, existing, progress);
            Ok(PhaseEntry {
                labels: self.labels(phase),
                training: file(Content::Training)?,
                validation: file(Content::Validation)?,
                test: file(Content::Test)?,
                sums: file(Content::Sums)?,
            })
        };
        let phases = phases.par_iter().map(entry).collect::<Result<_, _>>()?;
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            provenance: json!(provenance.as_map()),
            games: self.games(),
            dropped: self.dropped(),
            phases,
        };
        let text = serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n";
        Ok(plain::write(&folder.join(MANIFEST), text.as_bytes(), existing).map(drop)?)
    }

    fn write_file(
        &self,
        folder: &Path,
        content: Content,
        phase: Phase,
        provenance: &Provenance,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<FileEntry, DatasetError> {
        progress.check().map_err(RecordError::from)?;
        let rows = self.rows(content, phase);
        let provenance = provenance_of_file(provenance, content, phase);
        let path = folder.join(content.file_name(phase));
        let summary = match PositionWriter::begin(&path, &provenance, existing)? {
            Begin::Done(summary) => summary,
            Begin::Writer(mut writer) => {
                rows.iter().try_for_each(|&row| writer.push(row))?;
                writer.finish()?
            }
        };
        progress.advance(1);
        Ok(FileEntry { positions: rows.len() as u64, sha256: summary.sha256 })
    }
}

pub(super) fn provenance(data: &[Input], test: &[Input], settings: &LayoutSettings) -> Provenance {
    Provenance::new("dataset")
        .with("data", json!(data))
        .with("test", json!(test))
        .with("settings", json!(settings))
}

pub(super) fn provenance_of_file(
    dataset: &Provenance,
    content: Content,
    phase: Phase,
) -> Provenance {
    dataset.clone().with("phase", phase.index()).with("part", content.to_string())
}

impl DatasetFolder {
    pub(super) fn check_is_by(&self, provenance: &Provenance) -> Result<(), FileError> {
        if self.manifest.provenance == json!(provenance.as_map()) {
            return Ok(());
        }
        let reason = "it was made from other data or settings";
        Err(FileError::exists(&self.path.join(MANIFEST), reason))
    }

    /// Returns true if every file of the manifest exists and states the listed checksum at its end.
    pub(super) fn has_all_files(&self) -> bool {
        Phase::all().all(|phase| {
            Content::ALL.into_iter().all(|content| {
                let listed = self.entry(content, phase);
                let there = stated_sha256(&self.path.join(content.file_name(phase)));
                there.is_ok_and(|sha256| sha256 == listed.sha256)
            })
        })
    }
}

pub(super) const FILES: &str = "dataset (files)";
pub(super) const FILE_COUNT: u64 = (PHASES * Content::ALL.len()) as u64;
