//! Tests of the command `loss`: errors of static values and of searches by number of empty squares.

use othello_engine::board::notation::board_text;
use othello_engine::board::{Phase, Position, Side};
use othello_engine::eval::Mobility;
use othello_engine::progress::Silent;
use othello_engine::record::{Game, ScoredPosition};
use othello_engine::search::{Pruning, Search};
use othello_testing::program::message;
use othello_trainer::metrics::Measuring;
use othello_trainer::source::LabelRules;
use serde_json::Value;

use super::folder::{Folder, printed, random_game};

const GAMES: u64 = 300;

fn random_games() -> impl Iterator<Item = Game> {
    (0..GAMES).map(random_game)
}

fn folder() -> Folder {
    Folder::with_random_games(0..GAMES)
}

/// Computes four numbers by their formulas: bias, its standard error over games, MAE and MSE.
fn errors_by_hand(games: &[Vec<(ScoredPosition, f64)>], wanted: &dyn Fn(u32) -> bool) -> [f64; 4] {
    let errors = |game: &Vec<(ScoredPosition, f64)>| -> Vec<f64> {
        let wanted = game.iter().filter(|(row, _)| wanted(row.position().empties()));
        wanted.map(|(row, value)| value - row.label().discs()).collect()
    };
    let games: Vec<Vec<f64>> = games.iter().map(errors).filter(|game| !game.is_empty()).collect();
    let all: Vec<f64> = games.concat();
    let mean = |of: &dyn Fn(f64) -> f64| {
        all.iter().map(|&error| of(error)).sum::<f64>() / all.len() as f64
    };
    let bias = mean(&|error| error);
    let of_game = |game: &Vec<f64>| game.iter().map(|error| error - bias).sum::<f64>().powi(2);
    let count = games.len() as f64;
    let variance = games.iter().map(of_game).sum::<f64>() * count / (count - 1.0);
    [bias, variance.sqrt() / all.len() as f64, mean(&f64::abs), mean(&|error| error * error)]
}

