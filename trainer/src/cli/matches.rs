//! `othello-trainer match`: decides which of two players is better, evaluations or external
//! programs.

mod kept;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use othello_cli::arguments::{number_from, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::board::notation::board_text;
use othello_engine::board::{Discs, Position, Side};
use othello_engine::cli::arguments::SearchBy;
use othello_engine::eval::{Evaluator, Identified as _};
use othello_engine::file::{Provenance, check_differ, check_output};
use othello_engine::progress::Progress as _;
use othello_engine::run::{Run, Shard, described};
use othello_engine::search::{Pruning, Selectivity, Strength};

use self::kept::{KeptArguments, checksum};
use super::sprt::SprtArguments;
use crate::arena::{
    Budget, Choice, Conditions, Contestant, ExternalEngine, Finding, KeptMatch, Match, MatchReport,
    Opening, PlayerChoice, Sprt, Terms,
};

/// Arguments of `match`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// First player, whose wins are counted: a weights file, `none`, `mobility` or `embedded`; or
    /// another program by its command line, as `gtp:COMMAND` or `nboard:COMMAND`
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
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    seed: u64,
    /// Play only labelled openings that are no further from even than this
    #[arg(long, value_name = "DISCS", default_value_t = 10)]
    within: Discs,
    /// Probability in percent that what searches before exact play leave out does not matter: 73,
    /// 87, 95, 98, 99, or 100, which leaves out nothing
    #[arg(long, value_name = "PERCENT", default_value_t)]
    selectivity: Selectivity,
    /// Search before exact play, of weights alone
    #[arg(long, value_name = "WAY", value_enum, default_value_t)]
    search: SearchBy,
    /// Search of the second player, if different
    #[arg(long, value_name = "WAY", value_enum)]
    second_search: Option<SearchBy>,
    /// Depth of the second player, where it is another
    #[arg(long, value_name = "D", value_parser = number_in(1..=60_u32))]
    second_depth: Option<u32>,
    /// Selectivity of the second player, where it is another
    #[arg(long, value_name = "PERCENT")]
    second_selectivity: Option<Selectivity>,
    /// Nodes that the search of a move before exact play may take, of weights alone: the deepest
    /// search within them decides
    #[arg(long, value_name = "N", value_parser = number_in(1..=u64::MAX))]
    nodes: Option<u64>,
    /// Nodes of the second player, where they are others
    #[arg(long, value_name = "N", value_parser = number_in(1..=u64::MAX))]
    second_nodes: Option<u64>,
    /// Milliseconds that the search of a move before exact play may take, of weights alone; games
    /// then depend on the machine
    #[arg(long, value_name = "M", value_parser = number_in(1..=86_400_000_u64))]
    milliseconds: Option<u64>,
    /// Seconds that each player has for all its moves of a game after the opening, other programs
    /// too, which are told so; who uses them up forfeits the game. Games then depend on the machine
    #[arg(long, value_name = "S", value_parser = number_in(1..=86_400_u64))]
    time: Option<u64>,
    /// Seconds after which another program that has not answered forfeits the game
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = number_in(1..=86_400_u64))]
    timeout: u64,
    #[command(flatten)]
    sprt: SprtArguments,
    /// Findings that make the exit status 1
    #[arg(long, value_name = "FINDING,...", value_delimiter = ',', conflicts_with = "shard")]
    fail_if: Vec<Finding>,
    /// File to write the pairs to. While the match is played, they are in parts in the folder
    /// `FILE.parts`, from which the same command resumes
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Play only the parts of shard I of N, which may run at the same time as the others with the
    /// same --out; `othello-trainer pack` then makes the output
    #[arg(long, value_name = "I/N", requires = "out", conflicts_with_all = ["games_out", "transcripts_out"])]
    shard: Option<Shard>,
    #[command(flatten)]
    kept: KeptArguments,
}

/// A loaded player.
enum Loaded {
    Evaluation(Evaluator, Pruning),
    External(ExternalEngine),
}

