//! `othello-trainer diff`: compares two weights files.

use std::fmt;

use anyhow::ensure;
use othello_cli::{Outcome, Session};
use othello_engine::board::Phase;
use othello_engine::eval::{STEPS_PER_DISC, Weights, WeightsChoice};
use othello_engine::text_table::table;
use serde::Serialize;

/// Arguments of `diff`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Weights file, or `embedded`
    first: WeightsChoice,
    /// Weights file to compare with the first, or `embedded`
    second: WeightsChoice,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Difference {
    /// True if all weights and all factors are equal; counts and provenance may differ.
    equal: bool,
    /// True if both files have the same factors, or none.
    factors_equal: bool,
    /// True if both files have the same move-ordering evaluation, or neither has one.
    ordering_equal: bool,
    /// The largest difference of a weight, in steps of 1/32 disc.
    max_steps: u32,
    /// The difference of each phase.
    phases: Vec<PhaseDifference>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct PhaseDifference {
    /// The phase.
    phase: Phase,
    /// The number of different weights.
    different: usize,
    /// The largest difference of a weight, in steps of 1/32 disc.
    max_steps: u32,
    /// Mean absolute difference over all weights of the phase, in discs.
    mean_discs: f64,
    /// Root of the mean squared difference over all weights of the phase, in discs.
    rms_discs: f64,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.ordering_equal {
            writeln!(f, "The move-ordering evaluations differ.")?;
        }
        if self.equal {
            return write!(f, "All weights are equal.");
        }
        if !self.factors_equal {
            writeln!(f, "The factors differ.")?;
        }
        let columns =
            ["phase", "different weights", "largest (steps)", "mean (discs)", "RMS (discs)"];
        let rows = self.phases.iter().filter(|row| row.different > 0).map(|row| {
            let PhaseDifference { phase, different, max_steps, mean_discs, rms_discs } = row;
            let discs = |discs: &f64| format!("{discs:.4}");
            [
                phase.to_string(),
                different.to_string(),
                max_steps.to_string(),
                discs(mean_discs),
                discs(rms_discs),
            ]
        });
        writeln!(f, "{}", table(columns, rows))
    }
}

/// Runs the command `diff`. The exit status is 1 if the weights differ.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let first = arguments.first.by_class()?.weights;
    let second = arguments.second.by_class()?.weights;
    let sets = (first.set(), second.set());
    ensure!(
        sets.0.patterns() == sets.1.patterns() && sets.0.scalars() == sets.1.scalars(),
        "{} has the pattern set `{}` and {} has `{}`, with other patterns or scalar features: \
         their weights cannot be compared; `othello-trainer match` compares their playing strength",
        arguments.first,
        sets.0.name(),
        arguments.second,
        sets.1.name(),
    );
    let phases: Vec<PhaseDifference> =
        Phase::all().map(|phase| compare(&first, &second, phase)).collect();
    let max_steps = phases.iter().map(|row| row.max_steps).max().unwrap_or(0);
    let factors_equal = first.factors() == second.factors();
    let equal = max_steps == 0 && factors_equal;
    let ordering_equal = first.move_ordering() == second.move_ordering();
    session.print(&Difference { equal, factors_equal, ordering_equal, max_steps, phases })?;
    Ok(Outcome::wrong_if(!equal))
}

fn compare(first: &Weights, second: &Weights, phase: Phase) -> PhaseDifference {
    let steps = |weights: &Weights| weights.all_steps().row(phase.index()).mapv(i32::from);
    let differences = (steps(first) - steps(second)).mapv(i32::abs);
    let discs = differences.mapv(f64::from) / f64::from(STEPS_PER_DISC);
    PhaseDifference {
        phase,
        different: differences.iter().filter(|&&steps| steps > 0).count(),
        max_steps: differences.iter().max().map_or(0, |steps| steps.unsigned_abs()),
        mean_discs: discs.mean().unwrap_or(0.0),
        rms_discs: discs.pow2().mean().unwrap_or(0.0).sqrt(),
    }
}
