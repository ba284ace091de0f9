//! Computes the class (set of symmetric configurations) of each instance, and so its parameter.
//!
//! If a pattern has one mirror symmetry, its squares are pairs of mirrored squares and fixed
//! squares. The contents of a square are a ternary digit: 0 empty, 1 player, 2 opponent. Let a be
//! the number whose digits are the first squares of the pairs, b the number of the second squares
//! in the same order, and c the number of the fixed squares. The mirror swaps a and b. Let x =
//! max(a, b), y = min(a, b), and T = 3^k(3^k + 1)/2 for k pairs. The class `c·T + x(x + 1)/2 + y`
//! is then the same for a configuration and its mirror image, and all classes from 0 to the
//! greatest occur. A pattern without a mirror symmetry is the case k = 0. Only patterns with four
//! or eight symmetries need a map from c to the class.

use othello_engine::board::Square;
use othello_engine::pattern::{Geometry, PatternGeometry, configurations};

/// The data for the class `c·T + x(x + 1)/2 + y` of one instance, with x = max(a, b) and y = min(a,
/// b). The head of this file explains a, b, c and T.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// The first squares of the pairs, at most five; their contents are a's digits, lowest first.
    pub first: Vec<Square>,
    /// The mirror images of the squares in `first`; their contents are b's digits.
    pub second: Vec<Square>,
    /// The squares, at most ten, that stay in place if the pattern is mirrored. Their contents are
    /// the ternary digits of c (see [`Lane`]).
    pub fixed: Vec<Square>,
    /// The factor T in the formula of the class (see [`Lane`]).
    pub fixed_stride: u16,
    /// The index of the pattern's first parameter, to which the class is added.
    pub first_parameter: u32,
    /// For patterns with four or eight symmetries, the map from c (see [`Lane`]) to the class.
    /// `first` and `second` are then empty.
    pub map: Option<Vec<u16>>,
}

/// A division of a pattern's squares into pairs that its mirror symmetry swaps, and fixed squares.
struct Split {
    pairs: Vec<(usize, usize)>,
    fixed: Vec<usize>,
    /// The map from c (see [`Lane`]) to the class, for patterns with four or eight symmetries.
    map: Option<Vec<u16>>,
}

impl Split {
    fn new(pattern: &PatternGeometry) -> Self {
        let digits = pattern.squares();
        match pattern.permutations.as_slice() {
            [_, mirror] => {
                let pairs = (0..digits).filter(|&d| d < mirror[d]).map(|d| (d, mirror[d]));
                let fixed = (0..digits).filter(|&d| d == mirror[d]).collect();
                Self { pairs: pairs.collect(), fixed, map: None }
            }
            permutations => {
                let map = (permutations.len() > 1).then(|| class_by_digits(pattern));
                Self { pairs: vec![], fixed: (0..digits).collect(), map }
            }
        }
    }

    fn fixed_stride(&self) -> usize {
        let side = configurations(self.pairs.len());
        side * (side + 1) / 2
    }

    fn class(&self, digits: &[usize]) -> usize {
        let number = |places: &mut dyn DoubleEndedIterator<Item = usize>| {
            places.rev().fold(0, |number, place| number * 3 + digits[place])
        };
        let a = number(&mut self.pairs.iter().map(|pair| pair.0));
        let b = number(&mut self.pairs.iter().map(|pair| pair.1));
        let c = number(&mut self.fixed.iter().copied());
        let (x, y) = (a.max(b), a.min(b));
        let class = c * self.fixed_stride() + x * (x + 1) / 2 + y;
        self.map.as_ref().map_or(class, |map| usize::from(map[class]))
    }
}

/// Returns the map from c (see [`Lane`]) to the class in a weights file, if no square has a pair.
fn class_by_digits(pattern: &PatternGeometry) -> Vec<u16> {
    let mut map = vec![0; pattern.class_of.len()];
    for (index, &class) in pattern.class_of.iter().enumerate() {
        let digits = fit_digits(index, pattern.squares());
        let number = digits.iter().rev().fold(0, |number, digit| number * 3 + digit);
        map[number] = class;
    }
    map
}

/// Returns the digits (0 empty, 1 player, 2 opponent) of the configuration with this index.
fn fit_digits(index: usize, squares: usize) -> Vec<usize> {
    (0..squares).map(|place| [2, 0, 1][index / configurations(place) % 3]).collect()
}

pub(super) fn lanes(geometry: &Geometry) -> Vec<Lane> {
    let splits: Vec<Split> = geometry.patterns.iter().map(Split::new).collect();
    let lane = |pattern: usize, squares: &[Square]| {
        let split: &Split = &splits[pattern];
        Lane {
            first: split.pairs.iter().map(|pair| squares[pair.0]).collect(),
            second: split.pairs.iter().map(|pair| squares[pair.1]).collect(),
            fixed: split.fixed.iter().map(|&place| squares[place]).collect(),
            fixed_stride: split.fixed_stride() as u16,
            first_parameter: geometry.patterns[pattern].first_parameter as u32,
            map: split.map.clone(),
        }
    };
    let instances = geometry.instances.iter();
    instances.map(|instance| lane(instance.pattern, &instance.squares)).collect()
}

/// Returns, for each parameter of a fit (see the head of this file), its index in a weights file.
pub(super) fn parameters_in_file(geometry: &Geometry) -> Vec<u32> {
    let mut in_file: Vec<u32> = (0..geometry.parameters() as u32).collect();
    for pattern in &geometry.patterns {
        let split = Split::new(pattern);
        for (index, &class) in pattern.class_of.iter().enumerate() {
            let by_arithmetic = split.class(&fit_digits(index, pattern.squares()));
            in_file[pattern.first_parameter + by_arithmetic] =
                (pattern.first_parameter + usize::from(class)) as u32;
        }
    }
    in_file
}
