//! Tests of the scores that the files in `datasets/benchmark` state.

use std::collections::HashMap;
use std::path::Path;

use othello_engine::board::StatedPosition;
use othello_engine::eval::Mobility;
use othello_engine::record::GameReader;
use othello_engine::search::Search;

/// A position's score in the set `strong` must be the best move's score in `strong-hard`.
#[test]
fn the_strong_test_has_exact_scores_and_its_hard_part_agrees() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/benchmark");
    let mut searcher = Search::new(&Mobility).hash_mb(16).searcher().unwrap();
    for half in ["validation", "test"] {
        let games = GameReader::open(&folder.join(format!("strong.{half}.games"))).unwrap();
        let mut scores = HashMap::new();
        for (number, game) in games.enumerate() {
            let game = game.unwrap();
            let solved = usize::from(game.solved().unwrap().ply);
            assert!(60 - solved <= 24);
            let steps = game.replay().steps;
            for (ply, (step, value)) in steps.iter().zip(game.values().unwrap()).enumerate() {
                let value = value.map(i32::from);
                scores.insert(step.position, value);
                if number % 20 == 0 && ply >= solved && step.position.empties() <= 13 {
                    assert_eq!(value, Some(searcher.solve(&step.position).value.score()));
                }
            }
        }
        let text = std::fs::read_to_string(folder.join(format!("strong-hard.{half}.obf"))).unwrap();
        assert_eq!(text.lines().count(), 150);
        for line in text.lines() {
            let StatedPosition { position, moves, .. } = line.parse().unwrap();
            assert_eq!(position.empties(), 24);
            let stated = moves.iter().fold(0, |squares, (square, _)| squares | square.bit());
            assert_eq!(stated, position.moves(), "{line}");
            assert!(moves.is_sorted_by(|one, next| one.1 >= next.1), "{line}");
            assert_eq!(scores[&position], Some(moves[0].1), "{line}");
        }
    }
}
