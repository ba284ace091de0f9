//! Writes weights, positions and other arrays to NumPy's `.npz` files; see `datasets/formats.md`.

use std::io::{Seek, Write};
use std::ops::Range;
use std::path::Path;

use bytemuck::cast_slice;
use memmap2::Mmap;
use ndarray::{Array1, Array2, ArrayBase, ArrayD, ArrayView1, ArrayView2, Data, Dimension, s};
use ndarray_npy::{NpzWriter, WritableElement};
use othello_engine::board::PHASES;
use othello_engine::eval::{Factors, STEPS_PER_DISC, Weights};
use othello_engine::pattern::{Geometry, Scalar};
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use super::ExportError;
use crate::dataset::Placed;
use crate::memory::{MemoryError, MemoryLimit, Temporary};

/// An `.npz` file. Its bytes depend only on the arrays, since the zip file has no dates.
pub struct Npz<W: Write + Seek>(NpzWriter<W>);

impl<W: Write + Seek> Npz<W> {
    /// Creates an empty `.npz` file in `writer`.
    pub fn new(writer: W) -> Self {
        Self(NpzWriter::new(writer))
    }

    /// Completes the file and returns the writer.
    pub fn finish(self) -> Result<W, ExportError> {
        Ok(self.0.finish()?)
    }

    /// Adds an array with a name.
    pub fn array<T: WritableElement, D: Dimension>(
        &mut self,
        name: &str,
        array: &ArrayBase<impl Data<Elem = T>, D>,
    ) -> Result<(), ExportError> {
        // A zip file needs other fields (Zip64) for the size of an array of 4 GiB or more.
        let is_long = array.len().saturating_mul(size_of::<T>()) >= 0xFFFF_0000;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .large_file(is_long);
        Ok(self.0.add_array_with_options(name, array, options)?)
    }

    /// Adds a text as an array of UTF-8 bytes, since NumPy's strings take four bytes per character.
    pub fn text(&mut self, name: &str, text: &str) -> Result<(), ExportError> {
        self.array(name, &Array1::from(text.as_bytes().to_vec()))
    }
}

/// The range of parameters that one array stores: of one pattern, or of all scalar features.
pub(super) struct Place {
    pattern: Option<usize>,
    pub(super) parameters: Range<usize>,
    /// The array's shape for one phase: `[classes]` of a pattern, `[features, values]` of scalars.
    axes: Vec<usize>,
}

impl Place {
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

    pub(super) fn name(&self, kind: &str) -> String {
        match self.pattern {
            Some(number) => format!("{kind}_{number:02}"),
            None => format!("scalar_{kind}"),
        }
    }

    pub(super) fn shape(&self, first: usize, dimensions: Option<usize>) -> Vec<usize> {
        [first].into_iter().chain(self.axes.iter().copied()).chain(dimensions).collect()
    }
}

/// The provenance and checksum of a weights file, which are exported with the weights.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The provenance of the weights as JSON.
    pub provenance: &'a str,
    /// The SHA-256 of the weights file.
    pub sha256: &'a str,
    /// True if the counts are known: how often each parameter occurs in training positions.
    pub counted: bool,
}

/// Adds the arrays of weights, and the weights' provenance and checksum, to an `.npz` file.
pub fn add_weights(
    file: &mut Npz<impl Write + Seek>,
    weights: &Weights,
    origin: Origin<'_>,
) -> Result<(), ExportError> {
    file.text("pattern_set", &weights.set().to_toml())?;
    file.text("provenance", origin.provenance)?;
    file.text("sha256", origin.sha256)?;
    file.array("steps_per_disc", &ndarray::arr0(STEPS_PER_DISC))?;
    let geometry = weights.geometry();
    for place in Place::all(geometry) {
        file.array(&place.name("weights"), &columns(&place, weights.all_steps()))?;
        if origin.counted {
            file.array(&place.name("counts"), &columns(&place, weights.all_counts()))?;
        }
        if let Some(all) = weights.factors() {
            file.array(&place.name("factors"), &factors(&place, all))?;
        }
        if let Some(number) = place.pattern {
            let classes = Array1::from(geometry.patterns[number].class_of.clone());
            file.array(&place.name("classes"), &classes)?;
            file.array(&place.name("instances"), &instances(weights, number))?;
        }
    }
    Ok(())
}

fn columns<T: Copy>(place: &Place, by_phase: ArrayView2<'_, T>) -> ArrayD<T> {
    let columns = by_phase.slice_move(s![.., place.parameters.clone()]);
    let shaped = columns.to_shape(place.shape(PHASES, None)).map(|shaped| shaped.into_owned());
    shaped.expect("a place has as many parameters as its axes")
}

fn factors(place: &Place, all: &Factors) -> ArrayD<i8> {
    let (groups, dimensions) = (all.shape().groups(), all.shape().dimensions());
    let own = place.parameters.start * dimensions..place.parameters.end * dimensions;
    let factors = (0..groups).flat_map(|group| &all.group(group)[own.clone()]).copied().collect();
    ArrayD::from_shape_vec(place.shape(groups, Some(dimensions)), factors)
        .expect("every parameter has one vector in each group")
}

