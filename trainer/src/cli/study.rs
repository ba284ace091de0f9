//! The common parts of commands that study recipes: test games, a folder of weights, and fits into
//! it.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::ensure;
use othello_engine::board::Phase;
use othello_engine::cli::Session;
use othello_engine::eval::{Evaluator, Weights};
use othello_engine::file::{Existing, Provenance, make_folder};
use othello_engine::progress::Progress as _;
use othello_engine::record::record_files;
use othello_engine::text::{from_toml, read_by};
use serde_json::json;

use super::device::{Device, Picked};
use super::phases::Phases;
use crate::dataset::{DataChoice, Dataset, Split, TrainedOn};
use crate::fit::{Fit, FitSettings, Limits};
use crate::measure::{ErrorsByGame, TestGames, Trained};
use crate::model::Model;
use crate::source::LabelRules;
use crate::study::Recipe;

/// Arguments of every study.
#[derive(clap::Args, Debug)]
pub(super) struct StudyArguments {
    /// Records to measure errors on, of games that no recipe learns from
    #[arg(long, required = true, value_name = "GAMES")]
    test: Vec<PathBuf>,
    /// Rules that give the positions of the test games their labels
    #[arg(long, value_name = "RULES")]
    labels: Option<LabelRules>,
    /// Phases to fit and to measure, A and B included
    #[arg(long, value_name = "A..B", default_value = "0..59")]
    pub(super) phases: Phases,
    /// Folder for the weights of all fits; those that are there are not fitted again
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Device to compute on
    #[arg(long, value_enum, default_value_t = Device::Auto)]
    device: Device,
    /// Replace files in the folder that were made from something else
    #[arg(long)]
    pub(super) force: bool,
}

/// A running study.
pub(super) struct Study<'a> {
    arguments: &'a StudyArguments,
    session: &'a Session,
    test: TestGames,
    device: Picked,
    /// The dataset of the last fit, which the next one may share.
    last: RefCell<Option<(DatasetKey, Rc<Dataset>)>>,
}

/// The settings that decide a dataset.
type DatasetKey = (Vec<DataChoice>, LabelRules, Split);

/// The weights that a recipe gave.
pub(super) struct Fitted {
    /// The weights.
    pub(super) evaluator: Evaluator,
    /// The number of training games.
    pub(super) games: u64,
}

/// Formats the kinds of labels as `value 60 %, result 40 %`.
pub(super) fn label_list(labels: &[(String, u64)]) -> String {
    let all: u64 = labels.iter().map(|kind| kind.1).sum();
    let percent = |count: u64| 100.0 * count as f64 / all as f64;
    let kind = |(kind, count): &(String, u64)| format!("{kind} {:.0} %", percent(*count));
    labels.iter().map(kind).collect::<Vec<_>>().join(", ")
}

impl StudyArguments {
    /// Refuses test games that one of the recipes learns from.
    pub(super) fn check_test(&self, recipe: &Recipe) -> anyhow::Result<()> {
        let mut trained = TrainedOn::default();
        DataChoice::files(&recipe.data)?.iter().for_each(|choice| trained.add_file(&choice.path));
        if let Some(initial) = &recipe.initial {
            let before = Trained::by_provenance(initial.provenance.as_map());
            trained.add_initial(before.as_ref().map_or(&[], Trained::data));
        }
        Ok(trained.check(record_files(&self.test)?.iter().map(PathBuf::as_path))?)
    }

    /// Makes the folder, reads the test games, and picks the device.
    pub(super) fn begin<'a>(&'a self, session: &'a Session) -> anyhow::Result<Study<'a>> {
        make_folder(&self.out)?;
        let begun = self.read_test(session).and_then(|test| Ok((test, self.device.pick()?)));
        if begun.is_err() {
            // A folder that was made for nothing goes; one that holds something stays.
            let _ = fs::remove_dir(&self.out);
        }
        let (test, device) = begun?;
        Ok(Study { arguments: self, session, test, device, last: RefCell::default() })
    }

