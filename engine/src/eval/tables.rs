//! The evaluation by patterns: weights of pattern instances and scalar features, plus factors.

use std::alloc::{Layout, handle_alloc_error};
use std::sync::{Arc, LazyLock, OnceLock};

use arrayvec::ArrayVec;
use rayon::prelude::*;

use super::factor_sum::{self, Places};
use super::layout::{Block, TableLayout};
use super::sum::{Middles, sum};
use super::{
    Counts, Evaluate, Models, MoveOrdering, MoveOrderingWeights, PackedWeights, PartWeight, Value,
    ValueParts, Weights, layout,
};
use crate::board::{PHASES, Phase, Position, Square};
use crate::pattern::{FactorShape, Geometry, Indices, Lanes, PatternSet, Scalar, ScalarCounts};
use crate::random::random_game;
use crate::simd::{Instructions, compiled_for};
use crate::with_instructions;

/// The evaluation by patterns. Its tables have a weight for each configuration of each pattern.
#[derive(Clone, Debug)]
pub struct Tables {
    patterns: Arc<(PatternSet, Geometry)>,
    lanes: Lanes,
    layout: TableLayout,
    middles: Middles,
    scalars: Vec<Scalar>,
    factors: Option<FactorShape>,
    /// For each phase, the index in `blocks` of its block (the tables of some consecutive phases),
    /// and the start of its table in the block.
    phases: [(usize, usize); PHASES],
    blocks: Arc<[OnceLock<Expanded>]>,
    /// The weights from which each of `blocks` is computed when first used; `None` if the tables
    /// were created with all blocks.
    packed: Option<&'static PackedWeights>,
    /// The move-ordering evaluation, if any.
    pub ordering: Option<MoveOrdering>,
    /// The models that the search uses for pruning.
    pub models: Models,
}

#[derive(Debug)]
struct Expanded {
    block: Block,
    bounds: Option<FactorBounds>,
}

#[derive(Clone, Copy)]
struct Table<'t> {
    within: &'t Expanded,
    start: usize,
}

impl Tables {
    /// Creates tables in which all weights are already expanded: one for each configuration.
    pub fn new(weights: &Weights) -> Self {
        let patterns = (weights.set().clone(), weights.geometry().clone());
        let (ordering, models) = (weights.ordering.as_ref(), weights.models.clone());
        let tables = Self::without_blocks(patterns, ordering, models);
        for (number, block) in layout::expand(weights).into_iter().enumerate() {
            tables.blocks[number].get_or_init(|| tables.with_bounds(number, block));
        }
        tables
    }

    /// Creates tables that are computed from packed weights when they are first used.
    pub fn packed(packed: &'static PackedWeights) -> Self {
        let PackedWeights { set, geometry, ordering, models, .. } = packed;
        let patterns = (set.clone(), geometry.clone());
        let without_blocks = Self::without_blocks(patterns, ordering.as_ref(), models.clone());
        Self { packed: Some(packed), ..without_blocks }
    }

    fn without_blocks(
        patterns: (PatternSet, Geometry),
        ordering: Option<&MoveOrderingWeights>,
        models: Models,
    ) -> Self {
        let (set, geometry) = &patterns;
        let layout = TableLayout::new(set, geometry);
        let mut phases = [(0, 0); PHASES];
        let places = Phase::all().map(|phase| (layout.block(phase), layout.start(phase)));
        phases.iter_mut().zip(places).for_each(|(to, place)| *to = place);
        Self {
            lanes: Lanes::new(geometry),
            middles: Middles::new(layout.middles),
            scalars: geometry.scalars.clone(),
            factors: set.factors(),
            phases,
            blocks: (0..layout.blocks()).map(|_| OnceLock::new()).collect(),
            layout,
            patterns: patterns.into(),
            packed: None,
            ordering: ordering.map(MoveOrdering::new),
            models,
        }
    }

    /// Expands the weights of all phases now, on all threads, so that no search has to wait.
    pub fn prepare(&self) {
        (0..self.blocks.len()).into_par_iter().for_each(|block| {
            self.expand(block);
        });
    }

    /// Returns the block of tables with the index `number`; computes it at first use. Only this
    /// thread computes, because all threads of the rayon pool may be waiting for the block.
    #[cold]
    fn expand(&self, number: usize) -> &Expanded {
        self.blocks[number].get_or_init(|| {
            let block = self.packed.and_then(|packed| packed.expand(number).ok());
            // The build script checked the packed weights, so only a lack of memory can cause this.
            let block = block.unwrap_or_else(|| handle_alloc_error(Layout::new::<Block>()));
            self.with_bounds(number, block)
        })
    }

