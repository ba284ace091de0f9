//! Counts the kinds of labels in each phase's training positions.

use std::collections::BTreeMap;

use othello_engine::board::{PHASES, Phase};

use crate::source::{LabelRules, Labelled};

/// The number of training positions by phase and by the rule that gave the label.
#[derive(Clone, Debug)]
pub(crate) struct LabelCounts {
    rules: LabelRules,
    counts: BTreeMap<Option<u8>, [u64; PHASES]>,
    /// For each phase, the number of labels of each kind that `add_kinds` added. The rules that
    /// gave these labels are unknown.
    before: Vec<BTreeMap<String, u64>>,
}

impl LabelCounts {
    pub(crate) fn new(rules: LabelRules) -> Self {
        Self { rules, counts: BTreeMap::new(), before: vec![BTreeMap::new(); PHASES] }
    }

    pub(crate) fn add_kinds(&mut self, phase: Phase, kinds: &[(String, u64)]) {
        for (kind, count) in kinds {
            let sum = self.before[phase.index()].entry(kind.clone()).or_default();
            *sum = sum.saturating_add(*count);
        }
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
        let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
        for &phase in phases {
            let rules = self.counts.iter();
            let rules = rules.map(|(&rule, counts)| (self.rules.kind(rule), counts[phase]));
            for (kind, count) in self.before[phase].clone().into_iter().chain(rules) {
                let sum = kinds.entry(kind).or_default();
                *sum = sum.saturating_add(count);
            }
        }
        let mut kinds: Vec<(String, u64)> = kinds.into_iter().filter(|kind| kind.1 > 0).collect();
        kinds.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        kinds
    }
}
