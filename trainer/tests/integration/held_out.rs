//! Test games that are also training games are found, even in another order, mirrored or in another
//! file.

use othello_engine::board::{Square, Symmetry};
use othello_engine::record::Game;
use othello_testing::program::{message, printed};
use othello_testing::records;
use serde_json::Value;

use super::folder::{Folder, random_game};

/// Returns a random game under a symmetry that changes its squares but not the start position.
fn mirrored(number: u64) -> Game {
    let game = random_game(number);
    let image = |symmetry: Symmetry| -> Vec<Square> {
        game.squares().iter().map(|&square| symmetry.square(square)).collect()
    };
    let images = Symmetry::all().filter_map(|symmetry| Game::new(6, &image(symmetry)).ok());
    images.last().unwrap()
}

/// Creates training games, other games, and the named files with 20 or more training games each.
fn folder() -> (Folder, Vec<&'static str>) {
    let folder = Folder::new();
    folder.random_games("train.games", 0..300);
    folder.random_games("other.games", 1000..1040);
    folder.runs("sample train.games --count 40 --out sampled.games");
    folder.runs("shuffle train.games --out shuffled.games");
    folder.runs("split train.games --seed 9 --test-percent 15 --out part");
    records::write(&folder.path("mirrored.games"), (0..60).map(mirrored));
    (folder, vec!["sampled.games", "shuffled.games", "part.test.games", "mirrored.games"])
}

fn number(report: &Value, field: &str) -> u64 {
    report[field].as_u64().unwrap_or_else(|| panic!("{field} in {report}"))
}

/// Checks that over three quarters of the test games are found in training, or none of them.
fn check(training_has: &Value, is_training: bool, name: &str) {
    let [games, all] = ["games", "of_games"].map(|field| number(training_has, field));
    let [positions, of_positions] =
        ["positions", "of_positions"].map(|field| number(training_has, field));
    assert!(all >= 20 && of_positions > 30 * all, "{name}: {training_has}");
    match is_training {
        true => assert!(4 * games > 3 * all && 4 * positions > 3 * of_positions, "{training_has}"),
        false => assert_eq!(games, 0, "{name}: {training_has}"),
    }
}

/// Regressions: the notice about training data was missing for images of training games. Only the
/// first records of files were compared, so the errors on a sample, a shuffle or a split of the
/// training games were called test errors.
#[test]
fn loss_finds_a_test_that_is_a_part_of_training() {
    let (folder, parts) = folder();
    folder.runs("fit train.games --patterns discs --epochs 1 --phases 40 --out a.weights");
    for (name, is_training) in
        parts.into_iter().map(|part| (part, true)).chain([("other.games", false)])
    {
        let found = folder.json(&format!("loss a.weights {name}"));
        check(&found["training_has"][0], is_training, name);
        let pair = folder.json(&format!("loss none a.weights {name}"));
        assert_eq!(pair["training_has"], found["training_has"]);
    }
    let loss = |data: &str| folder.run(&format!("loss a.weights {data}"));
    let found = folder.said("loss a.weights mirrored.games");
    let warning = "warning: the training data of a.weights (./train.games) has ";
    assert!(found.contains(warning), "{found}");
    assert!(message(&loss("train.games")).contains("fitted to this file"));
    assert!(!message(&loss("other.games")).contains("fitted to"));
    assert!(!folder.said("loss a.weights other.games").contains("warning"));
    // `split` with the seed of the fit selects the games that the fit holds out.
    folder.runs("split train.games --seed 3 --test-percent 15 --out held");
    folder.write("settings.toml", "test_percent = 15\n");
    let fit =
        "fit train.games --patterns discs --epochs 1 --phases 40 --seed 3 --settings settings.toml";
    folder.runs(&format!("{fit} --out b.weights"));
    check(&folder.json("loss b.weights held.test.games")["training_has"][0], false, "held out");
}

/// A regression: `fit --test` printed the error on the few positions that training does not have.
#[test]
fn fit_finds_a_test_that_is_a_part_of_training() {
    let (folder, parts) = folder();
    let fit = "fit train.games --patterns discs --epochs 1 --phases 40..45 --force --out a.weights";
    for name in parts {
        let output = folder.run(&format!("{fit} --json --test {name}"));
        let (report, said) = (printed(&output), message(&output));
        let omitted = number(&report, "omitted_test_positions");
        assert!(omitted > 60, "{name}: {omitted}");
        let warning = format!("warning: training has {omitted} of the ");
        assert!(said.contains(&warning), "{name}: {said}");
    }
    let output = folder.run(&format!("{fit} --test mirrored.games"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(" positions that training has not (of 360)\n"), "{text}");
    let output = folder.run(&format!("{fit} --json --test other.games"));
    assert_eq!(number(&printed(&output), "omitted_test_positions"), 0);
    assert!(!message(&output).contains("training has"), "{}", message(&output));
    // The initial weights were fitted to games that this fit does not train on.
    let next = "fit other.games --init a.weights --phases 40 --epochs 1 --out b.weights";
    let said = message(&folder.run(&format!("{next} --test sampled.games")));
    assert!(
        said.contains("warning: the training data of the initial weights (./train.games) has "),
        "{said}"
    );
}

/// A regression: a study called its errors on training games test errors.
#[test]
fn studies_find_a_test_that_is_a_part_of_training() {
    let (folder, parts) = folder();
    let recipe =
        "data = ['train.games']\npatterns = 'discs'\n[settings.least_squares]\nepochs = 1\n";
    folder.write("one.toml", recipe);
    folder.write("two.toml", format!("{recipe}[settings]\nridge = 300.0\n"));
    folder.write("values.toml", "[settings]\nridge = [10.0, 300.0]\n");
    let compare = "compare one.toml two.toml --seeds 2 --phases 40..41";
    for name in parts.into_iter().chain(["other.games"]) {
        let found = folder.json(&format!("{compare} --test {name} --out {name}.folder"));
        check(&found["training_has"], name != "other.games", name);
    }
    let shares = "--shares 0.2,0.4,0.6,1 --seeds 2";
    for (study, out) in [
        (compare.to_owned(), "mirrored.games.folder"),
        (format!("curve one.toml {shares} --phases 40..41"), "curve"),
        ("tune one.toml values.toml --seeds 2 --phases 40..41".to_owned(), "tune"),
    ] {
        let output = folder.run(&format!("{study} --test mirrored.games --out {out}"));
        let (text, said) = (String::from_utf8_lossy(&output.stdout), message(&output));
        let warning = "warning: training has 60 of 60 test games (";
        assert!(text.contains(warning) && said.contains(warning), "{text}\n{said}");
    }
    std::fs::copy(folder.path("train.games"), folder.path("renamed.games")).unwrap();
    let refused = "cannot be the test";
    folder.refuses(&format!("{compare} --test renamed.games --out renamed"), refused);
}
