//! The parameters of a fit: which parameters a position has, and the conversion between the
//! parameter orders of a fit and of a weights file.
//!
//! The value of a position x sums over its features p: the class of each pattern instance, and the
//! count of each scalar. A feature has a weight wₚ and may have `width` factors vₚⱼ:
//!
//! ```text
//! V(x) = Σₚ wₚ                                                   weights alone
//! V(x) = Σₚ wₚ + ½ Σⱼ εⱼ ((Σₚ vₚⱼ)² − Σₚ vₚⱼ²),  j < width       with factor vectors v
//! εⱼ = 1 for j < width / 2, else −1
//! ```
//!
//! [`Model`] returns the features of positions. [`Phases`] is a range of phases on the command
//! line. `averaged` and `quantized` change weights without a fit. For an example see the [crate].

pub mod averaged;
mod class;
mod index;
pub mod quantized;

use std::ops::RangeInclusive;
use std::str::FromStr;

use ndarray::Array2;
use othello_engine::board::{PHASES, Phase, Position};
use othello_engine::pattern::{Geometry, PatternSet, Scalar, ScalarCounts};
use othello_engine::text::{Invalid, parse_range};
use rayon::prelude::*;

pub(crate) use class::Lane;
use index::Indexer;
pub use index::{InstructionSet, MAX_FEATURES, Row};

/// A pattern set with the order of its parameters in a fit: first the classes of each pattern, then
/// the counts (0 to 64) of each scalar feature. In weights files, the classes have another order.
#[derive(Clone, Debug)]
pub struct Model {
    set: PatternSet,
    geometry: Geometry,
    indexer: Indexer,
    in_file: Vec<u32>,
}

impl Model {
    /// Creates the model of a pattern set, for the fastest instructions of the processor.
    pub fn new(set: PatternSet) -> Self {
        Self::with_instructions(set, InstructionSet::fastest())
    }

    /// Creates the model with code for an instruction set; portable code if the processor lacks it.
    pub fn with_instructions(set: PatternSet, instructions: InstructionSet) -> Self {
        let geometry = Geometry::new(&set);
        let indexer = Indexer::new(&class::lanes(&geometry), instructions);
        let in_file = class::parameters_in_file(&geometry);
        Self { set, geometry, indexer, in_file }
    }

    /// Returns the instruction set with which the model computes features.
    pub fn instructions(&self) -> InstructionSet {
        self.indexer.instructions
    }

    /// Returns the pattern set that the model was made from.
    pub fn set(&self) -> &PatternSet {
        &self.set
    }

    /// Returns the geometry of the pattern set: instances, classes and scalars.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    pub(crate) fn lanes(&self) -> Vec<Lane> {
        class::lanes(&self.geometry)
    }

    /// Returns the number of parameters of a phase.
    pub fn parameters(&self) -> usize {
        self.in_file.len()
    }

    /// Returns the index that a parameter of the fit has in weights files.
    pub fn in_file(&self, parameter: usize) -> usize {
        self.in_file[parameter] as usize
    }

    /// Reorders values, one for each parameter, from the order of weights files to that of the fit.
    pub fn from_file<T: Copy>(&self, by_file: &[T]) -> Vec<T> {
        self.in_file.iter().map(|&parameter| by_file[parameter as usize]).collect()
    }

    /// Reorders values, one for each parameter, from the order of the fit to that of weights files.
    pub fn to_file<T: Copy + Default>(&self, by_fit: &[T]) -> Vec<T> {
        let mut by_file = vec![T::default(); by_fit.len()];
        for (&parameter, &value) in self.in_file.iter().zip(by_fit) {
            by_file[parameter as usize] = value;
        }
        by_file
    }

    /// Returns the number of features of a position: one for each instance and each scalar.
    pub fn feature_count(&self) -> usize {
        self.geometry.instances.len() + self.geometry.scalars.len()
    }

    /// Writes a row for each position, with the index (below [`Self::parameters`]) of the parameter
    /// of each feature. Two pattern instances of a position may have the same parameter.
    pub fn write_rows(&self, positions: impl Iterator<Item = Position> + Clone, rows: &mut [Row]) {
        self.indexer.write(positions.clone(), rows);
        let scalars = &self.geometry.scalars;
        if scalars.is_empty() {
            return;
        }
        for (position, Row(parameters)) in positions.zip(rows) {
            let counts = ScalarCounts::of(&position);
            let places = &mut parameters[self.geometry.instances.len()..];
            for (number, (place, &scalar)) in places.iter_mut().zip(scalars).enumerate() {
                let first = self.geometry.pattern_parameters + number * Scalar::VALUES;
                *place = (first + counts.get(scalar)) as u32;
            }
        }
    }

    /// Returns a position's parameter indices: for each pattern instance, then for each scalar.
    pub fn features(&self, position: &Position) -> Vec<u32> {
        let mut rows = [Row::EMPTY];
        self.write_rows([*position].into_iter(), &mut rows);
        rows[0].features(self).to_vec()
    }

    /// Returns a row for each position: the parameter indices of its features, in the parameter
    /// order of weights files.
    pub fn rows_in_file(&self, positions: &[Position]) -> Array2<i32> {
        const CHUNK: usize = 256;
        let features = self.feature_count();
        let mut all = Array2::zeros((positions.len(), features));
        // A new array is contiguous. A pattern set has at least one feature, so no chunk is empty.
        let numbers = all.as_slice_mut().unwrap_or_default();
        let chunks = numbers.par_chunks_mut(CHUNK * features).zip(positions.par_chunks(CHUNK));
        chunks.for_each(|(numbers, positions)| {
            let mut rows = [Row::EMPTY; CHUNK];
            let rows = &mut rows[..positions.len()];
            self.write_rows(positions.iter().copied(), rows);
            for (numbers, row) in numbers.chunks_exact_mut(features).zip(rows) {
                for (number, &parameter) in numbers.iter_mut().zip(row.features(self)) {
                    *number = self.in_file(parameter as usize) as i32;
                }
            }
        });
        all
    }
}

