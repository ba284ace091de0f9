//! Checks of the folder for a dataset before the work.

use std::fs;
use std::path::Path;

use othello_engine::board::Phase;
use othello_engine::file::{
    Existing, FileError, Kind, Provenance, Reader, check_output, kind_of, stated_sha256,
};

use super::write::{provenance, provenance_of_file};
use super::{Content, DatasetFolder, LayoutSettings, MANIFEST};
use crate::dataset::{DataChoice, DatasetError, DatasetInput, Input};

fn files() -> impl Iterator<Item = (Content, Phase)> {
    Phase::all().flat_map(|phase| Content::ALL.into_iter().map(move |content| (content, phase)))
}

impl DatasetFolder {
    /// Refuses a folder that cannot be written, or whose files are among the `inputs`. Unless it
    /// may be replaced, also refuses a folder that has records of another kind, which would look
    /// like files of the dataset.
    pub fn check_place<P: AsRef<Path>>(
        folder: &Path,
        inputs: &[P],
        existing: Existing,
    ) -> Result<(), DatasetError> {
        check_output(&folder.join(MANIFEST), inputs)?;
        for (content, phase) in files() {
            check_output(&folder.join(content.file_name(phase)), inputs)?;
        }
        if existing == Existing::Replace {
            return Ok(());
        }
        let unreadable = FileError::io(folder, "read it");
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_own =
                files().any(|(content, phase)| name.starts_with(&content.file_name(phase)));
            let is_record =
                matches!(kind_of(&path), Ok(Kind::Games | Kind::Positions | Kind::Openings));
            if name == "records.json" || (is_record && !is_own) {
                let reason = "this is a file of records; expected a folder for the dataset alone";
                return Err(FileError::exists(&path, reason).into());
            }
        }
        Ok(())
    }

    /// Refuses a folder whose files were made from other data or settings. Compares the checksums
    /// at the ends of the files before the data are read.
    pub fn check_is_own(
        folder: &Path,
        data: &[DatasetInput],
        test: &[DataChoice],
        settings: &LayoutSettings,
    ) -> Result<(), DatasetError> {
        let Some((data, test)) = stated(data, test) else { return Ok(()) };
        let provenance = provenance(&data, &test, settings);
        if Self::is_at(folder) {
            Self::open(folder)?.check_is_by(&provenance)?;
        }
        for (content, phase) in files() {
            let path = folder.join(content.file_name(phase));
            if path.exists() {
                check_file(&path, &provenance_of_file(&provenance, content, phase))?;
            }
        }
        Ok(())
    }
}

fn check_file(path: &Path, wanted: &Provenance) -> Result<(), FileError> {
    match Reader::open(path, Kind::Positions) {
        Ok(reader) if reader.provenance() == wanted => Ok(()),
        Ok(reader) => Err(FileError::other_settings(path, reader.provenance(), wanted)),
        Err(_) => Err(FileError::exists(path, "it is not a file of positions")),
    }
}

/// Returns the inputs of a dataset, data and test, with the checksums that their files state.
fn stated(data: &[DatasetInput], test: &[DataChoice]) -> Option<(Vec<Input>, Vec<Input>)> {
    let input = |choice: &DataChoice| {
        let sha256 = stated_sha256(&choice.path).ok()?;
        Some(Input { sha256, weight: choice.weight })
    };
    let (mut all, mut all_tests) = (vec![], vec![]);
    for from in data {
        match from {
            DatasetInput::Records(choice) => all.push(input(choice)?),
            DatasetInput::Dataset(folder) => {
                let (data, test) = folder.inputs();
                all.extend_from_slice(data);
                all_tests.extend_from_slice(test);
            }
        }
    }
    for choice in test {
        all_tests.push(input(choice)?);
    }
    Some((all, all_tests))
}
