//! The models of Multi-ProbCut, which predict the value of a deep search, or the exact score, from
//! the value of a shallow search.
//!
//! Source: M. Buro, "Experiments with Multi-ProbCut and a New High-Quality Evaluation Function for
//! Othello", 1997. In the paper, each pair of depths has its own parameters, and the confidence is
//! the share of cuts that are right. Here, the parameters are functions of the ply and the depths,
//! so that they exist for all plies and depths. A search for exact scores at 95 % confidence
//! returns the right score in 95 % of cases.

use serde::Serialize;

use super::STEPS_PER_DISC;
use crate::file::Section;

pub(super) const PROBCUT: &str = "probcut";

/// The number of terms in the model that predicts a deep value ([`Depths::mean_terms`]).
pub const MEAN_TERMS: usize = 10;

/// The number of terms in the model of the deep value's standard error ([`Depths::error_terms`]).
pub const ERROR_TERMS: usize = 7;

/// A model of the value of a deep search in discs: a normal distribution. Its mean is linear in the
/// value of a shallow search; its standard deviation does not depend on that value.
pub type ProbCut = LinearModel<MEAN_TERMS, ERROR_TERMS>;

/// A model that predicts a normal distribution. Its mean and the logarithm of its standard error
/// are linear combinations of terms, such as those of [`Depths`]; the fields are the coefficients.
#[derive(Clone, PartialEq, Debug)]
pub struct LinearModel<const MEAN: usize, const ERROR: usize> {
    mean: [f64; MEAN],
    error: [f64; ERROR],
}

/// The ply of a position, and the depths of a shallow and a deep search of this position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Depths {
    /// The ply of the position: its number of discs minus 4.
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
    /// A message for a coefficient that is NaN or beyond ±1000.
    pub fn new(mean: [f64; MEAN], error: [f64; ERROR]) -> Result<Self, String> {
        check(mean.iter().chain(&error))?;
        Ok(Self { mean, error })
    }

    fn predict(&self, mean: impl Fn(f64) -> [f64; MEAN], error: [f64; ERROR]) -> Prediction {
        let [at_0, at_1] = [0.0, 1.0].map(|value| dot(&self.mean, &mean(value)));
        // The prediction must rise with the shallow value.
        let slope = (at_1 - at_0).max(0.1);
        // The limits prevent an overflow for extreme coefficients.
        let error = libm::exp(dot(&self.error, &error).clamp(-5.0, 5.0));
        Prediction { slope, offset: at_0, error }
    }

    fn coefficients(&self) -> impl Iterator<Item = &f64> {
        self.mean.iter().chain(&self.error)
    }

    fn of_coefficients(all: &[f64]) -> Result<Self, String> {
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

fn check<'c>(mut all: impl Iterator<Item = &'c f64>) -> Result<(), String> {
    let wrong = all.position(|coefficient| !(-1000.0..=1000.0).contains(coefficient));
    wrong.map_or(Ok(()), |place| Err(format!("coefficient {place} is not within ±1000")))
}

fn section<'c>(name: &str, all: impl Iterator<Item = &'c f64>) -> Section {
    Section { name: name.to_owned(), content: all.flat_map(|c| c.to_le_bytes()).collect() }
}

fn dot(coefficients: &[f64], terms: &[f64]) -> f64 {
    coefficients.iter().zip(terms).map(|(coefficient, term)| coefficient * term).sum()
}

fn coefficients(content: &[u8], count: usize) -> Result<Vec<f64>, String> {
    if content.len() != 8 * count {
        return Err(format!("has {} bytes; expected {}", content.len(), 8 * count));
    }
    Ok(content.as_chunks().0.iter().copied().map(f64::from_le_bytes).collect())
}

impl Depths {
    /// Returns the terms of the predicted mean, which is their sum weighted by the coefficients: v,
    /// p·v, g·v/10 (for the slope); 1, p, p², s, o, o·p, o·p² (for the offset). Here v is `value`
    /// (of the shallow search, in discs), p = ply / 60, g = deep − shallow depth, and s = 1 at
    /// shallow depth 0, else 0. At even g, o = 0. At odd g, o = 1 if the deep depth is odd and −1
    /// if it is even.
    pub fn mean_terms(self, value: f64) -> [f64; MEAN_TERMS] {
        let (v, p, g) = (value, self.ply(), self.gap());
        let s = f64::from(u8::from(self.shallow == 0));
        let o = self.odd_gap() * if self.deep % 2 == 1 { 1.0 } else { -1.0 };
        [v, v * p, v * g / 10.0, 1.0, p, p * p, s, o, o * p, o * p * p]
    }

