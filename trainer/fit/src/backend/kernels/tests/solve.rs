//! Compares the scores of the solving kernel with those of the engine and of brute force.

use othello_engine::board::Discs;
use othello_engine::random::random_game;
use othello_engine::search::Search;

use super::super::solve::MOST_EMPTIES;
use super::*;
use crate::backend::{SolveMany as _, Solved};
use crate::records::tests::score_by_brute_force;

fn solver<L: Bring>(program: &Program) -> KernelSolver<L> {
    KernelSolver::new(L::bring(program, None))
}

fn ends(games: u64, most_empties: u32) -> Vec<Position> {
    let positions = (0..games).flat_map(|number| {
        let replay = random_game(11, number, usize::MAX);
        let before = replay.steps.into_iter().map(|step| step.position);
        before.chain([replay.end]).flat_map(|position| [position, position.pass()])
    });
    positions.filter(|position| position.empties() <= most_empties).collect()
}

/// Returns random boards, reachable in a game or not. On many, one side has few discs or none.
fn odd_boards(count: usize, most_empties: u32) -> Vec<Position> {
    let mut random = Generator::new(12);
    let mut boards = vec![];
    while boards.len() < count {
        let mut empty = 0u64;
        for _ in 0..random.below(most_empties + 1) {
            empty |= 1 << random.below(64);
        }
        let bits = (0..random.below(5)).fold(u64::MAX, |bits, _| bits & random.next_u64());
        let [one, other] = [bits & !empty, !bits & !empty];
        let (player, opponent) = if random.below(2) == 0 { (one, other) } else { (other, one) };
        boards.extend(Position::new(player, opponent));
    }
    boards
}

fn scores(solver: &impl crate::backend::SolveMany, positions: &[Position]) -> Vec<Option<i8>> {
    solver.solve_many(positions, &Silent).unwrap().scores
}

pub(super) fn scores_are_those_of_the_engine<L: Bring>() {
    let solver = solver::<L>(&solver_program());
    let few = [ends(60, 5), odd_boards(400, 5)].concat();
    let passes = few.iter().filter(|position| position.moves() == 0 && !position.is_over());
    let over = few.iter().filter(|position| position.is_over());
    let one_sided = few.iter().filter(|p| p.player() == 0 || p.opponent() == 0);
    let kinds = [passes.count(), over.count(), one_sided.count()];
    assert!(kinds.iter().all(|&count| count > 30), "{kinds:?}");
    for (position, score) in few.iter().zip(scores(&solver, &few)) {
        assert_eq!(score.map(Discs::from), Some(score_by_brute_force(position)), "{position:?}");
    }
    let mut searcher = Search::new(&Mobility).hash_mb(1).searcher().unwrap();
    let more = [ends(12, 10), odd_boards(100, 12)].concat();
    for (position, score) in more.iter().zip(scores(&solver, &more)) {
        let expected = searcher.solve(position).value.score();
        assert_eq!(score.map(Discs::from), Some(expected), "{position:?}");
    }
}

#[test]
fn what_is_too_large_or_takes_too_long_has_no_score() {
    let mut narrow = solver::<HostLauncher>(&solver_program());
    narrow.most_steps = 300;
    let positions = ends(3, MOST_EMPTIES + 1);
    let large = positions.iter().filter(|position| position.empties() > MOST_EMPTIES).count();
    assert_eq!(large, 6);
    let solved = scores(&narrow, &positions);
    for (position, score) in positions.iter().zip(&solved) {
        match position.empties() {
            0..=4 => assert!(score.is_some(), "{position:?}"),
            13.. => assert_eq!(*score, None, "{position:?}"),
            _ => {}
        }
    }
    assert_eq!(scores(&narrow, &[]), []);
    // A stopped search must not affect the next search of the same thread.
    narrow.most_steps = u32::MAX;
    let Solved { scores, nodes, steps } = narrow.solve_many(&ends(3, 8), &Silent).unwrap();
    let mut searcher = Search::new(&Mobility).hash_mb(1).searcher().unwrap();
    for (position, score) in ends(3, 8).iter().zip(scores) {
        assert_eq!(score.map(Discs::from), Some(searcher.solve(position).value.score()));
    }
    assert!(nodes > 1000 && steps >= nodes / 2, "{nodes} nodes, {steps} steps");
}

#[test]
fn a_changed_search_is_noticed() {
    let positions = [ends(12, 7), odd_boards(60, 6)].concat();
    let right = scores(&solver::<HostLauncher>(&solver_program()), &positions);
    let changes = [
        ("return own + turned - 31;", "return own + turned - 32;"),
        ("0x0002040810204080ull << square", "0x0002040810200080ull << square"),
        ("node.passed ? node.best : -node.best", "-node.best"),
        ("node.full ? -node.beta : -alpha - 1", "-alpha - 1"),
        ("node->rest << 4 | rank_of(square, root_empty)", "node->rest"),
    ];
    for (from, to) in changes {
        let program = solver_program();
        let changed = program.with(from, to);
        assert_ne!(changed.sha256(), program.sha256(), "{from}");
        // If a change of the kernel makes a search endless, the limit on steps ends it.
        let mut solver = solver::<HostLauncher>(&changed);
        solver.most_steps = 1 << 12;
        assert_ne!(scores(&solver, &positions), right, "{from}");
    }
}
