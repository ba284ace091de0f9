//! Tests that kill the trainer's commands at any moment, resume them, and compare the results with
//! undisturbed runs.
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
#[allow(
    dead_code,
    unused_imports,
    clippy::unwrap_used,
    reason = "a test, of which others need more"
)]
mod folder;

fn check(stage: &str, units: Option<u64>, arguments: &str) {
    check_parts(cargo_bin!("othello-trainer"), stage, units, arguments);
}

/// The stages of a command, each with a function that counts its finished units of work.
type Stages<'a> = &'a [FinishedUnits<'a>];

/// Returns a command to kill and resume. `output` is the file that is compared.
fn subject<'a>(arguments: &'a str, output: &'a str, stages: Stages<'a>) -> Subject<'a> {
    let (program, may_differ, units_per_part) = (cargo_bin!("othello-trainer"), &[][..], None);
    Subject { program, arguments, output, may_differ, stages, units_per_part }
}

/// Returns `many` if the environment variable `OTHELLO_KILLS` is set, otherwise `few`.
fn size(few: u64, many: u64) -> u64 {
    if many_kills().is_some() { many } else { few }
}

fn games() -> &'static Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Folder::new();
        folder.random_games("random.games", 0..size(600, 4000));
        // These games are a test set, to which nothing is fitted.
        folder.random_games("others.games", 10_000..10_300);
        folder
    })
}

#[test]
fn relabel() {
    let (games, exact) = (games().path("random.games"), size(10, 12));
    let arguments = format!("relabel {} --exact {exact} --out out.games", games.display());
    check("relabel (games)", Some(16), &arguments);
}

/// Half of the positions have few enough empty squares to be solved.
#[test]
fn relabel_positions() {
    let exact = size(10, 12);
    let folder = Folder::new();
    let path = folder.path("random.positions");
    let positions = (0..size(600, 4000)).flat_map(|seed| random_game(seed).replay().steps);
    let positions = positions.map(|step| step.position);
    let late = positions.filter(|position| u64::from(position.empties()) <= 2 * exact);
    let label = Label::of_score(0).expect("a label");
    records::write(&path, late.map(|one| ScoredPosition::new(one, label, Weight::ONE)));
    let arguments = format!("relabel {} --exact {exact} --out out.positions", path.display());
    check("relabel (positions)", Some(256), &arguments);
}

#[test]
fn leaves() {
    let games = games().path("random.games");
    let depth = size(2, 3);
    let arguments = format!("leaves {} --depth {depth} --out out.positions", games.display());
    check("leaves (games)", Some(16), &arguments);
}

/// Each of the three files is a part of the sorting, and each of the 60 phases one of the merge.
#[test]
fn dataset() {
    let folder = Folder::new();
    let mut arguments = "dataset --out out".to_owned();
    for first in [0, 100, 200] {
        let (name, games) = (format!("{first}.games"), size(300, 3000));
        folder.random_games(&name, first..first + games);
        arguments += &format!(" {}", folder.path(&name).display());
    }
    let finished = |folder: &Path| {
        let names = fs::read_dir(folder.join("out.parts")).into_iter().flatten().flatten();
        let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let parts = names.filter(|name| name.starts_with("part-") && !name.contains('.'));
        (parts.count() as u64).saturating_sub(3)
    };
    subject(&arguments, "out/dataset.json", &[("merge (phases)", &finished)]).check();
}

fn check_fit(stage: &str, settings: &str) {
    let data = games().path("random.games");
    check(stage, None, &format!("fit {} --out out.weights {settings}", data.display()));
}

#[test]
fn fit_by_least_squares() {
    check_fit("fit (epochs)", "--patterns small --optimizer lsq --epochs 40");
}

#[test]
fn fit_by_adam() {
    // Adam makes many updates even in phases with few positions, so a few phases are enough work.
    let (first, last, epochs) = (size(36, 0), size(39, 59), size(2, 10));
    let adam = format!("--optimizer adam --phases {first}..{last} --epochs {epochs}");
    check_fit("fit (epochs)", &format!("--patterns small {adam}"));
}

#[test]
fn fit_with_factors() {
    let set = games().path("factors.toml");
    fs::write(&set, TINY_FACTORS).expect("a file");
    let epochs = size(3, 12);
    let settings = format!("--patterns {} --batch 2000 --epochs {epochs}", set.display());
    check_fit("fit without factors (epochs)", &settings);
}

fn balanced_openings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/openings/balanced-8.txt")
}

/// The match file contains times, so the test compares the statistics in the reports.
#[test]
fn r#match() {
    let (openings, pairs) = (balanced_openings(), size(60, 400));
    let arguments = format!(
        "match mobility none --openings {} --pairs {pairs} --depth 3 --exact 10 --out out.match",
        openings.display()
    );
    let finished = |folder: &Path| units_in_parts(&folder.join("out.match.parts"));
    let stages: Stages<'_> = &[("match (pairs)", &finished)];
    let subject = subject(&arguments, "out.match", stages);
    Subject { may_differ: &["out.match"], units_per_part: Some(4), ..subject }.check();
}

