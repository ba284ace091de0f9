use std::error::Error;
use std::path::{Path, PathBuf};

use othello_engine::eval::{Weights, WeightsFile};
use othello_engine::file::FileError;
use othello_engine::pattern::PatternSet;
use othello_engine::text::{Invalid, from_toml, read_by};
use serde::Deserialize;
use toml::Table;

use super::Values;
use othello_fit::dataset::{DataChoice, Share};
use othello_fit::fit::{FitSettings, Optimizer};
use othello_fit::source::records::Records;

/// The data, pattern set, optimizer and settings of a fit, read from TOML. In the example, `*0.5`
/// halves the weight of a file's positions, and `window` has the weights of positions that are 1
/// and 2 phases from the phase that is fitted:
///
/// ```toml
/// name = "wide window"                            # optional; else the name of the file
/// data = ["train.games", "openings.openings*0.5"] # paths from the folder of this file
/// patterns = "standard"                           # a shipped set or a file
/// optimizer = "lsq"                               # or "adam"
/// init = "first.weights"                          # optional, instead of `patterns`
///
/// [settings]                                      # optional, as for `fit --settings`
/// window = "1,0.5"
/// ridge = 30.0
/// ```
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The name in reports.
    pub name: String,
    /// The files of records to fit to, each with the weight of its positions.
    pub data: Vec<DataChoice>,
    /// The pattern set of `initial` or, without initial weights, the one that the recipe names.
    pub set: PatternSet,
    /// The initial weights, towards which the ridge penalty pulls; `None` starts from 0.
    pub initial: Option<WeightsFile>,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// The settings of the fit. Their seed is the first of a study with several seeds.
    pub settings: FitSettings,
}

/// The keys of a recipe.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Raw {
    /// The name in reports (default: the name of the file).
    name: Option<String>,
    /// Records to fit to, such as `["a.games", "b.openings*0.5"]`, where `*0.5` halves the weights
    /// of the file's positions. Paths are relative to the folder of the recipe.
    data: Vec<String>,
    /// A shipped pattern set or a file (default: `standard`).
    patterns: Option<String>,
    /// Weights file to start from; its pattern set replaces `patterns`.
    init: Option<PathBuf>,
    /// The optimizer (default: `lsq`). Pattern sets with factors need `adam`.
    #[serde(default)]
    optimizer: RawOptimizer,
    /// The settings of the fit, as in `fit --settings`.
    #[serde(default)]
    settings: FitSettings,
}

#[derive(Clone, Copy, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RawOptimizer {
    #[default]
    Lsq,
    Adam,
}

impl Recipe {
    /// Returns the JSON Schema of a recipe file.
    pub fn schema() -> schemars::Schema {
        let settings = schemars::generate::SchemaSettings::default();
        let inline = settings.with(|settings| settings.inline_subschemas = true);
        inline.into_generator().into_root_schema_for::<Raw>()
    }

    /// Reads a recipe, its pattern set and its initial weights; opens its data files.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let raw = read_by(path, |text| -> Result<Raw, Invalid> {
            let raw: Raw = from_toml(text).map_err(not_a_recipe)?;
            raw.settings.check()?;
            Ok(raw)
        })?;
        Self::of_raw(path, "", raw)
    }

    /// Reads a recipe, replaces some entries by `values`, and names the recipe after these values.
    pub fn read_with(path: &Path, values: &Values) -> Result<Self, FileError> {
        let with = format!("with {values}: ");
        let wrong = |reason: &str| Invalid(format!("{with}{reason}"));
        let raw = read_by(path, |text| -> Result<Raw, Invalid> {
            let mut table: Table = from_toml(text).map_err(not_a_recipe)?;
            values.put_into(&mut table);
            let raw: Result<Raw, toml::de::Error> = table.try_into();
            let raw = raw.map_err(|error| wrong(error.message()))?;
            raw.settings.check().map_err(|Invalid(reason)| wrong(&reason))?;
            Ok(Raw { name: Some(values.to_string()), ..raw })
        })?;
        Self::of_raw(path, &with, raw)
    }

    /// Checks `raw`, and reads the files that it names. Error messages put the text `with` before
    /// the cause of an error.
    fn of_raw(path: &Path, with: &str, raw: Raw) -> Result<Self, FileError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let refused = |reason: &str| FileError::refused(path, format!("{with}{reason}"));
        if raw.data.is_empty() {
            return Err(refused("`data` is empty; name records to fit to"));
        }
        let data = |text: &String| -> Result<DataChoice, Invalid> {
            let DataChoice { path, weight } = text.parse()?;
            Ok(DataChoice { path: folder.join(path), weight })
        };
        let data: Result<Vec<DataChoice>, _> = raw.data.iter().map(data).collect();
        let data = data.map_err(because(path, with, "data"))?;
        let files = DataChoice::files(&data).map_err(because(path, with, "data"))?;
        for file in files.iter().filter(|file| !file.path.is_dir()) {
            Records::open(&file.path).map_err(because(path, with, "data"))?;
        }
        let initial = raw.init.map(|file| Weights::read(&folder.join(file)));
        let initial = initial.transpose().map_err(because(path, with, "init"))?;
        let set = match (&initial, raw.patterns) {
            (Some(_), Some(_)) => {
                return Err(refused("`init` has its own pattern set; omit `patterns`"));
            }
            (Some(file), None) => file.weights.set().clone(),
            (None, patterns) => {
                let name = patterns.as_deref().unwrap_or("standard");
                PatternSet::named(name, folder).map_err(because(path, with, "patterns"))?
            }
        };
        // An evaluation is not linear in its factors, so least squares cannot fit them.
        let optimizer = match raw.optimizer {
            RawOptimizer::Lsq if set.factors().is_none() => Optimizer::LeastSquares,
            RawOptimizer::Lsq | RawOptimizer::Adam => Optimizer::Adam,
        };
        let factors = set.factors().map(|_| raw.settings.factors.unwrap_or_default());
        let settings = FitSettings { factors, ..raw.settings };
        let of_file = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = raw.name.unwrap_or_else(of_file);
        Ok(Self { name, data, set, initial, optimizer, settings })
    }

    /// Returns the settings of a study's fit to a `share` of the recipe's games. The seed is the
    /// recipe's seed plus `number`. The test set is empty, because a study has its own test games.
    pub fn settings_with(&self, number: u64, share: Share) -> FitSettings {
        let seed = self.settings.seed.wrapping_add(number);
        let share = share.of(self.settings.share);
        FitSettings { seed, share, test_percent: 0, ..self.settings.clone() }
    }
}