#[test]
fn errors_of_searches_by_number_of_empty_squares_are_those_computed_by_hand() {
    // Few games: their searches take nearly all of the time of this test.
    let folder = Folder::with_random_games(0..60);
    let rules = LabelRules::default();
    for depth in [0, 3] {
        let games: Vec<Vec<(ScoredPosition, f64)>> = (0..60)
            .map(random_game)
            .map(|game| {
                let mut rows = rules.positions(&game, 1.0);
                rows.retain(|row| (4..=20).contains(&row.position().empties()));
                let positions: Vec<Position> = rows.iter().map(|row| row.position()).collect();
                let search = Search::new(&Mobility).depth(depth);
                let found = search.values(&positions, &Silent).unwrap();
                rows.into_iter().zip(found.iter().map(|value| value.discs())).collect()
            })
            .collect();
        let found = folder.json(&format!("loss mobility a.games --phases 40..56 --depth {depth}"));
        assert_eq!(found["depth"], depth);
        let check = |row: &Value, wanted: &dyn Fn(u32) -> bool| {
            let expected = errors_by_hand(&games, wanted);
            for (name, expected) in ["bias", "bias_error", "mae", "mse"].iter().zip(expected) {
                let found = row[name].as_f64().unwrap();
                assert!((found - expected).abs() < 1e-9, "{name} {expected} expected: {row}");
            }
        };
        check(&found, &|_| true);
        let phases = found["phases"].as_array().unwrap();
        assert_eq!(phases.len(), 17);
        for row in phases {
            let empties = row["empties"].as_u64().unwrap();
            assert_eq!(row["phase"].as_u64().unwrap() + empties, 60);
            check(row, &|other| u64::from(other) == empties);
        }
        let groups = found["by_group"].as_array().unwrap();
        let names: Vec<&str> = groups.iter().map(|row| row["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["13 to 18", "19 to 24", "even", "odd"]);
        check(&groups[0], &|empties| (13..=18).contains(&empties));
        check(&groups[1], &|empties| (19..=24).contains(&empties));
        check(&groups[2], &|empties| empties % 2 == 0);
        check(&groups[3], &|empties| empties % 2 == 1);
    }
}

#[test]
fn errors_of_searches_do_not_depend_on_the_number_of_threads() {
    let folder = folder();
    let loss = |threads: u32| {
        let loss = "loss embedded a.games --phases 45..50 --depth 4 --selectivity 73";
        folder.json(&format!("{loss} --worst 5 --threads {threads}"))
    };
    assert_eq!(loss(1), loss(3));
}

#[test]
fn searches_are_shown_position_by_position() {
    let folder = folder();
    let loss = "loss mobility a.games --phases 50..52 --depth 2 --json --log json";
    let output = folder.run(loss);
    let (measured, events) = (printed(&output), message(&output));
    let mut events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let end = events.rfind(|event| event["event"] == "end").unwrap();
    let positions = measured["positions"].as_u64().unwrap();
    assert!(positions > 2 * GAMES);
    assert_eq!((&end["stage"], &end["unit"]), (&"loss".into(), &"positions".into()));
    assert_eq!((&end["done"], &end["total"]), (&positions.into(), &positions.into()));
    // Here each position counts as a game, so only the standard error differs.
    let phase = |phase| Phase::new(phase).unwrap();
    let measuring = Measuring {
        evaluator: &Mobility,
        depth: 2,
        pruning: Pruning::default(),
        phases: phase(50)..=phase(52),
        worst: 0,
    };
    let rules = LabelRules::default();
    let rows = random_games().flat_map(|game| rules.positions(&game, 1.0)).collect();
    let alone = measuring.positions(rows, &Silent).unwrap().all;
    assert_eq!((&measured["mae"], &measured["bias"]), (&alone.mae.into(), &alone.bias.into()));
    assert_ne!(measured["bias_error"], Value::from(alone.bias_error));
}

#[test]
fn a_bias_above_the_limit_names_the_numbers_of_empty_squares() {
    let folder = folder();
    let loss = |more: &str| folder.run(&format!("loss mobility a.games --json {more}"));
    let found = printed(&loss("--phases 52..55"));
    assert!(found["passed"].is_null());
    let bias = |row: &Value| row["bias"].as_f64().unwrap();
    let mut rows = found["phases"].as_array().unwrap().clone();
    rows.sort_by(|one, other| bias(one).abs().total_cmp(&bias(other).abs()));
    // A limit between the second and the third largest bias is exceeded by two.
    let limit = (bias(&rows[1]).abs() + bias(&rows[2]).abs()) / 2.0;
    let failed = loss(&format!("--phases 52..55 --max-bias {limit}"));
    assert_eq!((failed.status.code(), &printed(&failed)["passed"]), (Some(1), &false.into()));
    let said = message(&failed);
    for (number, row) in rows.iter().enumerate() {
        let name = format!("the bias with {} empty squares is {:.3}", row["empties"], bias(row));
        assert_eq!(said.contains(&name), number >= 2, "{name}: {said}");
    }
    let within = loss("--phases 52..55 --max-bias 64");
    assert_eq!((within.status.code(), &printed(&within)["passed"]), (Some(0), &true.into()));
    let other_limit = loss("--phases 52..55 --max-bias 64 --max-mae 0.1");
    assert_eq!(other_limit.status.code(), Some(1));
}

#[test]
fn the_bias_of_few_positions_is_not_judged() {
    let folder = folder();
    let boards: String = random_games()
        .take(99)
        .map(|game| {
            let row = LabelRules::default().positions(&game, 1.0)[30];
            format!("{} 64\n", board_text(&row.position(), Side::Black))
        })
        .collect();
    folder.write("boards.txt", boards);
    folder.runs("import boards boards.txt --out few.positions");
    let few = folder.run("loss none few.positions --max-bias 0");
    assert_eq!(few.status.code(), Some(1));
    let expected = "--max-bias 0, and no number of empty squares has 100 positions";
    assert!(message(&few).contains(expected), "{}", message(&few));
}

#[test]
fn a_page_takes_what_loss_printed_and_nothing_else() {
    let folder = folder();
    folder.runs("fit a.games --patterns small --phases 50..51 --out a.weights");
    for (name, depth) in [("still.json", 0), ("deep.json", 2)] {
        let loss = format!("loss a.weights a.games --phases 49..52 --depth {depth} --json");
        folder.write(name, folder.run(&loss).stdout);
    }
    let report = "report a.weights --out page.html --loss";
    assert_eq!(folder.json(&format!("{report} still.json deep.json"))["losses"], 2);
    let page = folder.text("page.html");
    for (name, depth) in [("still", 0), ("deep", 2)] {
        assert!(
            page.contains(&format!(r#"{{"name":"{name}","errors":{{"depth":{depth},"#)),
            "{name}"
        );
    }
    folder.write("match.json", r#"{"elo_interval": [1, 2]}"#);
    let expected = "match.json: has no `by_group`; expected the output of `loss --json`";
    folder.refuses(&format!("{report} match.json --force"), expected);
}

/// A regression: the charts and tables of a page could not be taken into a paper.
#[test]
fn a_page_is_written_as_charts_and_tables_also() {
    let folder = folder();
    let fit = "fit a.games --patterns discs --epochs 2 --phases 50..51 --out";
    ["a", "b"].iter().for_each(|name| folder.runs(&format!("{fit} {name}.weights")));
    let loss = folder.run("loss a.weights a.games --phases 49..52 --json").stdout;
    folder.write("still.json", loss);
    let report = "report a.weights b.weights --out page.html --charts drawn --loss still.json";
    let written = folder.json(report);
    // Two columns of the loss, three of the epochs and five of the phases, and three tables.
    assert_eq!(written["charts"].as_array().unwrap().len(), 2 + 3 + 5 + 3, "{written}");
    let phases = folder.text("drawn/phases.csv");
    let lines: Vec<&str> = phases.lines().collect();
    assert!(lines[0].starts_with("name,phase,positions,validation_positions"), "{phases}");
    let starts =
        ["\"a.weights\",50,", "\"a.weights\",51,", "\"b.weights\",50,", "\"b.weights\",51,"];
    assert!(
        lines.len() == 5
            && lines[1..].iter().zip(starts).all(|(line, start)| line.starts_with(start))
    );
    assert!(lines.iter().all(|line| line.split(',').count() == 12), "{phases}");
    let epochs = folder.text("drawn/epochs.csv");
    assert_eq!((epochs.lines().count(), epochs.matches("\"b.weights\",").count()), (1 + 2 * 4, 4));
    let curves = folder.text("drawn/epochs-validation_mse.svg");
    assert!(curves.starts_with("<svg") && curves.contains("b.weights, phase 51"), "{curves}");
    assert_eq!(folder.text("drawn/losses.csv").matches("\n\"still\",").count(), 4);
    folder.runs(report);
    folder.write("drawn/phases.csv", "other");
    folder.refuses(report, "phases.csv");
}

#[test]
fn two_evaluations_are_compared_on_the_same_games() {
    let folder = folder();
    folder.runs("fit a.games --patterns discs --epochs 1 --phases 30..31 --out a.weights");
    folder.random_games("b.games", 1000..1200);
    let loss = |what: &str| folder.json(&format!("loss {what} b.games --phases 20..39"));
    let [first, second, pair] = ["none", "a.weights", "none a.weights"].map(loss);
    let mae = |report: &Value| report["mae"].as_f64().unwrap();
    assert_eq!((mae(&pair), &first["difference"]), (mae(&first), &Value::Null));
    let difference = &pair["difference"];
    let number = |report: &Value, field: &str| report[field].as_f64().unwrap();
    let found = number(difference, "difference");
    assert!((found - (mae(&first) - mae(&second))).abs() < 1e-9, "{difference}");
    let error = number(difference, "difference_error");
    let swapped = &loss("a.weights none")["difference"];
    let both = ["difference", "difference_error"].map(|field| number(swapped, field));
    assert!(error > 0.0 && both == [-found, error], "{found} ± {error}, {both:?}");
    assert_eq!(
        (difference["games"].as_u64(), difference["phases"][0]["phase"].as_u64()),
        (Some(200), Some(20))
    );
    let same = &loss("a.weights a.weights")["difference"];
    assert_eq!((number(same, "difference"), number(same, "difference_error")), (0.0, 0.0));
    let output = folder.run("loss none a.weights b.games --phases 20..39");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("mean absolute error of `none` minus that of `a.weights`: "), "{text}");
    folder.refuses("loss none a.weights", "no data");
    folder.refuses("loss none a.weights b.games --depth 1", "--subset and --depth");
}
