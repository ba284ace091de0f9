//! Tests of the examples: they run and print the expected results.

#[path = "../../examples/evaluate.rs"]
#[allow(dead_code, reason = "an example's main is not called")]
mod evaluate;
#[path = "../../examples/search.rs"]
#[allow(dead_code, reason = "an example's main is not called")]
mod search;
#[path = "../../examples/solve.rs"]
#[allow(dead_code, reason = "an example's main is not called")]
mod solve;
#[path = "../../testing/examples/textbook/main.rs"]
#[allow(dead_code, reason = "an example's main is not called")]
mod textbook;

use othello_engine::board::notation::BoardLine;
use othello_engine::board::{Position, Square};
use othello_engine::eval::{Evaluator, Mobility, WeightsError, Zero};
use othello_engine::file::FileError;
use othello_engine::random::{Generator, random_position};
use othello_engine::search::{Search, Strength};
use textbook::line_board::{LINES, LineBoard, Rules};
use textbook::plain_search::{COMPARISONS, Form, Plain, Shape, forms, play};
use textbook::stoner::{PATIENCE, Stoners, Trap};
use textbook::tree_search::Tree;

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

/// The score of the problem is published; the value at a depth is that of the engine's search.
#[test]
fn every_textbook_form_finds_the_same_value() {
    let problem: BoardLine = solve::BOARD.parse().unwrap();
    let start = Position::START.play("f5".parse().unwrap()).unwrap();
    let value = Search::new(&Mobility).depth(5).find(&start).unwrap().value.steps();
    for comparison in COMPARISONS {
        for (name, form) in forms(comparison).unwrap() {
            let found = Plain::new(&Mobility, form).search(&start, 5).0;
            assert_eq!(found, value, "{comparison}, {name}");
            // Short keys take one position for another.
            if comparison != "keys" {
                let found = Plain::new(&Zero, form).search(&problem.position, 60).0;
                assert_eq!(found, 18 * 32, "{comparison}, {name}");
            }
        }
    }
}

/// A regression: the search of the last moves did not return a best move, so that no player moved.
#[test]
fn every_form_plays_a_game_to_its_end() {
    for comparison in ["game", "ages"] {
        for (name, form) in forms(comparison).unwrap() {
            let (score, _) = play(&Mobility, form, 2, 6);
            assert!(score.abs() <= 64 && score % 2 == 0, "{name}: {score}");
        }
    }
}

#[test]
fn a_table_that_compares_a_bit_takes_one_position_for_another() {
    let problem: BoardLine = solve::BOARD.parse().unwrap();
    let mistaken = |key_bits| {
        let shape = Shape { key_bits, ..Shape::SMALL };
        let mut plain = Plain::new(&Zero, Form { table: Some(shape), ..Form::USUAL });
        plain.search(&problem.position, 60);
        plain.effort().mistaken
    };
    assert!(mistaken(Some(1)) > 0);
    assert_eq!(mistaken(None), 0);
}

/// The published numbers of leaves of the first plies.
#[test]
fn a_board_of_lines_counts_the_published_leaves() {
    let rules = Rules::new();
    let board = LineBoard::new(&rules, &Position::START);
    assert_eq!(rules.squares_of.len(), LINES);
    assert_eq!([1, 2, 3, 4, 5, 6].map(|ply| board.leaves(ply)), [4, 12, 56, 244, 1396, 8200]);
    let other = LineBoard::new(&rules, &Position::START.play("f5".parse().unwrap()).unwrap());
    assert_ne!(board.hash_by_17(), other.hash_by_17());
}

/// It is published that a game of 13 plies cannot be avoided, and that none is shorter.
#[test]
fn the_shortest_stoner_is_the_published_one() {
    assert_eq!(Stoners::of(12).unwrap().counts, [[0; PATIENCE + 1]; 2]);
    let game = ["e6", "d6", "c6", "d7", "c8", "b6", "c7", "f7", "f6", "e8", "f8", "g8", "b7"];
    let end = game
        .iter()
        .fold(Position::START, |position, square| position.play(square.parse().unwrap()).unwrap());
    let found = Trap::all().unwrap().iter().find_map(|trap| trap.patience(&end));
    assert_eq!(found, Some(0));
}

/// A tree search until the root is proven returns a perfect move; one with a few simulations
/// returns some legal move.
#[test]
fn a_tree_proves_the_last_moves() {
    let evaluator = Evaluator::from(Mobility);
    let solve = Search::new(&evaluator).strength(Strength::PERFECT);
    // At this temperature all moves are equally likely, so that even bad ones are tried soon.
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
