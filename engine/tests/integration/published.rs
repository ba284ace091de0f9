//! Tests of published endgame problems, with their scores and a best move of each, and of positions
//! of the strong test.

use std::collections::HashMap;
use std::path::Path;

use othello_engine::board::obf::Problem;
use othello_engine::eval::Mobility;
use othello_engine::record::GameReader;
use othello_engine::search::Searcher;

use crate::folder;

fn solve_all(name: &str, count: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/problems").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let problems: Vec<Problem> = text.lines().map(|line| line.parse().unwrap()).collect();
    let report = folder().json(&format!("solve {} --hash-mb 64", path.display()));
    assert_eq!(report["wrong"], 0);
    let solved = report["positions"].as_array().unwrap();
    assert_eq!((problems.len(), solved.len()), (count, count));
    for (problem, solved) in problems.iter().zip(solved) {
        let score = problem.moves.iter().filter_map(|&(_, score)| score).max();
        assert_eq!(solved["score"].as_i64(), score.map(i64::from), "{solved}");
        let best = problem.moves.iter().filter(|&&(_, of_move)| of_move == score);
        let best: Vec<String> = best.map(|(square, _)| square.to_string()).collect();
        assert!(best.iter().any(|square| solved["best"] == **square), "{solved}: not {best:?}");
    }
}

#[test]
fn fforum_1_to_19_are_solved() {
    solve_all("fforum-1-19.obf", 19);
}

/// The hard part has every legal move of positions of the strong test, each half of its own, and
/// the best of their scores is the score that the game has there.
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

/// The scores of the strong test are those that a search with the mobility evaluation finds.
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

#[test]
fn fforum_40_to_42_are_solved() {
    solve_all("fforum-40-42.obf", 3);
}
