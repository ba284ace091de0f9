//! The settings of a fit.

use std::str::FromStr;
use std::{fmt, iter};

use othello_engine::board::{PHASES, Phase};
use othello_engine::text::{Invalid, as_text, from_toml};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::dataset::{Filter, LayoutSettings, Share, Split};
use crate::source::LabelRules;

/// An optimizer. `Display` prints its name, such as `lsq`, as on the command line and in the
/// provenance that weights files contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, derive_more::Display)]
#[display(rename_all = "lowercase")]
pub enum Optimizer {
    /// Adam, with mini-batches or with all positions in one batch.
    Adam,
    /// Ridge-regularised least squares by conjugate gradients.
    #[display("lsq")]
    LeastSquares,
    /// Steepest descent, only for comparison with the other optimizers.
    Descent,
}

/// The largest accepted ridge (L2 penalty, in occurrences). It is large enough to hold all weights
/// at their initial values, and small enough that no number in the fit overflows.
pub const MAX_RIDGE: f64 = 1e12;

/// The settings of a fit. A TOML file may give them (`--settings`), and flags override them.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FitSettings {
    /// The neighbouring phases whose positions also train a phase, and the factors by which the
    /// weights of these positions are multiplied.
    #[serde(with = "as_text")]
    #[schemars(with = "String")]
    pub window: Window,
    /// The ridge λ (L2 penalty, in occurrences), above 0 and at most [`MAX_RIDGE`]. A fit minimises
    /// Σ error² + λ Σ (w − w₀)². The initial value w₀ of a weight w is 0 or from `--init`.
    pub ridge: f64,
    /// With least squares and steepest descent, the fit of a phase stops after this many epochs
    /// without a better validation error.
    pub patience: u32,
    /// The rules for the labels of a game's positions.
    #[schemars(with = "String")]
    pub labels: LabelRules,
    /// The filter of the positions to fit to, such as `ply=10..50,value=0..30`; empty selects all.
    #[serde(with = "as_text", skip_serializing_if = "Filter::is_all")]
    #[schemars(with = "String")]
    pub filter: Filter,
    /// The seed of the split into training, validation and test, and of the order of batches.
    pub seed: u64,
    /// The percentage of games for validation.
    pub validation_percent: u8,
    /// The percentage of games for testing.
    pub test_percent: u8,
    /// The share of the games to use. The fit ignores the other games.
    #[serde(skip_serializing_if = "Share::is_all")]
    pub share: Share,
    /// The settings of least squares and of steepest descent.
    pub least_squares: LeastSquaresSettings,
    /// The settings of Adam.
    pub adam: AdamSettings,
    /// The settings of factors, if the pattern set has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factors: Option<FactorSettings>,
}

/// The settings of the fit of factors (for interactions of patterns) by Adam. The fit starts from
/// the initial weights or, without these, from weights that least squares fitted without factors.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FactorSettings {
    /// The number of epochs.
    pub epochs: u32,
    /// The approximate number of positions in an update; 0 means all.
    pub batch: u32,
    /// The learning rate at the beginning: about the largest change of a weight (in discs) or of a
    /// factor (in √disc) by one update. Over the epochs, it falls to 0 along half a cosine.
    pub learning_rate: f64,
    /// The ridge λ (L2 penalty, in occurrences), above 0 and at most [`MAX_RIDGE`]. A fit minimises
    /// Σ error² + λ Σ (w − w₀)² over all weights and factors w. The initial value w₀ of a factor is
    /// from `--init`, or else random, within ±0.025 √disc.
    pub ridge: f64,
}

/// The settings of least squares and of steepest descent.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LeastSquaresSettings {
    /// The greatest number of epochs of a phase. An epoch is one step on all training positions.
    #[serde(alias = "iterations")]
    pub epochs: u32,
    /// The approximate number of training positions (of the phase and of its neighbours in the
    /// window) in the sample with which least squares makes its first steps. If it is 0, or more
    /// than half the number of these positions, every step uses all of them.
    pub sample: u32,
    /// The number of steps of least squares on the sample (see `sample`), before the steps on all
    /// training positions; 0 omits them. They count as part of the first epoch.
    pub sample_steps: u32,
    /// The greatest number of epochs (steps on all training positions) of a phase whose fit begins
    /// with steps on a sample (see `sample`). It has no effect if `epochs` is smaller.
    pub sample_epochs: u32,
    /// A phase without validation positions stops when the norm of the preconditioned gradient,
    /// divided by the norm at the start, is below this number.
    pub tolerance: f64,
}

