//! Moves, flips and the last squares, on positions of random games.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use othello_engine::board::{Position, Square, Squares};
use othello_engine::random::Generator;

/// Positions after each move of random games.
fn positions(count: usize) -> Vec<Position> {
    let mut random = Generator::new(1);
    let mut positions = vec![];
    let mut position = Position::START;
    while positions.len() < count {
        let moves = position.moves();
        let choice = random.below(moves.count_ones()) as usize;
        position = match Square::nth(moves, choice) {
            Some(square) => position.play(square).unwrap(),
            None if position.is_over() => Position::START,
            None => position.pass(),
        };
        positions.push(position);
    }
    positions
}

fn board(criterion: &mut Criterion) {
    let positions = positions(10_000);
    let mut group = criterion.benchmark_group("board");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("moves", |bencher| {
        bencher
            .iter(|| positions.iter().fold(0, |sum, position| sum ^ black_box(position).moves()));
    });
    group.bench_function("stable discs", |bencher| {
        bencher.iter(|| {
            positions.iter().fold(0, |sum, position| sum ^ black_box(position).stable_of_opponent())
        });
    });
    let moves: Vec<(Position, Square)> = positions
        .iter()
        .flat_map(|&position| Squares(position.moves()).map(move |square| (position, square)))
        .collect();
    group.throughput(Throughput::Elements(moves.len() as u64));
    group.bench_function("flips", |bencher| {
        bencher.iter(|| {
            moves.iter().fold(0, |sum, (position, square)| sum ^ black_box(position).flips(*square))
        });
    });
    group.bench_function("last flips", |bencher| {
        bencher.iter(|| {
            moves
                .iter()
                .fold(0, |sum, (position, square)| sum ^ black_box(position).last_flips(*square))
        });
    });
    group.finish();
}

criterion_group!(benches, board);
criterion_main!(benches);
