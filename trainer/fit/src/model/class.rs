//! The numbering of the classes of each pattern. A class is a set of symmetric configurations
//! (contents of the squares) that share a parameter.
//!
//! Base-3 digits are the contents of squares: 0 empty, 1 player, 2 opponent. A pattern may have:
//!
//! - No symmetry: the class is the number c, whose digits are the contents of all squares.
//! - One mirror symmetry: the mirror swaps the squares of k pairs, and leaves the others in place.
//!   The digits of a, b and c are the contents of the pairs' first squares, of their second squares
//!   and of the squares left in place. The mirror swaps a and b. With x = max(a, b), y = min(a, b)
//!   and T = 3^k(3^k+1)/2, the class is `c·T + x(x + 1)/2 + y`: the same for a configuration and
//!   its mirror image, and without gaps from 0 to the greatest.
//! - Four or eight symmetries: c is as without symmetry, and a table has the class for each c.

use othello_engine::board::Square;
use othello_engine::pattern::{Geometry, PatternGeometry, configurations};

/// One pattern instance, with its squares in three lists. The contents of each list, as base-3
/// digits (least significant first), form a number. Constants turn the three numbers into a class.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// If the pattern has one mirror symmetry: one square of each swapped pair, at most five.
    pub first: Vec<Square>,
    /// The mirror images of the squares in `first`, in the same order.
    pub second: Vec<Square>,
    /// The squares that are not in `first` or `second`, at most ten.
    pub fixed: Vec<Square>,
    /// The number of classes for given contents of `fixed`: 3ᵏ(3ᵏ + 1)/2 with k mirrored pairs.
    pub fixed_stride: u16,
    /// The index of the pattern's first parameter, to which the class is added.
    pub first_parameter: u32,
    /// The class of each configuration, by its base-3 index, if the pattern has four or eight
    /// symmetries. `None` if it has one or two: then the other fields give the class.
    pub map: Option<Vec<u16>>,
}

/// The indices of a pattern's squares, divided into the three lists of a [`Lane`].
struct MirrorSplit {
    first: Vec<usize>,
    second: Vec<usize>,
    fixed: Vec<usize>,
    map: Option<Vec<u16>>,
}

impl MirrorSplit {
    fn new(pattern: &PatternGeometry) -> Self {
        let digits = 0..pattern.squares();
        match pattern.permutations.as_slice() {
            [_, mirror] => {
                let first: Vec<usize> = digits.clone().filter(|&d| d < mirror[d]).collect();
                let second = first.iter().map(|&d| mirror[d]).collect();
                let fixed = digits.filter(|&d| d == mirror[d]).collect();
                Self { first, second, fixed, map: None }
            }
            permutations => {
                let map = (permutations.len() > 1).then(|| class_by_digits(pattern));
                Self { first: vec![], second: vec![], fixed: digits.collect(), map }
            }
        }
    }

    fn fixed_stride(&self) -> usize {
        let side = configurations(self.first.len());
        side * (side + 1) / 2
    }

    fn class(&self, digits: &[usize]) -> usize {
        let number = |places: &[usize]| number(places.iter().map(|&place| digits[place]));
        let [a, b, c] = [&self.first, &self.second, &self.fixed].map(|places| number(places));
        let (x, y) = (a.max(b), a.min(b));
        let class = c * self.fixed_stride() + x * (x + 1) / 2 + y;
        self.map.as_ref().map_or(class, |map| usize::from(map[class]))
    }
}

/// Returns the number with these base-3 digits, the least significant first.
fn number(digits: impl DoubleEndedIterator<Item = usize>) -> usize {
    digits.rev().fold(0, |number, digit| number * 3 + digit)
}

/// Returns, for the [`number`] of each configuration, the configuration's class in weights files.
fn class_by_digits(pattern: &PatternGeometry) -> Vec<u16> {
    let mut map = vec![0; pattern.class_of.len()];
    for (index, &class) in pattern.class_of.iter().enumerate() {
        map[number(fit_digits(index, pattern.squares()).into_iter())] = class;
    }
    map
}

/// Returns the digits (0 empty, 1 player, 2 opponent) of the configuration with this index in
/// `PatternGeometry::class_of`, whose digits are 0 opponent, 1 empty, 2 player.
fn fit_digits(index: usize, squares: usize) -> Vec<usize> {
    (0..squares).map(|place| [2, 0, 1][index / configurations(place) % 3]).collect()
}

pub(super) fn lanes(geometry: &Geometry) -> Vec<Lane> {
    let splits: Vec<MirrorSplit> = geometry.patterns.iter().map(MirrorSplit::new).collect();
    let lane = |pattern: usize, squares: &[Square]| {
        let split: &MirrorSplit = &splits[pattern];
        let at = |places: &[usize]| places.iter().map(|&place| squares[place]).collect();
        Lane {
            first: at(&split.first),
            second: at(&split.second),
            fixed: at(&split.fixed),
            fixed_stride: split.fixed_stride() as u16,
            first_parameter: geometry.patterns[pattern].first_parameter as u32,
            map: split.map.clone(),
        }
    };
    let instances = geometry.instances.iter();
    instances.map(|instance| lane(instance.pattern, &instance.squares)).collect()
}

/// Returns, for each parameter in the order of a fit, its index in a weights file.
pub(super) fn parameters_in_file(geometry: &Geometry) -> Vec<u32> {
    let mut in_file: Vec<u32> = (0..geometry.parameters() as u32).collect();
    for pattern in &geometry.patterns {
        let split = MirrorSplit::new(pattern);
        for (index, &class) in pattern.class_of.iter().enumerate() {
            let by_arithmetic = split.class(&fit_digits(index, pattern.squares()));
            in_file[pattern.first_parameter + by_arithmetic] =
                (pattern.first_parameter + usize::from(class)) as u32;
        }
    }
    in_file
}
