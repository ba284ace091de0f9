//! Fuzz targets for the readers of other programs' files, which must report each invalid record and
//! continue with the next one.

use std::io::Cursor;
use std::path::Path;

use othello_engine::eval::MAX_STEPS;
use othello_engine::file::unreadable;
use othello_engine::record::{Game, ScoredPosition};
use othello_trainer::export::egaroucid::read_egaroucid;
use othello_trainer::export::read_npz::read_npz;
use othello_trainer::export::tables::ReadTables;
use othello_trainer::export::zebra::read_zebra;
use othello_trainer::source::egaroucid::{self, RECORD_BYTES};
use othello_trainer::source::{DataError, Entries, boards, ggf, transcripts, wthor};

use super::{checked, checked_at};
use othello_testing::scratch;

pub(super) fn wthor(data: &[u8]) {
    scratch::with_file("games.wtb", data, |path| {
        let games = entries(wthor::read(path), path, data.len());
        games.iter().flatten().for_each(check_game);
        let stated = data.get(4..8).map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]));
        assert!(games.is_none_or(|games| Some(games.len() as u32) == stated));
    });
}

pub(super) fn ggf(data: &[u8]) {
    scratch::with_file("games.ggf", data, |path| {
        let games = entries(ggf::read(path), path, data.len());
        games.iter().flatten().for_each(check_game);
    });
}

pub(super) fn egaroucid(data: &[u8]) {
    scratch::with_file("boards.dat", data, |path| {
        let rows = entries(egaroucid::read(path), path, data.len());
        rows.iter().flatten().flatten().for_each(check_row);
        let whole = data.len().is_multiple_of(RECORD_BYTES);
        assert_eq!(rows.map(|rows| rows.len()), whole.then_some(data.len() / RECORD_BYTES));
    });
}

pub(super) fn texts(data: &[u8]) {
    let is_packed = data.starts_with(b"\x28\xB5\x2F\xFD");
    let lines = data.split(|&byte| byte == b'\n');
    let lines = lines.filter(|line| !line.trim_ascii().is_empty()).count();
    scratch::with_file("games.txt", data, |path| {
        let games = entries(transcripts::read(path), path, data.len());
        games.iter().flatten().for_each(check_game);
        // The number of lines of a file packed by zstd is unknown, so it is not checked.
        if is_packed {
            return;
        }
        assert_eq!(games.is_none(), unreadable(data).is_some());
        let Some(games) = games else { return };
        // Without these characters, each line is a game. With them, a line may be a comment or a
        // table head, and a game may have several lines.
        let is_plain = !data.iter().any(|byte| b"%[.,;|\t".contains(byte));
        assert!(if is_plain { games.len() == lines } else { games.len() <= lines });
        let rows = entries(boards::read(path), path, data.len()).expect("no bad files");
        rows.iter().flatten().for_each(check_row);
        assert_eq!(rows.len(), games.len());
    });
}

pub(super) fn tables(data: &[u8]) {
    for read in [read_egaroucid(data), read_zebra(data), read_npz(Cursor::new(data))] {
        let Some(ReadTables { weights, .. }) = checked(read) else { continue };
        let most = i32::from(MAX_STEPS);
        assert!(weights.all_steps().iter().all(|&steps| i32::from(steps).abs() <= most));
    }
}

fn check_game(game: &Option<Game>) {
    let Some(game) = game else { return };
    assert_eq!(game.replay().black_score(), game.black_score());
    let solved = game.solved().map_or(0, |solved| usize::from(solved.ply));
    assert!(solved <= game.squares().len() && game.squares().len() <= 60);
}

fn check_row(row: &ScoredPosition) {
    assert_ne!(row.position().moves(), 0);
    assert!(row.label().discs().abs() <= 64.0);
}

/// Returns the records of a file, with `None` in place of each refused record; `None` if the reader
/// refuses the whole file.
fn entries<T: 'static>(
    opened: Result<Entries<T>, DataError>,
    path: &Path,
    bytes: usize,
) -> Option<Vec<Option<T>>> {
    let mut opened = checked_at(path, opened)?;
    let mut taken = vec![];
    while let Some(entry) = checked_at(path, opened.next_entry())? {
        taken.push(checked(entry));
    }
    assert_eq!(opened.at.bytes_read, bytes as u64);
    Some(taken)
}
