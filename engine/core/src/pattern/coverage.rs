//! The coverage of the board by the instances of a pattern set: squares and straight lines.

use super::Geometry;
use crate::board::Square;

/// The coverage of the board by the instances of a pattern set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// The number of instances that contain each square, a1 first.
    pub instances: [u8; 64],
    /// For each line of [`lines`], true if a single instance contains all of its squares.
    pub lines: Vec<bool>,
}

impl Coverage {
    /// Computes the coverage of squares and lines by all instances.
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

/// Returns a line to the edge of the board. `None` if it begins before `start` or has < 3 squares.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::PatternSet;

    fn of(patterns: &str) -> Coverage {
        let set = format!("name = \"one\"\nscalars = []\n{patterns}");
        Coverage::of(&Geometry::new(&PatternSet::from_toml(&set).expect("a pattern set")))
    }

    #[test]
    fn there_are_eight_rows_eight_columns_and_twice_eleven_diagonals() {
        let lengths: Vec<usize> = lines().map(|line| line.len()).collect();
        let count = |length| lengths.iter().filter(|&&other| other == length).count();
        assert_eq!([3, 4, 5, 6, 7, 8].map(count), [4, 4, 4, 4, 4, 18]);
        assert_eq!(lengths.len(), 38);
    }

    #[test]
    fn an_edge_covers_four_lines_and_its_corners_twice() {
        let edge = of("[[pattern]]\nsquares = \"a1 b1 c1 d1 e1 f1 g1 h1\"\n");
        assert_eq!(edge.lines.iter().filter(|&&is_covered| is_covered).count(), 4);
        assert_eq!((edge.instances[0], edge.instances[1], edge.instances[9]), (2, 1, 0));
    }

    #[test]
    fn the_standard_set_covers_every_line() {
        let set = PatternSet::shipped("standard").expect("a shipped set");
        let coverage = Coverage::of(&Geometry::new(&set));
        assert!(coverage.lines.iter().all(|&is_covered| is_covered));
        assert!(coverage.instances.iter().all(|&instances| instances > 0));
    }
}
