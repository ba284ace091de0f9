//! The selectivity ladder: ProbCut endgame searches at rising confidence before an exact solve.
//!
//! The score of the last ladder search is the center of the exact search's first window. The exact
//! search first tries the best moves that ladder searches stored, but uses none of their bounds.

use std::sync::Arc;

use super::super::probcut::{ProbCutSettings, Selectivity};
use super::super::window::Best;
use super::super::{Features, Searcher};
use crate::board::Position;
use crate::eval::{Evaluate, Value};
use crate::simd::Instructions;

/// The ProbCut confidences of the ladder's searches, in order. With other confidences, exact solves
/// of three test suites search more nodes: 1 to 3 % more with 73 % alone, 2 to 19 % more with 95 or
/// 99 % alone, 5 to 8 % more with the four confidences 73, 87, 95 and 99 %.
const CONFIDENCES: [Selectivity; 2] = [Selectivity::Percent73, Selectivity::Percent87];

/// The least number of empty squares at which a ladder of ProbCut searches precedes an exact solve.
/// With 12 or 18 instead, solves take as many nodes.
const LADDER_EMPTIES: u32 = 16;

fn rungs(evaluator: &impl Evaluate) -> Arc<[ProbCutSettings]> {
    let rungs = CONFIDENCES.into_iter().map(|one| ProbCutSettings::of_end(evaluator, one));
    rungs.flatten().map(|rung| ProbCutSettings { is_rung: true, ..rung }).collect()
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Runs the ladder's searches. Returns the score of the last completed search, rounded down to
    /// an even number like all exact scores, or `guess` if no search is completed.
    pub(super) fn climb_selectivity_ladder(
        &mut self,
        position: &Position,
        state: &E::State,
        mut guess: Value,
    ) -> Value {
        let Features { selectivity_ladder, transposition_table, null_windows, .. } = self.features;
        // Without null windows, ProbCut prunes nothing; without the table, no moves are passed on.
        let is_useful = selectivity_ladder && transposition_table && null_windows;
        let is_exact = self.endgame_probcut.selectivity == Selectivity::Full;
        if !is_useful || !is_exact || position.empties() < LADDER_EMPTIES {
            return guess;
        }
        let evaluator = self.evaluator;
        let ladder = Arc::clone(self.ladder.get_or_insert_with(|| rungs(evaluator)));
        let exact = self.endgame_probcut.clone();
        for rung in &*ladder {
            self.endgame_probcut = rung.clone();
            let Best { value, .. } = self.endgame_around(position, state, guess);
            if self.is_stopped() {
                break;
            }
            guess = Value::from_score(value.score().div_euclid(2) * 2);
        }
        self.endgame_probcut = exact;
        guess
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{searcher, with_predictions};
    use super::super::super::{Search, Strength};
    use super::*;
    use crate::board::StatedPosition;
    use crate::eval::Mobility;
    use crate::random::{Generator, random_position};
    use othello_testing::on_threads;

    const OFF: Features = Features { selectivity_ladder: false, ..Features::ALL };

    /// Positions with 16 empty squares, with the scores that an independent solver found.
    const SOLVED: [&str; 6] = [
        "X-OOXOOOXO-OXXX-OXOOOXXX-XOOOOXO-OOXOOXOOOOOOXX--XOO--XOX------- X 16",
        "-X-OX-OOX-XOXOOXOOOXOXOX-OOOXOO--XOXXOOOOXXXXOOO-XXXX-X-----X--X X -24",
        "-XXXX---XXXXXO-OOXXOXOO-OXOOOOOOOOOXXOOOOX-O-OOOOX-XOX-O----XO-- X 10",
        "-O-XXXXOXXOX-XXOOXXOOOXO--XXOXXX-XXOOOOO--OXOOOO-XOOX-XX-----X-X X -2",
        "O-O-XO-OOO-OXXO-XOXXOOOO--OOXOOOX-OOOXOO-X-OOOXOO-OOOOX--O---OXX X 16",
        "OOO-OOXX-OOOOOXX-OOXXXXO-OXOXOO--XXOXOOX--XOOOOO-OXOO-XXO--O---- X 12",
    ];

    #[test]
    fn the_ladder_changes_nodes_and_no_score() {
        let evaluator = with_predictions();
        let mut nodes = [0; 2];
        for line in SOLVED {
            let StatedPosition { position, score, .. } = line.parse().unwrap();
            let solve = |features, threads: usize| {
                let search = Search::new(&evaluator).hash_mb(1).features(features);
                let search = search.strength(Strength::PERFECT).threads(threads);
                let solution = on_threads(threads, || search.find(&position).unwrap());
                assert_eq!(Some(solution.value.discs()), score, "{line}");
                solution.nodes
            };
            nodes = [nodes[0] + solve(Features::ALL, 1), nodes[1] + solve(OFF, 1)];
            solve(Features::ALL, 2);
        }
        assert_ne!(nodes[0], nodes[1]);
    }

    #[test]
    fn there_is_no_ladder_below_16_empty_squares_and_without_a_model() {
        let (evaluator, mut random) = (with_predictions(), Generator::new(29));
        let [few, many] = [15, 17].map(|empties| random_position(&mut random, empties));
        let solve = |features| {
            let search = Search::new(&evaluator).hash_mb(1).features(features);
            let few = search.searcher().unwrap().solve(&few);
            (few, searcher(&Mobility, 1 << 12).with_features(features).solve(&many))
        };
        assert_eq!(solve(Features::ALL), solve(OFF));
    }
}
