//! Divides parameters and rows for the fast kernels: see `tiles.cu`.

use std::sync::{Mutex, PoisonError};

use othello_engine::pattern::Scalar;

use super::launcher::Launcher;
use crate::backend::BackendError;
use crate::model::Model;

/// A range of one pattern's classes, in the layout of `tiles.cu`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, bytemuck::NoUninit)]
#[repr(C)]
pub(crate) struct Tile {
    pub(crate) first_feature: u32,
    pub(crate) features: u32,
    pub(crate) first_class: u32,
    pub(crate) classes: u32,
    pub(crate) first_parameter: u32,
}

/// Returns the tiles of a model, none with more than `most` classes.
pub(crate) fn tiles(model: &Model, most: usize) -> Vec<Tile> {
    let geometry = model.geometry();
    let mut tiles = vec![];
    let mut first_feature = 0;
    let mut add = |features: usize, first_parameter: usize, classes: usize| {
        for first in (0..classes).step_by(most) {
            tiles.push(Tile {
                first_feature: first_feature as u32,
                features: features as u32,
                first_class: first as u32,
                classes: most.min(classes - first) as u32,
                first_parameter: (first_parameter + first) as u32,
            });
        }
        first_feature += features;
    };
    for (number, pattern) in geometry.patterns.iter().enumerate() {
        let instances = geometry.instances.iter().filter(|i| i.pattern == number).count();
        add(instances, pattern.first_parameter, pattern.classes);
    }
    for number in 0..geometry.scalars.len() {
        add(1, geometry.pattern_parameters + number * Scalar::VALUES, Scalar::VALUES);
    }
    tiles
}

/// The buffers of the fast kernels for one chunk of rows.
#[derive(Debug)]
pub(super) struct Scratch<B> {
    /// The classes: 16 bits for each feature and row.
    pub(super) classes: B,
    /// The values: 32 bits for each row, 0 between chunks.
    pub(super) values: B,
    /// The weighted residuals: 64 bits for each row.
    pub(super) weighted: B,
}

/// A pool of scratch for all threads that compute at once.
#[derive(Debug)]
pub(super) struct ScratchPool<B> {
    free: Mutex<Vec<Scratch<B>>>,
    features: usize,
    chunk_rows: usize,
}

impl<B> ScratchPool<B> {
    pub(super) fn new(features: usize, chunk_rows: usize) -> Self {
        Self { free: Mutex::new(vec![]), features, chunk_rows }
    }

    /// Runs `work` with scratch that nobody else uses.
    pub(super) fn with(
        &self,
        launcher: &impl Launcher<Buffer = B>,
        work: impl FnOnce(&mut Scratch<B>) -> Result<(), BackendError>,
    ) -> Result<(), BackendError> {
        let free = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let found = free().pop();
        let mut scratch = match found {
            Some(scratch) => scratch,
            None => Scratch {
                classes: launcher.allocate((self.chunk_rows * self.features * 2).max(1))?,
                values: launcher.allocate(self.chunk_rows * 4)?,
                weighted: launcher.allocate(self.chunk_rows * 8)?,
            },
        };
        let done = work(&mut scratch);
        if done.is_ok() {
            free().push(scratch);
        }
        done
    }
}
