//! Writes a dataset to a folder.

use std::fs;
use std::path::Path;

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::{
    Begin, Existing, FileError, Kind, Provenance, check_output, kind_of, plain, stated_sha256,
};
use othello_engine::progress::Progress;
use othello_engine::record::PositionWriter;
use rayon::prelude::*;
use serde_json::json;

use super::{
    Content, DatasetFolder, FORMAT, FileEntry, FolderError, LayoutSettings, MANIFEST, Manifest,
    PhaseEntry, VERSION,
};
use crate::dataset::{Dataset, Part};

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
        fs::create_dir_all(folder).map_err(|source| FileError::Io {
            path: folder.to_owned(),
            action: "create it",
            source,
        })?;
        let path = folder.join(MANIFEST);
        let provenance = self.provenance(settings);
        if existing == Existing::Keep && path.exists() {
            let there = DatasetFolder::open(folder)?;
            if there.manifest.provenance != json!(provenance.as_map()) {
                let reason = "it was made from other data or settings".to_owned();
                return Err(FileError::Exists { path, reason }.into());
            }
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

    fn provenance(&self, settings: &LayoutSettings) -> Provenance {
        Provenance::new("dataset")
            .with("data", json!(self.inputs()))
            .with("test", json!(self.test_inputs()))
            .with("settings", json!(settings))
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
        let provenance =
            provenance.clone().with("phase", phase.index()).with("part", content.to_string());
        let path = folder.join(content.file_name(phase));
        let summary = match PositionWriter::begin(&path, &provenance, existing)? {
            Begin::Done(summary) => summary,
            Begin::Writer(mut writer) => {
                progress.warn(writer.warning());
                writer.compare_from_start();
                rows.iter().try_for_each(|&row| writer.push(row))?;
                progress.warn(writer.end_comparison()?);
                writer.finish()?
            }
        };
        progress.advance(1);
        Ok(FileEntry { positions: rows.len() as u64, sha256: summary.sha256 })
    }
}

impl DatasetFolder {
    /// Refuses a folder that no dataset may be written to: one that cannot be written, one where
    /// files of the `inputs` would be replaced, and, unless `existing` allows replacing, one with
    /// foreign records that would look like parts of the dataset.
    pub fn check_place<'a>(
        folder: &Path,
        inputs: impl IntoIterator<Item = &'a Path>,
        existing: Existing,
    ) -> Result<(), FolderError> {
        check_output(&folder.join(MANIFEST), inputs)?;
        if existing == Existing::Replace {
            return Ok(());
        }
        let unreadable =
            |source| FileError::Io { path: folder.to_owned(), action: "read it", source };
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_own = Content::all().any(|content| {
                Phase::all().any(|phase| name.starts_with(&content.file_name(phase)))
            });
            let is_record =
                matches!(kind_of(&path), Ok(Kind::Games | Kind::Positions | Kind::Openings));
            if name == "records.json" || (is_record && !is_own) {
                let reason = "a dataset belongs into a folder of its own, and this is a file of \
                    records"
                    .to_owned();
                return Err(FileError::Exists { path, reason }.into());
            }
        }
        Ok(())
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
