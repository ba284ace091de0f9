//! The predictions of ProbCut and of selective ends that a weights file holds, as tables.

use std::fmt;

use serde::Serialize;

use crate::cli::table::table;
use crate::eval::{Depths, EndDepths, Ends, Models, Prediction, ProbCut};
use crate::search::{shallow_depth, shallow_depth_of_end};

/// The plies of the table: one in six.
const PLIES: std::ops::RangeInclusive<u32> = 6..=48;
/// The depths of the deeper searches of the table.
const DEEP: std::ops::RangeInclusive<u32> = 4..=14;
/// The numbers of empty squares of the table of ends.
const EMPTIES: std::ops::RangeInclusive<u32> = 12..=30;

/// The predictions of a weights file: by ply and pair of depths, and by number of empty squares.
#[derive(Serialize)]
pub(super) struct Predictions {
    /// The predictions of a deeper search's value; empty without a ProbCut model.
    probcut: Vec<OfSearch>,
    /// The predictions of a score; empty without a model of ends.
    ends: Vec<OfScore>,
}

/// A prediction of a deeper search's value: slope × value of the shallow search + offset, with a
/// standard deviation.
#[derive(Serialize)]
struct OfSearch {
    ply: u32,
    shallow: u32,
    deep: u32,
    #[serde(flatten)]
    predicted: Numbers,
}

/// A prediction of a score by the value of a search that ends early.
#[derive(Serialize)]
struct OfScore {
    empties: u32,
    shallow: u32,
    #[serde(flatten)]
    predicted: Numbers,
}

/// The numbers of a prediction, rounded to thousandths.
#[derive(Serialize)]
struct Numbers {
    slope: f64,
    /// The offset in discs.
    offset: f64,
    /// The standard deviation in discs.
    deviation: f64,
}

impl From<Prediction> for Numbers {
    fn from(Prediction { slope, offset, error }: Prediction) -> Self {
        let [slope, offset, deviation] =
            [slope, offset, error].map(|number| (number * 1000.0).round() / 1000.0);
        Self { slope, offset, deviation }
    }
}

impl Numbers {
    fn cells(&self) -> [String; 3] {
        let Self { slope, offset, deviation } = self;
        [format!("{slope:.3}"), format!("{offset:+.2}"), format!("{deviation:.2}")]
    }
}

impl Predictions {
    /// Tabulates the predictions that searches go by: those of the pairs of depths that cuts use.
    pub(super) fn of(models: &Models) -> Self {
        let Models { probcut, ends, .. } = models;
        Self {
            probcut: probcut.as_ref().map(of_searches).unwrap_or_default(),
            ends: ends.as_ref().map(of_scores).unwrap_or_default(),
        }
    }
}

fn of_searches(probcut: &ProbCut) -> Vec<OfSearch> {
    let pairs = PLIES.step_by(6).flat_map(|ply| DEEP.map(move |deep| (ply, deep)));
    let predicted = pairs.map(|(ply, deep)| {
        let shallow = shallow_depth(deep);
        let predicted = probcut.prediction(Depths { ply, shallow, deep }).into();
        OfSearch { ply, shallow, deep, predicted }
    });
    predicted.collect()
}

fn of_scores(ends: &Ends) -> Vec<OfScore> {
    let predicted = EMPTIES.map(|empties| {
        let shallow = shallow_depth_of_end(empties);
        let predicted = ends.prediction(EndDepths { empties, shallow }).into();
        OfScore { empties, shallow, predicted }
    });
    predicted.collect()
}

impl fmt::Display for Predictions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headings = ["slope", "offset", "deviation"];
        if !self.probcut.is_empty() {
            let rows = self.probcut.iter().map(|row| {
                let [slope, offset, deviation] = row.predicted.cells();
                let [ply, shallow, deep] = [row.ply, row.shallow, row.deep].map(|n| n.to_string());
                [ply, shallow, deep, slope, offset, deviation]
            });
            let [slope, offset, deviation] = headings;
            let columns = ["ply", "known depth", "depth", slope, offset, deviation];
            let rows = table(columns, rows);
            write!(f, "\nvalues of deeper searches, in discs\n{rows}\n")?;
        }
        if !self.ends.is_empty() {
            let rows = self.ends.iter().map(|row| {
                let [slope, offset, deviation] = row.predicted.cells();
                [row.empties.to_string(), row.shallow.to_string(), slope, offset, deviation]
            });
            let [slope, offset, deviation] = headings;
            let columns = ["empty squares", "known depth", slope, offset, deviation];
            let rows = table(columns, rows);
            write!(f, "\nscores, in discs\n{rows}\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{END_ERROR_TERMS, END_MEAN_TERMS, ERROR_TERMS, MEAN_TERMS};

    /// The numbers of a model whose mean is 0.9 times the known value and 2 discs, and whose
    /// deviation is e discs, are these in every row.
    #[test]
    fn rows_have_the_slope_the_offset_and_the_deviation_of_the_model() {
        let (mut mean, mut error) = ([0.0; MEAN_TERMS], [0.0; ERROR_TERMS]);
        (mean[0], mean[3], error[0]) = (0.9, 2.0, 1.0);
        let probcut = ProbCut::new(mean, error).unwrap();
        let models = Models { probcut: Some(probcut), ..Models::default() };
        let predictions = Predictions::of(&models);
        assert_eq!(predictions.probcut.len(), 8 * 11);
        assert!(predictions.ends.is_empty());
        for row in &predictions.probcut {
            assert_eq!(row.predicted.cells(), ["0.900", "+2.00", "2.72"], "ply {}", row.ply);
            assert_eq!((row.deep - row.shallow) % 2, 0, "depths {} {}", row.shallow, row.deep);
        }
        let (mut mean, error) = ([0.0; END_MEAN_TERMS], [0.0; END_ERROR_TERMS]);
        mean[0] = 1.25;
        let ends = Ends::new(mean, error, [1.0; 5]).unwrap();
        let predictions = Predictions::of(&Models { ends: Some(ends), ..Models::default() });
        assert_eq!(predictions.ends.len(), 19);
        for row in &predictions.ends {
            assert_eq!(row.predicted.cells(), ["1.250", "+0.00", "1.00"]);
        }
    }
}
