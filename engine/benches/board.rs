//! Benchmarks of moves and flips in random games, and of walks through the game tree.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
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
    let moves: Vec<(Position, Square)> = positions
        .iter()
        .flat_map(|&position| Squares(position.moves()).map(move |square| (position, square)))
        .collect();
    let mut group = criterion.benchmark_group("board");
    time(&mut group, "moves", &positions, |position| position.moves());
    time(&mut group, "stable discs", &positions, |position| {
        with_instructions!(|set| position.stable_of_opponent(set))
    });
    time(&mut group, "canonical image", &positions, |position| position.canonical().player());
    time(&mut group, "flips", &moves, |(position, square)| position.flips(*square));
    time(&mut group, "last flips", &moves, |(position, square)| {
        position.last_flips(*square).into()
    });
    group.finish();
}

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn time<T>(group: &mut Group<'_>, name: &str, items: &[T], result: impl Fn(&T) -> u64) {
    group.throughput(Throughput::Elements(items.len() as u64));
    group.bench_function(name, |bencher| {
        bencher.iter(|| items.iter().fold(0, |sum, item| sum ^ result(black_box(item))));
    });
}

criterion_group!(benches, board, walk);
criterion_main!(benches);