/// Returns the squares (0 to 63) of each instance of a pattern, one instance in each row.
fn instances(weights: &Weights, number: usize) -> Array2<u8> {
    let geometry = weights.geometry();
    let own = geometry.instances.iter().filter(|instance| instance.pattern == number);
    let squares = own.flat_map(|instance| instance.squares.iter().map(|s| s.index() as u8));
    let (squares, digits) = (squares.collect::<Vec<_>>(), geometry.patterns[number].squares());
    Array2::from_shape_vec((squares.len() / digits, digits), squares)
        .expect("instances have the squares of their pattern")
}

/// The arrays of exported positions, collected in temporary files.
pub struct PositionArrays {
    limit: MemoryLimit,
    columns: [Temporary; 7],
}

impl PositionArrays {
    /// Creates empty arrays. Their temporary files are in the folder of the output file `out`.
    pub fn beside(out: &Path) -> Result<Self, MemoryError> {
        let limit = MemoryLimit::beside(out, 0);
        let column = || Temporary::create(&limit);
        let columns = [column()?, column()?, column()?, column()?, column()?, column()?, column()?];
        Ok(Self { limit, columns })
    }

    /// Appends positions.
    pub fn extend(&mut self, rows: &[Placed]) -> Result<(), MemoryError> {
        for Placed { row, subset, game, .. } in rows {
            let position = row.position();
            let numbers: [&[u8]; 7] = [
                &position.player().to_le_bytes(),
                &position.opponent().to_le_bytes(),
                // Multiples of 1/256 disc and of 1/64 occurrence are exact as `f32`.
                &(row.label().discs() as f32).to_le_bytes(),
                &(row.weight().occurrences() as f32).to_le_bytes(),
                &[position.ply() as u8],
                &[*subset as u8],
                &game.to_le_bytes(),
            ];
            let mut columns = self.columns.iter_mut().zip(numbers);
            columns.try_for_each(|(column, number)| column.write(number))?;
        }
        Ok(())
    }

    /// Returns the bytes of the `.npz` file of the positions, memory-mapped from a temporary file.
    /// `provenance` is the settings and inputs as JSON.
    pub fn finish(self, provenance: &str) -> Result<Mmap, ExportError> {
        let [player, opponent, label, weight, ply, subset, game] = self.columns;
        let mut file = Npz::new(self.limit.temporary_file()?);
        file.text("provenance", provenance)?;
        for (name, numbers) in [("player", player), ("opponent", opponent), ("game", game)] {
            file.array(name, &ArrayView1::from(cast_slice::<_, u64>(&numbers.map()?)))?;
        }
        for (name, numbers) in [("label", label), ("weight", weight)] {
            file.array(name, &ArrayView1::from(cast_slice::<_, f32>(&numbers.map()?)))?;
        }
        for (name, small) in [("ply", ply), ("subset", subset)] {
            file.array(name, &ArrayView1::from(&*small.map()?))?;
        }
        Ok(Temporary::of(file.finish()?, &self.limit).map()?)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use ndarray::Array1;
    use ndarray_npy::NpzReader;
    use othello_engine::board::Position;
    use othello_engine::record::{Label, ScoredPosition, Weight};

    use super::*;
    use crate::dataset::Subset;

    #[test]
    fn positions_are_kept_in_files_and_come_back_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut arrays = PositionArrays::beside(&folder.path().join("a.npz")).unwrap();
        let row = |number: u64| {
            let position = Position::new(number << 8, 0b1111).unwrap();
            let label = Label::of_score((number % 64) as i32).unwrap();
            let row = ScoredPosition::new(position, label, Weight::ONE);
            let subset = Subset::ALL[(number % 3) as usize];
            Placed { row, rule: None, subset, game: number }
        };
        for batch in 0..10 {
            let rows: Vec<Placed> = (0..1000).map(|at| row(1 + 1000 * batch + at)).collect();
            arrays.extend(&rows).unwrap();
        }
        // A position takes 8 + 8 + 8 + 4 + 4 + 1 + 1 = 34 bytes.
        let in_files: usize = arrays.columns.iter().map(Temporary::len).sum();
        assert_eq!(in_files, 10_000 * 34);
        let bytes = arrays.finish("{}").unwrap();
        let mut npz = NpzReader::new(Cursor::new(&bytes[..])).unwrap();
        let player: Array1<u64> = npz.by_name("player").unwrap();
        assert!(player.iter().copied().eq((1..=10_000).map(|number| number << 8)));
        let label: Array1<f32> = npz.by_name("label").unwrap();
        assert!(label.iter().copied().eq((1..=10_000).map(|number| (number % 64) as f32)));
        let subset: Array1<u8> = npz.by_name("subset").unwrap();
        assert!(subset.iter().copied().eq((1..=10_000).map(|number| (number % 3) as u8)));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let none = PositionArrays::beside(&folder.path().join("a.npz")).unwrap();
        let bytes = none.finish("{}").unwrap();
        let ply: Array1<u8> =
            NpzReader::new(Cursor::new(&bytes[..])).unwrap().by_name("ply").unwrap();
        assert!(ply.is_empty());
    }
}
