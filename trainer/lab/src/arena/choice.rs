//! A player as people name it.

use std::path::Path;
use std::str::FromStr;

use othello_engine::eval::{NoWeightsError, WeightsChoice};

use super::external::{ExternalEngine, Protocol};

/// A player as named on a command line: weights, or another program by `gtp:COMMAND` or
/// `nboard:COMMAND`.
#[derive(Clone, PartialEq, Eq, Debug, derive_more::Display)]
pub enum PlayerChoice {
    /// An evaluation with our search.
    Weights(WeightsChoice),
    /// Another program.
    External(ExternalEngine),
}

impl FromStr for PlayerChoice {
    type Err = NoWeightsError;

    fn from_str(text: &str) -> Result<Self, NoWeightsError> {
        match ExternalEngine::parse(text) {
            Some(engine) => Ok(Self::External(engine)),
            None => text.parse().map(Self::Weights),
        }
    }
}

impl PlayerChoice {
    /// Returns the path of the weights file, if there is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Weights(weights) => weights.path(),
            Self::External(_) => None,
        }
    }

    /// Returns true if the player knows positions only by the game that led to them.
    pub fn needs_games(&self) -> bool {
        matches!(self, Self::External(ExternalEngine { protocol: Protocol::Gtp, .. }))
    }
}
