//! The evaluation along random games, beside the table reads alone.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use othello_engine::board::{Position, Square};
use othello_engine::eval::{Evaluate, Tables, embedded};
use othello_engine::pattern::Indices;
use othello_engine::random::Generator;

/// A position, its indices, and a move there that neither passes nor ends the game.
struct Step {
    position: Position,
    indices: Indices,
    square: Square,
    flips: u64,
}

fn steps(tables: &Tables, count: usize) -> Vec<Step> {
    let mut random = Generator::new(1);
    let mut steps = vec![];
    let mut position = Position::START;
    while steps.len() < count {
        let moves = position.moves();
        let choice = random.below(moves.count_ones()) as usize;
        let Some(square) = Square::nth(moves, choice) else {
            position = if position.is_over() { Position::START } else { position.pass() };
            continue;
        };
        let flips = position.flips(square);
        let child = position.after(square, flips);
        if child.empty() != 0 {
            steps.push(Step { position, indices: tables.state(&position), square, flips });
        }
        position = child;
    }
    // Each phase has weights of its own: a search stays in a few of them.
    steps.sort_by_key(|step| step.position.ply());
    steps
}

/// Every move played and what comes of it evaluated.
fn update_and_value(tables: &Tables, steps: &[Step]) -> i32 {
    steps.iter().fold(0, |sum, step| {
        let indices = tables.after(&step.indices, step.square, step.flips);
        let child = step.position.after(step.square, step.flips);
        sum.wrapping_add(tables.value(&indices, &child).steps())
    })
}

/// The 64 reads alone, from places computed before.
fn reads(weights: &[i16], places: &[[u32; 64]]) -> i32 {
    places.iter().fold(0, |sum, places| {
        let weights = places.iter().map(|&place| i32::from(weights[place as usize]));
        sum.wrapping_add(weights.sum())
    })
}

fn evaluation(criterion: &mut Criterion) {
    let tables = embedded::tables();
    let steps = steps(&tables, 20_000);
    let places: Vec<[u32; 64]> = steps
        .iter()
        .map(|step| {
            let indices = tables.after(&step.indices, step.square, step.flips);
            tables.places(&indices, &step.position.after(step.square, step.flips))
        })
        .collect();
    let mut group = criterion.benchmark_group("evaluation");
    group.throughput(Throughput::Elements(steps.len() as u64));
    group.bench_function("update and value", |bencher| {
        bencher.iter(|| update_and_value(&tables, black_box(&steps)));
    });
    group.bench_function("64 reads", |bencher| {
        bencher.iter(|| reads(tables.weights(), black_box(&places)));
    });
    group.finish();
    println!("ratio of the speeds, in one run: {:.2}", ratio(&tables, &steps, &places));
}

/// The speed of update and value divided by the speed of the reads: alternating, the median of 31 pairs.
fn ratio(tables: &Tables, steps: &[Step], places: &[[u32; 64]]) -> f64 {
    let time = |work: &dyn Fn() -> i32| -> Duration {
        let begun = Instant::now();
        for _ in 0..10 {
            black_box(work());
        }
        begun.elapsed()
    };
    let mut ratios: Vec<f64> = (0..31)
        .map(|_| {
            let limit = time(&|| reads(tables.weights(), black_box(places)));
            let whole = time(&|| update_and_value(tables, black_box(steps)));
            limit.as_secs_f64() / whole.as_secs_f64()
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[15]
}

criterion_group!(benches, evaluation);
criterion_main!(benches);
