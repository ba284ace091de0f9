//! What decides a fit besides its data.

use othello_engine::text::{TomlError, from_toml};
use serde::{Deserialize, Serialize};

use super::Window;
use crate::dataset::Split;
use crate::source::LabelRules;

/// The settings of a fit, as a TOML file may give them (`--settings`) and flags override them.
/// What stands here goes into the provenance of the weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FitSettings {
    /// Which neighbouring phases also train a phase.
    pub window: Window,
    /// The pull of every weight towards its starting value (0, or that of `--init`): as strong as
    /// that many occurrences.
    pub ridge: f64,
    /// The most iterations of a phase; each is one pass over its positions.
    pub iterations: u32,
    /// Iterations without a better validation error before a phase stops.
    pub patience: u32,
    /// A phase without validation positions stops when its gradient has shrunk to this part.
    pub tolerance: f64,
    /// Which label a game's positions get.
    pub labels: LabelRules,
    /// Decides which games train, validate and test.
    pub seed: u64,
    /// The share of games for validation.
    pub validation_percent: u8,
    /// The share of games for the test.
    pub test_percent: u8,
}

impl Default for FitSettings {
    fn default() -> Self {
        Self {
            window: Window::standard(),
            ridge: 30.0,
            iterations: 40,
            patience: 5,
            tolerance: 1e-3,
            labels: LabelRules::default(),
            seed: 1,
            validation_percent: 5,
            test_percent: 5,
        }
    }
}

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// Not TOML, or not these fields.
    #[error("not fit settings: {0}")]
    Toml(#[from] TomlError),
    /// A number outside its range.
    #[error("`{field}` is {found}; expected {expected}")]
    Range {
        /// Which setting.
        field: &'static str,
        /// Its value.
        found: f64,
        /// What it may be.
        expected: &'static str,
    },
}

impl FitSettings {
    /// Reads and checks settings.
    pub fn from_toml(text: &str) -> Result<Self, SettingsError> {
        let settings: Self = from_toml(text)?;
        settings.check()?;
        Ok(settings)
    }

    /// Checks the numbers.
    pub fn check(&self) -> Result<(), SettingsError> {
        let positive = |field, found: f64| match found {
            _ if found.is_finite() && found > 0.0 => Ok(()),
            _ => Err(SettingsError::Range { field, found, expected: "a number above 0" }),
        };
        positive("ridge", self.ridge)?;
        positive("tolerance", self.tolerance)?;
        positive("iterations", f64::from(self.iterations))?;
        positive("patience", f64::from(self.patience))?;
        let held_out = u32::from(self.validation_percent) + u32::from(self.test_percent);
        if held_out >= 100 {
            return Err(SettingsError::Range {
                field: "validation_percent + test_percent",
                found: f64::from(held_out),
                expected: "less than 100",
            });
        }
        Ok(())
    }

    /// How games are split.
    pub fn split(&self) -> Split {
        let Self { seed, validation_percent, test_percent, .. } = *self;
        Split { seed, validation_percent, test_percent }
    }
}
