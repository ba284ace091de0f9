//! Computes the class (set of symmetric configurations) of each instance, and so its parameter.
//!
//! If a pattern has one mirror symmetry, its squares are pairs of mirrored squares and fixed
//! squares. The contents of a square are a ternary digit: 0 empty, 1 player, 2 opponent. Let a be
//! the number whose digits are the first squares of the pairs, b the number of the second squares
//! in the same order, and c the number of the fixed squares. The mirror swaps a and b. Let x =
//! max(a, b), y = min(a, b), and T = 3^k(3^k + 1)/2 for k pairs. The class `c·T + x(x + 1)/2 + y`
//! is then the same for a configuration and its mirror image, and all classes from 0 to the
//! greatest occur. If a pattern has no mirror symmetry, all squares are fixed, and the class is c.
//! In patterns with four or eight symmetries, all squares also count as fixed, but the class is
//! looked up in a table that is indexed by c.

use othello_engine::board::Square;
use othello_engine::pattern::{Geometry, PatternGeometry, configurations};

/// The squares of one pattern instance, and the constants that turn their contents into its class
/// `c·T + x(x + 1)/2 + y`, with x = max(a, b), y = min(a, b), T = `fixed_stride`. The ternary
/// digits of a and b are the contents of squares that the pattern's mirror symmetry swaps, and
/// those of c are the contents of its other squares.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// The first squares of the pairs of mirrored squares, at most five. Their contents are the
    /// ternary digits, the lowest first, of a in the formula of the class (see [`Lane`]).
    pub first: Vec<Square>,
    /// The mirror images of the squares in `first`, in this order. Their contents are the ternary
    /// digits, the lowest first, of b in the formula of the class (see [`Lane`]).
    pub second: Vec<Square>,
    /// The squares, at most ten, that stay in place if the pattern is mirrored. Their contents are
    /// the ternary digits, the lowest first, of c in the formula of the class (see [`Lane`]).
    pub fixed: Vec<Square>,
    /// The factor T = 3ᵏ(3ᵏ + 1)/2, for k pairs of mirrored squares. The class (see [`Lane`])
    /// includes T times the number whose ternary digits are the contents of the squares `fixed`.
    pub fixed_stride: u16,
    /// The index of the pattern's first parameter, to which the class is added.
    pub first_parameter: u32,
    /// For a pattern with four or eight symmetries, the class at index c, the number whose ternary
    /// digits are the contents of `fixed`; `first` and `second` are then empty. `None` for a
    /// pattern with fewer symmetries.
    pub map: Option<Vec<u16>>,
}

/// A division of a pattern's squares into pairs that its mirror symmetry swaps, and fixed squares.
struct Split {
    pairs: Vec<(usize, usize)>,
    fixed: Vec<usize>,
    /// For a pattern with four or eight symmetries, the class at index c, the number whose ternary
    /// digits are the contents of the `fixed` squares; `None` for a pattern with fewer symmetries.
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

/// Returns the class, in a weights file, of each configuration of a pattern with four or eight
/// symmetries. The index of a configuration is the number c (see [`Lane`]). Its ternary digits are
/// the contents of all squares, since such a pattern is not divided into mirrored pairs.
fn class_by_digits(pattern: &PatternGeometry) -> Vec<u16> {
    let mut map = vec![0; pattern.class_of.len()];
    for (index, &class) in pattern.class_of.iter().enumerate() {
        let digits = fit_digits(index, pattern.squares());
        let number = digits.iter().rev().fold(0, |number, digit| number * 3 + digit);
        map[number] = class;
    }
    map
}

/// Returns the digits (0 empty, 1 player, 2 opponent) of the configuration with this index in
/// [`PatternGeometry::class_of`]. The digit of the pattern's first square is the first.
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

/// Returns, for each parameter in the order of a fit (classes numbered by the formula of [`Lane`]),
/// its index in a weights file.
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
