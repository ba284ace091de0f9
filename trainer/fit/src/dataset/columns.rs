//! Positions as columns of numbers, as programs in Python take them.

use super::Placed;

/// The columns of positions: each has as many elements as there are positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// The discs of the player to move; bit 0 is a1, bit 63 h8.
    pub player: Vec<u64>,
    /// The discs of the opponent.
    pub opponent: Vec<u64>,
    /// The labels in discs, for the player.
    pub label: Vec<f32>,
    /// The weights in occurrences.
    pub weight: Vec<f32>,
    /// The plies, which are also the phases: 0..=59.
    pub ply: Vec<u8>,
    /// The subsets: 0 training, 1 validation, 2 test.
    pub subset: Vec<u8>,
}

impl Columns {
    /// Adds positions at the end.
    pub fn extend(&mut self, rows: &[Placed]) {
        let position = |placed: &Placed| placed.row.position();
        self.player.extend(rows.iter().map(|row| position(row).player()));
        self.opponent.extend(rows.iter().map(|row| position(row).opponent()));
        // Steps of 1/256 disc and of 1/64 occurrence are exact in 32 bits.
        self.label.extend(rows.iter().map(|placed| placed.row.label().discs() as f32));
        self.weight.extend(rows.iter().map(|placed| placed.row.weight().occurrences() as f32));
        self.ply.extend(rows.iter().map(|row| position(row).ply() as u8));
        self.subset.extend(rows.iter().map(|placed| placed.subset as u8));
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.player.len()
    }

    /// Returns true if there is no position.
    pub fn is_empty(&self) -> bool {
        self.player.is_empty()
    }
}

impl From<&[Placed]> for Columns {
    fn from(rows: &[Placed]) -> Self {
        let mut columns = Self::default();
        columns.extend(rows);
        columns
    }
}
