//! Ridge-regularised least squares by preconditioned conjugate gradients (Hestenes and Stiefel
//! 1952), straight from positions; and, for comparison, by steepest descent with exact steps, as the
//! early pattern evaluations were fitted.
//!
//! The search direction is rounded to [`DIRECTION_BITS`] bits at a power-of-two scale before every
//! product and from then on *is* the rounded one, so that products are sums of integers and the
//! result does not depend on threads or on the order of the data.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::solver::{Advance, Problem, RestoreError, Solver};
use super::state::{Epoch, State};
use crate::backend::{
    Backend, BackendError, Batch, DIRECTION_BITS, RESIDUALS_PER_DISC, Target, WEIGHTS_PER_DISC,
    WEIGHTS_PER_OCCURRENCE,
};

/// The direction of the steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Directions {
    /// Conjugate to all directions before, preconditioned by how often each parameter occurs.
    Conjugate,
    /// Along the plain gradient.
    Steepest,
}

/// Least squares, between two epochs: each takes one step.
pub(super) struct LeastSquares<'p, 'a, B: Backend> {
    problem: &'p Problem<'a, B>,
    directions: Directions,
    diagonal: B::Reals,
    /// Where the weights start, unless all of them start from 0.
    initial: Option<B::Reals>,
    weights: B::Reals,
    /// Half the negative gradient of the objective, in discs · occurrences.
    gradient: B::Reals,
    /// The direction of the next step.
    direction: B::Reals,
    progress: Progress,
    scratch: Scratch<B>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Progress {
    epoch: u32,
    /// gradient · preconditioned gradient, at the start.
    start: f64,
    /// gradient · preconditioned gradient, now.
    energy: f64,
    /// What is minimised, in discs² · occurrences.
    objective: f64,
}

/// What an epoch needs and leaves nothing in.
struct Scratch<B: Backend> {
    fixed: B::Fixed,
    sums: B::Sums,
    preconditioned: B::Reals,
    product: B::Reals,
}

impl<'p, 'a, B: Backend> LeastSquares<'p, 'a, B> {
    /// Least squares at the start of a fit.
    pub(super) fn new(
        problem: &'p Problem<'a, B>,
        directions: Directions,
    ) -> Result<Self, BackendError> {
        let backend = problem.backend;
        let mut scratch = Scratch::new(problem)?;
        let diagonal = scratch.diagonal(problem, directions)?;
        let initial = starts(problem)?;
        let weights = backend.upload(&problem.initial)?;
        // The ridge has no part in the gradient: the weights are what it pulls towards.
        backend.round_weights(&weights, &mut scratch.fixed)?;
        let (fixed, sums) = (&scratch.fixed, &mut scratch.sums);
        let squared =
            backend.residual_sums(&problem.positions, Batch::WHOLE, fixed, Target::Label, sums)?;
        let objective = Problem::<B>::squared_discs(squared);
        let mut gradient = problem.zero()?;
        backend.scale_sums(sums, 1.0 / Problem::<B>::SUM_OF_ONE, &mut gradient)?;
        let mut direction = problem.zero()?;
        backend.divide(&gradient, &diagonal, &mut direction)?;
        let energy = backend.dot(&gradient, &direction)?;
        let progress = Progress { epoch: 0, start: energy, energy, objective };
        Ok(Self {
            problem,
            directions,
            diagonal,
            initial,
            weights,
            gradient,
            direction,
            progress,
            scratch,
        })
    }

    /// Least squares where `state` left it.
    pub(super) fn restore(
        problem: &'p Problem<'a, B>,
        directions: Directions,
        state: &State,
    ) -> Result<Self, RestoreError> {
        let mut scratch = Scratch::new(problem)?;
        let vector =
            |name| -> Result<_, RestoreError> { Ok(problem.backend.upload(state.vector(name)?)?) };
        Ok(Self {
            problem,
            directions,
            diagonal: scratch.diagonal(problem, directions)?,
            initial: starts(problem)?,
            weights: vector("weights")?,
            gradient: vector("gradient")?,
            direction: vector("direction")?,
            progress: state.scalars()?,
            scratch,
        })
    }

