//! The fit of one phase: one update after another, the validation error after every pass, the best
//! weights kept; to be stopped and gone on with between any two updates.

use othello_engine::board::Phase;
use othello_engine::eval::{STEPS_PER_DISC, Weights};

use super::adam::Adam;
use super::best::Best;
use super::least_squares::{Directions, LeastSquares};
use super::measure::Measured;
use super::snapshot::{HEAD, Snapshot};
use super::solver::{Advance, Pass, Problem, RestoreError, Solver, State, StateError};
use super::{FitSettings, Metrics, Optimizer, PhaseReport};
use crate::backend::{Backend, BackendError, Rows};
use crate::dataset::Dataset;
use crate::model::Model;

/// Weights beyond this are no weights any more: the arithmetic takes part in up to 64 discs.
const MAX_DISCS: f64 = 4096.0;

/// The weights of one phase, by the numbering of weights files.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedPhase {
    /// Weights in steps of 1/32 disc.
    pub steps: Vec<i16>,
    /// How often the phase's own training positions met each parameter.
    pub counts: Vec<u32>,
    /// How the fit came out.
    pub report: PhaseReport,
}

/// What the fit of a phase needs.
pub struct PhaseFit<'a, B> {
    /// Where to compute.
    pub backend: &'a B,
    /// What the parameters are.
    pub model: &'a Model,
    /// The positions.
    pub dataset: &'a Dataset,
    /// How to fit.
    pub settings: &'a FitSettings,
    /// By what.
    pub optimizer: Optimizer,
    /// Where to start, and what the ridge pulls towards.
    pub initial: Option<&'a Weights>,
    /// Which phase.
    pub phase: Phase,
}

/// Whoever runs a fit is asked after every update what to do next. Time may decide the answer: it
/// changes what is kept in case of a kill, never the weights of a fit that is finished.
pub trait Keeper {
    /// What to do before the next update.
    fn next(&mut self) -> Next;

    /// Keeps where the fit stands.
    fn keep(&mut self, snapshot: &Snapshot) -> Result<(), super::CheckpointError>;
}

/// What to do before the next update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Nothing.
    GoOn,
    /// Keep where the fit stands.
    Keep,
    /// Keep it, and stop.
    Stop,
}

/// Why the fit of a phase fails.
#[derive(Debug, thiserror::Error)]
pub enum PhaseError {
    /// The device gave up.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The snapshot cannot be kept.
    #[error(transparent)]
    Keep(#[from] super::CheckpointError),
    /// The snapshot to go on from is not one of this fit.
    #[error("the snapshot: {0}")]
    Foreign(StateError),
    /// The weights went out of bounds.
    #[error(
        "phase {phase}: after pass {pass} the weights are beyond {MAX_DISCS} discs or no numbers; \
         lower the learning rate, raise the ridge, or set adam.clip"
    )]
    Diverged {
        /// Which phase.
        phase: Phase,
        /// After which pass, counted from 1; 0 inside the first.
        pass: u32,
    },
}

/// How the fit of a phase ended.
#[derive(Clone, PartialEq, Debug)]
pub struct PhaseEnd {
    /// The weights, with a report that says if the fit was stopped before its end. `None` where
    /// there are none: no training positions, or stopped before the first pass was complete.
    pub fitted: Option<FittedPhase>,
    /// One line for each pass.
    pub metrics: Vec<Metrics>,
    /// Whether the keeper stopped it.
    pub stopped: bool,
}

