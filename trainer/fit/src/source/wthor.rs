//! Reads WTHOR: the tournament games of the Fédération Française d'Othello (`.wtb`).
//!
//! A file has a header of 16 bytes: date (4 bytes), number of games (u32), an unused number (u16),
//! year (u16), board size (8, or 0 for 8), type (0 for games), number of empty squares n of the
//! theoretical score, an unused byte. After the header, each game takes 68 bytes: tournament, black
//! and white player (u16 each), black's discs at the end, black's discs under perfect play from n
//! empty squares on, 60 moves as 10 · rank + file (a1 = 11; 0 after the last move). Passes are not
//! stored. Integers are little-endian.

use std::io::Read as _;
use std::path::Path;

use othello_engine::board::{Discs, Square};
use othello_engine::file::unreadable;
use othello_engine::record::{Game, Solved};

use super::{DataError, Entries, Result, open_measured};

pub(crate) const HEADER_BYTES: usize = 16;
pub(crate) const RECORD_BYTES: usize = 68;
pub(crate) const MOVES_AT: usize = 8;

/// Reads the games of a WTHOR file. The score of a game under perfect play, at the number of empty
/// squares that the header states, becomes [`Game::solved`] if the game gets that far.
pub fn read(path: &Path) -> Result<Entries<Game>> {
    let wrong = |reason: String| DataError::not(path, "a WTHOR file of games", reason);
    let ((mut file, length), mut header) = (open_measured(path)?, [0; HEADER_BYTES]);
    file.read_exact(&mut header)
        .map_err(|_| wrong(format!("{length} bytes, fewer than its header has")))?;
    let games = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
    let names = u64::from(u16::from_le_bytes([header[8], header[9]])).max(games.into());
    for (bytes, content) in [(20, "players (.JOU)"), (26, "tournaments (.TRN)")] {
        if names > 0 && length == HEADER_BYTES as u64 + bytes * names {
            return Err(wrong(format!("it has the names of {names} {content}")));
        }
    }
    if let Some(reason) = unreadable(&header) {
        return Err(wrong(format!("it {reason}")));
    }
    let expected = HEADER_BYTES as u64 + RECORD_BYTES as u64 * u64::from(games);
    if length != expected {
        let reason = format!("{length} bytes; expected {expected} for the {games} games it states");
        return Err(wrong(reason));
    }
    if !matches!(header[12], 0 | 8) {
        return Err(wrong(format!("the board has {} files; expected 8", header[12])));
    }
    if header[13] != 0 {
        return Err(wrong("it has solitaires; expected games".to_owned()));
    }
    let solved_ply = match header[14] {
        0 => None,
        empties @ 1..=60 => Some(60 - empties),
        empties => {
            return Err(wrong(format!("a score for {empties} empty squares; expected 1 to 60")));
        }
    };
    let sizes = [HEADER_BYTES as u64, games.into()];
    Ok(Entries::of_bytes(path, file, sizes, move |record| parse(record, solved_ply)))
}

fn parse(record: &[u8; RECORD_BYTES], solved_ply: Option<u8>) -> Result<Game, String> {
    let moves = &record[MOVES_AT..];
    let count = moves.iter().position(|&code| code == 0).unwrap_or(moves.len());
    if moves[count..].iter().any(|&code| code != 0) {
        return Err(format!("moves after the end of the game, which is move {count}"));
    }
    let squares: Vec<_> = moves[..count].iter().copied().map(square).collect::<Result<_, _>>()?;
    let (game, black) = (Game::new(0, &squares), Discs::from(record[6]));
    let game = game.and_then(|game| match game.replay().discs()[0] == black {
        true => Ok(game),
        false => game.with_stated(2 * black - 64),
    });
    let game = game.map_err(|error| error.to_string())?;
    let Some(ply) = solved_ply.filter(|&ply| usize::from(ply) <= count) else { return Ok(game) };
    let black_score = Discs::from(record[7]) * 2 - 64;
    game.with_solved(Solved { ply, black_score }).map_err(|error| error.to_string())
}

