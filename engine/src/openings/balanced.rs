//! The choice of nearly even openings, from which matches start.

use super::OpeningTree;
use crate::board::transcript::Replay;
use crate::board::{Discs, Position, Square};
use crate::eval::{Evaluate, Value};
use crate::progress::{Interrupted, Progress, Silent};
use crate::random::Generator;
use crate::search::Search;

/// The criteria for nearly even openings, and the number of openings to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Balance {
    /// The number of plies of an opening.
    pub plies: u32,
    /// The depth of the search that decides whether an opening is nearly even.
    pub depth: u32,
    /// The greatest absolute value, in discs, that a nearly even opening can have.
    pub within: Discs,
    /// The number of openings to find; `None` for all.
    pub count: Option<usize>,
    /// The seed that determines the order in which openings are tried.
    pub seed: u64,
}

/// Shallower searches that reject openings early, to save time: the depth of each search, and the
/// number of discs by which the absolute value may exceed [`Balance::within`].
const FIRST_SEARCHES: [(u32, Discs); 2] = [(4, 4), (8, 2)];

const AT_ONCE: usize = 256;

impl Balance {
    /// Returns nearly even openings, each as a list of moves. The positions that they lead to are
    /// unique up to symmetry.
    pub fn openings<E: Evaluate>(
        &self,
        evaluator: &E,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<Square>>, Interrupted> {
        let mut games = games(self.plies);
        Generator::new(self.seed).shuffle(&mut games);
        let count = self.count.unwrap_or(games.len());
        progress.begin_stoppable("near even (openings)", 0, count.min(games.len()) as u64);
        let mut found: Vec<Vec<Square>> = vec![];
        for games in games.chunks(AT_ONCE) {
            progress.check()?;
            let even = self.even(games.to_vec(), evaluator);
            let wanted = even.len().min(count - found.len());
            found.extend(even.into_iter().take(wanted));
            let done = if self.count.is_some() { wanted } else { games.len() };
            progress.advance(done as u64);
            if found.len() == count {
                break;
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    #[expect(clippy::expect_used, reason = "as `Vec` does if memory is exhausted")]
    fn even<E: Evaluate>(&self, games: Vec<Vec<Square>>, evaluator: &E) -> Vec<Vec<Square>> {
        let first = FIRST_SEARCHES.into_iter().filter(|&(depth, _)| depth < self.depth);
        first.chain([(self.depth, 0)]).fold(games, |games, (depth, margin)| {
            let limit = Value::from_score(self.within + margin);
            let ends: Vec<Position> = games.iter().map(|game| end(game)).collect();
            let values = Search::new(evaluator).depth(depth).values(&ends, &Silent);
            let values = values.expect("memory for the transposition tables");
            let near = |(game, value)| (-limit <= value && value <= limit).then_some(game);
            games.into_iter().zip(values).filter_map(near).collect()
        })
    }
}

/// Returns, for each unfinished position of a ply (up to symmetry), one game that leads to it.
fn games(plies: u32) -> Vec<Vec<Square>> {
    let (plies, tree) = (plies as usize, OpeningTree::new(plies as usize));
    let game = |number| tree.replay(plies, number).steps.iter().map(|step| step.square).collect();
    (0..tree.count(plies)).map(game).collect()
}

fn end(game: &[Square]) -> Position {
    Replay::from_start(game).map_or(Position::START, |replay| replay.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::transcript::parse;
    use crate::eval::{Evaluator, Mobility};
    use crate::progress::Silent;

    #[test]
    fn openings_are_those_that_the_deep_search_finds_near_even() {
        let all = Balance { plies: 5, depth: 5, within: 1, count: None, seed: 1 };
        let found = all.openings(&Mobility, &Silent).unwrap();
        let search = Search::new(&Mobility).depth(5);
        let value = |game: &[Square]| search.values(&[end(game)], &Silent).unwrap()[0];
        let even = |game: &Vec<Square>| value(game).discs().abs() <= 1.0;
        assert!(found.iter().all(even) && found.is_sorted());
        // The shallower first searches may drop at most a tenth of the nearly even openings.
        let expected = games(5).into_iter().filter(even).count();
        assert!(found.len() * 10 >= expected * 9 && found.len() < 322, "{}", found.len());
        let some = Balance { count: Some(10), ..all }.openings(&Mobility, &Silent).unwrap();
        assert!(some.len() == 10 && some.iter().all(|game| found.contains(game)));
        let others = Balance { count: Some(10), seed: 2, ..all }.openings(&Mobility, &Silent);
        assert_ne!(others.unwrap(), some);
    }

    #[test]
    fn the_shipped_openings_are_legal_of_eight_plies_and_unique_up_to_symmetry() {
        let text = include_str!("../../../datasets/openings/balanced-8.txt");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() >= 5_000);
        let mut ends = vec![];
        for line in &lines {
            let replay = Replay::from_start(&parse(line).unwrap()).unwrap();
            assert!(replay.steps.len() == 8 && replay.end.moves() != 0, "{line}");
            ends.push(replay.end.canonical());
        }
        // Deep searches, which take minutes, chose these openings; so a shallow one may disagree.
        let evaluator = Evaluator::embedded();
        let values = Search::new(&evaluator).depth(4).values(&ends[..200], &Silent).unwrap();
        let far = values.iter().filter(|value| value.discs().abs() > 6.0).count();
        assert!(far <= 10, "{far} of 200");
        ends.sort_unstable();
        ends.dedup();
        assert_eq!(ends.len(), lines.len());
    }
}
