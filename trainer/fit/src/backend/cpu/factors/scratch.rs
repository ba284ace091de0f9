//! The residuals of a batch, computed before any parameter changes.

/// The residuals of a batch's positions, and the positions in which each parameter occurs.
#[derive(Debug, Default)]
pub struct Scratch {
    /// For each feature of each position in turn, its parameter's index in the group.
    pub(super) numbers: Vec<u32>,
    /// Residual · weight of each position, in units of 2⁻¹⁰ disc · 1/64 occurrence.
    pub(super) weighted: Vec<i64>,
    /// The weight of each position, in 1/64 occurrence.
    pub(super) weights: Vec<u16>,
    /// For each position and dimension: ±`weighted` · the sum of factors, in `weighted`'s unit.
    pub(super) added: Vec<i32>,
    /// For each phase of the group, the number of positions of this phase and of all earlier ones.
    pub(super) ends_of_phases: Vec<u32>,
    /// For each parameter, the index in `positions` at which the list of its positions ends.
    pub(super) ends: Vec<u32>,
    /// For each parameter in turn, the indices of the positions in which it occurs.
    pub(super) positions: Vec<u32>,
}

impl Scratch {
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.weighted.clear();
        self.weights.clear();
        self.added.clear();
        self.ends_of_phases.clear();
    }

    /// Fills `positions` and `ends` by a counting sort of the batch's positions by parameter; the
    /// positions of each of the `count` parameters stay in ascending order.
    pub(super) fn list(&mut self, count: usize, features: usize) {
        self.ends.clear();
        self.ends.resize(count, 0);
        for &number in &self.numbers {
            self.ends[number as usize] += 1;
        }
        let mut begin = 0;
        for end in &mut self.ends {
            begin += std::mem::replace(end, begin);
        }
        self.positions.resize(self.numbers.len(), 0);
        for (position, numbers) in self.numbers.chunks_exact(features).enumerate() {
            for &number in numbers {
                let end = &mut self.ends[number as usize];
                self.positions[*end as usize] = position as u32;
                *end += 1;
            }
        }
    }
}
