//! Tests of the module `recipe`, which reads and changes recipes.

use super::*;

const GAMES: &str = "[\"a.games\"]\ncommand = 'selfplay'\ngames = 64\nseed = 3\n";

fn lines(text: &str) -> Vec<String> {
    let recipe = Recipe::from_toml(text).unwrap();
    let words = |step: &Step| step.words(Path::new("d"), 10).join(" ");
    recipe.steps.iter().map(words).collect()
}

#[test]
fn a_step_is_a_command_line() {
    let text = "
        [selfplay]
        depth = 2
        exact = '8..9'
        values = true

        ['a-*.games']
        command = 'selfplay'
        repeat = 2
        seed = 5
        depth = 4
        exact = false

        ['b.weights']
        command = 'calibrate ordering'
        inputs = ['a-*.games', 'other.games']
        learning-rate = 0.005
        match = ['a-*.games.json']";
    let expected = [
        "selfplay --values --seed 15 --depth 4 --out d/a-0.games",
        "selfplay --values --seed 16 --depth 4 --out d/a-1.games",
        "calibrate ordering d/a-0.games d/a-1.games other.games --learning-rate 0.005 \
         --match d/a-0.games.json --match d/a-1.games.json --out d/b.weights",
    ];
    assert_eq!(lines(text), expected);
}

#[test]
fn an_invalid_recipe_is_refused_with_the_place() {
    let refused = |text: &str| Recipe::from_toml(text).unwrap_err().to_string();
    for (text, expected) in [
        ("", "expected a step, such as [\"first.games\"]"),
        ("[\"a.games\"]\ngames = 5", "[\"a.games\"]: expected the key `command`"),
        ("games = 5", "games: expected `seed`, a number, or a table"),
        ("[\"a.games\"]\ncommand = 'selfplay", "line 2, column "),
        ("[\"../a.games\"]\ncommand = 'selfplay'", "expected the name of a file, without a folder"),
        ("[\"a-*.games\"]\ncommand = 'selfplay'", "both `*` in the name and the key `repeat`"),
        ("[\"a.games\"]\ncommand = 'selfplay'\nseed = 'x'", "`seed`: expected a whole number"),
        ("[\"a.games\"]\ncommand = 'selfplay'\ngames = {}", "`games`: expected a number, true"),
        (
            "[\"a.weights\"]\ncommand = 'fit'\ninputs = ['b.games']\n[\"b.games\"]\ncommand = \
             'selfplay'",
            "[\"a.weights\"] needs b.games, which no earlier step makes",
        ),
    ] {
        let error = refused(text);
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn more_games_scale_the_recipe() {
    let text = format!("{GAMES}core-seconds = 10\n[\"b.weights\"]\ncommand = 'average'\n");
    let scaled = Recipe::from_toml(&text).unwrap().scaled(2.5);
    assert_eq!(scaled.core_seconds(), (25.0, 0.0));
    let written = scaled.to_toml();
    let read = Recipe::from_toml(&written).unwrap();
    assert_eq!(read.steps[0].words(Path::new("d"), 0)[2], "192", "{written}");
}

#[test]
fn a_written_recipe_states_its_seed() {
    let recipe = Recipe::from_toml(&format!("seed = 1\n{GAMES}")).unwrap();
    let written = Recipe { seed: 7, ..recipe }.in_small().to_toml();
    assert_eq!(Recipe::from_toml(&written).unwrap().seed, 7, "{written}");
}

#[test]
fn another_player_replaces_the_one_of_the_tables_of_commands() {
    let text = "[selfplay]\nweights = 'embedded'\n['b.games']\ncommand = 'selfplay'\n\
                ['c.games']\ncommand = 'selfplay'\nweights = 'mobility'\n";
    let recipe = Recipe::from_toml(text).unwrap().with_player("my.weights").unwrap();
    let words = |step: &Step| step.words(Path::new("d"), 0).join(" ");
    let expected = [
        "selfplay --weights my.weights --out d/b.games",
        "selfplay --weights mobility --out d/c.games",
    ];
    assert_eq!(recipe.steps.iter().map(words).collect::<Vec<_>>(), expected);
}

#[test]
fn the_dependents_of_a_step_follow_its_file() {
    let text = format!(
        "{GAMES}[\"b.games\"]\ncommand = 'selfplay'\n[\"c.weights\"]\ncommand = 'fit'\n\
         inputs = ['a.games']\n[\"d.weights\"]\ncommand = 'average'\ninputs = ['c.weights']\n"
    );
    let recipe = Recipe::from_toml(&text).unwrap();
    assert_eq!(recipe.dependents("a.games"), ["a.games", "c.weights", "d.weights"]);
    assert_eq!(recipe.dependents("b.games"), ["b.games"]);
}

#[test]
fn the_shipped_recipes_are_valid() {
    for name in Recipe::shipped_names() {
        assert!(Recipe::shipped(name).is_some_and(|recipe| !recipe.steps.is_empty()), "{name}");
    }
}
