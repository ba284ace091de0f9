//! Classes by arithmetic, in 64 lanes at once.
//!
//! Where a pattern has one mirror, its squares fall into pairs of mirrored squares and fixed
//! squares. With empty, player and opponent as digits 0, 1, 2, let a be the number that the first
//! square of each pair makes, b that of the second squares in the same order, c that of the fixed
//! squares. The mirror swaps a and b, so with x = max(a, b), y = min(a, b), k pairs and
//! T = 3^k(3^k + 1)/2, the class `c·T + x(x + 1)/2 + y` is dense and the same for both images.
//! A pattern without a mirror is the case k = 0. Only patterns with four or eight symmetries of
//! their own need a map, from c to the class.

use othello_engine::board::{Position, Square, Squares};
use othello_engine::pattern::{Geometry, LANES, PatternGeometry, configurations};

use super::MAX_FEATURES;

/// The class arithmetic of a pattern set.
#[derive(Clone, Debug)]
pub struct ClassLanes {
    instances: usize,
    player: Box<[Disc; 64]>,
    opponent: Box<[Disc; 64]>,
    /// T of each lane.
    fixed_stride: [u16; LANES],
    /// The first parameter of each lane's pattern.
    first_parameter: [u32; LANES],
    /// The lanes whose class comes from a map, and the map.
    mapped: Vec<(usize, Vec<u16>)>,
}

/// What one disc adds to a, b and c of every lane. a and b have at most five digits.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Disc {
    first: [u8; LANES],
    second: [u8; LANES],
    fixed: [u16; LANES],
}

const NO_DISC: Disc = Disc { first: [0; LANES], second: [0; LANES], fixed: [0; LANES] };

/// How the class of one instance follows from what stands on its squares.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// The squares of a's digits, the least significant first: at most five.
    pub first: Vec<Square>,
    /// The squares of b's digits: as many.
    pub second: Vec<Square>,
    /// The squares of c's digits: at most ten.
    pub fixed: Vec<Square>,
    /// T.
    pub fixed_stride: u16,
    /// The first parameter of the instance's pattern.
    pub first_parameter: u32,
    /// From c to the class, where the arithmetic alone does not give it; a and b are 0 there.
    pub map: Option<Vec<u16>>,
}

/// The lanes of a pattern set in the order of its instances.
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
    geometry.instances.iter().map(|instance| lane(instance.pattern, &instance.squares)).collect()
}

/// How the digits of a pattern are split.
struct Split {
    pairs: Vec<(usize, usize)>,
    fixed: Vec<usize>,
    /// From c to the class, where the arithmetic alone does not give it.
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

    /// The class of a configuration given by its digits.
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

/// The file's class of each configuration, numbered by digits 0 (empty), 1 (player), 2 (opponent).
fn class_by_digits(pattern: &PatternGeometry) -> Vec<u16> {
    let mut map = vec![0; pattern.class_of.len()];
    for (index, &class) in pattern.class_of.iter().enumerate() {
        let digits = fit_digits(index, pattern.squares());
        let number = digits.iter().rev().fold(0, |number, digit| number * 3 + digit);
        map[number] = class;
    }
    map
}

/// The digits 0 (empty), 1 (player), 2 (opponent) of the configuration at `index` of `class_of`,
/// whose own digits are 0 (opponent), 1 (empty), 2 (player).
fn fit_digits(index: usize, squares: usize) -> Vec<usize> {
    (0..squares).map(|place| [2, 0, 1][index / configurations(place) % 3]).collect()
}

impl ClassLanes {
    /// The arithmetic of every lane, and for each parameter its number in a weights file.
    pub fn new(geometry: &Geometry) -> (Self, Vec<u32>) {
        let splits: Vec<Split> = geometry.patterns.iter().map(Split::new).collect();
        let mut lanes = Self {
            instances: geometry.instances.len(),
            player: Box::new([NO_DISC; 64]),
            opponent: Box::new([NO_DISC; 64]),
            fixed_stride: [0; LANES],
            first_parameter: [0; LANES],
            mapped: vec![],
        };
        for (lane, instance) in geometry.instances.iter().enumerate() {
            let split = &splits[instance.pattern];
            lanes.set_lane(lane, split, &instance.squares);
            lanes.fixed_stride[lane] = split.fixed_stride() as u16;
            lanes.first_parameter[lane] =
                geometry.patterns[instance.pattern].first_parameter as u32;
            lanes.mapped.extend(split.map.clone().map(|map| (lane, map)));
        }
        (lanes, parameters_in_file(geometry, &splits))
    }

    fn set_lane(&mut self, lane: usize, split: &Split, squares: &[Square]) {
        for (digit, &(first, second)) in split.pairs.iter().enumerate() {
            let power = configurations(digit) as u8;
            self.player[squares[first].index()].first[lane] = power;
            self.opponent[squares[first].index()].first[lane] = 2 * power;
            self.player[squares[second].index()].second[lane] = power;
            self.opponent[squares[second].index()].second[lane] = 2 * power;
        }
        for (digit, &place) in split.fixed.iter().enumerate() {
            let power = configurations(digit) as u16;
            self.player[squares[place].index()].fixed[lane] = power;
            self.opponent[squares[place].index()].fixed[lane] = 2 * power;
        }
    }

    /// How many lanes have an instance.
    pub fn instances(&self) -> usize {
        self.instances
    }

    /// Writes the parameter of every lane. Lanes without an instance get 0.
    #[inline]
    pub fn parameters(&self, position: &Position, parameters: &mut [u32; MAX_FEATURES]) {
        let mut sums = NO_DISC;
        for square in Squares(position.player()) {
            sums.add(&self.player[square.index()]);
        }
        for square in Squares(position.opponent()) {
            sums.add(&self.opponent[square.index()]);
        }
        let mut classes = [0u16; LANES];
        for (lane, class) in classes.iter_mut().enumerate() {
            let (a, b) = (sums.first[lane], sums.second[lane]);
            let (x, y) = (u16::from(a.max(b)), u16::from(a.min(b)));
            // x ≤ 242, so x(x + 1) fits; the class is below 3^10.
            *class = (sums.fixed[lane].wrapping_mul(self.fixed_stride[lane]))
                .wrapping_add(x * (x + 1) / 2 + y);
        }
        for (lane, map) in &self.mapped {
            classes[*lane] = map[usize::from(classes[*lane])];
        }
        for lane in 0..LANES {
            parameters[lane] = self.first_parameter[lane] + u32::from(classes[lane]);
        }
    }
}

impl Disc {
    #[inline]
    fn add(&mut self, other: &Self) {
        add_bytes(&mut self.first, &other.first);
        add_bytes(&mut self.second, &other.second);
        for (sum, more) in self.fixed.iter_mut().zip(&other.fixed) {
            *sum = sum.wrapping_add(*more);
        }
    }
}

#[inline]
fn add_bytes(sums: &mut [u8; LANES], other: &[u8; LANES]) {
    for (sum, more) in sums.iter_mut().zip(other) {
        *sum = sum.wrapping_add(*more);
    }
}

fn parameters_in_file(geometry: &Geometry, splits: &[Split]) -> Vec<u32> {
    let mut in_file: Vec<u32> = (0..geometry.parameters() as u32).collect();
    for (pattern, split) in geometry.patterns.iter().zip(splits) {
        for (index, &class) in pattern.class_of.iter().enumerate() {
            let by_arithmetic = split.class(&fit_digits(index, pattern.squares()));
            in_file[pattern.first_parameter + by_arithmetic] =
                (pattern.first_parameter + usize::from(class)) as u32;
        }
    }
    in_file
}
