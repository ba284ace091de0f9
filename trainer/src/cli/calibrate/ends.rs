//! `othello-trainer calibrate ends`: learns to predict exact scores near the end from shallow
//! searches.

use std::fmt;

use othello_cli::arguments::number_in;
use othello_cli::{Outcome, Session};
use othello_engine::eval::Models;
use othello_engine::text_table::table;
use serde::Serialize;

use super::{Changing, Written};
use crate::calibrate::ends::{Calibrated, Confidence, EmptiesError, Trial, calibrate, stages};
use crate::calibrate::samples::Settings;

/// Arguments of `calibrate ends`.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    changing: Changing,
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = number_in(100..=1_u64 << 32))]
    positions: u64,

    /// Solve positions with up to this many empty squares; predictions extend beyond it
    #[arg(long, value_name = "E", default_value_t = 20, value_parser = number_in(14..=26_u32))]
    empties: u32,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Report {
    /// The error of the prediction at each number of empty squares.
    empties: Vec<EmptiesError>,
    /// The endgame searches that were measured.
    trials: Vec<Trial>,
    /// The misses at each confidence.
    confidences: Vec<Confidence>,
    #[serde(flatten)]
    written: Written,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "prediction error in discs on held-out positions:")?;
        let columns = ["empty squares", "from depth", "positions", "predicted", "observed"];
        let rows = self.empties.iter().map(|row| {
            let [predicted, observed] = [row.predicted, row.observed].map(|e| format!("{e:.2}"));
            let [empties, shallow] = [row.empties, row.shallow].map(|number| number.to_string());
            [empties, shallow, row.positions.to_string(), predicted, observed]
        });
        writeln!(f, "{}", table(columns, rows))?;
        writeln!(
            f,
            "endgame searches, by the distance of predictions from the window that cuts require:"
        )?;
        let columns = ["deviations", "positions", "scores right", "MAE", "nodes"];
        let rows = self.trials.iter().map(|row| {
            let percent = |share: f64| format!("{share:.1} %");
            let (deviations, mae) = (format!("{:.2}", row.deviations), format!("{:.2}", row.mae));
            let positions = row.positions.to_string();
            [deviations, positions, percent(row.right), mae, percent(100.0 * row.nodes)]
        });
        writeln!(f, "{}", table(columns, rows))?;
        let confidences = self.confidences.iter();
        let confidences =
            confidences.map(|row| format!("{} %: {:.2}", row.percent, row.deviations));
        writeln!(f, "deviations: {}", confidences.collect::<Vec<_>>().join(", "))?;
        self.written.fmt(f)
    }
}

/// Calibrates and reports.
pub(super) fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let (weights, provenance) = arguments.changing.load("calibrate ends", [])?;
    let Arguments { seed, positions, empties, .. } = *arguments;
    let provenance =
        provenance.with("seed", seed).with("positions", positions).with("empties", empties);
    let settings = Settings { seed, positions, most: empties };
    let stages = stages(&settings);
    let (found, written) = arguments.changing.calibrated(provenance, stages, session, |work| {
        let found = calibrate(&settings, &weights, work)?;
        let models = Models { ends: Some(found.ends.clone()), ..weights.models().clone() };
        Ok((found, weights.with_models(models)))
    })?;
    let Calibrated { empties, trials, confidences, .. } = found;
    session.print(&Report { empties, trials, confidences, written })
}
