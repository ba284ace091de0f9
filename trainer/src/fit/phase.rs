//! The fit of one phase: solve, watch the validation error, keep the best, round to steps.

use othello_engine::board::Phase;
use othello_engine::eval::{MAX_STEPS, STEPS_PER_DISC, Weights};
use othello_engine::record::ScoredPosition;

use super::least_squares::{Problem, Step, Verdict};
use super::{FitSettings, Metrics, PhaseReport};
use crate::backend::{Backend, BackendError, Errors, Rows, WEIGHTS_PER_OCCURRENCE};
use crate::dataset::Dataset;
use crate::model::Model;

/// The weights of one phase, by the numbering of weights files.
#[derive(Clone, Debug)]
pub struct FittedPhase {
    /// Weights in steps of 1/32 disc.
    pub steps: Vec<i16>,
    /// How often the phase's own training positions met each parameter.
    pub counts: Vec<u32>,
    /// How the fit came out.
    pub report: PhaseReport,
}

/// Fits a phase; `None` where neither it nor its window has training positions of its own. Every
/// iteration is handed to `log`.
pub fn fit_phase<B: Backend>(
    backend: &B,
    model: &Model,
    dataset: &Dataset,
    settings: &FitSettings,
    initial: Option<&Weights>,
    phase: Phase,
    mut log: impl FnMut(Metrics),
) -> Result<Option<FittedPhase>, BackendError> {
    if dataset.training(phase).is_empty() {
        return Ok(None);
    }
    let window = settings.window.around(phase);
    let rows = window.map(|(near, factor)| Rows { positions: dataset.training(near), factor });
    let problem = Problem {
        backend,
        positions: backend.positions(&rows.collect::<Vec<_>>())?,
        ridge: settings.ridge,
        initial: initial_weights(model, initial, phase),
    };
    let validation = backend.positions(&[Rows::full(dataset.validation(phase))])?;
    let mut fixed = backend.zero_fixed()?;
    let mut best = Best::new(&problem.initial);
    problem.solve(|step| {
        backend.round_weights(step.weights, &mut fixed)?;
        let validation = backend.errors(&validation, &fixed)?;
        log(Metrics {
            phase,
            iteration: step.iteration,
            gradient: step.gradient,
            validation_mse: validation.mse(),
            validation_mae: validation.mae(),
        });
        best.judge(backend, step, &validation, settings)
    })?;
    Measured { backend, model, dataset, phase }.finish(best).map(Some)
}

fn initial_weights(model: &Model, initial: Option<&Weights>, phase: Phase) -> Vec<f64> {
    match initial {
        None => vec![0.0; model.parameters()],
        Some(weights) => {
            let discs = |&step: &i16| f64::from(step) / f64::from(STEPS_PER_DISC);
            model.from_file(weights.steps(phase)).iter().map(discs).collect()
        }
    }
}

/// The best weights so far.
struct Best {
    weights: Vec<f64>,
    validation_mse: f64,
    iteration: u32,
    iterations: u32,
}

impl Best {
    fn new(initial: &[f64]) -> Self {
        let weights = initial.to_vec();
        Self { weights, validation_mse: f64::INFINITY, iteration: 0, iterations: 0 }
    }

    /// Takes over the weights if they are better; without validation positions, later is better.
    fn judge<B: Backend>(
        &mut self,
        backend: &B,
        step: Step<'_, B>,
        validation: &Errors,
        settings: &FitSettings,
    ) -> Result<Verdict, BackendError> {
        self.iterations = step.iteration;
        let mse = validation.mse();
        if mse.is_none_or(|mse| mse < self.validation_mse) {
            self.weights = backend.download(step.weights)?;
            self.validation_mse = mse.unwrap_or(self.validation_mse);
            self.iteration = step.iteration;
        }
        let settled = match mse {
            Some(_) => step.iteration - self.iteration >= settings.patience,
            None => step.gradient < settings.tolerance,
        };
        let stop = settled || step.iteration >= settings.iterations;
        Ok(if stop { Verdict::Stop } else { Verdict::Continue })
    }
}

/// What the weights of a phase are measured on.
struct Measured<'a, B> {
    backend: &'a B,
    model: &'a Model,
    dataset: &'a Dataset,
    phase: Phase,
}

impl<B: Backend> Measured<'_, B> {
    /// Rounds the best weights to steps and measures them.
    fn finish(&self, best: Best) -> Result<FittedPhase, BackendError> {
        let &Self { model, dataset, phase, .. } = self;
        let steps: Vec<i16> = best.weights.iter().map(|&weight| to_steps(weight)).collect();
        let discs = |&step: &i16| f64::from(step) / f64::from(STEPS_PER_DISC);
        let rounded: Vec<f64> = steps.iter().map(discs).collect();
        let training = dataset.training(phase);
        let train = self.errors(training, &rounded)?;
        let validation = self.errors(dataset.validation(phase), &rounded)?;
        let test = self.errors(dataset.test(phase), &rounded)?;
        let measured = if validation.positions > 0 { dataset.validation(phase) } else { training };
        let after = if validation.positions > 0 { &validation } else { &train }.mse();
        let before = self.errors(measured, &best.weights)?.mse();
        let report = PhaseReport {
            phase,
            positions: train.positions,
            train_mse: train.mse(),
            validation_mse: validation.mse(),
            validation_mae: validation.mae(),
            test_mse: test.mse(),
            test_mae: test.mae(),
            validation_positions: validation.positions,
            test_positions: test.positions,
            iterations: best.iterations,
            best_iteration: best.iteration,
            rounding_loss: after.zip(before).map(|(after, before)| after - before),
            copied_from: None,
        };
        let (steps, counts) = (model.to_file(&steps), model.to_file(&self.counts(training)?));
        Ok(FittedPhase { steps, counts, report })
    }

    /// The errors of weights in discs.
    fn errors(&self, rows: &[ScoredPosition], weights: &[f64]) -> Result<Errors, BackendError> {
        let mut fixed = self.backend.zero_fixed()?;
        self.backend.round_weights(&self.backend.upload(weights)?, &mut fixed)?;
        self.backend.errors(&self.backend.positions(&[Rows::full(rows)])?, &fixed)
    }

    /// How many occurrences of each parameter the positions stand for, rounded.
    fn counts(&self, rows: &[ScoredPosition]) -> Result<Vec<u32>, BackendError> {
        let one = i64::from(WEIGHTS_PER_OCCURRENCE);
        let count = |&weight: &i64| u32::try_from((weight + one / 2) / one).unwrap_or(u32::MAX);
        let mut sums = self.backend.zero_sums()?;
        self.backend.occurrences(&self.backend.positions(&[Rows::full(rows)])?, &mut sums)?;
        Ok(self.backend.download_sums(&sums)?.iter().map(count).collect())
    }
}

fn to_steps(weight: f64) -> i16 {
    let limit = f64::from(MAX_STEPS);
    (weight * f64::from(STEPS_PER_DISC)).round().clamp(-limit, limit) as i16
}
