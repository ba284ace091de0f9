//! One game of an evaluation against itself.

use super::Schedule;
use crate::board::transcript::Replay;
use crate::board::{Discs, Square};
use crate::eval::{Evaluate, STEPS_PER_DISC, Value};
use crate::random::Generator;
use crate::record::{Game, Solved};
use crate::search::Searcher;

/// How games are played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Decides all random moves.
    pub seed: u64,
    /// How many random moves games begin with.
    pub random_plies: Schedule,
    /// How deep moves are searched, at least 1.
    pub depth: u32,
    /// From this many empty squares on, play is perfect.
    pub exact: u32,
    /// Whether games keep the value found for each move.
    pub values: bool,
}

/// Plays game number `index`: a function of the settings, the index, the evaluation and the
/// table's size, whatever was played before.
pub fn play<E: Evaluate>(settings: &Settings, index: u64, searcher: &mut Searcher<'_, E>) -> Game {
    searcher.new_game();
    let (random_plies, mut replay) = random_beginning(settings, index);
    let mut values = vec![None; usize::from(random_plies)];
    let mut solved = None;
    while replay.end.moves() != 0 {
        let empties = replay.end.empties();
        let depth = if empties <= settings.exact { empties } else { settings.depth.max(1) };
        let found = searcher.search(&replay.end, depth);
        if found.depth == empties && solved.is_none() {
            let black_score = found.value / STEPS_PER_DISC * replay.side.sign();
            solved = Some(Solved { ply: replay.end.ply() as u8, black_score });
        }
        values.push(Some(in_discs(found.value)));
        replay.push(found.best.expect("a search finds a move")).expect("the move is legal");
    }
    let squares: Vec<Square> = replay.steps.iter().map(|step| step.square).collect();
    let mut game = Game::new(random_plies, &squares).expect("the moves replay");
    if let Some(solved) = solved {
        game = game.with_solved(solved).expect("the solved position is in the game");
    }
    if settings.values {
        game = game.with_values(values).expect("there is one value for each move");
    }
    game
}

/// Random moves, all legal ones equally likely, as many as the schedule says; drawn again from
/// the same stream where the game ends over them.
fn random_beginning(settings: &Settings, index: u64) -> (u8, Replay) {
    let mut random = Generator::split(settings.seed, index);
    let random_plies = settings.random_plies.draw(&mut random);
    loop {
        let mut replay = Replay::from_start(&[]).expect("no move is no illegal one");
        while replay.steps.len() < usize::from(random_plies) {
            let moves = replay.end.moves();
            let choice = random.below(moves.count_ones()) as usize;
            let Some(square) = Square::nth(moves, choice) else { break };
            replay.push(square).expect("the move is legal");
        }
        if replay.end.moves() != 0 {
            return (random_plies, replay);
        }
    }
}

/// Rounded to the nearest disc, halves away from zero.
fn in_discs(value: Value) -> i8 {
    let half: Discs = STEPS_PER_DISC / 2 * value.signum();
    ((value + half) / STEPS_PER_DISC) as i8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Mobility;

    fn settings() -> Settings {
        let random_plies = "10..=20".parse().unwrap();
        Settings { seed: 7, random_plies, depth: 2, exact: 9, values: true }
    }

    #[test]
    fn a_game_does_not_depend_on_those_before_it() {
        let settings = settings();
        let mut busy = Searcher::new(&Mobility, 1);
        let in_order: Vec<Game> = (0..20).map(|index| play(&settings, index, &mut busy)).collect();
        let alone = |index| play(&settings, index, &mut Searcher::new(&Mobility, 1));
        for index in [0, 3, 19] {
            assert_eq!(alone(index), in_order[index as usize]);
        }
        let other = Settings { seed: 8, ..settings };
        assert_ne!(play(&other, 3, &mut busy), in_order[3]);
    }

    #[test]
    fn games_end_and_are_played_perfectly_from_where_they_say() {
        let settings = settings();
        let mut searcher = Searcher::new(&Mobility, 1);
        for index in 0..40 {
            let game = play(&settings, index, &mut searcher);
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
        let settings = Settings { exact: 0, depth: 3, values: false, ..settings() };
        let game = play(&settings, 0, &mut Searcher::new(&Mobility, 1));
        assert_eq!(game.solved().unwrap().ply, 57);
        assert!(game.values().is_none());
    }

    #[test]
    fn values_are_rounded_to_the_nearest_disc() {
        let steps = [0, 15, 16, -15, -16, 47, 48, 2048, -2048];
        assert_eq!(steps.map(in_discs), [0, 0, 1, 0, -1, 1, 2, 64, -64]);
    }
}
