//! Openings near even, to begin matches from.

use std::collections::BTreeMap;

use crate::board::transcript::Replay;
use crate::board::{Discs, Position, Square, Squares};
use crate::eval::{Evaluate, Value};
use crate::progress::{Interrupted, Progress, Silent};
use crate::random::Generator;
use crate::search;

/// The openings that count as even.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Balance {
    /// The ply at which they stand.
    pub plies: u32,
    /// The depth of the searches that decide.
    pub depth: u32,
    /// The largest value, either way.
    pub within: Discs,
    /// The number of openings that is enough; without it all are looked for.
    pub count: Option<usize>,
    /// The seed that decides which of all openings are looked at first.
    pub seed: u64,
}

/// Searches to these depths come first: what they find further from even than the discs beside them, and the
/// limit, is not searched deeply.
const FIRST_SEARCHES: [(u32, Discs); 2] = [(4, 4), (8, 2)];

/// Positions that are searched between two looks at whether the work is to stop.
const AT_ONCE: usize = 256;

impl Balance {
    /// The openings, unique up to symmetry: one game that leads to each, in the order of the moves.
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

    /// The games, of those given, that end near even.
    fn even<E: Evaluate>(&self, games: Vec<Vec<Square>>, evaluator: &E) -> Vec<Vec<Square>> {
        let first = FIRST_SEARCHES.into_iter().filter(|&(depth, _)| depth < self.depth);
        first.chain([(self.depth, 0)]).fold(games, |games, (depth, margin)| {
            let limit = Value::from_score(self.within + margin);
            let ends: Vec<Position> = games.iter().map(|game| end(game)).collect();
            let values = search::values(&ends, evaluator, depth, &Silent);
            let near = |value: &Value| -limit <= *value && *value <= limit;
            games
                .into_iter()
                .zip(values)
                .filter(|(_, value)| near(value))
                .map(|(game, _)| game)
                .collect()
        })
    }
}

/// A game to every position of a ply, one for all its images: the first of them in the order of squares.
fn games(plies: u32) -> Vec<Vec<Square>> {
    let mut found = vec![vec![]];
    for _ in 0..plies {
        let mut next = BTreeMap::new();
        for game in &found {
            for square in Squares(end(game).moves()) {
                let longer = [&game[..], &[square]].concat();
                next.entry(end(&longer).canonical()).or_insert(longer);
            }
        }
        found = next.into_values().collect();
        found.sort_unstable();
    }
    // Nobody can begin where the game is over.
    found.retain(|game| end(game).moves() != 0);
    found
}

/// The position after legal moves from the start.
fn end(game: &[Square]) -> Position {
    Replay::from_start(game).map_or(Position::START, |replay| replay.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::transcript::parse;
    use crate::eval::{Evaluator, Mobility};
    use crate::openings::enumerate;
    use crate::progress::Silent;

    #[test]
    fn one_game_leads_to_every_opening() {
        for plies in 0..=6 {
            let games = games(plies);
            let mut ends: Vec<Position> = games.iter().map(|game| end(game).canonical()).collect();
            ends.sort_unstable();
            assert_eq!(ends, enumerate(plies, &Silent)[plies as usize]);
        }
    }

    #[test]
    fn openings_are_those_that_the_deep_search_finds_near_even() {
        let all = Balance { plies: 5, depth: 5, within: 1, count: None, seed: 1 };
        let found = all.openings(&Mobility, &Silent).unwrap();
        let value = |game: &[Square]| search::values(&[end(game)], &Mobility, 5, &Silent)[0];
        let even = |game: &Vec<Square>| value(game).discs().abs() <= 1.0;
        assert!(found.iter().all(even) && found.is_sorted());
        // None was lost by the first search but those it finds far off.
        let expected = games(5).into_iter().filter(even).count();
        assert!(found.len() * 10 >= expected * 9 && found.len() < 322, "{}", found.len());
        let some = Balance { count: Some(10), ..all }.openings(&Mobility, &Silent).unwrap();
        assert!(some.len() == 10 && some.iter().all(|game| found.contains(game)));
        let others = Balance { count: Some(10), seed: 2, ..all }.openings(&Mobility, &Silent);
        assert_ne!(others.unwrap(), some);
    }

    /// `datasets/openings/` says of its openings that they are so.
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
        // The deep searches took minutes. Shallow ones, and those by weights to come, may see it a little otherwise.
        let values = search::values(&ends[..200], &Evaluator::embedded(), 4, &Silent);
        let far = values.iter().filter(|value| value.discs().abs() > 6.0).count();
        assert!(far <= 10, "{far} of 200");
        ends.sort_unstable();
        ends.dedup();
        assert_eq!(ends.len(), lines.len());
    }
}