    /// Returns the terms whose weighted sum is ln(standard error in discs): 1, p, p², ln g, l, p·l
    /// and g mod 2, where p = ply / 60, g = deep − shallow depth, and l = ln(shallow depth + 1).
    pub fn error_terms(self) -> [f64; ERROR_TERMS] {
        let (p, l) = (self.ply(), libm::log(f64::from(self.shallow + 1)));
        [1.0, p, p * p, libm::log(self.gap()), l, p * l, self.odd_gap()]
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

pub(super) const ENDS: &str = "ends";

/// The number of terms in the model that predicts an exact score ([`EndDepths::mean_terms`]).
pub const END_MEAN_TERMS: usize = 9;

/// The number of terms in the model of an exact score's error ([`EndDepths::error_terms`]).
pub const END_ERROR_TERMS: usize = 5;

/// The number of confidence levels at which a search can prune: 73, 87, 95, 98 and 99 %.
pub const CONFIDENCES: usize = 5;

/// The model of endgame ProbCut: a normal distribution of a position's exact score in discs, whose
/// mean is linear in the value of a shallow search.
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
    /// Creates a model from the coefficients of [`EndDepths::mean_terms`] and
    /// [`EndDepths::error_terms`], and from [deviations](Self::with_deviations).
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

    /// Returns the prediction of the exact score.
    pub fn prediction(&self, depths: EndDepths) -> Prediction {
        self.model.predict(|value| depths.mean_terms(value), depths.error_terms())
    }

    /// Returns the number of standard deviations by which a prediction must miss the window for a
    /// cut at the confidence level `confidence` (0 is the lowest); `None` if no such level exists.
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
    /// Returns the terms of the exact score's predicted mean, which is their sum weighted by the
    /// coefficients: v, e·v, d·v, 1, e, o, o·e, s and s·o. Here v is `value` (of the shallow
    /// search, in discs), e = (empties − 16) / 10, d = ln(depth + 1), o = 1 for odd and −1 for even
    /// empties, and s = 1 at depth 0, else 0.
    pub fn mean_terms(self, value: f64) -> [f64; END_MEAN_TERMS] {
        let (v, e, d, o) = (value, self.empties(), self.depth(), self.odd());
        let s = f64::from(u8::from(self.shallow == 0));
        [v, v * e, v * d, 1.0, e, o, o * e, s, s * o]
    }

    /// Returns the terms whose weighted sum is ln(standard error in discs): 1, e, d, e·d and o,
    /// with e = (empties − 16) / 10, d = ln(depth + 1), and o = 1 for odd or −1 for even empties.
    pub fn error_terms(self) -> [f64; END_ERROR_TERMS] {
        let (e, d) = (self.empties(), self.depth());
        [1.0, e, d, e * d, self.odd()]
    }

    fn empties(self) -> f64 {
        (f64::from(self.empties) - 16.0) / 10.0
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
    use super::*;
    use crate::weights::Models;

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

    /// Returns a model with slope 1 and a standard error of 2 discs. The offset is +0.5 disc for
    /// odd numbers of empty squares, −0.5 for even numbers.
    fn ends() -> Ends {
        let mut mean = [0.0; END_MEAN_TERMS];
        (mean[0], mean[5]) = (1.0, 0.5);
        let mut error = [0.0; END_ERROR_TERMS];
        error[0] = libm::log(2.0);
        Ends::new(mean, error, [1.0, 1.5, 2.0, 2.5, 3.0]).unwrap()
    }

    #[test]
    fn sections_read_back_and_damaged_ones_are_refused() {
        let probcut = ProbCut::new([0.5; MEAN_TERMS], [-2.0; ERROR_TERMS]).unwrap();
        let models = Models { probcut: Some(probcut), ends: Some(ends()), ..Models::NONE };
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
        let prediction = |empties| ends().prediction(EndDepths { empties, shallow: 2 });
        let (even, odd) = (prediction(16), prediction(17));
        assert_eq!((even.slope, even.offset), (1.0, -0.5));
        assert_eq!((odd.slope, odd.offset), (1.0, 0.5));
        assert!((even.error - 2.0).abs() < 1e-12);
        assert_eq!((ends().deviations(4), ends().deviations(5)), (Some(3.0), None));
    }

    /// Predictions must not be NaN for coefficients from −1000 to 1000, the range in weights files.
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
