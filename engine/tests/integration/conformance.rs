//! Tests of the files in `datasets/conformance`: the program must read them and write the same
//! bytes.

use othello_engine::board::{Phase, Position, Square, StatedPosition};
use othello_engine::eval::{Value, Weights};
use othello_engine::pattern::Scalar;
use othello_engine::record::{GameReader, PlacedReader, PositionReader};

use crate::vectors::{self, WEIGHTS, shipped, text};

fn boards_and(values: &str) -> Vec<(Position, Value)> {
    let value = |line: &str| Value::from_steps(line.parse().unwrap()).unwrap();
    let values: Vec<Value> = text(values).lines().map(value).collect();
    let boards = vectors::boards();
    assert_eq!((boards.len(), values.len()), (200, 200));
    boards.into_iter().zip(values).collect()
}

#[test]
#[ignore = "writes into datasets/conformance"]
fn regenerate() {
    vectors::write_all(&shipped(""));
}

#[test]
fn the_shipped_files_are_what_the_generator_makes() {
    let folder = tempfile::tempdir().unwrap();
    vectors::write_all(folder.path());
    for made in std::fs::read_dir(folder.path()).unwrap() {
        let (path, name) = made.map(|made| (made.path(), made.file_name())).unwrap();
        let name = name.into_string().unwrap();
        let is_same = std::fs::read(path).unwrap() == std::fs::read(shipped(&name)).unwrap();
        let remedy = "cargo test -p othello-engine --test integration -- --ignored regenerate";
        assert!(is_same, "{name} differs; if that is meant: {remedy}");
    }
}

/// Computes values by the definition in formats.md, without the engine's tables and search.
#[test]
fn the_stated_values_follow_from_the_definition() {
    fn value(weights: &Weights, position: &Position) -> Value {
        if position.is_over() {
            return Value::from_score(position.score());
        }
        if position.moves() == 0 {
            return -value(weights, &position.pass());
        }
        let phase = Phase::of(position).unwrap();
        let parameters = || weights.geometry().parameters_of(position);
        let steps = weights.steps(phase);
        let alone: i32 = parameters().map(|parameter| i32::from(steps[parameter])).sum();
        let together = weights.factors().map_or(0, |factors| {
            let dimensions = factors.shape().dimensions();
            let total = |d: usize| -> i64 {
                parameters().map(|p| i64::from(factors.of(phase)[p * dimensions + d])).sum()
            };
            let square = |d: usize| total(d).pow(2) * if 2 * d < dimensions { 1 } else { -1 };
            ((0..dimensions).map(square).sum::<i64>() + 128).div_euclid(256)
        });
        Value::clamped(alone + together as i32)
    }
    for (name, values) in WEIGHTS {
        let weights = Weights::read(&shipped(name)).unwrap().weights;
        for (position, stated) in boards_and(values) {
            assert_eq!(value(&weights, &position), stated, "{name}, {position:?}");
        }
    }
}

/// The line of `boards.txt`, counted from 1, with the board of the worked example in `formats.md`.
const WORKED_OUT: usize = 39;

#[test]
fn the_worked_example_is_what_the_definition_gives() {
    let weights = Weights::read(&shipped("conformance.weights")).unwrap().weights;
    let boards = text("boards.txt");
    let line = boards.lines().nth(WORKED_OUT - 1).unwrap();
    let position = line.parse::<StatedPosition>().unwrap().position;
    let phase = Phase::of(&position).unwrap();
    let (geometry, steps) = (weights.geometry(), weights.steps(phase));
    let mut rows = format!("`{line}`: phase {phase}\n");
    let mut sum = 0;
    let digit = |square: &Square| match square.bit() {
        bit if position.player() & bit != 0 => 1,
        bit if position.opponent() & bit != 0 => -1,
        _ => 0,
    };
    for (number, pattern) in weights.set().patterns().iter().enumerate() {
        let tied = &geometry.patterns[number];
        let own = geometry.instances.iter().filter(|instance| instance.pattern == number);
        let found = own.map(|instance| {
            let digits: Vec<i32> = instance.squares.iter().map(digit).collect();
            let configuration = digits.iter().rev().fold(0, |number, digit| 3 * number + digit);
            let class = tied.class_of[(configuration + tied.middle() as i32) as usize];
            let weight = i32::from(steps[tied.first_parameter + usize::from(class)]);
            let squares: Vec<String> = instance.squares.iter().map(Square::to_string).collect();
            let discs: String =
                digits.iter().map(|it| ['O', '-', 'X'][(it + 1) as usize]).collect();
            let squares = squares.join(" ");
            (format!("{squares} | {discs} | {configuration} | {class} | {weight}"), weight)
        });
        let found: Vec<(String, i32)> = found.collect();
        let all: i32 = found.iter().map(|(_, weight)| weight).sum();
        sum += all;
        rows += &format!("| {} | {} | {all} of {} |\n", pattern.name(), found[0].0, found.len());
    }
    for (number, scalar) in weights.set().scalars().iter().enumerate() {
        let count = scalar.count(&position);
        let first = geometry.pattern_parameters + Scalar::VALUES * number;
        let weight = i32::from(steps[first + count]);
        sum += weight;
        let name = serde_json::to_string(scalar).unwrap().replace('"', "`");
        rows += &format!("| {name} |  |  | {count} |  | {weight} |  |\n");
    }
    assert_eq!(boards_and("values.txt")[WORKED_OUT - 1].1.steps(), sum, "within 64 discs");
    rows += &format!("features total {sum}.");
    let formats = include_str!("../../../datasets/formats.md");
    for row in rows.lines() {
        assert!(formats.contains(row), "formats.md has no `{row}`; all rows:\n{rows}");
    }
}

#[test]
fn the_boards_cover_what_a_reader_can_get_wrong() {
    let boards = boards_and("values.txt");
    let count = |wanted: &dyn Fn(&Position, Value) -> bool| {
        boards.iter().filter(|(position, value)| wanted(position, *value)).count()
    };
    for phase in Phase::all() {
        assert!(count(&|p, _| Phase::of(p) == Some(phase)) >= 2, "{phase}");
    }
    assert!(count(&|p, _| p.moves() == 0 && !p.is_over()) >= 30, "passes");
    assert!(count(&|p, _| p.empties() == 0) >= 10, "full boards");
    assert!(count(&|p, _| p.is_over() && p.empties() > 0) >= 10, "games that end early");
    for extreme in [Value::MAX, Value::MIN] {
        assert!(count(&|p, v| v == extreme && !p.is_over()) >= 10, "clamped to {extreme} discs");
    }
    let distinct: std::collections::HashSet<Value> = boards.iter().map(|board| board.1).collect();
    assert!(distinct.len() > 130, "only {} different values", distinct.len());
}

#[test]
fn records_are_what_their_text_says() {
    let games = GameReader::open(&shipped("conformance.games")).unwrap();
    let games: String = games.map(|game| vectors::game_line(&game.unwrap())).collect();
    assert_eq!(games, text("games.txt"));
    let placed = PlacedReader::open(&shipped("placed.positions")).unwrap();
    let placed: String = placed.map(|placed| vectors::placed_line(&placed.unwrap())).collect();
    assert_eq!(placed, text("placed.txt"));
    for kind in ["positions", "openings"] {
        let rows = PositionReader::open(&shipped(&format!("conformance.{kind}"))).unwrap();
        let rows: String = rows.map(|row| vectors::position_line(&row.unwrap())).collect();
        assert_eq!(rows, text(&format!("{kind}.txt")));
    }
}
