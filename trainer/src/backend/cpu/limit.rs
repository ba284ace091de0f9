//! What the inner loop could do at most: its memory accesses and nothing else.

use othello_engine::pattern::LANES;

use super::rows::{gather, scatter};
use crate::backend::Rows;
use crate::model::{Model, Row};

/// The parameters of all instances of positions, computed beforehand: 256 bytes a position.
pub struct Limit {
    stream: Vec<[u32; LANES]>,
    parameters: usize,
}

impl Limit {
    /// The stream of these positions.
    pub fn new(model: &Model, rows: &[Rows<'_>]) -> Self {
        let mut stream = vec![];
        let mut row = [Row::EMPTY];
        for position in rows.iter().flat_map(|rows| rows.positions) {
            model.write_rows(std::slice::from_ref(position), &mut row);
            stream.push(*row[0].instances());
        }
        Self { stream, parameters: model.parameters() }
    }

    /// For each position, gathers the 64 weights and adds to the 64 sums.
    pub fn run(&self, weights: &[i32]) -> Vec<i64> {
        assert_eq!(weights.len(), self.parameters);
        let mut sums = vec![0; self.parameters];
        for row in &self.stream {
            // SAFETY: the stream holds numbers below the model's `parameters`, the length of both.
            unsafe {
                let sum = gather(weights, row);
                scatter(&mut sums, row, i64::from(sum));
            }
        }
        sums
    }
}
