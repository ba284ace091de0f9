//! The primitives of a fit, defined so that every implementation returns the same bytes.
//!
//! Sums over positions are added up in fixed point:
//!
//! | quantity | unit | bound, in this unit |
//! |---|---|---|
//! | label | 2⁻⁸ disc | ±2¹⁴ (64 discs) |
//! | weight of a parameter | 2⁻¹⁸ disc | ±2²⁴ (64 discs) |
//! | sum of the weights of a position's parameters, at most 80 | 2⁻¹⁸ disc | 80 · 2²⁴ < 2³¹ |
//! | residual | 2⁻¹⁰ disc | ±2²³ |
//! | weight of a position | 1/64 (64 is one occurrence) | < 2¹⁶ |
//! | Σ position's weight · residual, for a parameter | 2⁻¹⁶ disc | < 2⁶³, by [`MAX_TOTAL_WEIGHT`] |
//!
//! Elementwise operations on parameters use IEEE 754 double precision: every operation is rounded
//! by itself to the nearest (ties to even), a product and a sum are never fused, and small numbers
//! are not flushed to zero. The caller computes powers and cosines of scalars and passes the
//! results in. [`Backend::dot`], the only sum of doubles, has one fixed order.
//!
//! [`Cpu`] is the reference; [`kernels`] runs the same primitives on a GPU.
//!
//! ```
//! use othello_engine::pattern::PatternSet;
//! use othello_fit::backend::{Backend as _, Cpu};
//! use othello_fit::model::Model;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = Model::new(PatternSet::named("small", std::path::Path::new(""))?);
//! let backend = Cpu::new(&model);
//! let halves = backend.upload(&vec![0.5; backend.parameters()])?;
//! assert_eq!(backend.dot(&halves, &halves)?, backend.parameters() as f64 / 4.0);
//! # Ok(())
//! # }
//! ```

pub mod cpu;
mod fixed;
mod group;
pub mod kernels;

use std::ops::Range;

use othello_engine::board::{Phase, Position};
use othello_engine::progress::Progress;
use othello_engine::record::{RecordError, ScoredPosition};
use othello_kernels::LaunchError;

pub use cpu::Cpu;
pub use fixed::{
    DIRECTION_BITS, MAX_TOTAL_WEIGHT, RESIDUALS_PER_DISC, WEIGHT_LIMIT, WEIGHTS_PER_DISC,
    WEIGHTS_PER_OCCURRENCE,
};
pub use group::Group;

/// The number of elements that [`Backend::dot`] adds up as one chunk.
pub const DOT_CHUNK: usize = 4096;

/// The number of partial sums into which [`Backend::dot`] adds the elements of a chunk.
pub const DOT_LANES: usize = 256;

/// A device that computes the primitives of a fit for one [`Model`](crate::model::Model). Vectors
/// have one element for each parameter, and are in the device's memory.
pub trait Backend: Sized + Sync {
    /// The positions of a fit, in a form that the device can access.
    type Positions<'a>: Sync;
    /// A vector of 32-bit integers between ±[`WEIGHT_LIMIT`]. It contains either weights, in units
    /// of 1/[`WEIGHTS_PER_DISC`] disc, or a search direction of the conjugate gradients, scaled and
    /// rounded by [`Self::round_direction`].
    type Fixed: Send;
    /// A vector of 64-bit integers. Each element is a sum over positions, for one parameter.
    type Sums: Send;
    /// A vector of doubles (64-bit floating point).
    type Reals: Send;
    /// A sum of weight · residual² over positions. Calls of [`Self::residual_sums`] and
    /// [`Self::descend`] add to it.
    type Squares: Send;
    /// The working memory of [`Self::descend`], kept between calls.
    type Scratch: Send;

    /// Returns a backend on the same device for a group of phases that share factors. Its vectors
    /// have an element for each weight of each phase, then one for each factor. It fits the group
    /// by [`Self::descend`]. Its [`Self::residual_sums`] and [`Self::occurrences`] return an error,
    /// since values are not linear in factors.
    fn of_group(&self, group: &Group) -> Result<Self>;

