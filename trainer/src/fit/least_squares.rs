//! Ridge-regularised least squares by preconditioned conjugate gradients (Hestenes and Stiefel),
//! straight from positions.
//!
//! Minimises Σ ω (label − Σ w)² + λ Σ (w − w₀)² over the weights w of one phase. The search
//! direction is rounded to [`DIRECTION_BITS`] bits at a power-of-two scale before every product
//! and from then on *is* the rounded one, so that products are sums of integers and the result
//! does not depend on threads or on the order of the data.

use crate::backend::{
    DIRECTION_BITS, RESIDUALS_PER_DISC, ResidualSums, Rows, Target, WEIGHT_LIMIT, WEIGHTS_PER_DISC,
    WEIGHTS_PER_OCCURRENCE, cpu,
};
use crate::model::Model;

/// One phase's problem.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    /// What the parameters are.
    pub model: &'a Model,
    /// The training positions of the phase and of its window.
    pub rows: Vec<Rows<'a>>,
    /// λ, in occurrences.
    pub ridge: f64,
    /// w₀ in discs, by parameter: where the fit starts, and what the ridge pulls towards.
    pub initial: Vec<f64>,
}

/// Where the solver stands after an iteration.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Iterations done.
    pub iteration: u32,
    /// The weights in discs.
    pub weights: &'a [f64],
    /// The size of the preconditioned gradient as a part of what it was at the start.
    pub gradient: f64,
}

/// Whether to go on after an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// One more.
    Continue,
    /// Enough.
    Stop,
}

impl Problem<'_> {
    /// Runs iterations until `judge` says to stop or the gradient vanishes.
    pub fn solve(&self, mut judge: impl FnMut(Step<'_>) -> Verdict) {
        let diagonal: Vec<f64> = cpu::occurrences(self.model, &self.rows)
            .iter()
            .map(|&weight| weight as f64 / f64::from(WEIGHTS_PER_OCCURRENCE) + self.ridge)
            .collect();
        let mut weights = self.initial.clone();
        let mut gradient = self.initial_gradient();
        let mut preconditioned = divide(&gradient, &diagonal);
        let mut energy = dot(&gradient, &preconditioned);
        let start = energy;
        let mut direction = preconditioned.clone();
        for iteration in 1.. {
            if energy <= start * f64::EPSILON {
                return;
            }
            let product = self.product(&mut direction);
            // With the rounded direction p the exact step along it is (g·p)/(p·Ap).
            let step = dot(&gradient, &direction) / dot(&direction, &product);
            add_scaled(&mut weights, step, &direction);
            add_scaled(&mut gradient, -step, &product);
            preconditioned = divide(&gradient, &diagonal);
            let previous = std::mem::replace(&mut energy, dot(&gradient, &preconditioned));
            let state = Step { iteration, weights: &weights, gradient: (energy / start).sqrt() };
            if judge(state) == Verdict::Stop {
                return;
            }
            let keep = energy / previous;
            for (d, p) in direction.iter_mut().zip(&preconditioned) {
                *d = p + keep * *d;
            }
        }
    }

    /// Half the negative gradient of the objective at the starting weights, in discs ·
    /// occurrences. The ridge has no part in it: there the weights are what it pulls towards.
    fn initial_gradient(&self) -> Vec<f64> {
        let sums =
            cpu::residual_sums(self.model, &self.rows, &to_fixed(&self.initial), Target::Label);
        let scale = f64::from(RESIDUALS_PER_DISC) * f64::from(WEIGHTS_PER_OCCURRENCE);
        sums.by_parameter.iter().map(|&sum| sum as f64 / scale).collect()
    }

    /// Rounds `direction` and multiplies it with the normal matrix.
    fn product(&self, direction: &mut [f64]) -> Vec<f64> {
        let largest = direction.iter().fold(0.0_f64, |largest, d| largest.max(d.abs()));
        let scale = power_of_two_below(f64::from(1 << (DIRECTION_BITS - 1)) / largest);
        let rounded: Vec<i32> =
            direction.iter().map(|d| (d * scale).round_ties_even() as i32).collect();
        for (d, &r) in direction.iter_mut().zip(&rounded) {
            *d = f64::from(r) / scale;
        }
        let ResidualSums { by_parameter, .. } =
            cpu::residual_sums(self.model, &self.rows, &rounded, Target::Zero);
        // A sum of 1 stands for this much: residuals are 2⁸ times coarser than weights.
        let coarser = f64::from(WEIGHTS_PER_DISC / RESIDUALS_PER_DISC);
        let unit = coarser / scale / f64::from(WEIGHTS_PER_OCCURRENCE);
        let sums = by_parameter.iter().zip(direction.iter());
        sums.map(|(&sum, d)| -(sum as f64) * unit + self.ridge * d).collect()
    }
}

