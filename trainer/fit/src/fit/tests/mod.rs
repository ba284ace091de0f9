//! Tests of the optimizers. They must reach the exact solution, with any number of threads and any
//! order of the data, and must continue unchanged after a stop.

mod exact;
mod factors;
mod resume;
mod runs;
mod sums;

use othello_engine::board::{CORNERS, Position, Squares};
use othello_engine::pattern::PatternSet;
use othello_engine::random::Generator;
use othello_engine::record::{Label, ScoredPosition, Weight};

use super::adam::{Adam, Memory};
use super::epochs::{Advance, Problem, Snapshot, Solver};
use super::least_squares::LeastSquares;
use super::phase::PhaseFit;
use super::settings::{AdamSettings, LeastSquaresSettings, Optimizer};
use crate::backend::{Backend, Cpu, Rows};
use crate::dataset::{Dataset, DatasetBuilder, Split};
use crate::model::Model;
use crate::source::LabelRules;

fn model() -> Model {
    let set = r#"
        name = "tiny"
        scalars = ["player_discs"]
        [[pattern]]
        squares = "a1 h1 a8 h8"
        [[pattern]]
        squares = "a1 b1 b2"
    "#;
    Model::new(PatternSet::from_toml(set).unwrap())
}

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
        let corners = position.player() & CORNERS;
        let discs = f64::from(corners.count_ones()) * 5.0 + f64::from(random.below(2000)) / 100.0;
        let weight = Weight::new(1 + random.below(200) as u16).unwrap();
        rows.push(ScoredPosition::new(position, Label::of_discs(discs).unwrap(), weight));
        let choice = random.below(moves.count_ones()) as usize;
        position = position.play(Squares(moves).nth(choice).unwrap()).unwrap();
    }
    rows
}

#[derive(Clone)]
struct Solution {
    optimizer: Optimizer,
    adam: AdamSettings,
    least_squares: LeastSquaresSettings,
    epochs: u32,
}

impl Solution {
    fn least_squares(epochs: u32) -> Self {
        let (adam, least_squares) = Default::default();
        Self { optimizer: Optimizer::LeastSquares, adam, least_squares, epochs }
    }

    fn sampled_least_squares(epochs: u32) -> Self {
        let least_squares = LeastSquaresSettings {
            sample: 500,
            sample_steps: 40,
            sample_epochs: epochs,
            ..LeastSquaresSettings::default()
        };
        Self { least_squares, ..Self::least_squares(epochs) }
    }

    fn steps<'p, 'a, B: Backend>(&'p self, problem: &'p Problem<'a, B>) -> LeastSquares<'p, 'a, B> {
        LeastSquares::new(problem, self.optimizer, &self.least_squares, None).unwrap()
    }

    fn descent(epochs: u32) -> Self {
        Self { optimizer: Optimizer::Descent, ..Self::least_squares(epochs) }
    }

    fn adam(adam: AdamSettings) -> Self {
        let epochs = adam.epochs;
        Self { optimizer: Optimizer::Adam, adam, ..Self::least_squares(epochs) }
    }
}

fn solve(
    model: &Model,
    rows: &[ScoredPosition],
    ridge: f64,
    initial: Vec<f64>,
    by: &Solution,
) -> Vec<f64> {
    let backend = Cpu::new(model);
    let problem = Problem::new(&backend, &[Rows::full(rows)], ridge, initial).unwrap();
    let mut solver: Box<dyn Solver<Cpu<'_>> + '_> = match by.optimizer {
        Optimizer::Adam => {
            let memory = Memory::Phase(backend.zero_sums().unwrap());
            Box::new(Adam::new(&problem, &by.adam, 1, memory, None).unwrap())
        }
        Optimizer::LeastSquares | Optimizer::Descent => Box::new(by.steps(&problem)),
    };
    loop {
        match solver.advance().unwrap() {
            Advance::Epoch(epoch) if epoch.epoch >= by.epochs => return solver.weights().clone(),
            Advance::Converged => return solver.weights().clone(),
            Advance::Epoch(_) | Advance::Update => {}
        }
    }
}

fn dataset_of(rows: &[ScoredPosition], split: Split) -> Dataset {
    let mut builder = DatasetBuilder::new(LabelRules::default(), split);
    builder.add_positions(rows, 1.0, false);
    builder.finish()
}

fn zeros(model: &Model) -> Vec<f64> {
    vec![0.0; model.parameters()]
}