    /// Returns the length of this backend's vectors: the number of weights plus, for a group of
    /// phases, the number of factors.
    fn parameters(&self) -> usize;

    /// Returns the positions of all `rows` in a form for the device. In each batch of them, the sum
    /// of the weights (64 is one occurrence) must be at most [`MAX_TOTAL_WEIGHT`].
    fn positions<'a>(&self, rows: &[Rows<'a>]) -> Result<Self::Positions<'a>>;

    /// Returns the number of fits for which the device has memory at the same time, if the vectors
    /// of each fit have up to `length` elements.
    fn at_once(&self, length: usize) -> usize;

    /// Returns a vector of doubles, one for each parameter, all 0.
    fn zero_reals(&self) -> Result<Self::Reals>;

    /// Returns a vector of 32-bit integers, one for each parameter, all 0.
    fn zero_fixed(&self) -> Result<Self::Fixed>;

    /// Returns a vector of sums (64-bit integers), one for each parameter, all 0.
    fn zero_sums(&self) -> Result<Self::Sums>;

    /// Returns a sum of squares that is 0.
    fn zero_squares(&self) -> Result<Self::Squares>;

    /// Waits for the device, and returns the sum `squares` as the integer 2²⁶ · Σ weight (in
    /// occurrences) · residual² (in discs²).
    fn squared(&self, squares: &Self::Squares) -> Result<u128>;

    /// Copies `values`, one for each parameter, to the device, and returns them as a vector.
    fn upload(&self, values: &[f64]) -> Result<Self::Reals>;

    /// Copies the elements of a vector from the device, and returns them.
    fn download(&self, vector: &Self::Reals) -> Result<Vec<f64>>;

    /// Copies the elements of a vector of sums from the device, and returns them.
    fn download_sums(&self, sums: &Self::Sums) -> Result<Vec<i64>>;

    /// Copies the elements of `from` to `to`.
    fn copy(&self, from: &Self::Reals, to: &mut Self::Reals) -> Result<()>;

    /// Sets each parameter's element of `sums` to Σ ω · residual over the parameter's occurrences
    /// in the batch. Adds Σ ω · residual² over the batch to `squares`. The weight ω of a position
    /// is in 1/[`WEIGHTS_PER_OCCURRENCE`], its residual in 1/[`RESIDUALS_PER_DISC`] disc.
    fn residual_sums(
        &self,
        positions: &Self::Positions<'_>,
        batch: Batch,
        vector: &Self::Fixed,
        target: Target,
        sums: &mut Self::Sums,
        squares: &mut Self::Squares,
    ) -> Result<()>;

    /// Sets each parameter's element of `sums` to Σ ω over the parameter's occurrences, where ω is
    /// the weight of the position.
    fn occurrences(&self, positions: &Self::Positions<'_>, sums: &mut Self::Sums) -> Result<()>;

    /// Adds up the errors of an evaluation with `weights` on the positions, and returns the sums.
    fn errors(&self, positions: &Self::Positions<'_>, weights: &Self::Fixed) -> Result<Errors>;

    /// Returns Σ left · right, added in a fixed order. The vectors are cut into chunks of
    /// [`DOT_CHUNK`] elements. A chunk has [`DOT_LANES`] = 256 partial sums, which begin with 0:
    /// sum l adds the products of elements l, l + 256, l + 512, … of the chunk, in this order.
    /// Then, for h = 128, 64, …, 1, sum l + h is added to sum l for each l < h; sum 0 is then the
    /// sum of the chunk. The sums of the chunks are added to 0, that of the first chunk first.
    fn dot(&self, left: &Self::Reals, right: &Self::Reals) -> Result<f64>;

    /// Returns the largest absolute value; NaN if an element is NaN.
    fn max_abs(&self, vector: &Self::Reals) -> Result<f64>;

    /// Computes `sum` ← `sum` + `factor` · `other` for each element.
    fn add_scaled(&self, sum: &mut Self::Reals, factor: f64, other: &Self::Reals) -> Result<()>;

    /// Computes `sum` ← `other` + `factor` · `sum` for each element.
    fn scale_and_add(&self, sum: &mut Self::Reals, factor: f64, other: &Self::Reals) -> Result<()>;

    /// Computes `to` ← `left` / `right` for each element.
    fn divide(&self, left: &Self::Reals, right: &Self::Reals, to: &mut Self::Reals) -> Result<()>;

    /// Computes `scaled` ← `unit` · `sums` for each element. Each sum is first rounded to a double.
    fn scale_sums(&self, sums: &Self::Sums, unit: f64, scaled: &mut Self::Reals) -> Result<()>;

    /// Computes `fixed` ← `weights` · 2¹⁸, for weights in discs. Rounds to the nearest integer,
    /// ties to even, and limits the result to ±[`WEIGHT_LIMIT`]. NaN becomes 0.
    fn round_weights(&self, weights: &Self::Reals, fixed: &mut Self::Fixed) -> Result<()>;

    /// Computes `fixed` ← `direction` · `scale`, rounded to the nearest integers, ties to even;
    /// then `direction` ← `fixed` / `scale`. `scale` is a power of two that leaves every element of
    /// `fixed` below 2²⁴ in absolute value.
    fn round_direction(
        &self,
        direction: &mut Self::Reals,
        scale: f64,
        fixed: &mut Self::Fixed,
    ) -> Result<()>;

    /// Updates each weight w once by Adam. Also stores w, rounded by [`Self::round_weights`], in
    /// `fixed`. Below, s is an element of `sums`, and w₀ of `initial`. `moments` has w, `first` and
    /// `second`; `step` has the other numbers.
    ///
    /// ```text
    /// gradient = unit · s + ridge · (w₀ − w)
    /// first    ← keep_first · first + take_first · gradient
    /// second   ← keep_second · second + take_second · (gradient · gradient)
    /// w        ← w + (rate · first) / (√(second · correction) + epsilon)
    /// ```
    fn adam(
        &self,
        sums: &Self::Sums,
        initial: &Self::Reals,
        step: &AdamStep,
        moments: &mut Moments<Self>,
        fixed: &mut Self::Fixed,
    ) -> Result<()>;

    /// Allocates the working memory of [`Self::descend`], and returns it.
    fn scratch(&self) -> Result<Self::Scratch>;

    /// Does one step of Adam for a group of phases that share factors. Rounds weights to 2⁻¹⁸ disc,
    /// factors to 2⁻¹⁶ √disc. Returns before the device has finished the step.
    ///
    /// A parameter has a weight in each phase and one vector of factors for the group. Let ω be the
    /// weight of a position. For a weight or factor w of a parameter, s is Σ ω · residual ·
    /// ∂value/∂w over the batch. Let n be Σ ω over the parameter's occurrences in the batch (for a
    /// weight, only in its phase), and N be Σ ω over its occurrences in the training positions of
    /// all phases of the group. Unless n is 0, the step updates w like [`Self::adam`], with this s
    /// and the ridge `ridge · n / N`. So in an epoch, the ridges of all steps of a factor add up to
    /// `ridge`, whether its parameter is rare or frequent.
    fn descend(
        &self,
        positions: &Self::Positions<'_>,
        batch: Batch,
        update: GroupUpdate<'_, Self>,
        scratch: &mut Self::Scratch,
    ) -> Result<()>;
}

/// The arguments of [`Backend::descend`] for one update. It changes `moments`, `fixed`, `squares`.
pub struct GroupUpdate<'v, B: Backend> {
    /// The scalars of the update, such as the learning rate.
    pub step: &'v AdamStep,
    /// The initial weights and factors, towards which the ridge penalty pulls the result.
    pub initial: &'v B::Reals,
    /// The weights and factors, and the running means of their gradients and squared gradients.
    pub moments: &'v mut Moments<B>,
    /// The current weights and factors in fixed point, which the update reads and then replaces.
    pub fixed: &'v mut B::Fixed,
    /// The sum of weight · residual² over all batches so far. For each batch, the residuals are
    /// those before the update by this batch.
    pub squares: &'v mut B::Squares,
}