/// A range of phases on the command line: `A..B`, which includes B, or one phase `A`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phases(pub RangeInclusive<Phase>);

impl Default for Phases {
    fn default() -> Self {
        let bound = |index| Phase::new(index).expect("0 and 59 are phases");
        Self(bound(0)..=bound(59))
    }
}

impl Phases {
    /// Returns the phases of positions with these numbers of empty squares.
    pub fn with_empties(empties: RangeInclusive<usize>) -> Self {
        let Self(all) = Self::default();
        let bound = |empties, end| Phase::new(PHASES.saturating_sub(empties)).unwrap_or(end);
        Self(bound(*empties.end(), *all.start())..=bound(*empties.start(), *all.end()))
    }

    /// Returns the phases in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Phase> {
        Phase::all().filter(|phase| self.0.contains(phase))
    }
}

impl FromStr for Phases {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let phases = parse_range(text, &(0..=PHASES - 1))
            .and_then(|range| Some(Phase::new(*range.start())?..=Phase::new(*range.end())?));
        let expected = "`A..B` with 0 ≤ A ≤ B ≤ 59, B included";
        phases.map(Self).ok_or_else(|| Invalid::not(text, "a range of phases", expected))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn random_positions(games: u64) -> Vec<Position> {
        let game = |number| othello_engine::random::random_game(3, number, usize::MAX);
        (0..games).flat_map(|number| game(number).steps).map(|step| step.position).collect()
    }

    #[test]
    fn the_two_numberings_are_a_permutation_of_each_other() {
        for name in ["standard", "small"] {
            let model = Model::new(PatternSet::shipped(name).unwrap());
            assert_eq!(model.parameters(), model.geometry.parameters());
            let numbers: Vec<u32> = (0..model.parameters() as u32).collect();
            assert_eq!(model.from_file(&model.to_file(&numbers)), numbers);
            let mut in_file = model.in_file.clone();
            in_file.sort_unstable();
            assert_eq!(in_file, numbers);
        }
    }

    #[test]
    fn empty_squares_and_phases_are_60_together() {
        let phases = |empties: RangeInclusive<usize>| {
            let Phases(range) = Phases::with_empties(empties);
            (range.start().index(), range.end().index())
        };
        assert_eq!(phases(13..=24), (36, 47));
        assert_eq!(phases(0..=99), (0, 59));
    }

    #[test]
    fn the_last_phase_is_taken_in() {
        let range = |text: &str| {
            let Phases(range) = text.parse().unwrap();
            (range.start().index(), range.end().index())
        };
        assert_eq!(range("34..38"), (34, 38));
        assert_eq!(range("34..=38"), (34, 38));
        assert_eq!(range("36"), (36, 36));
        for text in ["", "38..34", "0..60", "a..b", "-1..3", "3.."] {
            assert!(text.parse::<Phases>().is_err(), "{text}");
        }
    }
}
