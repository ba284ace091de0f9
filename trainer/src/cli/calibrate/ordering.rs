//! `othello-trainer calibrate ordering`: learns the move ordering of the last plies.

use std::fmt;
use std::path::Path;

use othello_cli::arguments::{number_from, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::pattern::PatternSet;
use othello_engine::text_table::table;
use serde::Serialize;

use super::super::pattern_sets;
use super::{Changing, Written};
use crate::calibrate::ordering::{Settings, Trial, calibrate, stages};

/// Arguments of `calibrate ordering`.
#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    changing: Changing,
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    seed: u64,
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = number_in(100..=1_u64 << 32))]
    positions: u64,

    /// Number of other positions that are searched with each strength
    #[arg(long, value_name = "N", default_value_t = 96, value_parser = number_in(1..=1_u64 << 32))]
    searches: u64,
    #[arg(long, value_name = "T", default_value = "ordering")]
    #[arg(help = pattern_sets(|set| set.scalars().is_empty()))]
    patterns: String,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Report {
    /// The number of solved positions.
    positions: usize,
    /// The share of the variance of scores among the moves of a position that patterns and replies
    /// explain together, on held-out positions.
    explained: f64,
    /// The share of this variance that replies alone explain.
    explained_by_replies: f64,
    /// The strength of the evaluation relative to the number of replies.
    strength: i16,
    /// The strengths that were tried.
    trials: Vec<Trial>,
    #[serde(flatten)]
    written: Written,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { positions, explained, explained_by_replies, strength, .. } = self;
        writeln!(
            f,
            "{positions} positions; {:.1} % of the variance between moves explained, {:.1} % by \
             replies alone",
            100.0 * explained,
            100.0 * explained_by_replies
        )?;
        let without = self.trials.first().map_or(1, |trial| trial.nodes.max(1));
        let columns = ["strength", "nodes", "ratio"];
        let rows = self.trials.iter().map(|Trial { strength, nodes }| {
            let ratio = *nodes as f64 / without as f64;
            [strength.to_string(), nodes.to_string(), format!("{ratio:.3}")]
        });
        writeln!(f, "{}", table(columns, rows))?;
        writeln!(f, "strength {strength}")?;
        self.written.fmt(f)
    }
}

/// Calibrates and reports.
pub(super) fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let set = Some(Path::new(&arguments.patterns));
    let (weights, provenance) = arguments.changing.load("calibrate ordering", set)?;
    let set = PatternSet::named(&arguments.patterns, Path::new(""))?;
    let provenance = provenance
        .with("patterns", set.to_toml())
        .with("seed", arguments.seed)
        .with("positions", arguments.positions)
        .with("searches", arguments.searches);
    let settings = Settings {
        set,
        seed: arguments.seed,
        families: arguments.positions,
        searches: arguments.searches,
    };
    let stages = stages(&settings);
    let (found, written) = arguments.changing.calibrated(provenance, stages, session, |work| {
        let found = calibrate(&settings, &weights, work)?;
        let weights = weights.with_move_ordering(Some(found.weights.clone()));
        Ok((found, weights))
    })?;
    let [explained, explained_by_replies] = found.explained;
    session.print(&Report {
        positions: found.positions,
        explained,
        explained_by_replies,
        strength: found.weights.strength(),
        trials: found.trials,
        written,
    })
}
