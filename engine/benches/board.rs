//! Benchmarks of moves and flips in random games, and of walks through the game tree.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use othello_engine::board::{Position, Square, Squares};
use othello_engine::random::random_game;
use othello_engine::with_instructions;

fn walk_copying(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return position.moves().count_ones().into();
    }
    let after = |square| position.after(square, position.flips(square));
    Squares(position.moves()).map(|square| walk_copying(&after(square), depth - 1)).sum()
}

fn walk_undoing(position: &mut Position, depth: u32) -> u64 {
    if depth == 0 {
        return position.moves().count_ones().into();
    }
    let mut moves = 0;
    for square in Squares(position.moves()) {
        let flips = position.flips(square);
        *position = position.after(square, flips);
        moves += walk_undoing(position, depth - 1);
        // Undoes the move: exchanges the sides, flips the discs back, and removes the new disc.
        *position = position.after(square, flips | square.bit());
    }
    moves
}

/// Visits all positions of the first 8 plies, in which nobody has to pass, in two ways: copying the
/// board for each move, as the search does, or undoing each move.
fn walk(criterion: &mut Criterion) {
    const PLIES: u32 = 7;
    const MOVES: u64 = 390_216;
    let mut group = criterion.benchmark_group("walk");
    group.throughput(Throughput::Elements(MOVES));
    group.bench_function("copying the board", |bencher| {
        bencher.iter(|| assert_eq!(walk_copying(black_box(&Position::START), PLIES), MOVES));
    });
    group.bench_function("undoing moves", |bencher| {
        bencher.iter(|| {
            let mut position = black_box(Position::START);
            assert_eq!(walk_undoing(&mut position, PLIES), MOVES);
            assert_eq!(position, Position::START);
        });
    });
    group.finish();
}

fn board(criterion: &mut Criterion) {
    let steps = (0..).flat_map(|number| random_game(1, number, usize::MAX).steps);
    let positions: Vec<Position> = steps.map(|step| step.position).take(10_000).collect();
    let mut group = criterion.benchmark_group("board");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("moves", |bencher| {
        bencher
            .iter(|| positions.iter().fold(0, |sum, position| sum ^ black_box(position).moves()));
    });
    group.bench_function("stable discs", |bencher| {
        bencher.iter(|| {
            positions.iter().fold(0, |sum, position| {
                sum ^ with_instructions!(|set| black_box(position).stable_of_opponent(set))
            })
        });
    });
    group.bench_function("canonical image", |bencher| {
        bencher.iter(|| {
            positions.iter().fold(0, |sum, position| sum ^ black_box(position).canonical().player())
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

criterion_group!(benches, board, walk);
criterion_main!(benches);
