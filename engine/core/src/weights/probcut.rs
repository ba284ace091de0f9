//! The model of Multi-ProbCut, which predicts the value of a deep search from a shallow search.
//!
//! Source: M. Buro, "Experiments with Multi-ProbCut and a New High-Quality Evaluation Function for
//! Othello", 1997. In the paper, each pair of depths has its own parameters. Here, a few
//! coefficients determine them for all plies and depths, even for depths that were not measured.

use serde::Serialize;

use super::STEPS_PER_DISC;
use crate::file::Section;

pub(super) const PROBCUT: &str = "probcut";

/// The number of coefficients of a prediction's mean, one for each of [`Depths::mean_terms`].
pub const MEAN_TERMS: usize = 10;

/// The number of coefficients of the standard error, one for each of [`Depths::error_terms`].
pub const ERROR_TERMS: usize = 7;

/// The least slope of the predicted deep value over the shallow value; lower slopes are raised to
/// it, because the prediction must rise with the shallow value.
const LEAST_SLOPE: f64 = 0.1;

/// A model of the value of a deep search in discs: a normal distribution. Its mean is linear in the
/// value of a shallow search; its standard deviation does not depend on that value.
pub type ProbCut = LinearModel<MEAN_TERMS, ERROR_TERMS>;

/// A model that predicts a normal distribution. Its mean and the logarithm of its standard error
/// are linear combinations of terms; the fields are the coefficients of these terms.
#[derive(Clone, PartialEq, Debug)]
pub struct LinearModel<const MEAN: usize, const ERROR: usize> {
    mean: [f64; MEAN],
    error: [f64; ERROR],
}

/// The depths of two searches of the same position, shallow and deep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Depths {
    /// The ply of the position.
    pub ply: u32,
    /// The depth of the shallow search, whose value is known.
    pub shallow: u32,
    /// The depth of the deep search, whose value is predicted; greater than `shallow`.
    pub deep: u32,
}

/// A prediction of the value of a deep search, or of an exact score, from the value s of a shallow
/// search: a normal distribution with the mean `slope` · s + `offset` and the standard deviation
/// `error`. All values are in discs.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct Prediction {
    /// The factor by which the shallow value is multiplied.
    pub slope: f64,
    /// The constant that is added to slope · shallow value, in discs.
    pub offset: f64,
    /// The standard deviation in discs.
    #[serde(rename = "deviation")]
    pub error: f64,
}

impl<const MEAN: usize, const ERROR: usize> LinearModel<MEAN, ERROR> {
    /// Creates a model from the coefficients of its mean and of the logarithm of its standard
    /// error, in the order of their terms (see [`Depths::mean_terms`], [`Depths::error_terms`]).
    ///
    /// # Errors
    /// A message for a coefficient that is NaN or beyond ±1000; no fit produces such a coefficient.
    pub fn new(mean: [f64; MEAN], error: [f64; ERROR]) -> Result<Self, String> {
        check(mean.iter().chain(&error))?;
        Ok(Self { mean, error })
    }

    pub(super) fn predict(
        &self,
        mean: impl Fn(f64) -> [f64; MEAN],
        error: [f64; ERROR],
    ) -> Prediction {
        Prediction::new(|value| dot(&self.mean, &mean(value)), dot(&self.error, &error))
    }

    pub(super) fn coefficients(&self) -> impl Iterator<Item = &f64> {
        self.mean.iter().chain(&self.error)
    }

    pub(super) fn of_coefficients(all: &[f64]) -> Result<Self, String> {
        let at = |first: usize| move |place: usize| all[first + place];
        Self::new(std::array::from_fn(at(0)), std::array::from_fn(at(MEAN)))
    }
}

impl ProbCut {
    /// Returns the prediction of the deep search's value for these two depths.
    pub fn prediction(&self, depths: Depths) -> Prediction {
        self.predict(|value| depths.mean_terms(value), depths.error_terms())
    }

    pub(super) fn section(&self) -> Section {
        section(PROBCUT, self.coefficients())
    }

    pub(super) fn from_section(content: &[u8]) -> Result<Self, String> {
        Self::of_coefficients(&coefficients(content, MEAN_TERMS + ERROR_TERMS)?)
    }
}

pub(super) fn check<'c>(mut all: impl Iterator<Item = &'c f64>) -> Result<(), String> {
    match all.position(|coefficient| !(-1000.0..=1000.0).contains(coefficient)) {
        None => Ok(()),
        Some(place) => Err(format!("coefficient {place} is not within ±1000")),
    }
}

pub(super) fn section<'c>(name: &str, all: impl Iterator<Item = &'c f64>) -> Section {
    Section { name: name.to_owned(), content: all.flat_map(|c| c.to_le_bytes()).collect() }
}

fn dot(coefficients: &[f64], terms: &[f64]) -> f64 {
    coefficients.iter().zip(terms).map(|(coefficient, term)| coefficient * term).sum()
}

