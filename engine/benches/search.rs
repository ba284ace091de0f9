//! Benchmarks of exact searches at 4, 8 and 12 empty squares: first of the search of the last
//! squares alone, then also of the search with the transposition table.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use othello_engine::board::{Position, Square};
use othello_engine::eval::Mobility;
use othello_engine::random::Generator;
use othello_engine::search::Searcher;

/// Returns a position of a random game, in which the player can move.
fn position(seed: u64, empties: u32) -> Position {
    let mut random = Generator::new(seed);
    let mut position = Position::START;
    while position.empties() > empties || position.moves() == 0 {
        let moves = position.moves();
        let choice = random.below(moves.count_ones()) as usize;
        position = match Square::nth(moves, choice) {
            Some(square) => position.play(square).unwrap(),
            None if position.is_over() => Position::START,
            None => position.pass(),
        };
    }
    position
}

fn search(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("solve");
    for empties in [4, 8, 12] {
        let positions: Vec<Position> = (0..100).map(|seed| position(seed, empties)).collect();
        let mut searcher = Searcher::new(&Mobility, 4);
        group.throughput(Throughput::Elements(positions.len() as u64));
        group.sample_size(20);
        group.bench_function(format!("{empties} empty squares"), |bencher| {
            bencher.iter_batched(
                || (),
                |()| {
                    searcher.new_game();
                    let score = |position| searcher.solve(black_box(position)).score;
                    positions.iter().map(score).sum::<i32>()
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
