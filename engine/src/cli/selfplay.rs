//! `othello-engine selfplay`: plays games of one or two evaluations and records them in a file.

use std::path::Path;

use anyhow::ensure;
use serde::Serialize;

use super::arguments::{SearchArguments, without_clock};
use super::{Outcome, Session};
use crate::eval::{Evaluate as _, Evaluator, Zero};
use crate::file::check_output;
use crate::player::{SearchBy, WeightsSpec};
use crate::run::{Shard, described};
use crate::search::{EndgameSchedule, Plan, Selectivity, Strength};
use crate::selfplay::{
    Exploration, Openings, OpeningsChoice, PerSide, PerfectFrom, Played, Run, Schedule, Settings,
    SideSettings, play_games,
};
use othello_cli::arguments::{Output, number_from, number_in};

/// Arguments of `selfplay`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[arg(long, value_name = "N", value_parser = number_from(1_u64))]
    games: u64,
    #[arg(long, value_name = "S", value_parser = number_from(0_u64))]
    seed: u64,
    #[command(flatten)]
    output: Output,
    #[arg(long, value_name = "D", value_parser = number_in(1..=60_u32))]
    depth: Option<u32>,
    #[command(flatten)]
    searching: SearchArguments,
    #[arg(long, value_name = "E")]
    exact: Option<PerfectFrom>,

    /// Draw moves at random until perfect play begins. `all:softmax=T` draws each legal move with a
    /// probability proportional to exp(v / T), where v is its static value in discs for the mover.
    /// `all:uniform=P` plays a random legal move with probability P, and otherwise the best move.
    /// Rules can differ by ply, both ends included: `0..20:softmax=1.5,21..59:uniform=0.05`. The
    /// value stored with a random move is still that of the best move
    #[arg(long, value_name = "SPEC", default_value = "none")]
    exploration: Exploration,

    #[arg(long, value_name = "SPEC", default_value = "8..24*3,25..45")]
    random_plies: Schedule,
    #[arg(long, value_name = "O", default_value = "random")]
    openings: OpeningsChoice,
    #[arg(long, value_name = "PLAYER", default_value = "embedded")]
    weights: WeightsSpec,

    /// Player of white, in the form of --weights [default: --weights plays both sides]
    #[arg(long, value_name = "PLAYER")]
    white: Option<WeightsSpec>,
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    shard: Shard,

    /// Store the value that the search found for each move, rounded to discs. This is the default
    /// with --exploration, and if both players have fitted weights
    #[arg(long)]
    values: bool,

    /// Omit the values of the moves, for a smaller file
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
    /// The wall time of the command.
    seconds: f64,
}

const DEFAULT_DEPTH: u32 = 2;

/// The default number of empty squares at or below which self-play solves positions exactly, if an
/// endgame ProbCut schedule (`--ends`) prunes the searches at more empty squares.
const DEFAULT_EXACT: u32 = 16;

impl Arguments {
    /// Returns a player's search settings, and the number of empty squares at or below which it
    /// plays perfectly. If the weights of both players have ProbCut models, it prunes by default.
    fn search(
        &self,
        player: &WeightsSpec,
        evaluators: PerSide<&Evaluator>,
    ) -> anyhow::Result<(SideSettings, PerfectFrom)> {
        let spec = player.search.clone().or(&self.searching.spec(self.depth, None));
        without_clock(&spec)?;
        ensure!(
            spec.search.unwrap_or_default() == SearchBy::Depth,
            "`search=realization`: self-play searches by depth; expected search=depth"
        );
        let is_selective =
            [evaluators.black, evaluators.white].iter().all(|one| one.models().probcut.is_some());
        let depth = if spec.nodes.is_some() { Strength::ANY_DEPTH } else { DEFAULT_DEPTH };
        let selectivity = if is_selective { Selectivity::Percent73 } else { Selectivity::Full };
        let usual = Plan { selectivity, exact: DEFAULT_EXACT, ..Plan::to_depth(depth) };
        let plan = match is_selective {
            true => spec.plan(usual, evaluators.black),
            false => spec.plan(usual, &Zero),
        };
        let exact = match (&self.exact, spec.exact) {
            (_, Some(own)) => own.into(),
            (Some(given), None) => given.clone(),
            (None, None) if spec.level.is_none() && plan.ends.is_none() => PerfectFrom::usual(),
            (None, None) => plan.exact.into(),
        };
        let Plan { depth, selectivity, ends, .. } = plan;
        Ok((SideSettings { depth, nodes: spec.nodes, selectivity, ends }, exact))
    }

    fn white(&self) -> &WeightsSpec {
        self.white.as_ref().unwrap_or(&self.weights)
    }

    fn values(&self) -> bool {
        let learned = self.weights.weights.is_learned() && self.white().weights.is_learned();
        !self.no_values && (self.values || learned || !self.exploration.is_none())
    }

    fn inputs(&self) -> impl Iterator<Item = &Path> {
        let openings = match &self.openings {
            OpeningsChoice::File(path) => Some(path.as_path()),
            OpeningsChoice::Random | OpeningsChoice::Distinct => None,
        };
        [self.weights.weights.path(), self.white().weights.path(), openings].into_iter().flatten()
    }
}

fn check_exact(
    perfect: &PerfectFrom,
    white: &PerfectFrom,
    ends: [&EndgameSchedule; 2],
) -> anyhow::Result<()> {
    ensure!(
        perfect == white,
        "black plays perfectly at {perfect} empty squares or fewer, white at {white}; expected the \
         same number for both, such as --exact 16"
    );
    if let Some(ends) = ends.into_iter().find(|ends| !ends.is_none()) {
        ensure!(
            perfect.range().count() == 1,
            "--exact {perfect} with --ends {ends}: an endgame schedule needs the same number of \
             empty squares in all games; give --exact a single number"
        );
    }
    Ok(())
}

/// Plays the games and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    check_output(&arguments.output.out, arguments.inputs())?;
    let players = PerSide { black: &arguments.weights, white: arguments.white() };
    let black = Evaluator::prepared(&players.black.weights)?;
    let differs = players.white.weights != players.black.weights;
    let white = differs.then(|| Evaluator::prepared(&players.white.weights)).transpose()?;
    let evaluators = PerSide { black: &black, white: white.as_ref().unwrap_or(&black) };
    let (black, exact) = arguments.search(players.black, evaluators)?;
    let (white, exact_of_white) = arguments.search(players.white, evaluators)?;
    let openings = Openings::load(&arguments.openings, session.progress())?;
    check_exact(&exact, &exact_of_white, [&black.ends, &white.ends])?;
    let settings = Settings {
        seed: arguments.seed,
        random_plies: arguments.random_plies.clone(),
        openings,
        sides: PerSide { black, white },
        exact,
        exploration: arguments.exploration.clone(),
        values: arguments.values(),
    };
    let run = Run { settings, games: arguments.games, shard: arguments.shard };
    let (out, existing) = (&arguments.output.out, arguments.output.existing());
    let played = play_games(out, &run, evaluators, existing, session.progress())?;
    session.print(&SelfPlay { played, seconds: session.seconds() })
}
