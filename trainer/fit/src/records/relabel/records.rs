//! Gives exact scores and new search values to one game, or a new label to one position.

use std::collections::BTreeMap;

use othello_engine::board::transcript::Replay;
use othello_engine::board::{Discs, Position, Side, Square};
use othello_engine::eval::Evaluate;
use othello_engine::record::{Game, Label, ScoredPosition, Solved};
use othello_engine::run::size;
use othello_engine::search::Searcher;
use serde::Serialize;

use super::{Relabel, Settings};

impl Relabel for Game {
    fn at_once(settings: &Settings) -> usize {
        match settings.search {
            Some(_) => 1,
            None => (16 >> (settings.exact / 2).min(4)).max(1),
        }
    }

    fn to_solve(&self, settings: &Settings, most_empties: u32) -> Vec<Position> {
        let (replay, first) = (self.replay(), settings.first_exact(self));
        let plies = first.max(60 - most_empties.min(60) as usize)..=replay.steps.len();
        plies.map(|ply| reached(&replay, ply).0).collect()
    }

    /// Returns the game with exact scores from ply `first_exact` on. Keeps an exact score that is
    /// stored for an earlier ply.
    fn relabelled<E: Evaluate>(
        &self,
        settings: &Settings,
        known: &[Option<i8>],
        searcher: &mut Searcher<'_, E>,
    ) -> Self {
        let (replay, first) = (self.replay(), settings.first_exact(self));
        let mut values = settings.search(self, &replay, searcher);
        let mut solved = self.solved().filter(|solved| usize::from(solved.ply) < first);
        let mut next = None;
        // The last score in `known` is that of the final position.
        let first_known = replay.steps.len() + 1 - known.len().min(replay.steps.len() + 1);
        for ply in first..=replay.steps.len() {
            let (position, side, played) = reached(&replay, ply);
            let found = ply.checked_sub(first_known).and_then(|at| *known.get(at)?);
            let (score, best) = match (next, found) {
                // The last move was a best one, so this position has the same score.
                (Some(black_score), _) => (black_score * side.sign(), None),
                (None, Some(score)) => (Discs::from(score), None),
                (None, None) => solve(&position, searcher),
            };
            let black_score = score * side.sign();
            solved = solved.or(Some(Solved { ply: ply as u8, black_score }));
            if let Some(value) = values.get_mut(ply) {
                *value = Some(score as i8);
            }
            next = (best.is_some() && best == played).then_some(black_score);
        }
        let mut game = self.without_scores();
        if let Some(solved) = solved {
            game = game.with_solved(solved).expect("a position that the game reaches");
        }
        match values.iter().all(Option::is_none) {
            true => game,
            false => game.with_values(values).expect("one value for each move"),
        }
    }

    fn seconds(settings: &Settings) -> f64 {
        size::game(settings.seconds_of_search(), settings.exact)
    }

    fn count(changes: &mut Changes, settings: &Settings, before: &Self, after: &Self) {
        let first = settings.first_exact(after);
        let Some(exact) = exact_score(after, first) else { return };
        changes.solved += 1;
        let stated = before.solved().filter(|solved| usize::from(solved.ply) == first);
        changes.contradicted += u64::from(stated.is_some_and(|s| s.black_score != exact));
        if let Some(result) = before.black_score() {
            changes.count(f64::from(result), f64::from(exact));
        }
    }
}

impl Settings {
    /// Returns the first ply that gets an exact score. A game may be too short to reach this ply.
    fn first_exact(&self, game: &Game) -> usize {
        (60 - self.most_exact() as usize).max(usize::from(game.random_plies()))
    }

    fn search<E: Evaluate>(
        &self,
        game: &Game,
        replay: &Replay,
        searcher: &mut Searcher<'_, E>,
    ) -> Vec<Option<i8>> {
        let moves = replay.steps.len();
        let mut values = game.values().map_or_else(|| vec![None; moves], <[_]>::to_vec);
        let Some(search) = self.search else { return values };
        // From the game's solved position on, values are exact or missing, and are not replaced.
        let solved = game.solved().map_or(moves, |solved| usize::from(solved.ply));
        let end = self.first_exact(game).min(solved).min(moves);
        let searched = replay.steps[..end].iter().zip(&mut values);
        for (step, value) in searched.skip(usize::from(game.random_plies())) {
            searcher.new_game();
            let found = search.find(searcher, &step.position);
            *value = Some(found.value.nearest_disc() as i8);
        }
        values
    }
}

fn reached(replay: &Replay, ply: usize) -> (Position, Side, Option<Square>) {
    match replay.steps.get(ply) {
        Some(step) => (step.position, step.side, Some(step.square)),
        None => (replay.end, replay.side, None),
    }
}

