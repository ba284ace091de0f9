//! The arguments of subcommands that search.

use anyhow::bail;
use clap::ValueEnum;

use crate::eval::Evaluate;
use crate::search::{EndgameSchedule, Level, Pruning, Selectivity, Strength};

/// The quantity that the depth of searches before perfect play limits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum, derive_more::Display)]
#[display(rename_all = "lowercase")]
pub enum SearchBy {
    /// All lines as many moves far
    #[default]
    Depth,
    /// Likely lines further than unlikely ones, for study: depth D ends a line where its
    /// probability is 4^-D or less. In equal time it plays weaker than a selective search by depth
    Realization,
}

impl SearchBy {
    /// Returns the pruning for such searches with an evaluation and a selectivity.
    pub fn pruning(
        self,
        selectivity: Selectivity,
        evaluator: &impl Evaluate,
    ) -> anyhow::Result<Pruning> {
        match self {
            Self::Depth => Ok(Pruning::new(evaluator, selectivity)?),
            Self::Realization if selectivity != Selectivity::Full => bail!(
                "--selectivity is for searches by depth; leave it out with `--search realization`"
            ),
            Self::Realization => Ok(Pruning::by_probability(evaluator)?),
        }
    }

    /// Returns the strength and the pruning of such searches at a level, with selectivities in
    /// the place of the level's own where they are given. Ends of a given selectivity begin with
    /// perfect play.
    pub(super) fn at_level(
        self,
        level: Level,
        selectivity: Option<Selectivity>,
        ends: Option<Selectivity>,
        evaluator: &impl Evaluate,
    ) -> anyhow::Result<(Strength, Pruning)> {
        let plan = level.plan(evaluator);
        let (strength, usual, steps) = match (self, ends) {
            (Self::Depth, None) if selectivity.is_none() => {
                return Ok((plan.strength(), plan.pruning(evaluator)));
            }
            (Self::Depth, None) => {
                (plan.strength(), plan.selectivity, plan.ends.exact_from(plan.exact))
            }
            (_, sure) => {
                let by_depth = self == Self::Depth;
                let usual = if by_depth { plan.selectivity } else { Selectivity::Full };
                let strength = Strength { depth: level.number(), exact: plan.exact };
                (strength, usual, EndgameSchedule::always(sure.unwrap_or_default()))
            }
        };
        let pruning = self.pruning(selectivity.unwrap_or(usual), evaluator)?;
        Ok((strength, pruning.with_endgame(evaluator, &steps)?))
    }
}
