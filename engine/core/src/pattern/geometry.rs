use std::cmp::Reverse;
use std::fmt;

use serde::Serialize;

use super::set::{images, names};
use super::{Pattern, PatternSet, Scalar};
use crate::board::{Position, Square, Symmetry};

/// Returns the number of possible contents of `squares` squares, each empty, the player's or the
/// opponent's: `3^squares`.
pub const fn configurations(squares: usize) -> usize {
    3usize.pow(squares as u32)
}

/// One of the distinct images of a pattern under the eight symmetries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The index of the instance's pattern in the set.
    pub pattern: usize,
    /// The squares of the instance: entry i is the image of the pattern's square i.
    pub squares: Vec<Square>,
}

/// The symmetries of a pattern, which map it onto itself, and its classes. A class is a set of
/// configurations that these symmetries map onto each other.
#[derive(Clone, Debug)]
pub struct PatternGeometry {
    /// The symmetries that map the pattern onto itself, the identity first. Each is a permutation
    /// of the indices of the pattern's squares: it maps square `i` to square `permutation[i]`.
    pub permutations: Vec<Vec<usize>>,
    /// The class of each configuration. Configuration c, from −n to n = `(3^squares − 1) / 2`, is
    /// at index c + n. Classes are numbered in the order of their smallest configurations.
    pub class_of: Vec<u16>,
    /// The number of classes: sets of configurations equal up to the pattern's symmetries.
    pub classes: usize,
    /// The index of the pattern's first class among the parameters (weights) of a phase.
    pub first_parameter: usize,
    /// For each square of the pattern, the exponent of its power of 3 in
    /// [`Indices`](super::Indices).
    pub places: Vec<usize>,
}

impl PatternGeometry {
    /// Returns the number of the pattern's squares.
    pub fn squares(&self) -> usize {
        self.permutations[0].len()
    }

    /// Returns the index in [`Self::class_of`] of the configuration in which all squares are empty.
    pub fn middle(&self) -> usize {
        self.class_of.len() / 2
    }
}

/// The instances, classes and parameters of a pattern set. The parameters of a phase are the
/// classes of all patterns in order, then [`Scalar::VALUES`] weights for each scalar feature.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// The symmetries and classes of each pattern, in the order of the set.
    pub patterns: Vec<PatternGeometry>,
    /// All instances, pattern by pattern.
    pub instances: Vec<Instance>,
    /// The scalar features.
    pub scalars: Vec<Scalar>,
    /// The number of classes of all patterns. Their parameters precede those of the scalar
    /// features.
    pub pattern_parameters: usize,
}

impl Geometry {
    /// Computes the instances, classes and parameter indices of a pattern set.
    pub fn new(set: &PatternSet) -> Self {
        let mut geometry = Self {
            patterns: Vec::with_capacity(set.patterns().len()),
            instances: vec![],
            scalars: set.scalars().to_vec(),
            pattern_parameters: 0,
        };
        for (number, pattern) in set.patterns().iter().enumerate() {
            let instance = |squares| Instance { pattern: number, squares };
            geometry.instances.extend(images(pattern.squares()).into_iter().map(instance));
            let permutations = permutations(pattern);
            let (class_of, classes) = classes(&permutations);
            let first_parameter = geometry.pattern_parameters;
            geometry.pattern_parameters += classes;
            let places = places(pattern.squares());
            let tied = PatternGeometry { permutations, class_of, classes, first_parameter, places };
            geometry.patterns.push(tied);
        }
        geometry
    }

    /// Returns the number of parameters of a phase: those of patterns and of scalar features.
    pub fn parameters(&self) -> usize {
        self.pattern_parameters + self.scalars.len() * Scalar::VALUES
    }

    /// Returns the number of positions in a phase, from the number of occurrences of each parameter
    /// (`counts`): the sum over the first pattern's classes, divided by its number of instances.
    pub fn positions(&self, counts: &[u32]) -> u64 {
        let Some(first) = self.patterns.first() else { return 0 };
        let instances = self.instances.iter().filter(|instance| instance.pattern == 0).count();
        let occurrences = counts[..first.classes].iter().map(|&count| u64::from(count));
        occurrences.sum::<u64>() / instances as u64
    }

    /// Returns the indices of a position's parameters. The sum of their weights is the linear part
    /// of the position's value.
    pub fn parameters_of<'a>(&'a self, position: &'a Position) -> impl Iterator<Item = usize> + 'a {
        let classes = self.instances.iter().map(|instance| {
            let pattern = &self.patterns[instance.pattern];
            let configuration = configuration(position, &instance.squares);
            let index = (pattern.middle() as i32 + configuration) as usize;
            pattern.first_parameter + usize::from(pattern.class_of[index])
        });
        let scalars = self.scalars.iter().enumerate().map(|(number, scalar)| {
            self.pattern_parameters + number * Scalar::VALUES + scalar.count(position)
        });
        classes.chain(scalars)
    }
}

/// Returns Σ 3^i · sᵢ over `squares`: sᵢ is +1 (player), 0 (empty) or −1 (opponent) on square i.
fn configuration(position: &Position, squares: &[Square]) -> i32 {
    squares.iter().rev().fold(0, |number, square| {
        let player = (position.player() >> square.index() & 1) as i32;
        let opponent = (position.opponent() >> square.index() & 1) as i32;
        number * 3 + player - opponent
    })
}

fn permutations(pattern: &Pattern) -> Vec<Vec<usize>> {
    let squares = pattern.squares();
    let mut permutations: Vec<Vec<usize>> = vec![];
    for symmetry in Symmetry::all() {
        let place = |&square: &Square| squares.iter().position(|&q| q == symmetry.square(square));
        let permutation: Option<Vec<usize>> = squares.iter().map(place).collect();
        let new = permutation.filter(|permutation| !permutations.contains(permutation));
        permutations.extend(new);
    }
    permutations
}

