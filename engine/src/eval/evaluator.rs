//! Which evaluation to use: one type for whatever `--weights` may say.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::{Evaluate, Mobility, Ordering, Tables, Value, Weights, WeightsError, Zero, embedded};
use crate::board::{Position, Square};
use crate::pattern::{Indices, LANES};

/// What `--weights` names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WeightsChoice {
    /// `none`: every position is worth 0.
    None,
    /// `mobility`: moves and corners, by hand.
    Mobility,
    /// `embedded`: the weights inside the binary.
    Embedded,
    /// Anything else is a weights file.
    File(PathBuf),
}

impl FromStr for WeightsChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "none" => Self::None,
            "mobility" => Self::Mobility,
            "embedded" => Self::Embedded,
            path => Self::File(path.into()),
        })
    }
}

impl WeightsChoice {
    /// The weights file that is named, where it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::None | Self::Mobility | Self::Embedded => None,
        }
    }
}

impl fmt::Display for WeightsChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Mobility => f.write_str("mobility"),
            Self::Embedded => f.write_str("embedded"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// The evaluation that a [`WeightsChoice`] names.
#[derive(Clone, Debug)]
pub enum Evaluator {
    /// Every position is worth 0.
    Zero,
    /// Moves and corners, by hand.
    Mobility,
    /// Pattern weights.
    Tables(Box<Tables>),
}

impl Evaluator {
    /// Loads what was chosen, and says what decides its values: the content's checksum of a
    /// weights file, or the name of a built-in evaluation.
    pub fn load(choice: &WeightsChoice) -> Result<(Self, String), WeightsError> {
        Ok(match choice {
            WeightsChoice::None => (Self::Zero, choice.to_string()),
            WeightsChoice::Mobility => (Self::Mobility, choice.to_string()),
            WeightsChoice::Embedded => {
                (Self::Tables(Box::new(embedded::tables())), embedded::identity().sha256.to_owned())
            }
            WeightsChoice::File(path) => {
                let file = Weights::read(path)?;
                (Self::from(&file.weights), file.sha256)
            }
        })
    }
}

impl From<&Weights> for Evaluator {
    fn from(weights: &Weights) -> Self {
        Self::Tables(Box::new(Tables::new(weights)))
    }
}

const NO_INDICES: Indices = Indices([0; LANES]);

impl Evaluate for Evaluator {
    type State = Indices;

    fn state(&self, position: &Position) -> Indices {
        match self {
            Self::Zero | Self::Mobility => NO_INDICES,
            Self::Tables(tables) => tables.state(position),
        }
    }

    #[inline]
    fn after(&self, state: &Indices, square: Square, flips: u64) -> Indices {
        match self {
            Self::Zero | Self::Mobility => NO_INDICES,
            Self::Tables(tables) => tables.after(state, square, flips),
        }
    }

    #[inline]
    fn pass(&self, state: &Indices) -> Indices {
        state.negated()
    }

    #[inline]
    fn value(&self, state: &Indices, position: &Position) -> Value {
        match self {
            Self::Zero => Zero.value(&(), position),
            Self::Mobility => Mobility.value(&(), position),
            Self::Tables(tables) => tables.value(state, position),
        }
    }

    fn ordering(&self) -> Option<&Ordering> {
        match self {
            Self::Zero | Self::Mobility => None,
            Self::Tables(tables) => tables.ordering(),
        }
    }
}