/// The vectors that [`Backend::adam`] changes.
#[derive(Debug)]
pub struct Moments<B: Backend> {
    /// The current weights, in discs; for a [`Group`], followed by the factors, in √disc.
    pub weights: B::Reals,
    /// For each weight, the running mean of its gradient.
    pub first: B::Reals,
    /// For each weight, the running mean of its squared gradient.
    pub second: B::Reals,
}

/// The scalars of one update by [`Backend::adam`], in the order in which the kernels take them.
#[derive(Clone, Copy, PartialEq, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct AdamStep {
    /// The factor that converts the integers Σ weight · residual to gradients in discs.
    pub unit: f64,
    /// The coefficient of the L2 penalty (ridge), without unit; see [`Backend::adam`] and
    /// [`Backend::descend`].
    pub ridge: f64,
    /// Adam's β₁: the decay rate of the running mean of the gradient.
    pub keep_first: f64,
    /// 1 − β₁: the weight of a new gradient in the running mean.
    pub take_first: f64,
    /// Adam's β₂: the decay rate of the running mean of the squared gradient.
    pub keep_second: f64,
    /// 1 − β₂: the weight of a new squared gradient in the running mean.
    pub take_second: f64,
    /// The learning rate in discs, divided by 1 − β₁ᵗ (Adam's bias correction at update t).
    pub rate: f64,
    /// The factor 1/(1 − β₂ᵗ), which corrects the bias of the running mean of squares at update t.
    pub correction: f64,
    /// Adam's ε: a small number that keeps the divisor √(second · correction) + ε above 0.
    pub epsilon: f64,
}

