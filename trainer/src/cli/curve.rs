//! `othello-trainer curve`: measures how the error of a recipe falls with the amount of data.

use std::fmt;
use std::path::PathBuf;

use anyhow::ensure;
use othello_engine::cli::arguments::number_in;
use othello_engine::cli::{Outcome, Session};
use othello_engine::columns::table;
use othello_engine::file::{Existing, check_differ, check_output, check_replaceable, plain};

use super::study::label_list;
use crate::dataset::Share;
use crate::study::{Curve, Law, PhaseCurve, Prediction, Recipe, StudySettings};

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
    study: StudySettings,
    /// Draw the errors and their law into this SVG file
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = ["share", "games", "MAE", "±", "law"];
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
        writeln!(f, "{}\n", table(columns, rows))?;
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
    let settings = &arguments.study;
    let recipe = Recipe::read(&arguments.recipe)?;
    if let Some(path) = &arguments.picture {
        let data = recipe.data.iter().map(|choice| choice.path.as_path());
        let inputs = data.chain(settings.test.iter().map(PathBuf::as_path));
        check_output(path, inputs.chain([arguments.recipe.as_path()]))?;
        check_differ(&[path, &settings.out])?;
        match settings.existing() {
            Existing::Keep => plain::check_head(path, picture::HEAD)?,
            Existing::Replace => check_replaceable(path)?,
        }
    }
    let mut shares = arguments.shares.clone();
    shares.sort_unstable();
    shares.dedup();
    let fewest = Curve::SHARES;
    ensure!(shares.len() >= fewest, "--shares: {} different ones; expected {fewest}", shares.len());
    settings.check_test(&recipe)?;
    let study = settings.begin(session.progress())?;
    let curve = Curve::of(recipe, &shares, arguments.seeds, &study, session.begun())?;
    if let Some(path) = &arguments.picture {
        let title = format!("{} on {} test games", curve.recipe, curve.test_games);
        let picture = picture::picture(&title, &curve.points, &curve.law, &curve.prediction.law)?;
        plain::write(path, picture.as_bytes(), settings.existing())?;
    }
    session.print(&curve)
}
