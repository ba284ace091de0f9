//! Tests of outputs. One that cannot be written is reported before the work, no input is
//! overwritten, and files beside the inputs are read with care, whoever put them there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use othello_engine::file::{Begin, Existing, Provenance};
use othello_engine::record::{Game, GameWriter};
use othello_testing::program::message;
use othello_testing::random_games::random_moves;
use tempfile::TempDir;

/// Creates a folder with games to fit to and to test on, weights, and openings.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_games(&at.join("a.games"), 0..300);
    write_games(&at.join("test.games"), 1000..1100);
    runs(at, "fit a.games --patterns discs --epochs 2 --out w.weights");
    fs::write(at.join("openings.txt"), "f5d6c3\nf5f6e6f4\nf5f4e3d6\n").unwrap();
    folder
}

fn write_games(path: &Path, seeds: std::ops::Range<u64>) {
    let begun = GameWriter::begin(path, &Provenance::new("test"), Existing::Keep).unwrap();
    let Begin::Writer(mut writer) = begun else { panic!("nothing is there") };
    seeds.for_each(|seed| writer.push(Game::new(6, &random_moves(seed)).unwrap()).unwrap());
    writer.finish().unwrap();
}

/// Runs a command that must end soon: the work that some commands ask for takes hours.
fn run(folder: &Path, arguments: &str) -> Output {
    const SOON: Duration = Duration::from_secs(120);
    let mut command = Command::new(cargo_bin!("othello-trainer"));
    command.current_dir(folder).args(arguments.split_whitespace()).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + SOON;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{arguments}: goes on");
        }
        sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

fn runs(folder: &Path, arguments: &str) {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", message(&output));
}

/// Returns the message of a command that is refused.
fn refusal(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}: {}", message(&output));
    message(&output)
}

/// Commands with hours of work, each with `OUT` in place of an output.
const WORK: [&str; 6] = [
    "match mobility none --openings openings.txt --pairs 3 --depth 30 --games-out OUT",
    "match mobility none --openings openings.txt --pairs 3 --depth 30 --transcripts-out OUT",
    "calibrate ordering w.weights --positions 4000000000 --out OUT",
    "calibrate probcut w.weights --positions 4000000 --depth 12 --out OUT",
    "calibrate realization w.weights --data a.games --out OUT",
    "curve recipe.toml --test test.games --out curve --seeds 1000 --picture OUT",
];

