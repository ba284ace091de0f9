//! Tests that kill and resume the engine's commands.
#![cfg(target_os = "linux")]

use std::path::Path;

use othello_testing::kill::{check_parts, many_kills};

fn check(stage: &str, units: u64, arguments: &str) {
    let engine = Path::new(env!("CARGO_BIN_EXE_othello-engine"));
    check_parts(engine, stage, Some(units), arguments);
}

#[test]
fn selfplay() {
    let games = if many_kills().is_some() { 2000 } else { 400 };
    let settings = "--seed 1 --depth 4 --exact 10 --weights mobility --values --out out.games";
    check("self-play (games)", 16, &format!("selfplay --games {games} {settings}"));
}

#[test]
fn openings() {
    let depth = if many_kills().is_some() { 6 } else { 4 };
    let settings = "--plies 7 --weights mobility --out out.openings";
    check("scores (positions)", 256, &format!("openings --score-depth {depth} {settings}"));
}
