//! One game of self-play: random moves, then moves of a search, then exact play.

use super::{Beginnings, Settings};
use crate::board::transcript::Replay;
use crate::board::{Side, Square};
use crate::eval::Evaluate;
use crate::random::Generator;
use crate::record::{Game, Solved};
use crate::search::{Searcher, Strength};

/// The players of a game, each with its transposition table.
#[derive(Debug)]
pub struct Players<'s, 'a, E: Evaluate> {
    /// The player of black.
    pub black: &'s mut Searcher<'a, E>,
    /// The player of white; `None` if the player of black also plays white.
    pub white: Option<&'s mut Searcher<'a, E>>,
}

impl<'a, E: Evaluate> Players<'_, 'a, E> {
    fn new_game(&mut self) {
        self.black.new_game();
        if let Some(white) = &mut self.white {
            white.new_game();
        }
    }

    fn of(&mut self, side: Side) -> &mut Searcher<'a, E> {
        match (side, &mut self.white) {
            (Side::White, Some(white)) => white,
            _ => self.black,
        }
    }
}

/// Plays game `index` of a run. The game depends only on the index, the settings, the evaluations
/// and the size of the transposition tables.
pub fn play<E: Evaluate>(
    beginnings: &Beginnings<'_>,
    index: u64,
    players: &mut Players<'_, '_, E>,
) -> Game {
    play_together(beginnings, &[index], players).pop().expect("there is a game for each index")
}

/// Plays the games with these indices; the results are those of [`play`]. If searches are shallow,
/// plays the first move of all games, then the second of all, and so on: the weights of the
/// evaluation for one ply then stay in the processor's cache.
pub fn play_together<E: Evaluate>(
    beginnings: &Beginnings<'_>,
    indices: &[u64],
    players: &mut Players<'_, '_, E>,
) -> Vec<Game> {
    let begin = |&index| Underway::begin(beginnings, index);
    let mut games: Vec<Underway<'_>> = indices.iter().map(begin).collect();
    for ply in 0..60 {
        for game in games.iter_mut().filter(|game| game.replay.end.ply() == ply) {
            game.play_afresh(players);
        }
    }
    let finish = |mut game: Underway<'_>| {
        players.new_game();
        while game.replay.end.moves() != 0 {
            game.play_move(players);
        }
        game.finish()
    };
    games.into_iter().map(finish).collect()
}

struct Underway<'s> {
    settings: &'s Settings,
    replay: Replay,
    random_plies: u8,
    values: Vec<Option<i8>>,
    deviations: u64,
    solved: Option<Solved>,
    /// The greatest number of empty squares at which this game is played exactly.
    exact: u32,
    random: Generator,
}

impl<'s> Underway<'s> {
    fn begin(beginnings: &Beginnings<'s>, index: u64) -> Self {
        let settings = beginnings.settings;
        let replay = beginnings.of(index);
        let random_plies = replay.steps.len() as u8;
        let exact = settings.exact.draw(&mut stream(Purpose::PerfectPlay, settings.seed, index));
        Self {
            settings,
            values: vec![None; replay.steps.len()],
            replay,
            random_plies,
            deviations: 0,
            solved: None,
            exact,
            random: stream(Purpose::Exploration, settings.seed, index),
        }
    }

    fn endgame_empties(&self) -> u32 {
        self.settings.sides.of(self.replay.side).ends.most_empties().max(self.exact)
    }

    /// Plays the next move of this game, if searches are shallow and its endgame has not begun.
    /// Clears the transposition table before the search, so that games played together do not
    /// affect each other.
    fn play_afresh<E: Evaluate>(&mut self, players: &mut Players<'_, '_, E>) {
        let Self { settings, replay, .. } = self;
        let is_shallow = settings.searches_are_shallow()
            && replay.end.moves() != 0
            && replay.end.empties() > self.endgame_empties();
        if !is_shallow {
            return;
        }
        if let Some(only) = self.forced_move() {
            let played = self.drawn(only, players.of(self.replay.side));
            self.push(played, None);
            return;
        }
        players.new_game();
        self.play_move(players);
    }

    fn forced_move(&self) -> Option<Square> {
        let Self { settings, replay, .. } = self;
        let (moves, empties) = (replay.end.moves(), replay.end.empties());
        let side = settings.sides.of(replay.side);
        let is_exact = side.nodes.is_none() && side.depth >= empties;
        let is_forced = moves.count_ones() == 1 && !settings.values && !is_exact;
        Square::nth(moves, 0).filter(|_| is_forced)
    }

