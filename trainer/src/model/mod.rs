//! Which parameters a fit has, how a position finds its own, and how they fold back into the
//! classes of a weights file.

mod class;

use othello_engine::board::Position;
use othello_engine::pattern::{Geometry, LANES, PatternSet, Scalar};

pub use class::ClassLanes;
pub(crate) use class::Lane;

/// The parameters of one phase as the fit numbers them: for each pattern its classes by
/// arithmetic (see [`ClassLanes`]), then the scalars. As many as in a weights file; only the order
/// inside a pattern differs.
#[derive(Clone, Debug)]
pub struct Model {
    set: PatternSet,
    geometry: Geometry,
    lanes: ClassLanes,
    /// For each parameter of the fit, its number in a weights file.
    in_file: Vec<u32>,
}

/// The most features a position has: one for each instance and each scalar.
pub const MAX_FEATURES: usize = LANES + 1;

impl Model {
    /// The model of a pattern set.
    pub fn new(set: PatternSet) -> Self {
        let geometry = Geometry::new(&set);
        let (lanes, in_file) = ClassLanes::new(&geometry);
        Self { set, geometry, lanes, in_file }
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

    /// The parameters whose weights add up to the value of `position`. Each is less than
    /// [`Self::parameters`].
    #[inline]
    pub fn features(&self, position: &Position) -> Features {
        let mut parameters = [0; MAX_FEATURES];
        self.lanes.parameters(position, &mut parameters);
        let mut length = self.lanes.instances();
        let first_scalar = self.geometry.pattern_parameters;
        for (number, scalar) in self.geometry.scalars.iter().enumerate() {
            let parameter = first_scalar + number * Scalar::VALUES + scalar.count(position);
            parameters[length] = parameter as u32;
            length += 1;
        }
        Features { parameters, length }
    }
}

/// The parameters of one position.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    parameters: [u32; MAX_FEATURES],
    length: usize,
}

impl Features {
    /// The parameters' numbers; one that several instances share stands there as often.
    #[inline]
    pub fn parameters(&self) -> &[u32] {
        &self.parameters[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::board::{Square, Squares};
    use othello_engine::random::Generator;

    /// Positions along random games, from the first to the last move.
    fn random_positions(games: u64) -> Vec<Position> {
        let mut positions = vec![];
        for game in 0..games {
            let mut random = Generator::split(3, game);
            let mut position = Position::START;
            while !position.is_over() {
                let moves = position.moves();
                if moves == 0 {
                    position = position.pass();
                    continue;
                }
                positions.push(position);
                let choice = random.below(moves.count_ones()) as usize;
                let square: Square = Squares(moves).nth(choice).unwrap();
                position = position.play(square).unwrap();
            }
        }
        positions
    }

    #[test]
    fn arithmetic_finds_the_classes_that_the_definition_gives() {
        for name in ["standard", "small", "discs"] {
            let model = Model::new(PatternSet::shipped(name).unwrap());
            for position in random_positions(40) {
                let features = model.features(&position);
                let found = features.parameters().iter().map(|&p| model.in_file(p as usize));
                let expected: Vec<usize> = model.geometry.parameters_of(&position).collect();
                assert_eq!(found.collect::<Vec<_>>(), expected);
            }
        }
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
}
