//! Tests of fits and datasets whose work several processes share.

use std::fs;
use std::process::Stdio;

use othello_testing::kill::files_in;
use othello_testing::program::message;

use super::folder::Folder;

fn folder() -> Folder {
    Folder::with_random_games(0..600)
}

fn assert_same_files(folder: &Folder, one: &str, other: &str) {
    for extension in ["", ".metrics.jsonl", ".report.json"] {
        let read = |name: &str| folder.read(&format!("{name}{extension}"));
        assert!(read(one) == read(other), "{other}{extension} is not that of {one}");
    }
}

const FIT: &str = "--patterns small --epochs 4 --threads 1";

#[test]
fn twelve_shards_of_which_one_is_killed_are_the_fit_of_one_process() {
    let folder = folder();
    folder.runs(&format!("fit a.games {FIT} --out one.weights"));
    folder.runs("dataset a.games --out laid-out");
    for number in 1..=12 {
        let fit = format!("fit laid-out {FIT} --shard {number}/12 --out shared.weights");
        if number == 7 {
            let mut killed = folder.command(&fit).stderr(Stdio::null()).spawn().unwrap();
            // The test kills the process after it has finished a phase, unless it ends before.
            let part = folder.path("shared.weights.parts/part-000006");
            while !part.exists() && killed.try_wait().unwrap().is_none() {}
            let _ = killed.kill();
            killed.wait().unwrap();
        }
        let made = folder.json(&fit);
        assert!(made["sha256"].is_null() && made["shard"] == format!("{number}/12"), "{made}");
    }
    for (more, difference) in [
        ("--epochs 5", "settings.least_squares.epochs: 4 there, 5 wanted"),
        ("--epochs 4 --ridge 3", "settings.ridge: 30.0 there, 3.0 wanted"),
        ("--epochs 4 --phases 3..59", "phases"),
    ] {
        let other = format!("fit laid-out --patterns small {more} --shard 4/12");
        folder.refuses(&format!("{other} --out shared.weights"), difference);
    }
    let packed = folder.json("pack shared.weights --clean");
    assert_eq!(packed["parts"], 60);
    assert_same_files(&folder, "one.weights", "shared.weights");
    assert!(!folder.path("shared.weights.parts").exists());
    folder.runs(&format!("fit laid-out {FIT} --shard 3/12 --out shared.weights"));
}

#[test]
fn shards_of_a_fit_that_began_from_weights_need_these() {
    let folder = folder();
    folder.runs(&format!("fit a.games {FIT} --seed 3 --out first.weights"));
    let fit = "fit a.games --epochs 2 --init first.weights --phases 20..43";
    folder.runs(&format!("{fit} --out one.weights"));
    for number in 1..=3 {
        folder.runs(&format!("{fit} --shard {number}/3 --out shared.weights"));
    }
    folder.refuses("pack shared.weights", "name these with --init");
    folder.runs("pack shared.weights --init first.weights");
    assert_same_files(&folder, "one.weights", "shared.weights");
}

