//! Ridge-regularised least squares by preconditioned conjugate gradients (Hestenes and Stiefel),
//! straight from positions.
//!
//! Minimises Σ ω (label − Σ w)² + λ Σ (w − w₀)² over the weights w of one phase. The search
//! direction is rounded to [`DIRECTION_BITS`] bits at a power-of-two scale before every product
//! and from then on *is* the rounded one, so that products are sums of integers and the result
//! does not depend on threads or on the order of the data.

use crate::backend::{
    Backend, BackendError, Batch, DIRECTION_BITS, RESIDUALS_PER_DISC, Target, WEIGHTS_PER_DISC,
    WEIGHTS_PER_OCCURRENCE,
};

/// One phase's problem.
#[derive(Debug)]
pub struct Problem<'a, B: Backend> {
    /// Where to compute.
    pub backend: &'a B,
    /// The training positions of the phase and of its window.
    pub positions: B::Positions<'a>,
    /// λ, in occurrences.
    pub ridge: f64,
    /// w₀ in discs, by parameter: where the fit starts, and what the ridge pulls towards.
    pub initial: Vec<f64>,
}

/// Where the solver stands after an iteration.
#[derive(Debug)]
pub struct Step<'a, B: Backend> {
    /// Iterations done.
    pub iteration: u32,
    /// The weights in discs.
    pub weights: &'a B::Reals,
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

impl<B: Backend> Problem<'_, B> {
    /// Runs iterations until `judge` says to stop or the gradient vanishes.
    pub fn solve(
        &self,
        mut judge: impl FnMut(Step<'_, B>) -> Result<Verdict, BackendError>,
    ) -> Result<(), BackendError> {
        let backend = self.backend;
        let zero = || backend.upload(&vec![0.0; backend.parameters()]);
        let (mut sums, mut fixed) = (backend.zero_sums()?, backend.zero_fixed()?);
        let diagonal = self.diagonal(&mut sums)?;
        let mut weights = backend.upload(&self.initial)?;
        let (mut gradient, mut preconditioned) = (zero()?, zero()?);
        let (mut direction, mut product) = (zero()?, zero()?);
        self.initial_gradient(&weights, &mut fixed, &mut sums, &mut gradient)?;
        backend.divide(&gradient, &diagonal, &mut preconditioned)?;
        let mut energy = backend.dot(&gradient, &preconditioned)?;
        let start = energy;
        backend.copy(&preconditioned, &mut direction)?;
        for iteration in 1.. {
            if energy <= start * f64::EPSILON {
                break;
            }
            self.multiply(&mut direction, &mut fixed, &mut sums, &mut product)?;
            // With the rounded direction p the exact step along it is (g·p)/(p·Ap).
            let step = backend.dot(&gradient, &direction)? / backend.dot(&direction, &product)?;
            backend.add_scaled(&mut weights, step, &direction)?;
            backend.add_scaled(&mut gradient, -step, &product)?;
            backend.divide(&gradient, &diagonal, &mut preconditioned)?;
            let previous = std::mem::replace(&mut energy, backend.dot(&gradient, &preconditioned)?);
            let state = Step { iteration, weights: &weights, gradient: (energy / start).sqrt() };
            if judge(state)? == Verdict::Stop {
                break;
            }
            backend.scale_and_add(&mut direction, energy / previous, &preconditioned)?;
        }
        Ok(())
    }

    /// The diagonal of the normal matrix but for positions that have a parameter more than once.
    fn diagonal(&self, sums: &mut B::Sums) -> Result<B::Reals, BackendError> {
        self.backend.occurrences(&self.positions, sums)?;
        let element = |&sum: &i64| sum as f64 / f64::from(WEIGHTS_PER_OCCURRENCE) + self.ridge;
        let diagonal: Vec<f64> = self.backend.download_sums(sums)?.iter().map(element).collect();
        self.backend.upload(&diagonal)
    }

    /// Half the negative gradient of the objective at the starting weights, in discs ·
    /// occurrences. The ridge has no part in it: there the weights are what it pulls towards.
    fn initial_gradient(
        &self,
        weights: &B::Reals,
        fixed: &mut B::Fixed,
        sums: &mut B::Sums,
        gradient: &mut B::Reals,
    ) -> Result<(), BackendError> {
        let backend = self.backend;
        backend.round_weights(weights, fixed)?;
        backend.residual_sums(&self.positions, Batch::WHOLE, fixed, Target::Label, sums)?;
        let scale = f64::from(RESIDUALS_PER_DISC) * f64::from(WEIGHTS_PER_OCCURRENCE);
        backend.scale_sums(sums, 1.0 / scale, gradient)
    }

    /// Rounds `direction` and multiplies it with the normal matrix.
    fn multiply(
        &self,
        direction: &mut B::Reals,
        fixed: &mut B::Fixed,
        sums: &mut B::Sums,
        product: &mut B::Reals,
    ) -> Result<(), BackendError> {
        let backend = self.backend;
        let largest = backend.max_abs(direction)?;
        let scale = power_of_two_below(f64::from(1 << (DIRECTION_BITS - 1)) / largest);
        backend.round_direction(direction, scale, fixed)?;
        backend.residual_sums(&self.positions, Batch::WHOLE, fixed, Target::Zero, sums)?;
        // A sum of 1 stands for this much: residuals are 2⁸ times coarser than weights.
        let coarser = f64::from(WEIGHTS_PER_DISC / RESIDUALS_PER_DISC);
        let unit = coarser / scale / f64::from(WEIGHTS_PER_OCCURRENCE);
        backend.scale_sums(sums, -unit, product)?;
        backend.add_scaled(product, self.ridge, direction)
    }
}

/// The largest power of two that is not above `bound`; 1 where `bound` is no finite number.
fn power_of_two_below(bound: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    if bound.is_finite() { f64::from_bits(bound.to_bits() & EXPONENT) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Cpu, Rows};
    use crate::model::Model;
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
            backend: &Cpu::new(model),
            positions: vec![Rows::full(rows)],
            ridge,
            initial: vec![0.0; model.parameters()],
        };
        let mut weights = vec![];
        let judge = |step: Step<'_, Cpu<'_>>| {
            weights = step.weights.clone();
            Ok(if step.iteration == iterations { Verdict::Stop } else { Verdict::Continue })
        };
        problem.solve(judge).unwrap();
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
            backend: &Cpu::new(&model),
            positions: vec![Rows::full(&rows)],
            ridge: 1e9,
            initial: initial.clone(),
        };
        let judge = |step: Step<'_, Cpu<'_>>| {
            let far = step.weights.iter().zip(&initial).any(|(w, i)| (w - i).abs() > 1e-3);
            assert!(!far);
            Ok(if step.iteration == 3 { Verdict::Stop } else { Verdict::Continue })
        };
        problem.solve(judge).unwrap();
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
        let half = vec![Rows { positions: &rows, factor: 128 }];
        let backend = Cpu::new(&model);
        let (mut fixed, mut sums) = (backend.zero_fixed().unwrap(), backend.zero_sums().unwrap());
        backend.round_weights(&weights, &mut fixed).unwrap();
        backend.residual_sums(&half, Batch::WHOLE, &fixed, Target::Label, &mut sums).unwrap();
        for (sum, expected) in sums.iter().zip(expected) {
            let sum = *sum as f64 / 1024.0 / 64.0;
            assert!((sum - expected).abs() < 0.1, "{sum} against {expected}");
        }
    }
}
