//! Games of self-play for the examples.

use std::error::Error;
use std::path::{Path, PathBuf};

use othello_engine::eval::Mobility;
use othello_engine::file::Existing;
use othello_engine::progress::Silent;
use othello_engine::selfplay::{PerSide, Run, Settings, play_games};

pub(crate) fn games(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let path = folder.join("example.games");
    let run = Run::whole(Settings::new(1, "4..=20".parse()?, 1, 6), 1_000);
    play_games(&path, &run, PerSide::both(&Mobility), Existing::Keep, &Silent)?;
    Ok(path)
}
