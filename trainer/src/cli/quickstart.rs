//! `othello-trainer quickstart`: the whole loop, small, from nothing to a verdict.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use othello_engine::cli::common::{Outcome, Session};
use othello_engine::eval::{Evaluator, WeightsChoice};
use othello_engine::file::Existing;
use othello_engine::openings;
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Progress as _;
use othello_engine::selfplay::{self, Shard, play_games};
use serde::Serialize;

use super::matches::MatchReport;
use super::phases::Phases;
use crate::arena::{Choice, Match};
use crate::backend::Cpu;
use crate::dataset::{DataChoice, Dataset, Part};
use crate::fit::{Fit, FitReport, FitSettings};
use crate::model::Model;

/// Arguments of `quickstart`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Decides every random draw
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The folder for all files
    #[arg(long, value_name = "DIR", default_value = "quickstart")]
    out: PathBuf,
    /// Write over files that stand in the way
    #[arg(long)]
    force: bool,
}

/// Games of one generation: who plays them and how.
struct Generation {
    games: u64,
    depth: u32,
    exact: u32,
}

/// Two turns of the loop: quick games by moves and corners to begin with, then better ones by what
/// was learned from those.
const GENERATIONS: [Generation; 2] = [
    Generation { games: 10_240, depth: 2, exact: 10 },
    Generation { games: 15_360, depth: 4, exact: 12 },
];
const RANDOM_PLIES: &str = "8..=24*3,25..=45";
const OPENING_PLIES: u32 = 7;
const OPENING_DEPTH: u32 = 3;
/// A match proves a difference of about 50 Elo points.
const MATCH_PAIRS: usize = 200;
const MATCH_DEPTH: u32 = 4;
const MATCH_EXACT: u32 = 12;
const MATCH_WITHIN: i32 = 10;

#[derive(Serialize)]
struct Verdict {
    positions: usize,
    phases: FitReport,
    validation_mae: Option<f64>,
    weights: PathBuf,
    sha256: String,
    /// Against moves and corners by hand.
    r#match: MatchReport,
    /// Against the weights inside the binary.
    match_embedded: MatchReport,
    seconds: f64,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mae = self.validation_mae.map_or("-".into(), |mae| format!("{mae:.2} discs"));
        writeln!(f, "{}", self.phases)?;
        writeln!(f, "{} training positions, validation MAE {mae}", self.positions)?;
        writeln!(f, "{}  sha256 {}\n", self.weights.display(), self.sha256)?;
        writeln!(f, "{}\n\n{}\n", self.r#match, self.match_embedded)?;
        write!(f, "{:.0} s in all", self.seconds)
    }
}

/// Runs the loop and reports. Files that an earlier run with the same seed finished are kept.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let folder = &arguments.out;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let existing = if arguments.force { Existing::Replace } else { Existing::Keep };
    let quick = Quickstart { session, folder, seed: arguments.seed, existing };

    let openings = quick.openings()?;
    let mut player = WeightsChoice::Mobility;
    let mut data = vec![DataChoice { path: openings.clone(), weight: 1.0 }];
    let mut fitted = None;
    for (number, generation) in GENERATIONS.iter().enumerate() {
        let games = quick.games(number, generation, &player)?;
        data.push(DataChoice { path: games, weight: 1.0 });
        let fit = quick.fit(number, &data)?;
        player = WeightsChoice::File(fit.weights.clone());
        fitted = Some(fit);
    }
    let fitted = fitted.context("no generation")?;
    let against = |opponent| quick.play_match(&fitted.weights, opponent, &openings);
    let verdict = Verdict {
        positions: fitted.positions,
        validation_mae: fitted.report.validation_mae(),
        phases: fitted.report.clone(),
        weights: fitted.weights.clone(),
        sha256: fitted.sha256.clone(),
        r#match: against(WeightsChoice::Mobility)?,
        match_embedded: against(WeightsChoice::Embedded)?,
        seconds: begun.elapsed().as_secs_f64(),
    };
    session.print(&verdict)?;
    Ok(Outcome::Done)
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
    /// Enumerates the openings and scores them by moves and corners.
    fn openings(&self) -> anyhow::Result<PathBuf> {
        let path = self.folder.join("plies.openings");
        let (evaluator, weights) = Evaluator::load(&WeightsChoice::Mobility)?;
        let settings =
            openings::Settings { plies: OPENING_PLIES, score_depth: OPENING_DEPTH, weights };
        let progress = self.session.progress();
        openings::write_openings(&path, &settings, &evaluator, self.existing, progress)?;
        Ok(path)
    }

    /// Plays the games of a generation.
    fn games(
        &self,
        number: usize,
        generation: &Generation,
        player: &WeightsChoice,
    ) -> anyhow::Result<PathBuf> {
        let path = self.folder.join(format!("generation-{number}.games"));
        let (evaluator, weights) = Evaluator::load(player)?;
        let settings = selfplay::Settings {
            seed: self.seed + number as u64,
            random_plies: RANDOM_PLIES.parse()?,
            depth: generation.depth,
            exact: generation.exact,
            values: false,
        };
        let run = selfplay::Run { settings, games: generation.games, shard: Shard::WHOLE, weights };
        play_games(&path, &run, &evaluator, self.existing, self.session.progress())?;
        Ok(path)
    }

    /// Fits all phases to all data so far.
    fn fit(&self, number: usize, data: &[DataChoice]) -> anyhow::Result<Fitted> {
        let weights = self.folder.join(format!("generation-{number}.weights"));
        let settings = FitSettings { seed: self.seed, ..FitSettings::default() };
        let set = PatternSet::shipped("standard").context("the standard set is shipped")?;
        let model = Model::new(set);
        let progress = self.session.progress();
        let dataset = Dataset::read(data, &settings.labels, settings.split(), progress)?;
        let fit = Fit {
            model: &model,
            dataset: &dataset,
            settings: &settings,
            initial: None,
            phases: Phases::default().0,
        };
        let (summary, report) = fit.run(&Cpu::new(&model), &weights, self.existing, progress)?;
        let positions = dataset.len(Part::Training);
        Ok(Fitted { weights, positions, report, sha256: summary.sha256 })
    }

    /// Plays new weights against an opponent, from openings near even.
    fn play_match(
        &self,
        weights: &Path,
        opponent: WeightsChoice,
        openings: &Path,
    ) -> anyhow::Result<MatchReport> {
        let begun = Instant::now();
        let player = WeightsChoice::File(weights.to_owned());
        let (first, _) = Evaluator::load(&player)?;
        let (second, _) = Evaluator::load(&opponent)?;
        let choice = Choice { count: MATCH_PAIRS, seed: self.seed, within: MATCH_WITHIN };
        let (depth, exact) = (MATCH_DEPTH, MATCH_EXACT);
        let played = Match { first: &first, second: &second, depth, exact };
        self.session.progress().message(&format!("{player} against {opponent}"));
        let result = played.play(&choice.draw(openings)?, self.session.progress());
        Ok(MatchReport::new([player.to_string(), opponent.to_string()], &played, &result, begun))
    }
}
