//! The fit of one phase: solve, watch the validation error, keep the best, round to steps.

use othello_engine::board::Phase;
use othello_engine::eval::{MAX_STEPS, STEPS_PER_DISC, Weights};
use othello_engine::record::ScoredPosition;

use super::least_squares::{Problem, Step, Verdict, to_fixed};
use super::{FitSettings, Metrics, PhaseReport};
use crate::backend::{Errors, Rows, WEIGHTS_PER_DISC, WEIGHTS_PER_OCCURRENCE, cpu};
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
pub fn fit_phase(
    model: &Model,
    dataset: &Dataset,
    settings: &FitSettings,
    initial: Option<&Weights>,
    phase: Phase,
    mut log: impl FnMut(Metrics),
) -> Option<FittedPhase> {
    let training = dataset.training(phase);
    if training.is_empty() {
        return None;
    }
    let window = settings.window.around(phase);
    let rows = window.map(|(near, factor)| Rows { positions: dataset.training(near), factor });
    let problem = Problem {
        model,
        rows: rows.collect(),
        ridge: settings.ridge,
        initial: initial_weights(model, initial, phase),
    };
    let mut best = Best::new(&problem.initial);
    problem.solve(|step| {
        let validation = cpu::errors(model, dataset.validation(phase), &to_fixed(step.weights));
        log(Metrics {
            phase,
            iteration: step.iteration,
            gradient: step.gradient,
            validation_mse: validation.mse(),
            validation_mae: validation.mae(),
        });
        best.judge(step, &validation, settings)
    });
    Some(best.finish(model, dataset, phase))
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
    fn judge(&mut self, step: Step<'_>, validation: &Errors, settings: &FitSettings) -> Verdict {
        self.iterations = step.iteration;
        let mse = validation.mse();
        if mse.is_none_or(|mse| mse < self.validation_mse) {
            self.weights.copy_from_slice(step.weights);
            self.validation_mse = mse.unwrap_or(self.validation_mse);
            self.iteration = step.iteration;
        }
        let settled = match mse {
            Some(_) => step.iteration - self.iteration >= settings.patience,
            None => step.gradient < settings.tolerance,
        };
        let stop = settled || step.iteration >= settings.iterations;
        if stop { Verdict::Stop } else { Verdict::Continue }
    }

    fn finish(self, model: &Model, dataset: &Dataset, phase: Phase) -> FittedPhase {
        let steps: Vec<i16> = self.weights.iter().map(|&weight| to_steps(weight)).collect();
        let (exact, rounded) = (to_fixed(&self.weights), steps_to_fixed(&steps));
        let training = dataset.training(phase);
        let errors = |rows: &[ScoredPosition], weights| cpu::errors(model, rows, weights);
        let train = errors(training, &rounded);
        let validation = errors(dataset.validation(phase), &rounded);
        let test = errors(dataset.test(phase), &rounded);
        let measured = if validation.positions > 0 { dataset.validation(phase) } else { training };
        let loss = |weights| errors(measured, weights).mse();
        let rounding_loss = loss(&rounded).zip(loss(&exact)).map(|(after, before)| after - before);
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
            iterations: self.iterations,
            best_iteration: self.iteration,
            rounding_loss,
            copied_from: None,
        };
        let counts = counts(model, training);
        FittedPhase { steps: model.to_file(&steps), counts: model.to_file(&counts), report }
    }
}

/// How many occurrences of each parameter the positions stand for, rounded.
fn counts(model: &Model, positions: &[ScoredPosition]) -> Vec<u32> {
    let one = WEIGHTS_PER_OCCURRENCE as u64;
    let count = |&weight: &u64| u32::try_from((weight + one / 2) / one).unwrap_or(u32::MAX);
    cpu::occurrences(model, &[Rows { positions, factor: 256 }]).iter().map(count).collect()
}

fn to_steps(weight: f64) -> i16 {
    let limit = f64::from(MAX_STEPS);
    (weight * f64::from(STEPS_PER_DISC)).round().clamp(-limit, limit) as i16
}

/// Weights in steps as the fixed-point numbers of the backends.
pub(crate) fn steps_to_fixed(steps: &[i16]) -> Vec<i32> {
    steps.iter().map(|&step| i32::from(step) * (WEIGHTS_PER_DISC / STEPS_PER_DISC)).collect()
}
