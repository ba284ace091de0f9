//! Least squares on the score differences between the moves of a position.
//!
//! Only these differences affect the order of moves. So the fit subtracts from each score the mean
//! over the position's moves, and likewise from each predicted score.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView1, Axis, concatenate, s};

/// A move has this many counts: the number of the opponent's replies; the number of these replies
/// on corners; and 1 if the move's quadrant has an odd number of empty squares before the move,
/// else 0.
pub(super) const COUNTS: usize = 3;

/// The positions after all legal moves of one position. Each has the indices of its pattern
/// weights, the counts of the move ([`COUNTS`]), and its exact score for the player to move.
pub(super) type Family = Vec<(Vec<u32>, [f64; COUNTS], f64)>;

/// The positions of many families ([`Family`]: the positions after all moves of one position), one
/// in each row of the matrices. `families` has the range of rows of each family.
pub(super) struct Siblings {
    parameters: Array2<u32>,
    counts: Array2<f64>,
    scores: Array1<f64>,
    families: Vec<Range<usize>>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Explanation {
    /// The pattern weights in discs, by parameter index.
    pub(super) weights: Array1<f64>,
    /// The weight of each of the [`COUNTS`] (such as the number of replies), in discs per unit.
    pub(super) counts: Array1<f64>,
}

/// The number of steps of conjugate gradients. The weights hardly change after half of them.
const STEPS: usize = 60;

impl Siblings {
    pub(super) fn of<'f>(instances: usize, families: impl IntoIterator<Item = &'f Family>) -> Self {
        let (mut parameters, mut counts) =
            (Array2::zeros((0, instances)), Array2::zeros((0, COUNTS)));
        let (mut scores, mut ranges) = (vec![], vec![]);
        for family in families {
            let first = scores.len();
            for (own_parameters, own_counts, score) in family {
                let pushed = parameters.push_row(ArrayView1::from(own_parameters));
                pushed.expect("every position has a parameter at each instance");
                let pushed = counts.push_row(ArrayView1::from(own_counts));
                pushed.expect("a row of counts has COUNTS of them");
                scores.push(*score);
            }
            ranges.push(first..scores.len());
        }
        Self { parameters, counts, scores: scores.into(), families: ranges }
    }

    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }

    /// Fits the weights of patterns and counts to the exact scores, by conjugate gradients.
    /// Minimises Σ (predicted − true)² + `ridge` · Σ (pattern weight)², where the mean over the
    /// moves of the same position is subtracted from predicted and true scores.
    pub(super) fn fit(&self, parameters: usize, ridge: f64) -> Explanation {
        let patterns = s![..parameters];
        let mut scores = self.scores.clone();
        self.center(&mut scores);
        let mut diagonal = self.diagonal(parameters);
        diagonal.slice_mut(patterns).mapv_inplace(|sum| sum + ridge);
        diagonal.mapv_inplace(|sum| sum.max(f64::MIN_POSITIVE));
        let mut solution = Array1::zeros(parameters + COUNTS);
        let mut residual = self.transposed(&scores, parameters);
        let mut direction = &residual / &diagonal;
        let mut energy = residual.dot(&direction);
        for _ in 0..STEPS {
            let mut values = self.product(&direction, parameters);
            self.center(&mut values);
            let mut image = self.transposed(&values, parameters);
            image.slice_mut(patterns).scaled_add(ridge, &direction.slice(patterns));
            let curvature = direction.dot(&image);
            if curvature <= f64::MIN_POSITIVE {
                break;
            }
            let step = energy / curvature;
            solution.scaled_add(step, &direction);
            residual.scaled_add(-step, &image);
            let scaled = &residual / &diagonal;
            let next = residual.dot(&scaled);
            direction = scaled + direction * (next / energy);
            energy = next;
        }
        let (weights, counts) = solution.view().split_at(Axis(0), parameters);
        Explanation { weights: weights.to_owned(), counts: counts.to_owned() }
    }

    /// Returns the share of the variance of scores that the weights `by` explain:
    /// 1 − Σ (predicted − true)² / Σ true², where the mean over the moves of the same position is
    /// subtracted from predicted and true scores.
    pub(super) fn explained(&self, by: &Explanation) -> f64 {
        let all = concatenate![Axis(0), by.weights, by.counts];
        let (mut scores, mut found) = (self.scores.clone(), self.product(&all, by.weights.len()));
        self.center(&mut scores);
        self.center(&mut found);
        let error = found - &scores;
        1.0 - error.dot(&error) / scores.dot(&scores)
    }

    /// Returns the predicted score of each position. `weights` has the weight of each pattern
    /// parameter, then that of each of the [`COUNTS`], such as the number of replies.
    fn product(&self, weights: &Array1<f64>, parameters: usize) -> Array1<f64> {
        let (patterns, counts) = weights.view().split_at(Axis(0), parameters);
        let value = |own: ArrayView1<'_, u32>| own.iter().map(|&one| patterns[one as usize]).sum();
        self.parameters.map_axis(Axis(1), value) + self.counts.dot(&counts)
    }

    /// Returns the transposed design matrix times `values`.
    fn transposed(&self, values: &Array1<f64>, parameters: usize) -> Array1<f64> {
        let mut sums = Array1::zeros(parameters);
        for (own, value) in self.parameters.rows().into_iter().zip(values) {
            own.iter().for_each(|&one| sums[one as usize] += value);
        }
        concatenate![Axis(0), sums, self.counts.t().dot(values)]
    }

    /// Returns the preconditioner of [`Self::fit`], without the ridge: the number of occurrences of
    /// each parameter, then the sum of the squares of each of the [`COUNTS`].
    fn diagonal(&self, parameters: usize) -> Array1<f64> {
        let mut sums = Array1::zeros(parameters);
        self.parameters.iter().for_each(|&one| sums[one as usize] += 1.0);
        concatenate![Axis(0), sums, self.counts.pow2().sum_axis(Axis(0))]
    }

    fn center(&self, values: &mut Array1<f64>) {
        for family in &self.families {
            let mut values = values.slice_mut(s![family.clone()]);
            let mean = values.mean().unwrap_or(0.0);
            values -= mean;
        }
    }
}

