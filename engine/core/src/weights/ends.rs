//! The model of endgame ProbCut, which predicts an exact score from the value of a shallow search.
//!
//! Source: M. Buro, "Experiments with Multi-ProbCut and a New High-Quality Evaluation Function for
//! Othello", 1997, which has separate predictions for endgame searches. There, a confidence of 95 %
//! means that 95 % of cuts are right; here, that 95 % of searches return the right score.

use super::probcut::{LinearModel, Prediction, check, coefficients, section};
use crate::file::Section;

pub(super) const ENDS: &str = "ends";

/// The number of coefficients of an exact score's predicted mean ([`EndDepths::mean_terms`]).
pub const END_MEAN_TERMS: usize = 9;

/// The number of coefficients of the standard error with which a shallow search predicts an exact
/// score ([`EndDepths::error_terms`]).
pub const END_ERROR_TERMS: usize = 5;

/// The number of confidence levels: one for each selectivity of a search except full width.
pub const CONFIDENCES: usize = 5;

const CENTRE_EMPTIES: f64 = 16.0;

/// The model of endgame ProbCut: it predicts a normal distribution of a position's exact score in
/// discs. Only the mean depends on the value of the shallow search, and is linear in it.
#[derive(Clone, PartialEq, Debug)]
pub struct Ends {
    model: LinearModel<END_MEAN_TERMS, END_ERROR_TERMS>,
    deviations: [f64; CONFIDENCES],
}

/// A position's number of empty squares, and the depth of the search that predicts its exact score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EndDepths {
    /// The number of empty squares of the position.
    pub empties: u32,
    /// The depth of the shallow search in plies; less than `empties`.
    pub shallow: u32,
}

impl Ends {
    /// Creates a model from its coefficients, in the order of [`EndDepths::mean_terms`] and
    /// [`EndDepths::error_terms`], and its [deviations](Self::with_deviations).
    ///
    /// # Errors
    /// A message for a coefficient or deviation that is NaN or beyond ±1000.
    pub fn new(
        mean: [f64; END_MEAN_TERMS],
        error: [f64; END_ERROR_TERMS],
        deviations: [f64; CONFIDENCES],
    ) -> Result<Self, String> {
        check(deviations.iter())?;
        Ok(Self { model: LinearModel::new(mean, error)?, deviations })
    }

    /// Replaces the deviations: for each confidence level, the lowest first, the number of standard
    /// deviations by which the predicted score must be outside the window before the search cuts.
    #[must_use]
    pub fn with_deviations(self, deviations: [f64; CONFIDENCES]) -> Self {
        Self { deviations, ..self }
    }

    /// Returns the prediction of the exact score: a normal distribution whose mean is a linear
    /// function of the shallow search's value.
    pub fn prediction(&self, depths: EndDepths) -> Prediction {
        self.model.predict(|value| depths.mean_terms(value), depths.error_terms())
    }

    /// Returns how many standard deviations outside the window the predicted score must be before
    /// the search cuts at level `confidence` (0 is the lowest); `None` if it is ≥ [`CONFIDENCES`].
    pub fn deviations(&self, confidence: usize) -> Option<f64> {
        self.deviations.get(confidence).copied()
    }

    pub(super) fn section(&self) -> Section {
        section(ENDS, self.model.coefficients().chain(&self.deviations))
    }

    pub(super) fn from_section(content: &[u8]) -> Result<Self, String> {
        let before = END_MEAN_TERMS + END_ERROR_TERMS;
        let all = coefficients(content, before + CONFIDENCES)?;
        check(all.iter())?;
        let deviations = std::array::from_fn(|confidence| all[before + confidence]);
        Ok(Self { model: LinearModel::of_coefficients(&all)?, deviations })
    }
}

impl EndDepths {
    /// Returns the terms whose weighted sum is the predicted mean of the exact score. With v =
    /// `value` (of the shallow search, in discs), e = (empties − 16) / 10, d = ln(depth + 1), o = 1
    /// for odd and −1 for even empties (evaluations are biased for or against the last mover), and
    /// s = 1 for depth 0, else 0, the terms are v, e·v, d·v, 1, e, o, o·e, s, s·o.
    pub fn mean_terms(self, value: f64) -> [f64; END_MEAN_TERMS] {
        let (empties, odd) = (self.empties(), self.odd());
        let is_static = f64::from(u8::from(self.shallow == 0));
        [
            value,
            value * empties,
            value * self.depth(),
            1.0,
            empties,
            odd,
            odd * empties,
            is_static,
            is_static * odd,
        ]
    }

