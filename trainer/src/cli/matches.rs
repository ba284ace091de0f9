//! `othello-trainer match`: which of two evaluations plays better.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use othello_engine::board::Discs;
use othello_engine::cli::common::{Outcome, Session};
use othello_engine::eval::{Evaluator, WeightsChoice};
use serde::Serialize;

use crate::arena::{Choice, Match, MatchResult, Statistics};

/// Arguments of `match`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// A weights file, or `none`, `mobility`, `embedded`: wins are counted for it
    first: WeightsChoice,
    /// Its opponent
    second: WeightsChoice,
    /// Positions to start from: an openings file, positions, or text with a board or a transcript
    /// a line
    #[arg(long, value_name = "FILE")]
    openings: PathBuf,
    /// How many openings are played, each twice with colours swapped
    #[arg(long, value_name = "N")]
    pairs: NonZeroUsize,
    /// Moves that both search ahead
    #[arg(long, value_name = "D", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Both play perfectly from this many empty squares on
    #[arg(long, value_name = "E", default_value_t = 12)]
    exact: u32,
    /// Decides which openings of the file are played
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Of labelled openings, only those no further from even than this
    #[arg(long, value_name = "DISCS", default_value_t = 10)]
    within: Discs,
}

/// What a match came to.
#[derive(Serialize)]
pub(super) struct MatchReport {
    first: String,
    second: String,
    pairs: usize,
    depth: u32,
    exact: u32,
    #[serde(flatten)]
    statistics: Statistics,
    distinct_games: usize,
    seconds: f64,
}

impl MatchReport {
    /// The report of a match between players called `first` and `second`.
    pub(super) fn new(
        names: [String; 2],
        played: &Match<'_>,
        result: &MatchResult,
        begun: Instant,
    ) -> Self {
        let [first, second] = names;
        Self {
            first,
            second,
            pairs: result.pairs.len(),
            depth: played.depth,
            exact: played.exact,
            statistics: result.statistics(),
            distinct_games: result.distinct_games,
            seconds: begun.elapsed().as_secs_f64(),
        }
    }
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second, pairs, depth, exact, statistics, distinct_games, seconds } = self;
        let Statistics { wins, draws, losses, mean_discs, mean_discs_error, .. } = statistics;
        writeln!(f, "{first} against {second}, depth {depth}, exact from {exact}, {pairs} pairs:")?;
        writeln!(f, "  {wins} won, {draws} drawn, {losses} lost; {distinct_games} distinct games")?;
        let elo_error =
            statistics.elo_error.map_or(String::new(), |error| format!(" ± {error:.0}"));
        writeln!(
            f,
            "  {mean_discs:+.2} ± {mean_discs_error:.2} discs a game, {:+.0}{elo_error} Elo",
            statistics.elo
        )?;
        write!(
            f,
            "  {} (p = {:.2e}, sign test by pair), {seconds:.1} s",
            self.verdict(),
            statistics.p_value
        )
    }
}

impl MatchReport {
    fn verdict(&self) -> String {
        const SIGNIFICANT: f64 = 0.05;
        let Self { first, second, statistics, .. } = self;
        if statistics.p_value >= SIGNIFICANT {
            return "no difference proven".into();
        }
        let (better, worse) = match statistics.pairs_won > statistics.pairs_lost {
            true => (first, second),
            false => (second, first),
        };
        format!("{better} is better than {worse}")
    }
}

/// Plays and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let load = |choice: &WeightsChoice| {
        Evaluator::load(choice).with_context(|| format!("player {choice}"))
    };
    let (first, second) = (load(&arguments.first)?, load(&arguments.second)?);
    let choice =
        Choice { count: arguments.pairs.get(), seed: arguments.seed, within: arguments.within };
    let openings = choice.draw(&arguments.openings)?;
    let (depth, exact) = (arguments.depth, arguments.exact);
    let played = Match { first: &first, second: &second, depth, exact };
    let result = played.play(&openings, session.progress());
    let names = [arguments.first.to_string(), arguments.second.to_string()];
    session.print(&MatchReport::new(names, &played, &result, begun))?;
    Ok(Outcome::Done)
}