    fn play_move<E: Evaluate>(&mut self, players: &mut Players<'_, '_, E>) {
        let endgame_empties = self.endgame_empties();
        let Self { settings, replay, .. } = self;
        let side = settings.sides.of(replay.side);
        let strength = Strength { depth: side.depth.max(1), exact: endgame_empties };
        let (strength, limits) = strength.in_nodes(&replay.end, side.nodes);
        let searcher = players.of(replay.side);
        let found = searcher.search_within(&replay.end, strength, &limits);
        let best = found.best.expect("a search finds a move");
        let mut played = best;
        if found.depth < replay.end.empties() {
            played = self.drawn(best, searcher);
        } else if self.solved.is_none() && searcher.pruning.is_exact(replay.end.empties()) {
            let black_score = found.value.score() * replay.side.sign();
            self.solved = Some(Solved { ply: replay.end.ply() as u8, black_score });
        }
        self.push(played, Some(found.value.nearest_disc() as i8));
    }

    fn drawn<E: Evaluate>(&mut self, best: Square, searcher: &mut Searcher<'_, E>) -> Square {
        let position = &self.replay.end;
        let ply = position.ply();
        let shallow_values = || searcher.move_values(position);
        let drawn = self.settings.exploration.draw(ply, best, &mut self.random, shallow_values);
        self.deviations |= u64::from(drawn != best) << ply;
        drawn
    }

    fn push(&mut self, played: Square, value: Option<i8>) {
        self.values.push(value);
        self.replay.push(played).expect("the move is legal");
    }

    fn finish(self) -> Game {
        let mut game = Game::of_replay(self.random_plies, &self.replay).expect("the moves replay");
        if let Some(solved) = self.solved {
            game = game.with_solved(solved).expect("the solved position is in the game");
        }
        if self.settings.values {
            game = game.with_values(self.values).expect("there is one value for each move");
        }
        if self.deviations == 0 {
            return game;
        }
        game.with_deviations(self.deviations).expect("only moves that were played deviate")
    }
}

enum Purpose {
    Exploration,
    PerfectPlay,
}

