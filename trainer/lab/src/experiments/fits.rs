//! The fits of a study: its test games, a folder of weights, and fits into it.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use othello_engine::board::Phase;
use othello_engine::eval::{Evaluator, ExpandedWeights, WeightsError};
use othello_engine::file::{Existing, FileError, Provenance, make_folder};
use othello_engine::progress::Progress;
use othello_engine::record::{RecordError, record_files};
use othello_engine::run::{Held, RunError, Shard};
use othello_engine::text::{TextError, from_toml, read_by};
use serde_json::json;

use super::{Recipe, RecipeError};
use crate::arena::{MatchFileError, OpeningsError};
use othello_fit::dataset::{DataChoice, Dataset, DatasetError, Split, TrainedOn};
use othello_fit::fit::{Device, Fit, FitError, FitSettings, Limits, PickedDevice};
use othello_fit::metrics::{ErrorsByGame, TestGames, Trained};
use othello_fit::model::{Model, Phases};
use othello_fit::source::{LabelRules, SourceError};

/// The settings that every study has.
#[derive(clap::Args, Clone, Debug)]
pub struct StudySettings {
    /// Records to measure errors on, of games that no recipe learns from
    #[arg(long, required = true, value_name = "GAMES")]
    pub test: Vec<PathBuf>,
    /// Rules that give the positions of the test games their labels
    #[arg(long, value_name = "RULES", default_value_t, hide_default_value = true)]
    pub labels: LabelRules,
    /// Phases to fit and to measure, A and B included
    #[arg(long, value_name = "A..B", default_value = "0..59")]
    pub phases: Phases,
    /// Folder for the weights of all fits; those that are there are not fitted again
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Device to compute on
    #[arg(long, value_enum, default_value_t = Device::Auto)]
    pub device: Device,
    /// Replace files in the folder that were made from something else
    #[arg(long)]
    pub force: bool,
}

