//! The trainer's commands, killed and resumed.
#![cfg(target_os = "linux")]

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use assert_cmd::cargo::cargo_bin;
use othello_engine::board::Side;
use othello_engine::board::notation::board_text;
use othello_engine::file::{Begin, Existing, Kind, Provenance, Section};
use othello_engine::record::{
    Game, GameWriter, Label, PositionWriter, ROW_BYTES, ScoredPosition, Weight,
};
use othello_testing::kill::{Subject, many_kills, whole_sections};
use othello_testing::random_games::{random_moves, wthor_file};
use serde_json::Value;
use tempfile::TempDir;

/// Returns `few` for runs with few kills, `many` for runs with many.
fn size(few: u64, many: u64) -> u64 {
    if many_kills().is_some() { many } else { few }
}

/// Returns the progress of a killed import: the last number of bytes that it stored.
fn bytes_imported(folder: &Path) -> u64 {
    let path = folder.join("out.checkpoint.partial");
    let place = whole_sections(&path, Kind::Checkpoint).pop();
    let place = place.and_then(|place| serde_json::from_slice::<Value>(&place.content).ok());
    place.and_then(|place| place["bytes"].as_u64()).unwrap_or(0)
}

fn check_import(format: &str, input: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("input.wtb");
    fs::write(&path, input).expect("the input");
    let path = path.to_str().expect("a name in UTF-8");
    let arguments = ["import", format, path, "--out", "out"];
    Subject {
        name: &format!("import {format}"),
        program: cargo_bin!("othello-trainer"),
        arguments: arguments.map(str::to_owned).to_vec(),
        output: "out",
        may_differ: &[],
        finished: ("import (bytes)", bytes_imported),
    }
    .check();
}

/// Imports random games in a WTHOR file.
#[test]
fn import_wthor() {
    let mut bytes = wthor_file(0..size(40_000, 300_000));
    // One in a hundred is not a valid game.
    for game in bytes[16..].chunks_mut(68).step_by(100) {
        game[8] = 99;
    }
    check_import("wthor", &bytes);
}

#[test]
fn import_transcripts() {
    let line = |seed| {
        let moves: String = random_moves(seed).iter().map(ToString::to_string).collect();
        if seed % 100 == 0 { "no game\n".to_owned() } else { moves + "\n" }
    };
    let text: String = (0..size(40_000, 300_000)).map(line).collect();
    check_import("transcripts", text.as_bytes());
}

#[test]
fn import_boards() {
    let mut text = String::new();
    for seed in 0..size(2_000, 40_000) {
        for step in Game::new(0, &random_moves(seed)).expect("a game").replay().steps {
            text += &format!("{} {}\n", board_text(&step.position, Side::Black), seed % 64);
        }
    }
    check_import("boards", text.as_bytes());
}

/// Returns a file of random games, made once.
fn games() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        write_games(&folder.path().join("random.games"), 0..size(600, 4000));
        // Games for tests, which nothing is fitted to.
        write_games(&folder.path().join("others.games"), 10_000..10_300);
        folder
    });
    folder.path()
}

fn write_games(path: &Path, seeds: Range<u64>) {
    let begun = GameWriter::begin(path, &Provenance::new("test"), Existing::Keep);
    let Ok(Begin::Writer(mut writer)) = begun else { panic!("nothing is there") };
    for seed in seeds {
        let game = Game::new(6, &random_moves(seed)).expect("a game");
        writer.push(game).expect("written");
    }
    writer.finish().expect("complete");
}

/// Merges the shards of a run of self-play, which share their provenance. Few games are equal.
#[test]
fn merge() {
    const SHARDS: u64 = 3;
    let frames = size(60, 900);
    let folder = tempfile::tempdir().expect("a folder");
    let mut seeds = 0..;
    let mut files = vec![];
    for number in 1..=SHARDS {
        let path = folder.path().join(number.to_string());
        let provenance = Provenance::new("selfplay")
            .with("games", 256 * frames)
            .with("shard", format!("{number}/{SHARDS}"));
        let begun = GameWriter::begin(&path, &provenance, Existing::Keep);
        let Ok(Begin::Writer(mut writer)) = begun else { panic!("nothing is there") };
        for _ in 0..frames / SHARDS {
            let game = |seed| Game::new(6, &random_moves(seed)).expect("a game");
            let games: Vec<Game> = seeds.by_ref().take(256).map(game).collect();
            writer.write_frame(&games).expect("written");
        }
        writer.finish().expect("complete");
        files.push(path.to_str().expect("a name in UTF-8").to_owned());
    }
    let finished =
        |folder: &Path| whole_sections(&folder.join("out.games.partial"), Kind::Games).len() as u64;
    Subject {
        name: "merge",
        program: cargo_bin!("othello-trainer"),
        arguments: [&["merge", "--out", "out.games"].map(str::to_owned), &files[..]].concat(),
        output: "out.games",
        may_differ: &[],
        finished: ("merge (frames)", finished),
    }
    .check();
}

