//! Pattern sets with factors on the command line: fits, measurements, and refusals of formats
//! without factors.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use othello_engine::eval::{Mobility, Weights};
use othello_engine::file::Existing;
use othello_engine::progress::Silent;
use othello_engine::selfplay::{PerSide, Run, Settings, play_games};
use othello_testing::program::message;

fn trainer(folder: &Path, arguments: &str) -> Output {
    let binary = assert_cmd::cargo::cargo_bin!("othello-trainer");
    let arguments = arguments.split_whitespace();
    Command::new(binary).current_dir(folder).args(arguments).output().unwrap()
}

fn json(folder: &Path, arguments: &str) -> serde_json::Value {
    let output = trainer(folder, &format!("{arguments} --json"));
    assert!(output.status.success(), "{}", message(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Creates a folder with games and a pattern set.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| -> PathBuf { folder.path().join(name) };
    let run = Run::whole(Settings::new(5, "4..=20".parse().unwrap(), 1, 6), 400);
    let (games, players) = (file("a.games"), PerSide::both(&Mobility));
    play_games(&games, &run, players, Existing::Keep, &Silent).unwrap();
    let set = "name = \"tiny\"\nscalars = [\"moves_pair\"]\n[factors]\ndimensions = 8\nphases = 4\n\
               [[pattern]]\nsquares = \"a1 b1 c1 d1 a2\"\n[[pattern]]\nsquares = \"c3 d3 e3 f3\"\n";
    std::fs::write(file("set.toml"), set).unwrap();
    folder
}

#[test]
fn a_fit_of_factors_gives_the_same_bytes_with_any_threads_and_loss_measures_what_it_says() {
    let folder = folder();
    let fit = |out: &str, more: &str| {
        let arguments =
            format!("fit a.games --patterns set.toml --phases 38..45 {more} --out {out}");
        json(folder.path(), &arguments)
    };
    let one = fit("one.weights", "--threads 1");
    let two = fit("two.weights", "--threads 2");
    assert_eq!(one["sha256"], two["sha256"]);
    assert_eq!(one["optimizer"], "adam");
    let again = fit("three.weights", "--threads 1 --epochs 2");
    assert_ne!(one["sha256"], again["sha256"]);

    let loss = "loss one.weights a.games --part validation";
    let loss = json(folder.path(), loss);
    for phase in one["phases"].as_array().unwrap() {
        let rows = loss["phases"].as_array().unwrap();
        let measured = rows.iter().find(|row| row["phase"] == phase["phase"]).unwrap();
        let (measured, reported) = (&measured["mae"], &phase["validation_mae"]);
        let difference = measured.as_f64().unwrap() - reported.as_f64().unwrap();
        assert!(difference.abs() < 0.02, "{measured} {reported}");
    }
    let differences = trainer(folder.path(), "diff one.weights three.weights --json");
    let differences: serde_json::Value = serde_json::from_slice(&differences.stdout).unwrap();
    assert_eq!(differences["factors_equal"], false);
}

#[test]
fn what_has_no_place_for_factors_refuses_them() {
    let folder = folder();
    let fit = "fit a.games --patterns set.toml --phases 40..43 --epochs 1 --out a.weights";
    json(folder.path(), fit);
    for (arguments, expected) in [
        (
            "fit a.games --patterns set.toml --optimizer lsq --out b.weights",
            "leave out --optimizer",
        ),
        ("fit a.games --patterns set.toml --schedule constant --out b.weights", "--schedule"),
        ("export a.weights --format edax --out a.dat", "a.weights: the weights have factors"),
    ] {
        let output = trainer(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(message(&output).contains(expected), "{arguments}: {}", message(&output));
    }
}

#[test]
fn flags_of_a_fit_with_factors_are_those_of_its_factors_or_refused() {
    let folder = folder();
    let fit = |arguments: &str| trainer(folder.path(), &format!("fit a.games {arguments}"));
    let some = "--phases 38..41 --epochs 1 --ridge 50";
    let fitted = fit(&format!("--patterns set.toml {some} --out one.weights"));
    assert!(fitted.status.success(), "{}", message(&fitted));
    let weights = Weights::read(&folder.path().join("one.weights")).unwrap();
    let settings = weights.provenance.get("settings").unwrap();
    let of_factors = &settings["factors"];
    assert_eq!((&of_factors["ridge"], &of_factors["epochs"]), (&50.0.into(), &1.into()));
    assert_eq!(settings["ridge"], 30.0);
    // A fit that starts from weights has no fit without factors before it.
    let refused = fit("--init one.weights --window 1 --out two.weights");
    assert_eq!(refused.status.code(), Some(2));
    assert!(message(&refused).contains("leave out --window"), "{}", message(&refused));
}
