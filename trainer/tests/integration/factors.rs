//! Pattern sets with factors on the command line: fits, measurements, and refusals of formats
//! without factors.

use othello_engine::eval::Weights;
use othello_testing::program::message;

use super::folder::{Folder, TINY_FACTORS, printed};

fn folder() -> Folder {
    let folder = Folder::with_self_play(5, 400, 6);
    folder.write("set.toml", TINY_FACTORS);
    folder
}

#[test]
fn a_fit_of_factors_gives_the_same_bytes_with_any_threads_and_loss_measures_what_it_says() {
    let folder = folder();
    let fit = |out: &str, more: &str| {
        folder.json(&format!("fit a.games --patterns set.toml --phases 38..45 {more} --out {out}"))
    };
    let one = fit("one.weights", "--threads 1");
    let two = fit("two.weights", "--threads 2");
    assert_eq!(one["sha256"], two["sha256"]);
    assert_eq!(one["optimizer"], "adam");
    let again = fit("three.weights", "--threads 1 --epochs 2");
    assert_ne!(one["sha256"], again["sha256"]);

    let loss = folder.json("loss one.weights a.games --subset validation");
    for phase in one["phases"].as_array().unwrap() {
        let rows = loss["phases"].as_array().unwrap();
        let measured = rows.iter().find(|row| row["phase"] == phase["phase"]).unwrap();
        let (measured, reported) = (&measured["mae"], &phase["validation_mae"]);
        let difference = measured.as_f64().unwrap() - reported.as_f64().unwrap();
        assert!(difference.abs() < 0.02, "{measured} {reported}");
    }
    let differences = folder.run("diff one.weights three.weights --json");
    assert_eq!(printed(&differences)["factors_equal"], false);
}

/// The phases of a group share factors. So a fit of some of them also changes the values of the
/// others.
#[test]
fn a_fit_of_a_part_of_a_group_says_which_phases_change_with_it() {
    let folder = folder();
    folder.runs(
        "fit a.games --patterns set.toml --factors 8/5 --phases 40..44 --epochs 1 --out a.weights",
    );
    let on = |phases: &str| {
        let fit = format!("fit a.games --init a.weights --epochs 20 --phases {phases}");
        message(&folder.run(&format!("{fit} --out {phases}.weights")))
    };
    let said = on("42..46");
    assert!(said.contains("--phases 40..49 also fits them"), "{said}");
    let said = on("40..44");
    assert!(!said.contains("share factors"), "{said}");
    let differences = folder.run("diff a.weights 42..46.weights --json");
    assert_eq!(printed(&differences)["factors_equal"], false);
}

/// To export weights with other patterns, the command fits linear weights to games. They must equal
/// those of `fit` with the program's patterns, and the errors must be those on the games that this
/// fit holds out.
#[test]
fn other_programs_get_tables_alone_that_are_fitted_to_games() {
    let folder = folder();
    folder.runs("fit a.games --patterns set.toml --phases 40..43 --epochs 1 --out a.weights");
    let export = "export a.weights --format edax --data a.games --out a.dat";
    let report = folder.json(export);
    assert_eq!(report["fitted"]["weights"], "a.dat.weights");
    folder.runs("fit a.games --patterns edax --optimizer lsq --out fitted.weights");
    assert_eq!(folder.json("diff fitted.weights a.dat.weights")["equal"], true);
    folder.runs("import weights a.dat --format edax --out read.weights");
    assert_eq!(folder.json("diff fitted.weights read.weights")["max_steps"], 0);
    let held_out = folder.json("loss fitted.weights a.games --subset test");
    assert_eq!(report["loss"]["written"], held_out_errors(&held_out));
    let given = &report["loss"]["given"];
    assert_eq!(given["positions"], held_out["positions"]);
    assert!(given["mae"].as_f64().unwrap() > 0.0);
    // The same export again reuses the fit.
    let again = folder.json(export);
    assert_eq!((&again["sha256"], &again["loss"]), (&report["sha256"], &report["loss"]));

    // Weights that fit are not fitted again: what Zebra keeps of them is measured.
    folder.runs("fit a.games --patterns zebra --out zebra.weights");
    let report =
        folder.json("export zebra.weights --format zebra --data a.games --out coeffs2.bin");
    assert!(report.get("fitted").is_none());
    let errors = |name: &str| report["loss"][name]["mae"].as_f64().unwrap();
    assert!(errors("written") < errors("given") + 2.0, "{report}");
    folder.runs("import weights coeffs2.bin --format zebra --out zebra-read.weights");
    folder.refuses(
        "import weights a.dat --format zebra --out b.weights",
        "a.dat: not an evaluation file of Zebra",
    );
}

fn held_out_errors(report: &serde_json::Value) -> serde_json::Value {
    let fields = ["positions", "bias", "bias_error", "mae", "mse"];
    fields.into_iter().map(|field| (field.to_owned(), report[field].clone())).collect()
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
    // A fit that starts from weights has no fit without factors before it.
    let fit = "fit a.games --init one.weights --window 1 --out two.weights";
    folder.refuses(fit, "omit --window");
}
