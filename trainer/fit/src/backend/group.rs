//! Groups of phases that share factors, and their fitted parameters.

use othello_engine::board::Phase;

use crate::model::Model;

/// A group of phases that share factors: the parameters that occur in its positions, and the layout
/// of its fit's vector.
///
/// Most parameters of a pattern set do not occur. A group renumbers the parameters that occur,
/// starting with the most frequent, so that vectors are several times shorter and frequent elements
/// are adjacent. The vector has the weights of every phase of the group, one phase after another,
/// and then the factors of all parameters, one parameter after another. The last parameter index
/// represents all parameters that do not occur. The weights and factors at this index stay 0.
#[derive(Clone, Debug)]
pub struct Group {
    /// The phases of the group in ascending order.
    pub phases: Vec<Phase>,
    /// For each parameter of the model, its index among the parameters of the group.
    pub numbers: Vec<u32>,
    /// For each index in the group except the last one, the corresponding parameter of the model.
    pub parameters: Vec<u32>,
    /// For each index in the group except the last one, the number of occurrences of the parameter
    /// in the training positions, each counted by the position's weight. The unit is
    /// 1/[`WEIGHTS_PER_OCCURRENCE`](super::WEIGHTS_PER_OCCURRENCE) of an occurrence. The numbers
    /// are in descending order.
    pub occurrences: Vec<i64>,
    /// The number of parameters that occur in training positions. These parameters have the lowest
    /// indices in the group.
    pub trained: usize,
    /// The length of the factor vector of a parameter.
    pub dimensions: usize,
}

impl Group {
    /// Creates a group of at least one phase. For each parameter of the model, `trained` has the
    /// number of its occurrences in training positions, and `others` the number in validation and
    /// test positions. Returns `None` if the model has no factors.
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

    /// Returns the greatest possible length of the vector of a group of `phases` phases; `None` if
    /// the model has no factors.
    pub fn largest_length(model: &Model, phases: usize) -> Option<usize> {
        let dimensions = model.set().factors()?.dimensions();
        Some((model.parameters() + 1) * (phases + dimensions))
    }

    /// Returns the number of parameter indices in the group: one for each parameter that occurs,
    /// and one for all others together.
    pub fn count(&self) -> usize {
        self.parameters.len() + 1
    }

    /// Returns the range of a phase's weights in the vector. For a phase outside the group, returns
    /// the range of the first phase.
    pub fn weights(&self, phase: Phase) -> std::ops::Range<usize> {
        let place = self.phases.iter().position(|&other| other == phase).unwrap_or(0);
        place * self.count()..(place + 1) * self.count()
    }

    /// Returns the range of the factors in the vector: [`Self::dimensions`] elements for each
    /// parameter index in the group.
    pub fn factors(&self) -> std::ops::Range<usize> {
        self.phases.len() * self.count()..self.length()
    }

    /// Returns the length of the vector that contains all weights and factors of the group.
    pub fn length(&self) -> usize {
        self.count() * (self.phases.len() + self.dimensions)
    }
}
