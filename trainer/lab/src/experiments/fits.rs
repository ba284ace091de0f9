//! Fits the recipes of a study as steps of a run, and measures the fits' errors on test games.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

use othello_engine::board::Phase;
use othello_engine::eval::{Evaluator, Identified as _, Weights};
use othello_engine::file::{Existing, FileError, Provenance, folder_of, make_folder, sha256_of};
use othello_engine::progress::Progress;
use othello_engine::record::record_files;
use othello_engine::run::{Run, Shard, Stage};
use othello_engine::text::{Invalid, from_toml, read_by};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Recipe;
use crate::Result;
use othello_fit::dataset::{DataChoice, Dataset, LayoutSettings, Split, TrainedOn};
use othello_fit::fit::{Device, Fit, FitSettings, Limits, PickedDevice};
use othello_fit::metrics::{ErrorsByGame, Overlap, TestGames, Trained};
use othello_fit::model::{Model, Phases};
use othello_fit::source::LabelRules;

/// The settings that every study has.
#[derive(clap::Args, Clone, Debug)]
pub struct StudySettings {
    /// Records of test games, to measure errors on; recipes must not learn from these files
    #[arg(long, required = true, value_name = "GAMES")]
    pub test: Vec<PathBuf>,
    /// Rules for the labels of the test games' positions
    #[arg(long, value_name = "RULES", default_value_t, hide_default_value = true)]
    pub labels: LabelRules,
    /// Phases to fit and to measure, from A to B, both included
    #[arg(long, value_name = "A..B", default_value = "0..59")]
    pub phases: Phases,
    /// Folder for the weights of all fits; a fit whose weights exist is not repeated
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    #[arg(long, value_name = "I/N")]
    #[allow(missing_docs, reason = "the text of a flag of several commands")]
    pub shard: Option<Shard>,
    /// Device to compute on
    #[arg(long, value_name = "DEVICE", default_value_t = Device::Auto)]
    pub device: Device,
    /// Replace files in the folder --out, even if other settings or data made them
    #[arg(long)]
    pub force: bool,
}

/// A study that has begun: its settings, its test games, and the run that makes its fits.
pub struct Study<'a> {
    pub(super) settings: &'a StudySettings,
    pub(super) progress: &'a dyn Progress,
    pub(super) test: TestGames,
    overlap: Overlap,
    device: PickedDevice,
    /// The run that makes and stores the fits.
    pub run: Run,
    /// The provenance in `trials.jsonl`: the command, recipe, test games, label rules and phases.
    pub(super) provenance: Provenance,
    /// The dataset of the last fit with its key. The next fit reuses it if the keys are equal.
    last: RefCell<Option<(DatasetKey, Rc<Dataset>)>>,
    begun: Instant,
}

type DatasetKey = (Vec<DataChoice>, LayoutSettings, Vec<Phase>);

/// The weights file of a finished fit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fitted {
    /// The name of the weights file, without its extension.
    name: String,
    sha256: String,
    pub(super) games: u64,
}

/// The games on which a study (`compare`, `curve` or `tune`) measures the errors of its fits.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Tested {
    /// The number of test games.
    pub test_games: usize,
    /// The kinds of labels of the test positions, with the number of positions of each kind.
    pub test_labels: Vec<(String, u64)>,
    /// The numbers of test games and positions that are also in the training data.
    pub training_has: Overlap,
}

/// Checksums and texts that identify the inputs of a study's fits, and the paths of training data.
#[derive(Default)]
pub struct Origins {
    texts: BTreeSet<String>,
    /// Training files to compare with the test games: those of the recipes and, if they are in a
    /// folder of the recipes' data or of the test games, those to which initial weights were
    /// fitted.
    data: BTreeSet<PathBuf>,
}

/// Returns the entries of a recipe file as JSON, without defaults and unchecked.
pub fn as_written(recipe: &Path) -> Result<Value> {
    let recipe: toml::Table = read_by(recipe, from_toml)?;
    Ok(json!(recipe))
}

pub(super) fn digest<'t>(texts: impl IntoIterator<Item = &'t String>) -> String {
    let lines = texts.into_iter().map(|text| format!("{text}\n"));
    sha256_of(lines.collect::<String>().as_bytes())
}

impl StudySettings {
    /// Fails if the recipe learns from a file of `--test`. Adds the recipe's inputs to `origins`.
    pub fn check_test(&self, recipe: &Recipe, origins: &mut Origins) -> Result<()> {
        let mut trained = TrainedOn::default();
        let data = DataChoice::files(&recipe.data)?.into_iter().map(|choice| choice.path);
        let (data, test) = (data.collect::<Vec<_>>(), record_files(&self.test)?);
        data.iter().for_each(|path| trained.add_file(path));
        origins.texts.extend(trained.checksums().map(str::to_owned));
        origins.texts.insert(recipe.set.to_toml());
        if let Some(initial) = &recipe.initial {
            origins.texts.insert(initial.sha256.clone());
            if let Some(before) = Trained::by_provenance(initial.provenance.as_map()) {
                trained.add_initial(&before.data);
                let folders = data.iter().chain(&test).map(|path| folder_of(path));
                origins.data.extend(before.files_in(folders));
            }
        }
        trained.check(test.iter().map(PathBuf::as_path))?;
        origins.data.extend(data);
        Ok(())
    }

