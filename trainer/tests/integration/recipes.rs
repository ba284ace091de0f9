//! Tests of `run` and `train`: a recipe is checked before the first step, finished steps are kept,
//! and checksums are compared.

use othello_testing::program::message;

use super::folder::Folder;

const RECIPE: &str = "
[\"a.games\"]
command = 'selfplay'
games = 200
seed = 0
depth = 1
exact = 6
weights = 'mobility'

[\"a.weights\"]
command = 'fit'
inputs = ['a.games']
patterns = 'small'
optimizer = 'lsq'
epochs = 2
seed = 0
";

#[test]
fn a_recipe_is_made_kept_and_checked() {
    let folder = Folder::new();
    folder.write("recipe.toml", RECIPE);
    let states = |command: &str| -> Vec<(String, String)> {
        let steps = folder.json(command)["steps"].as_array().unwrap().clone();
        let field = |step: &serde_json::Value, key: &str| step[key].as_str().unwrap().to_owned();
        steps.iter().map(|step| (field(step, "state"), field(step, "sha256"))).collect()
    };
    let first = states("run recipe.toml --out made");
    let again = states("run recipe.toml --out made --threads 1");
    let fresh = states("run recipe.toml --out made --fresh a.weights");
    let state = |steps: &[(String, String)]| -> Vec<String> {
        steps.iter().map(|(state, _)| state.clone()).collect()
    };
    assert_eq!(state(&first), ["made", "made"]);
    assert_eq!(state(&again), ["kept", "kept"]);
    assert_eq!(state(&fresh), ["kept", "made"]);
    let sums = |steps: &[(String, String)]| steps.iter().map(|it| it.1.clone()).collect::<Vec<_>>();
    assert_eq!((sums(&first), sums(&first)), (sums(&again), sums(&fresh)));

    let list = format!("{}  a.games\n{}  a.weights\n", first[0].1, "0".repeat(64));
    folder.write("list.sha256", list);
    let output = folder.run("run recipe.toml --out made --check list.sha256");
    assert_eq!(output.status.code(), Some(1), "{}", message(&output));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("a.weights differs: expected 000"), "{printed}");
}

#[test]
fn a_wrong_step_is_refused_before_the_first_one() {
    let folder = Folder::new();
    for (name, step, expected) in [
        ("flag", "command = 'fit'\ninputs = ['a.games']\npattern = 'small'", "--pattern"),
        ("missing", "command = 'fit'\ninputs = ['b.games']", "b.games, which does not exist"),
        ("run", "command = 'run small'", "`run` cannot be the command of a step"),
    ] {
        folder.write("recipe.toml", format!("{RECIPE}\n[\"b.weights\"]\n{step}\n"));
        let output = folder.run(&format!("run recipe.toml --out {name}"));
        let said = message(&output);
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains("step b.weights") && said.contains(expected), "{name}: {said}");
        assert!(!folder.path(name).exists(), "{name}");
    }
}

/// A regression: `none` was taken for `mobility`, and a missing file left a plan.
#[test]
fn weights_that_train_cannot_use_are_refused_before_there_is_a_plan() {
    let folder = Folder::new();
    for (weights, expected) in [
        ("none", "expected `mobility`, `embedded` or a file"),
        ("no.weights", "no.weights: cannot open it"),
    ] {
        let train = format!("train --minutes 0.1 --weights {weights} --out a.weights");
        folder.refuses(&train, expected);
        assert_eq!(std::fs::read_dir(folder.at()).unwrap().count(), 0, "{weights}");
    }
}
