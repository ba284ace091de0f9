//! Groups of phases that share factors, and their fitted parameters.

use othello_engine::board::Phase;

use crate::model::Model;

/// A group of phases that share factors: the parameters that occur in its positions, and the layout
/// of its vectors, such as its weights and their gradients.
///
/// Most parameters of a pattern set do not occur. A group renumbers those that do, the most
/// frequent first, so that vectors are several times shorter and frequent elements are adjacent. A
/// vector has the weights of every phase, one phase after another, then the factors of all
/// parameters, one parameter after another. The last index stands for all parameters that do not
/// occur; its weights and factors stay 0.
#[derive(Clone, Debug)]
pub struct Group {
    /// The phases of the group in ascending order.
    pub phases: Vec<Phase>,
    /// For each parameter of the model, its index in the group.
    pub numbers: Vec<u32>,
    /// For each index in the group except the last one, the corresponding parameter of the model.
    pub parameters: Vec<u32>,
    /// For each index in the group except the last one, in descending order: Σ weight over the
    /// parameter's occurrences in training positions, in
    /// 1/[`WEIGHTS_PER_OCCURRENCE`](super::WEIGHTS_PER_OCCURRENCE) occurrence.
    pub occurrences: Vec<i64>,
    /// The number of parameters that occur in training; they have the lowest indices.
    pub trained: usize,
    /// The length of the factor vector of a parameter.
    pub dimensions: usize,
}

impl Group {
    /// Creates a group of at least one phase; `None` if the model has no factors. `trained` has
    /// each parameter's occurrences in training positions, `others` those in validation and test.
    pub fn new(model: &Model, phases: &[Phase], trained: &[i64], others: &[i64]) -> Option<Self> {
        let dimensions = model.set().factors()?.dimensions();
        let occurs = |&parameter: &u32| {
            let parameter = parameter as usize;
            trained[parameter] > 0 || others[parameter] > 0
        };
        let mut parameters: Vec<u32> = (0..model.parameters() as u32).filter(occurs).collect();
        parameters.sort_by_key(|&parameter| std::cmp::Reverse(trained[parameter as usize]));
        let mut numbers = vec![parameters.len() as u32; model.parameters()];
        for (number, &parameter) in parameters.iter().enumerate() {
            numbers[parameter as usize] = number as u32;
        }
        let occurrences = parameters.iter().map(|&parameter| trained[parameter as usize]);
        let occurrences: Vec<i64> = occurrences.collect();
        let trained = occurrences.partition_point(|&occurrences| occurrences > 0);
        let phases = phases.to_vec();
        Some(Self { phases, numbers, parameters, occurrences, trained, dimensions })
    }

    /// Returns the length of the longest vector that a group of `phases` phases can have: that of a
    /// group in which all parameters occur. `None` if the model has no factors.
    pub fn largest_length(model: &Model, phases: usize) -> Option<usize> {
        let dimensions = model.set().factors()?.dimensions();
        Some((model.parameters() + 1) * (phases + dimensions))
    }

    /// Returns the number of parameter indices: one for each parameter that occurs in training, and
    /// one that all other parameters share.
    pub fn count(&self) -> usize {
        self.parameters.len() + 1
    }

    /// Returns the range of a phase's weights in a vector of the group. A phase outside the group
    /// gets the range of the group's first phase.
    pub fn weights(&self, phase: Phase) -> std::ops::Range<usize> {
        let place = self.phases.iter().position(|&other| other == phase).unwrap_or(0);
        place * self.count()..(place + 1) * self.count()
    }

    /// Returns the range of all factors in a vector of the group.
    pub fn factors(&self) -> std::ops::Range<usize> {
        self.phases.len() * self.count()..self.length()
    }

    /// Returns the number of elements of a vector of the group: all its weights and factors.
    pub fn length(&self) -> usize {
        self.count() * (self.phases.len() + self.dimensions)
    }
}