/// The settings of Adam. The default values were found by fits to WTHOR games.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdamSettings {
    /// The greatest number of epochs of a phase.
    #[serde(alias = "passes")]
    pub epochs: u32,
    /// The approximate number of positions in an update; 0 means all.
    pub batch: u32,
    /// The smallest number of updates in an epoch of mini-batches. If the positions make fewer
    /// batches, an epoch passes over them several times.
    pub updates: u32,
    /// The learning rate at the beginning: about the largest change of a weight by one update, in
    /// discs. Over the epochs, it falls to 0 along half a cosine.
    pub learning_rate: f64,
    /// The decay rate β₁: the share of the running mean of the gradient that an update keeps.
    pub beta1: f64,
    /// The decay rate β₂: the share of the running mean of squared gradients that an update keeps.
    pub beta2: f64,
    /// The number added to the root of the mean squared gradient, in discs.
    pub epsilon: f64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) epochs: u32,
    pub(super) patience: Option<u32>,
    pub(super) tolerance: f64,
}

impl Default for FitSettings {
    fn default() -> Self {
        Self {
            window: Window::standard(),
            ridge: 30.0,
            patience: 5,
            labels: LabelRules::default(),
            filter: Filter::default(),
            seed: 1,
            validation_percent: 5,
            test_percent: 5,
            share: Share::ALL,
            least_squares: LeastSquaresSettings::default(),
            adam: AdamSettings::default(),
            factors: None,
        }
    }
}

impl Default for FactorSettings {
    fn default() -> Self {
        Self { epochs: 3, batch: 8192, learning_rate: 0.005, ridge: 1000.0 }
    }
}

impl Default for LeastSquaresSettings {
    fn default() -> Self {
        Self { epochs: 40, sample: 500_000, sample_steps: 60, sample_epochs: 8, tolerance: 1e-3 }
    }
}

impl Default for AdamSettings {
    fn default() -> Self {
        Self {
            epochs: 10,
            batch: 4096,
            updates: 64,
            learning_rate: 0.2,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
        }
    }
}

impl FitSettings {
    /// Reads settings from a TOML text, and checks that every number is in its range.
    pub fn from_toml(text: &str) -> Result<Self, Invalid> {
        Self::from_toml_over(text, None)
    }

    /// Reads settings like [`Self::from_toml`]. But if `laid_out`, the settings of an existing
    /// dataset, is given, it replaces the defaults of label rules, filter, and split.
    pub fn from_toml_over(text: &str, laid_out: Option<&LayoutSettings>) -> Result<Self, Invalid> {
        let wrong = |error: Invalid| Invalid(format!("not fit settings: {error}"));
        let mut settings: Self = from_toml(text).map_err(wrong)?;
        if let Some(Value::Object(mut all)) = laid_out.map(|laid_out| json!(laid_out)) {
            all.extend(from_toml::<Map<String, Value>>(text).map_err(wrong)?);
            let read = serde_json::from_value(Value::Object(all));
            settings = read.map_err(|error| wrong(Invalid(error.to_string())))?;
        }
        settings.check()?;
        Ok(settings)
    }

    /// Checks that every number of the settings is in its range.
    pub fn check(&self) -> Result<(), Invalid> {
        let Self { least_squares, adam, .. } = self;
        let above_0 = |field, found: f64| {
            (field, found, found.is_finite() && found > 0.0, "a number above 0")
        };
        let ridge = |field, found: f64| {
            let is_valid = found > 0.0 && found <= MAX_RIDGE;
            (field, found, is_valid, "a number above 0, at most 1e12 (occurrences)")
        };
        let beta = |field, found: f64| {
            (field, found, (0.0..1.0).contains(&found), "at least 0 and less than 1")
        };
        let held_out = f64::from(self.validation_percent) + f64::from(self.test_percent);
        let mut checks = vec![
            ridge("ridge", self.ridge),
            above_0("patience", self.patience.into()),
            above_0("least_squares.epochs", least_squares.epochs.into()),
            above_0("least_squares.sample_epochs", least_squares.sample_epochs.into()),
            above_0("least_squares.tolerance", least_squares.tolerance),
            above_0("adam.epochs", adam.epochs.into()),
            above_0("adam.learning_rate", adam.learning_rate),
            above_0("adam.epsilon", adam.epsilon),
            beta("adam.beta1", adam.beta1),
            beta("adam.beta2", adam.beta2),
            ("validation_percent + test_percent", held_out, held_out < 100.0, "less than 100"),
        ];
        if let Some(factors) = &self.factors {
            checks.push(above_0("factors.epochs", factors.epochs.into()));
            checks.push(above_0("factors.learning_rate", factors.learning_rate));
            checks.push(ridge("factors.ridge", factors.ridge));
        }
        match checks.iter().find(|(_, _, is_valid, _)| !is_valid) {
            None => Ok(()),
            Some((field, found, _, expected)) => {
                Err(Invalid(format!("`{field}` is {found:?}; expected {expected}")))
            }
        }
    }