    fn read_test(&self, session: &Session) -> anyhow::Result<TestGames> {
        let rules = self.labels.clone().unwrap_or_default();
        let test = TestGames::read(&record_files(&self.test)?, &rules, session.progress())?;
        ensure!(
            test.len() > 1,
            "--test: {} games with labels; at least two are needed{}",
            test.len(),
            rules.remedy()
        );
        Ok(test)
    }

    /// Returns the files of test games, and the folders of such.
    pub(super) fn test(&self) -> impl Iterator<Item = &Path> {
        self.test.iter().map(PathBuf::as_path)
    }

    /// Returns the rule for existing files of another study.
    pub(super) fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }

    /// Returns the indices of the phases.
    pub(super) fn indices(&self) -> Vec<usize> {
        self.phases.iter().map(Phase::index).collect()
    }
}

impl Study<'_> {
    /// Returns the provenance that all fits of a study share: the recipe as written, and the test.
    pub(super) fn provenance(&self, command: &str, recipe: &Path) -> anyhow::Result<Provenance> {
        let recipe: toml::Table = read_by(recipe, from_toml)?;
        let phases = &self.arguments.phases.0;
        Ok(Provenance::new(command)
            .with("recipe", serde_json::to_value(recipe)?)
            .with("test", self.test.sha256())
            .with("labels", String::from(self.arguments.labels.clone().unwrap_or_default()))
            .with("phases", json!([phases.start(), phases.end()])))
    }

    /// Returns the indices of the phases to measure.
    pub(super) fn phases(&self) -> Vec<usize> {
        self.arguments.indices()
    }

    /// Returns the kinds of labels of the positions to measure, the most frequent first.
    pub(super) fn labels(&self) -> Vec<(String, u64)> {
        self.test.labels(&self.phases())
    }

    /// Returns the test games.
    pub(super) fn test(&self) -> &TestGames {
        &self.test
    }

    /// Returns the errors of weights on the test games.
    pub(super) fn errors(&self, fitted: &Fitted) -> ErrorsByGame {
        ErrorsByGame::of(&fitted.evaluator, &self.test)
    }

    /// Fits a recipe with some settings into `NAME.weights` of the folder, unless that was done
    /// before.
    pub(super) fn fit(
        &self,
        recipe: &Recipe,
        settings: &FitSettings,
        name: &str,
    ) -> anyhow::Result<Fitted> {
        let progress = self.session.progress();
        let share = if settings.share.is_all() {
            String::new()
        } else {
            format!(", {} of the games", settings.share)
        };
        progress.message(&format!("{}: seed {}{share}", recipe.name, settings.seed));
        let dataset = self.dataset(recipe, settings)?;
        let model = Model::new(recipe.set.clone());
        let fit = Fit {
            model: &model,
            dataset: &dataset,
            settings,
            optimizer: recipe.optimizer,
            initial: recipe.initial.as_ref(),
            phases: self.arguments.phases.0.clone(),
            shard: None,
            limits: Limits::default(),
        };
        let path = self.arguments.out.join(format!("{name}.weights"));
        self.device.run(&fit, &path, self.arguments.existing(), progress)?;
        let evaluator = Evaluator::from(&Weights::read(&path)?);
        Ok(Fitted { evaluator, games: dataset.games() })
    }

    fn dataset(&self, recipe: &Recipe, settings: &FitSettings) -> anyhow::Result<Rc<Dataset>> {
        let key = (recipe.data.clone(), settings.labels.clone(), settings.split());
        if let Some((last, dataset)) = &*self.last.borrow()
            && *last == key
        {
            return Ok(dataset.clone());
        }
        self.last.replace(None); // Not two of them in memory at once.
        let (data, labels, split) = &key;
        let (files, progress) = (DataChoice::files(data)?, self.session.progress());
        let dataset = Rc::new(Dataset::read(&files, &[], labels, *split, progress)?);
        self.last.replace(Some((key, dataset.clone())));
        Ok(dataset)
    }
}
