//! Phases that share factors, and what of them is fitted.

use othello_engine::board::Phase;

use crate::model::Model;

/// A group of phases that share factors: the parameters that its positions have, and the place of
/// everything in the vector of its fit.
///
/// Most parameters of a pattern set occur nowhere. A group numbers those that occur anew, the most
/// frequent first, so that vectors are several times shorter and what is used most lies together. The vector
/// has the weights of every phase of the group, one phase after another, and then the factors of all parameters,
/// one parameter after another. The last parameter stands for all that occur nowhere: its weights and
/// factors stay 0.
#[derive(Clone, Debug)]
pub struct Group {
    /// In ascending order.
    phases: Vec<Phase>,
    /// For each parameter of the model its number in the group.
    numbers: Vec<u32>,
    /// For each number of the group but the last the parameter of the model.
    parameters: Vec<u32>,
    /// The numbers below this occur in training.
    trained: usize,
    dimensions: usize,
}

impl Group {
    /// The group of phases in ascending order, at least one, with the occurrences of each parameter in their training positions
    /// and in others that the fit is measured on. `None` where the model has no factors.
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
        let trained = parameters.partition_point(|&parameter| trained[parameter as usize] > 0);
        Some(Self { phases: phases.to_vec(), numbers, parameters, trained, dimensions })
    }

    /// The length that the vector has at the most, for so many phases; `None` where the model has no factors.
    pub fn largest_length(model: &Model, phases: usize) -> Option<usize> {
        let dimensions = model.set().factors()?.dimensions();
        Some((model.parameters() + 1) * (phases + dimensions))
    }

    /// The phases of the group, in ascending order.
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// For each parameter of the model its number in the group.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// For each number of the group but the last, the parameter of the model.
    pub fn parameters(&self) -> &[u32] {
        &self.parameters
    }

    /// How many parameters of the group occur in training; they have the first numbers.
    pub fn trained(&self) -> usize {
        self.trained
    }

    /// How many numbers there are: the parameters that occur, and one for all others.
    pub fn count(&self) -> usize {
        self.parameters.len() + 1
    }

    /// The place of the weights of a phase; of the first, where it is not one of the group.
    pub fn weights(&self, phase: Phase) -> std::ops::Range<usize> {
        let place = self.phases.iter().position(|&other| other == phase).unwrap_or(0);
        place * self.count()..(place + 1) * self.count()
    }

    /// The place of the factors: [`Self::dimensions`] for each number.
    pub fn factors(&self) -> std::ops::Range<usize> {
        self.phases.len() * self.count()..self.length()
    }

    /// The number of factors of a parameter.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The length of the vector.
    pub fn length(&self) -> usize {
        self.count() * (self.phases.len() + self.dimensions)
    }
}
