//! `othello-trainer match`: which of two players is better, evaluations or other programs.

use std::convert::Infallible;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use othello_engine::board::notation::board_text;
use othello_engine::board::{Discs, Position, Side};
use othello_engine::cli::arguments::number_in;
use othello_engine::cli::{Outcome, Session};
use othello_engine::eval::{Evaluator, WeightsChoice};
use othello_engine::search::{Selection, Selectivity, Strength};
use serde::Serialize;

use crate::arena::{
    Choice, Contestant, Effort, ExternalEngine, Forfeit, Match, MatchResult, Opening, Protocol,
    SIGNIFICANT, Statistics, Terms,
};

/// Arguments of `match`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// First player, whose wins are counted: a weights file, `none`, `mobility` or `embedded`; or another
    /// program by its command line, as `gtp:COMMAND` or `nboard:COMMAND`
    first: PlayerChoice,
    /// Second player
    second: PlayerChoice,
    /// File of openings to start from: enumerated openings, positions, or text with a board or a
    /// transcript a line
    #[arg(long, value_name = "FILE")]
    openings: PathBuf,
    /// Number of openings to play, each twice with colours swapped
    #[arg(long, value_name = "N")]
    pairs: NonZeroUsize,
    /// Search each move this many plies deep; programs by NBoard are told to
    #[arg(long, value_name = "D", default_value_t = 4, value_parser = number_in(1..=60_u32))]
    depth: u32,
    /// Play perfectly from this many empty squares on, weights alone
    #[arg(long, value_name = "E", default_value_t = 12, value_parser = number_in(0..=60_u32))]
    exact: u32,
    /// Seed that decides which openings of the file are played
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Play only labelled openings that are no further from even than this
    #[arg(long, value_name = "DISCS", default_value_t = 10)]
    within: Discs,
    /// Probability in percent that what searches before exact play leave out does not matter: 73, 87, 95,
    /// 98, 99, or 100, which leaves out nothing
    #[arg(long, value_name = "PERCENT", default_value_t)]
    selectivity: Selectivity,
    /// Depth of the second player, where it is another
    #[arg(long, value_name = "D", value_parser = number_in(1..=60_u32))]
    second_depth: Option<u32>,
    /// Selectivity of the second player, where it is another
    #[arg(long, value_name = "PERCENT")]
    second_selectivity: Option<Selectivity>,
    /// Seconds after which another program that has not answered forfeits the game
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = number_in(1..=86_400_u64))]
    timeout: u64,
}

/// A player, as the command line names it.
#[derive(Clone, PartialEq, Eq, Debug)]
enum PlayerChoice {
    Weights(WeightsChoice),
    External(ExternalEngine),
}

impl FromStr for PlayerChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        match ExternalEngine::parse(text) {
            Some(engine) => Ok(Self::External(engine)),
            None => text.parse().map(Self::Weights),
        }
    }
}

impl fmt::Display for PlayerChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Weights(weights) => weights.fmt(f),
            Self::External(engine) => engine.fmt(f),
        }
    }
}

/// A player that is there.
enum Loaded {
    Evaluation(Evaluator, Selection),
    External(ExternalEngine),
}

impl Loaded {
    fn contestant(&self, terms: Terms, exact: u32) -> Contestant<'_> {
        match self {
            Self::Evaluation(evaluator, selection) => {
                let strength = Strength { depth: terms.depth, exact };
                Contestant::Searching(evaluator, strength, selection)
            }
            Self::External(engine) => Contestant::External(engine, terms),
        }
    }
}

impl PlayerChoice {
    /// Loads weights; another program is started once, to see whether it answers.
    fn load(&self, terms: Terms, selectivity: Selectivity) -> anyhow::Result<Loaded> {
        let player = || format!("player {self}");
        match self {
            Self::Weights(weights) => {
                let evaluator = Evaluator::load(weights).with_context(player)?;
                let selection = Selection::new(&evaluator, selectivity).with_context(player)?;
                Ok(Loaded::Evaluation(evaluator, selection))
            }
            Self::External(engine) => {
                let there = engine.check(terms).map_err(|misconduct| anyhow!("it {misconduct}"));
                there.with_context(player)?;
                Ok(Loaded::External(engine.clone()))
            }
        }
    }

    /// Whether it knows a position by the game that led to it alone.
    fn needs_games(&self) -> bool {
        matches!(self, Self::External(ExternalEngine { protocol: Protocol::Gtp, .. }))
    }
}

/// The report of a match.
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
    /// The games that a player lost other than by playing.
    forfeits: Vec<Forfeit>,
    /// The effort of each player's searches before exact play.
    efforts: [Effort; 2],
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
            depth: played.strength.depth,
            exact: played.strength.exact,
            statistics: result.statistics(),
            distinct_games: result.distinct_games,
            forfeits: result.forfeits.clone(),
            efforts: result.efforts,
            seconds: begun.elapsed().as_secs_f64(),
        }
    }
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second, pairs, depth, exact, statistics, .. } = self;
        let Self { distinct_games, forfeits, seconds, .. } = self;
        let Statistics { wins, draws, losses, mean_discs, mean_discs_error, .. } = statistics;
        writeln!(f, "{first} against {second}, depth {depth}, exact from {exact}, {pairs} pairs:")?;
        writeln!(f, "  {wins} won, {draws} drawn, {losses} lost; {distinct_games} distinct games")?;
        for (player, Effort { nodes, seconds }) in [first, second].into_iter().zip(self.efforts) {
            if nodes > 0 {
                writeln!(f, "  {player}: {nodes} nodes, {seconds:.1} s before exact play")?;
            }
        }
        for (player, number) in [(first, 1), (second, 2)] {
            let games = forfeits.iter().filter(|forfeit| forfeit.player == number).count();
            if games > 0 {
                writeln!(f, "  {games} games forfeited by {player}")?;
            }
        }
        let error = mean_discs_error.map_or(String::new(), |error| format!(" ± {error:.2}"));
        writeln!(f, "  {mean_discs:+.2}{error} discs a game, {} (95 % intervals)", self.elo())?;
        let p = probability(statistics.p_value);
        write!(f, "  {} ({p}, by pair), {seconds:.1} s", self.verdict())
    }
}

