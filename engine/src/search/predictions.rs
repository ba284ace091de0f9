use serde::Serialize;

use super::{shallow_depth, shallow_depth_of_end};
use crate::eval::{Depths, EndDepths, Ends, Models, Prediction, ProbCut};

const PLIES: std::ops::RangeInclusive<u32> = 6..=48;
const DEEP: std::ops::RangeInclusive<u32> = 4..=14;
const EMPTIES: std::ops::RangeInclusive<u32> = 12..=30;

/// The predictions by the ProbCut models of a weights file. They predict the values of deeper
/// searches, by ply and depths, and exact scores, by number of empty squares.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Predictions {
    /// The predictions of a deeper search's value; empty without a ProbCut model.
    pub probcut: Vec<SearchPrediction>,
    /// Predictions of exact scores, by number of empty squares; none if there is no endgame model.
    pub ends: Vec<ScorePrediction>,
}

/// A prediction of a deeper search's value: about slope × a shallow search's value + offset.
#[derive(Serialize, schemars::JsonSchema)]
pub struct SearchPrediction {
    /// The ply of the position.
    pub ply: u32,
    /// The depth of the shallow search.
    pub shallow: u32,
    /// The depth of the deeper search.
    pub deep: u32,
    /// The slope, the offset (in discs) and the standard deviation of this prediction.
    #[serde(flatten)]
    pub predicted: Prediction,
}

/// A prediction of the exact score: about slope × a shallow search's value + offset.
#[derive(Serialize, schemars::JsonSchema)]
pub struct ScorePrediction {
    /// The number of empty squares of the position.
    pub empties: u32,
    /// The depth of the shallow search.
    pub shallow: u32,
    /// The slope, the offset (in discs) and the standard deviation of this prediction.
    #[serde(flatten)]
    pub predicted: Prediction,
}

impl Predictions {
    /// Returns the predictions of `models` for a range of plies, depths and empty squares.
    pub fn of(models: &Models) -> Self {
        let of_search = |model: &ProbCut, (ply, deep): (u32, u32)| {
            let shallow = shallow_depth(deep);
            let predicted = model.prediction(Depths { ply, shallow, deep });
            SearchPrediction { ply, shallow, deep, predicted }
        };
        let of_score = |model: &Ends, empties: u32| {
            let shallow = shallow_depth_of_end(empties);
            let predicted = model.prediction(EndDepths { empties, shallow });
            ScorePrediction { empties, shallow, predicted }
        };
        let pairs = || PLIES.step_by(6).flat_map(|ply| DEEP.map(move |deep| (ply, deep)));
        let probcut =
            models.probcut.iter().flat_map(|model| pairs().map(move |it| of_search(model, it)));
        let ends = models.ends.iter().flat_map(|model| EMPTIES.map(move |it| of_score(model, it)));
        Self { probcut: probcut.collect(), ends: ends.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{END_ERROR_TERMS, END_MEAN_TERMS, ERROR_TERMS, MEAN_TERMS};

    #[test]
    fn rows_have_the_slope_the_offset_and_the_deviation_of_the_model() {
        let (mut mean, mut error) = ([0.0; MEAN_TERMS], [0.0; ERROR_TERMS]);
        (mean[0], mean[3], error[0]) = (0.9, 2.0, 0.5);
        let probcut = ProbCut::new(mean, error).unwrap();
        let models = Models { probcut: Some(probcut), ..Models::default() };
        let predictions = Predictions::of(&models);
        assert_eq!(predictions.probcut.len(), 8 * 11);
        assert!(predictions.ends.is_empty());
        for row in &predictions.probcut {
            let Prediction { slope, offset, error } = row.predicted;
            let differences = [slope - 0.9, offset - 2.0, error - 0.5_f64.exp()];
            assert!(differences.iter().all(|one| one.abs() < 1e-9), "{:?}", row.predicted);
            assert_eq!((row.deep - row.shallow) % 2, 0, "depths {} {}", row.shallow, row.deep);
        }
        let (mut mean, error) = ([0.0; END_MEAN_TERMS], [0.0; END_ERROR_TERMS]);
        mean[0] = 1.25;
        let ends = Ends::new(mean, error, [1.0; 5]).unwrap();
        let predictions = Predictions::of(&Models { ends: Some(ends), ..Models::default() });
        assert_eq!(predictions.ends.len(), 19);
        for row in &predictions.ends {
            let expected = Prediction { slope: 1.25, offset: 0.0, error: 1.0 };
            assert_eq!(row.predicted, expected);
        }
    }
}
