//! Tests of pattern sets with factors: fits, measurements, and formats without factors.

use othello_engine::eval::Weights;

use super::folder::{Folder, TINY_FACTORS, printed};

fn folder() -> Folder {
    let folder = Folder::with_self_play(5, 400, 6);
    folder.write("set.toml", TINY_FACTORS);
    folder
}

#[test]
fn loss_measures_of_factors_what_their_fit_says() {
    let folder = folder();
    let fit = |out: &str, more: &str| {
        folder.json(&format!("fit a.games --patterns set.toml --phases 38..45 {more} --out {out}"))
    };
    let one = fit("one.weights", "");
    assert_eq!(one["optimizer"], "adam");
    let again = fit("two.weights", "--epochs 2");
    assert_ne!(one["sha256"], again["sha256"]);

    let loss = folder.json("loss one.weights a.games --subset validation");
    for phase in one["phases"].as_array().unwrap() {
        let rows = loss["phases"].as_array().unwrap();
        let measured = rows.iter().find(|row| row["phase"] == phase["phase"]).unwrap();
        let (measured, reported) = (&measured["mae"], &phase["validation_mae"]);
        let difference = measured.as_f64().unwrap() - reported.as_f64().unwrap();
        assert!(difference.abs() < 0.02, "{measured} {reported}");
    }
    let differences = folder.run("diff one.weights two.weights --json");
    assert_eq!(printed(&differences)["factors_equal"], false);
}

#[test]
fn flags_of_a_fit_with_factors_are_those_of_its_factors_or_refused() {
    let folder = folder();
    let some = "--phases 38..41 --epochs 1 --ridge 50";
    folder.runs(&format!("fit a.games --patterns set.toml {some} --out one.weights"));
    let weights = Weights::read(&folder.path("one.weights")).unwrap();
    let settings = weights.provenance.get("settings").unwrap();
    let of_factors = &settings["factors"];
    assert_eq!((&of_factors["ridge"], &of_factors["epochs"]), (&50.0.into(), &1.into()));
    assert_eq!(settings["ridge"], 30.0);
    // `--window` applies only to the first fit, without factors, which `--init` replaces.
    let fit = "fit a.games --init one.weights --window 1 --out two.weights";
    folder.refuses(fit, "omit --window");
}
