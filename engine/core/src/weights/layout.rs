//! The layout of weights in memory, expanded from classes to configurations.

use bytemuck::{Pod, Zeroable};

use super::{Factors, Weights};
use crate::board::{PHASES, Phase};
use crate::pattern::{FactorShape, Geometry, LANES, PatternSet, Scalar, permuted};

/// The number of unused weights before the first phase and after the last. Any 16-bit index then
/// leads to a place inside the table, so that reads need no check.
pub const MARGIN: usize = 1 << 15;

/// The layout of the table of one phase, in 16-bit weights: the configurations of all patterns, a
/// zero for lanes without an instance, the scalars, and padding to a whole number of cache lines.
/// The padding is at least two bytes, so that 32-bit gathers stay inside.
#[derive(Clone, Debug)]
pub struct TableLayout {
    /// The place of the configuration 0 of each lane's pattern.
    pub middles: [u32; LANES],
    /// The place of the first scalar.
    pub scalars: usize,
    /// The number of weights from one phase to the next.
    pub stride: usize,
}

impl TableLayout {
    /// Computes the layout of a pattern set.
    pub fn new(geometry: &Geometry) -> Self {
        const CACHE_LINE: usize = 32;
        let starts: Vec<usize> = pattern_starts(geometry).collect();
        let zero: usize = geometry.patterns.iter().map(|p| p.class_of.len()).sum();
        let mut middles = [zero as u32; LANES];
        for (middle, instance) in middles.iter_mut().zip(&geometry.instances) {
            let pattern = instance.pattern;
            *middle = (starts[pattern] + geometry.patterns[pattern].middle()) as u32;
        }
        let scalars = zero + 1;
        let used = scalars + geometry.scalars.len() * Scalar::VALUES;
        Self { middles, scalars, stride: (used + 1).next_multiple_of(CACHE_LINE) }
    }

    /// Returns the number of weights of all 60 phases together, with the margins.
    pub fn total(&self) -> usize {
        self.stride * PHASES + 2 * MARGIN
    }

    /// Returns the number of bytes of the vectors of factors of all groups, with the margins.
    pub fn bytes_of_factors(&self, shape: FactorShape) -> usize {
        (self.stride * shape.groups() + 2 * MARGIN) * shape.dimensions()
    }

    /// Returns the place at which the table of a phase starts.
    #[inline]
    pub fn start(&self, phase: usize) -> usize {
        MARGIN + phase * self.stride
    }
}

fn pattern_starts(geometry: &Geometry) -> impl Iterator<Item = usize> {
    geometry.patterns.iter().scan(0, |next, pattern| {
        let start = *next;
        *next += pattern.class_of.len();
        Some(start)
    })
}

/// The places in the table of a phase to which the weights by class go, and, in the same way, the
/// vectors of factors of a group of phases.
pub(super) struct Expansion {
    layout: TableLayout,
    parameters: usize,
    /// The place and the number of the parameter for each configuration and each scalar.
    places: Vec<[u32; 2]>,
}

impl Expansion {
    /// Computes the places of a pattern set.
    pub(super) fn new(geometry: &Geometry) -> Self {
        let layout = TableLayout::new(geometry);
        let patterns = geometry.patterns.iter().zip(pattern_starts(geometry));
        let of_pattern = patterns.flat_map(|(pattern, start)| {
            pattern.class_of.iter().enumerate().map(move |(index, &class)| {
                let place = start + permuted(index, &pattern.places);
                [place, pattern.first_parameter + usize::from(class)]
            })
        });
        let scalars = 0..geometry.scalars.len() * Scalar::VALUES;
        let scalars = scalars.map(|n| [layout.scalars + n, geometry.pattern_parameters + n]);
        let places = of_pattern.chain(scalars).map(|pair| pair.map(|number| number as u32));
        Self { places: places.collect(), parameters: geometry.parameters(), layout }
    }

    fn places(&self) -> impl Iterator<Item = [usize; 2]> {
        self.places.iter().map(|pair| pair.map(|number| number as usize))
    }

    /// Returns tables of weights that are all 0, of length [`TableLayout::total`].
    pub(super) fn no_steps(&self) -> Vec<i16> {
        vec![0; self.layout.total()]
    }

    /// Expands the weights of a phase, one for each parameter, into the tables.
    pub(super) fn expand(&self, phase: Phase, steps: &[i16], tables: &mut [i16]) {
        let table = &mut tables[self.layout.start(phase.index())..][..self.layout.stride];
        self.places().for_each(|[place, parameter]| table[place] = steps[parameter]);
    }

