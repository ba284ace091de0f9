//! The evaluation by patterns: expanded weights, and their sum over all lanes.

use std::borrow::Cow;

use arrayvec::ArrayVec;

use super::factor_bounds::FactorBounds;
use super::factor_sum::Places;
use super::factor_tables::FactorTables;
use super::layout::TableLayout;
use super::sum::{Middles, sum};
use super::{
    Counts, Evaluate, ExpandedWeights, Models, MoveOrdering, MoveOrderingWeights, PartWeight,
    Parts, Value, Weights,
};
use crate::board::{PHASES, Phase, Position, Square};
use crate::pattern::{Geometry, Indices, LANES, Lanes, PatternSet, Scalar, ScalarCounts};
use crate::simd::{Instructions, compiled_for};
use crate::with_instructions;

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
    factor_bounds: Vec<FactorBounds>,
    ordering: Option<MoveOrdering>,
    models: Models,
}

impl Tables {
    /// Expands weights by class.
    pub fn new(weights: &Weights) -> Self {
        ExpandedWeights::of(weights).into()
    }

    /// Returns these tables with other models of what searches may leave out.
    #[must_use]
    pub fn with_models(self, models: Models) -> Self {
        Self { models, ..self }
    }

    /// Returns these tables with another evaluation that orders moves in the last plies, or without
    /// one.
    #[must_use]
    pub fn with_move_ordering(self, weights: Option<&MoveOrderingWeights>) -> Self {
        Self { ordering: weights.map(MoveOrdering::new), ..self }
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
            factor_bounds: vec![],
            ordering: ordering.map(MoveOrdering::new),
            models,
        };
        Self { factor_bounds: tables.factor_bounds(), ..tables }
    }

    /// Computes the likely range of the factors' worth for each group of phases.
    fn factor_bounds(&self) -> Vec<FactorBounds> {
        let Some(factors) = &self.factors else { return vec![] };
        FactorBounds::of_groups(factors.shape(), |phase, position| {
            let state = self.state(position);
            with_instructions!(|set| {
                let scalars = self.places_of_scalars(set, position);
                self.sum_of_factors(set, phase.index(), &state, &scalars)
            })
        })
    }
}

impl From<ExpandedWeights> for Tables {
    /// Takes over weights that were expanded.
    fn from(weights: ExpandedWeights) -> Self {
        let ExpandedWeights { set, geometry, steps, vectors, ordering, models } = weights;
        let factors = set.factors();
        let factors = factors.map(|shape| FactorTables::new(&geometry, shape, vectors.into()));
        Self::with_tables(&geometry, steps.into(), factors, ordering.as_ref(), models)
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
        let others = with_instructions!(|set| self.places_of_scalars(set, position));
        let places = Places { middles: &self.middles, indices, others: &others };
        factors.places(phase, places).collect()
    }

