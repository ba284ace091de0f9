//! Tests of slips of the hand on the command line: each is refused with a message that says what
//! was expected.

use crate::folder;

#[test]
fn slips_are_refused_with_what_was_expected() {
    let folder = folder();
    let whole = "expected a whole number, 0 or more, in digits alone";
    for (arguments, expected) in [
        // A regression: the message was "invalid digit".
        ("selfplay --games 10k --seed 1 --out a.games", "expected a whole number, 1 or more"),
        // A regression: it made a file without games.
        ("selfplay --games 0 --seed 1 --out a.games", "expected a whole number from 1 to"),
        // A regression: the message was about an unexpected argument.
        ("selfplay --games 1 --seed -1 --out a.games", whole),
        ("stats --random 1k", whole),
        ("openings --plies 2 --out a.openings --score-depth x", "expected a whole number"),
        // A regression: the message was about a missing file.
        ("bench --weights standrad", "one of `none`, `mobility` and `embedded`"),
        // A regression: a file of one kind got the extension of another.
        ("selfplay --games 1 --seed 1 --out a.weights", "would be a file of games under the name"),
        ("openings --plies 2 --out a.games", "would be a file of openings under the name"),
        (
            "selfplay --games 1 --seed 1 --exact 16..15 --out a.games",
            "expected 0 to 60, or a range",
        ),
        (
            "selfplay --games 1 --seed 1 --depth 1 --ends 20:73 --exact 12..13 --out a.games",
            "give --exact a single number",
        ),
        // A regression: it looked for a file.
        ("hint f5d6x", "neither a file nor a position"),
    ] {
        folder.refuses(arguments, expected);
    }
    assert_eq!(std::fs::read_dir(folder.at()).unwrap().count(), 0);
}

/// Arguments of 100 kB were repeated whole, and what a terminal obeys was left out or obeyed.
#[test]
fn what_is_repeated_of_an_argument_is_short_and_harmless() {
    folder().repeats_little_and_no_harm(&[
        "selfplay --games LONG --seed 1 --out a.games",
        "LONG",
        "hint LONG",
        "solve LONG",
        "bench --LONG",
        "bench --weights LONG",
        "openings --plies 2 --out missing/LONG",
        "selfplay --games 1 --seed 1 --random-plies LONG --out a.games",
        "selfplay --games 1 --seed 1 --exact LONG --out a.games",
    ]);
}