fn square(code: u8) -> Result<Square, String> {
    let (rank, file) = (code / 10, code % 10);
    let square = Square::at(file.wrapping_sub(1), rank.wrapping_sub(1));
    square.ok_or_else(|| format!("{code} is not a move; expected 11 to 88"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tests::entries_of;

    fn file(games: &[(u8, &[u8])]) -> Vec<u8> {
        let mut bytes = vec![20, 20, 1, 1];
        bytes.extend((games.len() as u32).to_le_bytes());
        bytes.extend([0, 0, 0xE4, 0x07, 8, 0, 57, 0]);
        for (theoretical, moves) in games {
            let mut record = [0; RECORD_BYTES];
            record[7] = *theoretical;
            record[MOVES_AT..][..moves.len()].copy_from_slice(moves);
            bytes.extend(record);
        }
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Vec<Result<Game, String>>> {
        entries_of("WTH_2020.wtb", bytes, super::read)
    }

    #[test]
    fn moves_and_the_theoretical_score_are_read() {
        // The first game is f5 d6 c5. Its score is that at 57 empty squares, which is ply 3.
        let games = read(&file(&[(40, &[56, 64, 53]), (40, &[56])])).unwrap();
        let game = games[0].as_ref().unwrap();
        let names: Vec<String> = game.squares().iter().map(Square::to_string).collect();
        assert_eq!(names, ["f5", "d6", "c5"]);
        assert_eq!(game.solved(), Some(Solved { ply: 3, black_score: 16 }));
        assert_eq!(games[1].as_ref().unwrap().solved(), None);
    }

    #[test]
    fn stated_discs_are_kept_unless_they_are_those_of_the_board() {
        let wipe_out = [56, 64, 53, 46, 75, 66, 57, 65, 35];
        for (moves, black, expected) in [
            // Black has 5 discs on the board.
            (&wipe_out[..3], 45, Ok(Some(26))),
            (&wipe_out[..3], 0, Ok(Some(-64))),
            (&wipe_out[..3], 5, Ok(None)),
            (&wipe_out[..3], 65, Err("the result 66 is beyond 64 discs")),
            (&wipe_out, 64, Ok(None)),
            (&wipe_out, 13, Ok(None)),
            (&wipe_out, 60, Ok(Some(56))),
        ] {
            let mut bytes = file(&[(0, moves)]);
            bytes[14] = 0;
            bytes[HEADER_BYTES + 6] = black;
            let stated = read(&bytes).unwrap().remove(0).map(|game| game.stated());
            let place = "WTH_2020.wtb: record 1: ";
            assert_eq!(stated, expected.map_err(|reason| format!("{place}{reason}")), "{black}");
        }
    }

    /// The error must state what the file contains, such as players, not that its size is wrong.
    #[test]
    fn files_of_players_and_tournaments_and_compressed_ones_are_named() {
        for (bytes, said) in [(20, "the names of 3 players (.JOU)"), (26, "tournaments (.TRN)")] {
            for count_at in [4, 8] {
                let mut file = vec![0; HEADER_BYTES + 3 * bytes];
                file[count_at] = 3;
                let error = read(&file).unwrap_err().to_string();
                assert!(error.contains(said), "{error}");
            }
        }
        let error = read(b"\x1F\x8B\x08\0 and many more bytes").unwrap_err().to_string();
        assert!(error.contains("compressed by gzip"), "{error}");
    }

    #[test]
    fn bad_records_are_named() {
        let games =
            read(&file(&[(32, &[56, 11]), (32, &[90]), (65, &[56, 64, 53]), (32, &[0, 56])]));
        let reasons: Vec<String> = games.unwrap().into_iter().map(Result::unwrap_err).collect();
        assert!(reasons[0].contains("record 1: move 2: a1 is not legal"), "{reasons:?}");
        assert!(reasons[1].contains("record 2: 90 is not a move"), "{reasons:?}");
        assert!(reasons[2].contains("record 3: 66 is not a score"), "{reasons:?}");
        assert!(reasons[3].contains("record 4: moves after the end"), "{reasons:?}");
    }

    #[test]
    fn other_files_are_refused() {
        let good = file(&[(32, &[56])]);
        let changed = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            read(&bytes).unwrap_err().to_string()
        };
        assert!(changed(4, 2).contains("expected 152 for the 2 games it states"));
        for (at, byte, named) in [
            (7, 255, "games it states"),
            (12, 10, "10 files"),
            (13, 1, "solitaires"),
            (14, 61, "61 empty"),
        ] {
            assert!(changed(at, byte).contains(named), "{named}");
        }
        assert!(read(b"short").is_err());
        assert!(read(&good[..80]).is_err());
    }
}
