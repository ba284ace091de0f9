//! Tests of outputs. Before a command starts its work, it must report an output that it cannot
//! write. It must never overwrite an input. (`trainer/fuzz` tests pipes, devices and links.)

use std::fs;
use std::os::unix::fs::symlink;

use othello_engine::file::{Kind, Reader, Section};
use othello_testing::program::message;
use othello_testing::records;

use super::folder::Folder;

fn folder() -> Folder {
    let folder = Folder::with_random_games(0..300);
    folder.random_games("test.games", 1000..1100);
    folder.runs("fit a.games --patterns discs --epochs 2 --out w.weights");
    folder.write("openings.txt", "f5d6c3\nf5f6e6f4\nf5f4e3d6\n");
    folder
}

/// Commands that would take hours. In each, `OUT` is replaced by the path of an output.
const WORK: [&str; 5] = [
    "match mobility none --openings openings.txt --pairs 3 --depth 30 --games-out OUT",
    "match mobility none --openings openings.txt --pairs 3 --depth 30 --transcripts-out OUT",
    "calibrate ordering w.weights --positions 4000000000 --out OUT",
    "calibrate probcut w.weights --positions 4000000 --depth 12 --out OUT",
    "calibrate realization w.weights --data a.games --out OUT",
];

fn recipe(folder: &Folder) {
    folder.write("recipe.toml", "data = ['a.games']\npatterns = 'small'\n");
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_work() {
    let at = &folder();
    recipe(at);
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
}

/// Two regressions: a match accepted the same path for two outputs, so that one replaced the other;
/// and it reported an output that belongs to another match only after its games.
#[test]
fn outputs_of_a_match_that_do_not_go_together_are_refused_before_it() {
    let at = &folder();
    let work = "match mobility none --openings openings.txt --pairs 3 --depth 30";
    for outputs in [
        "--out a --games-out a",
        "--games-out a --transcripts-out ./a",
        "--out a --transcripts-out a.partial",
    ] {
        at.refuses(&format!("{work} {outputs}"), "is also another output");
    }
    let quick = work.replace("--depth 30", "--depth 1 --exact 2");
    let others = quick.replace("--pairs 3", "--pairs 2 --seed 9");
    at.runs(&format!("{others} --transcripts-out there.jsonl"));
    at.runs(&format!("{others} --transcripts-out there.jsonl"));
    at.write("openings.txt", "f5f6e6d6\n");
    let other = work.replace("--pairs 3", "--pairs 1");
    at.refuses(&format!("{other} --transcripts-out there.jsonl"), "there.jsonl: exists");
    let long = "x".repeat(250);
    at.write(&long, "somebody's");
    for option in ["--transcripts-out", "--games-out"] {
        at.refuses(&format!("{other} {option} {long} --force"), "name too long");
    }
}

/// A regression: with `--force`, commands overwrote files that they read indirectly, such as the
/// files in the folder of a dataset.
#[test]
fn no_input_that_is_named_by_way_of_another_is_overwritten() {
    let at = &folder();
    recipe(at);
    at.runs("dataset a.games --out laid-out");
    fs::create_dir(at.path("records")).unwrap();
    fs::copy(at.path("a.games"), at.path("records/a.games")).unwrap();
    at.runs("validate records --manifest");
    let fit = "--patterns discs --epochs 1 --force --out";
    for refused in [
        "report w.weights --force --out w.weights.report.json".to_owned(),
        "report w.weights --force --out w.weights.metrics.jsonl".to_owned(),
        format!("fit laid-out {fit} laid-out/training-30.positions"),
        format!("fit laid-out {fit} laid-out/dataset.json"),
        format!("fit records {fit} records/a.games"),
        format!("fit records {fit} records/records.json"),
    ] {
        at.refuses(&refused, "is also an input");
    }
    // Weights are not records, so they may be written into the folder of records.
    let fit = "fit records --patterns discs --epochs 1 --out records/w.weights";
    at.runs(fit);
    at.runs(fit);
}

#[test]
fn a_dataset_that_lacks_files_is_made_whole_and_none_is_written_among_records() {
    let at = &folder();
    at.runs("dataset a.games --out laid-out");
    let file = at.path("laid-out/training-30.positions");
    let whole = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    at.runs("dataset a.games --out laid-out");
    assert!(fs::read(&file).unwrap() == whole);
    fs::write(&file, "").unwrap();
    let said = at.refusal("dataset a.games --out laid-out");
    assert!(said.contains("training-30.positions") && said.contains("--force"), "{said}");
    at.runs("dataset a.games --out laid-out --force");
    assert!(fs::read(&file).unwrap() == whole);

    at.refuses("dataset a.games --out .", "a folder for the dataset alone");
    assert!(!at.path("dataset.json").exists() && !at.path("training-30.positions").exists());
}

/// A regression: `dataset` refused an existing dataset of other data only after it had sorted all
/// positions. Here, reading the damaged records would give another error.
#[test]
fn a_dataset_of_something_else_is_told_before_its_data_are_read() {
    let at = &folder();
    at.runs("dataset a.games --out laid-out");
    let mut damaged = at.read("a.games");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    at.write("damaged.games", damaged);
    at.refuses("dataset damaged.games --out other", "damaged.games: damaged");
    let other = "dataset.json: exists: it was made from other data";
    at.refuses("dataset damaged.games test.games --out laid-out", other);
    at.refuses("dataset damaged.games --seed 7 --out laid-out", other);
    // A folder without `dataset.json` is that of a killed run.
    fs::remove_file(at.path("laid-out/dataset.json")).unwrap();
    let other = "exists: made from other settings (settings.seed: 1 there";
    at.refuses("dataset damaged.games --seed 7 --out laid-out", other);
    let file = at.path("laid-out/validation-07.positions");
    fs::remove_file(&file).unwrap();
    symlink("/dev/zero", &file).unwrap();
    let forced = "dataset damaged.games --out laid-out --force";
    at.refuses(forced, "validation-07.positions: is a device");
    fs::remove_file(&file).unwrap();
    at.runs("dataset a.games --out laid-out");
}

/// A regression: a study that could not create its folder reported this only after it had read the
/// test games.
#[test]
fn a_study_proves_its_folder_before_it_reads() {
    let at = &folder();
    recipe(at);
    at.write("file", "somebody's");
    at.write("values.toml", "[settings]\nridge = [3, 300]\n");
    for study in
        ["curve recipe.toml", "compare recipe.toml recipe.toml", "tune recipe.toml values.toml"]
    {
        let study = format!("{study} --test test.games --out file/folder");
        at.refuses(&study, "file/folder: cannot make the folder");
    }
    at.write("broken.games", &at.read("test.games")[..200]);
    at.refusal("curve recipe.toml --test broken.games --out new");
    assert!(!at.path("curve").exists() && !at.path("new").exists());
}

#[test]
fn a_match_that_no_page_can_show_is_refused() {
    let at = &folder();
    let whole = "{\"first\":\"<!--<script>\",\"second\":\"b\",\"pairs\":1,\"wins\":1,\"draws\":0,\"losses\":1,\
        \"mean_discs\":0.5,\"mean_discs_error\":null,\"elo\":null,\"elo_interval\":[null,null],\"p_value\":1}";
    let report = "report w.weights --match match.json --out page.html --force";
    at.write("match.json", whole);
    at.runs(report);
    let page = at.text("page.html");
    assert!(!page.contains("<!--<script>") && page.contains("\\u003c!--\\u003cscript>"));
    for (wrong, field) in [
        ("{\"elo_interval\":[1,2]}".to_owned(), "first"),
        (whole.replace("[null,null]", "7"), "elo_interval"),
        (whole.replace("\"pairs\":1", "\"pairs\":\"1\""), "pairs"),
        (whole.replace("\"p_value\":1", "\"p_value\":{}"), "p_value"),
    ] {
        at.write("match.json", wrong);
        at.refuses(report, &format!("match.json: `{field}`"));
    }
}

#[test]
fn of_a_million_bad_lines_not_each_is_told() {
    let folder = Folder::new();
    folder.write("bad.txt", "f5d6c3\n".to_owned() + &"nonsense\n".repeat(5000));
    let output = folder.run("import transcripts bad.txt --out a.games");
    assert!(output.status.success());
    let said = message(&output);
    assert!(said.lines().count() < 120 && said.contains("rejected: 4900 more"), "{said}");
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

/// A regression: `validate` accepted a match file with intact sections that contain no games.
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
