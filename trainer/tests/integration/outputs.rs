//! Before a command starts its work, it must report an output that it cannot write. It must never
//! overwrite an input. (`trainer/fuzz` tests more such outputs: pipes, devices and links.)

use std::os::unix::fs::symlink;

use othello_engine::file::{Kind, Reader, Section};
use othello_testing::program::message;
use othello_testing::records;

use super::folder::Folder;

fn folder() -> Folder {
    let folder = Folder::with_random_games(0..300);
    folder.runs("fit a.games --patterns discs --epochs 2 --out w.weights");
    folder.write("openings.txt", "f5d6c3\nf5f6e6f4\nf5f4e3d6\n");
    folder
}

/// Commands, most of which would take hours if they were not refused at once. In each, `OUT` is
/// replaced by the path of an output.
const WORK: [&str; 5] = [
    "match mobility none --openings openings.txt --pairs 3 --depth 30 --games-out OUT",
    "match mobility none --openings openings.txt --pairs 3 --depth 30 --transcripts-out OUT",
    "calibrate ordering w.weights --positions 4000000000 --out OUT",
    "calibrate probcut w.weights --positions 4000000 --depth 12 --out OUT",
    "calibrate realization w.weights --data a.games --out OUT",
];

#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_work() {
    let at = &folder();
    at.write("foreign", "somebody's");
    symlink("nowhere", at.path("dangling")).unwrap();
    symlink("itself", at.path("itself")).unwrap();
    for work in WORK {
        for (out, expected) in [
            ("missing/out", "out.partial: cannot create it"),
            (&"x".repeat(250), "name too long"),
            ("dangling", "dangling: is a link that leads nowhere"),
            ("itself", "itself: is a link that leads nowhere"),
            ("foreign", "foreign: "),
        ] {
            at.refuses(&work.replace("OUT", out), expected);
        }
    }
    assert_eq!(at.read("foreign"), b"somebody's");
    assert!(at.path("dangling").is_symlink() && at.path("itself").is_symlink());
    // The existing outputs are weights and games that were made from other inputs.
    at.runs("calibrate probcut w.weights --positions 200 --depth 4 --out other.weights");
    for work in &WORK[2..5] {
        at.refuses(&work.replace("OUT", "other.weights"), "made from other settings");
    }
    at.refuses(&WORK[0].replace("OUT", "a.games"), "a.games: exists: made from other settings");
    let long = "x".repeat(250);
    at.write(&long, "somebody's");
    for work in &WORK[..2] {
        at.refuses(&format!("{} --force", work.replace("OUT", &long)), "name too long");
    }
}

/// A regression: a write beyond the limit on file sizes (`ulimit -f`) ended the process by a
/// signal, without a message.
#[test]
fn a_limit_on_the_size_of_files_is_told_and_nothing_is_lost() {
    let at = &folder();
    let fit = "fit a.games --patterns small --epochs 2 --phases 30..33 --out";
    let output = at.limited("-f 16", &format!("{fit} limited.weights")).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", message(&output));
    assert!(message(&output).contains("ulimit -f"), "{}", message(&output));
    at.runs(&format!("{fit} limited.weights"));
    at.runs(&format!("{fit} free.weights"));
    assert!(at.read("limited.weights") == at.read("free.weights"));
}

/// A regression: `validate` accepted a match file whose sections are intact but contain no games.
#[test]
fn the_file_of_a_match_without_its_games_is_damaged() {
    let at = &Folder::new();
    at.write("openings.txt", "f5d6c3\nf5f6e6f4\nf5f4e3d6\n");
    let work = "match mobility none --openings openings.txt --pairs 3 --depth 1 --exact 2";
    at.runs(&format!("{work} --out sound.match"));
    at.runs("validate sound.match");
    let mut reader = Reader::open(&at.path("sound.match"), Kind::Match).unwrap();
    let sections: Vec<Section> = reader.by_ref().collect::<Result<_, _>>().unwrap();
    type Forge = fn(&mut Vec<Section>);
    let forge: [(&str, Forge); 4] = [
        (" is not a pair of games", |all| all[1].content = vec![0; 1 << 20]),
        (" is not a pair of games", |all| all[1].content = all[3].content.clone()),
        ("has only the first 1 pairs", |all| drop(all.remove(1))),
        ("without a section `match`", |all| drop(all.pop())),
    ];
    for (damage, forge) in forge {
        let mut forged = sections.clone();
        forge(&mut forged);
        records::write_sections(&at.path("a.match"), Kind::Match, reader.provenance(), forged);
        let output = at.run("validate a.match");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{damage}: {said}");
        assert!(said.contains(damage) && said.contains("a.match: damaged: section "), "{said}");
    }
}
