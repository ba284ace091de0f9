use othello_engine::board::{Phase, Position};
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

/// Computes bias, its standard error, MAE and MSE by their formulas, from the positions whose
/// number of empty squares `wanted` accepts. A game is a list of positions with their values.
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
    // If positions are measured without their games, only the standard error may differ.
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
