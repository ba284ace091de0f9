//! Hostile arguments on the command line; `tests/cmd/refused.trycmd` has slips of the hand.

use crate::folder;

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
