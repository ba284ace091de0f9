//! A board of 38 lines as numbers in base 3, compared with two bitboards: the same tree, and the
//! time of both. Also measures how well moves along single lines approximate legal moves, and how
//! evenly two hashes of boards are distributed.
use std::collections::HashSet;

use othello_engine::board::Position;
use othello_engine::random::random_game;

use super::{children, hash, processor_seconds};

/// The configurations of a line of eight squares.
const CONFIGURATIONS: usize = 6561;
/// The number of rows, columns and diagonals of three squares or more.
pub(crate) const LINES: usize = 38;
/// The digits of an empty square, and of the discs of both sides.
const EMPTY: usize = 1;

/// The tables that all boards share.
pub(crate) struct Rules {
    lines_of: Vec<Vec<(usize, usize)>>,
    pub(crate) squares_of: Vec<Vec<usize>>,
    /// For each side, configuration and place, the number of discs that a move flips towards the
    /// beginning and towards the end of the line.
    turned: [Vec<[[u8; 2]; 8]>; 2],
}

impl Rules {
    pub(crate) fn new() -> Self {
        let mut squares_of: Vec<Vec<usize>> = vec![];
        for (column_step, row_step) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
            for start in 0..64_i32 {
                let is_on = |c: i32, r: i32| (0..8).contains(&c) && (0..8).contains(&r);
                let (column, row) = (start % 8, start / 8);
                if is_on(column - column_step, row - row_step) {
                    continue;
                }
                let places = (0..8).map(|n| (column + n * column_step, row + n * row_step));
                let on_board = places.take_while(|&(c, r)| is_on(c, r));
                let squares: Vec<usize> = on_board.map(|(c, r)| (8 * r + c) as usize).collect();
                if squares.len() >= 3 {
                    squares_of.push(squares);
                }
            }
        }
        let mut lines_of = vec![vec![]; 64];
        for (line, squares) in squares_of.iter().enumerate() {
            for (place, &square) in squares.iter().enumerate() {
                lines_of[square].push((line, place));
            }
        }
        let turned = [0, 2].map(|own| {
            let of_line = |index| {
                let mut found = [[0; 2]; 8];
                for (place, both) in found.iter_mut().enumerate() {
                    *both = [-1, 1].map(|step| turned_one_way(index, place, step, own));
                }
                found
            };
            (0..CONFIGURATIONS).map(of_line).collect()
        });
        Self { lines_of, squares_of, turned }
    }
}

fn digit(index: usize, place: usize) -> usize {
    index / 3_usize.pow(place as u32) % 3
}

/// Returns the discs that a move of the side `own` at a place flips in one direction.
fn turned_one_way(index: usize, place: usize, step: i32, own: usize) -> u8 {
    if digit(index, place) != EMPTY {
        return 0;
    }
    let mut count = 0;
    let mut at = place as i32 + step;
    while (0..8).contains(&at) {
        match digit(index, at as usize) {
            EMPTY => return 0,
            disc if disc == own => return count,
            _ => count += 1,
        }
        at += step;
    }
    0
}

/// A board as the configurations of its lines; squares beyond the end of a short line are empty.
#[derive(Clone)]
pub(crate) struct LineBoard<'a> {
    rules: &'a Rules,
    lines: [u16; LINES],
    /// The side to move: 0 or 1, whose discs have the digits 0 and 2.
    side: usize,
}

impl<'a> LineBoard<'a> {
    /// Converts a position, line by line; its player is side 0.
    pub(crate) fn new(rules: &'a Rules, position: &Position) -> Self {
        let digit_of = |square: usize| match 1_u64 << square {
            bit if position.player() & bit != 0 => 0,
            bit if position.opponent() & bit != 0 => 2,
            _ => EMPTY,
        };
        let line = |line: usize| {
            let squares = &rules.squares_of[line];
            (0..8).map(|place| {
                let digit = squares.get(place).map_or(EMPTY, |&square| digit_of(square));
                digit * 3_usize.pow(place as u32)
            })
        };
        let lines = std::array::from_fn(|number| line(number).sum::<usize>() as u16);
        Self { rules, lines, side: 0 }
    }

    /// Returns whether the side to move may move on a square, by one look-up for each line.
    fn is_legal(&self, square: usize) -> bool {
        let turned = &self.rules.turned[self.side];
        let lines = &self.rules.lines_of[square];
        lines.iter().any(|&(line, place)| turned[usize::from(self.lines[line])][place] != [0, 0])
    }

    fn add(&mut self, square: usize, difference: i32) {
        for &(line, place) in &self.rules.lines_of[square] {
            let step = difference * 3_i32.pow(place as u32);
            self.lines[line] = (i32::from(self.lines[line]) + step) as u16;
        }
    }

    fn play(&mut self, square: usize) {
        let rules = self.rules;
        let towards = if self.side == 0 { -1 } else { 1 };
        let before = self.lines;
        for &(line, place) in &rules.lines_of[square] {
            let [back, forth] = rules.turned[self.side][usize::from(before[line])][place];
            let (first, last) = (place - usize::from(back), place + usize::from(forth));
            for at in (first..=last).filter(|&at| at != place) {
                self.add(rules.squares_of[line][at], 2 * towards);
            }
        }
        self.add(square, towards);
        self.side = 1 - self.side;
    }

