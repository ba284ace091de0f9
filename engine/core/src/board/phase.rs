//! Phases of a game: one for each ply. Each phase has its own set of weights.

use serde::{Deserialize, Serialize};

use super::Position;

/// The number of phases, one for each ply from 0 to 59.
pub const PHASES: usize = 60;

/// The number of a phase, 0..=59: the ply of its positions. Each phase has its own set of weights.
/// A full board has no phase.
#[derive(schemars::JsonSchema, Serialize, Deserialize, derive_more::Display)]
#[serde(try_from = "usize", into = "usize")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Phase(u8);

impl Phase {
    /// Returns the phase with this number; `None` for 60 and more.
    #[inline]
    pub const fn new(index: usize) -> Option<Self> {
        if index < PHASES { Some(Self(index as u8)) } else { None }
    }

    /// Returns the phase of a position; `None` for a full board.
    #[inline]
    pub fn of(position: &Position) -> Option<Self> {
        Self::new((position.discs() as usize).wrapping_sub(4))
    }

    /// Returns the number of the phase, 0..=59.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the previous phase, one ply earlier; `None` for the first.
    pub fn before(self) -> Option<Self> {
        self.index().checked_sub(1).and_then(Self::new)
    }

    /// Returns all phases in order.
    pub fn all() -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator {
        (0..PHASES as u8).map(Self)
    }
}

impl TryFrom<usize> for Phase {
    type Error = String;

    fn try_from(index: usize) -> Result<Self, String> {
        Self::new(index).ok_or_else(|| format!("phase {index} is not in 0..59"))
    }
}

impl From<Phase> for usize {
    fn from(phase: Phase) -> Self {
        phase.index()
    }
}