    /// Mean squared error in discs² on the training positions: the objective without the ridge's
    /// part in it.
    fn train_mse(&mut self) -> Result<f64, BackendError> {
        let (backend, moved) = (self.problem.backend, &mut self.scratch.preconditioned);
        let ridge = match &self.initial {
            None => backend.dot(&self.weights, &self.weights)?,
            Some(initial) => {
                backend.copy(&self.weights, moved)?;
                backend.add_scaled(moved, -1.0, initial)?;
                backend.dot(moved, moved)?
            }
        };
        let squared = self.progress.objective - self.problem.ridge * ridge;
        Ok(squared.max(0.0) / self.problem.occurrences)
    }
}

/// Where the weights start, unless all of them start from 0.
fn starts<B: Backend>(problem: &Problem<'_, B>) -> Result<Option<B::Reals>, BackendError> {
    let moved = problem.initial.iter().any(|&weight| weight != 0.0);
    moved.then(|| problem.backend.upload(&problem.initial)).transpose()
}

impl<B: Backend> Solver<B> for LeastSquares<'_, '_, B> {
    /// One step, which takes one epoch.
    fn advance(&mut self) -> Result<Advance, BackendError> {
        let Progress { epoch, start, energy, objective } = self.progress;
        if energy <= start * f64::EPSILON {
            return Ok(Advance::Converged);
        }
        let (backend, scratch) = (self.problem.backend, &mut self.scratch);
        scratch.multiply(self.problem, &mut self.direction)?;
        // With the rounded direction p the exact step along it is (g·p)/(p·Ap), and takes
        // (g·p)²/(p·Ap) off the objective.
        let along = backend.dot(&self.gradient, &self.direction)?;
        let step = along / backend.dot(&self.direction, &scratch.product)?;
        backend.add_scaled(&mut self.weights, step, &self.direction)?;
        backend.add_scaled(&mut self.gradient, -step, &scratch.product)?;
        backend.divide(&self.gradient, &self.diagonal, &mut scratch.preconditioned)?;
        let now = backend.dot(&self.gradient, &scratch.preconditioned)?;
        let keep = match self.directions {
            Directions::Conjugate => now / energy,
            Directions::Steepest => 0.0,
        };
        backend.scale_and_add(&mut self.direction, keep, &scratch.preconditioned)?;
        let objective = objective - step * along;
        self.progress = Progress { epoch: epoch + 1, start, energy: now, objective };
        Ok(Advance::Epoch(Epoch {
            number: epoch + 1,
            gradient: Some((now / start).sqrt()),
            train_mse: Some(self.train_mse()?),
        }))
    }

    fn epochs(&self) -> u64 {
        u64::from(self.progress.epoch)
    }

    fn weights(&self) -> &B::Reals {
        &self.weights
    }

    fn state(&self) -> Result<State, BackendError> {
        let vector = |name: &str, vector| -> Result<_, BackendError> {
            Ok((name.to_owned(), self.problem.backend.download(vector)?))
        };
        let vectors = vec![
            vector("weights", &self.weights)?,
            vector("gradient", &self.gradient)?,
            vector("direction", &self.direction)?,
        ];
        Ok(State { scalars: json!(self.progress), vectors })
    }
}

impl<B: Backend> Scratch<B> {
    fn new(problem: &Problem<'_, B>) -> Result<Self, BackendError> {
        Ok(Self {
            fixed: problem.backend.zero_fixed()?,
            sums: problem.backend.zero_sums()?,
            preconditioned: problem.zero()?,
            product: problem.zero()?,
        })
    }

    /// What gradients are divided by: the diagonal of the normal matrix, but for positions that
    /// have a parameter more than once; ones for steepest descent.
    fn diagonal(
        &mut self,
        problem: &Problem<'_, B>,
        directions: Directions,
    ) -> Result<B::Reals, BackendError> {
        let backend = problem.backend;
        if directions == Directions::Steepest {
            return backend.upload(&vec![1.0; backend.parameters()]);
        }
        backend.occurrences(&problem.positions, &mut self.sums)?;
        let element = |&sum: &i64| sum as f64 / f64::from(WEIGHTS_PER_OCCURRENCE) + problem.ridge;
        let sums = backend.download_sums(&self.sums)?;
        backend.upload(&sums.iter().map(element).collect::<Vec<_>>())
    }

    /// Rounds `direction` and multiplies it with the normal matrix.
    fn multiply(
        &mut self,
        problem: &Problem<'_, B>,
        direction: &mut B::Reals,
    ) -> Result<(), BackendError> {
        let backend = problem.backend;
        let Self { fixed, sums, product, .. } = self;
        let largest = backend.max_abs(direction)?;
        let scale = power_of_two_below(f64::from(1 << (DIRECTION_BITS - 1)) / largest);
        backend.round_direction(direction, scale, fixed)?;
        backend.residual_sums(&problem.positions, Batch::WHOLE, fixed, Target::Zero, sums)?;
        // A sum of 1 stands for this much: residuals are 2⁸ times coarser than weights.
        let coarser = f64::from(WEIGHTS_PER_DISC / RESIDUALS_PER_DISC);
        let unit = coarser / scale / f64::from(WEIGHTS_PER_OCCURRENCE);
        backend.scale_sums(sums, -unit, product)?;
        backend.add_scaled(product, problem.ridge, direction)
    }
}

/// The largest power of two that is not above `bound`; 1 where `bound` is no finite number.
fn power_of_two_below(bound: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    if bound.is_finite() { f64::from_bits(bound.to_bits() & EXPONENT) } else { 1.0 }
}
