//! Slips of the hand on the command line: each is refused by a message that says what was expected.

use std::process::Command;

use othello_testing::program::message;

fn refused(folder: &std::path::Path, arguments: &str) -> String {
    let binary = assert_cmd::cargo::cargo_bin!("othello-engine");
    let arguments = arguments.split_whitespace();
    let output = Command::new(binary).current_dir(folder).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", message(&output));
    message(&output)
}

#[test]
fn slips_are_refused_with_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    let whole = "expected a whole number, 0 or more, in digits alone";
    for (arguments, expected) in [
        // It was an "invalid digit".
        ("selfplay --games 10k --seed 1 --out a.games", "expected a whole number, 1 or more"),
        // It made a file without games.
        ("selfplay --games 0 --seed 1 --out a.games", "expected a whole number from 1 to"),
        // It was an unexpected argument.
        ("selfplay --games 1 --seed -1 --out a.games", whole),
        ("stats --random 1k", whole),
        ("openings --plies 2 --out a.openings --score-depth x", "expected a whole number"),
        // It was a file that is not there.
        ("bench --weights standrad", "one of `none`, `mobility` and `embedded`"),
        // It took the file's name for one of weights, or of records.
        ("selfplay --games 1 --seed 1 --out a.weights", "would be a file of games under the name"),
        ("openings --plies 2 --out a.games", "would be a file of openings under the name"),
        // It looked for a file.
        ("hint f5d6x", "neither a file nor a position"),
    ] {
        let message = refused(folder.path(), arguments);
        assert!(message.contains(expected), "{arguments}: {message}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
