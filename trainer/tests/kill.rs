//! Tests that commands, killed at any moment and resumed, give the results of undisturbed runs.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use assert_cmd::cargo::cargo_bin;
use othello_engine::record::{Label, ScoredPosition, Weight};
use othello_testing::kill::{FinishedUnits, Subject, check_parts, many_kills, units_in_parts};
use othello_testing::records;
use othello_trainer::recipe::Recipe;

use folder::{Folder, TINY_FACTORS, random_game};

#[path = "integration/folder.rs"]
#[allow(dead_code, unused_imports, clippy::unwrap_used, reason = "a test, others need more")]
mod folder;

/// The stages of a command, each with a function that counts its finished units, such as games.
type Stages<'a> = &'a [FinishedUnits<'a>];

/// Kills and resumes a command, and checks its results. Match files may differ, because they
/// contain measured times.
fn check(arguments: &str, output: &str, units: Option<u64>, stages: Stages<'_>) {
    let program = cargo_bin!("othello-trainer");
    let may_differ: &[&str] = if output.ends_with(".match") { &[output] } else { &[] };
    let arguments = &expanded(arguments);
    Subject { program, arguments, output, may_differ, stages, units_per_part: units }.check();
}

fn size(few: u64, many: u64) -> u64 {
    if many_kills().is_some() { many } else { few }
}

/// Replaces `@name` by the path of the input file `name`. Replaces `A|B` by A or, in the long test
/// (if the environment variable `OTHELLO_KILLS` is set), by B.
fn expanded(arguments: &str) -> String {
    let expanded = |word: &str| match word.strip_prefix('@') {
        Some(name) => inputs().path(name).display().to_string(),
        None => word.split("..").map(chosen).collect::<Vec<_>>().join(".."),
    };
    arguments.split(' ').map(expanded).collect::<Vec<_>>().join(" ")
}

fn chosen(number: &str) -> &str {
    let (few, many) = number.split_once('|').unwrap_or((number, number));
    if many_kills().is_some() { many } else { few }
}

fn inputs() -> &'static Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Folder::new();
        folder.random_games("random.games", 0..size(600, 4000));
        // These games are a test set, to which nothing is fitted.
        folder.random_games("others.games", 10_000..10_300);
        for first in [0, 100, 200] {
            folder.random_games(&format!("{first}.games"), first..first + size(300, 3000));
        }
        // Half of the positions have few enough empty squares to be solved.
        let steps = (0..size(600, 4000)).flat_map(|seed| random_game(seed).replay().steps);
        let late =
            steps.map(|step| step.position).filter(|it| u64::from(it.empties()) <= size(20, 24));
        let label = Label::of_score(0).expect("a label");
        let late = late.map(|position| ScoredPosition::new(position, label, Weight::ONE));
        records::write(&folder.path("late.positions"), late);
        folder.write("factors.toml", TINY_FACTORS);
        folder.runs("fit random.games --patterns small --epochs 2 --out small.weights");
        folder.write("one.toml", "data = ['random.games']\npatterns = 'small'\n");
        let values = "[settings]\nridge = [3, 30, 300, 3000]\nleast_squares.epochs = [20]\n";
        folder.write("values.toml", values);
        folder
    })
}

#[test]
fn commands_that_make_parts() {
    let lines = include_str!("kill.txt").lines().filter(|line| !line.starts_with('#'));
    for line in lines {
        let [stage, units, arguments] = line.split("; ").collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let program = cargo_bin!("othello-trainer");
        check_parts(program, stage, units.parse().ok(), &expanded(arguments));
    }
}

fn parts_in(folder: PathBuf) -> usize {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("part-") && !name.contains('.')).count()
}

/// Counts the parts (files of finished work) with merged phases, not the 3 parts with the sorted
/// input files.
#[test]
fn dataset() {
    let arguments = "dataset --out out @0.games @100.games @200.games";
    let finished = |folder: &Path| parts_in(folder.join("out.parts")).saturating_sub(3) as u64;
    check(arguments, "out/dataset.json", None, &[("merge (phases)", &finished)]);
}

const OPENINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets/openings/balanced-8.txt");

#[test]
fn r#match() {
    let played = format!("--openings {OPENINGS} --pairs 60|400 --depth 3 --exact 10");
    let arguments = format!("match mobility none {played} --out out.match");
    let finished = |folder: &Path| units_in_parts(&folder.join("out.match.parts"));
    check(&arguments, "out.match", Some(4), &[("match (pairs)", &finished)]);
}

/// Kills and resumes a study (`compare` or `tune`), and checks its files and report. A study has no
/// main output file, so a file that never exists stands for it.
fn check_study(arguments: &str, stages: Stages<'_>) {
    let arguments = format!("{arguments} --test @others.games --out study --seeds 2");
    check(&arguments, "study/nothing", Some(2), stages);
}

fn parts_of_study(folder: &Path) -> u64 {
    units_in_parts(&folder.join("study.parts"))
}

#[test]
fn tune() {
    // Counts finished epochs that are not yet in a part of the study: all epochs of fits with
    // complete weights, and those in the parts of the running fit.
    let finished = |folder: &Path| {
        let epochs = |path: PathBuf| match path.extension()?.to_str()? {
            "weights" => Some(4 * 20),
            "parts" if !path.with_extension("").exists() => Some(units_in_parts(&path)),
            _ => None,
        };
        let files = fs::read_dir(folder.join("study")).into_iter().flatten().flatten();
        let all: u64 = files.filter_map(|entry| epochs(entry.path())).sum();
        all - 4 * 20 * parts_in(folder.join("study.parts")) as u64
    };
    let stages: Stages<'_> = &[("round 1 (fits)", &parts_of_study), ("fit (epochs)", &finished)];
    check_study("tune @one.toml @values.toml --phases 40..43", stages);
}

#[test]
fn compare() {
    let played = format!("--openings {OPENINGS} --pairs 30|200 --depth 2");
    let arguments = format!("compare @one.toml @one.toml --phases 40..43 {played}");
    check_study(&arguments, &[("compare (fits)", &parts_of_study)]);
}

#[test]
#[ignore = "minutes of work: `scripts/check-long.sh` runs it"]
fn quickstart() {
    let kills = many_kills().unwrap_or(10).div_ceil(10);
    // The match files and the reports of the steps contain times, so they may differ.
    let steps = Recipe::shipped("quickstart").unwrap().steps(Path::new("")).unwrap();
    let reports = steps.iter().map(|step| format!("{}.json", step.name));
    let matches = ["mobility.match", "embedded.match"].map(str::to_owned);
    let may_differ: Vec<String> = reports.chain(matches).collect();
    let may_differ = &*may_differ.iter().map(String::as_str).collect::<Vec<_>>();
    let output = "quickstart/embedded.match";
    let (program, arguments) = (cargo_bin!("othello-trainer"), "quickstart --seed 1");
    Subject { program, arguments, output, may_differ, stages: &[], units_per_part: None }
        .check_with(kills);
}
