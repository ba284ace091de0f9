//! Runs the programs under a few attacks, such as damaged files; `scripts/torture.sh` runs many.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;

use othello_fuzz::attack::{self, Limits, Place, Rounds};
use othello_testing::skip;

#[test]
fn no_command_breaks_its_word() {
    let binaries = Path::new(env!("CARGO_BIN_EXE_torture")).parent().unwrap();
    if !["othello-engine", "othello-trainer"].iter().all(|name| binaries.join(name).exists()) {
        skip!("cargo build first: the binaries are not there");
    }
    let inputs = tempfile::tempdir().unwrap();
    let place = Place::new(binaries, inputs.path());
    let limits = Limits { seconds: 60, mebibytes: 1024 };
    let none = Rounds::default();
    let rounds = [
        (1, Rounds { files: 4, full: 1, ..none }),
        (2, Rounds { calls: 1, limits: 1, obstacles: 1, engines: 6, lists: 20, ..none }),
    ];
    std::thread::scope(|scope| {
        for (seed, rounds) in rounds {
            let place = &place;
            scope.spawn(move || assert!(attack::all(place, limits, seed, &rounds)));
        }
    });
}
