//! The limit of the inner loop, which is the time of its memory accesses alone.

use crate::throughput::stream;
use othello_fit::backend::Rows;
use othello_fit::backend::cpu::{gather, scatter};
use othello_fit::model::Model;

/// The parameters of all features of positions, computed beforehand, 4 bytes per feature.
pub(super) struct Limit {
    stream: Vec<u32>,
    features: usize,
    parameters: usize,
}

impl Limit {
    pub(super) fn new(model: &Model, rows: &[Rows<'_>]) -> Self {
        let stream = stream(model, rows.iter().flat_map(|rows| rows.positions));
        Self { stream, features: model.feature_count(), parameters: model.parameters() }
    }

    pub(super) fn run(&self, weights: &[i32]) -> Vec<i64> {
        assert_eq!(weights.len(), self.parameters);
        let mut sums = vec![0; self.parameters];
        // Without features the stream is empty.
        for row in self.stream.chunks_exact(self.features.max(1)) {
            // SAFETY: the stream holds numbers below the model's `parameters`, the length of both.
            unsafe {
                let sum = gather(weights, row);
                scatter(&mut sums, row, i64::from(sum));
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use othello_engine::pattern::PatternSet;
    use othello_engine::record::{Label, ScoredPosition, Weight};

    use super::*;
    use othello_engine::random::random_game;

    /// A regression: 64 instances were read for every set, in small sets beyond the end of the
    /// weights.
    #[test]
    fn a_set_of_few_features_reads_and_adds_no_more_than_these() {
        for name in ["discs", "small"] {
            let model = Model::new(PatternSet::shipped(name).unwrap());
            let row =
                |position| ScoredPosition::new(position, Label::of_score(0).unwrap(), Weight::ONE);
            let positions: Vec<_> =
                random_game(3, 0, usize::MAX).steps.iter().map(|step| row(step.position)).collect();
            let limit = Limit::new(&model, &[Rows::full(&positions)]);
            let mut added = vec![0; model.parameters()];
            for position in &positions {
                let features = model.features(&position.position());
                let sum = features.len() as i64;
                features.iter().for_each(|&p| added[p as usize] += sum);
            }
            assert_eq!(limit.run(&vec![1; model.parameters()]), added, "{name}");
        }
    }
}
