//! Files of named arrays: NumPy's `.npz`, a zip of `.npy` files, and [`SafeTensors`].

use std::io::Cursor;

use bytemuck::NoUninit;
use ndarray::{Array1, ArrayBase, Data, Dimension};
use ndarray_npy::{NpzWriter, WritableElement, WriteNpzError};

pub use super::safetensors::SafeTensors;

/// The error of an array that cannot be packed.
#[derive(Debug, thiserror::Error)]
#[error("the arrays cannot be packed: {0}")]
pub struct ArrayError(#[from] WriteNpzError);

/// A file of named arrays and texts.
pub trait ArrayFile {
    /// Adds an array.
    fn array<T: Element, D: Dimension>(
        &mut self,
        name: &str,
        array: &ArrayBase<impl Data<Elem = T>, D>,
    ) -> Result<(), ArrayError>;

    /// Adds a text.
    fn text(&mut self, name: &str, text: &str) -> Result<(), ArrayError>;
}

/// A number that an array may hold.
pub trait Element: WritableElement + NoUninit {
    /// The name of the type in a file of tensors.
    const TENSOR_TYPE: &'static str;
}

macro_rules! elements {
    ($($number:ty: $name:literal),*) => {
        $(impl Element for $number {
            const TENSOR_TYPE: &'static str = $name;
        })*
    };
}

elements!(i8: "I8", u8: "U8", i16: "I16", u16: "U16", i32: "I32", u32: "U32", u64: "U64", f32: "F32");

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
}

impl ArrayFile for Npz {
    fn array<T: Element, D: Dimension>(
        &mut self,
        name: &str,
        array: &ArrayBase<impl Data<Elem = T>, D>,
    ) -> Result<(), ArrayError> {
        Ok(self.0.add_array(name, array)?)
    }

    /// Adds a text as an array of the bytes of its UTF-8. NumPy's strings take four bytes per
    /// character.
    fn text(&mut self, name: &str, text: &str) -> Result<(), ArrayError> {
        self.array(name, &Array1::from(text.as_bytes().to_vec()))
    }
}
