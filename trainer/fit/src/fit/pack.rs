//! The weights of all phases, assembled from the parts of a fit.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, WeightsFile};
use othello_engine::file::{Kind, Provenance, Summary, Writer};
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Progress;
use othello_engine::run::Run;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::FitError;
use super::part::Units;
use super::report::{FitReport, FittedPhase, FittedUnit, Metrics, PhaseReport, nearest};
use super::side_files::SideFiles;
use crate::model::Model;

/// Packs the parts of a fit that started from `initial`: writes metrics, report and weights, and
/// returns the weights' summary and the report. The folder of parts remains until `run` removes it.
pub fn pack(
    run: &Run,
    initial: Option<&WeightsFile>,
    progress: &dyn Progress,
) -> Result<(Summary, FitReport), FitError> {
    let provenance = &run.plan.provenance;
    let set: String = field(provenance, "pattern_set")?;
    let set = PatternSet::from_toml(&set).map_err(|_| FitError::Provenance("pattern_set"))?;
    let [first, last]: [Phase; 2] = field(provenance, "phases")?;
    let began_from: Option<String> = field(provenance, "initial")?;
    if initial.map(|file| &file.sha256) != began_from.as_ref() {
        let (from, remedy) = match began_from {
            Some(sha256) => (format!("from weights of sha256 {sha256}"), "name these with --init"),
            None => ("from nothing".to_owned(), "omit --init"),
        };
        return Err(FitError::Initial { from, remedy });
    }
    let initial = initial.and_then(|file| match set.factors() {
        Some(shape) => file.weights.clone().with_factors(shape),
        None => Some(file.weights.clone()),
    });
    let packing = Packing {
        run,
        model: &Model::new(set),
        phases: &(first..=last),
        initial: initial.as_ref(),
        progress,
    };
    packing.write(vec![], &[])
}

fn field<T: DeserializeOwned>(provenance: &Provenance, key: &'static str) -> Result<T, FitError> {
    let value = provenance.get(key).cloned().ok_or(FitError::Provenance(key))?;
    serde_json::from_value(value).map_err(|_| FitError::Provenance(key))
}

pub(super) struct Packing<'a> {
    pub(super) run: &'a Run,
    pub(super) model: &'a Model,
    pub(super) phases: &'a RangeInclusive<Phase>,
    pub(super) initial: Option<&'a Weights>,
    pub(super) progress: &'a dyn Progress,
}

const PACK: &str = "pack (parts)";
const STOPPED_AFTER_EPOCHS: &str = "stopped_after_epochs";

impl Packing<'_> {
    /// Writes the metrics, the report and the weights. `stopped` are the phases that reached the
    /// time limit; `so_far` has the results of those that completed at least one epoch.
    ///
    /// If phases stopped, the provenance states how many epochs each of them completed, since the
    /// weights depend on these numbers, not on the elapsed time.
    pub(super) fn write(
        &self,
        so_far: Vec<FittedUnit>,
        stopped: &[Phase],
    ) -> Result<(Summary, FitReport), FitError> {
        let run = self.run;
        let set = self.model.set();
        let mut all = Assembly {
            weights: self.initial.cloned().unwrap_or_else(|| Weights::zero(set.clone())),
            reports: BTreeMap::new(),
            metrics: BTreeMap::new(),
        };
        let stage = run.plan.stages.len() - 1;
        let units = Units::of(set, self.phases);
        let parts = units.len() as u64;
        self.progress.begin(PACK, 0, parts);
        for index in 0..parts {
            if stopped.is_empty() || run.has(stage, index) {
                let unit = &units[index as usize];
                all.insert(FittedUnit::read(run.part(stage, index)?, self.model, unit)?);
            }
            self.progress.advance(1);
        }
        so_far.into_iter().for_each(|unit| all.insert(unit));
        let side_files = SideFiles::new(&run.output, &run.plan.provenance);
        let metrics: Vec<Metrics> = all.metrics.values().flatten().copied().collect();
        let assembled = all.finish(self.phases, self.initial.is_some(), stopped);
        let (weights, report) = assembled.ok_or_else(|| match stopped {
            [] => FitError::NoPositions(*self.phases.start(), *self.phases.end()),
            [..] => FitError::OutOfTime,
        })?;
        side_files.write(metrics.iter(), &report)?;
        let mut provenance = run.plan.provenance.clone();
        if !stopped.is_empty() {
            let rows = report.0.iter().filter(|row| row.unfinished);
            let epochs = rows.map(|row| (row.phase.index().to_string(), json!(row.epochs)));
            let epochs: serde_json::Map<_, _> = epochs.collect();
            provenance = provenance.with(STOPPED_AFTER_EPOCHS, epochs);
        }
        let writer = Writer::create(&run.output, Kind::Weights, &provenance)?;
        Ok((weights.write_to(writer)?, report))
    }
}

