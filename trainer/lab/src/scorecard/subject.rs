//! The players that a benchmark measures.

use othello_engine::eval::{Evaluate as _, Evaluator, Identified as _};
use othello_engine::player::{ExternalEngine, PlayerSpec, Protocol, WeightsSpec};
use othello_engine::player::{SearchSpec, SearchSpecError};
use othello_engine::search::{Plan, Pruning, Selectivity, Strength};
use othello_engine::text::Invalid;

use crate::Result;
use crate::arena::Terms;
use othello_fit::metrics::Trained;

/// A player that a benchmark measures: an evaluation with our search, or an external program.
#[derive(Debug)]
pub struct Subject {
    /// The player as the user specified it.
    pub name: String,
    /// The checksum of the weights, or the name and version that a program reports, if any.
    pub identity: Option<String>,
    /// The search settings that the user stated; the defaults for an external program.
    pub(super) search: SearchSpec,
    /// The data that the weights were fitted to, by their provenance; `None` for a program.
    pub(super) trained: Option<Trained>,
    pub(super) engine: Engine,
}

#[derive(Debug)]
pub(super) enum Engine {
    Evaluation(Box<Evaluator>),
    Program(ExternalEngine),
}

impl Subject {
    /// Loads the weights, or starts the external program once to ask for its name.
    pub fn load(choice: &PlayerSpec, terms: Terms) -> Result<Self> {
        let name = choice.to_string();
        let (identity, trained, search, engine) = match choice {
            PlayerSpec::Weights(WeightsSpec { weights, search }) => {
                let evaluator = Evaluator::prepared(weights)?;
                let identity = Some(evaluator.identity().to_owned());
                let engine = Engine::Evaluation(evaluator.into());
                (identity, Trained::of(weights)?, search.clone(), engine)
            }
            PlayerSpec::Program(engine) => {
                let said = terms.introduction(engine);
                let refused = |misconduct| Invalid(format!("player {name}: it {misconduct}"));
                let engine = Engine::Program(engine.clone());
                (said.map_err(refused)?, None, SearchSpec::default(), engine)
            }
        };
        Ok(Self { name, identity, search, trained, engine })
    }

    /// Returns the kind of the player: `weights`, `gtp` or `nboard`.
    pub fn kind(&self) -> &'static str {
        match &self.engine {
            Engine::Evaluation(_) => "weights",
            Engine::Program(ExternalEngine { protocol: Protocol::Gtp, .. }) => "gtp",
            Engine::Program(ExternalEngine { protocol: Protocol::Nboard, .. }) => "nboard",
        }
    }

    /// Returns the player's strength and pruning. Settings that it omits are those of `usual`, but
    /// for the selectivity: `selectivity` for weights with a ProbCut model, else full width. An
    /// external program, whose search is unknown, gets the strength of `usual` without pruning.
    pub(super) fn search(
        &self,
        usual: Plan,
        selectivity: Selectivity,
    ) -> Result<(Strength, Pruning), SearchSpecError> {
        let Engine::Evaluation(evaluator) = &self.engine else {
            return Ok((usual.strength(), Pruning::default()));
        };
        let learned = evaluator.models().probcut.is_some();
        let selectivity = if learned { selectivity } else { Selectivity::Full };
        self.search.search(Plan { selectivity, ..usual }, &**evaluator)
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        match (&self.engine, &other.engine) {
            (Engine::Evaluation(one), Engine::Evaluation(two)) => {
                one.identity() == two.identity() && self.search == other.search
            }
            _ => self.name == other.name,
        }
    }
}
