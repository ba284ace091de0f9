//! Adam (Kingma and Ba 2015) on mini-batches or on all positions at once. The learning rate falls
//! to 0 over all epochs, along half a cosine.
//!
//! The loss is (Σ ω · error² + ridge penalty) / Σ ω, where ω is the weight of a position. With any
//! batch size, Adam therefore approaches the least-squares solution. For n batches, the positions
//! of each phase, sorted by a hash, are cut into n ranges; batch i has range i of each phase. A
//! pass takes all batches in a new random order. An epoch is one pass or, with few mini-batches,
//! enough passes for [`AdamSettings::updates`] updates.

use othello_engine::random::Generator;
use serde::{Deserialize, Serialize};

use super::Result;
use super::epochs::{Advance, Problem, Solver, State};
use super::report::Metrics;
use super::settings::AdamSettings;
use crate::backend::{AdamStep, Backend, BackendError, Batch, GroupUpdate, Moments, Target};

pub(super) struct Adam<'p, 'a, B: Backend> {
    problem: &'p Problem<'a, B>,
    settings: &'p AdamSettings,
    seed: u64,
    batches: u32,
    sweeps_per_epoch: u32,
    initial: B::Reals,
    moments: Moments<B>,
    fixed: B::Fixed,
    memory: Memory<B>,
    /// Σ weight · residual² over the batches that the current epoch has used since the fit was
    /// started or resumed.
    squares: B::Squares,
    progress: Progress,
    batch_order: Vec<u32>,
}

pub(super) enum Memory<B: Backend> {
    Phase(B::Sums),
    Group(B::Scratch),
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Progress {
    updates: u64,
    /// Σ weight · residual² over the batches that the current epoch used before the fit was
    /// resumed, as the high and low half of a 128-bit number. Weights are in 1/64 occurrence,
    /// residuals in 1/1024 disc.
    squared: [u64; 2],
}

impl<'p, 'a, B: Backend> Adam<'p, 'a, B> {
    pub(super) fn new(
        problem: &'p Problem<'a, B>,
        settings: &'p AdamSettings,
        seed: u64,
        memory: Memory<B>,
        state: Option<&State>,
    ) -> Result<Self> {
        let backend = problem.backend;
        let moments = match state {
            None => Moments {
                weights: backend.upload(&problem.initial)?,
                first: backend.zero_reals()?,
                second: backend.zero_reals()?,
            },
            Some(state) => Moments {
                weights: problem.vector(state, "weights")?,
                first: problem.vector(state, "first moment")?,
                second: problem.vector(state, "second moment")?,
            },
        };
        let progress = state.map_or_else(|| Ok(Progress::default()), State::scalars)?;
        let mut fixed = backend.zero_fixed()?;
        backend.round_weights(&moments.weights, &mut fixed)?;
        let batches = problem.batches(settings.batch);
        let sweeps_per_epoch =
            if settings.batch == 0 { 1 } else { settings.updates.div_ceil(batches).max(1) };
        let sweep = progress.updates / u64::from(batches);
        Ok(Self {
            problem,
            settings,
            seed,
            batches,
            sweeps_per_epoch,
            initial: backend.upload(&problem.initial)?,
            moments,
            fixed,
            memory,
            squares: backend.zero_squares()?,
            progress,
            batch_order: batch_order(seed, sweep, batches),
        })
    }

    fn updates_per_epoch(&self) -> u64 {
        u64::from(self.batches) * u64::from(self.sweeps_per_epoch)
    }

    fn step(&self) -> AdamStep {
        let AdamSettings { beta1, beta2, epsilon, .. } = *self.settings;
        let (batches, occurrences) = (f64::from(self.batches), self.problem.occurrences);
        let next = (self.progress.updates + 1) as f64;
        AdamStep {
            // Sums are scaled as if each batch had the mean number of occurrences over all batches.
            unit: batches / (Problem::<B>::SUM_OF_ONE * occurrences),
            ridge: match self.memory {
                Memory::Phase(_) => self.problem.ridge / occurrences,
                // `descend` scales the ridge by a batch's share of occurrences: about 1/`batches`.
                Memory::Group(_) => self.problem.ridge * batches / occurrences,
            },
            keep_first: beta1,
            take_first: 1.0 - beta1,
            keep_second: beta2,
            take_second: 1.0 - beta2,
            rate: self.learning_rate() / (1.0 - libm::pow(beta1, next)),
            correction: 1.0 / (1.0 - libm::pow(beta2, next)),
            epsilon,
        }
    }

