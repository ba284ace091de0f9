//! Slips on the command line: each is refused by a message that says what was expected.

use std::process::Command;

use othello_engine::file::{Begin, Existing, Provenance};
use othello_engine::record::{Game, GameWriter};
use othello_testing::program::message;
use othello_testing::random_games::random_moves;

#[test]
fn slips_are_refused_with_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("a.games");
    let begun = GameWriter::begin(&games, &Provenance::new("test"), Existing::Keep).unwrap();
    let Begin::Writer(mut writer) = begun else { panic!("nothing was there before") };
    (0..20).for_each(|seed| writer.push(Game::new(6, &random_moves(seed)).unwrap()).unwrap());
    writer.finish().unwrap();
    let set = "scalars = [\"moves\"]\n[[pattern]]\nsquares = \"a1 b1\"\n";
    std::fs::write(folder.path().join("set.toml"), set).unwrap();
    for (arguments, expected) in [
        ("fit a.games --memory-mb 1G --out a.weights", "expected a whole number, 0 or more"),
        ("fit a.games --seed -1 --out a.weights", "expected a whole number, 0 or more"),
        ("fit a.games --ridge x --out a.weights", "expected a number, such as 0.5"),
        ("fit a.games --out b.games", "would be a weights file under the name of another kind"),
        ("loss standrad a.games", "one of `none`, `mobility` and `embedded`"),
        // A past bug: the list ended before its last name.
        ("fit a.games --patterns set.toml --out a.weights", "`x_square_moves`"),
        // A past bug: the message named neither.
        ("fit a.games --labels all:value --out a.weights", "`selfplay --values`"),
        ("sample a.games --count 1 --out a.weights", "would be a file of games under the name"),
    ] {
        let binary = assert_cmd::cargo::cargo_bin!("othello-trainer");
        let words = arguments.split_whitespace();
        let output = Command::new(binary).current_dir(folder.path()).args(words).output().unwrap();
        let message = message(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
        assert!(message.contains(expected), "{arguments}: {message}");
    }
}

/// Arguments of 100 kB were repeated whole, and what a terminal obeys was left out or obeyed.
#[test]
fn what_is_repeated_of_an_argument_is_short_and_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(100_000);
    for command in [
        "fit LONG --out a.weights",
        "fit a.games --labels LONG --out a.weights",
        "fit a.games --window LONG --out a.weights",
        "fit a.games*LONG --out a.weights",
        "match LONG none --openings a.openings --pairs 1",
        "match gtp:LONG none --openings LONG --pairs 1",
        "LONG",
    ] {
        let run = |argument: &str| {
            let binary = assert_cmd::cargo::cargo_bin!("othello-trainer");
            let words = command.split(' ').map(|word| word.replace("LONG", argument));
            let output =
                Command::new(binary).current_dir(folder.path()).args(words).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{command}: {}", message(&output));
            message(&output)
        };
        let message = run(&long);
        assert!(message.len() < 1000, "{command}: {} bytes", message.len());
        assert!(message.contains("xxx … xxx"), "{command}: {message}");
        let message = run("z\u{1b}[2J\u{9b}2J");
        assert!(message.contains("z\\u{1b}[2J\\u{9b}2J"), "{command}: {message}");
        assert!(!message.contains(['\u{1b}', '\u{9b}']), "{command}: {message}");
    }
}
