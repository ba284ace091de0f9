//! The training data of weights according to their provenance, and its held-out subsets.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, WeightsChoice, WeightsError, embedded};
use othello_engine::file::{FileError, Kind, folder_of, kind_of, sha256_of_file};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::ScoredPosition;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::{Overlap, TestGames};
use crate::dataset::{DataChoice, Dataset, Input, LayoutSettings, Subset};
use crate::source::{LabelRules, Result};

/// The data and the dataset settings of the fit that made some weights, according to the weights'
/// provenance.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Trained {
    /// The inputs of the fit.
    pub data: Vec<Input>,
    settings: LayoutSettings,
}

impl Trained {
    /// Returns data and settings of the weights' fit; `None` for weights that no fit made.
    pub fn of(choice: &WeightsChoice) -> Result<Option<Self>, WeightsError> {
        Ok(match choice {
            WeightsChoice::None | WeightsChoice::Mobility => None,
            WeightsChoice::Embedded => Self::by_provenance(embedded::provenance().as_map()),
            WeightsChoice::File(path) => {
                Self::by_provenance(Weights::read(path)?.provenance.as_map())
            }
        })
    }

    /// Reads data and split from a fit's or calibration's provenance; `None` if they are not in it.
    pub fn by_provenance(provenance: &Map<String, Json>) -> Option<Self> {
        if let Some(Json::Object(inner)) = provenance.get("weights_provenance") {
            return Self::by_provenance(inner);
        }
        Self::deserialize(provenance).ok()
    }

    /// Returns true if the weights were fitted to the file with this checksum.
    pub fn knows(&self, sha256: &str) -> bool {
        self.data.iter().any(|own| own.sha256 == sha256)
    }

    /// Returns the files in these folders on which the weights were trained.
    pub fn files_in<'p>(&self, folders: impl IntoIterator<Item = &'p Path>) -> BTreeSet<PathBuf> {
        let folders: BTreeSet<&Path> = folders.into_iter().collect();
        let files = folders.into_iter().filter_map(|folder| folder.read_dir().ok());
        let files = files.flatten().flatten().map(|entry| entry.path());
        let is_known = |path: &PathBuf| {
            kind_of(path).is_ok_and(Kind::is_of_records)
                && sha256_of_file(path, &Silent).is_ok_and(|sha256| self.knows(&sha256))
        };
        files.filter(is_known).collect()
    }

    /// Looks for the first games of `test` in the training subset of the files to which the weights
    /// were fitted. Finds such files only in the folders of `test` and of `file`, the weights file;
    /// returns `None` if there are none. Messages call the weights `name`.
    pub fn overlap(
        &self,
        test: &[PathBuf],
        (name, file): (&str, Option<&Path>),
        rules: &LabelRules,
        progress: &dyn Progress,
    ) -> Result<Option<Overlap>> {
        /// The most test games that are looked up in training: about a million positions.
        const MOST: usize = 20_000;
        let files = self.files_in(test.iter().map(PathBuf::as_path).chain(file).map(folder_of));
        if test.is_empty() || files.is_empty() {
            return Ok(None);
        }
        let games = TestGames::read(MOST, test, rules, progress)?;
        let paths: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        let data = format!("the training data of {name} ({})", paths.join(", "));
        Ok(Some(Overlap::of(&games, data, files, &self.settings, progress)?))
    }

    /// Returns the positions of a subset, labelled by `labels` or, if `None`, by the fit's label
    /// rules.
    pub fn subset(
        &self,
        subset: Subset,
        paths: &[PathBuf],
        labels: Option<&LabelRules>,
        progress: &dyn Progress,
    ) -> Result<Vec<ScoredPosition>> {
        let choice = |path: &PathBuf| DataChoice { path: path.clone(), weight: 1.0 };
        let data: Vec<DataChoice> = paths.iter().map(choice).collect();
        let mut settings = self.settings.clone();
        settings.labels = labels.cloned().unwrap_or(settings.labels);
        let dataset = Dataset::read(&data, &[], &settings, progress)?;
        let mut inputs = dataset.inputs.iter().zip(paths);
        if let Some((input, path)) = inputs.find(|(input, _)| !self.knows(&input.sha256)) {
            let reason = format!(
                "the weights were not fitted to this file (sha256 {}), so that it has no --subset; \
                 omit --subset",
                input.sha256
            );
            return Err(FileError::refused(path, reason).into());
        }
        Ok(Phase::all().flat_map(|phase| dataset.subset(subset, phase)).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dataset::Split;
    use crate::fit::FitSettings;

    #[test]
    fn what_weights_were_trained_on_is_found_inside_a_calibration_too() {
        let settings =
            serde_json::to_value(FitSettings { seed: 7, ..FitSettings::default() }).unwrap();
        let fit = json!({"command": "fit", "data": [{"sha256": "ab", "weight": 1.0}], "settings": settings});
        let calibrated =
            json!({"command": "calibrate ordering", "weights_provenance": fit.clone()});
        for provenance in [fit, calibrated] {
            let trained = Trained::by_provenance(provenance.as_object().unwrap()).unwrap();
            assert!(trained.knows("ab") && !trained.knows("cd"));
            assert_eq!(trained.settings.split, Split::new(7));
        }
        assert!(Trained::by_provenance(&Map::new()).is_none());
    }
}
