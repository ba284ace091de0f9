//! Tests that commands print the output that is stated in `tests/cmd` and in the `console` blocks
//! of the guides, and that the program draws the picture of the patterns in `docs/pictures`.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

#[test]
fn commands_print_what_the_cases_expect() {
    trycmd::TestCases::new()
        .case("tests/cmd/*.trycmd")
        .case("tests/cmd/*.toml")
        .case("../docs/guides/*.md");
}

#[test]
fn the_picture_of_the_patterns_is_what_the_program_draws() {
    let folder = tempfile::tempdir().expect("a folder");
    let drawn = folder.path().join("patterns.svg");
    let mut command = Command::cargo_bin("othello-engine").expect("the binary is built");
    command.args(["patterns", "embedded", "--picture"]).arg(&drawn).assert().success();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures/patterns.svg");
    let is_same = fs::read(&drawn).expect("a picture") == fs::read(&shipped).expect("a picture");
    assert!(is_same, "run `othello-engine patterns --picture {} --force`", shipped.display());
}