impl<B: Backend> PhaseFit<'_, B> {
    /// Fits the phase, from where `resumed` left it if there is one.
    pub fn run(
        &self,
        resumed: Option<Snapshot>,
        keeper: &mut impl Keeper,
    ) -> Result<PhaseEnd, PhaseError> {
        if self.dataset.training(self.phase).is_empty() {
            return Ok(PhaseEnd { fitted: None, metrics: vec![], stopped: false });
        }
        let problem = self.problem()?;
        let (state, best, metrics) = match resumed {
            Some(Snapshot { state, best, metrics }) => (Some(state), best, metrics),
            None => (None, Best::new(&problem.initial), vec![]),
        };
        let mut solver = self.solver(&problem, state.as_ref())?;
        if solver.passes() != u64::from(best.progress.passes) {
            return Err(PhaseError::Foreign(StateError::in_section(HEAD)));
        }
        let mut run = Running { fit: self, best, metrics, fixed: self.backend.zero_fixed()? };
        let stopped = run.until_the_end(&mut *solver, keeper)?;
        let Running { best, metrics, .. } = run;
        let &Self { backend, model, dataset, phase, .. } = self;
        let measured = Measured { backend, model, dataset, phase };
        let some = best.progress.passes > 0 || !stopped;
        let fitted = some.then(|| measured.finish(&best)).transpose()?;
        Ok(PhaseEnd { fitted, metrics, stopped })
    }

    fn problem(&self) -> Result<Problem<'_, B>, BackendError> {
        let window = self.settings.window.around(self.phase);
        let rows = window
            .map(|(near, factor)| Rows { positions: self.dataset.training(near), factor })
            .collect::<Vec<_>>();
        Problem::new(self.backend, &rows, self.settings.ridge, self.initial_weights())
    }

    fn initial_weights(&self) -> Vec<f64> {
        match self.initial {
            None => vec![0.0; self.model.parameters()],
            Some(weights) => {
                let discs = |&step: &i16| f64::from(step) / f64::from(STEPS_PER_DISC);
                self.model.from_file(weights.steps(self.phase)).iter().map(discs).collect()
            }
        }
    }

    /// The solver at the start, or where `state` left it.
    fn solver<'p>(
        &'p self,
        problem: &'p Problem<'_, B>,
        state: Option<&State>,
    ) -> Result<Box<dyn Solver<B> + 'p>, PhaseError> {
        let foreign = |error| match error {
            RestoreError::Backend(error) => PhaseError::Backend(error),
            RestoreError::State(error) => PhaseError::Foreign(error),
        };
        let directions = match self.optimizer {
            Optimizer::Adam => {
                let settings = &self.settings.adam;
                // Phases draw the orders of their batches from streams of their own.
                let seed = self.settings.seed ^ ((self.phase.index() as u64 + 1) << 56);
                return Ok(match state {
                    None => Box::new(Adam::new(problem, settings, seed)?),
                    Some(state) => {
                        Box::new(Adam::restore(problem, settings, seed, state).map_err(foreign)?)
                    }
                });
            }
            Optimizer::LeastSquares => Directions::Conjugate,
            Optimizer::Descent => Directions::Steepest,
        };
        Ok(match state {
            None => Box::new(LeastSquares::new(problem, directions)?),
            Some(state) => {
                Box::new(LeastSquares::restore(problem, directions, state).map_err(foreign)?)
            }
        })
    }
}

/// A phase's fit under way.
struct Running<'a, B: Backend> {
    fit: &'a PhaseFit<'a, B>,
    best: Best,
    metrics: Vec<Metrics>,
    fixed: B::Fixed,
}

impl<B: Backend> Running<'_, B> {
    /// Updates until the fit is finished or the keeper stops it; true where it did.
    fn until_the_end(
        &mut self,
        solver: &mut dyn Solver<B>,
        keeper: &mut impl Keeper,
    ) -> Result<bool, PhaseError> {
        let &PhaseFit { backend, dataset, phase, .. } = self.fit;
        let validation = backend.positions(&[Rows::full(dataset.validation(phase))])?;
        while !self.best.progress.finished {
            let next = keeper.next();
            if next != Next::GoOn {
                keeper.keep(&self.snapshot(solver)?)?;
            }
            if next == Next::Stop {
                return Ok(true);
            }
            match solver.advance()? {
                Advance::Update => {}
                Advance::Pass(pass) => self.end_pass(pass, solver, &validation)?,
                Advance::Converged => self.best.progress.finished = true,
            }
        }
        Ok(false)
    }

    fn end_pass(
        &mut self,
        pass: Pass,
        solver: &mut dyn Solver<B>,
        validation: &B::Positions<'_>,
    ) -> Result<(), PhaseError> {
        let &PhaseFit { backend, settings, optimizer, phase, .. } = self.fit;
        self.check(solver, pass.number)?;
        backend.round_weights(solver.weights(), &mut self.fixed)?;
        let validation = backend.errors(validation, &self.fixed)?;
        self.metrics.push(Metrics {
            phase,
            iteration: pass.number,
            gradient: pass.gradient,
            training_mse: pass.training_mse,
            validation_mse: validation.mse(),
            validation_mae: validation.mae(),
        });
        if self.best.hear(pass, &validation, settings, optimizer) {
            self.best.weights = backend.download(solver.weights())?;
        }
        if let Some(error) = validation.mse().or(pass.training_mse) {
            solver.hear(error);
        }
        Ok(())
    }

    fn snapshot(&self, solver: &dyn Solver<B>) -> Result<Snapshot, PhaseError> {
        // What has diverged must not be gone on with.
        self.check(solver, self.best.progress.passes)?;
        Ok(Snapshot {
            state: solver.state()?,
            best: self.best.clone(),
            metrics: self.metrics.clone(),
        })
    }

    fn check(&self, solver: &dyn Solver<B>, pass: u32) -> Result<(), PhaseError> {
        let largest = self.fit.backend.max_abs(solver.weights())?;
        if (0.0..MAX_DISCS).contains(&largest) {
            Ok(())
        } else {
            Err(PhaseError::Diverged { phase: self.fit.phase, pass })
        }
    }
}
