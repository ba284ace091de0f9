//! The kernels, on a GPU or run on the CPU: the residual sums of a fit, the limits of the device,
//! and the layout that other trainers use, all on the same positions and weights.

mod roofline;
mod solves;
mod subjects;

use std::collections::BTreeMap;
use std::fmt;

use othello_engine::eval::Evaluate;
use othello_engine::record::{ROW_BYTES, ScoredPosition};
use othello_kernels::{LaunchError, Launcher};
use serde::Serialize;

use super::{BenchError, ensure};
use crate::backend::Rows;
use crate::backend::kernels::KernelSolver;
use crate::model::Model;
use roofline::{Layout, Limit, MOST_POSITIONS, WIDE_FEATURES, WIDE_ROW_BYTES};
use solves::SolveRates;
use subjects::{Measured, Subject, Subjects};

pub use solves::{Ends, SOLVED_EMPTIES};

/// Rates in positions per second, by wall time.
#[derive(Serialize)]
pub struct Rates {
    /// The rate of the residual sums; the report has it in a place of its own.
    #[serde(skip)]
    own: f64,
    /// The slowest of the limits.
    limit: &'static str,
    /// The rate of every limit, by the name of its kernel.
    limits: BTreeMap<&'static str, f64>,
    baseline: BaselineRates,
    /// The rates of exact scores, by numbers of empty squares.
    solves: Vec<SolveRates>,
}

/// The rates of the layout that other trainers use.
#[derive(Serialize)]
struct BaselineRates {
    bytes_per_position: usize,
    /// The bytes of a position in our layout.
    own_bytes_per_position: usize,
    /// The rate with two atomics per feature.
    positions_per_second: f64,
    /// The rate with one atomic per feature.
    folded_positions_per_second: f64,
    /// The rate of our residual sums divided by each of these rates.
    ratio: f64,
    folded_ratio: f64,
}

impl Rates {
    fn new(measured: &Measured, solves: Vec<SolveRates>) -> Self {
        let rate = |limit| measured.rate(Subject::Limit(limit));
        let [first, others @ ..] = Limit::ALL;
        let slower = |one, two| if rate(two) < rate(one) { two } else { one };
        let own = measured.rate(Subject::Own);
        let [two, one] = [Layout::Mirrored, Layout::Folded]
            .map(|layout| measured.rate(Subject::Baseline(layout)));
        let baseline = BaselineRates {
            bytes_per_position: WIDE_ROW_BYTES,
            own_bytes_per_position: ROW_BYTES,
            positions_per_second: two,
            folded_positions_per_second: one,
            ratio: own / two,
            folded_ratio: own / one,
        };
        Self {
            own,
            limit: others.into_iter().fold(first, slower).name(),
            limits: Limit::ALL.map(|limit| (limit.name(), rate(limit))).into(),
            baseline,
            solves,
        }
    }

    /// Returns the rate of the residual sums.
    pub fn positions_per_second(&self) -> f64 {
        self.own
    }

    /// Returns the rate of the slowest limit.
    pub fn limit(&self) -> f64 {
        self.limits[self.limit]
    }
}

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the limit is {}", self.limit)?;
        for (name, rate) in &self.limits {
            writeln!(f, "{name:<15} {:>9.2}", rate / 1e6)?;
        }
        let BaselineRates { bytes_per_position, own_bytes_per_position, .. } = self.baseline;
        let BaselineRates { ratio, folded_ratio, .. } = self.baseline;
        let [two, one] =
            [self.baseline.positions_per_second, self.baseline.folded_positions_per_second]
                .map(|rate| rate / 1e6);
        writeln!(
            f,
            "usual layout, {bytes_per_position} bytes a position; ours {own_bytes_per_position}"
        )?;
        writeln!(f, "two atomics     {two:>9.2}  ours is {ratio:.2} times that")?;
        write!(f, "one atomic      {one:>9.2}  ours is {folded_ratio:.2} times that")?;
        self.solves.iter().try_for_each(|rates| write!(f, "\n{rates}"))
    }
}

/// Measures all subjects in one run, in turn, and then exact scores. `launcher` creates a device
/// with the model's program.
pub fn measure<L: Launcher, E: Evaluate>(
    model: &Model,
    rows: &[Rows<'_>],
    repetitions: u32,
    ends: Ends<'_, E>,
    launcher: impl Fn() -> Result<L, LaunchError>,
) -> Result<Rates, BenchError> {
    // One run of rows, like a fit without neighbouring phases.
    let positions: Vec<ScoredPosition> =
        rows.iter().flat_map(|rows| rows.positions).copied().collect();
    let count = positions.len();
    ensure(count <= MOST_POSITIONS, || {
        format!(
            "{count} positions; {MOST_POSITIONS} at most: choose fewer --phases or other --data"
        )
    })?;
    let features = model.feature_count();
    ensure(features <= WIDE_FEATURES, || {
        format!(
            "{features} parameters a position; rows of the usual layout have room for \
             {WIDE_FEATURES}: choose other --patterns"
        )
    })?;
    let weights = super::weights(model.parameters());
    let shared = launcher()?;
    let mut subjects = Subjects::new(model, &shared, launcher()?, &positions, &weights)?;
    subjects.verify()?;
    let measured = subjects.rates(count, repetitions)?;
    let solves = solves::measure(&KernelSolver::new(launcher()?), ends)?;
    Ok(Rates::new(&measured, solves))
}
