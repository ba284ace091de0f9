//! `othello-trainer quickstart`: runs the whole loop on a small scale, from random games to a
//! verdict.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use othello_cli::arguments::number_from;
use othello_cli::{Outcome, Session};
use othello_engine::eval::{Evaluator, WeightsChoice};
use othello_engine::file::{Existing, Provenance, make_folder};
use othello_engine::openings;
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Progress;
use othello_engine::run::{Run, Shard, Stage};
use othello_engine::search::Strength;
use othello_engine::selfplay::{self, PerSide, PerfectFrom, play_games};
use serde::{Deserialize, Serialize};

use super::print_and_clean;
use crate::arena::{Choice, Conditions, KeptMatch, Match, MatchReport, match_stage};
use crate::backend::Cpu;
use crate::dataset::{DataChoice, Dataset, Subset};
use crate::fit::{Fit, FitEnd, FitReport, FitSettings, Limits, Optimizer};
use crate::model::{Model, Phases};

#[cfg(test)]
mod tests;

/// Arguments of `quickstart`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    seed: u64,
    #[arg(long, value_name = "DIR", default_value = "quickstart")]
    out: PathBuf,
    #[arg(long)]
    force: bool,
}

/// A set of self-play games: their number, their random moves, and the depth of the search.
struct Games {
    games: u64,
    random_plies: &'static str,
    depth: u32,
    /// The numbers of empty squares at which perfect play starts; one is drawn for each game.
    exact: &'static str,
}

/// A generation: games by the last weights, and a fit to them.
struct Generation {
    games: Games,
    /// The first generation whose games the fit uses.
    first: usize,
    patterns: &'static str,
    labels: &'static str,
}

/// The generations: three with few patterns, which need few games, then the weights to keep. The
/// first labels have no λ-return, because the first player, `mobility`, has no values in discs.
/// Values of weak players are noisy, so λ is near 1.
const GENERATIONS: [Generation; 4] = [
    Generation::new(games(6_144, 2, "10..11"), 0, "small", "all:exact, all:result"),
    Generation::new(games(12_288, 2, "12..13"), 0, "small", LABELS),
    Generation::new(games(10_240, 4, "12..13"), 2, "small", LABELS),
    Generation::new(games(28_672, 4, "12..13"), 2, "scalars", LABELS),
];
const LABELS: &str = "all:exact, all:lambda0.9, all:result";

const fn games(games: u64, depth: u32, exact: &'static str) -> Games {
    Games { games, random_plies: "8..24*3,25..45", depth, exact }
}

impl Generation {
    const fn new(games: Games, first: usize, patterns: &'static str, labels: &'static str) -> Self {
        Self { games, first, patterns, labels }
    }
}

/// The games for testing the last fit. They have their own seed and random plies; the same player
/// plays them with deeper searches than in its training games.
const TEST: Games = Games { games: 1_024, random_plies: "0..=12", depth: 6, exact: "14..15" };
/// The seed of the test games, far from the seeds of the generations, which follow `--seed`.
const TEST_SEED: u64 = 1 << 32;
const OPENING_PLIES: u32 = 7;
const OPENING_DEPTH: u32 = 3;
/// The number of pairs of a match. It is enough to prove a difference of about 50 Elo points.
const MATCH_PAIRS: usize = 200;
const STRENGTH: Strength = Strength { depth: 4, exact: 12 };
const MATCH_WITHIN: i32 = 10;

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Verdict {
    /// The training positions of the last fit.
    positions: usize,
    /// The report on the phases of the last fit.
    phases: FitReport,
    /// The MAE of the last fit on the validation set, in discs.
    validation_mae: Option<f64>,
    /// The MAE of the last fit on the test set.
    test_mae: Option<f64>,
    /// The last weights file.
    weights: PathBuf,
    /// The checksum of its content.
    sha256: String,
    /// The match against `mobility`, the evaluation by hand.
    r#match: MatchReport,
    /// The match against the embedded weights.
    match_embedded: MatchReport,
    /// The wall time.
    seconds: f64,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let discs = |mae: Option<f64>| mae.map_or("-".into(), |mae| format!("{mae:.2} discs"));
        let (validation, test) = (discs(self.validation_mae), discs(self.test_mae));
        writeln!(f, "{}", self.phases)?;
        writeln!(f, "{} training positions", self.positions)?;
        writeln!(f, "MAE: validation {validation}, test on games of their own {test}")?;
        writeln!(f, "{}  sha256 {}\n", self.weights.display(), self.sha256)?;
        writeln!(f, "{}\n\n{}\n", self.r#match, self.match_embedded)?;
        write!(f, "{:.0} s in all", self.seconds)
    }
}

