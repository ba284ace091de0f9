//! `othello-trainer match`: decides which of two evaluations or external programs is better.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use othello_cli::arguments::{number_from, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::board::notation::board_text;
use othello_engine::board::{Discs, Position, Side};
use othello_engine::cli::arguments::SearchArguments;
use othello_engine::eval::{Evaluator, Identified as _, Zero};
use othello_engine::file::{
    Begin, Existing, FileError, Kind, Provenance, Reader, check_differ, check_output,
    check_partial, check_replaceable, plain,
};
use othello_engine::player::{
    ExternalEngine, MAX_MILLISECONDS, PlayerSpec, SearchBy, SearchSpec, WeightsSpec,
};
use othello_engine::progress::Progress as _;
use othello_engine::record::GameWriter;
use othello_engine::run::{Run, Shard, described};
use othello_engine::search::{Level, Plan, Pruning, Strength};
use serde_json::json;

use crate::arena::{
    Budget, Conditions, Contestant, ErrorRate, Finding, Hypotheses, KeptMatch, Match, MatchReport,
    Opening, PlayedGame, Sprt, Terms, checksum, draw_openings,
};

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// First player, whose wins are counted. An evaluation is a weights file, `none` (all values
    /// are 0), `mobility` (counts moves and corners) or `embedded` (the shipped weights). After a
    /// colon, KEY=VALUE replaces the flag --KEY for this player, as in
    /// `my.weights:depth=12,exact=20`. The keys are level, depth, nodes, ms (--milliseconds),
    /// selectivity, exact, ends (with `+` for each comma, such as `20:73+18:95`) and search. An
    /// external program is named by its command line, as in `gtp:COMMAND` or `nboard:COMMAND`
    first: PlayerSpec,
    /// Second player
    second: PlayerSpec,
    #[arg(long, value_name = "FILE")]
    openings: PathBuf,
    #[arg(long, value_name = "N", value_parser = number_from(1_usize))]
    pairs: usize,
    #[arg(long, value_name = "D", value_parser = number_in(1..=60_u32))]
    depth: Option<u32>,
    #[arg(long, value_name = "E", value_parser = number_in(0..=60_u32))]
    exact: Option<u32>,
    #[command(flatten)]
    searching: SearchArguments,
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    seed: u64,
    #[arg(long, value_name = "DISCS", default_value_t = 10)]
    within: Discs,
    #[arg(long, value_name = "WAY", value_enum)]
    search: Option<SearchBy>,
    #[arg(long, value_name = "M", value_parser = number_in(1..=MAX_MILLISECONDS))]
    milliseconds: Option<u64>,
    /// Give both players MS milliseconds (5 without a number) for each move, except for exact
    /// searches of the endgame. Depth is not limited. The report compares nodes and seconds
    #[arg(long, value_name = "MS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "5", value_parser = number_in(1..=MAX_MILLISECONDS))]
    #[arg(conflicts_with_all = ["depth", "milliseconds", "time"])]
    equal_time: Option<u64>,
    #[arg(long, value_name = "S", value_parser = number_in(1..=86_400_u64))]
    time: Option<u64>,
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = number_in(1..=86_400_u64))]
    timeout: u64,
    #[command(flatten)]
    sprt: SprtArguments,
    /// Exit with status 1 if the report of the match has one of the named findings
    #[arg(long, value_name = "FINDING,...", value_delimiter = ',', conflicts_with = "shard")]
    fail_if: Vec<Finding>,
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[arg(long, value_name = "I/N", requires = "out", conflicts_with = "transcripts_out")]
    shard: Option<Shard>,
    #[command(flatten)]
    kept: KeptArguments,
}

struct Loaded {
    /// The player's identity in the provenance of files: the weights' checksum or the command line.
    identity: String,
    engine: Engine,
    /// The search settings stated for this player. Flags supply the settings that are not stated.
    search: SearchSpec,
    plan: Plan,
    budget: Budget,
}

