//! `othello-trainer curve`: measures how the error of a recipe falls with the amount of data.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use ndarray::Array1;
use othello_engine::board::Phase;
use othello_engine::cli::arguments::number_in;
use othello_engine::cli::table::{Align, table};
use othello_engine::cli::{Outcome, Session};
use othello_engine::file::{Existing, check_differ, check_output, check_replaceable, plain};
use serde::Serialize;

use super::study::{Study, StudyArguments, label_list};
use crate::dataset::Share;
use crate::measure::ErrorsByGame;
use crate::study::{Law, Prediction, Recipe};

mod picture;

/// Arguments of `curve`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Recipe: a TOML file that names data, pattern set, optimizer and settings
    recipe: PathBuf,
    /// Shares of the recipe's games to fit to, four or more; the error with the largest is
    /// predicted from the others
    #[arg(
        long,
        value_name = "SHARES",
        value_delimiter = ',',
        default_value = "0.0625,0.125,0.25,0.5,1"
    )]
    shares: Vec<Share>,
    /// Number of fits to each share, by seeds that follow the one in the recipe's settings; each
    /// takes other games
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number_in(1..=1000_u64))]
    seeds: u64,
    #[command(flatten)]
    study: StudyArguments,
    /// Draw the errors and their law into this SVG file
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
}

#[derive(Serialize)]
struct Curve {
    recipe: String,
    /// The points, one for each share, the smallest first.
    points: Vec<Point>,
    /// The law of all points: error = floor + scale · games^−exponent.
    law: Law,
    /// The prediction for the last point by the law of all others.
    prediction: Prediction,
    /// The error that the law predicts for twice the most games.
    twice: f64,
    phases: Vec<PhaseCurve>,
    seeds: u64,
    test_games: usize,
    /// The kinds of labels of the test positions, with the number of each.
    test_labels: Vec<(String, u64)>,
    seconds: f64,
}

/// The errors with a share of the games.
#[derive(Serialize)]
struct Point {
    share: Share,
    /// The mean number of training games over the seeds.
    games: f64,
    /// The mean over the seeds of the mean absolute error, in discs.
    mae: f64,
    /// The standard error of `mae` from the spread over seeds; null for a single seed.
    mae_error: Option<f64>,
    /// The mean absolute error of each seed.
    by_seed: Vec<f64>,
}

#[derive(Serialize)]
struct PhaseCurve {
    phase: Phase,
    /// The number of test positions.
    positions: f64,
    /// The mean absolute error in discs with each share, the smallest first.
    mae: Vec<f64>,
    law: Law,
    prediction: Prediction,
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = ["share", "games", "MAE", "±", "law"].map(|name| (name, Align::Right));
        let rows = self.points.iter().map(|point| {
            let error = point.mae_error.map_or("-".into(), |error| format!("{error:.3}"));
            let law = format!("{:.3}", self.law.at(point.games));
            let [games, mae] = [format!("{:.0}", point.games), format!("{:.3}", point.mae)];
            [point.share.to_string(), games, mae, error, law]
        });
        writeln!(f, "{}\n", table(columns, rows))?;
        let columns = ["phase", "positions", "MAE", "predicted", "missed by", "floor", "exponent"];
        let rows = self.phases.iter().map(|row| {
            let PhaseCurve { phase, positions, law, prediction, .. } = row;
            let [measured, predicted, floor, exponent] =
                [prediction.measured, prediction.predicted, law.floor, law.exponent]
                    .map(|number| format!("{number:.3}"));
            let missed = format!("{:+.1} %", prediction.missed_percent);
            let positions = format!("{positions:.0}");
            [phase.to_string(), positions, measured, predicted, missed, floor, exponent]
        });
        writeln!(f, "{}\n", table(columns.map(|name| (name, Align::Right)), rows))?;
        writeln!(f, "labels of the test positions: {}", label_list(&self.test_labels))?;
        let Law { floor, scale, exponent } = self.law;
        writeln!(f, "error of `{}` = {floor:.3} + {scale:.3} · games^-{exponent:.3}", self.recipe)?;
        let Prediction { predicted, measured, missed_percent, .. } = self.prediction;
        writeln!(
            f,
            "the smaller shares predict {predicted:.3} for the largest; it has {measured:.3}: missed by \
             {missed_percent:+.2} %"
        )?;
        write!(f, "twice as many games would reach {:.3}", self.twice)
    }
}

