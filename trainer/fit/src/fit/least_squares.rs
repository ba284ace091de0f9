//! Ridge-regularised least squares by preconditioned conjugate gradients (Hestenes and Stiefel
//! 1952), computed directly from positions. Steepest descent, for comparison, is another option.
//!
//! If there are many positions, the first steps use only a sample of them, so that fewer steps on
//! all positions are needed. The weights to which the steps converge are the same.
//!
//! Each step rounds the search direction to [`DIRECTION_BITS`] bits at a power-of-two scale, and
//! multiplies the normal matrix by it. The products are therefore sums of integers, and the result
//! depends neither on threads nor on the order of the data.

use serde::{Deserialize, Serialize};

use super::Result;
use super::epochs::{Advance, Problem, Solver, State};
use super::report::Metrics;
use super::settings::{LeastSquaresSettings, Optimizer};
use crate::backend::{
    Backend, BackendError, Batch, DIRECTION_BITS, RESIDUALS_PER_DISC, Target, WEIGHTS_PER_DISC,
    WEIGHTS_PER_OCCURRENCE,
};

pub(super) struct LeastSquares<'p, 'a, B: Backend> {
    problem: &'p Problem<'a, B>,
    is_descent: bool,
    settings: &'p LeastSquaresSettings,
    /// The training positions that the first steps use, and their share (0 to 1) of all positions.
    sample: Option<(Batch, f64)>,
    diagonal: B::Reals,
    initial: Option<B::Reals>,
    weights: B::Reals,
    /// Half the negative gradient of the objective, in discs · occurrences.
    gradient: B::Reals,
    direction: B::Reals,
    progress: Progress,
    fixed: B::Fixed,
    sums: B::Sums,
    squares: B::Squares,
    preconditioned: B::Reals,
    product: B::Reals,
    /// The weights minus the initial weights.
    moved: B::Reals,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Progress {
    epoch: u32,
    sample_steps: u32,
    /// The `energy` at the initial weights, scaled from the sample to all positions. The fit has
    /// converged as soon as `energy` is below a tiny fraction of it.
    start: f64,
    /// The scalar product of the gradient and the preconditioned gradient at the current weights.
    energy: f64,
    /// The objective at the current weights, in discs² · occurrences.
    objective: f64,
}

impl<'p, 'a, B: Backend> LeastSquares<'p, 'a, B> {
    pub(super) fn new(
        problem: &'p Problem<'a, B>,
        optimizer: Optimizer,
        settings: &'p LeastSquaresSettings,
        state: Option<&State>,
    ) -> Result<Self> {
        let is_descent = optimizer == Optimizer::Descent;
        let parts = problem.batches(settings.sample);
        let sample = Batch::new(0, parts).map(|batch| (batch, 1.0 / f64::from(parts)));
        let sample = sample.filter(|_| parts > 1 && !is_descent);
        let sample_steps = sample.map_or(0, |_| settings.sample_steps);
        let has_initial = problem.initial.iter().any(|&weight| weight != 0.0);
        let upload = || problem.backend.upload(&problem.initial);
        let mut solver = Self {
            problem,
            is_descent,
            settings,
            sample: sample.filter(|_| sample_steps > 0),
            diagonal: problem.backend.zero_reals()?,
            initial: has_initial.then(upload).transpose()?,
            weights: upload()?,
            gradient: problem.backend.zero_reals()?,
            direction: problem.backend.zero_reals()?,
            progress: Progress { epoch: 0, sample_steps, start: 0.0, energy: 0.0, objective: 0.0 },
            fixed: problem.backend.zero_fixed()?,
            sums: problem.backend.zero_sums()?,
            squares: problem.backend.zero_squares()?,
            preconditioned: problem.backend.zero_reals()?,
            product: problem.backend.zero_reals()?,
            moved: problem.backend.zero_reals()?,
        };
        let Some(state) = state else {
            solver.begin()?;
            solver.progress.start = solver.progress.energy / solver.batch_and_share().1;
            return Ok(solver);
        };
        solver.weights = problem.vector(state, "weights")?;
        solver.gradient = problem.vector(state, "gradient")?;
        solver.direction = problem.vector(state, "direction")?;
        solver.progress = state.scalars()?;
        solver.diagonal = solver.diagonal()?;
        Ok(solver)
    }

    /// Returns the positions of the next step (sample or all) and their share of all positions.
    fn batch_and_share(&self) -> (Batch, f64) {
        match self.sample {
            Some(sample) if self.progress.sample_steps > 0 => sample,
            _ => (Batch::WHOLE, 1.0),
        }
    }

    /// Restarts conjugate gradients: computes gradient and objective at the current weights.
    fn begin(&mut self) -> Result<(), BackendError> {
        self.diagonal = self.diagonal()?;
        let (batch, _) = self.batch_and_share();
        let Problem { backend, positions, ridge, .. } = self.problem;
        let Self { fixed, sums, squares, .. } = self;
        backend.round_weights(&self.weights, fixed)?;
        // Nobody reads what the steps have added to it.
        *squares = backend.zero_squares()?;
        backend.residual_sums(positions, batch, fixed, Target::Label, sums, squares)?;
        let squared = backend.squared(squares)?;
        backend.scale_sums(sums, 1.0 / Problem::<B>::SUM_OF_ONE, &mut self.gradient)?;
        let moved = self.moved()?;
        backend.add_scaled(&mut self.gradient, -ridge, &self.moved)?;
        backend.divide(&self.gradient, &self.diagonal, &mut self.direction)?;
        self.progress.energy = backend.dot(&self.gradient, &self.direction)?;
        self.progress.objective = Problem::<B>::squared_discs(squared) + ridge * moved;
        Ok(())
    }