    fn with_bounds(&self, number: usize, block: Block) -> Expanded {
        let within = Expanded { block, bounds: None };
        let worth = |&(phase, ref position): &(Phase, Position)| {
            let state = self.state(position);
            let table = Table { within: &within, start: self.phases[phase.index()].1 };
            with_instructions!(|set| {
                let scalars = &self.places_of_scalars(set, position);
                let places = Places { middles: &self.middles, indices: &state, scalars };
                self.sum_of_factors(set, table, places)
            })
        };
        let sample = || SAMPLE.iter().filter(|(phase, _)| self.layout.block(*phase) == number);
        let worths = self.factors.map(|_| sample().map(worth).collect::<Vec<i32>>());
        let bounds = worths.map(|worths| FactorBounds::of(&worths));
        Expanded { bounds, ..within }
    }

    #[inline(always)]
    fn table(&self, phase: usize) -> Table<'_> {
        let (block, start) = self.phases[phase];
        let expanded = self.blocks[block].get();
        Table { within: expanded.unwrap_or_else(|| self.expand(block)), start }
    }

    /// Returns the pattern set, and its geometry: pattern instances and configuration classes.
    pub fn patterns(&self) -> (&PatternSet, &Geometry) {
        (&self.patterns.0, &self.patterns.1)
    }

    /// Splits a position's value into terms: one for each pattern instance and scalar feature, and
    /// one for all factors. `None` without a legal move. `counts` are the weights' training counts.
    pub fn parts(&self, counts: Option<&Counts>, position: &Position) -> Option<ValueParts<'_>> {
        let (set, geometry) = self.patterns();
        ValueParts::new(set, geometry, position, |phase| {
            let (state, table) = (self.state(position), self.table(phase.index()));
            let places = Places { middles: &self.middles, indices: &state, scalars: &[] };
            let (scalars, together) = with_instructions!(|instructions| {
                let scalars = self.places_of_scalars(instructions, position);
                let all = Places { scalars: &scalars, ..places };
                let sum = self.sum_of_factors(instructions, table, all);
                (scalars, sum)
            });
            let lanes = places.lanes().into_iter().take(geometry.instances.len());
            let places = lanes.map(i32::cast_unsigned).chain(scalars);
            let weights = geometry.parameters_of(position).zip(places);
            let weights = weights.map(move |(parameter, place)| PartWeight {
                steps: table.within.block.steps[table.start + place as usize],
                count: counts.map_or(0, |counts| counts.of(phase)[parameter]),
            });
            (weights, together)
        })
    }

    #[inline(always)]
    fn places_of_scalars<I: Instructions>(&self, set: I, position: &Position) -> ScalarPlaces {
        match self.scalars[..] {
            [] => ScalarPlaces::new(),
            // A shortcut: counting all scalar features takes longer than summing all patterns.
            [Scalar::PlayerDiscs] => {
                let place = self.layout.scalars + Scalar::PlayerDiscs.count(position);
                [place as u32].into_iter().collect()
            }
            _ => {
                let counts = ScalarCounts::of_by(set, position);
                let place = |(number, &scalar): (usize, &Scalar)| {
                    self.layout.scalars + number * Scalar::VALUES + counts.get(scalar)
                };
                let places = self.scalars.iter().enumerate().map(place);
                places.map(|place| place as u32).collect()
            }
        }
    }

    #[inline(always)]
    fn sum_of_weights<I: Instructions>(&self, set: I, table: Table<'_>, at: Places<'_>) -> i32 {
        let (weights, start) = (&table.within.block.steps, table.start);
        let of_phase = &weights[start..];
        let scalars = at.scalars.iter().map(|&place| i32::from(of_phase[place as usize]));
        let end = start + self.layout.stride;
        sum(set, weights, start, end, at.middles, at.indices) + scalars.sum::<i32>()
    }

    #[inline(always)]
    fn sum_of_factors<I: Instructions>(&self, set: I, table: Table<'_>, at: Places<'_>) -> i32 {
        let Some(shape) = self.factors else { return 0 };
        factor_sum::steps(set, shape.dimensions(), &table.within.block.vectors, at)
    }

    #[compiled_for(I::SET)]
    fn value_by<I: Instructions>(&self, set: I, state: &Indices, position: &Position) -> Value {
        let table = self.table(phase_at(position.ply()));
        let scalars = &self.places_of_scalars(set, position);
        let places = Places { middles: &self.middles, indices: state, scalars };
        let alone = self.sum_of_weights(set, table, places);
        Value::clamped(alone + self.sum_of_factors(set, table, places))
    }

    #[compiled_for(I::SET)]
    fn value_after_within_by<I: Instructions>(
        &self,
        set: I,
        (state, square, flips, after): (&Indices, Square, u64, &Position),
        [alpha, beta]: [Value; 2],
    ) -> Value {
        let (state, table) = (self.after(state, square, flips), self.table(phase_at(after.ply())));
        let scalars = &self.places_of_scalars(set, after);
        let places = Places { middles: &self.middles, indices: &state, scalars };
        let alone = self.sum_of_weights(set, table, places);
        if let Some(FactorBounds { least, mean, greatest }) = table.within.bounds
            && (alone + greatest <= alpha.steps() || alone + least >= beta.steps())
        {
            return Value::clamped(alone + mean);
        }
        Value::clamped(alone + self.sum_of_factors(set, table, places))
    }

    #[compiled_for(I::SET)]
    fn value_at_by<I: Instructions>(
        &self,
        set: I,
        state: &Indices,
        position: &Position,
        ply: u32,
    ) -> Value {
        let scalars = &self.places_of_scalars(set, position);
        let places = Places { middles: &self.middles, indices: state, scalars };
        Value::clamped(self.sum_of_weights(set, self.table(phase_at(ply)), places))
    }
}

