//! Tests of fits and datasets whose work several processes share.

use std::fs;
use std::process::Stdio;

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
            // The test kills the process after a finished phase, unless the process ends first.
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
    folder.refuses("pack shared.weights --clean", "shared.weights: is already packed");
    folder.runs(&format!("fit laid-out {FIT} --shard 3/12 --out shared.weights"));
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
