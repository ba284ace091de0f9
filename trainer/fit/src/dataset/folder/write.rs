//! Writes a dataset to a folder.

use std::fs;
use std::path::Path;

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::{Begin, Existing, FileError, Provenance, plain, stated_sha256};
use othello_engine::progress::Progress;
use othello_engine::record::PositionWriter;
use rayon::prelude::*;
use serde_json::json;

use super::{
    Content, DatasetFolder, FORMAT, FileEntry, FolderError, LayoutSettings, MANIFEST, Manifest,
    PhaseEntry, VERSION,
};
use crate::dataset::{Dataset, Input, Part};

impl Dataset {
    /// Writes a dataset that [`Dataset::lay_out`] made to a folder. Complete files are not written
    /// again, and the manifest comes last.
    pub fn write(
        &self,
        folder: &Path,
        settings: &LayoutSettings,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<DatasetFolder, FolderError> {
        fs::create_dir_all(folder).map_err(FileError::io(folder, "create it"))?;
        let path = folder.join(MANIFEST);
        let provenance = provenance(&self.inputs, &self.test_inputs, settings);
        if existing == Existing::Keep && path.exists() {
            let there = DatasetFolder::open(folder)?;
            there.check_is_by(&provenance)?;
            if there.has_all_files() {
                progress.begin(FILES, FILE_COUNT, FILE_COUNT);
                return Ok(there);
            }
            progress.message("files that the folder lacks are written again");
        }
        progress.begin_stoppable(FILES, 0, FILE_COUNT);
        let phases: Vec<Phase> = Phase::all().collect();
        let entry = |&phase: &Phase| -> Result<PhaseEntry, FolderError> {
            let file =
                |content| self.write_file(folder, content, phase, &provenance, existing, progress);
            Ok(PhaseEntry {
                labels: self.labels(phase),
                training: file(Content::Part(Part::Training))?,
                validation: file(Content::Part(Part::Validation))?,
                test: file(Content::Part(Part::Test))?,
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
        plain::write(&path, text.as_bytes(), existing)?;
        DatasetFolder::open(folder)
    }

    fn write_file(
        &self,
        folder: &Path,
        content: Content,
        phase: Phase,
        provenance: &Provenance,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<FileEntry, FolderError> {
        progress.check()?;
        let rows = match content {
            Content::Part(part) => self.part(part, phase),
            Content::Sums => &self.sums[phase.index()],
        };
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

/// Returns the provenance of a dataset.
pub(super) fn provenance(data: &[Input], test: &[Input], settings: &LayoutSettings) -> Provenance {
    Provenance::new("dataset")
        .with("data", json!(data))
        .with("test", json!(test))
        .with("settings", json!(settings))
}

/// Returns the provenance of a file of a dataset.
pub(super) fn provenance_of_file(
    dataset: &Provenance,
    content: Content,
    phase: Phase,
) -> Provenance {
    dataset.clone().with("phase", phase.index()).with("part", content.to_string())
}

impl DatasetFolder {
    /// Refuses a dataset that was made from something else.
    pub(super) fn check_is_by(&self, provenance: &Provenance) -> Result<(), FileError> {
        if self.manifest.provenance == json!(provenance.as_map()) {
            return Ok(());
        }
        let reason = "it was made from other data or settings";
        Err(FileError::exists(&self.path.join(MANIFEST), reason))
    }

    /// Returns true if every file of the manifest exists with the listed checksum at its end.
    fn has_all_files(&self) -> bool {
        Phase::all().all(|phase| {
            Content::all().all(|content| {
                let listed = self.manifest.phases[phase.index()].of(content);
                let there = stated_sha256(&self.path.join(content.file_name(phase)));
                there.is_ok_and(|sha256| sha256 == listed.sha256)
            })
        })
    }
}

/// The name of the writing in progress messages.
const FILES: &str = "dataset (files)";
const FILE_COUNT: u64 = (PHASES * (Part::ALL.len() + 1)) as u64;
