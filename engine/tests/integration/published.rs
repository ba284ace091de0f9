//! Tests of the scores in `datasets/benchmark`; `tests/cmd/values.trycmd` has published problems.

use std::collections::HashMap;
use std::path::Path;

use othello_engine::board::obf::Problem;
use othello_engine::eval::Mobility;
use othello_engine::record::GameReader;
use othello_engine::search::Searcher;

/// The best of the stated scores of a position must equal its score in the strong test.
#[test]
fn the_hard_part_agrees_with_the_strong_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/benchmark");
    for half in ["validation", "test"] {
        let games = GameReader::open(&folder.join(format!("strong.{half}.games"))).unwrap();
        let mut scores = HashMap::new();
        for game in games {
            let game = game.unwrap();
            let steps = game.replay().steps;
            for (step, value) in steps.iter().zip(game.values().unwrap()) {
                scores.insert(step.position, value.map(i32::from));
            }
        }
        let text = std::fs::read_to_string(folder.join(format!("strong-hard.{half}.obf"))).unwrap();
        assert_eq!(text.lines().count(), 150);
        for line in text.lines() {
            let Problem { position, moves, .. } = line.parse().unwrap();
            assert_eq!(position.empties(), 24);
            let stated = moves.iter().fold(0, |squares, (square, _)| squares | square.bit());
            assert!(stated == position.moves() && moves.iter().all(|it| it.1.is_some()), "{line}");
            assert!(moves.is_sorted_by(|one, next| one.1 >= next.1), "{line}");
            assert_eq!(scores[&position], moves[0].1, "{line}");
        }
    }
}

#[test]
fn the_strong_test_has_exact_scores() {
    let mut searcher = Searcher::new(&Mobility, 16);
    for half in ["validation", "test"] {
        let name = format!("../datasets/benchmark/strong.{half}.games");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        for (number, game) in GameReader::open(&path).unwrap().enumerate() {
            let game = game.unwrap();
            let solved = game.solved().unwrap();
            assert!(60 - u32::from(solved.ply) <= 24);
            let values = game.values().unwrap();
            let steps = game.replay().steps;
            for (step, value) in steps.iter().zip(values).skip(usize::from(solved.ply)) {
                if number % 20 == 0 && step.position.empties() <= 13 {
                    let score = searcher.solve(&step.position).score;
                    assert_eq!(value.map(i32::from), Some(score));
                }
            }
        }
    }
}
