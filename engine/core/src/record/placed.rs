use super::{FrameError, ROW_BYTES, Record, ScoredPosition, key_of_moves};
use crate::board::{Position, Square};
use crate::file::Kind;
use crate::text::Invalid;

/// The size of an encoded [`PlacedPosition`] in bytes.
pub const PLACED_BYTES: usize = ROW_BYTES + 9;

const SUBSETS: u8 = 3;
const NO_SUBSET: u8 = u8::MAX;

/// A scored position with the number of its game and its subset (training, validation or test).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PlacedPosition {
    /// The position with its label and its weight.
    pub row: ScoredPosition,
    /// The number of the position's game. If `subset` is `None`, this number determines the subset,
    /// so that all positions of a game are in the same one.
    pub game: u64,
    /// The subset that the source states, if any: 0 training, 1 validation, 2 test.
    pub subset: Option<u8>,
}

impl PlacedPosition {
    /// Returns the number of a game: a checksum of its moves.
    pub fn number_of_game(moves: &[Square]) -> u64 {
        u64::from_le_bytes(key_of_moves(moves).as_chunks().0[0])
    }

    /// Returns the game number of a position whose game is unknown: a hash, which is the same for
    /// the eight symmetric images of the position.
    pub fn number_alone(position: &Position) -> u64 {
        let canonical = position.canonical();
        let mixed = canonical.player() ^ canonical.opponent().rotate_left(32);
        mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ canonical.opponent()
    }
}

impl Record for PlacedPosition {
    const NAME: &str = "position";
    const PLURAL: &str = "positions";
    const PER_FRAME: usize = ScoredPosition::PER_FRAME;
    const KINDS: &[Kind] = &[Kind::Placed];

    fn encode_frame(positions: &[Self]) -> Vec<u8> {
        let rows = positions.iter().flat_map(|placed| placed.row.to_bytes());
        let games = positions.iter().flat_map(|placed| placed.game.to_le_bytes());
        let subsets = positions.iter().map(|placed| placed.subset.unwrap_or(NO_SUBSET));
        rows.chain(games).chain(subsets).collect()
    }

    fn decode_frame(bytes: &[u8]) -> Result<Vec<Self>, FrameError> {
        let count = bytes.len() / PLACED_BYTES;
        if !bytes.len().is_multiple_of(PLACED_BYTES) {
            let reason = format!("has {} bytes, not a multiple of {PLACED_BYTES}", bytes.len());
            return Err(FrameError::of_frame(reason));
        }
        let (rows, rest) = bytes.split_at(count * ROW_BYTES);
        let (games, subsets) = rest.split_at(count * 8);
        let rows = ScoredPosition::decode_frame(rows)?;
        let games = games.as_chunks().0.iter().map(|game| u64::from_le_bytes(*game));
        let columns = rows.into_iter().zip(games).zip(subsets).enumerate();
        let placed = |(index, ((row, game), &subset)): (usize, ((ScoredPosition, u64), &u8))| {
            let subset = Some(subset).filter(|&subset| subset != NO_SUBSET);
            if let Some(unknown) = subset.filter(|&subset| subset >= SUBSETS) {
                let reason = format!("subset {unknown}; expected 0, 1, 2, or 255 for none");
                return Err(FrameError::of_record(index)(Invalid(reason)));
            }
            Ok(Self { row, game, subset })
        };
        columns.map(placed).collect()
    }

    fn count_in_frame(bytes: &[u8]) -> Result<u64, FrameError> {
        Ok((bytes.len() / PLACED_BYTES) as u64)
    }
}
