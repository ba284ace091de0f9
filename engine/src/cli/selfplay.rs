//! `othello-engine selfplay`: plays and records games.

use std::path::Path;

use serde::Serialize;

use super::{Outcome, Session};
use crate::eval::{Evaluate as _, Evaluator, WeightsChoice};
use crate::file::check_output;
use crate::run::{Shard, described};
use crate::search::{EndgameSchedule, Level, Plan, Selectivity, Strength};
use crate::selfplay::{
    Exploration, Openings, OpeningsChoice, PerSide, PerfectFrom, Played, Run, Schedule, Settings,
    play_games,
};
use othello_cli::arguments::{Output, number_from, number_in};

/// Arguments of `selfplay`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Number of games to play, in all shards together
    #[arg(long, value_name = "N", value_parser = number_from(1_u64))]
    games: u64,

    /// Seed of all random moves
    #[arg(long, value_name = "S", value_parser = number_from(0_u64))]
    seed: u64,

    #[command(flatten)]
    output: Output,

    /// Search each move this many plies deep [default: 6, or with `--nodes` as deep as these
    /// suffice]
    #[arg(long, value_name = "D", value_parser = number_in(1..=60_u32))]
    depth: Option<u32>,

    /// Play at this level, 1 to 60: its row of the table of levels gives --depth, --selectivity,
    /// --ends and --exact. The table stands in the guides, docs/reference/levels.md
    #[arg(long, value_name = "L", conflicts_with_all = ["depth", "exact"])]
    level: Option<Level>,

    /// Search each move before perfect play in so many nodes or little more, to a lesser depth
    /// where they do not suffice
    #[arg(long, value_name = "N", value_parser = number_in(1..=u64::MAX))]
    nodes: Option<u64>,

    /// Search white's moves this many plies deep [default: as black's]
    #[arg(long, value_name = "D", value_parser = number_in(1..=60_u32))]
    white_depth: Option<u32>,

    /// Leave out of searches what is unlikely to matter: 73, 87, 95, 98 or 99 percent sure, with
    /// weights that `othello-trainer calibrate probcut` made; 100 leaves out nothing [default: 73
    /// with such weights, else 100]
    #[arg(long, value_name = "PERCENT")]
    selectivity: Option<Selectivity>,

    /// Search to the end of the game before perfect play, too, as sure of the score as each step
    /// says: `20:73,18:95` is 73 percent sure from 20 empty squares on, 95 from 18 on; by weights
    /// that `othello-trainer calibrate ends` made, or `none` [default: none, with --level its own]
    #[arg(long, value_name = "STEPS")]
    ends: Option<EndgameSchedule>,

    /// Play perfectly from this many empty squares on, 0 to 60, or from a number of a range, which
    /// includes its end, drawn for each game: of an even and an odd one, such as 12..13, neither
    /// side is favoured by the first perfect move [default: 15..16, with --ends 16]
    #[arg(long, value_name = "E")]
    exact: Option<PerfectFrom>,

    /// Draw moves before perfect play by chance, by ply: `all:softmax=1` by the exponential of
    /// their shallow values, here at a temperature of 1 disc; `all:uniform=0.1` any move, with that
    /// probability; such as `0..20:softmax=1.5,21..59:uniform=0.05`. Keeps values, too, which are
    /// those of the search: they do not know of the draw
    #[arg(long, value_name = "SPEC", default_value = "none")]
    exploration: Exploration,

    /// Number of random moves that games begin with: lengths and ranges, which include their end,
    /// each with `*WEIGHT` where it comes more often; such as 8..24 or 8*2,12..16
    #[arg(long, value_name = "SPEC", default_value = "8..24")]
    random_plies: Schedule,

    /// Source of the first moves: `random`; `distinct`, which draws those of up to 9 plies from all
    /// openings there are, none twice before all were drawn; or a file of transcripts, one a line,
    /// each continued by random moves to the length drawn
    #[arg(long, value_name = "O", default_value = "random")]
    openings: OpeningsChoice,

    /// Weights: a file, `none`, `mobility` or `embedded`
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,

    /// Weights of white [default: as black]
    #[arg(long, value_name = "W")]
    white_weights: Option<WeightsChoice>,

    /// Make only the parts of shard I of N, which may run at the same time as the others with the
    /// same --out; `othello-trainer pack` then makes the output
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    shard: Shard,

    /// Keep the value found for each move, rounded to discs: so without this flag, too, where all
    /// weights were learned
    #[arg(long)]
    values: bool,

    /// Keep no values, for a smaller file
    #[arg(long, conflicts_with_all = ["values", "exploration"])]
    no_values: bool,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display(
    "{} games ({} duplicates dropped), {} positions\n{}, {seconds:.2} s",
    played.games, played.duplicates, played.positions, described(played.summary.as_ref())
)]
pub(in crate::cli) struct SelfPlay {
    #[serde(flatten)]
    played: Played,
    /// The wall time.
    seconds: f64,
}

