//! The kernels, on a GPU or run on the CPU: both ways to add up residuals, the limits of each, and
//! the layout that other trainers use, all on the same positions and weights.

mod roofline;
mod subjects;

use std::collections::BTreeMap;
use std::fmt;

use othello_engine::record::{ROW_BYTES, ScoredPosition};
use serde::Serialize;

use super::{BenchError, ensure};
use crate::backend::kernels::Launcher;
use crate::backend::{BackendError, Rows};
use crate::model::Model;
use roofline::{Layout, Limit, MOST_POSITIONS, WIDE_ROW_BYTES};
use subjects::{Measured, Subject, Subjects};

/// Rates in positions per second, by wall time.
#[derive(Serialize)]
pub struct Rates {
    /// The faster way.
    kernel: &'static str,
    kernels: [KernelRates; 2],
    /// The rate of every limit, by the name of its kernel.
    limits: BTreeMap<&'static str, f64>,
    baseline: BaselineRates,
}

/// The rates of one way to add up residuals.
#[derive(Clone, Copy, Serialize)]
struct KernelRates {
    kernel: &'static str,
    positions_per_second: f64,
    /// The slowest of the limits of its work.
    limit: &'static str,
    limit_positions_per_second: f64,
    /// The rate divided by its limit.
    ratio: f64,
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
    /// The rate of our faster way divided by each of these rates.
    ratio: f64,
    folded_ratio: f64,
}

/// The ways to add up residuals, each with the limits of its work. The accesses of the tiles to
/// global memory are not a limit of their own: a 32-bit reduction for each pattern, by threads
/// whose rows are neighbours.
const SUM_KERNELS: [(Subject, &str, [Limit; 3]); 2] = [
    (Subject::Simple, "simple", [Limit::IndexOnly, Limit::GlobalGathers, Limit::GlobalAtomics]),
    (Subject::Fast, "fast", [Limit::IndexOnly, Limit::SharedGathers, Limit::SharedAtomics]),
];

impl Rates {
    fn new(measured: &Measured) -> Self {
        let kernels = SUM_KERNELS.map(|(subject, kernel, limits)| {
            let positions_per_second = measured.rate(subject);
            let rate = |limit| measured.rate(Subject::Limit(limit));
            let [first, others @ ..] = limits;
            let slower = |one, two| if rate(two) < rate(one) { two } else { one };
            let limit = others.into_iter().fold(first, slower);
            KernelRates {
                kernel,
                positions_per_second,
                limit: limit.name(),
                limit_positions_per_second: rate(limit),
                ratio: positions_per_second / rate(limit),
            }
        });
        let limits = Limit::ALL.map(|limit| (limit.name(), measured.rate(Subject::Limit(limit))));
        let fastest = faster(kernels);
        let own = fastest.positions_per_second;
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
        Self { kernel: fastest.kernel, kernels, limits: limits.into(), baseline }
    }

    /// Returns the rate of the faster way.
    pub fn positions_per_second(&self) -> f64 {
        faster(self.kernels).positions_per_second
    }

    /// Returns the limit of the faster way.
    pub fn limit(&self) -> f64 {
        faster(self.kernels).limit_positions_per_second
    }
}

fn faster([one, two]: [KernelRates; 2]) -> KernelRates {
    if two.positions_per_second > one.positions_per_second { two } else { one }
}

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rates in self.kernels {
            let KernelRates { kernel, limit, ratio, .. } = rates;
            let [rate, most] =
                [rates.positions_per_second, rates.limit_positions_per_second].map(|r| r / 1e6);
            writeln!(f, "{kernel:<15} {rate:>9.2}  limit {limit} {most:.2}, ratio {ratio:.2}")?;
        }
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
        write!(f, "one atomic      {one:>9.2}  ours is {folded_ratio:.2} times that")
    }
}

/// Measures all subjects in one run, in turn. `launcher` creates a device with the model's program.
pub fn measure<L: Launcher>(
    model: &Model,
    rows: &[Rows<'_>],
    repetitions: u32,
    launcher: impl Fn() -> Result<L, BackendError>,
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
    let weights = super::weights(model.parameters());
    let shared = launcher()?;
    let mut subjects = Subjects::new(model, &shared, launcher, &positions, &weights)?;
    subjects.verify()?;
    Ok(Rates::new(&subjects.rates(count, repetitions)?))
}