    /// Returns the weights of a phase that were expanded into the tables.
    pub(super) fn folded(&self, phase: Phase, tables: &[i16]) -> Vec<i16> {
        let table = &tables[self.layout.start(phase.index())..][..self.layout.stride];
        let mut steps = vec![0; self.parameters];
        self.places().for_each(|[place, parameter]| steps[parameter] = table[place]);
        steps
    }

    /// Returns vectors of factors that are all 0.
    pub(super) fn no_vectors(&self, shape: FactorShape) -> Vec<CacheLine> {
        let lines = self.layout.bytes_of_factors(shape).div_ceil(size_of::<CacheLine>());
        vec![CacheLine::zeroed(); lines]
    }

    /// Returns where the first vector of a group stands.
    fn start_of_group(&self, shape: FactorShape, group: usize) -> usize {
        (MARGIN + group * self.layout.stride) * shape.dimensions()
    }

    /// Expands the factors of a group of phases, a vector for each parameter.
    pub(super) fn expand_group(
        &self,
        shape: FactorShape,
        group: usize,
        factors: &[i8],
        vectors: &mut [CacheLine],
    ) {
        let dimensions = shape.dimensions();
        let vectors: &mut [i8] = bytemuck::cast_slice_mut(vectors);
        let vectors = &mut vectors[self.start_of_group(shape, group)..];
        for [place, parameter] in self.places() {
            vectors[place * dimensions..][..dimensions]
                .copy_from_slice(&factors[parameter * dimensions..][..dimensions]);
        }
    }

    /// Returns the factors of a group of phases that were expanded.
    fn folded_group(&self, shape: FactorShape, group: usize, vectors: &[CacheLine]) -> Vec<i8> {
        let dimensions = shape.dimensions();
        let vectors: &[i8] = bytemuck::cast_slice(vectors);
        let vectors = &vectors[self.start_of_group(shape, group)..];
        let mut factors = vec![0; self.parameters * dimensions];
        for [place, parameter] in self.places() {
            factors[parameter * dimensions..][..dimensions]
                .copy_from_slice(&vectors[place * dimensions..][..dimensions]);
        }
        factors
    }
}

/// Returns the class weights that were expanded into `tables`, undoing [`expand`]. Their counts are
/// unknown and set to 0.
pub fn fold(set: PatternSet, tables: &[i16]) -> Weights {
    let mut weights = Weights::zero(set);
    let expansion = Expansion::new(weights.geometry());
    for phase in Phase::all() {
        let steps = expansion.folded(phase, tables);
        weights.set_steps(phase, |parameter| steps[parameter]);
    }
    weights
}

/// Expands the class weights of all phases into configuration tables of length
/// [`TableLayout::total`].
pub fn expand(weights: &Weights) -> Vec<i16> {
    let expansion = Expansion::new(weights.geometry());
    let mut tables = expansion.no_steps();
    Phase::all().for_each(|phase| expansion.expand(phase, weights.steps(phase), &mut tables));
    tables
}

/// Bytes that begin where a cache line does, so that vectors of up to 64 factors lie in one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct CacheLine([u8; 64]);

impl CacheLine {
    /// Returns the bytes of lines, one after another.
    pub fn bytes_of(lines: &[Self]) -> &[u8] {
        bytemuck::cast_slice(lines)
    }
}

/// Expands factors into a vector for every configuration. Each group has the layout of a phase's
/// weights, with a vector in the place of each weight and [`MARGIN`] vectors before the first and
/// after the last.
pub fn expand_factors(geometry: &Geometry, factors: &Factors) -> Vec<CacheLine> {
    let (expansion, shape) = (Expansion::new(geometry), factors.shape());
    let mut vectors = expansion.no_vectors(shape);
    for group in 0..shape.groups() {
        expansion.expand_group(shape, group, factors.group(group), &mut vectors);
    }
    vectors
}

/// Sets the factors that were expanded into `vectors`, undoing [`expand_factors`].
pub fn fold_factors(geometry: &Geometry, vectors: &[CacheLine], factors: &mut Factors) {
    let (expansion, shape) = (Expansion::new(geometry), factors.shape());
    for group in 0..shape.groups() {
        let folded = expansion.folded_group(shape, group, vectors);
        factors.set_group(group, |place| folded[place]);
    }
}
