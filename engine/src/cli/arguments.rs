//! The arguments of subcommands that search.

use anyhow::ensure;
use othello_cli::arguments::number_in;

use crate::player::SearchSpec;
use crate::search::{EndgameSchedule, Level, Selectivity};

/// The search of players that have no keys of their own. The arguments of subcommands that search
/// include this (clap `flatten`).
#[derive(clap::Args, Clone, Debug)]
pub struct SearchArguments {
    /// Play at this level, 1 to 60: its row of the table of levels gives the depth, the selectivity,
    /// the endgame schedule and the start of exact play, which the flags of these names replace.
    /// The table stands in the guides, docs/reference/levels.md
    #[arg(long, value_name = "L")]
    level: Option<Level>,

    /// Search each move before exact play in so many nodes or little more, to a lesser depth where
    /// they do not suffice
    #[arg(long, value_name = "N", value_parser = number_in(1..=u64::MAX))]
    nodes: Option<u64>,

    /// Leave out of searches to a depth what is unlikely to matter: 73, 87, 95, 98 or 99 percent
    /// sure, with weights that `othello-trainer calibrate probcut` made; 100 leaves out nothing
    #[arg(long, value_name = "PERCENT")]
    selectivity: Option<Selectivity>,

    /// Search to the end of the game before exact play, as sure of the score as each step says:
    /// `20:73,18:95` is 73 percent sure from 20 empty squares on, 95 from 18 on; by weights that
    /// `othello-trainer calibrate ends` made, or `none`
    #[arg(long, value_name = "STEPS")]
    ends: Option<EndgameSchedule>,
}

impl SearchArguments {
    /// Returns the search, with a depth and a start of exact play.
    pub fn spec(&self, depth: Option<u32>, exact: Option<u32>) -> SearchSpec {
        let &Self { level, nodes, selectivity, ref ends } = self;
        let ends = ends.clone();
        SearchSpec { level, depth, nodes, selectivity, exact, ends, ..SearchSpec::default() }
    }
}

/// Refuses a search by time where results must not depend on the machine.
pub(super) fn without_clock(search: &SearchSpec) -> anyhow::Result<()> {
    ensure!(
        search.milliseconds.is_none(),
        "`ms={}`: a search by time differs from run to run; expected nodes or depth",
        search.milliseconds.unwrap_or_default()
    );
    Ok(())
}