    /// Takes the value of a position apart, as [`Weights::parts`] does: the lanes are those of the
    /// instances. The set and its geometry are those of the weights, and so are the counts, which
    /// are 0 where there are none.
    pub fn parts<'a>(
        &self,
        set: &'a PatternSet,
        geometry: &'a Geometry,
        counts: Option<&Counts>,
        position: &Position,
    ) -> Option<Parts<'a>> {
        Parts::new(set, geometry, position, |phase| {
            let state = self.state(position);
            let lanes = self.places(&state, position).into_iter().take(geometry.instances.len());
            let (scalars, together) = with_instructions!(|instructions| {
                let scalars = self.places_of_scalars(instructions, position);
                let sum = self.sum_of_factors(instructions, phase.index(), &state, &scalars);
                (scalars, sum)
            });
            let start = self.layout.start(phase.index()) as u32;
            let places = lanes.chain(scalars.into_iter().map(move |place| start + place));
            let weights = geometry.parameters_of(position).zip(places);
            let weights = weights.map(move |(parameter, place)| PartWeight {
                steps: self.weights[place as usize],
                count: counts.map_or(0, |counts| counts.of(phase)[parameter]),
            });
            (weights, together)
        })
    }

    /// Returns the sum of the weights of all instances, in steps.
    #[inline(always)]
    fn sum_of_patterns<I: Instructions>(&self, set: I, phase: usize, indices: &Indices) -> i32 {
        let start = self.layout.start(phase);
        sum(set, &self.weights, start, start + self.layout.stride, &self.middles, indices)
    }

    /// Returns the places of the weights and factors of a position's scalar features, counted from
    /// the start of a phase.
    #[inline(always)]
    fn places_of_scalars<I: Instructions>(&self, set: I, position: &Position) -> ScalarPlaces {
        match self.scalars[..] {
            [] => ScalarPlaces::new(),
            // Computing the other counts takes longer than summing all patterns.
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

    /// Returns the sum of the weights of all instances and scalar features, in steps.
    #[inline(always)]
    fn sum_of_weights<I: Instructions>(
        &self,
        set: I,
        phase: usize,
        indices: &Indices,
        scalars: &ScalarPlaces,
    ) -> i32 {
        let start = self.layout.start(phase);
        let weight = |&place: &u32| i32::from(self.weights[start + place as usize]);
        self.sum_of_patterns(set, phase, indices) + scalars.iter().map(weight).sum::<i32>()
    }

    /// Returns the joint worth of patterns and scalar features, in steps.
    #[inline(always)]
    fn sum_of_factors<I: Instructions>(
        &self,
        set: I,
        phase: usize,
        indices: &Indices,
        scalars: &ScalarPlaces,
    ) -> i32 {
        let (Some(factors), Some(phase)) = (&self.factors, Phase::new(phase)) else { return 0 };
        factors.steps(set, phase, Places { middles: &self.middles, indices, others: scalars })
    }

    #[compiled_for(I::SET)]
    fn value_by<I: Instructions>(&self, set: I, state: &Indices, position: &Position) -> Value {
        let phase = phase_at(position.ply());
        let scalars = self.places_of_scalars(set, position);
        let alone = self.sum_of_weights(set, phase, state, &scalars);
        Value::clamped(alone + self.sum_of_factors(set, phase, state, &scalars))
    }

    #[compiled_for(I::SET)]
    fn value_after_within_by<I: Instructions>(
        &self,
        set: I,
        (state, square, flips, after): (&Indices, Square, u64, &Position),
        [alpha, beta]: [Value; 2],
    ) -> Value {
        let (state, phase) = (self.after(state, square, flips), phase_at(after.ply()));
        let scalars = self.places_of_scalars(set, after);
        let alone = self.sum_of_weights(set, phase, &state, &scalars);
        if let Some(factors) = &self.factors {
            let FactorBounds { least, mean, greatest } = self.factor_bounds[factors.group(phase)];
            if alone + greatest <= alpha.steps() || alone + least >= beta.steps() {
                return Value::clamped(alone + mean);
            }
        }
        Value::clamped(alone + self.sum_of_factors(set, phase, &state, &scalars))
    }

    #[compiled_for(I::SET)]
    fn value_at_by<I: Instructions>(
        &self,
        set: I,
        state: &Indices,
        position: &Position,
        ply: u32,
    ) -> Value {
        let scalars = self.places_of_scalars(set, position);
        Value::clamped(self.sum_of_weights(set, phase_at(ply), state, &scalars))
    }
}

/// The places of the weights and factors of scalar features.
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
        with_instructions!(|set| self.value_after_within_by(
            set,
            (state, square, flips, after),
            window
        ))
    }

    /// Uses the weights without the factors: moves are ordered no worse.
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
        let weights = Weights::read_bytes(path.as_ref(), bytes.clone()).unwrap().weights;
        let (file, counts) = ExpandedWeights::read_with_counts(path.as_ref(), bytes).unwrap();
        let (set, geometry) = (file.weights.set.clone(), file.weights.geometry.clone());
        let tables = Tables::from(file.weights);
        for step in random_game(7, 1, usize::MAX).steps {
            let parts = weights.parts(&step.position).unwrap();
            let value = tables.value(&tables.state(&step.position), &step.position);
            assert_eq!(Value::clamped(parts.steps()), value);
            assert_eq!(parts.scalars.len(), weights.set().scalars().len());
            let expanded = tables.parts(&set, &geometry, Some(&counts), &step.position);
            assert_eq!(format!("{:?}", expanded.unwrap()), format!("{parts:?}"));
        }
        let no_move = Position::new(15, 0).unwrap();
        assert!(weights.parts(&no_move).is_none());
        assert!(tables.parts(&set, &geometry, None, &no_move).is_none());
    }
}