/// The reports and metrics of the phases read so far, and all weights: fitted ones of the phases
/// read, initial ones of the others.
struct Assembly {
    weights: Weights,
    reports: BTreeMap<Phase, PhaseReport>,
    metrics: BTreeMap<Phase, Vec<Metrics>>,
}

impl Assembly {
    fn insert(&mut self, unit: FittedUnit) {
        for FittedPhase { steps, counts, report, metrics } in unit.phases {
            let phase = report.phase;
            self.weights.set_steps(phase, |parameter| steps[parameter]);
            self.weights.set_counts(phase, |parameter| counts[parameter]);
            self.reports.insert(phase, report);
            self.metrics.insert(phase, metrics);
        }
        if let (Some((group, fitted)), Some(factors)) = (unit.factors, self.weights.factors_mut()) {
            factors.set_group(group, |place| fitted[place]);
        }
    }

    /// Returns the weights and a report of the `wanted` phases; `None` if no phase is fitted.
    ///
    /// A wanted phase without fitted weights (no positions, or no epoch within the time limit) gets
    /// the weights of the nearest fitted phase; of two equally near phases, the earlier. All other
    /// phases keep their initial weights if `keep_others` is set; otherwise, they also get the
    /// weights of the nearest fitted phase.
    fn finish(
        mut self,
        wanted: &RangeInclusive<Phase>,
        keep_others: bool,
        stopped: &[Phase],
    ) -> Option<(Weights, FitReport)> {
        let mut rows = vec![];
        for phase in Phase::all() {
            let nearest = self.nearest(phase)?;
            let is_wanted = wanted.contains(&phase);
            if nearest != phase && (is_wanted || !keep_others) {
                self.copy(nearest, phase);
            }
            if is_wanted {
                let unfinished = stopped.contains(&phase);
                let copied = || PhaseReport { unfinished, ..PhaseReport::copied(phase, nearest) };
                rows.push(self.reports.get(&phase).cloned().unwrap_or_else(copied));
            }
        }
        Some((self.weights, FitReport(rows)))
    }

    /// Returns the nearest fitted phase, if any; prefers phases that share factors with `phase`.
    fn nearest(&self, phase: Phase) -> Option<Phase> {
        let shape = self.weights.set().factors();
        let is_near = |other: &Phase| shape.is_some_and(|s| s.group(*other) == s.group(phase));
        let fitted = || self.reports.keys().copied();
        nearest(phase, fitted().filter(is_near)).or_else(|| nearest(phase, fitted()))
    }

    fn copy(&mut self, from: Phase, to: Phase) {
        let steps = self.weights.steps(from).to_vec();
        self.weights.set_steps(to, |parameter| steps[parameter]);
        if let Some(factors) = self.weights.factors_mut() {
            let vectors = factors.of(from).to_vec();
            factors.set_group(factors.shape().group(to), |place| vectors[place]);
        }
    }
}
