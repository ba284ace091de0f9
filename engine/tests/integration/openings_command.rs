//! Tests that `openings --balanced` checks before its work whether it can write its output.

use crate::folder;

/// The arguments of a command that takes hours in total, but finds its first openings at once.
const WORK: &str = "openings --plies 8 --balanced --score-depth 3 --weights mobility --seed 5";

#[test]
fn openings_that_cannot_be_written_are_refused_before_the_work() {
    let at = folder();
    let few = "openings --plies 4 --balanced --score-depth 2 --weights mobility --count 20 --out";
    at.runs(&format!("{few} few.txt"));
    let whole = at.read("few.txt");
    // The output is complete now; next, unfinished work of a killed run is completed.
    at.runs(&format!("{few} few.txt"));
    at.write("cut.txt.partial", &whole[..whole.len() / 2]);
    at.runs(&format!("{few} cut.txt"));
    assert!(at.read("cut.txt") == whole);

    at.write("foreign.txt", "somebody's\n");
    let opening = "f5d6c3d3c4f4f6f3\n";
    at.write("others.txt", opening);
    let long = "x".repeat(250);
    at.write(&long, opening);
    let deep = WORK.replace("--score-depth 3", "--score-depth 30");
    for (work, out, expected) in [
        (&*deep, "missing/out.txt", "cannot create it"),
        (&deep, "foreign.txt", "foreign.txt: exists: it is not a list of transcripts of 8 moves"),
        (&deep, "few.txt", "few.txt: exists: it is not a list of transcripts of 8 moves"),
        // A regression: the error came only after the work.
        (WORK, "others.txt", "others.txt: exists: it has other openings"),
        (&format!("{deep} --force"), &long, "name too long"),
    ] {
        at.refuses(&format!("{work} --out {out}"), expected);
    }
    assert_eq!(at.text("others.txt"), opening);
}
