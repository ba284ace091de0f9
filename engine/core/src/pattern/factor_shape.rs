use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::board::{PHASES, Phase};

/// The shape of a factorization machine (Rendle 2010) over the parameters of a pattern set: each
/// parameter has a factor vector in each group of consecutive phases.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(try_from = "RawShape")]
pub struct FactorShape {
    dimensions: usize,
    phases: usize,
}

#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawShape {
    dimensions: usize,
    phases: usize,
}

impl FactorShape {
    /// The possible widths of factor vectors, which fill whole processor vectors.
    pub const DIMENSIONS: [usize; 5] = [8, 16, 32, 64, 128];

    /// Creates a shape, if `dimensions` is in [`Self::DIMENSIONS`] and `phases` in 1..=60.
    pub fn new(dimensions: usize, phases: usize) -> Option<Self> {
        let is_valid = Self::DIMENSIONS.contains(&dimensions) && (1..=PHASES).contains(&phases);
        is_valid.then_some(Self { dimensions, phases })
    }

    /// Returns the number of elements of a factor vector.
    pub fn dimensions(self) -> usize {
        self.dimensions
    }

    /// Returns the number of consecutive phases that share factor vectors, 1 to 60.
    pub fn phases(self) -> usize {
        self.phases
    }

    /// Returns the number of groups of phases that share factor vectors; the last may be smaller.
    pub fn groups(self) -> usize {
        PHASES.div_ceil(self.phases)
    }

    /// Returns the index, from 0, of the group of phases that shares factor vectors with `phase`.
    pub fn group(self, phase: Phase) -> usize {
        phase.index() / self.phases
    }

    /// Extends a range at both ends to whole groups of phases that share factor vectors.
    pub fn whole_groups(self, range: &RangeInclusive<Phase>) -> RangeInclusive<Phase> {
        let together =
            |end: Phase| Phase::all().filter(move |&phase| self.group(phase) == self.group(end));
        let (first, last) = (*range.start(), *range.end());
        together(first).next().unwrap_or(first)..=together(last).next_back().unwrap_or(last)
    }
}

/// The user's choice of the factors' shape: `64` (the width of the factor vectors), or `64/20` (the
/// width, and the number of consecutive phases that share vectors).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FactorChoice {
    dimensions: usize,
    phases: Option<usize>,
}

impl FactorChoice {
    /// Returns the chosen shape. If the choice lacks the number of phases per group, takes it from
    /// `before` (the shape of the pattern set or initial weights), or 20 if `before` is `None`.
    pub fn shape(self, before: Option<FactorShape>) -> FactorShape {
        let phases = self.phases.or(before.map(FactorShape::phases)).unwrap_or(20);
        FactorShape { dimensions: self.dimensions, phases }
    }
}

impl FromStr for FactorChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (dimensions, phases) = match text.split_once('/') {
                Some((dimensions, phases)) => (dimensions, Some(phases.parse().ok()?)),
                None => (text, None),
            };
            let shape = FactorShape::new(dimensions.parse().ok()?, phases.unwrap_or(1))?;
            Some(Self { dimensions: shape.dimensions, phases })
        };
        read().ok_or_else(|| {
            let shared = format!("with /N where N phases (1 to {PHASES}) share them");
            format!("expected one of {:?}, {shared}, such as 64/20", FactorShape::DIMENSIONS)
        })
    }
}

impl TryFrom<RawShape> for FactorShape {
    type Error = String;

    fn try_from(raw: RawShape) -> Result<Self, String> {
        let RawShape { dimensions, phases } = raw;
        Self::new(dimensions, phases).ok_or_else(|| {
            format!(
                "factors with {dimensions} dimensions in groups of {phases} phases; expected 8, 16, \
                 32, 64 or 128 dimensions, and groups of 1 to {PHASES} phases"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_is_in_one_group_of_neighbours() {
        for (phases, groups) in [(1, 60), (5, 12), (7, 9), (60, 1)] {
            let shape = FactorShape::new(8, phases).unwrap();
            assert_eq!(shape.groups(), groups);
            let found: Vec<usize> = Phase::all().map(|phase| shape.group(phase)).collect();
            assert!(found.is_sorted());
            assert!((0..groups).all(|group| found.contains(&group)), "{found:?}");
        }
    }

    #[test]
    fn a_choice_keeps_the_phases_that_it_does_not_state() {
        let shape = |text: &str, before| text.parse::<FactorChoice>().map(|it| it.shape(before));
        let before = FactorShape::new(8, 5);
        assert_eq!(shape("64", before).ok(), FactorShape::new(64, 5));
        assert_eq!(shape("64", None).ok(), FactorShape::new(64, 20));
        assert_eq!(shape("64/10", before).ok(), FactorShape::new(64, 10));
        for text in ["", "0", "12", "256", "64/", "64/0", "64/61", "/20", "64/20/3", "-8"] {
            let refused = shape(text, before).unwrap_err();
            assert!(refused.contains("such as 64/20"), "{text}: {refused}");
        }
    }
}