    /// Begins a study, or resumes it. `own` contains, as JSON, the settings that are specific to
    /// the study's command.
    pub fn begin<'a>(
        &'a self,
        (command, recipe): (&str, &Path),
        (own, origins): (Value, &Origins),
        stages: Vec<Stage>,
        progress: &'a dyn Progress,
        begun: Instant,
    ) -> Result<Study<'a>> {
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        Run::check_is_free(&self.out, shard)?;
        make_folder(folder_of(&self.out))?;
        let test = TestGames::read(usize::MAX, &record_files(&self.test)?, &self.labels, progress)?;
        if let games @ ..2 = test.games.len() {
            let few = format!("--test: {games} games with labels; at least two are needed");
            return Err(Invalid(few + self.labels.remedy()).into());
        }
        // Seeds differ in their training games, so the test games are compared with all games.
        let everything = LayoutSettings::new(LabelRules::default(), Split::none());
        let (name, data) = ("training".to_owned(), origins.data.iter().cloned());
        let overlap = Overlap::of(&test, name, data, &everything, progress)?;
        progress.warn(overlap.warning());
        let device = self.device.pick()?;
        let phases = &self.phases.0;
        let provenance = Provenance::new(command)
            .with("recipe", as_written(recipe)?)
            .with("test", &test.sha256[..])
            .with("labels", self.labels.in_provenance())
            .with("phases", json!([phases.start(), phases.end()]));
        let of_run = provenance.clone().with("study", json!([own, digest(&origins.texts)]));
        let existing = Existing::by_force(self.force);
        let run = Run::of_report(&self.out, of_run, stages, (shard, existing), progress)?;
        // Makes the folder only now, so that a study that cannot begin leaves no folder.
        make_folder(&self.out)?;
        let (settings, last) = (self, RefCell::default());
        Ok(Study { settings, progress, test, overlap, device, run, provenance, last, begun })
    }
}

impl Study<'_> {
    /// Returns the indices of the phases to measure.
    pub fn phases(&self) -> Vec<usize> {
        self.settings.phases.iter().map(Phase::index).collect()
    }

    /// Returns the seconds since the command began.
    pub(super) fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    pub(super) fn tested(&self) -> Tested {
        let test_labels = self.test.labels(&self.phases());
        let training_has = self.overlap.clone();
        Tested { test_games: self.test.games.len(), test_labels, training_has }
    }

    /// Reads the weights of a fit; fails if the file was replaced after the fit.
    pub fn weights(&self, fitted: &Fitted) -> Result<Evaluator> {
        let path = self.path(&fitted.name);
        let evaluator = Evaluator::from(&Weights::read(&path)?);
        if evaluator.identity() == fitted.sha256 {
            return Ok(evaluator);
        }
        Err(FileError::exists(&path, "it was replaced after this study made it").into())
    }

    /// Returns the errors of a fit on the test games.
    pub fn errors(&self, fitted: &Fitted) -> Result<ErrorsByGame> {
        Ok(ErrorsByGame::of(&self.weights(fitted)?, &self.test))
    }

    /// Fits a recipe and returns the fit; its weights are `NAME.weights` in the study's folder.
    pub fn fit(&self, recipe: &Recipe, settings: &FitSettings, name: &str) -> Result<Fitted> {
        let share = match settings.share {
            share if share.is_all() => String::new(),
            share => format!(", {share} of the games"),
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
        let (path, existing) = (self.path(name), Existing::by_force(self.settings.force));
        let summary = self.device.run(&fit, &path, existing, self.progress)?.summary;
        let sha256 = summary.map(|summary| summary.sha256).unwrap_or_default();
        Ok(Fitted { name: name.to_owned(), sha256, games: dataset.games() })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.settings.out.join(format!("{name}.weights"))
    }

    fn dataset(&self, recipe: &Recipe, settings: &FitSettings) -> Result<Rc<Dataset>> {
        let wanted = &self.settings.phases.0;
        let phases = settings.window.phases_read(|phase| wanted.contains(&phase));
        let key = (recipe.data.clone(), settings.layout(), phases);
        if let Some((last, dataset)) = &*self.last.borrow()
            && *last == key
        {
            return Ok(dataset.clone());
        }
        self.last.replace(None); // Not two of them in memory at once.
        let (data, layout, phases) = key.clone();
        let files = DataChoice::files(&data)?;
        let dataset = Dataset::read_within(None, phases, &files, &[], &layout, self.progress)?;
        let dataset = Rc::new(dataset);
        self.last.replace(Some((key, dataset.clone())));
        Ok(dataset)
    }
}
