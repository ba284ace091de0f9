use super::{FrameError, Record};
use crate::board::{Discs, Position};
use crate::file::Kind;
use crate::text::Invalid;

/// The number of steps in a disc: a [`Label`] is stored in steps of 1/256 disc.
pub const LABEL_STEPS_PER_DISC: i16 = 256;

/// The number of steps in a weight of 1: a [`Weight`] is stored in steps of 1/64.
pub const WEIGHT_STEPS_PER_OCCURRENCE: u16 = 64;

/// The size of a [`ScoredPosition`] in bytes, in memory and in a file.
pub const ROW_BYTES: usize = 20;

const MAX_LABEL_STEPS: i16 = 64 * LABEL_STEPS_PER_DISC;

/// The target value of a position in training: a score for the player to move, −64..=64 discs in
/// steps of 1/256 disc.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Label(i16);

impl Label {
    /// Creates a label from steps of 1/256 disc; `None` beyond ±64 discs.
    pub const fn new(steps: i16) -> Option<Self> {
        if steps >= -MAX_LABEL_STEPS && steps <= MAX_LABEL_STEPS { Some(Self(steps)) } else { None }
    }

    /// Converts a score in whole discs to a label; `None` beyond ±64 discs.
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

    /// Returns the negated label: the same value from the view of the other side.
    #[must_use]
    pub const fn negated(self) -> Self {
        Self(-self.0)
    }
}

/// The weight of a position in training, 1/64 to 65535/64. Weight 2 counts as two occurrences.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Weight(u16);

impl Weight {
    /// The weight of a position that occurs once.
    pub const ONE: Self = Self(WEIGHT_STEPS_PER_OCCURRENCE);

    /// Creates a weight from a number of steps of 1/64; `None` for 0.
    pub const fn new(steps: u16) -> Option<Self> {
        if steps == 0 { None } else { Some(Self(steps)) }
    }

    /// Returns the valid weight nearest to `occurrences`; `None` unless `occurrences` > 0.
    pub fn of_occurrences(occurrences: f64) -> Option<Self> {
        let steps = (occurrences * f64::from(WEIGHT_STEPS_PER_OCCURRENCE)).round();
        (occurrences > 0.0).then_some(Self(steps.clamp(1.0, f64::from(u16::MAX)) as u16))
    }

    /// Returns an error unless `occurrences` is within 2 % of a valid weight (a multiple of 1/64).
    /// The message begins with the number, so that a caller can put "the weight" before it.
    pub fn check(occurrences: f64) -> Result<(), String> {
        let unit = f64::from(WEIGHT_STEPS_PER_OCCURRENCE);
        let steps = occurrences * unit;
        let misses = |nearest: Self| (f64::from(nearest.0) - steps).abs() > 0.02 * steps;
        if steps.is_finite() && !Self::of_occurrences(occurrences).is_none_or(misses) {
            return Ok(());
        }
        let near = |steps: f64| steps.clamp(1.0, u16::MAX.into()) / unit;
        let [below, above] = [near(steps.floor()), near(steps.floor() + 1.0)];
        let expected =
            if below == above { below.to_string() } else { format!("{below} or {above}") };
        Err(format!("{occurrences:?} is not close to a multiple of 1/64; expected {expected}"))
    }

    /// Returns the weight nearest to this weight times `factor`; `None` unless the product is > 0.
    pub fn times(self, factor: f64) -> Option<Self> {
        Self::of_occurrences(self.occurrences() * factor)
    }

    /// Returns the weight as a number of occurrences.
    pub fn occurrences(self) -> f64 {
        f64::from(self.0) / f64::from(WEIGHT_STEPS_PER_OCCURRENCE)
    }

    /// Returns the weight in steps of 1/64.
    pub const fn steps(self) -> u16 {
        self.0
    }
}

/// A position with its label and its weight: 20 bytes without padding, in GPU memory too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, bytemuck::NoUninit)]
#[repr(C, packed(4))]
pub struct ScoredPosition {
    player: u64,
    opponent: u64,
    label: i16,
    weight: u16,
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
    pub const fn label(&self) -> Label {
        Label(self.label)
    }

