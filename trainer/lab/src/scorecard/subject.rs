//! A player that is measured: an evaluation with our search, or another program.

use othello_engine::eval::{Evaluate as _, Evaluator, Identified as _};
use othello_engine::search::{Pruning, Selectivity};

use super::error::BenchmarkError;
use crate::arena::{ExternalEngine, PlayerChoice, Protocol, Terms};
use othello_fit::metrics::Trained;

/// A player that is measured.
#[derive(Debug)]
pub struct Subject {
    /// The name of the player, as it was given.
    pub name: String,
    /// The checksum of the weights, or the name and version that a program gives itself.
    pub identity: Option<String>,
    /// The data that weights say they were fitted to.
    pub(super) trained: Option<Trained>,
    pub(super) mind: Mind,
}

#[derive(Debug)]
pub(super) enum Mind {
    Evaluation(Box<Evaluator>),
    Program(ExternalEngine),
}

impl Subject {
    /// Loads weights; starts a program once, to check that it answers, and asks for its name.
    pub fn load(choice: &PlayerChoice, terms: Terms) -> Result<Self, BenchmarkError> {
        let name = choice.to_string();
        let (identity, trained, mind) = match choice {
            PlayerChoice::Weights(weights) => {
                let evaluator = Evaluator::load(weights)?;
                let identity = Some(evaluator.identity().to_owned());
                (identity, Trained::of(weights)?, Mind::Evaluation(evaluator.into()))
            }
            PlayerChoice::External(engine) => {
                let said = engine.introduction(terms);
                let refused =
                    |misconduct| BenchmarkError::Player { player: name.clone(), misconduct };
                (said.map_err(refused)?, None, Mind::Program(engine.clone()))
            }
        };
        Ok(Self { name, identity, trained, mind })
    }

    /// Returns the kind of the player: `weights`, `gtp` or `nboard`.
    pub fn kind(&self) -> &'static str {
        match &self.mind {
            Mind::Evaluation(_) => "weights",
            Mind::Program(ExternalEngine { protocol: Protocol::Gtp, .. }) => "gtp",
            Mind::Program(ExternalEngine { protocol: Protocol::Nboard, .. }) => "nboard",
        }
    }

    /// Returns the cuts of the player's searches; none of a program's are known.
    pub(super) fn pruning(&self, wanted: Selectivity) -> Pruning {
        match &self.mind {
            Mind::Evaluation(evaluator) => pruning(evaluator, wanted),
            Mind::Program(_) => Pruning::default(),
        }
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        match (&self.mind, &other.mind) {
            (Mind::Evaluation(one), Mind::Evaluation(other)) => one.identity() == other.identity(),
            _ => self.name == other.name,
        }
    }
}

/// Returns the cuts of a selectivity, or none if the weights have not learned any.
pub(super) fn pruning(evaluator: &Evaluator, wanted: Selectivity) -> Pruning {
    match evaluator.models().probcut {
        Some(_) => Pruning::new(evaluator, wanted).unwrap_or_default(),
        None => Pruning::default(),
    }
}
