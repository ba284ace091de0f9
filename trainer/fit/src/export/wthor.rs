//! Writes games as a WTHOR file (`.wtb`), the format of [`crate::source::wthor`].
//!
//! Players, tournament and date are 0. Search values are not written. The result of an unfinished
//! game is the one that an imported record states or, if there is none, black's number of discs in
//! the last position. The theoretical score of a game is its exact score at n empty squares; n is
//! the same for all games of a file. The writer takes the n at which most games have an exact
//! score, but 0 if no game has one, or if a game reaches n empty squares without one. If n is 0, or
//! if a game ends before n empty squares, its theoretical score is its result.

use std::collections::BTreeMap;

use othello_engine::board::Square;
use othello_engine::record::Game;

use crate::source::wthor::{HEADER_BYTES, MOVES_AT, RECORD_BYTES};

/// Returns the bytes of a WTHOR file with these games, all of the same `year`; `None` if there are
/// 2³² games or more, which the header cannot count.
pub fn wthor(games: &[Game], year: u16) -> Option<Vec<u8>> {
    let solved_ply = common_solved_ply(games);
    let mut bytes = vec![0; HEADER_BYTES];
    bytes[4..8].copy_from_slice(&u32::try_from(games.len()).ok()?.to_le_bytes());
    bytes[10..12].copy_from_slice(&year.to_le_bytes());
    bytes[12] = 8;
    bytes[14] = solved_ply.map_or(0, |ply| 60 - ply);
    bytes.extend(games.iter().flat_map(|game| record(game, solved_ply)));
    Some(bytes)
}

/// Returns the ply at which most games have an exact score. Returns `None` if no game has an exact
/// score, or if a game reaches this ply without an exact score there.
fn common_solved_ply(games: &[Game]) -> Option<u8> {
    let mut plies: BTreeMap<u8, usize> = BTreeMap::new();
    for solved in games.iter().filter_map(Game::solved).filter(|solved| solved.ply < 60) {
        *plies.entry(solved.ply).or_default() += 1;
    }
    let (&ply, _) = plies.iter().max_by_key(|&(_, &games)| games)?;
    let lacks = |game: &Game| game.solved().is_none_or(|solved| solved.ply != ply);
    let comes_so_far = |game: &&Game| game.squares().len() >= usize::from(ply);
    (!games.iter().filter(comes_so_far).any(lacks)).then_some(ply)
}

fn record(game: &Game, solved_ply: Option<u8>) -> [u8; RECORD_BYTES] {
    let mut record = [0; RECORD_BYTES];
    let discs = |black_score: i32| ((black_score + 64) / 2) as u8;
    let result = game.stated().or(game.black_score());
    record[6] = result.map_or_else(|| game.replay().discs()[0] as u8, discs);
    let solved = game.solved().filter(|solved| Some(solved.ply) == solved_ply);
    record[7] = solved.map_or(record[6], |solved| discs(solved.black_score));
    for (code, &square) in record[MOVES_AT..].iter_mut().zip(game.squares()) {
        let index = Square::index(square) as u8;
        *code = 10 * (index / 8 + 1) + index % 8 + 1;
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tests::entries_of;
    use crate::source::wthor as source;
    use othello_engine::board::transcript;
    use othello_engine::record::Solved;

    fn games() -> Vec<Game> {
        let squares = transcript::parse("f5d6c5f4e7f6g5e6e3").unwrap();
        (0..=9).map(|moves| Game::new(0, &squares[..moves]).unwrap()).collect()
    }

    fn read(bytes: &[u8]) -> Vec<Game> {
        let games = entries_of("games.wtb", bytes, source::read).unwrap();
        games.into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let solved = Solved { ply: 4, black_score: -10 };
        let stated = |game: Game| match game.squares().len() {
            4.. => game.with_solved(solved).unwrap(),
            _ => game,
        };
        let games: Vec<Game> = games().into_iter().map(stated).collect();
        let bytes = wthor(&games, 2024).unwrap();
        assert_eq!((bytes.len(), bytes[14]), (16 + 68 * 10, 56));
        assert_eq!(bytes[10..12], [0xE8, 7]);
        assert_eq!(read(&bytes), games);
        // A regression: an unfinished game was exported without its stated result.
        let broken_off = games[3].clone().with_stated(26).unwrap();
        assert_eq!(wthor(&[broken_off], 2024).unwrap()[16 + 6], 45);
        // The bytes are black's discs (of an unfinished game, so far) and those under perfect play.
        assert_eq!(bytes[16 + 68 * 9..][6..8], [64, 27]);
        assert_eq!(bytes[16..][6..8], [2, 2]);
        assert_eq!(bytes[16 + 68..][6..8], [4, 4]);
    }

    #[test]
    fn a_score_that_some_games_lack_is_not_stated() {
        let mut games = games();
        let last = games.pop().unwrap();
        games.push(last.with_solved(Solved { ply: 4, black_score: -10 }).unwrap());
        let bytes = wthor(&games, 0).unwrap();
        assert_eq!(bytes[14], 0);
        assert!(read(&bytes).iter().all(|game| game.solved().is_none()));
    }
}
