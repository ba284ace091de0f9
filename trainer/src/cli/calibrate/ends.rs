//! `othello-trainer calibrate ends`: learns to predict scores near the end by shallow searches.

use std::fmt;

use othello_engine::cli::table::table;
use othello_engine::cli::{Outcome, Session};
use othello_engine::eval::Models;
use serde::Serialize;

use super::{Changing, Written};
use crate::calibrate::ends::{Calibrated, Settings, calibrate};

/// Arguments of `calibrate ends`.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    changing: Changing,

    #[command(flatten)]
    settings: Settings,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    calibrated: Calibrated,
    #[serde(flatten)]
    written: Written,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Calibrated { empties, trials, confidences, .. } = &self.calibrated;
        writeln!(f, "error of predictions in discs, on positions held out:")?;
        let columns = ["empty squares", "from depth", "positions", "predicted", "observed"];
        let rows = empties.iter().map(|row| {
            let [predicted, observed] = [row.predicted, row.observed].map(|e| format!("{e:.2}"));
            let [empties, shallow] = [row.empties, row.shallow].map(|number| number.to_string());
            [empties, shallow, row.positions.to_string(), predicted, observed]
        });
        writeln!(f, "{}", table(columns, rows))?;
        writeln!(f, "whole searches to the end, by what their cuts keep from the window:")?;
        let columns = ["deviations", "positions", "scores right", "MAE", "nodes"];
        let rows = trials.iter().map(|row| {
            let percent = |share: f64| format!("{share:.1} %");
            let (deviations, mae) = (format!("{:.2}", row.deviations), format!("{:.2}", row.mae));
            let positions = row.positions.to_string();
            [deviations, positions, percent(row.right), mae, percent(100.0 * row.nodes)]
        });
        writeln!(f, "{}", table(columns, rows))?;
        let deviations =
            confidences.iter().map(|row| format!("{} %: {:.2}", row.percent, row.deviations));
        writeln!(f, "deviations: {}", deviations.collect::<Vec<_>>().join(", "))?;
        self.written.fmt(f)
    }
}

/// Calibrates and reports.
pub(super) fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let Arguments { changing, settings } = arguments;
    let (weights, provenance) = changing.load("calibrate ends", [])?;
    let &Settings { seed, positions, empties } = settings;
    let provenance =
        provenance.with("seed", seed).with("positions", positions).with("empties", empties);
    let file = changing.begin(&provenance)?;
    let calibrated = calibrate(settings, &weights, session.progress())?;
    let models = Models { ends: Some(calibrated.ends.clone()), ..weights.models().clone() };
    let weights = weights.with_models(models);
    let written = Written::new(&weights, file, session)?;
    session.print(&Report { calibrated, written })
}
