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

/// Returns, for every configuration of every pattern, its place in the table of a phase and the
/// number of its class among all parameters.
fn places(geometry: &Geometry) -> Vec<(usize, usize)> {
    let patterns = geometry.patterns.iter().zip(pattern_starts(geometry));
    let of_pattern = patterns.flat_map(|(pattern, start)| {
        pattern.class_of.iter().enumerate().map(move |(index, &class)| {
            let place = start + permuted(index, &pattern.places);
            (place, pattern.first_parameter + usize::from(class))
        })
    });
    of_pattern.collect()
}

/// Returns the class weights that were expanded into `tables`, undoing [`expand`]. Their counts are
/// unknown and set to 0.
pub fn fold(set: PatternSet, tables: &[i16]) -> Weights {
    let mut weights = Weights::zero(set);
    let layout = TableLayout::new(weights.geometry());
    let places = places(weights.geometry());
    for phase in Phase::all() {
        let table = &tables[layout.start(phase.index())..][..layout.stride];
        let geometry = weights.geometry();
        let mut steps = vec![0; geometry.parameters()];
        places.iter().for_each(|&(place, parameter)| steps[parameter] = table[place]);
        let scalars = &mut steps[geometry.pattern_parameters..];
        scalars.copy_from_slice(&table[layout.scalars..][..scalars.len()]);
        weights.set_steps(phase, |parameter| steps[parameter]);
    }
    weights
}

/// Expands the class weights of all phases into configuration tables of length
/// [`TableLayout::total`].
pub fn expand(weights: &Weights) -> Vec<i16> {
    let geometry = weights.geometry();
    let layout = TableLayout::new(geometry);
    let mut tables = vec![0; layout.total()];
    let places = places(geometry);
    for phase in Phase::all() {
        let table = &mut tables[layout.start(phase.index())..][..layout.stride];
        let steps = weights.steps(phase);
        places.iter().for_each(|&(place, parameter)| table[place] = steps[parameter]);
        let scalars = &steps[geometry.pattern_parameters..];
        table[layout.scalars..layout.scalars + scalars.len()].copy_from_slice(scalars);
    }
    tables
}

/// Returns, for every vector of factors in a group of phases, its place and the number of its
/// parameter: first those of configurations, then those of scalar features.
fn places_of_vectors(geometry: &Geometry, layout: &TableLayout) -> Vec<(usize, usize)> {
    let scalars = 0..geometry.scalars.len() * Scalar::VALUES;
    let scalars = scalars.map(|n| (layout.scalars + n, geometry.pattern_parameters + n));
    places(geometry).into_iter().chain(scalars).collect()
}

/// Bytes that begin where a cache line does, so that vectors of up to 64 factors lie in one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct CacheLine([u8; 64]);

impl CacheLine {
    /// Returns the bytes.
    pub fn bytes(self) -> [u8; 64] {
        self.0
    }
}

/// Expands factors into a vector for every configuration. Each group has the layout of a phase's
/// weights, with a vector in the place of each weight and [`MARGIN`] vectors before the first and
/// after the last.
pub fn expand_factors(geometry: &Geometry, factors: &Factors) -> Vec<CacheLine> {
    let (layout, shape) = (TableLayout::new(geometry), factors.shape());
    let (dimensions, places) = (shape.dimensions(), places_of_vectors(geometry, &layout));
    let lines = layout.bytes_of_factors(shape).div_ceil(size_of::<CacheLine>());
    let mut aligned = vec![CacheLine::zeroed(); lines];
    let vectors: &mut [i8] = bytemuck::cast_slice_mut(&mut aligned);
    for group in 0..shape.groups() {
        let vectors = &mut vectors[(MARGIN + group * layout.stride) * dimensions..];
        for &(place, parameter) in &places {
            vectors[place * dimensions..][..dimensions]
                .copy_from_slice(&factors.group(group)[parameter * dimensions..][..dimensions]);
        }
    }
    aligned
}

/// Sets the factors that were expanded into `vectors`, undoing [`expand_factors`].
pub fn fold_factors(geometry: &Geometry, vectors: &[CacheLine], factors: &mut Factors) {
    let (layout, shape) = (TableLayout::new(geometry), factors.shape());
    let (dimensions, places) = (shape.dimensions(), places_of_vectors(geometry, &layout));
    let vectors: &[i8] = bytemuck::cast_slice(vectors);
    for group in 0..shape.groups() {
        let vectors = &vectors[(MARGIN + group * layout.stride) * dimensions..];
        let mut folded = vec![0; geometry.parameters() * dimensions];
        for &(place, parameter) in &places {
            folded[parameter * dimensions..][..dimensions]
                .copy_from_slice(&vectors[place * dimensions..][..dimensions]);
        }
        factors.set_group(group, |place| folded[place]);
    }
}
