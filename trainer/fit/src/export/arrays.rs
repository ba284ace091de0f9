//! Files of named arrays: NumPy's `.npz`, a zip of `.npy` files.

use std::io::Cursor;

use ndarray::{Array1, ArrayBase, Data, Dimension};
use ndarray_npy::{NpzWriter, WritableElement, WriteNpzError};

/// The error of an array that cannot be packed.
#[derive(Debug, thiserror::Error)]
#[error("the arrays cannot be packed: {0}")]
pub struct ArrayError(#[from] WriteNpzError);

/// An `.npz` file. Its bytes depend on the arrays alone: the files in the zip carry no dates.
pub struct Npz(NpzWriter<Cursor<Vec<u8>>>);

impl Npz {
    /// Creates a file without arrays.
    #[expect(clippy::new_without_default, reason = "a file to write to is begun, not assumed")]
    pub fn new() -> Self {
        Self(NpzWriter::new_compressed(Cursor::new(vec![])))
    }

    /// Returns the bytes of the file.
    pub fn finish(self) -> Result<Vec<u8>, ArrayError> {
        Ok(self.0.finish()?.into_inner())
    }

    /// Adds an array.
    pub fn array<T: WritableElement, D: Dimension>(
        &mut self,
        name: &str,
        array: &ArrayBase<impl Data<Elem = T>, D>,
    ) -> Result<(), ArrayError> {
        Ok(self.0.add_array(name, array)?)
    }

    /// Adds a text as an array of the bytes of its UTF-8. NumPy's strings take four bytes per
    /// character.
    pub fn text(&mut self, name: &str, text: &str) -> Result<(), ArrayError> {
        self.array(name, &Array1::from(text.as_bytes().to_vec()))
    }
}
