//! A position with the label it is fitted to.

use crate::board::{Discs, Position};

/// The number of steps of a [`Label`] in a disc.
pub const LABEL_STEPS_PER_DISC: i16 = 256;

/// The number of steps of a [`Weight`] in an occurrence.
pub const WEIGHT_STEPS_PER_OCCURRENCE: u16 = 64;

/// The size of a [`ScoredPosition`] in bytes, in memory and in a file.
pub const ROW_BYTES: usize = 20;

const MAX_LABEL_STEPS: i16 = 64 * LABEL_STEPS_PER_DISC;

/// The value that a position is fitted to, for the player: −64..=64 discs in steps of 1/256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Label(i16);

impl Label {
    /// Creates a label from steps of 1/256 disc; `None` beyond ±64 discs.
    pub const fn new(steps: i16) -> Option<Self> {
        if steps >= -MAX_LABEL_STEPS && steps <= MAX_LABEL_STEPS { Some(Self(steps)) } else { None }
    }

    /// Converts a score to a label; `None` beyond ±64 discs.
    pub fn of_score(score: Discs) -> Option<Self> {
        Self::of_discs(f64::from(score))
    }

    /// Returns the label nearest to a value in discs; `None` beyond ±64 discs.
    pub fn of_discs(discs: f64) -> Option<Self> {
        let steps = (discs * f64::from(LABEL_STEPS_PER_DISC)).round();
        (steps.abs() <= f64::from(MAX_LABEL_STEPS)).then_some(Self(steps as i16))
    }

    /// Returns the label in discs.
    pub fn discs(self) -> f64 {
        f64::from(self.0) / f64::from(LABEL_STEPS_PER_DISC)
    }

    /// Returns the label in steps of 1/256 disc.
    pub const fn steps(self) -> i16 {
        self.0
    }

    /// Returns the label for the other side.
    #[must_use]
    pub const fn negated(self) -> Self {
        Self(-self.0)
    }
}

/// The weight of a position in the fit: 1/64 to 1,023 occurrences, in steps of 1/64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Weight(u16);

impl Weight {
    /// The weight of one occurrence.
    pub const ONE: Self = Self(WEIGHT_STEPS_PER_OCCURRENCE);

    /// Creates a weight from steps of 1/64 occurrence; `None` for 0.
    pub const fn new(steps: u16) -> Option<Self> {
        if steps == 0 { None } else { Some(Self(steps)) }
    }

    /// Returns the weight nearest to a number of occurrences, at least 1/64 and at most the largest
    /// weight; `None` for numbers that are not greater than 0.
    pub fn of_occurrences(occurrences: f64) -> Option<Self> {
        let steps = (occurrences * f64::from(WEIGHT_STEPS_PER_OCCURRENCE)).round();
        (occurrences > 0.0).then_some(Self(steps.clamp(1.0, f64::from(u16::MAX)) as u16))
    }

    /// Returns the weight times a factor, rounded and bounded as by [`Self::of_occurrences`].
    pub fn times(self, factor: f64) -> Option<Self> {
        Self::of_occurrences(self.occurrences() * factor)
    }

    /// Returns the weight in occurrences.
    pub fn occurrences(self) -> f64 {
        f64::from(self.0) / f64::from(WEIGHT_STEPS_PER_OCCURRENCE)
    }

    /// Returns the weight in steps of 1/64 occurrence.
    pub const fn steps(self) -> u16 {
        self.0
    }
}

/// A position with its label and its weight, in 20 bytes without padding: rows can be copied to a
/// GPU unchanged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, bytemuck::NoUninit)]
#[repr(C, packed(4))]
pub struct ScoredPosition {
    player: u64,
    opponent: u64,
    label: i16,
    weight: u16,
}

/// The error for 20 bytes that are not a scored position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum RowError {
    #[error("both sides have a disc on the same square")]
    Overlap,
    #[error("{found} discs; a position has at least 4")]
    FewDiscs {
        /// The number of discs.
        found: u32,
    },
    #[error("label {found} is beyond 64 discs, which are {MAX_LABEL_STEPS} steps")]
    Label { found: i16 },
    #[error("the weight is 0")]
    Weight,
}

impl ScoredPosition {
    /// Creates a scored position.
    pub const fn new(position: Position, label: Label, weight: Weight) -> Self {
        let (player, opponent) = (position.player(), position.opponent());
        Self { player, opponent, label: label.0, weight: weight.0 }
    }

