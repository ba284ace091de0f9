//! A folder in which a test runs the program.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use othello_engine::eval::Mobility;
use othello_engine::file::{Begin, Existing, Provenance};
use othello_engine::progress::Silent;
use othello_engine::record::{Game, GameWriter};
use othello_engine::selfplay::{PerSide, Run, Settings, play_games};
use othello_testing::program::message;
use othello_testing::random_games::random_moves;
use serde_json::Value;

/// The number of random moves at the beginning of a game of [`random_game`].
pub(crate) const RANDOM_PLIES: u8 = 6;

/// Returns a game of random moves, the first six of which count as drawn by chance.
pub(crate) fn random_game(seed: u64) -> Game {
    Game::new(RANDOM_PLIES, &random_moves(seed)).unwrap()
}

/// Returns the JSON object that a command printed, whatever its exit status.
pub(crate) fn printed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", message(output)))
}

/// A folder of a test, deleted with it. Arguments are given as one text, split at its blanks; files
/// are named relative to the folder.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Creates a folder with games of random moves, `a.games`.
    pub(crate) fn with_random_games(seeds: Range<u64>) -> Self {
        let folder = Self::new();
        folder.random_games("a.games", seeds);
        folder
    }

    /// Creates a folder with games of self-play, `a.games`, solved from `exact` empty squares on.
    pub(crate) fn with_self_play(seed: u64, games: u64, exact: u32) -> Self {
        let folder = Self::new();
        folder.self_play("a.games", &Run::whole(self_play(seed, "4..=20", exact), games));
        folder
    }

    pub(crate) fn at(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.at().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// Writes the random games of these seeds.
    pub(crate) fn random_games(&self, name: &str, seeds: Range<u64>) {
        self.games(name, seeds.map(random_game));
    }

    /// Writes games.
    pub(crate) fn games(&self, name: &str, games: impl IntoIterator<Item = Game>) {
        let provenance = Provenance::new("test");
        let begun = GameWriter::begin(&self.path(name), &provenance, Existing::Replace).unwrap();
        let Begin::Writer(mut writer) = begun else { panic!("{name} is there") };
        games.into_iter().for_each(|game| writer.push(game).unwrap());
        writer.finish().unwrap();
    }

    /// Plays games by mobility; returns their number.
    pub(crate) fn self_play(&self, name: &str, run: &Run) -> u64 {
        let players = PerSide::both(&Mobility);
        play_games(&self.path(name), run, players, Existing::Keep, &Silent).unwrap().games
    }

    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("othello-trainer"));
        command.args(arguments.split_whitespace()).current_dir(self.at());
        command
    }

    /// Runs a command. It must end soon: the work that some commands ask for takes hours.
    pub(crate) fn run(&self, arguments: &str) -> Output {
        self.run_within(Duration::from_secs(120), arguments)
    }

    /// Runs a command, and ends it after a time.
    pub(crate) fn run_within(&self, limit: Duration, arguments: &str) -> Output {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        command.timeout(limit).output().unwrap()
    }

    /// Runs a command that must succeed.
    pub(crate) fn runs(&self, arguments: &str) {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", message(&output));
    }

    /// Returns the JSON object of a command that must succeed.
    pub(crate) fn json(&self, arguments: &str) -> Value {
        let output = self.run(&format!("{arguments} --json"));
        assert!(output.status.success(), "{arguments}: {}", message(&output));
        printed(&output)
    }

    /// Returns the message of a command that must be refused.
    pub(crate) fn refusal(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", message(&output));
        message(&output)
    }

    /// Checks that a command is refused with a message that contains `expected`.
    pub(crate) fn refuses(&self, arguments: &str, expected: &str) {
        let said = self.refusal(arguments);
        assert!(said.contains(expected), "{arguments}: {said}");
    }
}

/// Returns the settings of self-play by searches of one ply.
pub(crate) fn self_play(seed: u64, random_plies: &str, exact: u32) -> Settings {
    Settings::new(seed, random_plies.parse().unwrap(), 1, exact)
}
