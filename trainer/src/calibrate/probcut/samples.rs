//! Samples of positions with the values of searches of every depth.

use std::ops::RangeInclusive;

use othello_engine::eval::{Evaluate, Value};
use othello_engine::progress::{Interrupted, Progress};
use othello_engine::random::Generator;
use othello_engine::search::{Searcher, Searchers, Selection};
use othello_engine::selfplay::{
    Beginnings, Exploration, Players, Schedule, Settings as Play, play,
};
use rayon::prelude::*;

use super::Settings;
use crate::calibrate::CalibrateError;

/// The values of searches of one position.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Sample {
    /// The ply of the position.
    pub(super) ply: u32,
    /// The values by depth, from 0 on; no search reaches the end of the game.
    pub(super) values: Vec<Value>,
}

const HASH_MEGABYTES: usize = 16;

/// The numbers of random moves at the beginning of the games.
const RANDOM_PLIES: RangeInclusive<u8> = 4..=24;

/// Returns samples of positions, each from one ply of a game of its own. Most moves of the games
/// are drawn by their values, so that lost and won positions are among them.
pub(super) fn samples<E: Evaluate>(
    settings: &Settings,
    evaluator: &E,
    progress: &dyn Progress,
) -> Result<Vec<Sample>, CalibrateError> {
    let play = Play {
        exploration: Exploration::softmax(1.0),
        ..Play::new(settings.seed, Schedule::evenly(RANDOM_PLIES), 1, 0)
    };
    let beginnings = Beginnings::new(&play);
    let searchers = Searchers::try_new(evaluator, HASH_MEGABYTES, &Selection::default())?;
    progress.begin_stoppable("probcut (positions)", 0, settings.positions);
    let sample = |number: u64| {
        progress.check()?;
        let sample = searchers.with(|searcher| sample(settings, &beginnings, number, searcher));
        progress.advance(1);
        Ok(sample)
    };
    let samples = (0..settings.positions).into_par_iter().map(sample);
    Ok(samples.collect::<Result<_, Interrupted>>()?)
}

fn sample<E: Evaluate>(
    settings: &Settings,
    beginnings: &Beginnings<'_>,
    number: u64,
    searcher: &mut Searcher<'_, E>,
) -> Sample {
    let game = play(beginnings, number, &mut Players::Same(searcher));
    let replay = game.replay();
    let mut random = Generator::split(settings.seed, number);
    let position = replay.steps[random.below(replay.steps.len() as u32) as usize].position;
    searcher.new_game();
    let depths = 0..=settings.depth.min(position.empties().saturating_sub(1));
    let values = depths.map(|depth| searcher.search(&position, depth).value).collect();
    Sample { ply: position.ply(), values }
}