/// The default depth of the search for each move, without a limit of nodes.
const DEFAULT_DEPTH: u32 = 6;

/// The default number of empty squares from which play is perfect, after selective ends.
const DEFAULT_EXACT: u32 = 16;

impl Arguments {
    /// Returns the depth of the search for each move, if no level is given.
    fn depth(&self) -> u32 {
        let usual = if self.nodes.is_some() { Strength::ANY_DEPTH } else { DEFAULT_DEPTH };
        self.depth.unwrap_or(usual)
    }

    /// Returns the plan of the games: that of the level, or the usual one, changed by the flags
    /// given.
    fn plan(&self, evaluators: PerSide<&Evaluator>) -> Plan {
        let is_selective = are_selective(evaluators);
        let usual = match self.level {
            Some(level) if is_selective => level.selective(),
            Some(level) => level.full(),
            None => Plan {
                depth: self.depth(),
                selectivity: if is_selective { Selectivity::Percent73 } else { Selectivity::Full },
                ends: EndgameSchedule::NONE,
                exact: DEFAULT_EXACT,
            },
        };
        Plan {
            selectivity: self.selectivity.unwrap_or(usual.selectivity),
            ends: self.ends.clone().unwrap_or(usual.ends),
            ..usual
        }
    }

    /// Returns the number of empty squares from which play is perfect, for games by this plan.
    fn perfect_from(&self, plan: &Plan) -> anyhow::Result<PerfectFrom> {
        let perfect = match &self.exact {
            Some(given) => given.clone(),
            None if self.level.is_none() && plan.ends.is_none() => PerfectFrom::usual(),
            None => plan.exact.into(),
        };
        let is_range = perfect.range().count() > 1;
        anyhow::ensure!(
            plan.ends.is_none() || !is_range,
            "--exact {perfect} with --ends {}: selective ends begin at one number of empty squares \
             in all games, so give --exact a single number",
            plan.ends
        );
        Ok(perfect)
    }

    /// Returns true if values are kept. Values of weights made by hand are worse labels than
    /// results.
    fn values(&self) -> bool {
        let learned = self.weights.is_learned()
            && self.white_weights.as_ref().is_none_or(WeightsChoice::is_learned);
        !self.no_values && (self.values || learned || !self.exploration.is_none())
    }

    /// Returns the files that are read.
    fn inputs(&self) -> impl Iterator<Item = &Path> {
        let openings = match &self.openings {
            OpeningsChoice::File(path) => Some(path.as_path()),
            OpeningsChoice::Random | OpeningsChoice::Distinct => None,
        };
        let white = self.white_weights.as_ref().and_then(WeightsChoice::path);
        [self.weights.path(), white, openings].into_iter().flatten()
    }
}

/// Returns true if both sides' weights have predictions for ProbCut.
fn are_selective(evaluators: PerSide<&Evaluator>) -> bool {
    let selective = |evaluator: &Evaluator| evaluator.models().probcut.is_some();
    selective(evaluators.black) && selective(evaluators.white)
}

/// Plays the games and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    check_output(&arguments.output.out, arguments.inputs())?;
    let black = Evaluator::load(&arguments.weights)?;
    let white = arguments.white_weights.as_ref().map(Evaluator::load).transpose()?;
    let evaluators = PerSide { black: &black, white: white.as_ref().unwrap_or(&black) };
    let plan = arguments.plan(evaluators);
    let exact = arguments.perfect_from(&plan)?;
    let Plan { depth, selectivity, ends, .. } = plan;
    let settings = Settings {
        seed: arguments.seed,
        random_plies: arguments.random_plies.clone(),
        openings: Openings::load(&arguments.openings)?,
        depth: PerSide { black: depth, white: arguments.white_depth.unwrap_or(depth) },
        nodes: arguments.nodes,
        selectivity,
        ends,
        exact,
        exploration: arguments.exploration.clone(),
        values: arguments.values(),
    };
    let run = Run { settings, games: arguments.games, shard: arguments.shard };
    let Output { out, .. } = &arguments.output;
    let existing = arguments.output.existing();
    let played = play_games(out, &run, evaluators, existing, session.progress())?;
    session.print(&SelfPlay { played, seconds: session.seconds() })
}
