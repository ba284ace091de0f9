//! The coverage of the board by the instances of a pattern set: squares and straight lines.

use super::Geometry;
use crate::board::Square;

/// The coverage of the board by the instances of a pattern set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// The number of instances that contain each square, a1 first.
    pub instances: [u8; 64],
    /// For each line in [`lines`], true if one instance alone contains all squares of the line.
    pub lines: Vec<bool>,
}

impl Coverage {
    /// Counts the instances at each square, and finds the lines that lie within one instance.
    pub fn of(geometry: &Geometry) -> Self {
        let mut instances = [0; 64];
        for instance in &geometry.instances {
            instance.squares.iter().for_each(|square| instances[square.index()] += 1);
        }
        let is_covered = |line: Vec<Square>| {
            let has = |squares: &[Square]| line.iter().all(|square| squares.contains(square));
            geometry.instances.iter().any(|instance| has(&instance.squares))
        };
        Self { instances, lines: lines().map(is_covered).collect() }
    }
}

/// Returns the 38 straight lines of at least three squares, along which discs flip.
pub fn lines() -> impl Iterator<Item = Vec<Square>> {
    Square::all().flat_map(|start| STEPS.into_iter().filter_map(move |step| line(start, step)))
}

const STEPS: [(i8, i8); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// Returns the squares from `start` to the board's edge in a direction, a step of `columns` and
/// `rows`; `None` if the line begins before `start` or has fewer than three squares.
fn line(start: Square, (columns, rows): (i8, i8)) -> Option<Vec<Square>> {
    let (column, row) = ((start.index() % 8) as i8, (start.index() / 8) as i8);
    let square = |steps: i8| {
        let (column, row) = (column + steps * columns, row + steps * rows);
        let is_on_board = (0..8).contains(&column) && (0..8).contains(&row);
        is_on_board.then(|| Square::new((8 * row + column) as u8)).flatten()
    };
    let squares: Vec<Square> = (0..8).map_while(square).collect();
    (square(-1).is_none() && squares.len() >= 3).then_some(squares)
}
