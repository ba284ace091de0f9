//! Tests of filters of positions: every command uses the same positions, and reports the number of
//! excluded ones.

use othello_engine::record::ScoredPosition;
use othello_testing::program::message;
use othello_testing::records;
use othello_trainer::source::LabelRules;

use super::folder::{Folder, random_game};

const FIT: &str = "--patterns discs --optimizer lsq --epochs 2 --phases 30..31 --window 0 --seed 5";

#[test]
fn a_filter_gives_the_same_fit_in_a_dataset_in_settings_and_by_numpy() {
    let folder = Folder::with_random_games(0..200);
    let fit = |what: &str, out: &str| {
        let report = folder.json(&format!("fit {what} {FIT} --out {out}.weights"));
        (report["sha256"].clone(), report["positions"].as_u64().unwrap())
    };
    let filter = "moves=4..9,flips=1..3,share=0.7";
    let (filtered, positions) = fit(&format!("a.games --filter {filter}"), "fit");
    let (whole, all) = fit("a.games", "whole");
    assert!(filtered != whole && positions > 20 && positions < all / 2, "{positions} of {all}");

    folder.runs(&format!("dataset a.games --seed 5 --filter {filter} --out set"));
    assert_eq!(fit("set", "set"), (filtered.clone(), positions));
    folder.write("a.toml", format!("filter = \"{filter}\"\n"));
    assert_eq!(fit("a.games --settings a.toml", "settings").0, filtered);
    folder.runs(&format!("export a.games --format npz --seed 5 --filter {filter} --out a.npz"));
    folder.runs("import positions a.npz --format npz --out a.positions");
    assert_eq!(fit("a.positions", "npz").0, filtered);
    // The filter is part of the provenance, so a fit without it does not accept these weights.
    folder.refuses(&format!("fit a.games {FIT} --out fit.weights"), "filter");
    folder.refuses(&format!("fit set --filter ply=1..9 {FIT} --out b.weights"), "filter");
    folder.refuses(&format!("fit a.games --filter ply=9..1 {FIT} --out b.weights"), "`ply=A..B`");
}

#[test]
fn every_key_counts_what_it_excludes() {
    let folder = Folder::with_random_games(0..50);
    let rows = |seed| LabelRules::default().positions(&random_game(seed), 1.0);
    let rows: Vec<ScoredPosition> = (0..50).flat_map(rows).collect();
    records::write(&folder.path("a.positions"), rows.iter().copied());
    // These positions lack the flips of moves, and random games the surprise (|value − result|).
    let error = |command: &str| message(&folder.run(command));
    let dataset = |data: &str, filter: &str| format!("dataset {data} --filter {filter} --out set");
    let total = rows.len();
    let excluded = |data: &str| format!("excludes all positions of {data}: {total}");
    let none = error(&dataset("a.games", "ply=0..2"));
    assert!(none.contains(&format!("{} by ply", excluded("a.games"))), "{none}");
    let lacking = error(&dataset("a.games", "surprise=0..9"));
    let expected = format!("{} without surprise; `selfplay --values`", excluded("a.games"));
    assert!(lacking.contains(&expected), "{lacking}");
    let lacking = error(&dataset("a.positions", "flips=0..9"));
    assert!(lacking.contains(&format!("{} without flips", excluded("a.positions"))), "{lacking}");
    let export = error("export a.games --format npz --filter ply=0..2 --out a.npz");
    assert!(export.contains(&excluded("a.games")), "{export}");
    let sample = error("sample a.positions --count 9 --filter ply=0..2 --out b.positions");
    assert!(sample.contains(&excluded("a.positions")), "{sample}");
    folder.refuses("sample a.games --count 9 --filter ply=0..2 --out b.games", "files of games");

    let passes = |row: &&ScoredPosition| {
        (20..=40).contains(&row.position().ply()) && row.label().discs().abs() <= 10.0
    };
    let expected: Vec<ScoredPosition> = rows.iter().filter(passes).copied().collect();
    folder
        .runs("sample a.positions --count 9999 --filter value=0..10,ply=20..40 --out c.positions");
    let (_, frames) = records::frames::<ScoredPosition>(&folder.path("c.positions"));
    assert!(expected.len() > 100 && frames.concat() == expected);
    let report = folder.json("sample a.positions --count 30 --filter ply=20..40 --out d.positions");
    assert_eq!(report["files"][0]["positions"], 30);
}