    fn learning_rate(&self) -> f64 {
        let AdamSettings { epochs, learning_rate, .. } = *self.settings;
        let epoch = self.progress.updates as f64 / self.updates_per_epoch() as f64;
        let part = (epoch / f64::from(epochs)).min(1.0);
        learning_rate * (0.5 * (1.0 + libm::cos(std::f64::consts::PI * part)))
    }

    fn update(&mut self, batch: Batch) -> Result<(), BackendError> {
        let step = self.step();
        let is_first = self.progress.updates.is_multiple_of(self.updates_per_epoch());
        let Self { problem, initial, moments, fixed, squares, progress, .. } = self;
        let (backend, positions) = (problem.backend, &problem.positions);
        if is_first {
            progress.squared = [0; 2];
            *squares = backend.zero_squares()?;
        }
        match &mut self.memory {
            Memory::Group(scratch) => {
                let update = GroupUpdate { step: &step, initial, moments, fixed, squares };
                backend.descend(positions, batch, update, scratch)
            }
            Memory::Phase(sums) => {
                backend.residual_sums(positions, batch, fixed, Target::Label, sums, squares)?;
                backend.adam(sums, initial, &step, moments, fixed)
            }
        }
    }

    /// Returns Σ weight · residual² over the batches of the current epoch so far.
    fn squared(&self) -> Result<u128, BackendError> {
        let since = self.problem.backend.squared(&self.squares)?;
        Ok(joined(self.progress.squared).saturating_add(since))
    }
}

impl<B: Backend> Solver<B> for Adam<'_, '_, B> {
    fn advance(&mut self) -> Result<Advance, BackendError> {
        let rate = self.learning_rate();
        let in_sweep = (self.progress.updates % u64::from(self.batches)) as usize;
        let batch = Batch::new(self.batch_order[in_sweep], self.batches).unwrap_or(Batch::WHOLE);
        self.update(batch)?;
        self.progress.updates += 1;
        if in_sweep + 1 == self.batch_order.len() {
            let sweep = self.progress.updates / u64::from(self.batches);
            self.batch_order = batch_order(self.seed, sweep, self.batches);
        }
        if !self.progress.updates.is_multiple_of(self.updates_per_epoch()) {
            return Ok(Advance::Update);
        }
        let squared = Problem::<B>::squared_discs(self.squared()?);
        let squared = squared / f64::from(self.sweeps_per_epoch);
        Ok(Advance::Epoch(Metrics {
            epoch: u32::try_from(self.epochs()).unwrap_or(u32::MAX),
            learning_rate: Some(rate),
            train_mse: Some(squared / self.problem.occurrences),
            ..Metrics::default()
        }))
    }

    fn epochs(&self) -> u64 {
        self.progress.updates / self.updates_per_epoch()
    }

    fn weights(&self) -> &B::Reals {
        &self.moments.weights
    }

    fn state(&self) -> Result<State, BackendError> {
        let Moments { weights, first, second } = &self.moments;
        let vectors = [("weights", weights), ("first moment", first), ("second moment", second)];
        let progress = Progress { squared: halves(self.squared()?), ..self.progress };
        self.problem.state(progress, vectors)
    }
}

fn batch_order(seed: u64, sweep: u64, batches: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..batches).collect();
    Generator::split(seed, sweep).shuffle(&mut order);
    order
}

fn halves(number: u128) -> [u64; 2] {
    [(number >> 64) as u64, number as u64]
}

fn joined([high, low]: [u64; 2]) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}