enum Engine {
    Evaluation(Evaluator, Strength, Pruning),
    External(ExternalEngine),
}

impl Loaded {
    fn contestant(&self, terms: Terms, exact: u32) -> Contestant<'_> {
        match &self.engine {
            Engine::Evaluation(evaluator, strength, pruning) => {
                Contestant::Evaluation(evaluator, *strength, self.budget, Some(pruning))
            }
            Engine::External(engine) => Contestant::External(engine, terms, exact),
        }
    }
}

impl Arguments {
    fn check_outputs(&self) -> Result<()> {
        let players = [&self.first, &self.second].into_iter().filter_map(|player| player.file());
        let inputs: Vec<&Path> = [&*self.openings].into_iter().chain(players).collect();
        if let Some(out) = &self.out {
            check_output(out, &inputs)?;
            Run::check_is_free(out, self.shard())?;
        }
        let kept = [&self.kept.games_out, &self.kept.transcripts_out].into_iter().flatten();
        for path in kept.clone() {
            check_output(path, &inputs)?;
            if self.kept.force {
                check_replaceable(path)?;
            }
        }
        self.kept.games_out.as_deref().map_or(Ok(()), check_partial)?;
        let outputs: Vec<&PathBuf> = self.out.iter().chain(kept).collect();
        Ok(check_differ(&outputs)?)
    }

    fn shard(&self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }

    fn default_plan(&self) -> Plan {
        let depth = if self.equal_time.is_some() { Strength::ANY_DEPTH } else { 4 };
        Plan { exact: 12, ..Plan::to_depth(depth) }
    }

    fn search_flags(&self) -> SearchSpec {
        let milliseconds = self.milliseconds.or(self.equal_time);
        let flags = self.searching.spec(self.depth, self.exact);
        SearchSpec { milliseconds, search: self.search, ..flags }
    }

    fn load(&self, choice: &PlayerSpec, terms: Terms) -> Result<Loaded> {
        let player = || format!("player {choice}");
        match choice {
            PlayerSpec::Weights(WeightsSpec { weights, search }) => {
                let evaluator = Evaluator::prepared(weights).with_context(player)?;
                let search = search.clone().or(&self.search_flags());
                let plan = search.plan(self.default_plan(), &evaluator);
                let found = search.search(self.default_plan(), &evaluator).with_context(player)?;
                let budget = Budget { seconds_a_game: self.time, ..Budget::of(&search) };
                let identity = evaluator.identity().to_owned();
                let engine = Engine::Evaluation(evaluator, found.0, found.1);
                Ok(Loaded { identity, engine, search, plan, budget })
            }
            PlayerSpec::Program(engine) => {
                ensure!(
                    self.equal_time.is_none(),
                    "player {choice}: --equal-time applies to weights only; for programs use \
                     --time SECONDS"
                );
                let there = terms.check(engine).map_err(|misconduct| anyhow!("it {misconduct}"));
                there.with_context(player)?;
                let (search, identity) = (self.search_flags(), engine.to_string());
                let plan = search.plan(self.default_plan(), &Zero);
                let engine = Engine::External(engine.clone());
                // External programs receive only the limit on the time of a game.
                let budget = Budget { seconds_a_game: self.time, ..Budget::default() };
                Ok(Loaded { identity, engine, search, plan, budget })
            }
        }
    }

