//! Counts the kinds of labels in each phase's training positions.

use std::collections::BTreeMap;

use othello_engine::board::{PHASES, Phase};

use crate::source::{LabelRules, Labelled};

#[derive(Clone, Debug)]
pub(crate) struct LabelCounts {
    rules: LabelRules,
    counts: BTreeMap<Option<u8>, [u64; PHASES]>,
}

impl LabelCounts {
    pub(crate) fn new(rules: LabelRules) -> Self {
        Self { rules, counts: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, found: &Labelled) {
        if let Some(phase) = Phase::of(&found.row.position()) {
            let counts = self.counts.entry(found.rule).or_insert([0; PHASES]);
            counts[phase.index()] += 1;
        }
    }

    pub(crate) fn by_phase(&self) -> Vec<Vec<(String, u64)>> {
        Phase::all().map(|phase| self.of_phases(&[phase.index()])).collect()
    }

    /// Returns the number of labels of each kind in `phases`, the most frequent kind first.
    pub(crate) fn of_phases(&self, phases: &[usize]) -> Vec<(String, u64)> {
        by_kind(phases.iter().flat_map(|&phase| {
            self.counts.iter().map(move |(&rule, counts)| (self.rules.kind(rule), counts[phase]))
        }))
    }
}

/// Adds up the counts of each kind of label. Returns the sums, the most frequent kind first.
pub(super) fn by_kind(counts: impl Iterator<Item = (String, u64)>) -> Vec<(String, u64)> {
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for (kind, count) in counts {
        let sum = kinds.entry(kind).or_default();
        *sum = sum.saturating_add(count);
    }
    let mut kinds: Vec<(String, u64)> = kinds.into_iter().filter(|kind| kind.1 > 0).collect();
    kinds.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    kinds
}
