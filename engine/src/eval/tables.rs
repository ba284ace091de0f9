//! The evaluation by patterns: expanded weights, and their sum over all lanes.

use std::borrow::Cow;

use arrayvec::ArrayVec;

use super::factor_sum::Places;
use super::factor_tables::FactorTables;
use super::layout::{self, TableLayout};
use super::likely::Likely;
use super::sum::{Middles, sum};
use super::{Evaluate, Factors, Models, MoveOrdering, MoveOrderingWeights, Value, Weights};
use crate::board::{PHASES, Phase, Position, Square};
use crate::pattern::{Geometry, Indices, LANES, Lanes, Scalar, ScalarCounts};

/// The weights of a file, expanded for play.
#[derive(Clone, Debug)]
pub struct Tables {
    lanes: Lanes,
    layout: TableLayout,
    middles: Middles,
    scalars: Vec<Scalar>,
    weights: Cow<'static, [i16]>,
    factors: Option<FactorTables>,
    /// The likely range of the factors' worth, by group of phases.
    likely: Vec<Likely>,
    ordering: Option<MoveOrdering>,
    models: Models,
}

impl Tables {
    /// Expands weights by class.
    pub fn new(weights: &Weights) -> Self {
        let geometry = weights.geometry();
        let expanded = |it: &Factors| {
            let vectors = Cow::Owned(layout::expand_factors(geometry, it));
            FactorTables::new(geometry, it.shape(), vectors)
        };
        let (tables, factors) = (layout::expand(weights), weights.factors().map(expanded));
        let (ordering, models) = (weights.move_ordering(), weights.models().clone());
        Self::with_tables(geometry, Cow::Owned(tables), factors, ordering, models)
    }

    /// Wraps tables that were expanded at build time. The length of `weights` must be
    /// [`TableLayout::total`] for this geometry.
    pub(super) fn with_tables(
        geometry: &Geometry,
        weights: Cow<'static, [i16]>,
        factors: Option<FactorTables>,
        ordering: Option<&MoveOrderingWeights>,
        models: Models,
    ) -> Self {
        let layout = TableLayout::new(geometry);
        assert_eq!(weights.len(), layout.total(), "tables of another pattern set");
        let tables = Self {
            lanes: Lanes::new(geometry),
            middles: Middles::new(layout.middles),
            layout,
            scalars: geometry.scalars.clone(),
            weights,
            factors,
            likely: vec![],
            ordering: ordering.map(MoveOrdering::new),
            models,
        };
        Self { likely: tables.likely(), ..tables }
    }

    /// Computes the likely range of the factors' worth for each group of phases.
    fn likely(&self) -> Vec<Likely> {
        let Some(factors) = &self.factors else { return vec![] };
        Likely::of_groups(factors.shape(), |phase, position| {
            self.sum_of_factors(phase.index(), &self.state(position), position)
        })
    }
}

impl Tables {
    /// Returns the weights of all phases, into which [`Tables::places`] points.
    pub fn weights(&self) -> &[i16] {
        &self.weights
    }

    /// Returns the places of the weights of a position's lanes.
    pub fn places(&self, indices: &Indices, position: &Position) -> [u32; LANES] {
        let phase = Phase::of(position).map_or(PHASES - 1, Phase::index);
        let start = self.layout.start(phase) as u32;
        std::array::from_fn(|lane| {
            (start + self.layout.middles[lane]).wrapping_add_signed(indices.0[lane].into())
        })
    }

    /// Returns the vectors of factors of all phases, one after another, into which
    /// [`Tables::factor_places`] points; none for a pattern set without factors.
    pub fn factors(&self) -> &[i8] {
        self.factors.as_ref().map_or(&[], FactorTables::vectors)
    }

    /// Returns the places of the vectors of factors of a position's lanes and scalar features.
    pub fn factor_places(
        &self,
        indices: &Indices,
        position: &Position,
    ) -> ArrayVec<u32, { LANES + Scalar::ALL.len() }> {
        let phase = Phase::of(position);
        let (Some(factors), Some(phase)) = (&self.factors, phase) else { return ArrayVec::new() };
        let others = self.other_places(position);
        let places = Places { middles: &self.middles, indices, others: &others };
        factors.places(phase, places).collect()
    }

    /// Returns the sum of the weights of all instances, in steps.
    #[inline]
    fn sum_of_patterns(&self, phase: usize, indices: &Indices) -> i32 {
        let start = self.layout.start(phase);
        sum(&self.weights, start, start + self.layout.stride, &self.middles, indices)
    }