#[cfg(test)]
mod tests {
    use othello_engine::random::Generator;

    use super::*;

    #[test]
    fn what_was_put_in_comes_out() {
        let mut random = Generator::new(1);
        let weights: Vec<f64> = (0..20).map(|_| f64::from(random.below(41)) / 4.0 - 5.0).collect();
        let counts = [0.75, -2.0, 1.5];
        let families: Vec<Family> = (0..800)
            .map(|_| {
                let common = f64::from(random.below(129)) - 64.0;
                (0..2 + random.below(6))
                    .map(|_| {
                        let own = [0, 10].map(|first| first + random.below(10));
                        let counted = [9, 3, 2].map(|bound| f64::from(random.below(bound)));
                        let sum: f64 = own.iter().map(|&one| weights[one as usize]).sum();
                        let by_counts: f64 = counted.iter().zip(counts).map(|(a, b)| a * b).sum();
                        (own.to_vec(), counted, common + sum + by_counts)
                    })
                    .collect()
            })
            .collect();
        let siblings = Siblings::of(2, &families);
        let found = siblings.fit(20, 1e-6);
        for (found, put) in found.counts.iter().zip(counts) {
            assert!((found - put).abs() < 1e-3, "{found} for {put}");
        }
        // A constant in all weights of a pattern changes no difference within a family.
        for group in [0..10, 10..20] {
            let shift = found.weights[group.start] - weights[group.start];
            for one in group {
                assert!((found.weights[one] - weights[one] - shift).abs() < 1e-3);
            }
        }
        assert!(siblings.explained(&found) > 0.999_999);
        let nothing = Explanation { weights: Array1::zeros(20), counts: Array1::zeros(COUNTS) };
        assert!(siblings.explained(&nothing).abs() < 1e-9);
    }
}