    fn provenance(&self, players: &[Loaded; 2], openings: &[Position]) -> Provenance {
        let [first, second] = players.each_ref().map(|player| &player.plan);
        // Only unusual values of these newer settings are added, so old provenances stay valid.
        let searches = players.each_ref().map(|player| player.search.search.unwrap_or_default());
        let searches = searches.map(|search| search.to_string());
        let levels = players.each_ref().map(|player| player.search.level.map(Level::number));
        let ends = [first, second].map(|plan| plan.ends.to_string());
        Provenance::new("match")
            .with("first", &*players[0].identity)
            .with("second", &*players[1].identity)
            .with("openings", checksum(openings))
            .with("depth", first.depth)
            .with("second_depth", second.depth)
            .with("exact", first.exact)
            .with("selectivity", first.selectivity.percent())
            .with("second_selectivity", second.selectivity.percent())
            .with("budgets", json!(players.each_ref().map(|player| player.budget)))
            .with_unusual(searches != ["depth"; 2], "searches", json!(searches))
            .with_unusual(first.exact != second.exact, "second_exact", second.exact)
            .with_unusual(ends != ["none"; 2], "ends", json!(ends))
            .with_unusual(levels != [None; 2], "levels", json!(levels))
            // Each shard writes its own file of games, so the provenance names the shard.
            // `KeptMatch` replaces this name in the parts, which all shards share.
            .with_unusual(self.shard.is_some(), "shard", self.shard.map(|shard| shard.to_string()))
    }
}

pub fn run(arguments: &Arguments, session: &Session) -> Result<Outcome> {
    arguments.check_outputs()?;
    let progress = session.progress();
    let defaults = arguments.search_flags().plan(arguments.default_plan(), &Zero);
    let terms = Terms {
        depth: defaults.depth,
        time: Duration::from_secs(arguments.timeout),
        game: arguments.time.map(Duration::from_secs),
    };
    let [first, second] = [&arguments.first, &arguments.second];
    let loaded = [arguments.load(first, terms)?, arguments.load(second, terms)?];
    let &Arguments { pairs, seed, within, .. } = arguments;
    let openings = draw_openings(&arguments.openings, pairs, seed, within, progress)?;
    if first.needs_games() || second.needs_games() {
        check_reached(&openings)?;
    }
    let limited =
        arguments.milliseconds.is_some() || arguments.searching.spec(None, None).nodes.is_some();
    for player in [first, second] {
        if let (true, PlayerSpec::Program(program)) = (limited, player) {
            let time = "the report prints the time of the program";
            progress.message(&format!("{program}: limits of a move apply to weights only; {time}"));
        }
    }
    let players = Match {
        first: loaded[0].contestant(terms, defaults.exact),
        second: loaded[1].contestant(terms, defaults.exact),
    };
    let conditions = Conditions {
        players: [first.to_string(), second.to_string()],
        depth: defaults.depth,
        exact: defaults.exact,
        budgets: loaded.each_ref().map(|player| player.budget),
        sprt: arguments.sprt.test(),
    };
    let settings = |openings: &[Position]| arguments.provenance(&loaded, openings);
    arguments.kept.check_are_own(&settings(&openings), &openings)?;
    let result = match &arguments.out {
        None => players.play_until(&openings, Sprt::ends(conditions.sprt), progress)?,
        Some(out) => {
            let (players, openings, conditions) = (&[players], &*openings, &conditions);
            let kept = KeptMatch { players, openings, conditions, progress };
            let of_run = (arguments.shard(), Existing::by_force(arguments.kept.force));
            let played = kept.play(out, &settings(openings), kept.stage(), of_run)?;
            progress.message(&described(played.summary.as_ref()));
            played.result
        }
    };
    let played: Vec<Position> = result.games.iter().step_by(2).map(|game| game.opening).collect();
    let report = MatchReport::new(&conditions, result, session.begun());
    // The report is printed first, so it is not lost if the files of games cannot be written.
    session.print(&report)?;
    arguments.kept.write(&report.result.games, settings(&played), session)?;
    let found: Vec<Finding> =
        arguments.fail_if.iter().copied().filter(|finding| report.shows(*finding)).collect();
    for finding in &found {
        progress.message(&format!("failed: --fail-if {finding}: {}", report.reason()));
    }
    Ok(Outcome::wrong_if(!found.is_empty()))
}