    /// Returns the weight of the position.
    pub const fn weight(&self) -> Weight {
        Weight(self.weight)
    }

    /// Returns this record for the canonical one of its position's eight symmetric images.
    #[must_use]
    pub fn canonical(&self) -> Self {
        Self::new(self.position().canonical(), self.label(), self.weight())
    }

    /// Encodes the record for a file: player, opponent, label, weight, little-endian.
    pub fn to_bytes(&self) -> [u8; ROW_BYTES] {
        let mut row = [0; ROW_BYTES];
        row[..8].copy_from_slice(&{ self.player }.to_le_bytes());
        row[8..16].copy_from_slice(&{ self.opponent }.to_le_bytes());
        row[16..18].copy_from_slice(&{ self.label }.to_le_bytes());
        row[18..].copy_from_slice(&{ self.weight }.to_le_bytes());
        row
    }

    /// Decodes a record of a file; refuses an invalid position, label or weight.
    pub fn from_bytes(row: &[u8; ROW_BYTES]) -> Result<Self, Invalid> {
        let half = |at: usize| u16::from_le_bytes([row[at], row[at + 1]]);
        let board = |at: usize| (0..4).map(|n| u64::from(half(at + 2 * n)) << (16 * n)).sum();
        let refused = |reason: &str| Invalid(reason.to_owned());
        let position = Position::new(board(0), board(8))
            .ok_or_else(|| refused("both sides have a disc on the same square"))?;
        if position.discs() < 4 {
            return Err(refused(&format!("{} discs; a position has at least 4", position.discs())));
        }
        let (label, most) = (half(16) as i16, MAX_LABEL_STEPS);
        let beyond =
            || refused(&format!("label {label} is beyond 64 discs, which are {most} steps"));
        let label = Label::new(label).ok_or_else(beyond)?;
        let weight = Weight::new(half(18)).ok_or_else(|| refused("the weight is 0"))?;
        Ok(Self::new(position, label, weight))
    }
}

impl Record for ScoredPosition {
    const NAME: &str = "position";
    const PLURAL: &str = "positions";
    const PER_FRAME: usize = 4096;
    const KINDS: &[Kind] = &[Kind::Positions, Kind::Openings];

    fn encode_frame(positions: &[Self]) -> Vec<u8> {
        positions.iter().flat_map(Self::to_bytes).collect()
    }

    fn decode_frame(bytes: &[u8]) -> Result<Vec<Self>, FrameError> {
        let (rows, rest) = bytes.as_chunks::<ROW_BYTES>();
        if !rest.is_empty() {
            let reason = format!("has {} bytes, not a multiple of {ROW_BYTES}", bytes.len());
            return Err(FrameError::of_frame(reason));
        }
        let rows = rows.iter().enumerate();
        rows.map(|(n, row)| Self::from_bytes(row).map_err(FrameError::of_record(n))).collect()
    }

    fn count_in_frame(bytes: &[u8]) -> Result<u64, FrameError> {
        Ok((bytes.len() / ROW_BYTES) as u64)
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
        for fits in [1.0 / 64.0, 0.5, 0.7, 0.2, 3.0, 1000.0] {
            assert_eq!(Weight::check(fits), Ok(()));
        }
        let refusals = [
            (1e-300, "0.015625"),
            (0.02, "0.015625 or 0.03125"),
            (0.1, "0.09375 or 0.109375"),
            (1e9, "1023.984375"),
            (f64::INFINITY, "1023.984375"),
        ];
        for (lost, expected) in refusals {
            let refused = Weight::check(lost).unwrap_err();
            assert!(refused.ends_with(&format!("expected {expected}")), "{refused}");
        }
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
    fn damaged_rows_are_refused() {
        let row = ScoredPosition::new(Position::START, Label(0), Weight::ONE).to_bytes();
        for (at, byte, expected) in [
            (3, 0xFF, "both sides have a disc"),
            (3, 0, "3 discs"),
            (17, 0x41, "label 16640 is beyond"),
            (18, 0, "the weight is 0"),
        ] {
            let mut row = row;
            row[at] = byte;
            let error = ScoredPosition::from_bytes(&row).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
