//! Runs the layout that other trainers use: see `baseline.cu`.

use othello_engine::record::ScoredPosition;
use othello_kernels::{Launcher, Value, index};

use super::wide::Table;
use super::{blocks_over, checked_count, upload};
use crate::backend::{BackendError, WEIGHTS_PER_DISC};
use crate::model::Model;

/// The elements of the baseline's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::bench) enum Layout {
    /// One element for each configuration. A feature takes two atomics, one of them for the
    /// mirrored configuration.
    Mirrored,
    /// One element for each class. A feature takes one atomic.
    Folded,
}

/// A baseline's kernel with its inputs.
#[derive(Debug)]
pub(in crate::bench) struct Baseline<'l, L: Launcher> {
    launcher: &'l L,
    layout: Layout,
    positions: u32,
    rows: L::Buffer,
    firsts: L::Buffer,
    weights: L::Buffer,
    mirrors: L::Buffer,
    gradient: L::Buffer,
    /// The parameter of each element of the table.
    parameters: Vec<u32>,
    parameter_count: usize,
}

impl<'l, L: Launcher> Baseline<'l, L> {
    /// Computes the rows of at most [`MOST_POSITIONS`](super::MOST_POSITIONS) positions and copies
    /// them to the device. `launcher` must have the model's program; the weights, one for each
    /// parameter, are in 1/[`WEIGHTS_PER_DISC`] disc.
    pub(in crate::bench) fn new(
        model: &Model,
        launcher: &'l L,
        layout: Layout,
        positions: &[ScoredPosition],
        weights: &[i32],
    ) -> Result<Self, BackendError> {
        assert_eq!(weights.len(), model.parameters(), "weights of another model");
        let count = checked_count(positions)?;
        let Table { firsts, parameters, mirrors, rows } = match layout {
            Layout::Mirrored => Table::by_configuration(model, positions),
            Layout::Folded => Table::by_class(model, positions),
        };
        let discs = |&parameter: &u32| f64::from(weights[parameter as usize]);
        let discs = parameters.iter().map(discs).map(|steps| steps / f64::from(WEIGHTS_PER_DISC));
        let discs: Vec<f64> = discs.collect();
        Ok(Self {
            launcher,
            layout,
            positions: count,
            rows: upload(launcher, &rows)?,
            firsts: upload(launcher, &firsts)?,
            weights: upload(launcher, &discs)?,
            mirrors: upload(launcher, &mirrors)?,
            gradient: launcher.allocate(size_of_val(&*discs).max(size_of::<f64>()))?,
            parameters,
            parameter_count: model.parameters(),
        })
    }

    /// Computes the gradient `passes` times, and waits for its end.
    pub(in crate::bench) fn run(&mut self, passes: u32) -> Result<(), BackendError> {
        for _ in 0..passes {
            self.launcher.clear(&mut self.gradient)?;
            self.launch()?;
        }
        // A read returns when everything launched before it is done.
        self.launcher.read(&self.gradient, &mut [0; size_of::<f64>()])
    }

    /// Returns Σ weight · (label − value) for each parameter of the model, in occurrences and
    /// discs, after the last pass.
    pub(in crate::bench) fn gradient(&self) -> Result<Vec<f64>, BackendError> {
        // With two atomics per feature, the configurations of a class hold twice its sum.
        let share = match self.layout {
            Layout::Mirrored => 0.5,
            Layout::Folded => 1.0,
        };
        let mut gradient = vec![0.0; self.parameter_count];
        for (&parameter, sum) in self.parameters.iter().zip(self.by_element()?) {
            gradient[parameter as usize] += share * sum;
        }
        Ok(gradient)
    }

    /// Returns the sum of each element of the table.
    pub(super) fn by_element(&self) -> Result<Vec<f64>, BackendError> {
        let mut gradient = vec![0.0; self.parameters.len()];
        self.launcher.read(&self.gradient, bytemuck::cast_slice_mut(&mut gradient))?;
        Ok(gradient)
    }

    fn launch(&mut self) -> Result<(), BackendError> {
        let (rows, positions) = (Value::In(&self.rows), Value::U32(self.positions));
        let (firsts, weights) = (Value::In(&self.firsts), Value::In(&self.weights));
        let (mirrors, gradient) = (Value::In(&self.mirrors), Value::Out(&mut self.gradient));
        let (kernel, mut arguments) = match self.layout {
            Layout::Mirrored => (
                index::MIRRORED_GRADIENT,
                vec![rows, positions, firsts, weights, mirrors, gradient],
            ),
            Layout::Folded => {
                (index::FOLDED_GRADIENT, vec![rows, positions, firsts, weights, gradient])
            }
        };
        let blocks = blocks_over(self.launcher, &kernel, self.positions as usize);
        // SAFETY: the arguments of the index; the numbers of a row stay inside their patterns, and
        // weights, mirrors and gradient have an element for each of the table.
        unsafe { self.launcher.launch(&kernel, blocks, &mut arguments) }
    }
}