    /// Returns the split of the games into training, validation and test.
    pub fn split(&self) -> Split {
        let Self { seed, validation_percent, test_percent, share, .. } = *self;
        Split { seed, validation_percent, test_percent, share }
    }

    /// Returns the settings that determine the dataset: label rules, filter, and split.
    pub fn layout(&self) -> LayoutSettings {
        let (labels, filter) = (self.labels.clone(), self.filter.clone());
        LayoutSettings { labels, filter, split: self.split() }
    }

    /// Returns the rule that ends the fit of a phase. Adam always makes all its epochs, since the
    /// validation error is noisy at high learning rates, and falls most in the last epochs.
    pub(super) fn stop(&self, optimizer: Optimizer) -> Stop {
        let (epochs, patience) = match optimizer {
            Optimizer::Adam => (self.adam.epochs, None),
            Optimizer::LeastSquares | Optimizer::Descent => {
                (self.least_squares.epochs, Some(self.patience))
            }
        };
        Stop { epochs, patience, tolerance: self.least_squares.tolerance }
    }

    /// Returns the settings as JSON, without those that a fit by `optimizer` ignores. A fit of
    /// factors by Adam has settings of its own (`factors`), and starts from a least-squares fit.
    pub fn of(&self, optimizer: Optimizer) -> Value {
        let mut settings = json!(self);
        let foreign = match (optimizer, &self.factors) {
            (Optimizer::Adam, None) => "least_squares",
            _ => "adam",
        };
        if let Value::Object(settings) = &mut settings {
            settings.shift_remove(foreign);
        }
        settings
    }
}

impl FactorSettings {
    pub(super) fn adam(&self) -> AdamSettings {
        let &Self { epochs, batch, learning_rate, .. } = self;
        AdamSettings { epochs, batch, learning_rate, updates: 1, ..AdamSettings::default() }
    }
}

/// The smoothing window of a fit: the nearby phases whose positions also train a phase. For each
/// distance 0, 1, … from the fitted phase, the window has the factor, in 1/256, that multiplies the
/// weights of the positions at this distance. At distance 0, the factor is 256.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window(Vec<u16>);

impl Window {
    const ONE: u16 = 256;

    /// Returns the default window `1,1`: a phase also trains on the two phases before it and the
    /// two after it, with full weight. On WTHOR positions with 24 empty squares, the mean absolute
    /// error is 5.64 discs with this window, 5.67 with `1,0.5`, and 5.69 with `1,1,0.5`.
    pub fn standard() -> Self {
        Self(vec![Self::ONE; 3])
    }

    /// Returns, in ascending order, the phases whose positions train `phase`, each with the factor,
    /// in 1/256, that multiplies the weights of its positions.
    pub fn around(&self, phase: Phase) -> impl Iterator<Item = (Phase, u16)> {
        let factor = move |other: Phase| {
            self.0.get(other.index().abs_diff(phase.index())).map(|&factor| (other, factor))
        };
        Phase::all().filter_map(factor).filter(|&(_, factor)| factor > 0)
    }

    /// Returns, in ascending order, the phases whose positions train at least one of the phases
    /// that `is_fitted` accepts.
    pub fn phases_read(&self, is_fitted: impl Fn(Phase) -> bool) -> Vec<Phase> {
        let is_read = |phase: &Phase| self.around(*phase).any(|(near, _)| is_fitted(near));
        Phase::all().filter(is_read).collect()
    }
}

