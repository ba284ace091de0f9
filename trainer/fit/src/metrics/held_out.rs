//! The data to which weights were fitted, according to their provenance, and the subsets that the
//! fit held out for validation and test.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use othello_engine::board::{Phase, Position};
use othello_engine::eval::{Weights, WeightsChoice, WeightsError, embedded};
use othello_engine::file::{FileError, Kind, folder_of, kind_of, sha256_of_file};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::ScoredPosition;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::TestGames;
use crate::dataset::{
    DataChoice, Dataset, Input, LayoutSettings, PositionStream, StreamSettings, Subset,
};
use crate::model::Phases;
use crate::source::{LabelRules, Result};

/// The data and the dataset settings of a fit, according to the provenance of its weights.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Trained {
    /// The inputs of the fit.
    pub data: Vec<Input>,
    settings: LayoutSettings,
}

impl Trained {
    /// Returns the data and settings of the fit that made the weights; `None` if there was no fit.
    pub fn of(choice: &WeightsChoice) -> Result<Option<Self>, WeightsError> {
        Ok(match choice {
            WeightsChoice::None | WeightsChoice::Mobility => None,
            WeightsChoice::Embedded => Self::by_provenance(embedded::provenance().as_map()),
            WeightsChoice::File(path) => {
                Self::by_provenance(Weights::read(path)?.provenance.as_map())
            }
        })
    }

    /// Returns the data and settings of the fit that `provenance` states. It may be the provenance
    /// of fitted weights, or of weights that were calibrated later. `None` if it states no fit.
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

    /// Returns the files in `folders` to which, by their checksums, the weights were fitted.
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

    /// Counts the games and positions of the files `test` that are also in the fit's training
    /// subset. Reads at most 20,000 games. Looks for the fit's files in the folders of `test` and
    /// of the weights file. Returns `None` if it finds no file of the fit, or if `test` is empty.
    pub fn overlap(
        &self,
        test: &[PathBuf],
        (name, file): (&str, Option<&Path>),
        rules: &LabelRules,
        progress: &dyn Progress,
    ) -> Result<Option<Overlap>> {
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

    /// Returns the positions of the files `paths` that the fit assigned to `subset`, such as test.
    /// The label rules are `labels` or, for `None`, those of the fit. Fails if `paths` has a file
    /// that the fit did not read.
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
        for (Input { sha256, .. }, path) in dataset.inputs.iter().zip(paths) {
            if !self.knows(sha256) {
                let reason = format!(
                    "the weights were not fitted to this file (sha256 {sha256}), so that it has no \
                     --subset; omit --subset"
                );
                return Err(FileError::refused(path, reason).into());
            }
        }
        Ok(Phase::all().flat_map(|phase| dataset.subset(subset, phase)).copied().collect())
    }
}

const AT_ONCE: usize = 1 << 16;

/// The numbers of test games and positions that are also in the training data, up to symmetry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct Overlap {
    /// The description of the training data in messages.
    pub data: String,
    /// The number of test games with more than half of their positions also in the training data.
    /// In a file of positions without games, each position counts as a game.
    pub games: usize,
    /// The number of test games that were compared with the training data.
    pub of_games: usize,
    /// The number of positions of the `of_games` test games that are also in the training data.
    pub positions: usize,
    /// The number of positions of test games that were compared with the training data.
    pub of_positions: usize,
}

impl Overlap {
    /// Counts the games and positions of `test` that are also in the training subset of `files`.
    /// Messages call these files `data`.
    pub fn of(
        test: &TestGames,
        data: String,
        files: impl IntoIterator<Item = PathBuf>,
        layout: &LayoutSettings,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let canonical = |row: &ScoredPosition| row.position().canonical();
        let keys = test.games.par_iter().flatten().map(|row| (canonical(row), false));
        let mut is_known: HashMap<Position, bool> = keys.collect();
        let files = files.into_iter().map(|path| DataChoice { path, weight: 1.0 });
        let (layout, Phases(phases)) = (layout.clone(), Phases::default());
        let subset = Some(Subset::Training);
        let settings = StreamSettings { layout, subset, phases, shuffled: 0, seed: 0 };
        let mut stream = PositionStream::open(&files.collect::<Vec<_>>(), settings)?;
        loop {
            progress.check()?;
            let rows = stream.next_batch(AT_ONCE, progress)?;
            if rows.is_empty() {
                break;
            }
            let found = rows.par_iter().map(|placed| canonical(&placed.row));
            let found: Vec<_> = found.filter(|position| is_known.contains_key(position)).collect();
            is_known.extend(found.into_iter().map(|position| (position, true)));
        }
        let known = |game: &Vec<ScoredPosition>| {
            let known = game.iter().filter(|row| is_known[&canonical(row)]).count();
            (known, game.len())
        };
        let by_game: Vec<(usize, usize)> = test.games.par_iter().map(known).collect();
        Ok(Self {
            data,
            games: by_game.iter().filter(|(known, all)| 2 * known > *all).count(),
            of_games: by_game.len(),
            positions: by_game.iter().map(|game| game.0).sum(),
            of_positions: by_game.iter().map(|game| game.1).sum(),
        })
    }

    /// Returns a warning if some test games are also training data.
    pub fn warning(&self) -> Option<String> {
        let Self { data, games, of_games, positions, of_positions } = self;
        (*games > 0).then(|| {
            format!(
                "warning: {data} has {games} of {of_games} test games ({positions} of \
                 {of_positions} positions), so this is not a test error; test on other games"
            )
        })
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