/// For each scalar feature, the index of its weight in a phase's table. The factor vector of the
/// same parameter has the same index.
type ScalarPlaces = ArrayVec<u32, { Scalar::ALL.len() }>;

impl Evaluate for Tables {
    type State = Indices;

    fn state(&self, position: &Position) -> Indices {
        self.lanes.indices(position)
    }

    #[inline(always)]
    fn after(&self, state: &Indices, square: Square, flips: u64) -> Indices {
        self.lanes.after(state, square, flips)
    }

    #[inline]
    fn pass(&self, state: &Indices) -> Indices {
        state.negated()
    }

    #[inline]
    fn value(&self, state: &Indices, position: &Position) -> Value {
        with_instructions!(|set| self.value_by(set, state, position))
    }

    #[inline]
    fn value_after_within(
        &self,
        state: &Indices,
        square: Square,
        flips: u64,
        after: &Position,
        window: [Value; 2],
    ) -> Value {
        let moved = (state, square, flips, after);
        with_instructions!(|set| self.value_after_within_by(set, moved, window))
    }

    /// Returns the value for move ordering, without factors, which take time and hardly help.
    #[inline]
    fn value_at(&self, state: &Indices, position: &Position, ply: u32) -> Value {
        with_instructions!(|set| self.value_at_by(set, state, position, ply))
    }

    fn move_ordering(&self) -> Option<&MoveOrdering> {
        self.ordering.as_ref()
    }

    fn models(&self) -> &Models {
        &self.models
    }
}

#[inline]
fn phase_at(ply: u32) -> usize {
    (ply as usize).min(PHASES - 1)
}

const GAMES: u64 = 200;
const DEVIATIONS: f64 = 3.0;

/// Positions of random games, from which [`FactorBounds`] are computed. The contribution of factors
/// varies more in random games than in a search, so the bounds tend to be too wide, not too narrow.
static SAMPLE: LazyLock<Vec<(Phase, Position)>> = LazyLock::new(|| {
    let steps = (0..GAMES).flat_map(|game| random_game(0, game, usize::MAX).steps);
    steps.filter_map(|step| Some((Phase::of(&step.position)?, step.position))).collect()
});

/// The mean and the bounds (mean ± 3 standard deviations) of the factors' contribution to a value,
/// in 1/32 disc, over the [`SAMPLE`] positions of a block. A pruned search uses the mean in place
/// of the contribution if even the greatest one leaves the value at most alpha, or even the least
/// one leaves it at least beta.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FactorBounds {
    least: i32,
    mean: i32,
    greatest: i32,
}

impl FactorBounds {
    fn of(worths: &[i32]) -> Self {
        let mean_of = |sum: f64| sum / worths.len().max(1) as f64;
        let mean = mean_of(worths.iter().map(|&worth| f64::from(worth)).sum());
        let square = |&worth: &i32| (f64::from(worth) - mean) * (f64::from(worth) - mean);
        let most = DEVIATIONS * mean_of(worths.iter().map(square).sum()).sqrt();
        let [least, greatest] = [(mean - most).floor() as i32, (mean + most).ceil() as i32];
        Self { least, mean: mean.round() as i32, greatest }
    }
}

#[cfg(test)]
mod tests;