/// The error of a computation that failed on a device, such as for lack of memory.
pub type BackendError = LaunchError;

/// The result of a computation on a device.
pub type Result<T, E = BackendError> = std::result::Result<T, E>;

fn check_linear<G>(device: &'static str, group: Option<&G>) -> Result<()> {
    let reason = || "values are not linear in factors: fit them with Adam".to_owned();
    group.map_or(Ok(()), |_| Err(BackendError { device, reason: reason() }))
}

fn no_group(device: &'static str) -> BackendError {
    let reason = "has no group of phases with factors: call of_group first".to_owned();
    BackendError { device, reason }
}

/// Positions, and one factor that multiplies the weight of each of them.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The positions, each with label and weight.
    pub positions: &'a [ScoredPosition],
    /// The factor that multiplies the weight of each position, in units of 1/256, from 0 to 256.
    pub factor: u16,
}

impl<'a> Rows<'a> {
    /// Returns `positions` with unchanged weights: [`Self::factor`], in units of 1/256, is 256.
    pub fn full(positions: &'a [ScoredPosition]) -> Self {
        Self { positions, factor: 256 }
    }

    fn phase(&self) -> Option<Phase> {
        Phase::of(&self.positions.first()?.position())
    }

    /// Returns the total weight of the positions, in units of 1/64 occurrence. The weight of each
    /// position is multiplied by [`Self::factor`] / 256 (that of its phase in the window), and
    /// rounded.
    pub fn total_weight(&self) -> u64 {
        let weights = self.positions.iter().map(|row| row.weight().steps());
        weights.map(|weight| u64::from(fixed::combined_weight(weight, self.factor))).sum()
    }
}

/// The positions of one update of the parameters. The positions of each phase (one [`Rows`]) are
/// cut into `of` ranges of about equal size, with the numbers 0, 1, … The batch has the range
/// `number` of every phase, so that all batches have the same mix of phases.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Batch {
    number: u32,
    of: u32,
}

impl Batch {
    /// The batch that contains all positions.
    pub const WHOLE: Self = Self { number: 0, of: 1 };

    /// Returns batch `number` (from 0) out of `of` batches; `None` unless `number < of`.
    pub const fn new(number: u32, of: u32) -> Option<Self> {
        if number < of { Some(Self { number, of }) } else { None }
    }

    /// Returns the indices of this batch's positions in a [`Rows`] of `positions` positions.
    pub fn range(&self, positions: usize) -> Range<usize> {
        let (number, of) = (u128::from(self.number), u128::from(self.of));
        let bound = |number: u128| (positions as u128 * number / of) as usize;
        bound(number)..bound(number + 1)
    }
}

