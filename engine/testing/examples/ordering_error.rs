//! Measures the move-ordering evaluation of the shipped weights as a prediction of exact scores, and
//! its time, next to the static value. The result is a row of `docs/log/published-claims.md`.
//!
//! Positions are those after a move at 10 to 13 empty squares, where the search orders moves by this
//! evaluation. The prediction is slope · evaluation + reply · replies + offset, fitted on every
//! second position by least squares, with a fit for each number of empty squares.
//!
//! ```sh
//! cargo run --release -p othello-testing --example ordering_error -- 10000
//! ```

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use othello_engine::board::{Position, Square, Squares};
use othello_engine::eval::{Evaluate, Tables, embedded};
use othello_engine::random::Generator;
use othello_engine::search::{Search, Searcher};

/// A position, its exact score, the static value and the features of the prediction, in discs.
struct Sample {
    position: Position,
    score: f64,
    value: f64,
    features: [f64; 3],
}

/// Plays 10 to 19 random moves, then moves of depth-2 searches and, before the end, 4 random moves.
fn play(
    empties: u32,
    mut random: Generator,
    searcher: &mut Searcher<'_, Tables>,
) -> Option<Position> {
    let first = 10 + random.below(10);
    let mut position = Position::START;
    while position.empties() > empties {
        if position.moves() == 0 {
            position = position.pass();
        }
        let moves = position.moves();
        let square = if position.ply() < first || position.empties() <= empties + 4 {
            Square::nth(moves, random.below(moves.count_ones()) as usize)
        } else {
            searcher.new_game();
            searcher.search(&position, 2).best
        }?;
        position = position.after(square, position.flips(square));
    }
    (position.moves() != 0).then_some(position)
}

/// Solves the normal equations of three features by elimination.
fn fit(samples: &[&Sample]) -> [f64; 3] {
    let mut rows = [[0.0; 4]; 3];
    for Sample { features, score, .. } in samples {
        for (row, one) in rows.iter_mut().zip(features) {
            for (sum, other) in row.iter_mut().zip(features.iter().chain([score])) {
                *sum += one * other;
            }
        }
    }
    for pivot in 0..3 {
        let by = rows[pivot].map(|number| number / rows[pivot][pivot]);
        for (at, row) in rows.iter_mut().enumerate() {
            let times = row[pivot];
            for (number, one) in row.iter_mut().zip(by) {
                *number = if at == pivot { one } else { *number - times * one };
            }
        }
    }
    rows.map(|row| row[3])
}

fn mean_error(samples: &[&Sample], prediction: impl Fn(&Sample) -> f64) -> f64 {
    let sum: f64 = samples.iter().map(|one| (prediction(one) - one.score).abs()).sum();
    sum / samples.len() as f64
}

fn nanoseconds(samples: &[Sample], mut one: impl FnMut(usize) -> i32) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..40 {
        let begun = Instant::now();
        let sum = (0..samples.len()).fold(0, |sum: i32, at| sum.wrapping_add(one(at)));
        black_box(sum);
        best = best.min(begun.elapsed().as_secs_f64() * 1e9 / samples.len() as f64);
    }
    best
}

fn main() -> Result<(), Box<dyn Error>> {
    let count: u64 = std::env::args().nth(1).ok_or("the number of positions")?.parse()?;
    let tables = embedded::tables();
    let ordering = tables.move_ordering().ok_or("no move-ordering evaluation")?;
    let mut searcher = Search::new(&tables).hash_mb(16).searcher()?;
    let mut samples = vec![];
    for number in 0..count {
        let mut random = Generator::split(7, number);
        let empties = 10 + (number % 4) as u32;
        let Some(parent) = play(empties, random.clone(), &mut searcher) else { continue };
        let moves: Vec<Square> = Squares(parent.moves()).collect();
        let square = moves[random.below(moves.len() as u32) as usize];
        let position = parent.after(square, parent.flips(square));
        if position.moves() == 0 {
            continue;
        }
        searcher.new_game();
        let score = f64::from(searcher.solve(&position).score);
        let value = f64::from(tables.value_of(&position).steps()) / 32.0;
        let ordered = f64::from(ordering.steps(&position)) / 32.0;
        let replies = f64::from(position.moves().count_ones());
        samples.push(Sample { position, score, value, features: [ordered, replies, 1.0] });
    }
    samples.sort_by_key(|sample| sample.position.ply());
    let (mut sums, mut held) = ([0.0; 4], 0.0);
    for empties in 9..=12 {
        let of_it = samples.iter().filter(|one| one.position.empties() == empties);
        let (fitted, tested): (Vec<_>, Vec<_>) = of_it.enumerate().partition(|(at, _)| at % 2 == 0);
        let [fitted, tested] = [fitted, tested].map(|part| -> Vec<&Sample> {
            part.into_iter().map(|(_, sample)| sample).collect()
        });
        let by = fit(&fitted);
        let linear = |one: &Sample| one.features.iter().zip(by).map(|(a, b)| a * b).sum::<f64>();
        let mean = fitted.iter().map(|one| one.score).sum::<f64>() / fitted.len() as f64;
        let errors = [
            mean_error(&tested, |one| one.features[0]),
            mean_error(&tested, linear),
            mean_error(&tested, |one| one.value),
            mean_error(&tested, |_| mean),
        ];
        println!("{empties} empty squares, {} positions, fit {by:.3?}: {errors:.2?}", tested.len());
        sums.iter_mut().zip(errors).for_each(|(sum, one)| *sum += one * tested.len() as f64);
        held += tested.len() as f64;
    }
    println!("MAE of the evaluation, of the fit, of the static value, of the mean:");
    println!("{:.2?} ({held} positions)", sums.map(|sum| sum / held));
    let states: Vec<_> = samples.iter().map(|one| tables.state(&one.position)).collect();
    let at = |at: usize| &samples[at].position;
    let light = nanoseconds(&samples, |number| ordering.steps(at(number)));
    let known = nanoseconds(&samples, |number| tables.value(&states[number], at(number)).steps());
    let scratch = nanoseconds(&samples, |number| tables.value_of(at(number)).steps());
    println!("ns: {light:.1} evaluation, {known:.1} static value, {scratch:.1} from the boards");
    Ok(())
}
