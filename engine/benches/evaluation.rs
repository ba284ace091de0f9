//! Benchmarks of evaluations in random games: the complete evaluation, and its memory reads alone,
//! at precomputed indices. Each runs with the embedded weights, with weights that have factor
//! vectors (named `factors`), and with weights without factor vectors (named `scalars`).
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use othello_engine::board::{Phase, Position, Square, transcript};
use othello_engine::eval::layout::{self, Block, MARGIN, TableLayout};
use othello_engine::eval::{Evaluate, Tables, Weights, embedded};
use othello_engine::pattern::{Indices, PatternSet, Scalar};
use othello_engine::random::random_game;

/// A position of a random game and the move played in it, after which the opponent can move.
struct Step {
    position: Position,
    indices: Indices,
    square: Square,
    flips: u64,
}

fn steps(tables: &Tables, count: usize) -> Vec<Step> {
    let moves = (0..).flat_map(|number| random_game(1, number, usize::MAX).steps);
    let step = |transcript::Step { position, square, .. }: transcript::Step| {
        let flips = position.flips(square);
        let goes_on = position.after(square, flips).moves() != 0;
        goes_on.then(|| Step { position, indices: tables.state(&position), square, flips })
    };
    let mut steps: Vec<Step> = moves.filter_map(step).take(count).collect();
    // Sorted by phase, because a search also reads the weights of few phases at a time.
    steps.sort_by_key(|step| step.position.ply());
    steps
}

fn update_and_value(tables: &Tables, steps: &[Step]) -> i32 {
    steps.iter().fold(0, |sum, step| {
        let indices = tables.after(&step.indices, step.square, step.flips);
        let child = step.position.after(step.square, step.flips);
        sum.wrapping_add(tables.value(&indices, &child).steps())
    })
}

const FACTORS: usize = 16;

/// The weight tables that one evaluation reads, and the precomputed indices at which it reads them.
struct Loads<'t> {
    weights: &'t [i16],
    lanes: [u32; 64],
    factors: &'t [[i8; FACTORS]],
    factor_places: Vec<u32>,
}

fn loads<'t>(weights: &Weights, tables: &Tables, blocks: &'t [Block], step: &Step) -> Loads<'t> {
    let layout = TableLayout::new(weights.set(), weights.geometry());
    let indices = tables.after(&step.indices, step.square, step.flips).0;
    let child = step.position.after(step.square, step.flips);
    let phase = Phase::of(&child).expect("the game goes on");
    let Block { steps, vectors } = &blocks[layout.block(phase)];
    let lanes = |lane: usize| layout.middles[lane].wrapping_add_signed(i32::from(indices[lane]));
    let lanes: [u32; 64] = std::array::from_fn(lanes);
    let scalar = |(number, scalar): (usize, &Scalar)| {
        (layout.scalars + number * Scalar::VALUES + scalar.count(&child)) as u32
    };
    let scalars = weights.set().scalars().iter().enumerate().map(scalar);
    let has_factors = !vectors.is_empty();
    Loads {
        weights: &steps[layout.start(phase)..],
        lanes,
        factors: bytemuck::cast_slice(vectors).get(MARGIN..).unwrap_or_default(),
        factor_places: lanes.into_iter().chain(scalars).filter(|_| has_factors).collect(),
    }
}

fn load(loads: &[Loads<'_>]) -> i32 {
    loads.iter().fold(0, |sum, loads| {
        let weights = loads.lanes.iter().map(|&place| i32::from(loads.weights[place as usize]));
        let mut vector = [0i16; FACTORS];
        for &place in &loads.factor_places {
            let factors = &loads.factors[place as usize];
            vector.iter_mut().zip(factors).for_each(|(sum, &factor)| *sum += i16::from(factor));
        }
        sum.wrapping_add(weights.sum()).wrapping_add(black_box(vector)[0].into())
    })
}

fn weights(set: PatternSet) -> Weights {
    let mut weights = Weights::zero(set);
    for phase in Phase::all() {
        weights.set_steps(phase, |_| 1);
    }
    if let Some(factors) = weights.factors_mut() {
        assert_eq!(factors.shape().dimensions(), FACTORS);
        (0..factors.shape().groups()).for_each(|group| factors.set_group(group, |_| 1));
    }
    weights
}

fn evaluation(criterion: &mut Criterion) {
    let set = PatternSet::shipped("factors").expect("a shipped set");
    let sets = [
        ("embedded weights", embedded::weights().weights),
        ("scalars", weights(set.clone().with_factors(None))),
        ("factors", weights(set)),
    ];
    for (name, weights) in sets {
        let (tables, blocks) = (Tables::new(&weights), layout::expand(&weights));
        let steps = steps(&tables, 20_000);
        let loads = steps.iter().map(|step| loads(&weights, &tables, &blocks, step));
        let loads: Vec<Loads<'_>> = loads.collect();
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(steps.len() as u64));
        group.bench_function("update and value", |bencher| {
            bencher.iter(|| update_and_value(&tables, black_box(&steps)));
        });
        group.bench_function("loads", |bencher| bencher.iter(|| load(black_box(&loads))));
        group.finish();
        let ratio = ratio(&tables, &steps, &loads);
        println!("{name}: ratio of the speeds, in one run: {ratio:.2}");
    }
}

/// Returns the ratio of two speeds: complete evaluations to their memory reads alone. The ratio is
/// the median of 31 measurements.
fn ratio(tables: &Tables, steps: &[Step], loads: &[Loads<'_>]) -> f64 {
    let time = |work: &dyn Fn() -> i32| -> Duration {
        let begun = Instant::now();
        for _ in 0..10 {
            black_box(work());
        }
        begun.elapsed()
    };
    let mut ratios = [(); 31].map(|()| {
        let limit = time(&|| load(black_box(loads)));
        let whole = time(&|| update_and_value(tables, black_box(steps)));
        limit.as_secs_f64() / whole.as_secs_f64()
    });
    ratios.sort_by(f64::total_cmp);
    ratios[15]
}

criterion_group!(benches, evaluation);
criterion_main!(benches);