/// Sums of the errors of an evaluation. The error of a position is its label minus its value, with
/// the value clamped to ±64 discs. Each position counts by its weight.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, derive_more::Add)]
pub struct Errors {
    /// The number of positions in these sums, each counted once whatever its weight.
    pub positions: u64,
    /// The total weight of the positions; 64 is one occurrence of a position.
    pub weight: u64,
    /// Σ weight (in 1/64 occurrence) · |error| (in 1/1024 disc).
    absolute: u128,
    /// Σ weight (in 1/64 occurrence) · error², for errors in 1/1024 disc.
    squared: u128,
}

impl Errors {
    /// Adds a position: its weight (64 is one occurrence), and its error in 1/1024 disc.
    #[inline]
    pub fn add(&mut self, weight: u16, error: i32) {
        let size = u64::from(error.unsigned_abs());
        self.positions += 1;
        self.weight += u64::from(weight);
        self.absolute += u128::from(u64::from(weight) * size);
        self.squared += u128::from(u64::from(weight) * size * size);
    }

    /// Returns Σ weight · |error| in occurrences · discs.
    pub fn absolute_discs(&self) -> f64 {
        self.absolute as f64 / f64::from(RESIDUALS_PER_DISC) / f64::from(WEIGHTS_PER_OCCURRENCE)
    }

    /// Returns the total weight of the positions, in occurrences.
    pub fn occurrences(&self) -> f64 {
        self.weight as f64 / f64::from(WEIGHTS_PER_OCCURRENCE)
    }

    /// Returns the mean squared error in discs²; `None` without positions.
    pub fn mse(&self) -> Option<f64> {
        self.mean(self.squared, f64::from(RESIDUALS_PER_DISC).powi(2))
    }

    /// Returns the mean absolute error in discs; `None` without positions.
    pub fn mae(&self) -> Option<f64> {
        self.mean(self.absolute, f64::from(RESIDUALS_PER_DISC))
    }

    fn mean(&self, sum: u128, unit: f64) -> Option<f64> {
        (self.weight > 0).then(|| sum as f64 / unit / self.weight as f64)
    }
}

/// The number from which [`Backend::residual_sums`] subtracts the value of a position: the
/// difference is the residual.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The label of the position. `residual_sums` then computes −½ times the gradient of Σ weight ·
    /// residual² with respect to the weights of parameters.
    Label,
    /// Zero: a residual is then minus the value. `residual_sums` computes −A · `vector`, where
    /// `vector` is its argument, and A the matrix of the normal equations of least squares.
    Zero,
}

/// A device that finds the exact scores of many positions at once. The scores equal those of
/// [`Searcher::solve`](othello_engine::search::Searcher::solve).
pub trait SolveMany: Sync {
    /// Returns the greatest number of empty squares of a position that the device solves.
    fn most_empties(&self) -> u32;

    /// Returns the exact score of each position. A score is `None` if the position has more than
    /// [`Self::most_empties`] empty squares, or if its search takes too many steps (see
    /// [`Solved::steps`]). Stops with an error if `progress` is interrupted.
    fn solve_many(
        &self,
        positions: &[Position],
        progress: &dyn Progress,
    ) -> Result<Solved, RecordError>;
}

/// The exact scores of positions, and the total numbers of nodes and steps of the searches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Solved {
    /// The score of each position for its player, −64..=64; `None` for an unsolved position.
    pub scores: Vec<Option<i8>>,
    /// The number of nodes of all searches.
    pub nodes: u64,
    /// The total number of steps of all searches; a step generates the moves of one position.
    pub steps: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_in_one_batch_and_batches_are_of_about_one_size() {
        for (positions, of) in [(0, 3), (2, 7), (1000, 7), (1000, 1), (5, 5)] {
            let mut next = 0;
            for number in 0..of {
                let range = Batch::new(number, of).unwrap().range(positions);
                assert_eq!(range.start, next);
                assert!(range.len().abs_diff(positions / of as usize) <= 1);
                next = range.end;
            }
            assert_eq!(next, positions);
        }
        assert_eq!(Batch::new(3, 3), None);
    }
}
