//! Reads Egaroucid's board records of 19 bytes: player and opponent (u64 each; bit 63 = a1, bit 0 =
//! h8), the player's colour and the move played (i8 each; both ignored), and the score for the
//! player (i8). Integers are little-endian.

use std::io::BufRead as _;
use std::path::Path;

use othello_engine::board::{Discs, Position};
use othello_engine::file::{FileError, unreadable};
use othello_engine::record::{Label, ScoredPosition};

use super::{DataError, Entries, Result, labelled, open_measured};

/// The size of a record in bytes.
pub const RECORD_BYTES: usize = 19;

/// Reads the positions of a file, which must consist of whole records.
pub fn read(path: &Path) -> Result<Entries<ScoredPosition>> {
    let (mut file, bytes) = open_measured(path)?;
    if bytes % RECORD_BYTES as u64 != 0 {
        let packed = unreadable(file.fill_buf().map_err(FileError::io(path, "read it"))?);
        let reason = format!("{bytes} bytes; expected a multiple of {RECORD_BYTES}");
        let reason = packed.map_or(reason, |packed| format!("it {packed}"));
        return Err(DataError::not(path, "a file of Egaroucid's boards", reason));
    }
    Ok(Entries::of_bytes(path, file, [0, bytes / RECORD_BYTES as u64], parse))
}

fn parse(record: &[u8; RECORD_BYTES]) -> Result<ScoredPosition, String> {
    let board = |at: usize| -> u64 {
        let bytes = record[at..at + 8].iter();
        // Bit 63 is a1 in the file, bit 0 in this program.
        bytes.rev().fold(0, |board: u64, &byte| board << 8 | u64::from(byte)).reverse_bits()
    };
    let position =
        Position::new(board(0), board(8)).ok_or("both sides have a disc on the same square")?;
    if position.discs() < 4 {
        return Err(format!("{} discs; a position has at least 4", position.discs()));
    }
    let score = Discs::from(record[18] as i8);
    let label =
        Label::of_score(score).ok_or_else(|| format!("the score {score} is beyond 64 discs"))?;
    labelled(position, label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tests::entries_of;
    use othello_engine::board::Square;

    fn record(player: &[&str], opponent: &[&str], score: i8) -> Vec<u8> {
        let board = |squares: &[&str]| -> u64 {
            let bit = |name: &&str| 1u64 << (63 - name.parse::<Square>().unwrap().index());
            squares.iter().map(bit).sum()
        };
        let boards = [board(player).to_le_bytes(), board(opponent).to_le_bytes()];
        [boards.as_flattened(), &[1, 20, score as u8]].concat()
    }

    fn read(bytes: &[u8]) -> Result<Vec<Result<ScoredPosition, String>>> {
        entries_of("0.dat", bytes, super::read)
    }

    #[test]
    fn a1_is_the_highest_bit() {
        let a1_b1 = record(&["a1"], &["b1", "c1", "d1"], -6);
        assert_eq!(a1_b1[..8], [0, 0, 0, 0, 0, 0, 0, 0x80]);
        let rows = read(&[a1_b1, record(&["e4", "d5"], &["d4", "e5"], 4)].concat()).unwrap();
        let row = rows[0].as_ref().unwrap();
        assert_eq!((row.position().player(), row.position().opponent()), (1, 0b1110));
        assert_eq!(row.label().discs(), -6.0);
        assert_eq!(rows[1].as_ref().unwrap().position(), Position::START);
    }

    #[test]
    fn bad_records_are_named_and_the_others_are_read() {
        let good = record(&["e4", "d5"], &["d4", "e5"], 64);
        let bad = [
            record(&["e4", "d5"], &["d4", "e4"], 0),
            record(&["e4"], &["d4", "e5"], 0),
            record(&["e4", "d5"], &["d4", "e5"], 65),
            record(&["a1", "a2", "a3", "a4"], &[], 64),
        ];
        let rows = read(&[bad.concat(), good].concat()).unwrap();
        let reasons: Vec<&String> = rows[..4].iter().map(|row| row.as_ref().unwrap_err()).collect();
        assert!(reasons[0].ends_with("0.dat: record 1: both sides have a disc on the same square"));
        assert!(reasons[1].ends_with("record 2: 3 discs; a position has at least 4"));
        assert!(reasons[2].ends_with("record 3: the score 65 is beyond 64 discs"));
        assert!(reasons[3].contains("record 4: the game is over"));
        assert!(rows[4].is_ok());
        assert!(read(&[0; 20]).is_err_and(|error| error.to_string().contains("20 bytes")));
        assert!(read(&[]).unwrap().is_empty());
        let packed = read(b"\x28\xB5\x2F\xFD and more").unwrap_err().to_string();
        assert!(packed.contains("it is compressed by zstd; unpack it first"), "{packed}");
    }
}
