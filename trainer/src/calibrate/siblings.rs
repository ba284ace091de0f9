//! Least squares on families of positions: what tells the moves of a position apart.
//!
//! All moves of a position are searched or none: what they have in common orders nothing. So both the
//! scores and what explains them are taken relative to the mean of their family.

use std::ops::Range;

/// Counts beside the patterns that explain a score: replies, replies to corners, and whether the move
/// was into a quadrant with an odd number of empty squares.
pub(super) const COUNTS: usize = 3;

/// Families of positions, each with its score for its own player.
#[derive(Default)]
pub(super) struct Siblings {
    /// The parameters of each position, as many for each.
    parameters: Vec<u32>,
    counts: Vec<[f64; COUNTS]>,
    scores: Vec<f64>,
    families: Vec<Range<usize>>,
}

/// What explains the scores.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Explanation {
    /// The weights in discs, by parameter.
    pub(super) weights: Vec<f64>,
    /// The weights of the counts, in discs.
    pub(super) counts: [f64; COUNTS],
}

/// Steps of conjugate gradients: the weights hardly change after half of them.
const STEPS: usize = 60;

impl Siblings {
    /// Adds a family: of each position the parameters, the counts and the score.
    pub(super) fn add(&mut self, family: impl Iterator<Item = (Vec<u32>, [f64; COUNTS], f64)>) {
        let first = self.scores.len();
        for (parameters, counts, score) in family {
            self.parameters.extend(parameters);
            self.counts.push(counts);
            self.scores.push(score);
        }
        self.families.push(first..self.scores.len());
    }

    /// How many positions there are in all families.
    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }

    /// Minimises the squared differences between explained and true scores, both relative to the
    /// family's mean, plus `ridge` times the squared weights of parameters: by conjugate gradients on the
    /// normal equations, with the diagonal of an upper bound as preconditioner.
    pub(super) fn fit(&self, parameters: usize, ridge: f64) -> Explanation {
        let mut scores = self.scores.clone();
        self.center(&mut scores);
        let all = parameters + COUNTS;
        let mut diagonal = self.diagonal(all);
        diagonal[..parameters].iter_mut().for_each(|sum| *sum += ridge);
        let mut solution = vec![0.0; all];
        let mut residual = self.transposed(&scores, all);
        let mut direction: Vec<f64> = divided(&residual, &diagonal);
        let mut energy = dot(&residual, &direction);
        for _ in 0..STEPS {
            let mut image = self.normal(&direction);
            add(&mut image[..parameters], ridge, &direction[..parameters]);
            let curvature = dot(&direction, &image);
            if curvature <= f64::MIN_POSITIVE {
                break;
            }
            let step = energy / curvature;
            add(&mut solution, step, &direction);
            add(&mut residual, -step, &image);
            let scaled = divided(&residual, &diagonal);
            let next = dot(&residual, &scaled);
            let ratio = next / energy;
            direction.iter_mut().zip(&scaled).for_each(|(d, scaled)| *d = scaled + ratio * *d);
            energy = next;
        }
        let counts = std::array::from_fn(|count| solution[parameters + count]);
        solution.truncate(parameters);
        Explanation { weights: solution, counts }
    }

    /// The share of the variance inside families that is explained.
    pub(super) fn explained(&self, by: &Explanation) -> f64 {
        let all: Vec<f64> = by.weights.iter().chain(&by.counts).copied().collect();
        let (mut scores, mut found) = (self.scores.clone(), self.product(&all));
        self.center(&mut scores);
        self.center(&mut found);
        let variance = dot(&scores, &scores);
        add(&mut found, -1.0, &scores);
        1.0 - dot(&found, &found) / variance
    }

    fn parameters_of(&self, place: usize) -> &[u32] {
        let each = self.parameters.len() / self.scores.len().max(1);
        &self.parameters[place * each..][..each]
    }

    /// The value of every position by these weights, those of the counts last.
    fn product(&self, weights: &[f64]) -> Vec<f64> {
        let counted = &weights[weights.len() - COUNTS..];
        let value = |(place, counts): (usize, &[f64; COUNTS])| {
            let patterns = self.parameters_of(place).iter().map(|&one| weights[one as usize]);
            patterns.sum::<f64>() + dot(counts, counted)
        };
        self.counts.iter().enumerate().map(value).collect()
    }

    fn transposed(&self, values: &[f64], all: usize) -> Vec<f64> {
        let mut sums = vec![0.0; all];
        for (place, value) in values.iter().enumerate() {
            self.parameters_of(place).iter().for_each(|&one| sums[one as usize] += value);
            add(&mut sums[all - COUNTS..], *value, &self.counts[place]);
        }
        sums
    }

    /// The normal equations' matrix times some weights.
    fn normal(&self, weights: &[f64]) -> Vec<f64> {
        let mut values = self.product(weights);
        self.center(&mut values);
        self.transposed(&values, weights.len())
    }

    /// What stands in its diagonal, were the families' means 0.
    fn diagonal(&self, all: usize) -> Vec<f64> {
        let mut sums = vec![0.0; all];
        for (place, counts) in self.counts.iter().enumerate() {
            self.parameters_of(place).iter().for_each(|&one| sums[one as usize] += 1.0);
            let squares = counts.map(|count| count * count);
            add(&mut sums[all - COUNTS..], 1.0, &squares);
        }
        sums
    }

    /// Takes each family's mean off.
    fn center(&self, values: &mut [f64]) {
        for family in &self.families {
            let values = &mut values[family.clone()];
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            values.iter_mut().for_each(|value| *value -= mean);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], times: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += times * what);
}

fn divided(a: &[f64], by: &[f64]) -> Vec<f64> {
    a.iter().zip(by).map(|(a, by)| a / by.max(f64::MIN_POSITIVE)).collect()
}

#[cfg(test)]
mod tests {
    use othello_engine::random::Generator;

    use super::*;

    /// Scores made of known weights, and of something that each family has for itself, are explained
    /// by those weights.
    #[test]
    fn what_was_put_in_comes_out() {
        let mut random = Generator::new(1);
        let weights: Vec<f64> = (0..20).map(|_| f64::from(random.below(41)) / 4.0 - 5.0).collect();
        let counts = [0.75, -2.0, 1.5];
        let mut siblings = Siblings::default();
        for _ in 0..800 {
            let common = f64::from(random.below(129)) - 64.0;
            let family: Vec<_> = (0..2 + random.below(6))
                .map(|_| {
                    let own = [0, 10].map(|first| first + random.below(10));
                    let counted = [9, 3, 2].map(|bound| f64::from(random.below(bound)));
                    let sum: f64 = own.iter().map(|&one| weights[one as usize]).sum();
                    (own.to_vec(), counted, common + sum + dot(&counted, &counts))
                })
                .collect();
            siblings.add(family.into_iter());
        }
        let found = siblings.fit(20, 1e-6);
        for (found, put) in found.counts.iter().zip(counts) {
            assert!((found - put).abs() < 1e-3, "{found} for {put}");
        }
        // Each pattern's weights have a constant of their own, which no family shows.
        for group in [0..10, 10..20] {
            let shift = found.weights[group.start] - weights[group.start];
            for one in group {
                assert!((found.weights[one] - weights[one] - shift).abs() < 1e-3);
            }
        }
        assert!(siblings.explained(&found) > 0.999_999);
        let nothing = Explanation { weights: vec![0.0; 20], counts: [0.0; COUNTS] };
        assert!(siblings.explained(&nothing).abs() < 1e-9);
    }
}