fn recipe(folder: &Path) {
    fs::write(folder.join("recipe.toml"), "data = ['a.games']\npatterns = 'small'\n").unwrap();
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_work() {
    let folder = folder();
    let at = folder.path();
    recipe(at);
    fs::write(at.join("foreign"), "somebody's").unwrap();
    symlink("nowhere", at.join("dangling")).unwrap();
    symlink("itself", at.join("itself")).unwrap();
    for work in WORK {
        let said = |out: &str| refusal(at, &work.replace("OUT", out));
        let missing = said("missing/out");
        assert!(missing.contains("out.partial: cannot create it"), "{work}: {missing}");
        let long = said(&"x".repeat(250));
        assert!(long.contains("name too long"), "{work}: {long}");
        for link in ["dangling", "itself"] {
            let refused = said(link);
            assert!(
                refused.contains(&format!("{link}: is a link that leads nowhere")),
                "{refused}"
            );
        }
        let foreign = said("foreign");
        assert!(foreign.contains("foreign: "), "{work}: {foreign}");
    }
    assert_eq!(fs::read(at.join("foreign")).unwrap(), b"somebody's");
    assert!(at.join("dangling").is_symlink() && at.join("itself").is_symlink());
    // Weights and games that were made from something else.
    runs(at, "calibrate probcut w.weights --positions 200 --depth 4 --out other.weights");
    for work in &WORK[2..5] {
        let refused = refusal(at, &work.replace("OUT", "other.weights"));
        assert!(refused.contains("made from other settings"), "{work}: {refused}");
    }
    let refused = refusal(at, &WORK[0].replace("OUT", "a.games"));
    assert!(refused.contains("a.games: exists: made from other settings"), "{refused}");
}

/// One of them took the place of the other; and a file of another match was told after the match.
#[test]
fn outputs_of_a_match_that_do_not_go_together_are_refused_before_it() {
    let folder = folder();
    let at = folder.path();
    let work = "match mobility none --openings openings.txt --pairs 3 --depth 30";
    for outputs in [
        "--out a --games-out a",
        "--games-out a --transcripts-out ./a",
        "--out a --transcripts-out a.partial",
    ] {
        let said = refusal(at, &format!("{work} {outputs}"));
        assert!(said.contains("is also another output"), "{outputs}: {said}");
    }
    let quick = work.replace("--depth 30", "--depth 1 --exact 2");
    let others = quick.replace("--pairs 3", "--pairs 2 --seed 9");
    runs(at, &format!("{others} --transcripts-out there.jsonl"));
    runs(at, &format!("{others} --transcripts-out there.jsonl"));
    fs::write(at.join("openings.txt"), "f5f6e6d6\n").unwrap();
    let other = work.replace("--pairs 3", "--pairs 1");
    let said = refusal(at, &format!("{other} --transcripts-out there.jsonl"));
    assert!(said.contains("there.jsonl: exists"), "{said}");
    let long = "x".repeat(250);
    fs::write(at.join(&long), "somebody's").unwrap();
    for option in ["--transcripts-out", "--games-out"] {
        let said = refusal(at, &format!("{other} {option} {long} --force"));
        assert!(said.contains("name too long"), "{said}");
    }
}

/// A past bug: files that a command reads indirectly were overwritten with `--force`.
#[test]
fn no_input_that_is_named_by_way_of_another_is_overwritten() {
    let folder = folder();
    let at = folder.path();
    recipe(at);
    runs(at, "dataset a.games --out laid-out");
    fs::create_dir(at.join("records")).unwrap();
    fs::copy(at.join("a.games"), at.join("records/a.games")).unwrap();
    runs(at, "validate records --manifest");
    let fit = "--patterns discs --epochs 1 --force --out";
    for refused in [
        "report w.weights --force --out w.weights.report.json".to_owned(),
        "report w.weights --force --out w.weights.metrics.jsonl".to_owned(),
        format!("fit laid-out {fit} laid-out/training-30.positions"),
        format!("fit laid-out {fit} laid-out/dataset.json"),
        format!("fit records {fit} records/a.games"),
        format!("fit records {fit} records/records.json"),
        "curve recipe.toml --test test.games --out c --force --picture test.games".to_owned(),
        "curve recipe.toml --test test.games --out c --force --picture a.games".to_owned(),
    ] {
        let said = refusal(at, &refused);
        assert!(said.contains("is also an input"), "{refused}: {said}");
    }
    // Weights beside the data that they are fitted to are not part of it.
    let fit = "fit records --patterns discs --epochs 1 --out records/w.weights";
    runs(at, fit);
    runs(at, fit);
}

#[test]
fn a_dataset_that_lacks_files_is_made_whole_and_none_is_written_among_records() {
    let folder = folder();
    let at = folder.path();
    runs(at, "dataset a.games --out laid-out");
    let file = at.join("laid-out/training-30.positions");
    let whole = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    runs(at, "dataset a.games --out laid-out");
    assert!(fs::read(&file).unwrap() == whole);
    fs::write(&file, "").unwrap();
    let said = refusal(at, "dataset a.games --out laid-out");
    assert!(said.contains("training-30.positions") && said.contains("--force"), "{said}");
    runs(at, "dataset a.games --out laid-out --force");
    assert!(fs::read(&file).unwrap() == whole);

    let said = refusal(at, "dataset a.games --out .");
    assert!(said.contains("folder of its own"), "{said}");
    assert!(!at.join("dataset.json").exists() && !at.join("training-30.positions").exists());
}

/// It was found out after all positions were laid out. What is damaged here would be found in
/// reading.
#[test]
fn a_dataset_of_something_else_is_told_before_its_data_are_read() {
    let folder = folder();
    let at = folder.path();
    runs(at, "dataset a.games --out laid-out");
    let mut damaged = fs::read(at.join("a.games")).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(at.join("damaged.games"), damaged).unwrap();
    let said = refusal(at, "dataset damaged.games --out other");
    assert!(said.contains("damaged.games: damaged"), "{said}");
    let said = refusal(at, "dataset damaged.games test.games --out laid-out");
    assert!(said.contains("dataset.json: exists: it was made from other data"), "{said}");
    let said = refusal(at, "dataset damaged.games --seed 7 --out laid-out");
    assert!(said.contains("dataset.json: exists: it was made from other data"), "{said}");
    // A run that was killed left no manifest.
    fs::remove_file(at.join("laid-out/dataset.json")).unwrap();
    let said = refusal(at, "dataset damaged.games --seed 7 --out laid-out");
    assert!(said.contains("exists: made from other settings (settings.seed: 1 there"), "{said}");
    let file = at.join("laid-out/validation-07.positions");
    fs::remove_file(&file).unwrap();
    symlink("/dev/zero", &file).unwrap();
    let said = refusal(at, "dataset damaged.games --out laid-out --force");
    assert!(said.contains("validation-07.positions: is a device"), "{said}");
    fs::remove_file(&file).unwrap();
    runs(at, "dataset a.games --out laid-out");
}

/// The folder for the weights was made after the test games were read, and after the picture was
/// looked at.
#[test]
fn a_study_proves_its_folder_before_it_reads() {
    let folder = folder();
    let at = folder.path();
    recipe(at);
    fs::write(at.join("file"), "somebody's").unwrap();
    fs::write(at.join("values.toml"), "[settings]\nridge = [3, 300]\n").unwrap();
    for study in
        ["curve recipe.toml", "compare recipe.toml recipe.toml", "tune recipe.toml values.toml"]
    {
        let said = refusal(at, &format!("{study} --test test.games --out file/folder"));
        assert!(said.contains("file/folder: cannot make the folder"), "{study}: {said}");
    }
    let said = refusal(at, "curve recipe.toml --test test.games --out curve --picture curve");
    assert!(said.contains("curve: is also another output"), "{said}");
    fs::write(at.join("broken.games"), &fs::read(at.join("test.games")).unwrap()[..200]).unwrap();
    refusal(at, "curve recipe.toml --test broken.games --out new");
    assert!(!at.join("curve").exists() && !at.join("new").exists());
}

/// Files that a program looks for by itself may be links to what never ends, or pipes nobody writes
/// to.
#[test]
fn what_stands_beside_files_is_read_with_care() {
    let folder = folder();
    let at = folder.path();
    let make = |path: &str, pipe: bool| {
        let path = at.join(path);
        let _ = fs::remove_file(&path);
        if pipe {
            assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        } else {
            symlink("/dev/zero", &path).unwrap();
        }
    };
    fs::create_dir(at.join("records")).unwrap();
    fs::copy(at.join("a.games"), at.join("records/a.games")).unwrap();
    fs::create_dir(at.join("laid-out")).unwrap();
    let fit = "fit a.games --patterns discs --epochs 2 --out";
    for pipe in [false, true] {
        let special = |path: &str, command: &str| {
            make(path, pipe);
            let said = refusal(at, command);
            let found = if pipe { "a named pipe" } else { "a device" };
            assert!(said.contains(path) && said.contains(found), "{command}: {said}");
            fs::remove_file(at.join(path)).unwrap();
        };
        special("records/records.json", "inspect records");
        special("records/records.json", "fit records --patterns discs --out new.weights");
        special("laid-out/dataset.json", "fit laid-out --patterns discs --out new.weights");
        special("match.json", "report w.weights --match match.json --out page.html");
        special("page.html", "report w.weights --out page.html");
        special("new.weights.report.json", &format!("{fit} new.weights"));
        special("new.weights.metrics.jsonl", &format!("{fit} new.weights"));
        let report = fs::read(at.join("w.weights.report.json")).unwrap();
        special("w.weights.report.json", &format!("{fit} w.weights"));
        special("w.weights.report.json", "report w.weights --out page.html");
        fs::write(at.join("w.weights.report.json"), report).unwrap();
    }
    // A foreign output is not read to its end for the comparison: this one has 1 TB.
    let huge = fs::File::create(at.join("huge.html")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let said = refusal(at, "report w.weights --out huge.html");
    assert!(said.contains("huge.html: exists: it has other content"), "{said}");
}

#[test]
fn a_match_that_no_page_can_show_is_refused() {
    let folder = folder();
    let at = folder.path();
    let whole = "{\"first\":\"<!--<script>\",\"second\":\"b\",\"pairs\":1,\"wins\":1,\"draws\":0,\"losses\":1,\
        \"mean_discs\":0.5,\"mean_discs_error\":null,\"elo\":null,\"elo_interval\":[null,null],\"p_value\":1}";
    let report = "report w.weights --match match.json --out page.html --force";
    fs::write(at.join("match.json"), whole).unwrap();
    runs(at, report);
    let page = fs::read_to_string(at.join("page.html")).unwrap();
    assert!(!page.contains("<!--<script>") && page.contains("\\u003c!--\\u003cscript>"));
    for (wrong, field) in [
        ("{\"elo_interval\":[1,2]}".to_owned(), "first"),
        (whole.replace("[null,null]", "7"), "elo_interval"),
        (whole.replace("\"pairs\":1", "\"pairs\":\"1\""), "pairs"),
        (whole.replace("\"p_value\":1", "\"p_value\":{}"), "p_value"),
    ] {
        fs::write(at.join("match.json"), wrong).unwrap();
        let said = refusal(at, report);
        assert!(said.contains(&format!("match.json: `{field}`")), "{said}");
    }
}

/// A past bug: a search for other values in the folder of an earlier one replaced its record, and
/// the earlier trials were lost.
#[test]
fn a_search_of_other_values_does_not_drop_the_trials_of_the_one_before() {
    let folder = folder();
    let at = folder.path();
    recipe(at);
    let tune =
        "tune recipe.toml values.toml --test test.games --out tuned --seeds 2 --phases 40..41";
    fs::write(at.join("values.toml"), "[settings]\nridge = [3, 300]\n").unwrap();
    runs(at, tune);
    let trials = || fs::read_to_string(at.join("tuned/trials.jsonl")).unwrap();
    let first = trials();
    runs(at, tune);
    assert_eq!(trials(), first);
    fs::write(at.join("values.toml"), "[settings]\nridge = [300, 3000]\n").unwrap();
    runs(at, tune);
    let both = trials();
    let of = |text: &str, ridge: &str| {
        let names = [",", "}"].map(|end| format!("\"settings.ridge\":{ridge}{end}"));
        names.iter().map(|name| text.matches(name).count()).sum::<usize>()
    };
    assert!(of(&first, "3") > 0 && of(&both, "3") == of(&first, "3"), "{both}");
    assert!(of(&both, "3000") > 0 && of(&both, "300") > 0, "{both}");
    runs(at, tune);
    assert_eq!(trials(), both);
}

#[test]
fn of_a_million_bad_lines_not_each_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.txt"), "f5d6c3\n".to_owned() + &"nonsense\n".repeat(5000))
        .unwrap();
    let output = run(folder.path(), "import transcripts bad.txt --out a.games");
    assert!(output.status.success());
    let said = message(&output);
    assert!(said.lines().count() < 120 && said.contains("rejected: 4900 more"), "{said}");
}

/// A past bug: the signal of such a write ended the process without a message.
#[test]
fn a_limit_on_the_size_of_files_is_told_and_nothing_is_lost() {
    let folder = folder();
    let at = folder.path();
    let fit = "fit a.games --patterns small --epochs 2 --phases 30..33 --out";
    let script = format!("ulimit -f 16; exec \"$PROGRAM\" {fit} limited.weights");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).env("PROGRAM", cargo_bin!("othello-trainer"));
    let output = command.current_dir(at).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", message(&output));
    assert!(message(&output).contains("ulimit -f"), "{}", message(&output));
    runs(at, &format!("{fit} limited.weights"));
    runs(at, &format!("{fit} free.weights"));
    let read = |name: &str| fs::read(at.join(name)).unwrap();
    assert!(read("limited.weights") == read("free.weights"));
}
