use super::super::tests::{WithModels, minimax, negamax, positions, searcher};
use super::super::{Limits, Pruning};
use super::*;
use crate::eval::Models;

fn likely(probability: impl Fn(usize) -> f64) -> WithModels {
    let all: Vec<f64> = (0..Realization::COUNT).map(probability).collect();
    let realization = Some(Realization::new(&all).unwrap());
    WithModels(Models { realization, ..Models::NONE })
}

fn in_no_order() -> WithModels {
    likely(|number| (1 + number * 7 % 6) as f64 / 16.0)
}

fn by_probability(evaluator: &WithModels, clusters: usize) -> Searcher<'_, WithModels> {
    let pruning = Pruning::by_probability(evaluator).unwrap();
    searcher(evaluator, clusters).with_pruning(pruning)
}

/// A search to depth D ends a line once the product of its moves' probabilities is 4^−D. So if all
/// moves have probability 1/2, the search must equal negamax to depth 2 D.
#[test]
fn where_all_moves_are_equally_likely_values_are_those_of_negamax() {
    let half = likely(|_| 0.5);
    let evenly = searcher(&half, 500).with_pruning(Pruning::by_even_probability());
    let mut searchers = [by_probability(&half, 1), by_probability(&half, 5000), evenly];
    for position in positions(21, 150, 6..60) {
        for depth in [2, 0, 1] {
            let expected = negamax(&position, 2 * depth);
            for searcher in &mut searchers {
                searcher.new_game();
                let found = searcher.search(&position, depth);
                assert_eq!((found.value, found.depth), (expected, depth), "{position:?}");
                if let (Some(square), 1..) = (found.best, depth) {
                    let child = position.play(square).unwrap();
                    assert_eq!(-negamax(&child, 2 * depth - 1), expected, "{position:?} {depth}");
                }
            }
        }
    }
}

#[test]
fn certain_moves_are_searched_to_the_end_of_the_game() {
    let certain = likely(|_| 1.0);
    let mut searcher = by_probability(&certain, 500);
    for position in positions(22, 60, 3..9) {
        searcher.new_game();
        let found = searcher.search(&position, 1);
        assert_eq!(found.value, Value::from_score(minimax(&position)), "{position:?}");
    }
}

/// The search ends a line of probability p once −4 log₂ p reaches 200, so at p = 2^−50. A line of
/// up to 7 moves, each of probability 1/16 or more, has a probability of at least 2^−28. So the
/// search must take every line to the end of the game.
#[test]
fn a_threshold_near_0_finds_what_minimax_finds() {
    let likely = in_no_order();
    let costs = Pruning::by_probability(&likely).unwrap().costs.unwrap();
    let most = costs.iter().flatten().copied().max().unwrap();
    assert_eq!(most, 16, "-4 log2 of 1/16");
    for clusters in [1, 5000] {
        let mut searcher = by_probability(&likely, clusters);
        for position in positions(23, 60, 2..8) {
            searcher.new_game();
            let bounds = (-Value::INFINITE, Value::INFINITE);
            let best = searcher.realized(&position, &(), bounds, 200, None);
            assert_eq!(best.value, Value::from_score(minimax(&position)), "{position:?}");
        }
    }
}

/// Every search by realization probability has a node limit, because it would hardly end if the
/// model gave every move a probability near 1. With a plausible model, no search may reach it.
#[test]
fn a_search_ends_repeats_itself_and_counts_its_nodes_by_ply() {
    let likely = in_no_order();
    let mut searcher = by_probability(&likely, 3000);
    for position in positions(28, 20, 20..50) {
        for depth in 1..=4 {
            searcher.new_game();
            let found = searcher.search(&position, depth);
            assert_eq!(found.depth, depth);
            assert!(found.nodes < 64 * 4_u64.pow(depth), "{found:?}");
            assert_eq!(searcher.nodes_by_ply.iter().sum::<u64>(), found.nodes, "{position:?}");
            assert!(searcher.nodes_by_ply[position.ply() as usize] > 0);
            searcher.new_game();
            assert_eq!(searcher.search(&position, depth), found);
        }
    }
}