/// `p = 0.034`, two figures of it; `p < 0.0001`.
fn probability(p: f64) -> String {
    match p {
        ..0.000_1 => "p < 0.0001".to_owned(),
        ..0.001 => format!("p = {p:.5}"),
        ..0.01 => format!("p = {p:.4}"),
        ..0.1 => format!("p = {p:.3}"),
        _ => format!("p = {p:.2}"),
    }
}

impl MatchReport {
    /// The difference in Elo points with its interval.
    fn elo(&self) -> String {
        let Statistics { elo, elo_interval, .. } = self.statistics;
        match elo_interval {
            [Some(low), Some(high)] => format!("{elo:+.0} Elo ({low:+.0} to {high:+.0})"),
            [Some(low), None] => format!("more than {low:+.0} Elo: every game was won"),
            [None, Some(high)] => format!("less than {high:+.0} Elo: every game was lost"),
            [None, None] => "no games".to_owned(),
        }
    }

    fn verdict(&self) -> String {
        let Self { first, second, statistics, .. } = self;
        if statistics.p_value >= SIGNIFICANT {
            return "no difference proven".into();
        }
        let (better, worse) = match statistics.elo > 0.0 {
            true => (first, second),
            false => (second, first),
        };
        format!("{better} is better than {worse}")
    }
}

/// Plays and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let terms = Terms { depth: arguments.depth, time: Duration::from_secs(arguments.timeout) };
    let [first, second] = [&arguments.first, &arguments.second];
    let second_terms = Terms { depth: arguments.second_depth.unwrap_or(terms.depth), ..terms };
    let second_selectivity = arguments.second_selectivity.unwrap_or(arguments.selectivity);
    let loaded =
        [first.load(terms, arguments.selectivity)?, second.load(second_terms, second_selectivity)?];
    let choice =
        Choice { count: arguments.pairs.get(), seed: arguments.seed, within: arguments.within };
    let openings = choice.draw(&arguments.openings)?;
    let strength = Strength { depth: arguments.depth, exact: arguments.exact };
    if first.needs_games() || second.needs_games() {
        check_reached(&openings)?;
    }
    let played = Match {
        first: loaded[0].contestant(terms, arguments.exact),
        second: loaded[1].contestant(second_terms, arguments.exact),
        strength,
    };
    let result = played.play(&openings, session.progress());
    let names = match (arguments.second_depth, arguments.second_selectivity) {
        (None, None) => [first.to_string(), second.to_string()],
        _ => [(first, terms, arguments.selectivity), (second, second_terms, second_selectivity)]
            .map(|(player, Terms { depth, .. }, percent)| {
                format!("{player} (depth {depth}, {percent} %)")
            }),
    };
    session.print(&MatchReport::new(names, &played, &result, begun))?;
    Ok(Outcome::Done)
}

/// Refuses openings that cannot be told as games.
fn check_reached(openings: &[Position]) -> anyhow::Result<()> {
    let lost = openings.iter().find(|&&position| Opening::new(position).path.is_none());
    let Some(lost) = lost else { return Ok(()) };
    bail!(
        "no game was found that leads to the opening {}; GTP tells positions by their games alone: take \
         earlier openings, or nboard:",
        board_text(lost, Side::Black)
    )
}

#[cfg(test)]
mod tests {
    use othello_engine::eval::{Evaluator, Zero};

    use super::*;
    use crate::arena::Pair;

    fn report(pairs: Vec<Pair>) -> String {
        let evaluator = Evaluator::from(Zero);
        let strength = Strength { depth: 1, exact: 0 };
        let played = Match { first: (&evaluator).into(), second: (&evaluator).into(), strength };
        let names = ["new", "old"].map(str::to_owned);
        let result =
            MatchResult { pairs, distinct_games: 0, forfeits: vec![], efforts: Default::default() };
        MatchReport::new(names, &played, &result, Instant::now()).to_string()
    }

    /// The report said `+1200 Elo` without an error, and `p = 1.00e0` for an even match.
    #[test]
    fn a_match_is_told_in_words_for_people() {
        let even = report(vec![Pair([2, -2]); 40]);
        assert!(even.contains("no difference proven (p = 1.00, by pair)"), "{even}");
        let won = report(vec![Pair([10, 20]); 40]);
        assert!(won.contains("more than +406 Elo: every game was won (95 % intervals)"), "{won}");
        assert!(won.contains("new is better than old (p < 0.0001, by pair)"), "{won}");
        let lost = report(vec![Pair([-10, -20]); 40]);
        assert!(lost.contains("less than -406 Elo: every game was lost"), "{lost}");
        assert!(lost.contains("old is better than new"), "{lost}");
        let most = report([vec![Pair([2, 2]); 30], vec![Pair([2, -2]); 10]].concat());
        assert!(most.contains(" Elo (+") && most.contains(" to +"), "{most}");
    }

    #[test]
    fn probabilities_have_two_figures() {
        let written = [1.0, 0.5, 0.0343, 0.001_24, 0.000_123, 2e-9].map(probability);
        let expected =
            ["p = 1.00", "p = 0.50", "p = 0.034", "p = 0.0012", "p = 0.00012", "p < 0.0001"];
        assert_eq!(written, expected);
    }
}
