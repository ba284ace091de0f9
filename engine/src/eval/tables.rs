//! The evaluation by patterns: expanded weights, and the sum over all lanes.

use std::borrow::Cow;

use arrayvec::ArrayVec;

use super::factor_sum::Places;
use super::factor_tables::FactorTables;
use super::layout::{TableLayout, expand};
use super::sum::{Middles, sum};
use super::{Evaluate, MoveOrdering, MoveOrderingWeights, ProbCut, Value, Weights};
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
    ordering: Option<MoveOrdering>,
    probcut: Option<ProbCut>,
}

impl Tables {
    /// Expands weights.
    pub fn new(weights: &Weights) -> Self {
        let tables = Cow::Owned(expand(weights));
        let probcut = weights.probcut().cloned();
        let geometry = weights.geometry();
        let tables = Self::with_tables(geometry, tables, weights.move_ordering(), probcut);
        let expanded = |factors| FactorTables::new(geometry, &tables.layout, factors);
        Self { factors: weights.factors().map(expanded), ..tables }
    }

    /// Takes tables that were expanded before, at build time, without factors. `weights` is as long as
    /// [`TableLayout::total`] says for this geometry.
    pub(super) fn with_tables(
        geometry: &Geometry,
        weights: Cow<'static, [i16]>,
        ordering: Option<&MoveOrderingWeights>,
        probcut: Option<ProbCut>,
    ) -> Self {
        let layout = TableLayout::new(geometry);
        assert_eq!(weights.len(), layout.total(), "tables of another pattern set");
        Self {
            lanes: Lanes::new(geometry),
            middles: Middles::new(layout.middles),
            layout,
            scalars: geometry.scalars.clone(),
            weights,
            factors: None,
            ordering: ordering.map(MoveOrdering::new),
            probcut,
        }
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

    /// What patterns and scalar features are worth together, in steps.
    #[inline]
    fn sum_of_factors(&self, phase: usize, indices: &Indices, position: &Position) -> i32 {
        let (Some(factors), Some(phase)) = (&self.factors, Phase::new(phase)) else { return 0 };
        let others = self.places_of_scalars(position).map(|place| place as u32);
        let others: ArrayVec<u32, { Scalar::ALL.len() }> = others.collect();
        factors.steps(phase, Places { middles: &self.layout.middles, indices, others: &others })
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
        self.value_at(state, position, position.ply())
    }

    #[inline]
    fn value_at(&self, state: &Indices, position: &Position, ply: u32) -> Value {
        let phase = (ply as usize).min(PHASES - 1);
        let alone = self.sum_of_patterns(phase, state) + self.sum_of_scalars(phase, position);
        Value::clamped(alone + self.sum_of_factors(phase, state, position))
    }

    fn move_ordering(&self) -> Option<&MoveOrdering> {
        self.ordering.as_ref()
    }

    fn probcut(&self) -> Option<&ProbCut> {
        self.probcut.as_ref()
    }
}
