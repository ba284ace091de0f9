//! `othello-trainer quickstart`: runs the whole loop on a small scale, from random games to a
//! verdict.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use othello_cli::arguments::number_from;
use othello_cli::{Outcome, Session};
use othello_engine::eval::{Evaluator, Identified as _, Mobility, WeightsChoice};
use othello_engine::file::{Existing, Provenance, make_folder};
use othello_engine::openings;
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Progress as _;
use othello_engine::run::{Held, Shard};
use othello_engine::search::Strength;
use othello_engine::selfplay::{self, PerSide, PerfectFrom, play_games};
use serde::Serialize;
use serde_json::json;

use crate::arena::{Choice, Conditions, KeptMatch, Match, MatchReport};
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

/// The two generations: first fast games by an evaluation by hand, then better games by the weights
/// fitted to them.
const GENERATIONS: [Games; 2] = [
    Games { games: 10_240, random_plies: RANDOM_PLIES, depth: 2, exact: "10..11" },
    Games { games: 15_360, random_plies: RANDOM_PLIES, depth: 4, exact: "12..13" },
];
const RANDOM_PLIES: &str = "8..=24*3,25..=45";
/// The games for testing the last fit. They have their own seed and random plies; the same player
/// plays them with deeper searches than in its training games.
const TEST: Games = Games { games: 1_024, random_plies: "0..=12", depth: 6, exact: "14..15" };
/// The seed of the test games, far from the seeds of the generations, which follow `--seed`.
const TEST_SEED: u64 = 1 << 32;
const OPENING_PLIES: u32 = 7;
const OPENING_DEPTH: u32 = 3;
/// The number of pairs of a match, which can prove a difference of about 50 Elo points.
const MATCH_PAIRS: usize = 200;
const MATCH_DEPTH: u32 = 4;
const MATCH_EXACT: u32 = 12;
const MATCH_WITHIN: i32 = 10;

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Verdict {
    /// The training positions of the last fit.
    positions: usize,
    /// The phases of the last fit.
    phases: FitReport,
    /// Its MAE on the validation set.
    validation_mae: Option<f64>,
    /// Its MAE on the test set.
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

/// Runs the loop and reports. Keeps files that an earlier run with the same seed finished.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let folder = &arguments.out;
    make_folder(folder)?;
    let _held = Held::new(folder)?;
    let existing = Existing::by_force(arguments.force);
    let quick = Quickstart { session, folder, seed: arguments.seed, existing };

    let openings = quick.openings()?;
    let mut player = WeightsChoice::Mobility;
    let mut data = vec![DataChoice { path: openings.clone(), weight: 1.0 }];
    let mut test = vec![];
    let mut fitted = None;
    for (number, generation) in GENERATIONS.iter().enumerate() {
        let seed = arguments.seed.wrapping_add(number as u64);
        let games = quick.games(&format!("generation-{number}"), seed, generation, &player)?;
        data.push(DataChoice { path: games, weight: 1.0 });
        if number + 1 == GENERATIONS.len() {
            let seed = arguments.seed.wrapping_add(TEST_SEED);
            let games = quick.games("test", seed, &TEST, &player)?;
            test.push(DataChoice { path: games, weight: 1.0 });
        }
        let fit = quick.fit(number, &data, &test)?;
        player = WeightsChoice::File(fit.weights.clone());
        fitted = Some(fit);
    }
    let fitted = fitted.context("no generation")?;
    let against = |opponent| quick.play_match(&fitted.weights, opponent, &openings);
    let verdict = Verdict {
        positions: fitted.positions,
        validation_mae: fitted.report.validation_mae(),
        test_mae: fitted.report.test_mae(),
        phases: fitted.report.clone(),
        weights: fitted.weights.clone(),
        sha256: fitted.sha256.clone(),
        r#match: against(WeightsChoice::Mobility)?,
        match_embedded: against(WeightsChoice::Embedded)?,
        seconds: session.seconds(),
    };
    session.print(&verdict)
}

