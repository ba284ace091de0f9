//! An example of a new optimizer: gradient descent with momentum. The loop of a fit runs it,
//! measures the validation error after every epoch, stops early and keeps the best weights.
//! To run it: `cargo run --release -p othello-trainer --example 4_optimizer`

mod support;

use std::error::Error;

use othello_engine::board::Phase;
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Silent;
use othello_trainer::backend::{Backend, BackendError, Batch, Cpu, Target};
use othello_trainer::dataset::{DataChoice, Dataset};
use othello_trainer::fit::{
    Advance, FitSettings, FittedVector, Metrics, Optimizer, PhaseFit, Problem, Solver, State,
    without_stops,
};
use othello_trainer::model::Model;

/// The learning rate r. A step is v ← m · v + g, then w ← w + r · v. Here w are the weights in
/// discs, m is the momentum, and g is −½ times the gradient of the mean squared error.
const RATE: f64 = 0.02;
const MOMENTUM: f64 = 0.9;

/// Gradient descent with momentum (Polyak 1964), on any device.
struct Momentum<'p, 'a, B: Backend> {
    problem: &'p Problem<'a, B>,
    initial: B::Reals,
    weights: B::Reals,
    velocity: B::Reals,
    gradient: B::Reals,
    fixed: B::Fixed,
    sums: B::Sums,
    epoch: u32,
}

impl<'p, 'a, B: Backend> Momentum<'p, 'a, B> {
    fn new(problem: &'p Problem<'a, B>) -> Result<Self, BackendError> {
        let backend = problem.backend;
        Ok(Self {
            problem,
            initial: backend.upload(&problem.initial)?,
            weights: backend.upload(&problem.initial)?,
            velocity: problem.backend.zero_reals()?,
            gradient: problem.backend.zero_reals()?,
            fixed: backend.zero_fixed()?,
            sums: backend.zero_sums()?,
            epoch: 0,
        })
    }
}

impl<B: Backend> Solver<B> for Momentum<'_, '_, B> {
    fn advance(&mut self) -> Result<Advance, BackendError> {
        let Problem { backend, positions, occurrences, ridge, .. } = self.problem;
        let Self { weights, velocity, gradient, fixed, sums, .. } = self;
        // Per parameter: Σ weight · (label − value) over the positions that have the parameter.
        backend.round_weights(weights, fixed)?;
        let (batch, target, mut squares) = (Batch::WHOLE, Target::Label, backend.zero_squares()?);
        backend.residual_sums(positions, batch, fixed, target, sums, &mut squares)?;
        let squared = backend.squared(&squares)?;
        backend.scale_sums(sums, 1.0 / (Problem::<B>::SUM_OF_ONE * occurrences), gradient)?;
        // The ridge penalty pulls the weights towards the initial weights.
        backend.add_scaled(gradient, ridge / occurrences, &self.initial)?;
        backend.add_scaled(gradient, -ridge / occurrences, weights)?;
        backend.scale_and_add(velocity, MOMENTUM, gradient)?;
        backend.add_scaled(weights, RATE, velocity)?;
        self.epoch += 1;
        Ok(Advance::Epoch(Metrics {
            epoch: self.epoch,
            learning_rate: Some(RATE),
            train_mse: Some(Problem::<B>::squared_discs(squared) / occurrences),
            ..Metrics::default()
        }))
    }

    fn epochs(&self) -> u64 {
        self.epoch.into()
    }

    fn weights(&self) -> &B::Reals {
        &self.weights
    }

    fn state(&self) -> Result<State, BackendError> {
        let vector = |name: &str, vector| -> Result<_, BackendError> {
            Ok((name.to_owned(), self.problem.backend.download(vector)?))
        };
        let vectors = vec![vector("weights", &self.weights)?, vector("velocity", &self.velocity)?];
        Ok(State { scalars: self.epoch.into(), vectors })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let [momentum, least_squares] = fits()?;
    println!("epoch  train MSE, momentum  least squares");
    for (one, other) in momentum.metrics.iter().zip(&least_squares.metrics) {
        let [one_mse, other_mse] = [one, other].map(|line| line.train_mse.unwrap_or(f64::NAN));
        println!("{:5}  {one_mse:19.2}  {other_mse:13.2}", one.epoch);
    }
    Ok(())
}

pub(crate) fn fits() -> Result<[FittedVector; 2], Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let data = [DataChoice { path: support::games(folder.path())?, weight: 1.0 }];
    // `run_with` uses only the rules by which the optimizer `LeastSquares` (below) ends a fit.
    let settings = FitSettings { patience: 40, ..FitSettings::default() };
    let dataset = Dataset::read(&data, &[], &settings.layout(), &Silent)?;
    let model = Model::new(PatternSet::shipped("small").ok_or("no shipped set is called small")?);
    let fit = PhaseFit {
        backend: &Cpu::new(&model),
        model: &model,
        dataset: &dataset,
        settings: &settings,
        optimizer: Optimizer::LeastSquares,
        initial: None,
        phase: Phase::new(40).ok_or("40 is not a phase")?,
    };
    let problem = fit.problem()?;
    let own = fit.run_with(&mut Momentum::new(&problem)?, &mut without_stops)?;
    let least_squares = fit.run(None, &mut without_stops)?;
    Ok([own, least_squares])
}
