//! A game of self-play.

use super::{Beginnings, PerSide};
use crate::board::{Side, Square};
use crate::eval::Evaluate;
use crate::random::Generator;
use crate::record::{Game, Solved};
use crate::search::{Searcher, Strength};

/// Who plays.
#[derive(Debug)]
pub enum Players<'s, 'a, E: Evaluate> {
    /// One evaluation against itself, with a table for both sides.
    Same(&'s mut Searcher<'a, E>),
    /// One against another.
    Different(PerSide<&'s mut Searcher<'a, E>>),
}

impl<'a, E: Evaluate> Players<'_, 'a, E> {
    fn new_game(&mut self) {
        match self {
            Self::Same(both) => both.new_game(),
            Self::Different(PerSide { black, white }) => {
                black.new_game();
                white.new_game();
            }
        }
    }

    fn of(&mut self, side: Side) -> &mut Searcher<'a, E> {
        match (self, side) {
            (Self::Same(both), _) => both,
            (Self::Different(sides), Side::Black) => sides.black,
            (Self::Different(sides), Side::White) => sides.white,
        }
    }
}

/// Plays game number `index`: a function of the settings behind `beginnings`, the index, the
/// evaluations and the tables' size, whatever was played before.
pub fn play<E: Evaluate>(
    beginnings: &Beginnings<'_>,
    index: u64,
    players: &mut Players<'_, '_, E>,
) -> Game {
    let settings = beginnings.settings();
    players.new_game();
    let mut replay = beginnings.of(index);
    let random_plies = replay.steps.len() as u8;
    let mut values = vec![None; usize::from(random_plies)];
    let mut deviations = 0;
    let mut solved = None;
    let mut random = exploration_stream(settings.seed, index);
    while replay.end.moves() != 0 {
        let empties = replay.end.empties();
        let strength = Strength { depth: *settings.depth.of(replay.side), exact: settings.exact };
        let searcher = players.of(replay.side);
        let found = strength.search(searcher, &replay.end);
        let best = found.best.expect("a search finds a move");
        let mut played = best;
        if found.depth < empties {
            let ply = replay.end.ply();
            let shallow_values = || searcher.move_values(&replay.end);
            played = settings.exploration.draw(ply, best, &mut random, shallow_values);
            deviations |= u64::from(played != best) << ply;
        } else if solved.is_none() {
            let black_score = found.value.score() * replay.side.sign();
            solved = Some(Solved { ply: replay.end.ply() as u8, black_score });
        }
        values.push(Some(found.value.nearest_disc() as i8));
        replay.push(played).expect("the move is legal");
    }
    let squares: Vec<Square> = replay.steps.iter().map(|step| step.square).collect();
    let mut game = Game::new(random_plies, &squares).expect("the moves replay");
    if let Some(solved) = solved {
        game = game.with_solved(solved).expect("the solved position is in the game");
    }
    if settings.values {
        game = game.with_values(values).expect("there is one value for each move");
    }
    if deviations != 0 {
        game = game.with_deviations(deviations).expect("only moves that were played deviate");
    }
    game
}

/// The stream that draws a game's explored moves: apart from the one that draws its beginning.
fn exploration_stream(seed: u64, index: u64) -> Generator {
    Generator::split(Generator::split(seed, index).next_u64(), 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Discs;
    use crate::eval::{Evaluator, Mobility, Zero};
    use crate::selfplay::{Exploration, Settings};

    fn settings() -> Settings {
        Settings { values: true, ..Settings::new(7, "10..=20".parse().unwrap(), 2, 9) }
    }

    fn play_alone(settings: &Settings, index: u64) -> Game {
        let mut searcher = Searcher::new(&Mobility, 1);
        play(&Beginnings::new(settings), index, &mut Players::Same(&mut searcher))
    }

    #[test]
    fn a_game_does_not_depend_on_those_before_it() {
        let settings = settings();
        let beginnings = Beginnings::new(&settings);
        let mut busy = Searcher::new(&Mobility, 1);
        let mut players = Players::Same(&mut busy);
        let in_order: Vec<Game> =
            (0..20).map(|index| play(&beginnings, index, &mut players)).collect();
        for index in [0, 3, 19] {
            assert_eq!(play_alone(&settings, index), in_order[index as usize]);
        }
        let other = Settings { seed: 8, ..settings.clone() };
        assert_ne!(play_alone(&other, 3), in_order[3]);
    }

    /// The value kept is the search's, whatever is played, and the marked moves are the others.
    #[test]
    fn explored_moves_are_marked_and_their_values_are_the_searchs() {
        let exploration: Exploration = "all:softmax=1".parse().unwrap();
        let settings = Settings { exploration, ..settings() };
        let mut deviations = 0;
        for index in 0..5 {
            let game = play_alone(&settings, index);
            assert_eq!(game, play_alone(&settings, index));
            let mut searcher = Searcher::new(&Mobility, 1);
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

    /// A move's value is what a search of that side's depth by that side's evaluation finds.
    #[test]
    fn each_side_searches_as_deep_and_evaluates_as_it_is_told() {
        let settings = Settings { depth: PerSide { black: 3, white: 1 }, exact: 0, ..settings() };
        let evaluators = PerSide { black: Evaluator::from(Mobility), white: Evaluator::from(Zero) };
        let new = |side| Searcher::new(evaluators.of(side), 1);
        let (mut black, mut white) = (new(Side::Black), new(Side::White));
        let mut players = Players::Different(PerSide { black: &mut black, white: &mut white });
        let game = play(&Beginnings::new(&settings), 5, &mut players);
        for (step, value) in game.replay().steps.iter().zip(game.values().unwrap()) {
            let found = new(step.side).search(&step.position, *settings.depth.of(step.side));
            assert!(value.is_none_or(|value| Discs::from(value) == found.value.nearest_disc()));
        }
    }

    #[test]
    fn games_end_and_are_played_perfectly_from_where_they_say() {
        let settings = settings();
        for index in 0..40 {
            let game = play_alone(&settings, index);
            assert!((10..=20).contains(&game.random_plies()));
            let solved = game.solved().unwrap();
            assert!(60 - u32::from(solved.ply) <= settings.exact);
            assert_eq!(Some(solved.black_score), game.black_score());
            let values = game.values().unwrap();
            let random_plies = usize::from(game.random_plies());
            assert!(values[..random_plies].iter().all(Option::is_none));
            for (step, value) in game.replay().steps.iter().zip(values).skip(random_plies) {
                let value = Discs::from(value.unwrap());
                if step.position.empties() <= settings.exact {
                    assert_eq!(value, solved.black_score * step.side.sign());
                }
            }
        }
    }

    #[test]
    fn nothing_is_called_solved_that_was_not() {
        let settings = Settings::new(7, settings().random_plies, 3, 0);
        let game = play_alone(&settings, 0);
        assert_eq!(game.solved().unwrap().ply, 57);
        assert!(game.values().is_none());
    }
}
