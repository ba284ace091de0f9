//! The commands of the README and of the guides exist, the quick ones print what is said there, the
//! links lead somewhere, and the pictures are those that the program draws.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use clap::Parser as _;

#[path = "../src/main.rs"]
#[allow(dead_code, reason = "only the arguments are looked at")]
mod binary;
#[path = "support/readme.rs"]
mod readme;

#[test]
fn every_command_of_the_guides_is_understood() {
    let commands = readme::commands("othello-engine");
    assert!(commands.len() >= 30, "the code blocks of the guides were not found: {commands:?}");
    let refusal = |command: &Vec<String>| {
        let error = binary::Arguments::try_parse_from(command).err()?;
        Some(format!("{}\n{error}", command.join(" ")))
    };
    let refusals: Vec<String> = commands.iter().filter_map(refusal).collect();
    assert!(refusals.is_empty(), "{}", refusals.join("\n"));
}

#[test]
fn every_link_of_the_guides_leads_somewhere() {
    let links = readme::links();
    assert!(links.len() >= 30, "the links of the guides were not found: {links:?}");
    let broken: Vec<_> = links.iter().filter(|(_, target)| !target.exists()).collect();
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
fn every_file_that_a_guide_names_is_there() {
    let missing = readme::missing_files();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn quick_commands_print_what_the_guides_and_the_cases_say() {
    trycmd::TestCases::new().case("../README.md").case("docs/*.md").case("tests/cmd/*.trycmd");
}

#[test]
fn the_picture_of_the_patterns_is_what_the_program_draws() {
    let folder = tempfile::tempdir().expect("a folder");
    let drawn = folder.path().join("patterns.svg");
    let mut command = Command::cargo_bin("othello-engine").expect("the binary is built");
    command.args(["weights", "embedded", "--picture"]).arg(&drawn).assert().success();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/patterns.svg");
    let is_same = fs::read(&drawn).expect("a picture") == fs::read(&shipped).expect("a picture");
    assert!(is_same, "run `othello-engine weights --picture {} --force`", shipped.display());
}