pub(super) fn coefficients(content: &[u8], count: usize) -> Result<Vec<f64>, String> {
    if content.len() != 8 * count {
        return Err(format!("has {} bytes; expected {}", content.len(), 8 * count));
    }
    Ok(content.as_chunks().0.iter().copied().map(f64::from_le_bytes).collect())
}

impl Depths {
    /// Returns the terms whose weighted sum is the predicted mean of the deep search's value: v,
    /// p·v, g·v/10 (for the slope); 1, p, p², s, o, o·p, o·p² (for the offset). Here v = `value`
    /// (of the shallow search, in discs), p = ply / 60, g = deep − shallow depth, and s = 1 for
    /// shallow depth 0, else 0. If g is even, o = 0; otherwise, o = 1 if the deep depth is odd and
    /// −1 if it is even (evaluations are biased for or against the last mover).
    pub fn mean_terms(self, value: f64) -> [f64; MEAN_TERMS] {
        let (ply, gap) = (self.ply(), self.gap());
        let is_static = f64::from(u8::from(self.shallow == 0));
        let odd = self.odd_gap() * if self.deep % 2 == 1 { 1.0 } else { -1.0 };
        [
            value,
            value * ply,
            value * gap / 10.0,
            1.0,
            ply,
            ply * ply,
            is_static,
            odd,
            odd * ply,
            odd * ply * ply,
        ]
    }

    /// Returns the terms whose weighted sum is ln(standard error in discs): 1, p, p², ln g, l, p·l
    /// and g mod 2, where p = ply / 60, g = deep − shallow depth, and l = ln(shallow depth + 1).
    pub fn error_terms(self) -> [f64; ERROR_TERMS] {
        let (ply, shallow) = (self.ply(), libm::log(f64::from(self.shallow + 1)));
        [1.0, ply, ply * ply, libm::log(self.gap()), shallow, ply * shallow, self.odd_gap()]
    }

    fn odd_gap(self) -> f64 {
        f64::from((self.deep - self.shallow) % 2)
    }

    fn ply(self) -> f64 {
        f64::from(self.ply) / 60.0
    }

    fn gap(self) -> f64 {
        f64::from(self.deep - self.shallow)
    }
}

impl Prediction {
    fn new(mean: impl Fn(f64) -> f64, logarithm: f64) -> Self {
        let [at_0, at_1] = [0.0, 1.0].map(mean);
        let slope = (at_1 - at_0).max(LEAST_SLOPE);
        // The limits prevent an overflow for extreme coefficients.
        Self { slope, offset: at_0, error: libm::exp(logarithm.clamp(-5.0, 5.0)) }
    }

    /// Returns the smallest shallow value for which the deep value is likely at least `bound`:
    /// predicted mean − `deviations` · standard deviation ≥ `bound`. Values in steps of 1/32 disc.
    #[inline]
    pub fn least_for(&self, bound: i32, deviations: f64) -> i32 {
        let bound = f64::from(bound) / f64::from(STEPS_PER_DISC);
        let known = (bound + deviations * self.error - self.offset) / self.slope;
        libm::ceil(known * f64::from(STEPS_PER_DISC)) as i32
    }

    /// Returns the largest shallow value for which the deep value is likely at most `bound`:
    /// predicted mean + `deviations` · standard deviation ≤ `bound`. Values in steps of 1/32 disc.
    #[inline]
    pub fn greatest_for(&self, bound: i32, deviations: f64) -> i32 {
        let mirrored = Self { offset: -self.offset, ..*self };
        -mirrored.least_for(-bound, deviations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a model with slope 1 and a standard error of 2 discs. For depths of different
    /// parity, the offset is half a disc: positive for an odd deep depth, negative for an even one.
    fn model() -> ProbCut {
        let mut mean = [0.0; MEAN_TERMS];
        (mean[0], mean[7]) = (1.0, 0.5);
        let mut error = [0.0; ERROR_TERMS];
        error[0] = libm::log(2.0);
        ProbCut::new(mean, error).unwrap()
    }

    #[test]
    fn a_known_value_is_far_enough_where_the_deeper_one_is_likely_to_be() {
        let depths = Depths { ply: 30, shallow: 2, deep: 5 };
        let prediction = model().prediction(depths);
        assert_eq!((prediction.slope, prediction.offset), (1.0, 0.5));
        assert!((prediction.error - 2.0).abs() < 1e-12);
        // 12.5 discs: 10, plus 3 for 1.5 standard errors, minus 0.5 for the offset.
        assert_eq!(prediction.least_for(320, 1.5), 400);
        assert_eq!(prediction.greatest_for(320, 1.5), 208);
        let even = model().prediction(Depths { deep: 4, ..depths });
        assert_eq!((even.least_for(0, 0.0), even.greatest_for(0, 0.0)), (0, 0));
        let back = model().prediction(Depths { shallow: 1, deep: 4, ..depths });
        assert_eq!(back.offset, -0.5, "from an odd depth to an even one values fall");
    }
}
