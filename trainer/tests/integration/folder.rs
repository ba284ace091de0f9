use std::ops::Range;

use othello_engine::eval::Mobility;
use othello_engine::file::Existing;
use othello_engine::progress::Silent;
use othello_engine::record::Game;
use othello_engine::selfplay::{PerSide, Run, Settings, play_games};
pub(crate) use othello_testing::program::printed;
use othello_testing::random_games::random_moves;
use othello_testing::records;

pub(crate) const RANDOM_PLIES: u8 = 6;

pub(crate) const TINY_FACTORS: &str = "name = 'tiny'\nscalars = ['moves_pair']\n\
    [factors]\ndimensions = 8\nphases = 4\n\
    [[pattern]]\nsquares = 'a1 b1 c1 d1 a2'\n[[pattern]]\nsquares = 'c3 d3 e3 f3'\n";

pub(crate) fn random_game(seed: u64) -> Game {
    Game::new(RANDOM_PLIES, &random_moves(seed)).unwrap()
}

#[derive(derive_more::Deref)]
pub(crate) struct Folder(othello_testing::folder::Folder);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(othello_testing::folder::Folder::of(env!("CARGO_BIN_EXE_othello-trainer")))
    }

    pub(crate) fn with_random_games(seeds: Range<u64>) -> Self {
        let folder = Self::new();
        folder.random_games("a.games", seeds);
        folder
    }

    pub(crate) fn with_self_play(seed: u64, games: u64, exact: u32) -> Self {
        let folder = Self::new();
        folder.self_play("a.games", &Run::whole(self_play(seed, "4..=20", exact), games));
        folder
    }

    pub(crate) fn random_games(&self, name: &str, seeds: Range<u64>) {
        records::write(&self.path(name), seeds.map(random_game));
    }

    pub(crate) fn self_play(&self, name: &str, run: &Run) -> u64 {
        let players = PerSide::both(&Mobility);
        play_games(&self.path(name), run, players, Existing::Keep, &Silent).unwrap().games
    }
}

pub(crate) fn self_play(seed: u64, random_plies: &str, exact: u32) -> Settings {
    Settings::new(seed, random_plies.parse().unwrap(), 1, exact)
}
