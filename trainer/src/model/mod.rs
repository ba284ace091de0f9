//! Which parameters a fit has, how a position finds its own, and how they fold back into the
//! classes of a weights file.

mod class;
mod index;
pub mod quantized;

use othello_engine::board::Position;
use othello_engine::pattern::{Geometry, PatternSet, Scalar, ScalarCounts};
use othello_engine::record::ScoredPosition;

pub(crate) use class::Lane;
use index::Indexer;
pub use index::{InstructionSet, MAX_FEATURES, Row};

/// The parameters of one phase as the fit numbers them: for each pattern its classes by
/// arithmetic, then the scalars. As many as in a weights file; only the order
/// inside a pattern differs.
#[derive(Clone, Debug)]
pub struct Model {
    set: PatternSet,
    geometry: Geometry,
    indexer: Indexer,
    /// For each parameter of the fit, its number in a weights file.
    in_file: Vec<u32>,
}

impl Model {
    /// The model of a pattern set, with the fastest instructions that the processor has.
    pub fn new(set: PatternSet) -> Self {
        Self::with_instructions(set, InstructionSet::fastest())
    }

    /// The model of a pattern set that computes features with these instructions, or portably
    /// where the processor lacks them. The features are the same.
    pub fn with_instructions(set: PatternSet, instructions: InstructionSet) -> Self {
        let geometry = Geometry::new(&set);
        let indexer = Indexer::new(&class::lanes(&geometry), instructions);
        let in_file = class::parameters_in_file(&geometry);
        Self { set, geometry, indexer, in_file }
    }

    /// The instructions that features are computed with.
    pub fn instructions(&self) -> InstructionSet {
        self.indexer.instruction_set()
    }

    /// The pattern set.
    pub fn set(&self) -> &PatternSet {
        &self.set
    }

    /// What follows from the pattern set.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The arithmetic of each instance's class.
    pub(crate) fn lanes(&self) -> Vec<Lane> {
        class::lanes(&self.geometry)
    }

    /// How many parameters a phase has.
    pub fn parameters(&self) -> usize {
        self.in_file.len()
    }

    /// The parameter of a weights file that parameter `parameter` of the fit is.
    pub fn in_file(&self, parameter: usize) -> usize {
        self.in_file[parameter] as usize
    }

    /// Values by the fit's numbering, from values by the file's.
    pub fn from_file<T: Copy>(&self, by_file: &[T]) -> Vec<T> {
        self.in_file.iter().map(|&parameter| by_file[parameter as usize]).collect()
    }

    /// Values by the file's numbering, from values by the fit's.
    pub fn to_file<T: Copy + Default>(&self, by_fit: &[T]) -> Vec<T> {
        let mut by_file = vec![T::default(); by_fit.len()];
        for (&parameter, &value) in self.in_file.iter().zip(by_fit) {
            by_file[parameter as usize] = value;
        }
        by_file
    }

    /// How many features a position has: one for each instance and each scalar.
    pub fn feature_count(&self) -> usize {
        self.geometry.instances.len() + self.geometry.scalars.len()
    }

    /// Writes, for each position, the parameters whose weights add up to its value; there are as
    /// many rows as positions. Every number in a row is less than [`Self::parameters`]; one that several instances
    /// share stands there as often.
    pub fn write_rows<P: Board>(&self, positions: &[P], rows: &mut [Row]) {
        debug_assert_eq!(positions.len(), rows.len());
        self.indexer.write(positions.iter().map(P::position), rows);
        let scalars = &self.geometry.scalars;
        if scalars.is_empty() {
            return;
        }
        for (position, Row(parameters)) in positions.iter().zip(rows.iter_mut()) {
            let counts = ScalarCounts::of(&position.position());
            let places = &mut parameters[self.geometry.instances.len()..];
            for (number, (place, &scalar)) in places.iter_mut().zip(scalars).enumerate() {
                let first = self.geometry.pattern_parameters + number * Scalar::VALUES;
                *place = (first + counts.get(scalar)) as u32;
            }
        }
    }

    /// The parameters of one position, in the order of [`Self::write_rows`].
    pub fn features(&self, position: &Position) -> Features {
        let mut rows = [Row::EMPTY];
        self.write_rows(std::slice::from_ref(position), &mut rows);
        Features { row: rows[0], length: self.feature_count() }
    }
}

/// What has a position.
pub trait Board {
    /// The position.
    fn position(&self) -> Position;
}

impl Board for Position {
    #[inline]
    fn position(&self) -> Position {
        *self
    }
}

impl Board for ScoredPosition {
    #[inline]
    fn position(&self) -> Position {
        Self::position(self)
    }
}

/// The parameters of one position.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    row: Row,
    length: usize,
}

impl Features {
    /// The parameters' numbers; one that several instances share stands there as often.
    pub fn parameters(&self) -> &[u32] {
        &self.row.0[..self.length]
    }
}

/// Positions along random games, from the first to the last move.
#[cfg(test)]
pub(crate) fn random_positions(games: u64) -> Vec<Position> {
    let game = |number| othello_engine::random::random_game(3, number, usize::MAX);
    (0..games).flat_map(|number| game(number).steps).map(|step| step.position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
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
}