pub(super) fn check_reached(openings: &[Position]) -> Result<()> {
    let lost = openings.iter().find(|&&position| Opening::new(position).path.is_none());
    let Some(lost) = lost else { return Ok(()) };
    bail!(
        "no game that reaches the opening {} was found, and GTP needs its moves: use openings with \
         fewer plies, or nboard:",
        board_text(lost, Side::Black)
    )
}

#[derive(clap::Args, Debug)]
struct KeptArguments {
    /// Write the games to this file as records, in which the opening's moves count as random moves
    #[arg(long, value_name = "FILE")]
    games_out: Option<PathBuf>,
    /// Write the games to this file as JSON, one a line, with the pair's number, score and moves
    #[arg(long, value_name = "FILE")]
    transcripts_out: Option<PathBuf>,
    #[arg(long)]
    force: bool,
}

impl KeptArguments {
    /// Without `--force`, fails if an existing output belongs to another match: a file of games
    /// with other settings, or a file of transcripts that begins with another opening.
    fn check_are_own(&self, settings: &Provenance, openings: &[Position]) -> Result<()> {
        if self.force {
            return Ok(());
        }
        if let Some(path) = &self.transcripts_out {
            plain::check_head(path, first_game(openings)?.as_bytes())?;
        }
        let Some(path) = self.games_out.as_ref().filter(|path| path.exists()) else {
            return Ok(());
        };
        let there = Reader::open(path, Kind::Games)?;
        // A sequential test may end the match early, so the openings are not compared.
        let all_but_openings = |settings: &Provenance| settings.clone().with("openings", "");
        let [there, wanted] = [there.provenance(), settings].map(all_but_openings);
        if there != wanted {
            return Err(FileError::other_settings(path, &there, &wanted).into());
        }
        Ok(())
    }

    fn write(&self, games: &[PlayedGame], settings: Provenance, session: &Session) -> Result<()> {
        let existing = Existing::by_force(self.force);
        if let Some(path) = &self.transcripts_out {
            let lines = games.iter().map(|game| Ok(game.to_json()? + "\n"));
            let text = lines.collect::<Result<String, serde_json::Error>>()?;
            plain::write(path, text.as_bytes(), existing)?;
        }
        let Some(path) = &self.games_out else { return Ok(()) };
        let Begin::Writer(mut writer) = GameWriter::begin(path, &settings, existing)? else {
            return Ok(());
        };
        let mut left_out = 0;
        for game in games {
            match game.record()? {
                Some(record) => writer.push(record)?,
                None => left_out += 1,
            }
        }
        writer.finish()?;
        if left_out > 0 {
            session.progress().message(&format!(
                "{left_out} games are not recorded: no game that reaches their openings is known"
            ));
        }
        Ok(())
    }
}

/// Returns the beginning of the first line that a match from `openings` writes to
/// `--transcripts-out`: all fields before the moves of the game.
fn first_game(openings: &[Position]) -> Result<String, serde_json::Error> {
    let Some(&opening) = openings.first() else { return Ok(String::new()) };
    let squares = vec![];
    let unplayed = PlayedGame { pair: 1, game: 1, opening, squares, score: 0, forfeit: None };
    let line = unplayed.to_json()?;
    let known = line.rfind("\",\"moves\"").or_else(|| line.rfind(",\"moves\"")).unwrap_or(0);
    Ok(line[..known].to_owned())
}

#[derive(clap::Args, Debug)]
pub(super) struct SprtArguments {
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Hypotheses>,
    #[arg(long, value_name = "P", default_value = "0.05", requires = "sprt")]
    alpha: ErrorRate,
    #[arg(long, value_name = "P", default_value = "0.05", requires = "sprt")]
    beta: ErrorRate,
}

impl SprtArguments {
    pub(super) fn test(&self) -> Option<Sprt> {
        let &Self { sprt, alpha, beta } = self;
        sprt.map(|hypotheses| Sprt { hypotheses, alpha, beta })
    }
}