    /// Returns the places of the weights of a position's scalar features, counted from the start of
    /// a phase.
    #[inline]
    fn places_of_scalars(&self, position: &Position) -> impl Iterator<Item = usize> {
        let counts = ScalarCounts::of(position);
        let place = move |number, scalar| {
            self.layout.scalars + number * Scalar::VALUES + counts.get(scalar)
        };
        self.scalars.iter().enumerate().map(move |(number, &scalar)| place(number, scalar))
    }

    /// Returns the sum of the weights of all scalar features, in steps.
    #[inline]
    fn sum_of_scalars(&self, phase: usize, position: &Position) -> i32 {
        let start = self.layout.start(phase);
        match self.scalars[..] {
            [] => 0,
            // The shipped weights: computing the other counts takes longer than summing all
            // patterns.
            [Scalar::PlayerDiscs] => {
                let place = self.layout.scalars + Scalar::PlayerDiscs.count(position);
                i32::from(self.weights[start + place])
            }
            _ => {
                let places = self.places_of_scalars(position);
                places.map(|place| i32::from(self.weights[start + place])).sum()
            }
        }
    }

    /// Returns the sum of the weights of all instances and scalar features, in steps.
    #[inline]
    fn sum_of_weights(&self, phase: usize, indices: &Indices, position: &Position) -> i32 {
        self.sum_of_patterns(phase, indices) + self.sum_of_scalars(phase, position)
    }

    /// Returns the places of the factors of a position's scalar features.
    #[inline]
    fn other_places(&self, position: &Position) -> ArrayVec<u32, { Scalar::ALL.len() }> {
        self.places_of_scalars(position).map(|place| place as u32).collect()
    }

    /// Returns the joint worth of patterns and scalar features, in steps.
    #[inline]
    fn sum_of_factors(&self, phase: usize, indices: &Indices, position: &Position) -> i32 {
        let (Some(factors), Some(phase)) = (&self.factors, Phase::new(phase)) else { return 0 };
        let others = self.other_places(position);
        factors.steps(phase, Places { middles: &self.middles, indices, others: &others })
    }
}

impl Evaluate for Tables {
    type State = Indices;

    fn state(&self, position: &Position) -> Indices {
        self.lanes.indices(position)
    }

    #[inline]
    fn after(&self, state: &Indices, square: Square, flips: u64) -> Indices {
        self.lanes.after(state, square, flips)
    }

    #[inline]
    fn pass(&self, state: &Indices) -> Indices {
        state.negated()
    }

    #[inline]
    fn value(&self, state: &Indices, position: &Position) -> Value {
        let phase = phase_at(position.ply());
        let alone = self.sum_of_weights(phase, state, position);
        Value::clamped(alone + self.sum_of_factors(phase, state, position))
    }

    #[inline]
    fn value_after_within(
        &self,
        state: &Indices,
        square: Square,
        flips: u64,
        after: &Position,
        [alpha, beta]: [Value; 2],
    ) -> Value {
        let (state, phase) = (self.after(state, square, flips), phase_at(after.ply()));
        let alone = self.sum_of_weights(phase, &state, after);
        if let Some(factors) = &self.factors {
            let Likely { least, mean, greatest } = self.likely[factors.group(phase)];
            if alone + greatest <= alpha.steps() || alone + least >= beta.steps() {
                return Value::clamped(alone + mean);
            }
        }
        Value::clamped(alone + self.sum_of_factors(phase, &state, after))
    }

    /// Uses the weights without the factors: moves are ordered no worse.
    #[inline]
    fn value_at(&self, state: &Indices, position: &Position, ply: u32) -> Value {
        Value::clamped(self.sum_of_weights(phase_at(ply), state, position))
    }

    fn move_ordering(&self) -> Option<&MoveOrdering> {
        self.ordering.as_ref()
    }

    fn models(&self) -> &Models {
        &self.models
    }
}

/// Returns the number of the phase at a ply; that of the last phase for a full board.
#[inline]
fn phase_at(ply: u32) -> usize {
    (ply as usize).min(PHASES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random_game;

    #[test]
    fn the_parts_add_up_to_the_value_of_the_tables() {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets/conformance/conformance.weights");
        let bytes = std::fs::read(path).unwrap();
        let weights = Weights::read_bytes(path.as_ref(), bytes).unwrap().weights;
        let tables = Tables::new(&weights);
        for step in random_game(7, 1, usize::MAX).steps {
            let parts = weights.parts(&step.position).unwrap();
            let value = tables.value(&tables.state(&step.position), &step.position);
            assert_eq!(Value::clamped(parts.steps()), value);
            assert_eq!(parts.scalars.len(), weights.set().scalars().len());
        }
        assert!(weights.parts(&Position::new(15, 0).unwrap()).is_none());
    }
}
