//! Tests of the commands `run` and `train`.

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

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
    let output = folder.run("run recipe.toml --out made --check list.sha256 --summary a.md");
    assert_eq!(output.status.code(), Some(1), "{}", message(&output));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("a.weights differs: expected 000"), "{printed}");
    let summary = std::fs::read_to_string(folder.path("a.md")).unwrap();
    assert!(summary.contains("**a.weights differs: expected 000"), "{summary}");
    assert!(summary.contains("| a.games | kept |"), "{summary}");
    assert!(summary.contains("### a.weights\n\n```text\nphase "), "{summary}");

    // Other settings: the second step fails, and the summary has the first.
    folder.write("recipe.toml", RECIPE.replace("epochs = 2", "epochs = 3"));
    let other = "run recipe.toml --out made --summary b.md";
    folder.refuses(other, "replace it with --fresh a.weights");
    let summary = std::fs::read_to_string(folder.path("b.md")).unwrap();
    assert!(summary.contains("**step a.weights: ") && summary.contains("| a.games | kept |"));
    folder.runs(&format!("{other} --fresh a.weights"));
}

/// A regression: the plan of `train --seed 7` stated the seed 1. The test kills `train` after the
/// first games.
#[test]
fn run_makes_the_games_of_a_plan_with_its_seed() {
    let folder = Folder::new();
    let mut train = folder.command("train --minutes 0.01 --seed 7 --out a.weights");
    let mut train = train.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let games = folder.path("a.run/generation-0.games");
    while !games.exists() {
        assert!(train.try_wait().unwrap().is_none(), "ended without games");
        sleep(Duration::from_millis(10));
    }
    train.kill().unwrap();
    train.wait().unwrap();
    let plan = std::fs::read_to_string(folder.path("a.recipe.toml")).unwrap();
    assert!(plan.contains("\nseed = 7\n"), "{plan}");
    folder.runs("run a.recipe.toml --out again --only generation-0.games");
    let read = |path| std::fs::read(path).unwrap();
    assert!(read(folder.path("again/generation-0.games")) == read(games));
    folder.refuses("train --minutes 0.01 --out a.weights", "a.recipe.toml: the plan of other");
}

/// A regression: `run` kept finished steps that a changed program makes differently.
#[test]
fn steps_of_a_program_that_makes_others_are_refused() {
    let folder = Folder::new();
    folder.write("recipe.toml", RECIPE);
    let run = |words: &str| folder.run(&format!("run recipe.toml --out made {words}"));
    let first = message(&run(""));
    assert!(first.contains("a small sample of each step"), "{first}");
    let again = message(&run(""));
    assert!(!again.contains("small sample"), "{again}");

    let makers = folder.path("made/run.json");
    let change = |key: &str| {
        let mut json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&makers).unwrap()).unwrap();
        *json.pointer_mut(key).unwrap() = "0".repeat(64).into();
        std::fs::write(&makers, json.to_string()).unwrap();
    };
    // The steps now appear to be from another program, which makes equal small steps.
    change("/program");
    let equal = message(&run(""));
    assert!(equal.contains("makes 2 finished steps in small as the one"), "{equal}");

    change("/program");
    change("/probes/a.games");
    let refused = run("");
    let said = message(&refused);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("made/a.games: the program that made this step"), "{said}");
    assert!(said.contains("--fresh a.games"), "{said}");
    let fresh = run("--fresh a.games");
    assert_eq!(fresh.status.code(), Some(0), "{}", message(&fresh));

    std::fs::remove_file(&makers).unwrap();
    let unknown = message(&run(""));
    assert!(unknown.contains("not verified: a.games, a.weights"), "{unknown}");
    std::fs::write(&makers, "{").unwrap();
    assert!(message(&run("")).contains("made/run.json"));
}

/// Each process makes its own parts first, and then those that no other process makes.
#[test]
fn shards_of_a_run_make_the_files_of_one_process() {
    let folder = Folder::new();
    folder.write("recipe.toml", RECIPE.replace("'lsq'", "'lsq'\nphases = '20..40'"));
    let sums = |command: &str| -> Vec<String> {
        let steps = folder.json(command)["steps"].as_array().unwrap().clone();
        steps.iter().map(|step| step["sha256"].as_str().unwrap().to_owned()).collect()
    };
    let alone = sums("run recipe.toml --out alone");
    let [first, second] = std::thread::scope(|scope| {
        [1, 2]
            .map(|it| format!("run recipe.toml --out made --shard {it}/2"))
            .map(|command| scope.spawn(move || sums(&command)))
            .map(|shard| shard.join().unwrap())
    });
    assert_eq!((&first, &second), (&alone, &alone));
    assert_eq!(sums("run recipe.toml --out taken --shard 2/3"), alone);
    folder.refuses("run recipe.toml --out made --shard 1/2 --fresh", "--fresh");
}
