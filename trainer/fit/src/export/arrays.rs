//! Files of named arrays: NumPy's `.npz`, a zip of `.npy` files; and the names of the arrays of
//! weights.

use std::io::Cursor;
use std::ops::Range;

use ndarray::{Array1, ArrayBase, ArrayView1, Data, Dimension};
use ndarray_npy::{NpzWriter, WritableElement};
use othello_engine::pattern::{Geometry, Scalar};

use super::error::ExportError;
use crate::dataset::Columns;

/// An `.npz` file. Its bytes depend only on the arrays: the files in the zip have no dates.
pub struct Npz(NpzWriter<Cursor<Vec<u8>>>);

impl Npz {
    /// Creates a file without arrays.
    #[expect(clippy::new_without_default, reason = "a file to write to is begun, not assumed")]
    pub fn new() -> Self {
        Self(NpzWriter::new_compressed(Cursor::new(vec![])))
    }

    /// Returns the bytes of the file.
    pub fn finish(self) -> Result<Vec<u8>, ExportError> {
        Ok(self.0.finish()?.into_inner())
    }

    /// Adds an array.
    pub fn array<T: WritableElement, D: Dimension>(
        &mut self,
        name: &str,
        array: &ArrayBase<impl Data<Elem = T>, D>,
    ) -> Result<(), ExportError> {
        Ok(self.0.add_array(name, array)?)
    }

    /// Adds a text as an array of UTF-8 bytes, since NumPy's strings take four bytes per character.
    pub fn text(&mut self, name: &str, text: &str) -> Result<(), ExportError> {
        self.array(name, &Array1::from(text.as_bytes().to_vec()))
    }

    /// Adds labelled positions, and the settings and inputs that determined them as JSON.
    /// `datasets/formats.md` lists the arrays.
    pub fn positions(&mut self, columns: &Columns, provenance: &str) -> Result<(), ExportError> {
        let Columns { player, opponent, label, weight, ply, subset } = columns;
        self.text("provenance", provenance)?;
        self.array("player", &ArrayView1::from(player))?;
        self.array("opponent", &ArrayView1::from(opponent))?;
        self.array("label", &ArrayView1::from(label))?;
        self.array("weight", &ArrayView1::from(weight))?;
        self.array("ply", &ArrayView1::from(ply))?;
        self.array("subset", &ArrayView1::from(subset))
    }
}

/// The parameters in an array: those of a pattern by class, or those of all scalar features by
/// count.
pub(super) struct Place {
    /// The number of the pattern; `None` for the scalar features.
    pub(super) pattern: Option<usize>,
    pub(super) parameters: Range<usize>,
    /// The lengths of the axes of the parameters.
    pub(super) axes: Vec<usize>,
}

impl Place {
    /// Returns the places of all parameters of a phase, in their order.
    pub(super) fn all(geometry: &Geometry) -> Vec<Self> {
        let patterns = geometry.patterns.iter().enumerate().map(|(number, pattern)| Self {
            pattern: Some(number),
            parameters: pattern.first_parameter..pattern.first_parameter + pattern.classes,
            axes: vec![pattern.classes],
        });
        let scalars = Self {
            pattern: None,
            parameters: geometry.pattern_parameters..geometry.parameters(),
            axes: vec![geometry.scalars.len(), Scalar::VALUES],
        };
        patterns.chain([scalars]).collect()
    }

    /// Returns the name of an array: `weights_00` for pattern 0, `scalar_weights`.
    pub(super) fn name(&self, kind: &str) -> String {
        match self.pattern {
            Some(number) => format!("{kind}_{number:02}"),
            None => format!("scalar_{kind}"),
        }
    }

    /// Returns the shape of an array with `first` rows and, for factors, an additional axis at the
    /// end.
    pub(super) fn shape(&self, first: usize, dimensions: Option<usize>) -> Vec<usize> {
        [first].into_iter().chain(self.axes.iter().copied()).chain(dimensions).collect()
    }
}
