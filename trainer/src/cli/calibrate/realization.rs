//! `othello-trainer calibrate realization`: learns the probabilities of moves by kind.

use std::fmt;
use std::path::PathBuf;

use othello_cli::arguments::number_in;
use othello_cli::{Outcome, Session};
use othello_engine::eval::Models;
use othello_engine::record::record_files;
use othello_engine::text_table::table;
use serde::Serialize;

use super::{Changing, Written};
use crate::calibrate::realization::{Calibrated, Counted, Family, calibrate};

/// Arguments of `calibrate realization`.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    changing: Changing,
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    data: Vec<PathBuf>,
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = number_in(1..=1_u64 << 32))]
    games: u64,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Report {
    /// The number of counted games.
    games: u64,
    /// The number of counted positions.
    positions: u64,
    /// The families of moves with their models.
    families: Vec<Family>,
    /// The mean cost of the played moves: −log₂ of their probability.
    halvings: f64,
    #[serde(flatten)]
    written: Written,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, positions, halvings, .. } = self;
        writeln!(
            f,
            "{games} games, {positions} positions; share of moves that were played, by ply:"
        )?;
        let columns = ["rank", "remembered", "0-9", "10-19", "20-29", "30-39", "40-49", "50-59"];
        let rows = self.families.iter().map(|family| {
            let [a, b, c, d, e, g] = family
                .played
                .map(|share| share.map_or("-".to_owned(), |share| format!("{share:.3}")));
            [family.rank.to_owned(), family.memory.to_owned(), a, b, c, d, e, g]
        });
        writeln!(f, "{}", table(columns, rows))?;
        writeln!(f, "a played move halves the probability of its line {halvings:.2} times")?;
        self.written.fmt(f)
    }
}

/// Calibrates and reports.
pub(super) fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let data = record_files(&arguments.data)?;
    let inputs = data.iter().map(PathBuf::as_path);
    let (weights, provenance) = arguments.changing.load("calibrate realization", inputs)?;
    let counted = Counted::read(&data, arguments.games, session.progress())?;
    let &Counted { games, positions, .. } = &counted;
    let provenance =
        provenance.with("data", counted.sha256()).with("games", games).with("positions", positions);
    let stages = counted.stages();
    let (found, written) = arguments.changing.calibrated(provenance, stages, session, |work| {
        let found = calibrate(&weights, &counted, work)?;
        let realization = Some(found.realization.clone());
        let models = Models { realization, ..weights.models().clone() };
        Ok((found, weights.with_models(models)))
    })?;
    let Calibrated { families, halvings, .. } = found;
    session.print(&Report { games, positions, families, halvings, written })
}
