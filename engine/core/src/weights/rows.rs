//! A matrix with one row for each phase, filled row by row.

use ndarray::Array2;

use crate::board::{PHASES, Phase};
use crate::pattern::Geometry;

/// A matrix with a row for each phase. Takes no memory before the first row is stored.
#[derive(Clone, Debug)]
pub(super) struct Rows<T>(Array2<T>);

impl<T: Copy + Default> Rows<T> {
    pub(super) fn new(geometry: &Geometry) -> Self {
        Self(Array2::from_elem((0, geometry.parameters()), T::default()))
    }

    pub(super) fn put(&mut self, phase: Phase, row: &[T]) {
        if self.0.is_empty() {
            self.0 = Array2::from_elem((PHASES, self.0.ncols()), T::default());
        }
        self.0.row_mut(phase.index()).iter_mut().zip(row).for_each(|(to, &from)| *to = from);
    }

    /// Returns the row of a phase. Panics if no row was ever stored.
    pub(super) fn row(&self, phase: Phase) -> &[T] {
        row(&self.0, phase.index())
    }

    pub(super) fn whole(self) -> Array2<T> {
        self.0
    }
}

pub(super) fn row<T>(matrix: &Array2<T>, number: usize) -> &[T] {
    let row = matrix.row(number).to_slice();
    row.expect("a row of a matrix in standard layout is contiguous")
}