fn stream(purpose: Purpose, seed: u64, index: u64) -> Generator {
    Generator::split(Generator::split(seed, index).next_u64(), purpose as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Discs;
    use crate::eval::{Evaluator, Mobility, Zero};
    use crate::search::Search;
    use crate::selfplay::{Exploration, PerSide, SideSettings};

    fn settings() -> Settings {
        Settings { values: true, ..Settings::new(7, "10..=20".parse().unwrap(), 2, 9) }
    }

    fn play_alone(settings: &Settings, index: u64) -> Game {
        let mut searcher = Search::new(&Mobility).hash_mb(1).searcher().unwrap();
        play(&Beginnings::new(settings), index, &mut Players { black: &mut searcher, white: None })
    }

    #[test]
    fn games_played_together_are_those_played_one_by_one() {
        let explored: Exploration = "all:softmax=1".parse().unwrap();
        for (depth, white) in [(2, 3), (3, 3), (1, 7)] {
            let [black, white] = [depth, white].map(SideSettings::to_depth);
            let sides = PerSide { black, white };
            let settings = Settings { sides, exploration: explored.clone(), ..settings() };
            let beginnings = Beginnings::new(&settings);
            let indices: Vec<u64> = (0..12).collect();
            let [mut black, mut white] =
                [(); 2].map(|()| Search::new(&Mobility).hash_mb(1).searcher().unwrap());
            let mut players = Players { black: &mut black, white: Some(&mut white) };
            let together = play_together(&beginnings, &indices, &mut players);
            let alone = indices.iter().map(|&index| play(&beginnings, index, &mut players));
            assert_eq!(alone.collect::<Vec<Game>>(), together);
        }
    }

    #[test]
    fn explored_moves_are_marked_and_their_values_are_the_searchs() {
        let exploration: Exploration = "all:softmax=1".parse().unwrap();
        let settings = Settings { exploration, ..settings() };
        let mut deviations = 0;
        for index in 0..5 {
            let game = play_alone(&settings, index);
            assert_eq!(game, play_alone(&settings, index));
            let mut searcher = Search::new(&Mobility).hash_mb(1).searcher().unwrap();
            for (ply, step) in game.replay().steps.iter().enumerate() {
                if ply < usize::from(game.random_plies()) || step.position.empties() <= 9 {
                    assert_eq!(game.deviations() >> ply & 1, 0);
                    continue;
                }
                let found = searcher.search(&step.position, 2);
                assert_eq!(game.values().unwrap()[ply], Some(found.value.nearest_disc() as i8));
                if game.deviations() >> ply & 1 == 0 {
                    let after = step.position.play(step.square).unwrap();
                    assert_eq!(searcher.search(&after, 1).value, -found.value);
                }
            }
            deviations += game.deviations().count_ones();
        }
        assert!((20..150).contains(&deviations), "{deviations}");
    }

    /// If a position has only one move, it is searched only if records store the value of each
    /// move. With or without stored values, the same moves must be played.
    #[test]
    fn games_do_not_depend_on_whether_their_values_are_kept() {
        let mut forced = 0;
        for exploration in ["none", "all:softmax=1", "all:uniform=0.3"] {
            let exploration: Exploration = exploration.parse().unwrap();
            let with = Settings { exploration, exact: 4.into(), ..settings() };
            let without = Settings { values: false, ..with.clone() };
            for index in 0..12 {
                let [game, bare] = [&with, &without].map(|settings| play_alone(settings, index));
                assert_eq!(bare.squares(), game.squares());
                assert_eq!(bare.deviations(), game.deviations());
                assert_eq!(bare.solved(), game.solved());
                let searched = &game.replay().steps[usize::from(game.random_plies())..];
                let is_forced = |position: &crate::board::Position| {
                    position.empties() > 4 && position.moves().count_ones() == 1
                };
                forced += searched.iter().filter(|step| is_forced(&step.position)).count();
            }
        }
        assert!(forced > 20, "{forced}");
    }

    #[test]
    fn each_side_searches_as_deep_and_evaluates_as_it_is_told() {
        let [black, white] = [3, 1].map(SideSettings::to_depth);
        let sides = PerSide { black, white };
        let settings = Settings { sides, exact: 0.into(), ..settings() };
        let evaluators = PerSide { black: Evaluator::from(Mobility), white: Evaluator::from(Zero) };
        let new = |side| Search::new(evaluators.of(side)).hash_mb(1).searcher().unwrap();
        let (mut black, mut white) = (new(Side::Black), new(Side::White));
        let mut players = Players { black: &mut black, white: Some(&mut white) };
        let game = play(&Beginnings::new(&settings), 5, &mut players);
        for (step, value) in game.replay().steps.iter().zip(game.values().unwrap()) {
            let found = new(step.side).search(&step.position, settings.sides.of(step.side).depth);
            assert!(value.is_none_or(|value| Discs::from(value) == found.value.nearest_disc()));
        }
    }

    #[test]
    fn nodes_end_searches_but_not_perfect_play() {
        let limited = |nodes| {
            let side = SideSettings { nodes: Some(nodes), ..SideSettings::to_depth(60) };
            Settings { sides: PerSide::both(side), ..settings() }
        };
        let (few, more) = (limited(5), limited(5_000));
        for index in 0..4 {
            let game = play_alone(&few, index);
            assert_eq!(game, play_alone(&few, index));
            let solved = game.solved().unwrap();
            let first = 51.max(game.random_plies());
            assert_eq!(solved.ply, first, "the first position with 9 empty squares");
            assert_eq!(game.black_score(), Some(solved.black_score));
            let ply = usize::from(game.random_plies());
            let step = game.replay().steps[ply];
            let mut searcher = Search::new(&Mobility).hash_mb(1).searcher().unwrap();
            let shallowest = searcher.search(&step.position, 2);
            assert!(shallowest.nodes >= 5);
            assert_eq!(game.values().unwrap()[ply], Some(shallowest.value.nearest_disc() as i8));
        }
        assert_ne!(play_alone(&few, 1), play_alone(&more, 1));
    }

    /// Formerly, in a third of the games, exact play chose a move that lost discs: a move that an
    /// earlier shallow search had stored in the transposition table.
    #[test]
    fn games_end_and_are_played_perfectly_from_where_they_say() {
        for (index, exact) in (0..40).flat_map(|index| [(index, 9), (index, 13)]) {
            let settings = Settings { exact: exact.into(), ..settings() };
            let game = play_alone(&settings, index);
            assert!((10..=20).contains(&game.random_plies()));
            let solved = game.solved().unwrap();
            assert!(60 - u32::from(solved.ply) <= settings.exact.most());
            assert_eq!(Some(solved.black_score), game.black_score());
            let values = game.values().unwrap();
            let random_plies = usize::from(game.random_plies());
            assert!(values[..random_plies].iter().all(Option::is_none));
            for (step, value) in game.replay().steps.iter().zip(values).skip(random_plies) {
                let value = Discs::from(value.unwrap());
                if step.position.empties() <= settings.exact.most() {
                    assert_eq!(value, solved.black_score * step.side.sign());
                }
            }
        }
    }

    #[test]
    fn a_game_of_a_range_is_perfect_from_one_of_its_numbers_on() {
        let from = |exact| Settings { exact, ..settings() };
        let mut odd = 0;
        for index in 0..40 {
            let [game, of_9, of_10] = ["9..10", "9", "10"]
                .map(|exact: &str| play_alone(&from(exact.parse().unwrap()), index));
            assert_ne!(of_9.solved(), of_10.solved());
            odd += u32::from(game == of_9);
            assert!(game == of_9 || game == of_10, "game {index}");
        }
        assert!((12..=28).contains(&odd), "{odd} of 40 games are perfect from 9 empty squares on");
    }

    #[test]
    fn nothing_is_called_solved_that_was_not() {
        let settings = Settings::new(7, settings().random_plies, 3, 0);
        let game = play_alone(&settings, 0);
        assert_eq!(game.solved().unwrap().ply, 57);
        assert!(game.values().is_none());
    }
}