#[test]
fn a_limit_ends_a_search_with_what_the_depth_before_found() {
    let likely = in_no_order();
    let mut searcher = by_probability(&likely, 3000);
    for position in positions(25, 10, 30..40) {
        searcher.new_game();
        let limits = Limits { nodes: Some(2000), ..Limits::default() };
        let ended = searcher.search_within(&position, 20, &limits);
        assert!((1..20).contains(&ended.depth), "{ended:?}");
        searcher.new_game();
        let found = searcher.search(&position, ended.depth);
        assert_eq!((found.value, found.best), (ended.value, ended.best), "{position:?}");
    }
}

#[test]
fn a_search_by_probabilities_that_cannot_be_ends_all_the_same() {
    // An impossible model: the probabilities of all moves of a position should total 1.
    let forged = likely(|_| 60_000.0 / 65_535.0);
    let mut searcher = by_probability(&forged, 3000);
    for position in positions(27, 5, 30..50) {
        for (depth, nodes) in [(1, None), (3, None), (31, Some(1000))] {
            searcher.new_game();
            let limits = Limits { nodes, ..Limits::default() };
            let found = searcher.search_within(&position, depth, &limits);
            assert!(found.best.is_some() && found.depth <= depth, "{found:?}");
            assert!(found.nodes < 200_000, "{found:?}");
        }
    }
}

#[test]
fn a_search_by_depth_takes_nothing_over_from_one_by_probability() {
    let likely = in_no_order();
    let mut searcher = by_probability(&likely, 3000);
    for position in positions(26, 40, 9..14) {
        searcher.new_game();
        searcher.search(&position, 4);
        let mut by_depth = searcher.with_pruning(Pruning::default());
        assert_eq!(by_depth.search(&position, 4).value, negamax(&position, 4), "{position:?}");
        let score = by_depth.solve(&position).value.score();
        assert_eq!(by_depth.solve(&position).value.score(), score);
        searcher = by_depth.with_pruning(Pruning::by_probability(&likely).unwrap());
    }
}

#[test]
fn the_first_moves_of_a_game_are_of_one_kind_but_for_their_rank() {
    let likely = in_no_order();
    let kinds = by_probability(&likely, 1).move_kinds(&Position::START, None, None);
    let names: Vec<String> = kinds.iter().map(|(square, _)| square.to_string()).collect();
    assert_eq!(names, ["d3", "c4", "f5", "e6"]);
    let first = MoveKind {
        rank: Rank::after(0),
        memory: Memory::Nothing,
        place: Place::Inner,
        gives_corner: false,
        answers: false,
        flips_few: true,
        leaves_fewest: true,
    };
    for (number, (_, kind)) in kinds.into_iter().enumerate() {
        assert_eq!(kind, MoveKind { rank: Rank::after(number), ..first });
    }
}

/// In the tested position, black's move b2 flips c3 and opens the corner a1 to white. Black's move
/// h4 flips 3 discs.
#[test]
fn traits_are_those_of_the_board() {
    let square = |name: &str| name.parse::<Square>().unwrap();
    let discs = |names: &[&str]| names.iter().map(|name| square(name).bit()).sum::<u64>();
    let player = discs(&["d4"]);
    let opponent = discs(&["c3", "e4", "f4", "g4", "e5"]);
    let position = Position::new(player, opponent).unwrap();
    let likely = in_no_order();
    let searcher = by_probability(&likely, 1);
    let kinds = searcher.move_kinds(&position, Some(square("c3")), Some(square("h4")));
    let kind = |name: &str| kinds.iter().find(|(one, _)| *one == square(name)).unwrap().1;
    let x = kind("b2");
    assert_eq!((x.place, x.answers, x.flips_few), (Place::XSquare, true, true));
    // White can then move to a1: black's b2, c3 and d4 are between a1 and white's e5.
    assert!(x.gives_corner);
    assert_eq!(x.memory, Memory::Another);
    let edge = kind("h4");
    assert_eq!((edge.place, edge.answers, edge.flips_few), (Place::Edge, false, false));
    assert!(!edge.gives_corner);
    assert_eq!(edge.memory, Memory::Best);
    for (name, place) in
        [("a1", Place::Corner), ("g7", Place::XSquare), ("a7", Place::CSquare), ("a3", Place::Edge)]
    {
        assert_eq!(place_of(square(name)), place);
    }
    assert_eq!(with_neighbours(square("a1").bit()), discs(&["a1", "a2", "b1", "b2"]));
    assert_eq!(with_neighbours(discs(&["h5"])), discs(&["h4", "g4", "h5", "g5", "g6", "h6"]));
}
