//! Writes any number of positions as NumPy arrays, through temporary files, in little memory.

use std::path::Path;

use bytemuck::cast_slice;
use memmap2::Mmap;
use ndarray::ArrayView1;

use super::ExportError;
use super::arrays::Npz;
use crate::dataset::Placed;
use crate::memory::{MemoryError, MemoryLimit, Temporary};

/// The arrays of exported positions, in temporary files.
pub struct PositionArrays {
    limit: MemoryLimit,
    columns: [Temporary; 7],
}

impl PositionArrays {
    /// Creates empty arrays in temporary files in the folder of the output `out`.
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

    /// Returns the `.npz` file of the positions, with the arrays that `datasets/formats.md` lists.
    /// `provenance` contains, as JSON, the settings and inputs that determined the positions.
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

    /// A regression: the positions were kept in memory, which therefore grew with their number.
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