/// The opponents in the matches of the last fitted weights.
const OPPONENTS: [WeightsChoice; 2] = [WeightsChoice::Mobility, WeightsChoice::Embedded];

/// Runs all steps of the example and reports. Keeps files that an earlier run with the same seed
/// completed.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let (folder, seed, progress) = (&arguments.out, arguments.seed, session.progress());
    make_folder(folder)?;
    let existing = Existing::by_force(arguments.force);
    let fits = Stage::new("quickstart (fits)", GENERATIONS.len() as u64, 1);
    let matches = OPPONENTS.each_ref().map(|opponent| {
        let name = format!("match {opponent} (pairs)");
        match_stage(&name, MATCH_PAIRS as u64, Match::seconds_at(STRENGTH), None)
    });
    let (provenance, stages) = (Provenance::new("quickstart").with("seed", seed), [fits]);
    let stages = stages.into_iter().chain(matches).collect();
    let run = Run::of_report(folder, provenance, stages, (Shard::WHOLE, existing), progress)?;
    let quick = Quickstart { run: &run, folder, seed, existing, progress };
    let mut fitted = run.steps(0, |number| quick.generation(number as usize), progress)?;
    let fitted = fitted.pop().context("no generation")?;
    let [first, second] = [0, 1].map(|number| quick.play_match(number));
    let verdict = Verdict {
        positions: fitted.positions,
        validation_mae: fitted.report.validation_mae(),
        test_mae: fitted.report.test_mae(),
        phases: fitted.report,
        weights: quick.weights(GENERATIONS.len() - 1),
        sha256: fitted.sha256,
        r#match: first?,
        match_embedded: second?,
        seconds: session.seconds(),
    };
    print_and_clean(&verdict, &run, session)
}

/// One run of the loop.
struct Quickstart<'a> {
    run: &'a Run,
    folder: &'a Path,
    seed: u64,
    existing: Existing,
    progress: &'a dyn Progress,
}

/// The weights of a generation.
#[derive(Serialize, Deserialize)]
struct Fitted {
    positions: usize,
    report: FitReport,
    sha256: String,
}