/// Returns the exponent of 3 for each square's digit in a configuration. Squares that change often
/// get low exponents, so that successive reads of weights are near each other, which saves time.
fn places(squares: &[Square]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..squares.len()).collect();
    order.sort_by_key(|&digit| Reverse(changes(squares[digit])));
    let mut places = vec![0; squares.len()];
    for (place, digit) in order.into_iter().enumerate() {
        places[digit] = place;
    }
    places
}

/// Returns the rank of a square by the frequency of its changes in games: 0 (corner) to 9 (centre).
fn changes(square: Square) -> u8 {
    const QUARTER: [[u8; 4]; 4] = [[0, 3, 1, 2], [3, 4, 5, 6], [1, 5, 7, 8], [2, 6, 8, 9]];
    let folded = |line: usize| line.min(7 - line);
    QUARTER[folded(square.index() >> 3)][folded(square.index() & 7)]
}

/// Returns the class (orbit under `permutations`) of each configuration, and the number of classes.
fn classes(permutations: &[Vec<usize>]) -> (Vec<u16>, usize) {
    let images: Vec<Vec<u32>> = permutations[1..].iter().map(|digits| permuted(digits)).collect();
    let configurations = configurations(permutations[0].len());
    let mut class_of: Vec<u16> = Vec::with_capacity(configurations);
    let mut classes = 0;
    for index in 0..configurations {
        let least = images.iter().fold(index, |least, images| least.min(images[index] as usize));
        let known = class_of.get(least).copied();
        // There are at most 3^10 = 59,049 classes, so `u16` suffices.
        class_of.push(known.unwrap_or(classes));
        classes += u16::from(known.is_none());
    }
    (class_of, usize::from(classes))
}

/// Returns the image of each number below `3^n` under a permutation of its n base-3 digits: digit
/// `i`, from the least significant, becomes digit `permutation[i]`.
pub fn permuted(permutation: &[usize]) -> Vec<u32> {
    let mut images = Vec::with_capacity(configurations(permutation.len()));
    images.push(0);
    for &place in permutation {
        // Increasing this digit by one adds a power of three to the image.
        for index in 0..2 * images.len() {
            images.push(images[index] + configurations(place) as u32);
        }
    }
    images
}

/// The coverage of the board by the patterns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct Coverage {
    /// The number of instances that contain each square, a1 first.
    pub instances: Vec<u8>,
    /// The number of straight lines of the board, from edge to edge, with at least three squares.
    pub lines: usize,
    /// The straight lines that no single instance contains entirely.
    pub open_lines: Vec<String>,
}

impl Coverage {
    /// Counts the instances that contain each square, and finds the lines that are in no instance.
    pub fn of(geometry: &Geometry) -> Self {
        let mut instances = vec![0; 64];
        for instance in &geometry.instances {
            instance.squares.iter().for_each(|square| instances[square.index()] += 1);
        }
        let is_open = |line: &&Vec<Square>| {
            let has = |squares: &[Square]| line.iter().all(|square| squares.contains(square));
            !geometry.instances.iter().any(|instance| has(&instance.squares))
        };
        let lines: Vec<Vec<Square>> = lines().collect();
        let open_lines = lines.iter().filter(is_open).map(|line| names(line)).collect();
        Self { instances, lines: lines.len(), open_lines }
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { instances, lines, open_lines } = self;
        let (least, most) = (instances.iter().min(), instances.iter().max());
        let [least, most] = [least, most].map(|count| count.copied().unwrap_or(0));
        write!(f, "each square in {least} to {most} instances, ")?;
        write!(f, "{} of {lines} lines of 3 squares or more in one", lines - open_lines.len())
    }
}

/// Returns the 38 straight lines of at least three squares, along which discs flip.
fn lines() -> impl Iterator<Item = Vec<Square>> {
    let steps = [(1, 0), (0, 1), (1, 1), (-1, 1)].into_iter();
    Square::all().flat_map(move |start| steps.clone().filter_map(move |step| line(start, step)))
}

/// Returns the squares from `start` to the edge, in steps of `columns` files and `rows` ranks.
/// Returns `None` if `start` is not an end of the line, or the line has fewer than three squares.
fn line(start: Square, (columns, rows): (i8, i8)) -> Option<Vec<Square>> {
    let (column, row) = ((start.index() % 8) as i8, (start.index() / 8) as i8);
    let square =
        |steps: i8| Square::at((column + steps * columns) as u8, (row + steps * rows) as u8);
    let squares: Vec<Square> = (0..8).map_while(square).collect();
    (square(-1).is_none() && squares.len() >= 3).then_some(squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_that_change_most_are_least_significant() {
        let set = PatternSet::shipped("standard").unwrap();
        for (pattern, tied) in set.patterns().iter().zip(&Geometry::new(&set).patterns) {
            let mut squares = vec![None; tied.squares()];
            for (&square, &place) in pattern.squares().iter().zip(&tied.places) {
                assert_eq!(squares[place].replace(square), None);
            }
            let ranks = squares.into_iter().flatten().map(changes);
            assert!(ranks.is_sorted_by(|one, next| one >= next));
        }
    }

    #[test]
    fn classes_are_numbered_by_their_smallest_configuration() {
        let geometry = Geometry::new(&PatternSet::shipped("small").unwrap());
        for pattern in &geometry.patterns {
            let mut seen = 0;
            for &class in &pattern.class_of {
                assert!(usize::from(class) <= seen);
                seen = seen.max(usize::from(class) + 1);
            }
            assert_eq!(seen, pattern.classes);
        }
    }
}
