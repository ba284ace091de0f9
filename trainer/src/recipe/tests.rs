use super::*;

const GAMES: &str = "[\"a.games\"]\ncommand = 'selfplay'\ngames = 64\nseed = 3\n";

fn lines(text: &str) -> Vec<String> {
    let recipe = Recipe { seed: 10, ..Recipe::from_toml(text).unwrap() };
    let steps = recipe.steps(Path::new("d")).unwrap();
    steps.iter().map(|step| step.arguments.join(" ")).collect()
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
    for (text, expected) in [
        ("", "expected a step, such as [\"first.games\"]"),
        ("[\"a.games\"]\ngames = 5", "[\"a.games\"]: expected the key `command`"),
        ("games = 5", "[\"games\"]: expected `seed`, a number, or a table"),
        ("[\"a.games\"]\ncommand = 'selfplay", "line 2, column "),
        ("[\"../a.games\"]\ncommand = 'selfplay'", "expected the name of a file, without a folder"),
        ("[\"a-*.games\"]\ncommand = 'selfplay'", "both `*` in the name and the key `repeat`"),
        ("[\"a.games\"]\ncommand = 'selfplay'\nseed = 'x'", "`seed`: expected a whole number"),
        ("[\"a.games\"]\ncommand = 'selfplay'\ngames = {}", "`games`: expected a number, true"),
        (
            "[\"a.weights\"]\ncommand = 'fit'\ninputs = ['b.games']\n[\"b.games\"]\ncommand = \
             'selfplay'",
            "[\"a.weights\"]: needs b.games, which no earlier step makes",
        ),
    ] {
        let error = Recipe::from_toml(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn a_written_recipe_states_its_seed() {
    let recipe = Recipe::from_toml(&format!("seed = 1\n{GAMES}")).unwrap();
    let written = Recipe { seed: 7, ..recipe }.in_small().to_toml();
    assert_eq!(Recipe::from_toml(&written).unwrap().seed, 7, "{written}");
}

#[test]
fn the_dependents_of_a_step_follow_its_file() {
    let text = format!(
        "{GAMES}[\"b.games\"]\ncommand = 'selfplay'\n[\"c.weights\"]\ncommand = 'fit'\n\
         inputs = ['a.games']\n[\"d.weights\"]\ncommand = 'average'\ninputs = ['c.weights']\n"
    );
    let mut steps = Recipe::from_toml(&text).unwrap().steps(Path::new("")).unwrap();
    for (name, expected) in
        [("a.games", [true, false, true, true]), ("b.games", [false, true, false, false])]
    {
        mark_fresh(&mut steps, Some(name));
        assert_eq!(steps.iter().map(|step| step.is_fresh).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn the_shipped_recipes_are_valid() {
    assert!(SHIPPED.iter().all(|(name, _)| Recipe::shipped(name).is_some()));
}
