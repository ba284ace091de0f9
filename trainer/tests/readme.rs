//! The README's examples are commands that exist.

use clap::Parser as _;

#[path = "../src/main.rs"]
#[allow(dead_code, reason = "only the arguments are looked at")]
mod binary;
#[path = "../../engine/tests/support/readme.rs"]
mod readme;

#[test]
fn every_command_of_the_readme_is_understood() {
    let commands = readme::commands("othello-trainer");
    assert!(commands.len() >= 10, "the README's code blocks were not found: {commands:?}");
    let refusal = |command: &Vec<String>| {
        let error = binary::Arguments::try_parse_from(command).err()?;
        Some(format!("{}\n{error}", command.join(" ")))
    };
    let refusals: Vec<String> = commands.iter().filter_map(refusal).collect();
    assert!(refusals.is_empty(), "{}", refusals.join("\n"));
}