/// One run of the loop.
struct Quickstart<'a> {
    session: &'a Session,
    folder: &'a Path,
    seed: u64,
    existing: Existing,
}

/// The weights of a generation.
struct Fitted {
    weights: PathBuf,
    positions: usize,
    report: FitReport,
    sha256: String,
}

impl Quickstart<'_> {
    /// Enumerates the openings and scores them by searches with `mobility`.
    fn openings(&self) -> anyhow::Result<PathBuf> {
        let path = self.folder.join("plies.openings");
        let settings = openings::Settings::whole(OPENING_PLIES, OPENING_DEPTH);
        let progress = self.session.progress();
        openings::write_openings(&path, &settings, &Mobility, self.existing, progress)?;
        Ok(path)
    }

    /// Plays games of `player` against itself.
    fn games(
        &self,
        name: &str,
        seed: u64,
        games: &Games,
        player: &WeightsChoice,
    ) -> anyhow::Result<PathBuf> {
        let path = self.folder.join(format!("{name}.games"));
        let evaluator = Evaluator::load(player)?;
        let random_plies = games.random_plies.parse()?;
        let exact: PerfectFrom = games.exact.parse()?;
        let settings = selfplay::Settings::new(seed, random_plies, games.depth, exact);
        let run = selfplay::Run::whole(settings, games.games);
        let evaluators = PerSide::both(&evaluator);
        play_games(&path, &run, evaluators, self.existing, self.session.progress())?;
        Ok(path)
    }

    /// Fits all phases to all games so far.
    fn fit(
        &self,
        number: usize,
        data: &[DataChoice],
        test: &[DataChoice],
    ) -> anyhow::Result<Fitted> {
        let weights = self.folder.join(format!("generation-{number}.weights"));
        let settings = FitSettings { seed: self.seed, test_percent: 0, ..FitSettings::default() };
        let set = PatternSet::shipped("standard").context("the standard set is shipped")?;
        let model = Model::new(set);
        let progress = self.session.progress();
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
            fit.run(&Cpu::new(&model), &weights, self.existing, progress)?;
        let summary = summary.context("the fit is not packed")?;
        let positions = dataset.len(Subset::Training);
        Ok(Fitted { weights, positions, report, sha256: summary.sha256 })
    }

    /// Plays a match of new weights against an opponent, from nearly even openings.
    fn play_match(
        &self,
        weights: &Path,
        opponent: WeightsChoice,
        openings: &Path,
    ) -> anyhow::Result<MatchReport> {
        let begun = Instant::now();
        let player = WeightsChoice::File(weights.to_owned());
        let first = Evaluator::load(&player)?;
        let second = Evaluator::load(&opponent)?;
        let choice = Choice { count: MATCH_PAIRS, seed: self.seed, within: MATCH_WITHIN };
        let strength = Strength { depth: MATCH_DEPTH, exact: MATCH_EXACT };
        let played = Match { first: (&first).into(), second: (&second).into(), strength };
        self.session.progress().message(&format!("{player} against {opponent}"));
        let conditions = Conditions {
            players: [player.to_string(), opponent.to_string()],
            depth: strength.depth,
            exact: strength.exact,
            budgets: Default::default(),
            sprt: None,
        };
        let kept = KeptMatch {
            players: &[played],
            openings: &choice.draw(openings)?,
            shard: Shard::WHOLE,
            conditions: &conditions,
        };
        let settings = Provenance::new("quickstart")
            .with("seed", self.seed)
            .with("weights", json!([first.identity(), second.identity()]));
        let (path, progress) =
            (self.folder.join(format!("match-{opponent}")), self.session.progress());
        let mut result = kept.play_as_step(&path, &settings, self.existing, progress)?;
        // A first look does not need the effort.
        result.efforts = Default::default();
        Ok(MatchReport::new(&conditions, &result, begun))
    }
}
