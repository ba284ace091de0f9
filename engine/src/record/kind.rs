//! What games and scored positions have in common as records of files.

use super::frame;
use super::{FrameError, Game, ROW_BYTES, ScoredPosition};
use crate::file::Kind;

/// How many games a frame holds, all but the last.
pub const GAMES_PER_FRAME: usize = 256;

/// How many positions a frame holds, all but the last.
pub const POSITIONS_PER_FRAME: usize = 4096;

/// A game or a scored position: files hold them in frames, one section each.
pub trait Record: Clone + PartialEq + Send + Sync {
    /// What a record is called.
    const NAME: &str;
    /// What many records are called, and each section that holds a frame of them.
    const PLURAL: &str;
    /// How many records a frame holds, all but the last.
    const PER_FRAME: usize;
    /// The kinds of files that hold such records; the first is the usual one.
    const KINDS: &[Kind];

    /// The bytes of a frame of these records.
    fn encode_frame(records: &[Self]) -> Vec<u8>;

    /// The records in the bytes of a frame, each of them checked.
    fn decode_frame(bytes: &[u8]) -> Result<Vec<Self>, FrameError>;

    /// How many records a frame says it has; 0 where it says nothing.
    fn count_in_frame(bytes: &[u8]) -> u64;
}

impl Record for Game {
    const NAME: &str = "game";
    const PLURAL: &str = "games";
    const PER_FRAME: usize = GAMES_PER_FRAME;
    const KINDS: &[Kind] = &[Kind::Games];

    fn encode_frame(games: &[Self]) -> Vec<u8> {
        frame::encode(games)
    }

    fn decode_frame(bytes: &[u8]) -> Result<Vec<Self>, FrameError> {
        frame::decode(bytes)
    }

    fn count_in_frame(bytes: &[u8]) -> u64 {
        frame::games_in(bytes)
    }
}

impl Record for ScoredPosition {
    const NAME: &str = "position";
    const PLURAL: &str = "positions";
    const PER_FRAME: usize = POSITIONS_PER_FRAME;
    const KINDS: &[Kind] = &[Kind::Positions, Kind::Openings];

    fn encode_frame(positions: &[Self]) -> Vec<u8> {
        positions.iter().flat_map(Self::to_bytes).collect()
    }

    fn decode_frame(bytes: &[u8]) -> Result<Vec<Self>, FrameError> {
        let (rows, rest) = bytes.as_chunks::<ROW_BYTES>();
        if !rest.is_empty() {
            let reason = format!("has {} bytes, no multiple of {ROW_BYTES}", bytes.len());
            return Err(FrameError::Shape(reason));
        }
        let read = |(index, row)| {
            Self::from_bytes(row).map_err(|error| FrameError::Position(index, error))
        };
        rows.iter().enumerate().map(read).collect()
    }

    fn count_in_frame(bytes: &[u8]) -> u64 {
        (bytes.len() / ROW_BYTES) as u64
    }
}
