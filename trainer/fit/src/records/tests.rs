use std::fs;
use std::path::{Path, PathBuf};

use othello_engine::board::{Discs, Position, Squares};
use othello_engine::progress::Silent;
use othello_engine::random;
use othello_engine::record::{Game, Record, RecordReader};
use othello_testing::records;

use super::sequence::Inputs;

pub(super) struct Folder(tempfile::TempDir);

impl Folder {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn write<R: Record>(&self, name: &str, records: &[R]) -> PathBuf {
        records::write(&self.path(name), records.iter().cloned());
        self.path(name)
    }

    pub(super) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(super) fn read<R: Record>(&self, name: &str) -> Vec<R> {
        RecordReader::open(&self.path(name)).unwrap().map(|record| record.unwrap()).collect()
    }
}

pub(super) fn inputs<R: Record>(path: &Path) -> Inputs<R> {
    Inputs::count(&[path.to_owned()], &Silent).unwrap()
}

pub(super) fn random_game(number: u64, random_plies: u8, most: usize) -> Game {
    Game::of_replay(random_plies, &random::random_game(3, number, most)).unwrap()
}

pub(crate) fn score_by_brute_force(position: &Position) -> Discs {
    if position.is_over() {
        return position.score();
    }
    if position.moves() == 0 {
        return -score_by_brute_force(&position.pass());
    }
    let moves = Squares(position.moves());
    moves.map(|square| -score_by_brute_force(&position.play(square).unwrap())).max().unwrap()
}
