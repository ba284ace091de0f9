//! Tests that commands print what `tests/cmd` and the README show, and draw the picture of
//! `docs/current-figures.md`. The crate `othello-testing` tests the commands of the guides.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use othello_engine::eval::Evaluator;
use othello_engine::file::Existing;
use othello_engine::progress::Silent;
use othello_engine::selfplay::{PerSide, Run, Settings, play_games};

#[test]
fn commands_print_what_the_cases_expect() {
    let cases = trycmd::TestCases::new();
    for name in ["cat", "cmp", "cp", "dd", "diff", "find", "ln", "mkdir", "rm", "sed", "truncate"] {
        cases.register_bin(name, Path::new("/bin").join(name).as_path());
    }
    cases.case("tests/cmd/*.trycmd");
    // These cases change files by Unix programs.
    #[cfg(not(unix))]
    cases.skip("tests/cmd/fits.trycmd").skip("tests/cmd/studies.trycmd");
}

/// The commands of `docs/current-figures.md` must draw exactly `docs/pictures/errors.svg`.
#[test]
fn the_picture_of_the_errors_is_what_the_program_draws() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("held-out.games");
    let evaluator = Evaluator::embedded();
    let settings = Settings::new(2_000_000, "0..=20".parse().unwrap(), 4, 12);
    let run = Run::whole(settings, 500);
    play_games(&games, &run, PerSide::both(&evaluator), Existing::Keep, &Silent).unwrap();

    let drawn = folder.path().join("errors.svg");
    let mut command = Command::cargo_bin("othello-trainer").unwrap();
    command.args(["loss", "embedded"]).arg(&games).arg("--picture").arg(&drawn).assert().success();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures/errors.svg");
    assert!(
        fs::read(&drawn).unwrap() == fs::read(&shipped).unwrap(),
        "run the commands of docs/current-figures.md with `--picture {} --force`",
        shipped.display()
    );
}

#[test]
#[ignore = "a minute of work; scripts/check-long.sh runs it"]
fn quickstart_prints_what_the_readme_says() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    let (_, from_table) = text.split_once("```text\nphase ").unwrap();
    let (expected, _) = from_table.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("othello-trainer").unwrap();
    let output = command.arg("quickstart").current_dir(&folder).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    snapbox::assert_data_eq!(printed, format!("phase {expected}"));
}