#[test]
fn relabel() {
    let games = games().join("random.games");
    let exact = if many_kills().is_some() { "12" } else { "10" };
    let games = games.to_str().expect("a name in UTF-8");
    let arguments = ["relabel", games, "--exact", exact, "--out", "out.games"];
    let finished = |folder: &Path| {
        let frames = whole_sections(&folder.join("out.games.partial"), Kind::Games).len() as u64;
        let path = folder.join("out.games.checkpoint.partial");
        let sections = whole_sections(&path, Kind::Checkpoint);
        let new = sections.iter().filter_map(|section| section.name.parse::<u64>().ok());
        let recorded = new.filter(|&number| number >= 256 * frames).count() as u64;
        (256 * frames + recorded).min(size(600, 4000))
    };
    Subject {
        name: "relabel",
        program: cargo_bin!("othello-trainer"),
        arguments: arguments.map(str::to_owned).to_vec(),
        output: "out.games",
        may_differ: &[],
        finished: ("relabel (games)", finished),
    }
    .check();
}

/// Relabels positions of random games, half of them with few enough empty squares.
#[test]
fn relabel_positions() {
    let exact: u32 = if many_kills().is_some() { 12 } else { 10 };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("random.positions");
    let begun = PositionWriter::begin(&path, &Provenance::new("test"), Existing::Keep);
    let Ok(Begin::Writer(mut writer)) = begun else { panic!("nothing is there") };
    for seed in 0..size(600, 4000) {
        let replay = Game::new(6, &random_moves(seed)).expect("a game").replay();
        let late = replay.steps.iter().map(|step| step.position);
        for position in late.filter(|position| position.empties() <= 2 * exact) {
            let label = Label::of_score(0).expect("a label");
            let scored = ScoredPosition::new(position, label, Weight::ONE);
            writer.push(scored).expect("written");
        }
    }
    writer.finish().expect("complete");
    let finished = |folder: &Path| {
        let positions = |section: &Section| (section.content.len() / ROW_BYTES) as u64;
        let sections = whole_sections(&folder.join("out.positions.partial"), Kind::Positions);
        let written = sections.iter().map(positions).sum();
        let path = folder.join("out.positions.checkpoint.partial");
        let recorded = whole_sections(&path, Kind::Checkpoint);
        let new = recorded
            .iter()
            .filter(|section| section.name.parse::<u64>().is_ok_and(|first| first >= written));
        written + new.map(positions).sum::<u64>()
    };
    let (path, exact) = (path.to_str().expect("a name in UTF-8"), exact.to_string());
    let arguments = ["relabel", path, "--exact", &exact, "--out", "out.positions"];
    Subject {
        name: "relabel of positions",
        program: cargo_bin!("othello-trainer"),
        arguments: arguments.map(str::to_owned).to_vec(),
        output: "out.positions",
        may_differ: &[],
        finished: ("relabel (positions)", finished),
    }
    .check();
}

fn check_fit(settings: &str) {
    let data = games().join("random.games");
    let arguments = ["fit", data.to_str().expect("a name in UTF-8"), "--out", "out.weights"];
    let settings = settings.split_whitespace();
    let finished = |folder: &Path| {
        let path = folder.join("out.weights.checkpoint.partial");
        let sections = whole_sections(&path, Kind::Checkpoint);
        sections.iter().filter(|section| section.name.starts_with("report")).count() as u64
    };
    Subject {
        name: &format!("fit {}", settings.clone().collect::<Vec<_>>().join(" ")),
        program: cargo_bin!("othello-trainer"),
        arguments: arguments.into_iter().chain(settings).map(str::to_owned).collect(),
        output: "out.weights",
        may_differ: &[],
        finished: ("fit (phases)", finished),
    }
    .check();
}

