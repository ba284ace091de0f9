//! Collects the weights of all phases as their fits end.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use othello_engine::board::Phase;
use othello_engine::eval::Weights;

use super::checkpoint::FinishedPhases;
use super::report::{FitReport, FittedPhase, Metrics, PhaseReport, nearest};

/// The fitted phases so far. Their weights are held once, in the [`Weights`] that will be written.
pub(super) struct Assembly {
    weights: Weights,
    reports: BTreeMap<Phase, PhaseReport>,
    metrics: BTreeMap<Phase, Vec<Metrics>>,
}

impl Assembly {
    /// Starts with `weights`, which hold the values of the phases that will not be fitted.
    pub(super) fn new(weights: Weights) -> Self {
        Self { weights, reports: BTreeMap::new(), metrics: BTreeMap::new() }
    }

    /// Adds a fitted phase.
    pub(super) fn insert(&mut self, fitted: FittedPhase) {
        let FittedPhase { steps, counts, report, metrics } = fitted;
        let phase = report.phase;
        self.weights.set_steps(phase, |parameter| steps[parameter]);
        self.weights.set_counts(phase, |parameter| counts[parameter]);
        self.reports.insert(phase, report);
        self.metrics.insert(phase, metrics);
    }

    /// Adds the factors of a group of phases.
    pub(super) fn insert_factors(&mut self, group: usize, fitted: &[i8]) {
        if let Some(factors) = self.weights.factors_mut() {
            factors.set_group(group, |place| fitted[place]);
        }
    }

    /// Adds the phases and factors that an earlier run or another machine has finished.
    pub(super) fn insert_found(&mut self, found: FinishedPhases) {
        found.phases.into_iter().for_each(|phase| self.insert(phase));
        let factors = found.factors.into_iter();
        factors.for_each(|(group, factors)| self.insert_factors(group, &factors));
    }

    /// Returns the fitted phases in ascending order.
    pub(super) fn phases(&self) -> impl Iterator<Item = FittedPhase> {
        self.reports.iter().map(|(&phase, report)| FittedPhase {
            steps: self.weights.steps(phase).to_vec(),
            counts: self.weights.counts(phase).to_vec(),
            report: report.clone(),
            metrics: self.metrics.get(&phase).cloned().unwrap_or_default(),
        })
    }

    /// Returns the number of a phase's group and the group's factors; `None` without factors.
    pub(super) fn factors(&self, phase: Phase) -> Option<(usize, &[i8])> {
        let factors = self.weights.factors()?;
        Some((factors.shape().group(phase), factors.of(phase)))
    }

    /// Returns the report of the fitted phases.
    pub(super) fn report(&self) -> FitReport {
        FitReport(self.reports.values().cloned().collect())
    }

    /// Returns the metrics of all phases, in the order of the phases.
    pub(super) fn metrics(&self) -> impl Iterator<Item = &Metrics> {
        self.metrics.values().flatten()
    }

    /// Returns true if a phase is fitted.
    pub(super) fn contains(&self, phase: Phase) -> bool {
        self.reports.contains_key(&phase)
    }

    /// Returns the weights and a report of the `wanted` phases; `None` if no phase is fitted.
    ///
    /// A wanted phase that has no positions, or ran out of time, takes the weights of the nearest
    /// fitted phase (the earlier of two). So does a phase that is not wanted, unless `keep_others`
    /// is set.
    pub(super) fn finish(
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

    /// Returns the nearest fitted phase. Where phases share factors, one of the same group comes
    /// first.
    fn nearest(&self, phase: Phase) -> Option<Phase> {
        let shape = self.weights.set().factors();
        let is_near = |other: &Phase| shape.is_some_and(|s| s.group(*other) == s.group(phase));
        let fitted = || self.reports.keys().copied();
        nearest(phase, fitted().filter(is_near)).or_else(|| nearest(phase, fitted()))
    }

    /// Copies the weights and the factors of one phase to another.
    fn copy(&mut self, from: Phase, to: Phase) {
        let steps = self.weights.steps(from).to_vec();
        self.weights.set_steps(to, |parameter| steps[parameter]);
        if let Some(factors) = self.weights.factors_mut() {
            let vectors = factors.of(from).to_vec();
            factors.set_group(factors.shape().group(to), |place| vectors[place]);
        }
    }
}
