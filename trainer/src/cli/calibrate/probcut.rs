//! `othello-trainer calibrate probcut`: learns to predict deep searches by shallow ones.

use std::fmt;

use othello_engine::cli::table::table;
use othello_engine::cli::{Outcome, Session};
use othello_engine::eval::Models;
use serde::Serialize;

use super::{Changing, Written};
use crate::calibrate::probcut::{Calibrated, Settings, calibrate};

/// Arguments of `calibrate probcut`.
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
        writeln!(f, "error of predictions in discs, on positions held out:")?;
        let columns = ["depth", "from depth", "positions", "predicted", "observed"];
        let rows = self.calibrated.depths.iter().map(|row| {
            let [predicted, observed] = [row.predicted, row.observed].map(|e| format!("{e:.2}"));
            let [deep, shallow] = [row.deep, row.shallow].map(|depth| depth.to_string());
            [deep, shallow, row.positions.to_string(), predicted, observed]
        });
        writeln!(f, "{}", table(columns, rows))?;
        writeln!(f, "cuts that are wrong, in percent of those positions:")?;
        let columns = ["selectivity", "predicted", "observed"];
        let rows = self.calibrated.misses.iter().map(|row| {
            let [predicted, observed] = [row.predicted, row.observed].map(|p| format!("{p:.2}"));
            [row.selectivity.to_string(), predicted, observed]
        });
        writeln!(f, "{}", table(columns, rows))?;
        self.written.fmt(f)
    }
}

/// Calibrates and reports.
pub(super) fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let Arguments { changing, settings } = arguments;
    let (weights, provenance) = changing.load("calibrate probcut", [])?;
    let &Settings { seed, positions, depth } = settings;
    let provenance =
        provenance.with("seed", seed).with("positions", positions).with("depth", depth);
    let file = changing.begin(&provenance)?;
    let calibrated = calibrate(settings, &weights, session.progress())?;
    let models = Models { probcut: Some(calibrated.probcut.clone()), ..weights.models().clone() };
    let weights = weights.with_models(models);
    let written = Written::new(&weights, file, session)?;
    session.print(&Report { calibrated, written })
}