impl FromStr for Window {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let error = || {
            let expected = "the weights of the phases at distance 1, 2, … separated by commas, each \
                            from 0 to 1 (`1,0.5`), or `0` for no neighbours; at most 59";
            Invalid::not(text, "a window", expected)
        };
        let factor = |word: &str| {
            let weight: f64 = word.trim().parse().map_err(|_| error())?;
            let in_range = (0.0..=1.0).contains(&weight);
            in_range.then(|| (weight * f64::from(Self::ONE)).round() as u16).ok_or_else(error)
        };
        let factors = iter::once(Ok(Self::ONE)).chain(text.split(',').map(factor));
        let mut factors = factors.collect::<Result<Vec<_>, _>>()?;
        if factors.len() > PHASES {
            return Err(error());
        }
        while factors.pop_if(|last| *last == 0).is_some() {}
        Ok(Self(factors))
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = |&factor: &u16| (f64::from(factor) / f64::from(Self::ONE)).to_string();
        match &self.0[1..] {
            [] => f.write_str("0"),
            neighbours => f.write_str(&neighbours.iter().map(weight).collect::<Vec<_>>().join(",")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_does_not_name_is_as_the_dataset_was_laid_out() {
        let text = "labels = \"all:result\"\nseed = 5\nvalidation_percent = 7\ntest_percent = 3\nshare = 0.5\nfilter = 'ply=3..50'";
        let laid_out = FitSettings::from_toml(text).unwrap().layout();
        let over = |text: &str| FitSettings::from_toml_over(text, Some(&laid_out)).unwrap();
        assert_eq!(over("ridge = 20").layout(), laid_out);
        for other in
            ["seed = 6", "share = 1", "filter = ''", "labels = \"all:value\"", "test_percent = 10"]
        {
            let differences = over(other).layout().differences(&laid_out);
            let (named, _) = other.split_once(' ').unwrap();
            assert!(differences.contains(named), "{differences}");
            assert_eq!(differences.matches(" there, ").count(), 1, "{differences}");
        }
    }

    #[test]
    fn settings_read_back_and_name_what_is_wrong() {
        let settings = FitSettings::from_toml("ridge = 10\n[adam]\nbatch = 3\n").unwrap();
        assert_eq!((settings.ridge, settings.adam.batch), (10.0, 3));
        let again: FitSettings = serde_json::from_value(json!(settings)).unwrap();
        assert_eq!(again, settings);
        for (text, named) in [
            ("ridge = 0", "ridge"),
            ("rigde = 1", "rigde"),
            ("[adam]\nbeta1 = 1", "adam.beta1"),
            ("[adam]\nlearning_rate = nan", "adam.learning_rate"),
            ("[adam]\nclip = 1", "clip"),
            ("[least_squares]\nepochs = 0", "least_squares.epochs"),
            ("ridge = 1e307", "at most 1e12"),
            ("[factors]\nridge = 0", "factors.ridge"),
            ("[factors]\ndimensions = 8", "dimensions"),
            ("share = 1.5", "share of the games"),
            ("validation_percent = 60\ntest_percent = 40", "test_percent"),
        ] {
            let message = FitSettings::from_toml(text).unwrap_err().to_string();
            assert!(message.contains(named), "{message}");
        }
    }

    #[test]
    fn the_old_names_of_epochs_are_read() {
        let old = "[adam]\npasses = 3\n[least_squares]\niterations = 4\n";
        let new = "[adam]\nepochs = 3\n[least_squares]\nepochs = 4\n";
        let [old, new] = [old, new].map(|text| FitSettings::from_toml(text).unwrap());
        assert_eq!(old, new);
        assert_eq!((new.adam.epochs, new.least_squares.epochs), (3, 4));
    }

    #[test]
    fn settings_of_another_optimizer_decide_nothing() {
        let (plain, mut other) = (FitSettings::default(), FitSettings::default());
        other.adam.epochs += 1;
        assert_eq!(plain.of(Optimizer::LeastSquares), other.of(Optimizer::LeastSquares));
        assert_ne!(plain.of(Optimizer::Adam), other.of(Optimizer::Adam));
    }

    #[test]
    fn settings_of_the_least_squares_that_begin_a_fit_of_factors_are_in_its_provenance() {
        let factors = Some(FactorSettings::default());
        let plain = FitSettings { factors, ..FitSettings::default() };
        let (mut start, mut adam) = (plain.clone(), plain.clone());
        start.least_squares.epochs += 1;
        adam.adam.epochs += 1;
        assert_ne!(plain.of(Optimizer::Adam), start.of(Optimizer::Adam));
        assert_eq!(plain.of(Optimizer::Adam), adam.of(Optimizer::Adam));
    }

    fn around(window: &str, phase: usize) -> Vec<(usize, u16)> {
        let window: Window = window.parse().unwrap();
        let phase = Phase::new(phase).unwrap();
        window.around(phase).map(|(phase, factor)| (phase.index(), factor)).collect()
    }

    #[test]
    fn a_window_is_symmetric_and_ends_at_the_ends() {
        assert_eq!(around("1,0.5", 10), [(8, 128), (9, 256), (10, 256), (11, 256), (12, 128)]);
        assert_eq!(around("1,0.5", 0), [(0, 256), (1, 256), (2, 128)]);
        assert_eq!(around("0.25", 59), [(58, 64), (59, 256)]);
        assert_eq!(around("0", 30), [(30, 256)]);
        assert_eq!(around("0,1", 30), [(28, 256), (30, 256), (32, 256)]);
    }

    #[test]
    fn windows_read_back_and_nonsense_is_refused() {
        for text in ["0", "1", "1,0.5", "0,1"] {
            assert_eq!(text.parse::<Window>().unwrap().to_string(), text);
        }
        for text in ["", "2", "-1", "NaN", "a", "1,,1"] {
            assert!(text.parse::<Window>().is_err(), "{text}");
        }
        let ones = |count| vec!["1"; count].join(",").parse::<Window>();
        assert!(ones(59).is_ok() && ones(60).is_err());
    }
}
