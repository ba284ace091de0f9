//! Slips on the command line: each is refused by a message that says what was expected.

use super::folder::Folder;

#[test]
fn slips_are_refused_with_what_was_expected() {
    let folder = Folder::with_random_games(0..20);
    let set = "scalars = [\"moves\"]\n[[pattern]]\nsquares = \"a1 b1\"\n";
    folder.write("set.toml", set);
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
        folder.refuses(arguments, expected);
    }
}

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
