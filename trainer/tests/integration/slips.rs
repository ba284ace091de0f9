//! Hostile arguments on the command line; `tests/cmd/refused.trycmd` has slips of the hand.

use super::folder::Folder;

/// Arguments of 100 kB were repeated whole, and what a terminal obeys was left out or obeyed.
#[test]
fn what_is_repeated_of_an_argument_is_short_and_harmless() {
    Folder::new().repeats_little_and_no_harm(&[
        "fit LONG --out a.weights",
        "fit a.games --labels LONG --out a.weights",
        "fit a.games --window LONG --out a.weights",
        "fit a.games*LONG --out a.weights",
        "match LONG none --openings a.openings --pairs 1",
        "match gtp:LONG none --openings LONG --pairs 1",
        "LONG",
    ]);
}
