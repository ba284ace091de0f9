//! What weights were trained on, by their own account, and what of it was held out.

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::ValueEnum;
use othello_engine::board::Phase;
use othello_engine::cli::by_class::ByClass;
use othello_engine::eval::WeightsChoice;
use othello_engine::progress::Progress;
use othello_engine::record::ScoredPosition;
use serde_json::{Map, Value as Json};

use crate::dataset::{DataChoice, Dataset, Part, Share, Split};
use crate::source::LabelRules;

/// A part of the data of a fit, as `--part` names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum PartChoice {
    /// Positions that were fitted
    Training,
    /// Positions that told when to stop
    Validation,
    /// Positions that only the report of the fit looked at
    Test,
}

impl From<PartChoice> for Part {
    fn from(choice: PartChoice) -> Self {
        match choice {
            PartChoice::Training => Self::Training,
            PartChoice::Validation => Self::Validation,
            PartChoice::Test => Self::Test,
        }
    }
}

/// The data and the split of a fit.
pub(super) struct Trained {
    /// The checksums of the data.
    data: Vec<String>,
    split: Split,
    labels: LabelRules,
}

impl Trained {
    /// What the provenance of weights says; `None` where they are no weights of a fit.
    pub(super) fn of(choice: &WeightsChoice) -> anyhow::Result<Option<Self>> {
        match choice {
            WeightsChoice::None | WeightsChoice::Mobility => Ok(None),
            WeightsChoice::Embedded | WeightsChoice::File(_) => {
                Ok(Self::by_provenance(&ByClass::load(choice)?.provenance))
            }
        }
    }

    /// Weights that were calibrated after their fit name its provenance inside their own.
    fn by_provenance(provenance: &Map<String, Json>) -> Option<Self> {
        if let Some(Json::Object(inner)) = provenance.get("weights_provenance") {
            return Self::by_provenance(inner);
        }
        let checksum = |input: &Json| Some(input.get("sha256")?.as_str()?.to_owned());
        let data =
            provenance.get("data")?.as_array()?.iter().map(checksum).collect::<Option<_>>()?;
        let settings = provenance.get("settings")?;
        let number = |name: &str| settings.get(name)?.as_u64();
        let percent = |name: &str| u8::try_from(number(name)?).ok();
        let split = Split {
            seed: number("seed")?,
            validation_percent: percent("validation_percent")?,
            test_percent: percent("test_percent")?,
            share: match settings.get("share") {
                None => Share::ALL,
                Some(share) => share.as_f64()?.try_into().ok()?,
            },
        };
        let labels = settings.get("labels")?.as_str()?.parse().ok()?;
        Some(Self { data, split, labels })
    }

    /// Whether this is a file that the weights were fitted to.
    pub(super) fn knows(&self, sha256: &str) -> bool {
        self.data.iter().any(|own| own == sha256)
    }

    /// The positions of a part of the data, phase by phase; `labels` in place of those of the fit.
    pub(super) fn part(
        &self,
        part: PartChoice,
        paths: &[PathBuf],
        labels: Option<&LabelRules>,
        progress: &dyn Progress,
    ) -> anyhow::Result<Vec<ScoredPosition>> {
        let choice = |path: &PathBuf| DataChoice { path: path.clone(), weight: 1.0 };
        let data: Vec<DataChoice> = paths.iter().map(choice).collect();
        let labels = labels.unwrap_or(&self.labels);
        let dataset = Dataset::read(&data, &[], labels, self.split, progress)?;
        for (input, path) in dataset.inputs().iter().zip(paths) {
            ensure!(
                self.knows(&input.sha256),
                "{}: the weights were not fitted to this file (sha256 {}), so that it has no --part; \
                 leave --part out",
                path.display(),
                input.sha256,
            );
        }
        Ok(Phase::all().flat_map(|phase| dataset.part(part.into(), phase)).copied().collect())
    }
}

/// What the provenance of `choice` says, or the error that it says nothing of a fit.
pub(super) fn trained(choice: &WeightsChoice) -> anyhow::Result<Trained> {
    let trained = Trained::of(choice)?;
    trained.with_context(|| {
        format!("--part: {choice} does not say what it was fitted to; only weights of `fit` do")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
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
            assert_eq!(trained.split, Split::new(7));
        }
        assert!(Trained::by_provenance(&Map::new()).is_none());
    }
}