    /// Sets `self.moved` to the weights − the initial weights; returns its squared norm in discs².
    fn moved(&mut self) -> Result<f64, BackendError> {
        let (backend, moved) = (self.problem.backend, &mut self.moved);
        backend.copy(&self.weights, moved)?;
        if let Some(initial) = &self.initial {
            backend.add_scaled(moved, -1.0, initial)?;
        }
        backend.dot(moved, moved)
    }

    /// Returns the preconditioner, a divisor for each element of the gradient: 1 for steepest
    /// descent, otherwise the parameter's occurrences plus the ridge.
    fn diagonal(&mut self) -> Result<B::Reals, BackendError> {
        let (_, share) = self.batch_and_share();
        let (backend, sums) = (self.problem.backend, &mut self.sums);
        if self.is_descent {
            return backend.upload(&vec![1.0; backend.parameters()]);
        }
        backend.occurrences(&self.problem.positions, sums)?;
        let unit = share / f64::from(WEIGHTS_PER_OCCURRENCE);
        let element = |&sum: &i64| sum as f64 * unit + self.problem.ridge;
        backend.upload(&backend.download_sums(sums)?.iter().map(element).collect::<Vec<_>>())
    }

    fn step(&mut self) -> Result<(), BackendError> {
        self.multiply()?;
        let backend = self.problem.backend;
        // For `gradient` g, rounded direction p and normal matrix A, the exact step is
        // (g·p)/(p·Ap); it lowers the objective by (g·p)²/(p·Ap).
        let along = backend.dot(&self.gradient, &self.direction)?;
        let step = along / backend.dot(&self.direction, &self.product)?;
        backend.add_scaled(&mut self.weights, step, &self.direction)?;
        backend.add_scaled(&mut self.gradient, -step, &self.product)?;
        backend.divide(&self.gradient, &self.diagonal, &mut self.preconditioned)?;
        let energy = backend.dot(&self.gradient, &self.preconditioned)?;
        let keep = if self.is_descent { 0.0 } else { energy / self.progress.energy };
        backend.scale_and_add(&mut self.direction, keep, &self.preconditioned)?;
        self.progress.energy = energy;
        self.progress.objective -= step * along;
        Ok(())
    }

    /// Rounds `direction` to fixed point, and sets `product` to normal matrix · `direction`.
    fn multiply(&mut self) -> Result<(), BackendError> {
        let (batch, _) = self.batch_and_share();
        let Problem { backend, positions, ridge, .. } = self.problem;
        let Self { direction, fixed, sums, squares, product, .. } = self;
        let largest = backend.max_abs(direction)?;
        let scale = power_of_two_below(f64::from(1 << (DIRECTION_BITS - 1)) / largest);
        backend.round_direction(direction, scale, fixed)?;
        backend.residual_sums(positions, batch, fixed, Target::Zero, sums, squares)?;
        let coarser = f64::from(WEIGHTS_PER_DISC / RESIDUALS_PER_DISC);
        let unit = coarser / scale / f64::from(WEIGHTS_PER_OCCURRENCE);
        backend.scale_sums(sums, -unit, product)?;
        backend.add_scaled(product, *ridge, direction)
    }

    fn train_mse(&mut self) -> Result<f64, BackendError> {
        let squared = self.progress.objective - self.problem.ridge * self.moved()?;
        Ok(squared.max(0.0) / self.problem.occurrences)
    }
}

impl<B: Backend> Solver<B> for LeastSquares<'_, '_, B> {
    /// Does one step. Every step on all training positions is an epoch; steps on a sample are not.
    fn advance(&mut self) -> Result<Advance, BackendError> {
        let converged = self.progress.energy <= self.progress.start * f64::EPSILON;
        if self.progress.sample_steps > 0 {
            if !converged {
                self.step()?;
            }
            self.progress.sample_steps = if converged { 0 } else { self.progress.sample_steps - 1 };
            if self.progress.sample_steps == 0 {
                self.begin()?;
            }
            return Ok(Advance::Update);
        }
        let is_sampled = self.sample.is_some();
        if converged || (is_sampled && self.progress.epoch >= self.settings.sample_epochs) {
            return Ok(Advance::Converged);
        }
        self.step()?;
        self.progress.epoch += 1;
        Ok(Advance::Epoch(Metrics {
            epoch: self.progress.epoch,
            gradient: Some((self.progress.energy / self.progress.start).sqrt()),
            train_mse: Some(self.train_mse()?),
            ..Metrics::default()
        }))
    }

    fn epochs(&self) -> u64 {
        u64::from(self.progress.epoch)
    }

    fn weights(&self) -> &B::Reals {
        &self.weights
    }

    fn state(&self) -> Result<State, BackendError> {
        let Self { weights, gradient, direction, .. } = self;
        let vectors = [("weights", weights), ("gradient", gradient), ("direction", direction)];
        self.problem.state(self.progress, vectors)
    }
}

/// Returns the largest power of two not above `bound`; 1 if `bound` is not finite.
fn power_of_two_below(bound: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    if bound.is_finite() { f64::from_bits(bound.to_bits() & EXPONENT) } else { 1.0 }
}
