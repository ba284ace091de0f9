//! Groups of phases (plies of a game) that share factor vectors, and their fitted parameters.

use othello_engine::board::Phase;

use crate::model::Model;

/// A group of phases that share factor vectors. It lists the parameters that occur in its
/// positions, and defines the order of elements in vectors, such as the vector of weights and
/// factors.
///
/// Each parameter that occurs has its own index. More frequent parameters have lower indices, so
/// that frequent elements are adjacent. All other parameters share the last index, so that vectors
/// are several times shorter; their weights and factors stay 0. A vector has the weights of one
/// phase after another, then the factors of one parameter after another.
#[derive(Clone, Debug)]
pub struct Group {
    /// The phases of the group in ascending order.
    pub phases: Vec<Phase>,
    /// For each parameter of the model, its index in `parameters`; for a parameter that does not
    /// occur in the group, `parameters.len()`.
    pub numbers: Vec<u32>,
    /// The parameters that occur in the group, those most frequent in training first.
    pub parameters: Vec<u32>,
    /// For each of `parameters`, the total weight of its occurrences in training; 64 is one
    /// occurrence.
    pub occurrences: Vec<i64>,
    /// The number of parameters that occur in training; they have the lowest indices.
    pub trained: usize,
    /// The length of the factor vector of a parameter.
    pub dimensions: usize,
}

impl Group {
    /// Creates the group of `phases` (not empty); `None` if the model has no factors. `trained` and
    /// `others` are the occurrences of each parameter in training and in other subsets, times 64.
    pub fn new(model: &Model, phases: &[Phase], trained: &[i64], others: &[i64]) -> Option<Self> {
        let dimensions = model.set().factors()?.dimensions();
        let occurs = |parameter: &usize| trained[*parameter] > 0 || others[*parameter] > 0;
        let occurring = (0..model.parameters()).filter(occurs);
        let mut parameters: Vec<u32> = occurring.map(|parameter| parameter as u32).collect();
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

    /// Returns the greatest [`Self::length`] of a group with this number of phases; `None` if the
    /// model has no factors.
    pub fn largest_length(model: &Model, phases: usize) -> Option<usize> {
        let dimensions = model.set().factors()?.dimensions();
        Some((model.parameters() + 1) * (phases + dimensions))
    }

    /// Returns the number of parameter indices, including the last one, which stands for all
    /// parameters that do not occur in the group.
    pub fn count(&self) -> usize {
        self.parameters.len() + 1
    }

    /// Returns the indices of a phase's weights in the group's vectors. For a phase outside the
    /// group, returns the indices of the first phase's weights.
    pub fn weights(&self, phase: Phase) -> std::ops::Range<usize> {
        let place = self.phases.iter().position(|&other| other == phase).unwrap_or(0);
        place * self.count()..(place + 1) * self.count()
    }

    /// Returns the indices of all factors in the group's vectors.
    pub fn factors(&self) -> std::ops::Range<usize> {
        self.phases.len() * self.count()..self.length()
    }

    /// Returns the length of a vector of all weights and factors of the group of phases.
    pub fn length(&self) -> usize {
        self.count() * (self.phases.len() + self.dimensions)
    }
}