#[test]
fn fit_by_least_squares() {
    check_fit("--patterns small --optimizer lsq --epochs 40");
}

#[test]
fn fit_by_adam() {
    let epochs = size(2, 10);
    check_fit(&format!("--patterns small --optimizer adam --epochs {epochs}"));
}

#[test]
fn fit_with_factors() {
    let set = games().join("factors.toml");
    let text = "name = \"tiny\"\nscalars = [\"moves_pair\"]\n[factors]\ndimensions = 8\nphases = 4\n\
                [[pattern]]\nsquares = \"a1 b1 c1 d1 a2\"\n[[pattern]]\nsquares = \"c3 d3 e3 f3\"\n";
    fs::write(&set, text).expect("a file");
    let epochs = size(3, 12);
    check_fit(&format!("--patterns {} --batch 2000 --epochs {epochs}", set.display()));
}

/// The file has the seconds of each pair, so the reports are compared, which have the statistics.
#[test]
fn r#match() {
    let openings =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/openings/balanced-8.txt");
    let openings = openings.to_str().expect("a name in UTF-8");
    let pairs = size(60, 400).to_string();
    let arguments = ["match", "mobility", "none", "--openings", openings, "--pairs", &pairs];
    let arguments = [&arguments[..], &["--depth", "3", "--exact", "10", "--out", "out.match"]];
    let finished = |folder: &Path| {
        let sections = whole_sections(&folder.join("out.match.partial"), Kind::Match);
        sections.iter().filter(|section| section.name.starts_with("pair ")).count() as u64
    };
    Subject {
        name: "match",
        program: cargo_bin!("othello-trainer"),
        arguments: arguments.concat().into_iter().map(str::to_owned).collect(),
        output: "out.match",
        may_differ: &["out.match"],
        finished: ("match (pairs)", finished),
    }
    .check();
}

/// Tunes in two rounds of fits with different lengths.
#[test]
fn tune() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a small file");
        path.to_str().expect("a name in UTF-8").to_owned()
    };
    let data = games().join("random.games");
    let recipe = write("one.toml", format!("data = [{data:?}]\npatterns = 'small'\n"));
    let values = "[settings]\nridge = [3, 30, 300, 3000]\nleast_squares.epochs = [20]\n";
    let values = write("values.toml", values.to_owned());
    let test = games().join("others.games");
    let test = test.to_str().expect("a name in UTF-8");
    let arguments = ["tune", &recipe, &values, "--test", test, "--out", "tuned", "--seeds", "2"];
    // The phases of complete weights, and those finished by the running fit.
    let finished = |folder: &Path| {
        let names = fs::read_dir(folder.join("tuned")).into_iter().flatten().flatten();
        let paths: Vec<_> = names.map(|entry| entry.path()).collect();
        let complete = paths.iter().filter(|path| path.extension().is_some_and(|e| e == "weights"));
        let under_way = paths.iter().filter(|path| {
            let weights = path.to_str().and_then(|path| path.strip_suffix(".checkpoint.partial"));
            weights.is_some_and(|weights| {
                weights.ends_with(".weights") && !Path::new(weights).exists()
            })
        });
        let phases = |path: &PathBuf| {
            let sections = whole_sections(path, Kind::Checkpoint);
            sections.iter().filter(|section| section.name.starts_with("report")).count()
        };
        (4 * complete.count() + under_way.map(phases).sum::<usize>()) as u64
    };
    Subject {
        name: "tune",
        program: cargo_bin!("othello-trainer"),
        arguments: [&arguments[..], &["--phases", "40..43"]]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        // The record grows with every fit; no file is created last.
        output: "tuned/nothing",
        may_differ: &[],
        finished: ("fit (phases)", finished),
    }
    .check();
}

#[test]
#[ignore = "minutes of work: `scripts/check-long.sh` runs it"]
fn quickstart() {
    let kills = many_kills().unwrap_or(10);
    Subject {
        name: "quickstart",
        program: cargo_bin!("othello-trainer"),
        arguments: ["quickstart", "--seed", "1"].map(str::to_owned).to_vec(),
        output: "quickstart/generation-1.weights",
        may_differ: &[],
        finished: ("", |_| 0),
    }
    .check_with(kills.div_ceil(10));
}