/// Errors of a study.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum StudyError {
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    #[error(transparent)]
    Text(#[from] TextError),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("--test: {games} games with labels; at least two are needed{remedy}")]
    TooFewGames { games: usize, remedy: &'static str },
    #[error("--test has no positions in the --phases")]
    NoPositions,
    #[error("the shares are of too few games; give the recipe more data or name others")]
    NoLaw,
    #[error("every fit diverged: lower the learning rates")]
    AllDiverged,
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Fit(#[from] FitError),
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    #[error(transparent)]
    Match(#[from] MatchFileError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<RecordError> for StudyError {
    fn from(error: RecordError) -> Self {
        Self::Source(error.into())
    }
}

/// A running study.
pub struct Study<'a> {
    settings: &'a StudySettings,
    progress: &'a dyn Progress,
    test: TestGames,
    device: PickedDevice,
    /// Refuses another start in this folder.
    _held: Held,
    /// The dataset of the last fit, which the next one may share.
    last: RefCell<Option<(DatasetKey, Rc<Dataset>)>>,
}

/// The settings that decide a dataset.
type DatasetKey = (Vec<DataChoice>, LabelRules, Split, Vec<Phase>);

/// The weights that a recipe gave.
pub struct Fitted {
    /// The weights.
    pub evaluator: Evaluator,
    /// The number of training games.
    pub games: u64,
}

impl StudySettings {
    /// Refuses test games that one of the recipes learns from.
    pub fn check_test(&self, recipe: &Recipe) -> Result<(), StudyError> {
        let mut trained = TrainedOn::default();
        DataChoice::files(&recipe.data)?.iter().for_each(|choice| trained.add_file(&choice.path));
        if let Some(initial) = &recipe.initial {
            let before = Trained::by_provenance(initial.provenance.as_map());
            trained.add_initial(before.as_ref().map_or(&[], Trained::data));
        }
        Ok(trained.check(record_files(&self.test)?.iter().map(PathBuf::as_path))?)
    }

    /// Makes the folder, reads the test games, and picks the device.
    pub fn begin<'a>(&'a self, progress: &'a dyn Progress) -> Result<Study<'a>, StudyError> {
        make_folder(&self.out)?;
        let held = Held::new(&self.out)?;
        let begun = self.read_test(progress).and_then(|test| Ok((test, self.device.pick()?)));
        if begun.is_err() {
            // A folder that was made for nothing goes; one that holds something stays.
            let _ = fs::remove_dir(&self.out);
        }
        let (test, device) = begun?;
        Ok(Study { settings: self, progress, test, device, _held: held, last: RefCell::default() })
    }

    fn read_test(&self, progress: &dyn Progress) -> Result<TestGames, StudyError> {
        let test = TestGames::read(&record_files(&self.test)?, &self.labels, progress)?;
        match test.len() {
            games @ 0..2 => Err(StudyError::TooFewGames { games, remedy: self.labels.remedy() }),
            _ => Ok(test),
        }
    }

    /// Returns the treatment of existing files of another study.
    pub fn existing(&self) -> Existing {
        Existing::by_force(self.force)
    }
}

impl Study<'_> {
    /// Returns the provenance that all fits of a study share: the recipe as written, and the test.
    pub fn provenance(&self, command: &str, recipe: &Path) -> Result<Provenance, StudyError> {
        let recipe: toml::Table = read_by(recipe, from_toml)?;
        let phases = &self.settings.phases.0;
        Ok(Provenance::new(command)
            .with("recipe", json!(recipe))
            .with("test", self.test.sha256())
            .with("labels", self.settings.labels.to_string())
            .with("phases", json!([phases.start(), phases.end()])))
    }

    /// Returns the settings.
    pub fn settings(&self) -> &'_ StudySettings {
        self.settings
    }

    /// Returns the progress that shows the fits.
    pub(super) fn progress(&self) -> &dyn Progress {
        self.progress
    }

    /// Returns the indices of the phases to measure.
    pub fn phases(&self) -> Vec<usize> {
        self.settings.phases.iter().map(Phase::index).collect()
    }

    /// Returns the kinds of labels of the positions to measure, the most frequent first.
    pub fn labels(&self) -> Vec<(String, u64)> {
        self.test.labels(&self.phases())
    }

    /// Returns the test games.
    pub fn test(&self) -> &TestGames {
        &self.test
    }

    /// Returns the errors of weights on the test games.
    pub fn errors(&self, fitted: &Fitted) -> ErrorsByGame {
        ErrorsByGame::of(&fitted.evaluator, &self.test)
    }

    /// Fits a recipe with some settings into `NAME.weights` of the folder, unless that was done
    /// before.
    pub fn fit(
        &self,
        recipe: &Recipe,
        settings: &FitSettings,
        name: &str,
    ) -> Result<Fitted, StudyError> {
        let share = if settings.share.is_all() {
            String::new()
        } else {
            format!(", {} of the games", settings.share)
        };
        self.progress.message(&format!("{}: seed {}{share}", recipe.name, settings.seed));
        let dataset = self.dataset(recipe, settings)?;
        let model = Model::new(recipe.set.clone());
        let fit = Fit {
            model: &model,
            dataset: &dataset,
            settings,
            optimizer: recipe.optimizer,
            initial: recipe.initial.as_ref(),
            phases: self.settings.phases.0.clone(),
            shard: Shard::WHOLE,
            limits: Limits::default(),
        };
        let path = self.settings.out.join(format!("{name}.weights"));
        self.device.run(&fit, &path, self.settings.existing(), self.progress)?;
        let evaluator = Evaluator::from(ExpandedWeights::read(&path)?);
        Ok(Fitted { evaluator, games: dataset.games() })
    }

    fn dataset(&self, recipe: &Recipe, settings: &FitSettings) -> Result<Rc<Dataset>, StudyError> {
        let wanted = &self.settings.phases.0;
        let phases = settings.window.phases_read(|phase| wanted.contains(&phase));
        let key = (recipe.data.clone(), settings.labels.clone(), settings.split(), phases);
        if let Some((last, dataset)) = &*self.last.borrow()
            && *last == key
        {
            return Ok(dataset.clone());
        }
        self.last.replace(None); // Not two of them in memory at once.
        let (data, labels, split, phases) = &key;
        let files = DataChoice::files(data)?;
        let dataset =
            Dataset::read_within(None, phases.clone(), &files, &[], labels, *split, self.progress)?;
        let dataset = Rc::new(dataset);
        self.last.replace(Some((key, dataset.clone())));
        Ok(dataset)
    }
}
