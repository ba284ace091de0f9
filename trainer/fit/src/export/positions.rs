//! Writes labelled positions as named arrays. `datasets/formats.md` lists them.

use ndarray::ArrayView1;

use super::arrays::{ArrayError, Npz};
use crate::dataset::Columns;

/// Adds positions, and the settings and inputs that decided them as JSON, to a file of arrays.
pub fn add_positions(
    file: &mut Npz,
    columns: &Columns,
    provenance: &str,
) -> Result<(), ArrayError> {
    let Columns { player, opponent, label, weight, ply, subset } = columns;
    file.text("provenance", provenance)?;
    file.array("player", &ArrayView1::from(player))?;
    file.array("opponent", &ArrayView1::from(opponent))?;
    file.array("label", &ArrayView1::from(label))?;
    file.array("weight", &ArrayView1::from(weight))?;
    file.array("ply", &ArrayView1::from(ply))?;
    file.array("subset", &ArrayView1::from(subset))
}
