//! Tests of the examples: they run and find what they should.

#[path = "../../examples/evaluate.rs"]
#[allow(dead_code, reason = "an example's main is not called")]
mod evaluate;
#[path = "../../examples/search.rs"]
#[allow(dead_code, reason = "an example's main is not called")]
mod search;
#[path = "../../examples/solve.rs"]
#[allow(dead_code, reason = "an example's main is not called")]
mod solve;

use othello_engine::eval::{Evaluator, Mobility, WeightsError};
use othello_engine::file::FileError;

#[test]
fn a_file_is_loaded_or_refused_by_type() {
    let conformance =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets/conformance/conformance.weights");
    evaluate::report(&evaluate::load(conformance).unwrap());
    evaluate::report(&evaluate::load("embedded").unwrap());
    let missing = evaluate::load("/nowhere/x.weights").unwrap_err();
    assert!(matches!(missing, WeightsError::File(FileError::Io { .. })), "{missing}");
    let foreign = evaluate::load(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap_err();
    assert!(matches!(foreign, WeightsError::File(FileError::Foreign { .. })), "{foreign}");
}

#[test]
fn a_position_is_solved() {
    let solution = solve::solve(solve::BOARD).unwrap();
    assert_eq!((solution.value.score(), solution.best.unwrap().to_string()), (18, "g8".to_owned()));
}

#[test]
fn a_game_is_played_to_its_end() {
    let score = search::play(&Evaluator::from(Mobility)).unwrap();
    assert!(score.abs() <= 64 && score % 2 == 0, "{score}");
}
