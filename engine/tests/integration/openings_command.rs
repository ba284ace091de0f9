//! `openings --balanced`: what cannot be written is said before the work.

use std::fs;
use std::path::Path;
use std::process::Command;

use othello_testing::program::message;

/// Hours of work, but for the openings that are found first.
const WORK: &str = "openings --plies 8 --balanced --score-depth 3 --weights mobility --seed 5";

/// Runs a command; the exit status and what it said.
fn run(folder: &Path, arguments: &str) -> (Option<i32>, String) {
    let binary = assert_cmd::cargo::cargo_bin!("othello-engine");
    let arguments = arguments.split_whitespace();
    let output = Command::new(binary).current_dir(folder).args(arguments).output().unwrap();
    (output.status.code(), message(&output))
}

#[test]
fn openings_that_cannot_be_written_are_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let few = "openings --plies 4 --balanced --score-depth 2 --weights mobility --count 20 --out";
    assert_eq!(run(at, &format!("{few} few.txt")).0, Some(0));
    let whole = fs::read(at.join("few.txt")).unwrap();
    // The same again is done; so is what a kill left unfinished.
    assert_eq!(run(at, &format!("{few} few.txt")).0, Some(0));
    fs::write(at.join("cut.txt.partial"), &whole[..whole.len() / 2]).unwrap();
    assert_eq!(run(at, &format!("{few} cut.txt")).0, Some(0));
    assert!(fs::read(at.join("cut.txt")).unwrap() == whole);

    fs::write(at.join("foreign.txt"), "somebody's\n").unwrap();
    let opening = "f5d6c3d3c4f4f6f3\n";
    fs::write(at.join("others.txt"), opening).unwrap();
    let long = "x".repeat(250);
    fs::write(at.join(&long), opening).unwrap();
    let deep = WORK.replace("--score-depth 3", "--score-depth 30");
    for (work, out, expected) in [
        (&*deep, "missing/out.txt", "cannot create it"),
        (&deep, "foreign.txt", "foreign.txt: exists: it is no list of transcripts of 8 moves"),
        (&deep, "few.txt", "few.txt: exists: it is no list of transcripts of 8 moves"),
        // It was found out after the work.
        (WORK, "others.txt", "others.txt: exists: it has other openings"),
        (&format!("{deep} --force"), &long, "name too long"),
    ] {
        let (status, said) = run(at, &format!("{work} --out {out}"));
        assert!(status == Some(2) && said.contains(expected), "{out}: {said}");
    }
    assert_eq!(fs::read(at.join("others.txt")).unwrap(), opening.as_bytes());
}
