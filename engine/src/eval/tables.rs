//! The evaluation by patterns: expanded weights, and the sum over all lanes.

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

/// A weights file ready to play from.
#[derive(Clone, Debug)]
pub struct Tables {
    lanes: Lanes,
    layout: TableLayout,
    middles: Middles,
    scalars: Vec<Scalar>,
    weights: Cow<'static, [i16]>,
    factors: Option<FactorTables>,
    /// What the factors of each group of phases are likely to be worth.
    likely: Vec<Likely>,
    ordering: Option<MoveOrdering>,
    models: Models,
}

impl Tables {
    /// Expands weights.
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

    /// Takes tables that were expanded before, at build time. `weights` is as long as
    /// [`TableLayout::total`] says for this geometry.
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

    /// What the factors of each group of phases are likely to be worth.
    fn likely(&self) -> Vec<Likely> {
        let Some(factors) = &self.factors else { return vec![] };
        Likely::of_groups(factors.shape(), |phase, position| {
            self.sum_of_factors(phase.index(), &self.state(position), position)
        })
    }
}

impl Tables {
    /// The weights of all phases, which [`Tables::places`] points into.
    pub fn weights(&self) -> &[i16] {
        &self.weights
    }

    /// The places of the weights of a position's lanes.
    pub fn places(&self, indices: &Indices, position: &Position) -> [u32; LANES] {
        let phase = Phase::of(position).map_or(PHASES - 1, Phase::index);
        let start = self.layout.start(phase) as u32;
        std::array::from_fn(|lane| {
            (start + self.layout.middles[lane]).wrapping_add_signed(indices.0[lane].into())
        })
    }

    /// The vectors of factors of all phases, one after another, which [`Tables::factor_places`] counts;
    /// none for a set without factors.
    pub fn factors(&self) -> &[i8] {
        self.factors.as_ref().map_or(&[], FactorTables::vectors)
    }

    /// The places of the vectors of factors that a position's lanes and scalar features name.
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

    /// The weights of all instances, added up, in steps.
    #[inline]
    fn sum_of_patterns(&self, phase: usize, indices: &Indices) -> i32 {
        let start = self.layout.start(phase);
        sum(&self.weights, start, start + self.layout.stride, &self.middles, indices)
    }

    /// The places of a position's scalar features, counted from the start of a phase.
    #[inline]
    fn places_of_scalars(&self, position: &Position) -> impl Iterator<Item = usize> {
        let counts = ScalarCounts::of(position);
        let place = move |number, scalar| {
            self.layout.scalars + number * Scalar::VALUES + counts.get(scalar)
        };
        self.scalars.iter().enumerate().map(move |(number, &scalar)| place(number, scalar))
    }

    /// The weights of all scalar features, added up, in steps.
    #[inline]
    fn sum_of_scalars(&self, phase: usize, position: &Position) -> i32 {
        let start = self.layout.start(phase);
        match self.scalars[..] {
            [] => 0,
            // The set of the shipped weights: the other counts cost more than the sum of all patterns.
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

    /// The weights of all instances and scalar features, added up, in steps.
    #[inline]
    fn sum_of_weights(&self, phase: usize, indices: &Indices, position: &Position) -> i32 {
        self.sum_of_patterns(phase, indices) + self.sum_of_scalars(phase, position)
    }

    /// The places of a position's scalar features, as its factors take them.
    #[inline]
    fn other_places(&self, position: &Position) -> ArrayVec<u32, { Scalar::ALL.len() }> {
        self.places_of_scalars(position).map(|place| place as u32).collect()
    }

    /// What patterns and scalar features are worth together, in steps.
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

    /// The weights alone: moves are ordered no worse without factors.
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

/// The number of the phase at a ply: the last one where the board is full.
#[inline]
fn phase_at(ply: u32) -> usize {
    (ply as usize).min(PHASES - 1)
}