fn because<E: Error + 'static>(path: &Path, with: &str, key: &str) -> impl Fn(E) -> FileError {
    move |error| FileError::because(path, format!("{with}`{key}`: {error}"), &error)
}

fn not_a_recipe(Invalid(reason): Invalid) -> Invalid {
    Invalid(format!("not a recipe: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::super::Choices;
    use super::*;

    const SCORED: &str =
        "---------------------------OX------XO--------------------------- X; f5:+0;\n";

    fn read(text: &str) -> Result<Recipe, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.toml");
        std::fs::write(&path, text).unwrap();
        std::fs::write(folder.path().join("a.games"), SCORED).unwrap();
        std::fs::create_dir(folder.path().join("folder")).unwrap();
        Recipe::read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn a_recipe_names_its_data_from_its_own_folder() {
        let recipe = read("data = ['a.games*0.5']\n[settings]\nridge = 7.0\nseed = 5").unwrap();
        assert_eq!((recipe.name.as_str(), recipe.set.name()), ("one", "standard"));
        assert!(recipe.data[0].path.is_absolute() && recipe.data[0].path.ends_with("a.games"));
        assert_eq!((recipe.data[0].weight, recipe.optimizer), (0.5, Optimizer::LeastSquares));
        let settings = recipe.settings_with(2, Share::ALL);
        assert_eq!((settings.ridge, settings.seed, settings.test_percent), (7.0, 7, 0));
    }

    #[test]
    fn values_replace_those_of_a_recipe_and_wrong_ones_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.toml");
        std::fs::write(folder.path().join("a.games"), SCORED).unwrap();
        std::fs::write(&path, "data = ['a.games']\n[settings]\nridge = 7.0\nshare = 0.5").unwrap();
        let with = |text: &str| {
            let values = Choices::parse(text).unwrap().all().remove(0);
            Recipe::read_with(&path, &values).map_err(|error| error.to_string())
        };
        let recipe = with("patterns = ['small']\n[settings]\nridge = [3]").unwrap();
        assert_eq!((recipe.set.name(), recipe.settings.ridge), ("small", 3.0));
        assert_eq!(recipe.name, "patterns = small, ridge = 3");
        let half: Share = 0.5.try_into().unwrap();
        assert_eq!(recipe.settings_with(0, Share::ALL).share, half);
        assert_eq!(recipe.settings_with(0, half).share, half.of(half));
        for (text, reason) in [
            ("[settings]\nridge = [-1]", "with ridge = -1: `ridge` is -1.0"),
            ("[settings]\nrigde = [1]", "with rigde = 1: unknown field"),
            ("patterns = ['smal']", "with patterns = smal: `patterns`: "),
        ] {
            let error = with(text).unwrap_err();
            assert!(error.contains(reason) && error.contains("one.toml"), "{error}");
        }
    }

    #[test]
    fn what_is_no_recipe_is_refused_by_name() {
        for (text, reason) in [
            ("data = []", "`data` is empty"),
            ("data = ['a.games']\npattern = 'small'", "pattern"),
            ("data = ['a.games']\n[settings]\nridge = -1.0", "ridge"),
            ("data = ['a.games*0']", "above 0"),
            // A regression: the message named neither the recipe nor the key.
            ("data = ['a.games', 'b.games']", "one.toml: `data`: "),
            ("data = ['a.games', 'b.games']", "b.games: cannot open it"),
            ("data = ['one.toml']", "one.toml: `data`: "),
            ("data = ['folder']", "folder: is a folder without records.json"),
            ("data = ['a.games']\npatterns = 'none.toml'", "one.toml: `patterns`: "),
            ("data = ['a.games']\npatterns = 'none.toml'", "none.toml: neither a file nor one of"),
            ("data = ['a.games']\npatterns = 'one.toml'", "one.toml: `patterns`: "),
            ("data = ['a.games']\ninit = 'b.weights'", "one.toml: `init`: "),
            ("data = ['a.games']\ninit = 'one.toml'", "not a file of this program"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(reason), "{error}");
            assert!(error.contains("one.toml"), "{error}");
        }
    }
}
