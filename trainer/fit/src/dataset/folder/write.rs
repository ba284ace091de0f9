//! Writes a dataset to a folder, and checks the folder beforehand.

use std::fs;
use std::path::Path;

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::{
    Existing, FileError, Kind, Provenance, Reader, check_output, kind_of, plain, sha256_of_file,
};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::PositionWriter;
use rayon::prelude::*;
use serde_json::json;

use super::{
    DatasetFolder, FORMAT, FileEntry, LayoutSettings, MANIFEST, Manifest, PhaseEntry, VERSION,
    file_name,
};
use crate::dataset::{DataChoice, Dataset, Input, Subset};
use crate::source::Result;

impl Dataset {
    pub(super) fn write(
        &self,
        folder: &Path,
        provenance: &Provenance,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<()> {
        fs::create_dir_all(folder).map_err(FileError::io(folder, "create it"))?;
        progress.begin_stoppable(FILES, 0, FILE_COUNT);
        let phases: Vec<Phase> = Phase::all().collect();
        let entry = |&phase: &Phase| -> Result<PhaseEntry> {
            let file =
                |subset| self.write_file(folder, subset, phase, provenance, existing, progress);
            Ok(PhaseEntry {
                labels: self.labels(phase),
                training: file(Subset::Training)?,
                validation: file(Subset::Validation)?,
                test: file(Subset::Test)?,
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
        subset: Subset,
        phase: Phase,
        provenance: &Provenance,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<FileEntry> {
        progress.check()?;
        let rows = self.subset(subset, phase);
        let provenance = provenance_of_file(provenance, subset, phase);
        let path = folder.join(file_name(subset, phase));
        let mut file = PositionWriter::begin(&path, &provenance, existing)?;
        rows.iter().try_for_each(|&row| file.push(row))?;
        let summary = file.finish()?;
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

pub(super) fn provenance_of_file(dataset: &Provenance, subset: Subset, phase: Phase) -> Provenance {
    dataset.clone().with("phase", phase.index()).with("part", subset.to_string())
}

impl DatasetFolder {
    pub(super) fn check_is_by(&self, provenance: &Provenance) -> Result<(), FileError> {
        if self.manifest.provenance == json!(provenance.as_map()) {
            return Ok(());
        }
        let reason = "it was made from other data or settings";
        Err(FileError::exists(&self.path.join(MANIFEST), reason))
    }

    /// Returns true if every file exists and has the checksum that the manifest states.
    pub(super) fn has_all_files(&self) -> bool {
        files().par_bridge().all(|(subset, phase)| {
            let there = sha256_of_file(&self.path.join(file_name(subset, phase)), &Silent);
            there.is_ok_and(|sha256| sha256 == self.entry(subset, phase).sha256)
        })
    }
}

pub(super) const FILES: &str = "dataset (files)";
pub(super) const FILE_COUNT: u64 = (PHASES * Subset::ALL.len()) as u64;

fn files() -> impl Iterator<Item = (Subset, Phase)> + Send {
    Phase::all().flat_map(|phase| Subset::ALL.map(|subset| (subset, phase)))
}

impl DatasetFolder {
    /// Refuses a folder that cannot be written, or that has one of the `inputs` under the name of a
    /// file of the dataset. Unless `existing` allows replacing files, also refuses a folder with
    /// other files of records: they would seem to belong to the dataset.
    pub fn check_place<P: AsRef<Path>>(
        folder: &Path,
        inputs: &[P],
        existing: Existing,
    ) -> Result<()> {
        check_output(&folder.join(MANIFEST), inputs)?;
        for (subset, phase) in files() {
            check_output(&folder.join(file_name(subset, phase)), inputs)?;
        }
        if existing == Existing::Replace {
            return Ok(());
        }
        let unreadable = FileError::io(folder, "read it");
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_own = files().any(|(subset, phase)| name.starts_with(&file_name(subset, phase)));
            let is_record = kind_of(&path).is_ok_and(Kind::is_of_records);
            if name == "records.json" || (is_record && !is_own) {
                let reason = "this is a file of records; expected a folder for the dataset alone";
                return Err(FileError::exists(&path, reason).into());
            }
        }
        Ok(())
    }

    /// Refuses a folder whose dataset was made with other settings, or from inputs with other
    /// checksums or weights. Accepts every folder if an input cannot be read.
    pub fn check_is_own(
        folder: &Path,
        data: &[DataChoice],
        test: &[DataChoice],
        settings: &LayoutSettings,
    ) -> Result<()> {
        let path = |(subset, phase)| folder.join(file_name(subset, phase));
        let there: Vec<_> = files().filter(|&file| path(file).exists()).collect();
        if there.is_empty() && !Self::is_at(folder) {
            return Ok(());
        }
        let (Some(data), Some(test)) = (inputs_of(data), inputs_of(test)) else { return Ok(()) };
        let provenance = provenance(&data, &test, settings);
        if Self::is_at(folder) {
            Self::open(folder)?.check_is_by(&provenance)?;
        }
        there.into_iter().try_for_each(|(subset, phase)| {
            let wanted = provenance_of_file(&provenance, subset, phase);
            Ok(check_file(&path((subset, phase)), &wanted)?)
        })
    }
}

fn check_file(path: &Path, wanted: &Provenance) -> Result<(), FileError> {
    match Reader::open(path, Kind::Positions) {
        Ok(reader) if reader.provenance() == wanted => Ok(()),
        Ok(reader) => Err(FileError::other_settings(path, reader.provenance(), wanted)),
        Err(_) => Err(FileError::exists(path, "it is not a file of positions")),
    }
}

fn inputs_of(choices: &[DataChoice]) -> Option<Vec<Input>> {
    let input = |choice: &DataChoice| {
        let sha256 = sha256_of_file(&choice.path, &Silent).ok()?;
        Some(Input { sha256, weight: choice.weight })
    };
    choices.iter().map(input).collect()
}
