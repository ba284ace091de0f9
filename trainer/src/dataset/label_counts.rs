//! The kinds of labels that the training positions of each phase have.

use std::collections::BTreeMap;

use othello_engine::board::{PHASES, Phase};

use crate::source::{LabelRules, Labelled};

/// The numbers of training positions by phase and by the rule that gave the label.
#[derive(Clone, Debug)]
pub(super) struct LabelCounts {
    rules: LabelRules,
    counts: BTreeMap<Option<u8>, [u64; PHASES]>,
}

impl LabelCounts {
    pub(super) fn new(rules: LabelRules) -> Self {
        Self { rules, counts: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, found: &Labelled) {
        if let Some(phase) = Phase::of(&found.row.position()) {
            let counts = self.counts.entry(found.rule).or_insert([0; PHASES]);
            counts[phase.index()] += 1;
        }
    }

    /// The kinds of labels in each phase.
    pub(super) fn by_phase(&self) -> Vec<Vec<(String, u64)>> {
        Phase::all().map(|phase| self.of_phase(phase)).collect()
    }

    /// The kinds of labels in a phase with their numbers, the most frequent first.
    fn of_phase(&self, phase: Phase) -> Vec<(String, u64)> {
        let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
        for (&rule, counts) in &self.counts {
            *kinds.entry(self.rules.kind(rule)).or_default() += counts[phase.index()];
        }
        let mut kinds: Vec<(String, u64)> = kinds.into_iter().filter(|kind| kind.1 > 0).collect();
        kinds.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        kinds
    }
}
