//! The layout of weights in memory: tables with one weight for each configuration of a pattern.
//!
//! Consecutive phases form a block: the phases that share factor vectors or, if there are no
//! factors, ten phases. The tables of a block are made together, between two margins of zeros.

use std::alloc::{Layout, handle_alloc_error};
use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::Weights;
use crate::board::{PHASES, Phase};
use crate::pattern::{FactorShape, Geometry, LANES, PatternSet, Scalar, permuted};

/// The number of unused weights before and after the tables of a block. With these margins, a read
/// at any signed 16-bit offset from a weight stays in the block, so that it needs no bounds check.
pub const MARGIN: usize = 1 << 15;

const PHASES_WITHOUT_FACTORS: usize = 10;

/// The layout of a phase's table of 16-bit weights. The table has, in this order: a weight for each
/// configuration of each pattern; a zero, for SIMD lanes without a pattern instance; a weight for
/// each value of each scalar feature; and padding to a cache line. At least one weight is padding,
/// because a SIMD read of the last weight (32 bits) also reads the weight after it.
#[derive(Clone, Debug)]
pub struct TableLayout {
    /// For each SIMD lane, which adds the weights of one pattern instance: the index in a phase's
    /// table of the weight for the configuration in which all squares are empty (number 0, in the
    /// middle of the pattern's range). For a lane without an instance: the index of the element
    /// that is always 0.
    pub middles: [u32; LANES],
    /// The index of the first weight of the first scalar feature in the table of a phase.
    pub scalars: usize,
    /// The number of weights in a phase's table, padding included.
    pub stride: usize,
    /// The number of consecutive phases whose tables form a block. The last block may have fewer.
    phases: usize,
    dimensions: usize,
}

impl TableLayout {
    /// Computes the layout of a pattern set.
    pub fn new(set: &PatternSet, geometry: &Geometry) -> Self {
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
        let stride = (used + 1).next_multiple_of(CACHE_LINE);
        let phases = set.factors().map_or(PHASES_WITHOUT_FACTORS, FactorShape::phases);
        let dimensions = set.factors().map_or(0, FactorShape::dimensions);
        Self { middles, scalars, stride, phases, dimensions }
    }

    /// Returns the number of blocks. A block is a range of consecutive phases.
    pub fn blocks(&self) -> usize {
        PHASES.div_ceil(self.phases)
    }

    /// Returns the index of the block of consecutive phases that contains the table of `phase`.
    pub fn block(&self, phase: Phase) -> usize {
        phase.index() / self.phases
    }

    /// Returns the consecutive phases whose tables form the block with the index `block`.
    pub fn phases(&self, block: usize) -> impl ExactSizeIterator<Item = Phase> {
        Phase::all().skip(block * self.phases).take(self.phases)
    }

    /// Returns the index in [`Block::steps`] of the first weight of a phase's table.
    pub fn start(&self, phase: Phase) -> usize {
        MARGIN + phase.index() % self.phases * self.stride
    }

    fn weights(&self, block: usize) -> usize {
        self.phases(block).len() * self.stride + 2 * MARGIN
    }
}

fn pattern_starts(geometry: &Geometry) -> impl Iterator<Item = usize> {
    geometry.patterns.iter().scan(0, |next, pattern| {
        let start = *next;
        *next += pattern.class_of.len();
        Some(start)
    })
}

/// The weights and factors of a block of consecutive phases. They are given for each configuration
/// of each pattern, not for each class of symmetric configurations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// The weights in steps of 1/32 disc: [`MARGIN`] zeros, the weight table of each phase in turn,
    /// and again [`MARGIN`] zeros.
    pub steps: Vec<i16>,
    /// The factor vectors, which the block's phases share: [`MARGIN`] zero vectors, then one vector
    /// for each weight of a phase's table, then [`MARGIN`] zero vectors. Empty without factors.
    pub vectors: Vec<CacheLine>,
}