#[test]
fn a_dataset_in_a_folder_gives_the_weights_that_its_games_give() {
    let folder = folder();
    let dataset = "dataset a.games --labels all:result --seed 5 --memory-mb 3 --out laid-out";
    folder.runs(dataset);
    let fit = format!("fit laid-out {FIT} --out from-folder.weights");
    folder.runs(&fit);
    folder
        .runs(&format!("fit a.games {FIT} --labels all:result --seed 5 --out from-games.weights"));
    assert_same_files(&folder, "from-games.weights", "from-folder.weights");
    folder.runs(&format!("fit laid-out {FIT} --memory-mb 2 --out narrow.weights"));
    assert_same_files(&folder, "from-games.weights", "narrow.weights");

    let other = "fit laid-out --seed 6 --out refused.weights";
    folder.refuses(other, "settings.seed: 5 there, 6 wanted");
    folder.refuses("fit laid-out a.games --out refused.weights", "name it alone");
    folder.refuses("dataset a.games --out laid-out", "dataset.json: exists");

    // An incomplete dataset is refused. A second run of `dataset` keeps its complete files.
    let file = |name: &str| folder.path("laid-out").join(name);
    let manifest = fs::read(file("dataset.json")).unwrap();
    fs::remove_file(file("dataset.json")).unwrap();
    fs::remove_file(file("training-30.positions")).unwrap();
    folder.refuses(&fit.replace("from-folder", "none"), "was interrupted, run it again");
    folder.runs(dataset);
    assert_eq!(fs::read(file("dataset.json")).unwrap(), manifest);
    folder.runs(&fit);

    // The fit must refuse damaged files, and files in place of other ones.
    let refused = format!("fit laid-out {FIT} --phases 30..31 --out refused.weights");
    let sound = fs::read(file("training-30.positions")).unwrap();
    fs::copy(file("training-31.positions"), file("training-30.positions")).unwrap();
    folder.refuses(&refused, "training-30.positions: it has a position of another phase");
    fs::copy(file("validation-30.positions"), file("training-30.positions")).unwrap();
    folder.refuses(&refused, "positions by dataset.json");
    fs::write(file("training-30.positions"), &sound[..sound.len() / 2]).unwrap();
    folder.refuses(&refused, "training-30.positions");
    fs::write(file("training-30.positions"), &sound).unwrap();
    let text = String::from_utf8(manifest).unwrap();
    for (sound, damaged, said) in [
        ("\"version\": 2", "\"version\": 1", "of version 2, found"),
        ("\"phases\"", "\"faces\"", "not the manifest of a dataset"),
        ("\"seed\": 5", "\"seed\": -5", "not that of a dataset"),
    ] {
        fs::write(file("dataset.json"), text.replace(sound, damaged)).unwrap();
        folder.refuses(&refused, said);
    }
}

/// `dataset` first sorts ranges of the input (here, each file is a range), and then merges each of
/// the 60 phases. Each shard does some of the ranges and then some of the phases.
#[test]
fn shards_of_a_dataset_make_the_files_of_one_process() {
    let folder = Folder::new();
    for (name, seeds) in [("1.games", 0..150), ("2.games", 100..250), ("3.games", 250..400)] {
        folder.random_games(name, seeds);
    }
    let files = |name: &str| files_in(&folder.path(name), &[]);
    let dataset = "dataset 1.games 2.games*0.7 3.games --out";
    folder.runs(&format!("{dataset} whole"));
    let waits = folder.command(&format!("{dataset} shared --shard 1/2")).output().unwrap();
    assert_eq!(waits.status.code(), Some(75));
    let message = message(&waits);
    assert!(message.contains("part 1 is missing") && message.contains("shard 2 of 2"), "{message}");
    folder.runs(&format!("{dataset} shared --shard 2/2"));
    folder.runs(&format!("{dataset} shared --shard 1/2"));
    assert!(!folder.path("shared/dataset.json").exists());
    folder.refuses(&format!("{dataset} shared --seed 2"), "made from other settings");
    folder.runs("pack shared");
    assert!(files("shared") == files("whole"));
    fs::remove_dir_all(folder.path("shared")).unwrap();
    folder.runs(&format!("{dataset} shared"));
    assert!(files("shared") == files("whole"));
    assert!(!folder.path("shared.parts").exists());
}

/// A regression: a fit to a dataset with a settings file without labels used the default labels in
/// place of those of the dataset, and refused the dataset.
#[test]
fn a_folder_of_records_is_a_dataset_of_its_files() {
    let folder = Folder::new();
    fs::create_dir(folder.path("games")).unwrap();
    // The second file repeats games of the first, and all share positions near the start.
    for (name, seeds) in [("1", 0..150), ("2", 100..250), ("3", 250..400)] {
        folder.random_games(&format!("games/{name}.games"), seeds);
    }
    let settings = "--labels all:result --seed 5";
    let named = "games/1.games games/2.games games/3.games";
    folder.runs(&format!("dataset {named} {settings} --out named"));
    folder.refuses("dataset games --out refused", "othello-trainer validate games --manifest");
    folder.runs("validate games --manifest");
    folder.runs(&format!("dataset games {settings} --memory-mb 1 --out listed"));
    let files = |name: &str| files_in(&folder.path(name), &[]);
    assert!(files("listed") == files("named"));
    folder.refuses("dataset named games --out refused", "a dataset has positions but no games");
    folder.write("ridge.toml", "ridge = 20");
    let fit = "--patterns small --epochs 1 --phases 40 --settings ridge.toml";
    folder.runs(&format!("fit named {fit} --out ridge.weights"));
}