/// `what` is the model to fit, and `units` is the number of units in a part.
fn check_calibration(what: &str, stage: &str, flags: &str, units: u64) {
    static FITTED: OnceLock<PathBuf> = OnceLock::new();
    let weights = FITTED.get_or_init(|| {
        games().runs("fit random.games --patterns small --epochs 2 --out small.weights");
        games().path("small.weights")
    });
    let arguments = format!("calibrate {what} {} {flags} --out out.weights", weights.display());
    check(stage, Some(units), &arguments);
}

#[test]
fn calibrate_probcut() {
    let flags = format!("--positions {} --depth 4", size(300, 3000));
    check_calibration("probcut", "probcut (positions)", &flags, 16);
}

#[test]
fn calibrate_ends() {
    let flags = format!("--positions {} --empties 14", size(100, 2000));
    check_calibration("ends", "ends (positions)", &flags, 16);
}

#[test]
fn calibrate_ordering() {
    let flags = format!("--positions {} --searches {}", size(100, 2000), size(2, 8));
    check_calibration("ordering", "solve (positions with all moves)", &flags, 16);
}

#[test]
fn calibrate_realization() {
    let flags = format!("--data {}", games().path("random.games").display());
    check_calibration("realization", "realization (256 games)", &flags, 1);
}

fn studies() -> &'static Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let (folder, data) = (Folder::new(), games().path("random.games"));
        folder.write("one.toml", format!("data = [{data:?}]\npatterns = 'small'\n"));
        let values = "[settings]\nridge = [3, 30, 300, 3000]\nleast_squares.epochs = [20]\n";
        folder.write("values.toml", values);
        folder
    })
}

/// A study has no single output file, so the test compares its reports.
fn check_study(arguments: &str, stages: Stages<'_>) {
    let [one, values] = ["one.toml", "values.toml"].map(|name| studies().path(name));
    let arguments = arguments
        .replace("one.toml", &one.display().to_string())
        .replace("values.toml", &values.display().to_string());
    let test = games().path("others.games");
    let arguments = format!("{arguments} --test {} --out study --seeds 2", test.display());
    let subject = subject(&arguments, "study/nothing", stages);
    Subject { units_per_part: Some(2), ..subject }.check();
}

fn parts_of_study(folder: &Path) -> u64 {
    units_in_parts(&folder.join("study.parts"))
}

#[test]
fn tune() {
    let arguments = "tune one.toml values.toml --phases 40..43";
    // Counts the finished epochs that no finished part of the study includes: those of complete
    // weights, and those in the parts of the running fit.
    let finished = |folder: &Path| {
        let files = |folder: PathBuf| {
            let names = fs::read_dir(folder).into_iter().flatten().flatten();
            names.map(|entry| entry.path()).collect::<Vec<_>>()
        };
        let is_part = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("part-") && !name.contains('.')
        };
        let parts = files(folder.join("study.parts")).iter().filter(is_part).count() as u64;
        let epochs = |path: PathBuf| match path.extension()?.to_str()? {
            "weights" => Some(4 * 20),
            "parts" if !path.with_extension("").exists() => Some(units_in_parts(&path)),
            _ => None,
        };
        let all: u64 = files(folder.join("study")).into_iter().filter_map(epochs).sum();
        all - 4 * 20 * parts
    };
    check_study(arguments, &[("round 1 (fits)", &parts_of_study), ("fit (epochs)", &finished)]);
}

#[test]
fn compare() {
    let openings = balanced_openings();
    let played = format!("--openings {} --pairs {} --depth 2", openings.display(), size(30, 200));
    let arguments = format!("compare one.toml one.toml --phases 40..43 {played}");
    check_study(&arguments, &[("compare (fits)", &parts_of_study)]);
}

#[test]
#[ignore = "minutes of work: `scripts/check-long.sh` runs it"]
fn quickstart() {
    let kills = many_kills().unwrap_or(10).div_ceil(10);
    // The match files and the reports of the steps contain times, so they may differ.
    let recipe = Recipe::shipped("quickstart").unwrap();
    let reports = recipe.steps.iter().map(|step| format!("{}.json", step.name));
    let matches = ["mobility.match", "embedded.match"].map(str::to_owned);
    let may_differ: Vec<String> = reports.chain(matches).collect();
    let may_differ: Vec<&str> = may_differ.iter().map(String::as_str).collect();
    let subject = subject("quickstart --seed 1", "quickstart/embedded.match", &[]);
    Subject { may_differ: &may_differ, ..subject }.check_with(kills);
}
