use super::frame;
use super::{FrameError, Game, ROW_BYTES, ScoredPosition};
use crate::file::{Kind, Section};
use crate::text::Invalid;

/// The number of games in a frame (a section of a file of games); the last frame may have fewer.
pub const GAMES_PER_FRAME: usize = 256;

/// The number of positions in a frame (a section of a file of positions); the last frame may have
/// fewer.
pub const POSITIONS_PER_FRAME: usize = 4096;

/// A type of record: a game or a scored position. Each section of a file is a frame of records.
pub trait Record: Clone + Ord + Send + Sync {
    /// The word for one record in messages, such as `game`.
    const NAME: &str;
    /// The plural of [`Self::NAME`]. It is also the name of the sections that contain frames.
    const PLURAL: &str;
    /// The number of records in a frame; the last frame may have fewer.
    const PER_FRAME: usize;
    /// The kinds of files that contain records of this type, the usual kind first.
    const KINDS: &[Kind];

    /// Encodes records as one frame: the content of a section, before the file compresses it.
    fn encode_frame(records: &[Self]) -> Vec<u8>;

    /// Returns the section of a file that contains `records` as one frame.
    fn section(records: &[Self]) -> Section {
        Section { name: Self::PLURAL.to_owned(), content: Self::encode_frame(records) }
    }

    /// Decodes the records of a frame and checks each record.
    fn decode_frame(bytes: &[u8]) -> Result<Vec<Self>, FrameError>;

    /// Returns the number of records in a frame without decoding them.
    fn count_in_frame(bytes: &[u8]) -> Result<u64, FrameError>;
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

    fn count_in_frame(bytes: &[u8]) -> Result<u64, FrameError> {
        Ok(frame::counted(bytes)?.0 as u64)
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
            let reason = format!("has {} bytes, not a multiple of {ROW_BYTES}", bytes.len());
            return Err(FrameError { index: None, reason: Invalid(reason) });
        }
        let read = |(index, row)| {
            let read = Self::from_bytes(row);
            read.map_err(|reason| FrameError { index: Some(index), reason })
        };
        rows.iter().enumerate().map(read).collect()
    }

    fn count_in_frame(bytes: &[u8]) -> Result<u64, FrameError> {
        Ok((bytes.len() / ROW_BYTES) as u64)
    }
}
