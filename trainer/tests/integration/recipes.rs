//! Tests `run` with a recipe that `train` wrote, and `run --shard`; `tests/cmd` has other tests.

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use super::folder::Folder;

/// A regression: the plan of `train --seed 7` stated the seed 1.
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

/// Each process must make its own shard's parts first, then parts that no other process has taken.
#[test]
fn shards_of_a_run_make_the_files_of_one_process() {
    let folder = Folder::new();
    let recipe = include_str!("../cmd/studies.in/recipe.toml");
    folder.write("recipe.toml", recipe.replace("'lsq'", "'lsq'\nphases = '20..40'"));
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
