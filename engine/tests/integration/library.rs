#[path = "../../examples/evaluate.rs"]
#[allow(dead_code, reason = "an example's main is not called")]
mod evaluate;
#[path = "../../examples/search.rs"]
#[allow(dead_code, reason = "an example's main is not called")]
mod search;
#[path = "../../testing/examples/tree_search.rs"]
#[allow(dead_code, reason = "an example's main is not called")]
mod tree_search;

use othello_engine::board::Square;
use othello_engine::eval::{Evaluator, Mobility, WeightsError};
use othello_engine::file::FileError;
use othello_engine::random::{Generator, random_position};
use othello_engine::search::{Search, Strength};
use tree_search::Tree;

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
fn a_game_is_played_to_its_end() {
    let score = search::play(&Evaluator::from(Mobility)).unwrap();
    assert!(score.abs() <= 64 && score % 2 == 0, "{score}");
}

#[test]
fn a_tree_proves_the_last_moves() {
    let evaluator = Evaluator::from(Mobility);
    let solve = Search::new(&evaluator).strength(Strength::PERFECT);
    // At this temperature, all priors are nearly equal, so the search soon tries bad moves as well.
    const HOT: f64 = 1e3;
    let mut random = Generator::new(5);
    let positions = (0..40).map(|number| random_position(&mut random, 7 + number % 2));
    for position in positions.filter(|position| position.moves() != 0) {
        let mut tree = Tree::new(&evaluator, HOT).unwrap();
        let any = tree.search(&position, 3);
        assert!(Square::all().any(|square| position.play(square) == Some(any)));
        let after = tree.search(&position, u32::MAX);
        let [before, after] = [position, after].map(|one| solve.find(&one).unwrap().value);
        assert_eq!(-after, before, "{position:?}");
    }
}
