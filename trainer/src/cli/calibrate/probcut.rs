//! `othello-trainer calibrate probcut`: learns to predict values of deep searches from shallow
//! searches.

use std::fmt;

use othello_cli::arguments::{number_from, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::eval::Models;
use othello_engine::text_table::table;
use serde::Serialize;

use super::{Changing, Written};
use crate::calibrate::probcut::{DepthError, Miss, calibrate, stages};
use crate::calibrate::samples::Settings;

/// Arguments of `calibrate probcut`.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    changing: Changing,
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    seed: u64,
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = number_in(100..=1_u64 << 32))]
    positions: u64,

    /// Search the positions to all depths up to this one; predictions extend beyond it
    #[arg(long, value_name = "D", default_value_t = 10, value_parser = number_in(4..=20_u32))]
    depth: u32,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Report {
    /// The errors at each depth.
    depths: Vec<DepthError>,
    /// The misses at each confidence.
    misses: Vec<Miss>,
    #[serde(flatten)]
    written: Written,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "prediction error in discs on held-out positions:")?;
        let columns = ["depth", "from depth", "positions", "predicted", "observed"];
        let rows = self.depths.iter().map(|row| {
            let [predicted, observed] = [row.predicted, row.observed].map(|e| format!("{e:.2}"));
            let [deep, shallow] = [row.deep, row.shallow].map(|depth| depth.to_string());
            [deep, shallow, row.positions.to_string(), predicted, observed]
        });
        writeln!(f, "{}", table(columns, rows))?;
        writeln!(f, "wrong cuts, in percent of these positions:")?;
        let columns = ["selectivity", "predicted", "observed"];
        let rows = self.misses.iter().map(|row| {
            let [predicted, observed] = [row.predicted, row.observed].map(|p| format!("{p:.2}"));
            [row.selectivity.to_string(), predicted, observed]
        });
        writeln!(f, "{}", table(columns, rows))?;
        self.written.fmt(f)
    }
}

/// Calibrates and reports.
pub(super) fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let (weights, provenance) = arguments.changing.load("calibrate probcut", [])?;
    let Arguments { seed, positions, depth, .. } = *arguments;
    let provenance =
        provenance.with("seed", seed).with("positions", positions).with("depth", depth);
    let settings = Settings { seed, positions, most: depth };
    let stages = stages(&settings);
    let (found, written) = arguments.changing.calibrated(provenance, stages, session, |work| {
        let found = calibrate(&settings, &weights, work)?;
        let models = Models { probcut: Some(found.probcut.clone()), ..weights.models().clone() };
        Ok((found, weights.with_models(models)))
    })?;
    session.print(&Report { depths: found.depths, misses: found.misses, written })
}
