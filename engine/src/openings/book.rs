use std::path::Path;

use rayon::prelude::*;

use super::score::value_by;
use super::write::value;
use crate::board::{Position, Square, Squares};
use crate::eval::Value;
use crate::record::{PositionReader, RecordError, ScoredPosition};

/// A book of openings: the value of each position. Symmetric positions share an entry of 18 bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Book {
    positions: Vec<Position>,
    values: Vec<i16>,
}

impl Book {
    /// Reads a file of scored openings or positions. Keeps the lowest value of duplicate positions.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let mut rows = vec![];
        let mut reader = PositionReader::open(path)?;
        while let Some(frame) = reader.next_frame()? {
            // A value is at most 64 discs, so its number of steps fits into 16 bits.
            let row =
                |row: &ScoredPosition| (row.position().canonical(), value(row).steps() as i16);
            rows.extend(frame.iter().map(row));
        }
        rows.par_sort_unstable();
        rows.dedup_by_key(|(position, _)| *position);
        let (positions, values) = rows.into_iter().unzip();
        Ok(Self { positions, values })
    }

    /// Returns a position's value for the side to move; `None` if the book lacks it. If the player
    /// must pass, this is the negated value after the pass; if the game is over, it is the score.
    pub fn value(&self, position: &Position) -> Option<Value> {
        value_by(position, |position| self.look_up(position))
    }

    /// Returns the best move and its value; `None` unless the book has the values of all moves.
    pub fn best_move(&self, position: &Position) -> Option<(Square, Value)> {
        let moves = self.moves(position);
        let all = moves.len() == position.moves().count_ones() as usize;
        moves.first().copied().filter(|_| all)
    }

    /// Returns the moves that lead to positions in the book, with values for the mover, best first.
    pub fn moves(&self, position: &Position) -> Vec<(Square, Value)> {
        let value = |q| Some((q, -self.value(&position.after(q, position.flips(q)))?));
        let mut moves: Vec<(Square, Value)> = Squares(position.moves()).filter_map(value).collect();
        moves.sort_by_key(|&(_, value)| -value);
        moves
    }

    fn look_up(&self, position: &Position) -> Option<Value> {
        let place = self.positions.binary_search(&position.canonical()).ok()?;
        Some(Value::clamped(self.values[place].into()))
    }
}

#[cfg(test)]
mod tests {
    use othello_testing::scratch;

    use super::*;
    use crate::board::Symmetry;
    use crate::eval::Mobility;
    use crate::file::Existing;
    use crate::openings::{Settings, enumerate, write_openings};
    use crate::progress::Silent;
    use crate::search::Search;

    #[test]
    fn the_book_knows_every_opening_in_all_its_images_and_its_best_move() {
        let path = scratch::path("book.openings");
        let settings = Settings::whole(7, 1);
        write_openings(&path, &settings, &Mobility, Existing::Keep, &Silent).unwrap();
        let book = Book::read(&path).unwrap();
        let found = enumerate(8, &Silent);
        assert_eq!(book.positions.len(), found[..8].iter().map(Vec::len).sum::<usize>());
        for position in found[..8].concat() {
            // Ply 7 has values of depth-1 searches, so negamax from them is a search to this depth.
            let depth = 7 - position.ply() + 1;
            let value = Search::new(&Mobility).depth(depth).find(&position).unwrap().value;
            for symmetry in Symmetry::all() {
                let image = position.image(symmetry);
                assert_eq!(book.value(&image), Some(value));
                let best = book.best_move(&image).map(|(_, value)| value);
                assert_eq!(best, Some(value).filter(|_| position.ply() < 7));
            }
        }
        assert!(found[8].iter().all(|position| book.value(position).is_none()));
    }
}