    /// Returns the terms whose weighted sum is ln(standard error in discs): 1, e, d, e·d and o,
    /// with e = (empties − 16) / 10, d = ln(depth + 1), and o = 1 for odd or −1 for even empties.
    pub fn error_terms(self) -> [f64; END_ERROR_TERMS] {
        let (empties, depth) = (self.empties(), self.depth());
        [1.0, empties, depth, empties * depth, self.odd()]
    }

    fn empties(self) -> f64 {
        (f64::from(self.empties) - CENTRE_EMPTIES) / 10.0
    }

    fn depth(self) -> f64 {
        libm::log(f64::from(self.shallow + 1))
    }

    fn odd(self) -> f64 {
        if self.empties % 2 == 1 { 1.0 } else { -1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Depths, ERROR_TERMS, MEAN_TERMS, Models, ProbCut};
    use super::*;

    /// Slope 1, error 2 discs, offset +0.5 disc for an odd number of empty squares, −0.5 if even.
    fn model() -> Ends {
        let mut mean = [0.0; END_MEAN_TERMS];
        (mean[0], mean[5]) = (1.0, 0.5);
        let mut error = [0.0; END_ERROR_TERMS];
        error[0] = libm::log(2.0);
        Ends::new(mean, error, [1.0, 1.5, 2.0, 2.5, 3.0]).unwrap()
    }

    #[test]
    fn sections_read_back_and_damaged_ones_are_refused() {
        let probcut = ProbCut::new([0.5; MEAN_TERMS], [-2.0; ERROR_TERMS]).unwrap();
        let models = Models { probcut: Some(probcut), ends: Some(model()), ..Models::NONE };
        for Section { name, content } in models.sections() {
            let read = |content: &[u8]| {
                let mut read = Models::NONE;
                read.take(&name, content).map(|_| read.sections().next())
            };
            let section = Section { name: name.clone(), content: content.clone() };
            assert_eq!(read(&content), Ok(Some(section)));
            let (length, error) = (content.len(), read(&content[1..]).unwrap_err());
            assert_eq!(error, format!("has {} bytes; expected {length}", length - 1));
            for wrong in [f64::NAN, f64::INFINITY, -1e4] {
                let mut content = content.clone();
                content[16..24].copy_from_slice(&wrong.to_le_bytes());
                assert_eq!(read(&content).unwrap_err(), "coefficient 2 is not within ±1000");
            }
        }
    }

    #[test]
    fn a_score_is_predicted_by_empty_squares() {
        let prediction = |empties| model().prediction(EndDepths { empties, shallow: 2 });
        let (even, odd) = (prediction(16), prediction(17));
        assert_eq!((even.slope, even.offset), (1.0, -0.5));
        assert_eq!((odd.slope, odd.offset), (1.0, 0.5));
        assert!((even.error - 2.0).abs() < 1e-12);
        assert_eq!((model().deviations(4), model().deviations(5)), (Some(3.0), None));
    }

    /// No coefficients that a weights file may have (−1000 to 1000) may make a prediction NaN.
    #[test]
    fn predictions_are_numbers_whatever_the_coefficients() {
        for extreme in [-1000.0, 0.0, 1000.0] {
            let (mean, error) = ([extreme; END_MEAN_TERMS], [extreme; END_ERROR_TERMS]);
            let ends = Ends::new(mean, error, [extreme; CONFIDENCES]).unwrap();
            let probcut = ProbCut::new([extreme; MEAN_TERMS], [extreme; ERROR_TERMS]).unwrap();
            for (empties, shallow) in [(1, 0), (60, 1), (30, 14)] {
                let deeper = Depths { ply: 60 - empties, shallow, deep: shallow + empties };
                let end = ends.prediction(EndDepths { empties, shallow });
                for prediction in [end, probcut.prediction(deeper)] {
                    assert!(prediction.error.is_finite() && prediction.slope > 0.0);
                    prediction.least_for(2048, extreme);
                    prediction.greatest_for(-2048, extreme);
                }
            }
        }
    }
}