impl Quickstart<'_> {
    fn openings_path(&self, number: usize) -> PathBuf {
        self.folder.join(format!("generation-{number}.openings"))
    }

    fn games_path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.games"))
    }

    fn weights(&self, number: usize) -> PathBuf {
        self.folder.join(format!("generation-{number}.weights"))
    }

    /// Plays the games of a generation, and fits to them. In the last generation, plays the test
    /// games also.
    fn generation(&self, number: usize) -> anyhow::Result<Fitted> {
        let player = number.checked_sub(1).map(|before| WeightsChoice::File(self.weights(before)));
        let player = player.unwrap_or(WeightsChoice::Mobility);
        self.openings(number, &player)?;
        let name = |number: usize| format!("generation-{number}");
        let seed = self.seed.wrapping_add(number as u64);
        self.games(&name(number), seed, &GENERATIONS[number].games, &player)?;
        let choice = |path| DataChoice { path, weight: 1.0 };
        let mut test = vec![];
        if number + 1 == GENERATIONS.len() {
            self.games("test", self.seed.wrapping_add(TEST_SEED), &TEST, &player)?;
            test.push(choice(self.games_path("test")));
        }
        let games =
            (GENERATIONS[number].first..=number).map(|number| self.games_path(&name(number)));
        let data: Vec<_> =
            [self.openings_path(number)].into_iter().chain(games).map(choice).collect();
        self.fit(number, &data, &test)
    }

    /// Enumerates the openings and scores them by searches of a player.
    fn openings(&self, number: usize, player: &WeightsChoice) -> anyhow::Result<()> {
        let (path, existing) = (self.openings_path(number), self.existing);
        let settings = openings::Settings::whole(OPENING_PLIES, OPENING_DEPTH);
        let evaluator = Evaluator::load(player)?;
        openings::write_openings(&path, &settings, &evaluator, existing, self.progress)?;
        Ok(())
    }

    /// Plays games of `player` against itself.
    fn games(
        &self,
        name: &str,
        seed: u64,
        games: &Games,
        player: &WeightsChoice,
    ) -> anyhow::Result<()> {
        let evaluator = Evaluator::load(player)?;
        let random_plies = games.random_plies.parse()?;
        let exact: PerfectFrom = games.exact.parse()?;
        let values = player.is_learned();
        let settings = selfplay::Settings::new(seed, random_plies, games.depth, exact);
        let settings = selfplay::Settings { values, ..settings };
        let run = selfplay::Run::whole(settings, games.games);
        let (path, evaluators) = (self.games_path(name), PerSide::both(&evaluator));
        play_games(&path, &run, evaluators, self.existing, self.progress)?;
        Ok(())
    }

    /// Fits all phases.
    fn fit(
        &self,
        number: usize,
        data: &[DataChoice],
        test: &[DataChoice],
    ) -> anyhow::Result<Fitted> {
        let Generation { patterns, labels, .. } = GENERATIONS[number];
        let (seed, labels) = (self.seed, labels.parse()?);
        let settings = FitSettings { seed, labels, test_percent: 0, ..FitSettings::default() };
        let set = PatternSet::shipped(patterns).context("the pattern set is shipped")?;
        let (model, progress) = (Model::new(set), self.progress);
        let dataset = Dataset::read(data, test, &settings.labels, settings.split(), progress)?;
        let fit = Fit {
            model: &model,
            dataset: &dataset,
            settings: &settings,
            optimizer: Optimizer::LeastSquares,
            limits: Limits::default(),
            initial: None,
            phases: Phases::default().0,
            shard: Shard::WHOLE,
        };
        let FitEnd { report, summary } =
            fit.run(&Cpu::new(&model), &self.weights(number), self.existing, progress)?;
        let sha256 = summary.context("the fit is not packed")?.sha256;
        Ok(Fitted { positions: dataset.len(Subset::Training), report, sha256 })
    }

    /// Plays a match of the last weights against an opponent, from nearly even openings.
    fn play_match(&self, number: usize) -> anyhow::Result<MatchReport> {
        let begun = Instant::now();
        let opponent = &OPPONENTS[number];
        let player = WeightsChoice::File(self.weights(GENERATIONS.len() - 1));
        let [first, second] = [Evaluator::load(&player)?, Evaluator::load(opponent)?];
        let choice = Choice { count: MATCH_PAIRS, seed: self.seed, within: MATCH_WITHIN };
        let played = Match { first: (&first).into(), second: (&second).into(), strength: STRENGTH };
        self.progress.message(&format!("{player} against {opponent}"));
        let conditions = Conditions {
            players: [player.to_string(), opponent.to_string()],
            depth: STRENGTH.depth,
            exact: STRENGTH.exact,
            budgets: Default::default(),
            sprt: None,
        };
        let openings = choice.draw(&self.openings_path(GENERATIONS.len() - 1), self.progress)?;
        let kept = KeptMatch { players: &[played], openings: &openings, conditions: &conditions };
        let mut result = kept.play_stage(self.run, 1 + number, self.progress)?;
        // A first look does not need the effort.
        result.efforts = Default::default();
        Ok(MatchReport::new(&conditions, &result, begun))
    }
}