    /// Counts the leaves of the tree, as `perft` does; a pass costs a ply.
    pub(crate) fn leaves(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves: Vec<usize> = (0..64).filter(|&square| self.is_legal(square)).collect();
        if moves.is_empty() {
            let passed = Self { side: 1 - self.side, ..self.clone() };
            let is_over = !(0..64).any(|square| passed.is_legal(square));
            return if is_over { 1 } else { passed.leaves(depth - 1) };
        }
        let after = |square| {
            let mut board = self.clone();
            board.play(square);
            board.leaves(depth - 1)
        };
        moves.into_iter().map(after).sum()
    }

    /// Counts the squares on which a line alone allows a move; a square counts once for each line.
    fn moves_by_line(&self) -> u32 {
        let turned = &self.rules.turned[self.side];
        let of_line = |&line: &u16| {
            turned[usize::from(line)].iter().filter(|&&both| both != [0, 0]).count() as u32
        };
        self.lines.iter().map(of_line).sum()
    }

    /// Returns the sum of the columns' configurations times the powers of 17.
    pub(crate) fn hash_by_17(&self) -> u64 {
        let columns = &self.lines[8..16];
        columns.iter().rev().fold(0, |sum: u64, &line| sum.wrapping_mul(17) + u64::from(line))
    }
}

/// Counts the same leaves as [`LineBoard::leaves`], on two bitboards.
fn leaves_by_bits(position: &Position, depth: u32) -> u64 {
    if depth == 0 || position.is_over() {
        return 1;
    }
    children(position).map(|child| leaves_by_bits(&child, depth - 1)).sum()
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begun = processor_seconds();
    (work(), processor_seconds() - begun)
}

/// Returns the distinct positions up to three moves after one of each random game.
fn positions(games: u64) -> Vec<Position> {
    let mut met = HashSet::new();
    for game in 0..games {
        let steps = random_game(1, game, usize::MAX).steps;
        let mut open = vec![(steps[game as usize % steps.len()].position, 3)];
        while let Some((position, depth)) = open.pop() {
            if met.insert(position) && depth > 0 && position.moves() != 0 {
                open.extend(children(&position).map(|child| (child, depth - 1)));
            }
        }
    }
    met.into_iter().collect()
}

/// Counts the keys that share a place with another key in a table with as many places as keys.
fn collisions(keys: &[u64]) -> usize {
    let mut taken = vec![false; keys.len()];
    let place = |key: u64| (key % keys.len() as u64) as usize;
    keys.iter().filter(|&&key| std::mem::replace(&mut taken[place(key)], true)).count()
}

fn correlation(pairs: &[[f64; 2]]) -> f64 {
    let mean = |of: &dyn Fn([f64; 2]) -> f64| {
        pairs.iter().map(|&pair| of(pair)).sum::<f64>() / pairs.len() as f64
    };
    let [x, y] = [mean(&|pair| pair[0]), mean(&|pair| pair[1])];
    let [xx, yy] =
        [mean(&|pair| pair[0] * pair[0]) - x * x, mean(&|pair| pair[1] * pair[1]) - y * y];
    (mean(&|pair| pair[0] * pair[1]) - x * y) / (xx * yy).sqrt()
}

/// Prints the figures of a tree of this many plies, and of the positions of random games.
pub(crate) fn run(plies: u32, games: u64) {
    let rules = Rules::new();

    let board = LineBoard::new(&rules, &Position::START);
    let (by_lines, line_seconds) = timed(|| board.leaves(plies));
    let (by_bits, bit_seconds) = timed(|| leaves_by_bits(&Position::START, plies));
    println!("{by_lines} leaves at ply {plies} by {LINES} lines in {line_seconds:.3} s");
    let ratio = line_seconds / bit_seconds.max(1e-9);
    println!("{by_bits} by bitboards in {bit_seconds:.3} s: {ratio:.1} times as fast");

    let games_of = |game| random_game(1, game, usize::MAX).steps;
    let mut stages = vec![vec![]; 6];
    for position in (0..games).flat_map(games_of).map(|step| step.position) {
        let legal = position.moves().count_ones().into();
        let by_line = LineBoard::new(&rules, &position).moves_by_line().into();
        stages[position.ply() as usize / 10].push([legal, by_line]);
    }
    for (stage, pairs) in stages.iter().enumerate() {
        let r = correlation(pairs);
        println!("plies {stage}0 to {stage}9: moves along lines and legal moves: {r:.3}");
    }

    let positions = positions(games);
    let places = positions.len();
    let expected = places as f64 * (-1.0_f64).exp();
    println!("{places} positions, as many places: {expected:.0} random ones fall into a taken one");
    let by_17 = positions.iter().map(|one| LineBoard::new(&rules, one).hash_by_17());
    println!("by powers of 17 {}", collisions(&by_17.collect::<Vec<_>>()));
    let by_product: Vec<u64> = positions.iter().map(hash).collect();
    println!("by the product {}", collisions(&by_product));
}