    /// Returns the position.
    #[inline]
    pub const fn position(&self) -> Position {
        Position::new(self.player, self.opponent).expect("made from a position")
    }

    /// Returns the label of the position.
    #[inline]
    pub const fn label(&self) -> Label {
        Label(self.label)
    }

    /// Returns the weight of the position.
    #[inline]
    pub const fn weight(&self) -> Weight {
        Weight(self.weight)
    }

    /// Returns this scored position with the canonical one of the position's eight images.
    #[must_use]
    pub fn canonical(&self) -> Self {
        Self::new(self.position().canonical(), self.label(), self.weight())
    }

    /// Encodes the row for a file: player, opponent, label, weight, little-endian.
    pub fn to_bytes(&self) -> [u8; ROW_BYTES] {
        let mut row = [0; ROW_BYTES];
        row[..8].copy_from_slice(&{ self.player }.to_le_bytes());
        row[8..16].copy_from_slice(&{ self.opponent }.to_le_bytes());
        row[16..18].copy_from_slice(&{ self.label }.to_le_bytes());
        row[18..].copy_from_slice(&{ self.weight }.to_le_bytes());
        row
    }

    /// Decodes a row and checks it.
    pub fn from_bytes(row: &[u8; ROW_BYTES]) -> Result<Self, RowError> {
        let half = |at: usize| u16::from_le_bytes([row[at], row[at + 1]]);
        let board = |at: usize| (0..4).map(|n| u64::from(half(at + 2 * n)) << (16 * n)).sum();
        let position = Position::new(board(0), board(8)).ok_or(RowError::Overlap)?;
        if position.discs() < 4 {
            return Err(RowError::FewDiscs { found: position.discs() });
        }
        let found = half(16) as i16;
        let label = Label::new(found).ok_or(RowError::Label { found })?;
        Ok(Self::new(position, label, Weight::new(half(18)).ok_or(RowError::Weight)?))
    }
}

impl std::fmt::Debug for ScoredPosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (label, weight) = (self.label().discs(), self.weight().occurrences());
        write!(f, "{:?} {label} (weight {weight})", self.position())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_weights_are_rounded_to_the_nearest_step() {
        assert_eq!(Label::of_discs(-6.5).unwrap().steps(), -1664);
        assert_eq!(Label::of_discs(1.0 / 512.0).unwrap().steps(), 1);
        assert_eq!(Label::of_score(-64).unwrap().discs(), -64.0);
        assert!([64.1, f64::NAN, f64::INFINITY].map(Label::of_discs).iter().all(Option::is_none));
        assert!(Label::new(i16::MIN).is_none());
        assert_eq!(Weight::of_occurrences(0.5).unwrap().steps(), 32);
        assert_eq!(Weight::of_occurrences(1e-9).unwrap().steps(), 1);
        assert_eq!(Weight::of_occurrences(1e9).unwrap().steps(), u16::MAX);
        assert!([0.0, -1.0, f64::NAN].map(Weight::of_occurrences).iter().all(Option::is_none));
    }

    #[test]
    fn a_row_has_20_bytes_here_and_there() {
        assert_eq!(size_of::<ScoredPosition>(), ROW_BYTES);
        let label = Label::of_discs(-3.5).unwrap();
        let row = ScoredPosition::new(Position::START, label, Weight::ONE);
        assert_eq!(ScoredPosition::from_bytes(&row.to_bytes()), Ok(row));
        assert_eq!(row.to_bytes()[16..], [0x80, 0xFC, 64, 0]);
        if cfg!(target_endian = "little") {
            assert_eq!(bytemuck::bytes_of(&row), row.to_bytes());
        }
    }

    #[test]
    fn bytes_that_are_no_row_are_refused() {
        let row = ScoredPosition::new(Position::START, Label(0), Weight::ONE).to_bytes();
        let changed = |at: usize, byte: u8| {
            let mut row = row;
            row[at] = byte;
            ScoredPosition::from_bytes(&row)
        };
        assert_eq!(changed(3, 0xFF), Err(RowError::Overlap));
        assert_eq!(changed(3, 0), Err(RowError::FewDiscs { found: 3 }));
        assert_eq!(changed(17, 0x41), Err(RowError::Label { found: 0x4100 }));
        assert_eq!(changed(18, 0), Err(RowError::Weight));
    }
}
