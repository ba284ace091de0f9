//! Tests of the engine's commands, killed and resumed.
#![cfg(target_os = "linux")]

use std::path::Path;

use othello_testing::kill::{Subject, many_kills, units_in_parts};

fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_othello-engine"))
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn selfplay() {
    let games = if many_kills().is_some() { 2000 } else { 400 };
    let settings = "--seed 1 --depth 4 --exact 10 --weights mobility --values --out out.games";
    let finished = |folder: &Path| units_in_parts(&folder.join("out.games.parts"));
    Subject {
        name: "selfplay",
        program: binary(),
        arguments: words(&format!("selfplay --games {games} {settings}")),
        output: "out.games",
        may_differ: &[],
        finished: ("self-play (games)", finished),
        units_per_part: Some(16),
    }
    .check();
}

#[test]
fn openings() {
    let depth = if many_kills().is_some() { 6 } else { 4 };
    let settings = "--plies 7 --weights mobility --out out.openings";
    let finished = |folder: &Path| units_in_parts(&folder.join("out.openings.parts"));
    Subject {
        name: "openings",
        program: binary(),
        arguments: words(&format!("openings {settings} --score-depth {depth}")),
        output: "out.openings",
        may_differ: &[],
        finished: ("scores (positions)", finished),
        units_per_part: Some(256),
    }
    .check();
}