/// Fits the recipe to every share by every seed, measures, and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let recipe = Recipe::read(&arguments.recipe)?;
    if let Some(path) = &arguments.picture {
        let data = recipe.data.iter().map(|choice| choice.path.as_path());
        let inputs = data.chain(arguments.study.test());
        check_output(path, inputs.chain([arguments.recipe.as_path()]))?;
        check_differ(&[path, &arguments.study.out])?;
        match arguments.study.existing() {
            Existing::Keep => plain::check_head(path, picture::HEAD)?,
            Existing::Replace => check_replaceable(path)?,
        }
    }
    let mut shares = arguments.shares.clone();
    shares.sort_unstable();
    shares.dedup();
    let fewest = Law::AMOUNTS + 1;
    ensure!(shares.len() >= fewest, "--shares: {} different ones; expected {fewest}", shares.len());
    arguments.study.check_test(&recipe)?;
    let study = arguments.study.begin(session)?;
    let mut amounts = vec![];
    for share in shares {
        amounts.push(Amount::fit(share, arguments.seeds, &recipe, &study)?);
    }
    let positions = amounts[0].errors[0].weight.clone();
    let points = points(&amounts, &arguments.study.indices());
    let points = points.context("--test has no positions in the --phases")?;
    let by_games: Vec<(f64, f64)> = points.iter().map(|point| (point.games, point.mae)).collect();
    let of_phase = |phase: Phase| {
        let points = self::points(&amounts, &[phase.index()])?;
        let by_games: Vec<_> = points.iter().map(|point| (point.games, point.mae)).collect();
        Some(PhaseCurve {
            phase,
            positions: positions.column(phase.index()).sum(),
            mae: points.iter().map(|point| point.mae).collect(),
            law: Law::fit(&by_games)?,
            prediction: Prediction::of(&by_games)?,
        })
    };
    const TOO_FEW: &str =
        "the shares are of too few games; give the recipe more data or name others";
    let law = Law::fit(&by_games).context(TOO_FEW)?;
    let prediction = Prediction::of(&by_games).context(TOO_FEW)?;
    if let Some(path) = &arguments.picture {
        let title = format!("{} on {} test games", recipe.name, study.test().len());
        let picture = picture::picture(&title, &points, &law, &prediction.law)?;
        plain::write(path, picture.as_bytes(), arguments.study.existing())?;
    }
    let most = by_games.iter().map(|point| point.0).fold(0.0, f64::max);
    session.print(&Curve {
        recipe: recipe.name,
        points,
        law,
        prediction,
        twice: law.at(2.0 * most),
        phases: arguments.study.phases.iter().filter_map(of_phase).collect(),
        seeds: arguments.seeds,
        test_games: study.test().len(),
        test_labels: study.labels(),
        seconds: begun.elapsed().as_secs_f64(),
    })?;
    Ok(Outcome::Done)
}

/// The errors of fits to a share of the games.
struct Amount {
    share: Share,
    /// The number of training games, by seed.
    games: Vec<u64>,
    /// The errors by seed.
    errors: Vec<ErrorsByGame>,
}

impl Amount {
    fn fit(share: Share, seeds: u64, recipe: &Recipe, study: &Study<'_>) -> anyhow::Result<Self> {
        let mut amount = Self { share, games: vec![], errors: vec![] };
        for number in 0..seeds {
            let settings = recipe.settings_with(number, share);
            let fitted = study.fit(recipe, &settings, &format!("share-{share}-{number}"))?;
            amount.games.push(fitted.games);
            amount.errors.push(study.errors(&fitted));
        }
        Ok(amount)
    }
}

/// Returns the points of some phases; `None` without test positions.
fn points(amounts: &[Amount], phases: &[usize]) -> Option<Vec<Point>> {
    let point = |Amount { share, games, errors }: &Amount| {
        let games: Array1<f64> = games.iter().map(|&games| games as f64).collect();
        let mae = |errors: &ErrorsByGame| errors.on(phases).mean_of_all();
        let by_seed: Array1<f64> = errors.iter().map(mae).collect::<Option<_>>()?;
        let seeds = by_seed.len();
        Some(Point {
            share: *share,
            games: games.mean()?,
            mae: by_seed.mean()?,
            mae_error: (seeds > 1).then(|| by_seed.std(1.0) / (seeds as f64).sqrt()),
            by_seed: by_seed.to_vec(),
        })
    };
    amounts.iter().map(point).collect()
}
