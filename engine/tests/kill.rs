//! Tests of the engine's commands, killed and resumed.
#![cfg(target_os = "linux")]

use std::path::Path;

use othello_engine::file::{Kind, Section};
use othello_engine::record::{Game, Record as _};

use othello_testing::kill::{Subject, many_kills, whole_sections};

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_othello-engine"))
}

/// Returns the number of results in a checkpoint that are numbered `first` or higher. Each section
/// is named by the number of its first result, and `count` returns how many it has.
fn recorded(folder: &Path, output: &str, first: u64, count: fn(&Section) -> u64) -> u64 {
    let path = folder.join(format!("{output}.checkpoint.partial"));
    let sections = whole_sections(&path, Kind::Checkpoint);
    let new = sections.iter().filter(|s| s.name.parse::<u64>().is_ok_and(|name| name >= first));
    new.map(count).sum()
}

#[test]
fn selfplay() {
    let games = if many_kills().is_some() { 2000 } else { 400 };
    let settings = "--seed 1 --depth 4 --exact 10 --weights mobility --values --out out.games";
    let finished = |folder: &Path| {
        let games = |section: &Section| Game::count_in_frame(&section.content);
        let frames = whole_sections(&folder.join("out.games.partial"), Kind::Games);
        let written: u64 = frames.iter().map(games).sum(); // The last frame may hold fewer than the others.
        written + recorded(folder, "out.games", written, games)
    };
    Subject {
        name: "selfplay",
        program: binary(),
        arguments: words(&format!("selfplay --games {games} {settings}")),
        output: "out.games",
        may_differ: &[],
        finished: ("self-play (games)", finished),
    }
    .check();
}

#[test]
fn openings() {
    let depth = if many_kills().is_some() { 6 } else { 4 };
    let settings = "--plies 7 --weights mobility --out out.openings";
    let finished = |folder: &Path| {
        let frames = whole_sections(&folder.join("out.openings.partial"), Kind::Openings);
        let rows = frames.iter().map(|frame| frame.content.len() as u64 / 20).sum();
        let recorded = recorded(folder, "out.openings", rows, |s| s.content.len() as u64 / 4);
        // The last ply has this many positions; those of earlier plies need no search.
        (rows + recorded).min(10_649)
    };
    Subject {
        name: "openings",
        program: binary(),
        arguments: words(&format!("openings {settings} --score-depth {depth}")),
        output: "out.openings",
        may_differ: &[],
        finished: ("scores (positions)", finished),
    }
    .check();
}