impl Loaded {
    /// Returns the checksum of the weights, or the command line.
    fn identity(&self) -> String {
        match self {
            Self::Evaluation(evaluator, _) => evaluator.identity().to_owned(),
            Self::External(engine) => engine.to_string(),
        }
    }

    fn contestant(&self, terms: Terms, budget: Budget, exact: u32) -> Contestant<'_> {
        match self {
            Self::Evaluation(evaluator, pruning) => {
                let strength = Strength { depth: terms.depth, exact };
                Contestant::Searching(evaluator, strength, budget, pruning)
            }
            Self::External(engine) => Contestant::External(engine, terms),
        }
    }
}

/// Loads weights; starts an external program once, to check that it answers.
fn load(
    choice: &PlayerChoice,
    terms: Terms,
    (search, selectivity): (SearchBy, Selectivity),
) -> anyhow::Result<Loaded> {
    let player = || format!("player {choice}");
    match choice {
        PlayerChoice::Weights(weights) => {
            let evaluator = Evaluator::load(weights).with_context(player)?;
            let pruning = search.pruning(selectivity, &evaluator).with_context(player)?;
            Ok(Loaded::Evaluation(evaluator, pruning))
        }
        PlayerChoice::External(engine) => {
            let there = engine.check(terms).map_err(|misconduct| anyhow!("it {misconduct}"));
            there.with_context(player)?;
            Ok(Loaded::External(engine.clone()))
        }
    }
}

impl Arguments {
    /// Refuses outputs that cannot be written, before anything is played.
    fn check_outputs(&self) -> anyhow::Result<()> {
        let mut inputs = vec![self.openings.as_path()];
        for player in [&self.first, &self.second] {
            inputs.extend(player.file());
        }
        if let Some(out) = &self.out {
            check_output(out, &inputs)?;
            Run::check_is_free(out, self.shard())?;
        }
        self.kept.check(&inputs)?;
        let outputs: Vec<&PathBuf> = self.out.iter().chain(self.kept.outputs()).collect();
        Ok(check_differ(&outputs)?)
    }

    fn shard(&self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }

    fn second_depth(&self) -> u32 {
        self.second_depth.unwrap_or(self.depth)
    }

    /// Returns the kind of the first player's search, and its selectivity.
    fn first_search(&self) -> (SearchBy, Selectivity) {
        (self.search, self.selectivity)
    }

    /// Returns the kind of the second player's search, and its selectivity. A search of another
    /// kind than the first player's is full-width, unless it has a selectivity of its own.
    fn second_search(&self) -> (SearchBy, Selectivity) {
        let search = self.second_search.unwrap_or(self.search);
        let inherited = if search == self.search { self.selectivity } else { Selectivity::Full };
        (search, self.second_selectivity.unwrap_or(inherited))
    }

    /// Returns the budgets of both players.
    fn budgets(&self) -> [Budget; 2] {
        let (milliseconds, seconds_a_game) = (self.milliseconds, self.time);
        [self.nodes, self.second_nodes.or(self.nodes)].map(|nodes| Budget {
            nodes,
            milliseconds,
            seconds_a_game,
        })
    }

    /// Returns the names of the players in the report, with their searches if these differ.
    fn names(&self, terms: [Terms; 2]) -> [String; 2] {
        let (first, second) = (&self.first, &self.second);
        let budgets = self.budgets();
        let searches = [self.first_search(), self.second_search()];
        if self.second_depth.is_none() && budgets[0] == budgets[1] && searches[0] == searches[1] {
            return [first.to_string(), second.to_string()];
        }
        let name = |player: &PlayerChoice, number: usize| {
            let (depth, budget) = (terms[number].depth, budgets[number]);
            match searches[number] {
                (SearchBy::Depth, percent) => {
                    format!("{player} (depth {depth}, {percent} %{budget})")
                }
                (SearchBy::Realization, _) => {
                    format!("{player} (realization, depth {depth}{budget})")
                }
            }
        };
        [name(first, 0), name(second, 1)]
    }

