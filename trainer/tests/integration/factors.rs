//! Pattern sets with factors on the command line: fits, measurements, and refusals of formats
//! without factors.

use othello_engine::eval::Weights;

use super::folder::{Folder, printed};

/// Creates a folder with games and a pattern set.
fn folder() -> Folder {
    let folder = Folder::with_self_play(5, 400, 6);
    let set = "name = \"tiny\"\nscalars = [\"moves_pair\"]\n[factors]\ndimensions = 8\nphases = 4\n\
               [[pattern]]\nsquares = \"a1 b1 c1 d1 a2\"\n[[pattern]]\nsquares = \"c3 d3 e3 f3\"\n";
    folder.write("set.toml", set);
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

    let loss = folder.json("loss one.weights a.games --part validation");
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

#[test]
fn what_has_no_place_for_factors_refuses_them() {
    let folder = folder();
    folder.runs("fit a.games --patterns set.toml --phases 40..43 --epochs 1 --out a.weights");
    for (arguments, expected) in [
        (
            "fit a.games --patterns set.toml --optimizer lsq --out b.weights",
            "leave out --optimizer",
        ),
        ("fit a.games --patterns set.toml --schedule constant --out b.weights", "--schedule"),
        ("export a.weights --format edax --out a.dat", "a.weights: the weights have factors"),
    ] {
        folder.refuses(arguments, expected);
    }
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
    folder.refuses(fit, "leave out --window");
}
