//! `othello-trainer diff`: how two weights files differ.

use std::fmt;
use std::path::PathBuf;

use othello_engine::board::Phase;
use othello_engine::cli::common::{Outcome, Session};
use othello_engine::eval::{STEPS_PER_DISC, Weights};
use serde::Serialize;

/// Arguments of `diff`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// A weights file
    first: PathBuf,
    /// Another one
    second: PathBuf,
}

/// How far two files are apart.
#[derive(Serialize)]
struct Difference {
    /// Whether all weights are equal; counts and provenance may differ.
    equal: bool,
    /// The largest difference of a weight; null where the pattern sets differ.
    max_steps: Option<u32>,
    /// Whether the files have the same pattern set.
    same_pattern_set: bool,
    /// Phase by phase.
    phases: Vec<PhaseDifference>,
}

#[derive(Serialize)]
struct PhaseDifference {
    phase: Phase,
    /// How many weights differ.
    different: usize,
    max_steps: u32,
    /// Root of the mean squared difference over all weights of the phase, in discs.
    rms_discs: f64,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.same_pattern_set {
            return write!(f, "The pattern sets differ: the weights cannot be compared.");
        }
        if self.equal {
            return write!(f, "All weights are equal.");
        }
        writeln!(f, "phase  different weights  largest (steps)  RMS (discs)")?;
        for row in self.phases.iter().filter(|row| row.different > 0) {
            let PhaseDifference { phase, different, max_steps, rms_discs } = row;
            writeln!(f, "{:5}  {different:17}  {max_steps:15}  {rms_discs:11.4}", phase.index())?;
        }
        Ok(())
    }
}

/// Compares and reports; exit status 1 where the weights differ.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let first = Weights::read(&arguments.first)?.weights;
    let second = Weights::read(&arguments.second)?.weights;
    let same_pattern_set = first.set() == second.set();
    let phases: Vec<PhaseDifference> = match same_pattern_set {
        true => Phase::all().map(|phase| compare(&first, &second, phase)).collect(),
        false => vec![],
    };
    let max_steps = phases.iter().map(|row| row.max_steps).max();
    let equal = max_steps == Some(0);
    session.print(&Difference { equal, max_steps, same_pattern_set, phases })?;
    Ok(Outcome::wrong_if(!equal))
}

fn compare(first: &Weights, second: &Weights, phase: Phase) -> PhaseDifference {
    let pairs = first.steps(phase).iter().zip(second.steps(phase));
    let differences: Vec<u32> =
        pairs.map(|(a, b)| (i32::from(*a) - i32::from(*b)).unsigned_abs()).collect();
    let squares: f64 = differences.iter().map(|&d| f64::from(d).powi(2)).sum();
    PhaseDifference {
        phase,
        different: differences.iter().filter(|&&d| d > 0).count(),
        max_steps: differences.iter().copied().max().unwrap_or(0),
        rms_discs: (squares / differences.len().max(1) as f64).sqrt() / f64::from(STEPS_PER_DISC),
    }
}
