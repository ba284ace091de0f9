//! The format safetensors: the length of a header in JSON, the header, and the arrays' bytes.

use ndarray::{ArrayBase, Data, Dimension};
use serde_json::{Map, Value, json};

use super::arrays::{ArrayError, ArrayFile, Element};

/// The bytes that the data of every array begins at a multiple of.
const ALIGNMENT: usize = 8;
/// The key of the texts in the header.
const METADATA: &str = "__metadata__";

/// A file of tensors. Its bytes depend on the arrays and texts alone, in the order in which they
/// were added.
#[derive(Default)]
pub struct SafeTensors {
    texts: Map<String, Value>,
    arrays: Vec<Tensor>,
}

struct Tensor {
    name: String,
    number: &'static str,
    /// The size of a number in bytes.
    size: usize,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl SafeTensors {
    /// Returns the bytes of the file. Wide numbers come first, so that all stand at multiples of
    /// their size.
    pub fn finish(mut self) -> Vec<u8> {
        self.arrays.sort_by_key(|tensor| std::cmp::Reverse(tensor.size));
        let mut header = Map::new();
        if !self.texts.is_empty() {
            header.insert(METADATA.to_owned(), Value::Object(self.texts));
        }
        let mut end = 0;
        for Tensor { name, number, shape, bytes, .. } in &self.arrays {
            let begin = end;
            end += bytes.len();
            let entry = json!({"dtype": number, "shape": shape, "data_offsets": [begin, end]});
            header.insert(name.clone(), entry);
        }
        let mut header = Value::Object(header).to_string().into_bytes();
        header.resize(header.len().next_multiple_of(ALIGNMENT), b' ');
        let length = (header.len() as u64).to_le_bytes();
        let data = self.arrays.iter().map(|tensor| tensor.bytes.as_slice());
        [&length[..], &header].into_iter().chain(data).collect::<Vec<_>>().concat()
    }
}

impl ArrayFile for SafeTensors {
    fn array<T: Element, D: Dimension>(
        &mut self,
        name: &str,
        array: &ArrayBase<impl Data<Elem = T>, D>,
    ) -> Result<(), ArrayError> {
        let mut bytes = Vec::with_capacity(array.len() * size_of::<T>());
        for number in array {
            // The format is little-endian.
            let number = bytemuck::bytes_of(number);
            if cfg!(target_endian = "little") {
                bytes.extend_from_slice(number);
            } else {
                bytes.extend(number.iter().rev());
            }
        }
        self.arrays.push(Tensor {
            name: name.to_owned(),
            number: T::TENSOR_TYPE,
            size: size_of::<T>(),
            shape: array.shape().to_vec(),
            bytes,
        });
        Ok(())
    }

    /// Adds a text to the header's metadata.
    fn text(&mut self, name: &str, text: &str) -> Result<(), ArrayError> {
        self.texts.insert(name.to_owned(), text.into());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, arr0, arr1};
    use safetensors::{Dtype, SafeTensors as Read};

    use super::*;

    /// The format's own library reads what was written.
    #[test]
    fn the_library_of_the_format_reads_the_arrays() {
        let mut file = SafeTensors::default();
        file.text("provenance", "{\"seed\": 1, \"ä\": \"\\n\"}").unwrap();
        file.array("bytes", &arr1(&[1_u8, 2, 255])).unwrap();
        let rows = Array2::from_shape_fn((3, 2), |(row, column)| row as i16 - column as i16);
        file.array("turned", &rows.t()).unwrap();
        file.array("boards", &arr1(&[u64::MAX, 1])).unwrap();
        file.array("one", &arr0(0.5_f32)).unwrap();
        file.array("none", &arr1::<u32>(&[])).unwrap();
        let bytes = file.finish();

        let read = Read::deserialize(&bytes).unwrap();
        let tensor = |name: &str| {
            let tensor = read.tensor(name).unwrap();
            (tensor.dtype(), tensor.shape().to_vec(), tensor.data().to_vec())
        };
        assert_eq!(tensor("bytes"), (Dtype::U8, vec![3], vec![1, 2, 255]));
        let turned = [0_i16, 1, 2, -1, 0, 1].iter().flat_map(|n| n.to_le_bytes()).collect();
        assert_eq!(tensor("turned"), (Dtype::I16, vec![2, 3], turned));
        let boards = [u64::MAX, 1].iter().flat_map(|n| n.to_le_bytes()).collect();
        assert_eq!(tensor("boards"), (Dtype::U64, vec![2], boards));
        assert_eq!(tensor("one"), (Dtype::F32, vec![], 0.5_f32.to_le_bytes().to_vec()));
        assert_eq!(tensor("none"), (Dtype::U32, vec![0], vec![]));
        let (_, header) = Read::read_metadata(&bytes).unwrap();
        let texts = header.metadata().clone().unwrap();
        assert_eq!(texts["provenance"], "{\"seed\": 1, \"ä\": \"\\n\"}");
    }
}