    /// Returns the provenance: everything that decides the games.
    fn provenance(&self, players: &[Loaded; 2], openings: &[Position]) -> Provenance {
        let settings = Provenance::new("match")
            .with("first", players[0].identity())
            .with("second", players[1].identity())
            .with("openings", checksum(openings))
            .with("depth", self.depth)
            .with("second_depth", self.second_depth())
            .with("exact", self.exact)
            .with("selectivity", self.selectivity.percent())
            .with("second_selectivity", self.second_search().1.percent())
            .with("budgets", serde_json::json!(self.budgets()));
        // Matches of searches by depth keep the provenance that they had.
        match [self.search, self.second_search().0] {
            [SearchBy::Depth, SearchBy::Depth] => settings,
            searches => settings.with("searches", searches.map(|one| one.to_string()).to_vec()),
        }
    }
}

/// Plays and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    arguments.check_outputs()?;
    let terms = Terms {
        depth: arguments.depth,
        time: Duration::from_secs(arguments.timeout),
        game: arguments.time.map(Duration::from_secs),
    };
    let [first, second] = [&arguments.first, &arguments.second];
    let second_terms = Terms { depth: arguments.second_depth(), ..terms };
    let searches = [arguments.first_search(), arguments.second_search()];
    let loaded = [load(first, terms, searches[0])?, load(second, second_terms, searches[1])?];
    let choice =
        Choice { count: arguments.pairs.get(), seed: arguments.seed, within: arguments.within };
    let openings = choice.draw(&arguments.openings)?;
    if first.needs_games() || second.needs_games() {
        check_reached(&openings)?;
    }
    let budgets = arguments.budgets();
    let players = Match {
        first: loaded[0].contestant(terms, budgets[0], arguments.exact),
        second: loaded[1].contestant(second_terms, budgets[1], arguments.exact),
        strength: Strength { depth: arguments.depth, exact: arguments.exact },
    };
    let conditions = Conditions {
        players: arguments.names([terms, second_terms]),
        depth: arguments.depth,
        exact: arguments.exact,
        budgets,
        sprt: arguments.sprt.test(),
    };
    let settings = |openings: &[Position]| arguments.provenance(&loaded, openings);
    arguments.kept.check_are_own(&settings(&openings), &openings)?;
    let result = match &arguments.out {
        None => players.play_until(&openings, Sprt::ends(conditions.sprt), session.progress())?,
        Some(out) => {
            let shard = arguments.shard();
            let kept = KeptMatch {
                players: &[players],
                openings: &openings,
                shard,
                conditions: &conditions,
            };
            let existing = arguments.kept.existing();
            let played = kept.play(out, &settings(&openings), existing, session.progress())?;
            session.progress().message(&described(played.summary.as_ref()));
            played.result
        }
    };
    let openings = &openings[..result.pairs.len()];
    let report = MatchReport::new(&conditions, &result, session.begun());
    // The result is reported even if the files of games cannot be written.
    session.print(&report)?;
    arguments.kept.write(&result.games, settings(openings), session)?;
    let found: Vec<Finding> =
        arguments.fail_if.iter().copied().filter(|finding| report.shows(*finding)).collect();
    for finding in &found {
        session.progress().message(&format!("failed: --fail-if {finding}: {}", report.reason()));
    }
    Ok(Outcome::wrong_if(!found.is_empty()))
}

/// Refuses openings that no game leads to.
pub(super) fn check_reached(openings: &[Position]) -> anyhow::Result<()> {
    let lost = openings.iter().find(|&&position| Opening::new(position).path.is_none());
    let Some(lost) = lost else { return Ok(()) };
    bail!(
        "no game was found that leads to the opening {}; GTP tells positions by their games alone: take \
         earlier openings, or nboard:",
        board_text(lost, Side::Black)
    )
}
