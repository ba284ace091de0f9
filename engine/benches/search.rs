//! Benchmarks of exact solves at 4, 8 and 12 empty squares. Positions with at most 4 empty squares
//! have their own search code.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use othello_engine::board::Position;
use othello_engine::eval::Mobility;
use othello_engine::random::{Generator, random_position_to_move};
use othello_engine::search::Searcher;

fn search(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("solve");
    for empties in [4, 8, 12] {
        let position = |seed| random_position_to_move(&mut Generator::new(seed), empties);
        let positions: Vec<Position> = (0..100).map(position).collect();
        let mut searcher = Searcher::new(&Mobility, 4);
        group.throughput(Throughput::Elements(positions.len() as u64));
        group.sample_size(20);
        group.bench_function(format!("{empties} empty squares"), |bencher| {
            bencher.iter_batched(
                || (),
                |()| {
                    searcher.new_game();
                    let score = |position| searcher.solve(black_box(position)).value.score();
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