/// 64 bytes, aligned so that a vector of 64 factors is in a single cache line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct CacheLine([u8; 64]);

/// The mapping from configurations to their classes under symmetry, which expands the weights of
/// classes to tables.
#[derive(Debug)]
pub(super) struct Expansion {
    pub(super) layout: TableLayout,
    /// For each configuration of each pattern, the parameter index of its class.
    parameters: Vec<u32>,
    scalars: Range<usize>,
}

impl Expansion {
    pub(super) fn new(set: &PatternSet, geometry: &Geometry) -> Self {
        let layout = TableLayout::new(set, geometry);
        let mut parameters = vec![0; layout.scalars - 1];
        for (pattern, start) in geometry.patterns.iter().zip(pattern_starts(geometry)) {
            for (place, &class) in permuted(&pattern.places).into_iter().zip(&pattern.class_of) {
                let parameter = pattern.first_parameter + usize::from(class);
                parameters[start + place as usize] = parameter as u32;
            }
        }
        Self { layout, parameters, scalars: geometry.pattern_parameters..geometry.parameters() }
    }

    fn expand<T: Copy>(&self, of_parameters: &[T], table: &mut [T]) {
        let patterns = table.iter_mut().zip(&self.parameters);
        patterns.for_each(|(element, &parameter)| *element = of_parameters[parameter as usize]);
        let scalars = &of_parameters[self.scalars.clone()];
        table[self.layout.scalars..][..scalars.len()].copy_from_slice(scalars);
    }

    /// Fills the table of `phase`. `steps` has a weight for each parameter in steps of 1/32 disc.
    pub(super) fn take_steps(&self, phase: Phase, steps: &[i16], block: &mut Block) {
        if block.steps.is_empty() {
            block.steps = vec![0; self.layout.weights(self.layout.block(phase))];
        }
        let table = &mut block.steps[self.layout.start(phase)..][..self.layout.stride];
        self.expand(steps, table);
    }

    /// Fills `block.vectors` from `factors`, the factor vectors of all parameters end to end.
    pub(super) fn take_factors(&self, factors: &[i8], block: &mut Block) {
        let dimensions = self.layout.dimensions;
        let bytes = (self.layout.stride + 2 * MARGIN) * dimensions;
        let lines = bytes.div_ceil(size_of::<CacheLine>());
        block.vectors = bytemuck::allocation::try_zeroed_vec(lines)
            .unwrap_or_else(|()| handle_alloc_error(Layout::new::<CacheLine>()));
        let vectors: &mut [i8] = bytemuck::cast_slice_mut(&mut block.vectors);
        let vectors = &mut vectors[MARGIN * dimensions..];
        // Arrays of constant width are copied by a few instructions, slices by a function call.
        match dimensions {
            8 => self.expand(factors.as_chunks::<8>().0, vectors.as_chunks_mut::<8>().0),
            16 => self.expand(factors.as_chunks::<16>().0, vectors.as_chunks_mut::<16>().0),
            32 => self.expand(factors.as_chunks::<32>().0, vectors.as_chunks_mut::<32>().0),
            64 => self.expand(factors.as_chunks::<64>().0, vectors.as_chunks_mut::<64>().0),
            _ => self.expand(factors.as_chunks::<128>().0, vectors.as_chunks_mut::<128>().0),
        }
    }
}

/// Expands weights and factors from classes to configurations, in blocks of consecutive phases.
pub fn expand(weights: &Weights) -> Vec<Block> {
    let expansion = Expansion::new(weights.set(), weights.geometry());
    let mut blocks = vec![Block::default(); expansion.layout.blocks()];
    for phase in Phase::all() {
        let block = &mut blocks[expansion.layout.block(phase)];
        expansion.take_steps(phase, weights.steps(phase), block);
    }
    if let Some(factors) = weights.factors() {
        for (group, block) in blocks.iter_mut().enumerate() {
            expansion.take_factors(factors.group(group), block);
        }
    }
    blocks
}
