use super::sections::check_steps;
use crate::file::Section;
use crate::pattern::{Geometry, PatternSet};

pub(super) const ORDERING_SET: &str = "ordering pattern set";
pub(super) const ORDERING_WEIGHTS: &str = "ordering weights";

/// A small evaluation by which exact searches order moves near their leaves: a pattern set with a
/// weight for each class of symmetric configurations. [`Self::strength`] is its influence on the
/// ordering score of a move.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveOrderingWeights {
    set: PatternSet,
    strength: i16,
    steps: Vec<i16>,
}

impl MoveOrderingWeights {
    /// Creates the evaluation from its [strength](Self::strength) and one weight, in steps of 1/32
    /// disc, for each class of a pattern set without scalar features, in the order of [`Geometry`].
    ///
    /// # Errors
    /// A message for a scalar feature, a negative strength, a wrong number of weights, or a weight
    /// beyond ±[`MAX_STEPS`](super::MAX_STEPS).
    pub fn new(set: PatternSet, strength: i16, steps: Vec<i16>) -> Result<Self, String> {
        if !set.scalars().is_empty() {
            return Err("its pattern set has scalars; expected none".to_owned());
        }
        if strength < 0 {
            return Err(format!("the strength is {strength}; expected 0 or more"));
        }
        let parameters = Geometry::new(&set).parameters();
        if steps.len() != parameters {
            let found = steps.len();
            return Err(format!("has {found} weights; the pattern set has {parameters} classes"));
        }
        check_steps(&steps)?;
        Ok(Self { set, strength, steps })
    }

    /// Returns the small pattern set of the move-ordering evaluation.
    pub fn set(&self) -> &PatternSet {
        &self.set
    }

    /// Returns the number of points that an evaluation of 32 discs for the mover adds to a move's
    /// ordering score. For comparison, each legal reply of the opponent subtracts 16 points.
    pub fn strength(&self) -> i16 {
        self.strength
    }

    /// Returns the weights in steps of 1/32 disc, one for each parameter of the pattern set.
    pub fn steps(&self) -> &[i16] {
        &self.steps
    }

    /// Returns two sections of a weights file. The first has the pattern set. The second has the
    /// [strength](Self::strength), which is the influence on move ordering, and the weights.
    pub fn sections(&self) -> [Section; 2] {
        let numbers = [self.strength].into_iter().chain(self.steps.iter().copied());
        let content = numbers.flat_map(i16::to_le_bytes).collect();
        [
            Section { name: ORDERING_SET.to_owned(), content: self.set.to_toml().into_bytes() },
            Section { name: ORDERING_WEIGHTS.to_owned(), content },
        ]
    }

    /// Reads the contents of the two sections that [`Self::sections`] returns.
    ///
    /// # Errors
    /// A message for a pattern set or weights that cannot be used, as for [`Self::new`].
    pub fn from_sections(set: &[u8], weights: &[u8]) -> Result<Self, String> {
        let text = str::from_utf8(set).map_err(|_| "its pattern set is not text in UTF-8")?;
        let set =
            PatternSet::from_toml(text).map_err(|error| format!("its pattern set: {error}"))?;
        let (numbers, rest) = weights.as_chunks();
        let mut numbers = numbers.iter().copied().map(i16::from_le_bytes);
        let strength = numbers.next().filter(|_| rest.is_empty());
        let strength = strength.ok_or_else(|| {
            format!("has {} bytes; expected two for the strength and for each class", weights.len())
        })?;
        Self::new(set, strength, numbers.collect())
    }
}
