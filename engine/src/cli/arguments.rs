//! The arguments of subcommands that search.

use anyhow::ensure;
use othello_cli::arguments::number_in;

use crate::player::SearchSpec;
use crate::search::{EndgameSchedule, Level, Selectivity};

/// The search flags, for players whose player string has no search settings (clap `flatten`).
#[derive(clap::Args, Clone, Debug)]
pub struct SearchArguments {
    #[arg(long, value_name = "L")]
    level: Option<Level>,
    #[arg(long, value_name = "N", value_parser = number_in(1..=u64::MAX))]
    nodes: Option<u64>,
    #[arg(long, value_name = "PERCENT")]
    selectivity: Option<Selectivity>,
    #[arg(long, value_name = "STEPS")]
    ends: Option<EndgameSchedule>,
}

impl SearchArguments {
    /// Returns the settings: these flags, `depth` in plies, and exact play at `exact` or fewer
    /// empty squares. A setting that is `None` is left to the level or to the player's default.
    pub fn spec(&self, depth: Option<u32>, exact: Option<u32>) -> SearchSpec {
        let &Self { level, nodes, selectivity, ref ends } = self;
        let ends = ends.clone();
        SearchSpec { level, depth, nodes, selectivity, exact, ends, ..SearchSpec::default() }
    }
}

pub(super) fn without_clock(search: &SearchSpec) -> anyhow::Result<()> {
    ensure!(
        search.milliseconds.is_none(),
        "`ms={}`: a search by time differs from run to run; expected nodes or depth",
        search.milliseconds.unwrap_or_default()
    );
    Ok(())
}
