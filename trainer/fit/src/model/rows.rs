//! Computes the parameter indices of many positions, in the order of weights files.

use ndarray::Array2;
use othello_engine::board::Position;
use rayon::prelude::*;

use super::{Model, Row};

const CHUNK: usize = 256;

impl Model {
    /// Returns one row for each position: the parameters of its instances, then those of its scalar
    /// features. The parameters have the indices of weights files.
    pub fn rows_in_file(&self, positions: &[Position]) -> Array2<i32> {
        let features = self.feature_count();
        let mut all = Array2::zeros((positions.len(), features));
        // A set has at least one parameter, and an array that was just made is contiguous.
        let numbers = all.as_slice_mut().unwrap_or_default();
        let chunks = numbers.par_chunks_mut(CHUNK * features).zip(positions.par_chunks(CHUNK));
        chunks.for_each(|(numbers, positions)| {
            let mut rows = [Row::EMPTY; CHUNK];
            let rows = &mut rows[..positions.len()];
            self.write_rows(positions.iter().copied(), rows);
            for (numbers, row) in numbers.chunks_exact_mut(features).zip(rows) {
                for (number, &parameter) in numbers.iter_mut().zip(row.features(self)) {
                    *number = self.in_file(parameter as usize) as i32;
                }
            }
        });
        all
    }
}