fn solve<E: Evaluate>(
    position: &Position,
    searcher: &mut Searcher<'_, E>,
) -> (Discs, Option<Square>) {
    if position.moves() == 0 {
        // Neither side can move: if one could, it would be the player.
        return (position.score(), None);
    }
    searcher.new_game();
    let solution = searcher.solve(position);
    (solution.value.score(), solution.best)
}

/// Returns black's exact score at `ply`, from the game's solved position or else from the value of
/// the move at `ply` (which must be exact); `None` if neither is stored.
fn exact_score(game: &Game, ply: usize) -> Option<Discs> {
    if let Some(solved) = game.solved().filter(|solved| usize::from(solved.ply) == ply) {
        return Some(solved.black_score);
    }
    let value = (*game.values()?.get(ply)?)?;
    Some(Discs::from(value) * game.replay().steps.get(ply)?.side.sign())
}

/// The comparison of game results, or of position labels, with scores under perfect play.
#[derive(Clone, PartialEq, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Changes {
    /// The number of solved positions; for games, the number of games with a solved position.
    pub solved: u64,
    /// The number of old values that were compared with an exact score: for games, results of
    /// finished games with a solved position; for positions, labels of solved positions.
    pub results: u64,
    /// The number of compared results or labels that differ from the exact score. The exact score
    /// of a game is that of the first position that relabelling solves.
    pub changed: u64,
    /// The number of compared results or labels that have another winner than the exact score has.
    /// A draw differs from a win.
    pub other_winner: u64,
    /// The number of games whose first solved position had a different exact score before.
    pub contradicted: u64,
    /// The number of compared results or labels by the size of the change, rounded to whole discs
    /// (the key). Key 0 counts those that change by less than half a disc or not at all.
    pub by_discs: BTreeMap<u32, u64>,
    #[serde(skip)]
    discs: f64,
}

impl Changes {
    fn count(&mut self, before: f64, exact: f64) {
        let winner = |discs: f64| discs.partial_cmp(&0.0);
        let discs = (before - exact).abs();
        self.results += 1;
        *self.by_discs.entry(discs.round() as u32).or_default() += 1;
        self.discs += discs;
        self.changed += u64::from(before != exact);
        self.other_winner += u64::from(winner(before) != winner(exact));
    }

    /// Returns the mean of |old result or label − exact score| in discs; `None` if there are none.
    pub fn mean_discs(&self) -> Option<f64> {
        (self.results > 0).then(|| self.discs / self.results as f64)
    }
}

impl Relabel for ScoredPosition {
    fn at_once(settings: &Settings) -> usize {
        const NODES: u64 = 1 << 16;
        let nodes = settings.search.and_then(|search| search.nodes);
        let by_nodes = nodes.map_or(1024, |nodes| (NODES / nodes.max(1)).min(1024)) as usize;
        (1024 >> (settings.most_exact() / 2).min(10)).min(by_nodes).max(1)
    }

    fn to_solve(&self, settings: &Settings, most_empties: u32) -> Vec<Position> {
        let position = self.position();
        let is_asked = settings.is_solved(self) && position.empties() <= most_empties;
        is_asked.then_some(position).into_iter().collect()
    }

    fn relabelled<E: Evaluate>(
        &self,
        settings: &Settings,
        known: &[Option<i8>],
        searcher: &mut Searcher<'_, E>,
    ) -> Self {
        let label = match known {
            [Some(score)] => Label::of_score(Discs::from(*score)),
            _ => settings.label(self, searcher),
        };
        let label = label.unwrap_or(self.label());
        Self::new(self.position(), label, self.weight())
    }

    fn seconds(settings: &Settings) -> f64 {
        1e-6 + settings.seconds_of_search().max(size::solve(settings.exact))
    }

    fn count(changes: &mut Changes, settings: &Settings, before: &Self, after: &Self) {
        if settings.is_solved(before) {
            changes.solved += 1;
            changes.count(before.label().discs(), after.label().discs());
        }
    }
}

impl Settings {
    fn is_solved(&self, position: &ScoredPosition) -> bool {
        position.position().empties() <= self.most_exact()
    }

    fn label<E: Evaluate>(
        &self,
        scored: &ScoredPosition,
        searcher: &mut Searcher<'_, E>,
    ) -> Option<Label> {
        let position = scored.position();
        searcher.new_game();
        if self.is_solved(scored) {
            return Label::of_score(searcher.solve(&position).value.score());
        }
        let value = self.search?.find(searcher, &position).value;
        Label::of_discs(value.discs())
    }
}