/// Weights in discs as the fixed-point numbers of the backends.
pub fn to_fixed(weights: &[f64]) -> Vec<i32> {
    let limit = f64::from(WEIGHT_LIMIT);
    let fixed = |w: &f64| (w * f64::from(WEIGHTS_PER_DISC)).round_ties_even().clamp(-limit, limit);
    weights.iter().map(|weight| fixed(weight) as i32).collect()
}

/// The largest power of two that is not above `bound`; 1 where `bound` is no finite number.
fn power_of_two_below(bound: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    if bound.is_finite() { f64::from_bits(bound.to_bits() & EXPONENT) } else { 1.0 }
}

fn divide(numerators: &[f64], denominators: &[f64]) -> Vec<f64> {
    numerators.iter().zip(denominators).map(|(n, d)| n / d).collect()
}

fn add_scaled(sum: &mut [f64], factor: f64, other: &[f64]) {
    for (s, o) in sum.iter_mut().zip(other) {
        *s += factor * o;
    }
}

/// The dot product by eight running sums that are added up in order: one fixed order of
/// operations that still fills vector registers.
fn dot(left: &[f64], right: &[f64]) -> f64 {
    const WAYS: usize = 8;
    let mut sums = [0.0; WAYS];
    let (left, left_rest) = left.as_chunks::<WAYS>();
    let (right, right_rest) = right.as_chunks::<WAYS>();
    for (l, r) in left.iter().zip(right) {
        for way in 0..WAYS {
            sums[way] += l[way] * r[way];
        }
    }
    let rest: f64 = left_rest.iter().zip(right_rest).map(|(l, r)| l * r).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::ResidualSums;
    use othello_engine::board::{Position, Squares};
    use othello_engine::pattern::PatternSet;
    use othello_engine::random::Generator;
    use othello_engine::record::{Label, ScoredPosition, Weight};

    const SET: &str = r#"
        name = "tiny"
        scalars = ["player_discs"]
        [[pattern]]
        squares = "a1 h1 a8 h8"
        [[pattern]]
        squares = "a1 b1 b2"
    "#;

    /// Positions of random games with noisy labels.
    fn rows(count: usize) -> Vec<ScoredPosition> {
        let mut random = Generator::new(4);
        let mut rows = vec![];
        let mut position = Position::START;
        while rows.len() < count {
            let moves = position.moves();
            if moves == 0 {
                let over = position.is_over();
                position = if over { Position::START } else { position.pass() };
                continue;
            }
            let corners = position.player() & 0x8100_0000_0000_0081;
            let discs =
                f64::from(corners.count_ones()) * 5.0 + f64::from(random.below(2000)) / 100.0;
            let weight = Weight::new(1 + random.below(200) as u16).unwrap();
            rows.push(ScoredPosition::new(position, Label::of_discs(discs).unwrap(), weight));
            let choice = random.below(moves.count_ones()) as usize;
            position = position.play(Squares(moves).nth(choice).unwrap()).unwrap();
        }
        rows
    }

    /// The exact solution by Gaussian elimination of the normal equations.
    fn exact(model: &Model, rows: &[ScoredPosition], ridge: f64) -> Vec<f64> {
        let n = model.parameters();
        let mut matrix = vec![vec![0.0; n + 1]; n];
        for (number, row) in matrix.iter_mut().enumerate() {
            row[number] = ridge;
        }
        for row in rows {
            let features = model.features(&row.position());
            for &i in features.parameters() {
                for &j in features.parameters() {
                    matrix[i as usize][j as usize] += row.weight().occurrences();
                }
                matrix[i as usize][n] += row.weight().occurrences() * row.label().discs();
            }
        }
        for pivot in 0..n {
            for other in (0..n).filter(|&other| other != pivot) {
                let factor = matrix[other][pivot] / matrix[pivot][pivot];
                let source = matrix[pivot].clone();
                matrix[other].iter_mut().zip(source).for_each(|(m, s)| *m -= factor * s);
            }
        }
        (0..n).map(|i| matrix[i][n] / matrix[i][i]).collect()
    }

    fn objective(model: &Model, rows: &[ScoredPosition], ridge: f64, weights: &[f64]) -> f64 {
        let error = |row: &ScoredPosition| {
            let features = model.features(&row.position());
            let value: f64 = features.parameters().iter().map(|&p| weights[p as usize]).sum();
            row.weight().occurrences() * (row.label().discs() - value).powi(2)
        };
        rows.iter().map(error).sum::<f64>() + ridge * weights.iter().map(|w| w * w).sum::<f64>()
    }

    fn solve(model: &Model, rows: &[ScoredPosition], ridge: f64, iterations: u32) -> Vec<f64> {
        let problem = Problem {
            model,
            rows: vec![Rows { positions: rows, factor: 256 }],
            ridge,
            initial: vec![0.0; model.parameters()],
        };
        let mut weights = vec![];
        problem.solve(|step| {
            weights = step.weights.to_vec();
            if step.iteration == iterations { Verdict::Stop } else { Verdict::Continue }
        });
        weights
    }

    #[test]
    fn the_objective_reaches_that_of_the_exact_solution() {
        let model = Model::new(PatternSet::from_toml(SET).unwrap());
        let rows = rows(3000);
        let ridge = 10.0;
        let best = objective(&model, &rows, ridge, &exact(&model, &rows, ridge));
        let found = objective(&model, &rows, ridge, &solve(&model, &rows, ridge, 200));
        assert!((found - best) / best < 1e-7, "{found} against {best}");
    }

    #[test]
    fn threads_and_the_order_of_the_data_change_no_bit() {
        let model = Model::new(PatternSet::from_toml(SET).unwrap());
        let mut rows = rows(300_000);
        let with_threads = |rows: &[ScoredPosition], threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| solve(&model, rows, 10.0, 5))
        };
        let one = with_threads(&rows, 1);
        assert_eq!(with_threads(&rows, 3), one);
        Generator::new(2).shuffle(&mut rows);
        assert_eq!(with_threads(&rows, 2), one);
    }

    #[test]
    fn starting_weights_are_what_the_ridge_pulls_towards() {
        let model = Model::new(PatternSet::from_toml(SET).unwrap());
        let rows = rows(50);
        let initial: Vec<f64> = (0..model.parameters()).map(|p| p as f64 / 64.0).collect();
        let problem = Problem {
            model: &model,
            rows: vec![Rows { positions: &rows, factor: 256 }],
            ridge: 1e9,
            initial: initial.clone(),
        };
        problem.solve(|step| {
            let far = step.weights.iter().zip(&initial).any(|(w, i)| (w - i).abs() > 1e-3);
            assert!(!far);
            if step.iteration == 3 { Verdict::Stop } else { Verdict::Continue }
        });
    }

    /// The sums against a plain computation in floating point.
    #[test]
    fn residual_sums_are_those_of_the_definition() {
        let model = Model::new(PatternSet::from_toml(SET).unwrap());
        let rows = rows(500);
        let weights: Vec<f64> = (0..model.parameters()).map(|p| (p % 17) as f64 / 8.0).collect();
        let mut expected = vec![0.0; model.parameters()];
        for row in &rows {
            let features = model.features(&row.position());
            let value: f64 = features.parameters().iter().map(|&p| weights[p as usize]).sum();
            let weight = (f64::from(row.weight().steps()) / 2.0).round() / 64.0;
            for &parameter in features.parameters() {
                expected[parameter as usize] += weight * (row.label().discs() - value);
            }
        }
        let half = [Rows { positions: &rows, factor: 128 }];
        let ResidualSums { by_parameter, .. } =
            cpu::residual_sums(&model, &half, &to_fixed(&weights), Target::Label);
        for (sum, expected) in by_parameter.iter().zip(expected) {
            let sum = *sum as f64 / 1024.0 / 64.0;
            assert!((sum - expected).abs() < 0.1, "{sum} against {expected}");
        }
    }
}
