//! Learns the move-ordering evaluation, which orders the moves of the last plies, and its strength.
//!
//! Its weights explain, together with the number of replies, how the exact scores of a position's
//! moves differ. The strength is the one with which exact searches cost least.

use othello_engine::board::{CORNERS, Position, QUADRANTS, Square, Squares};
use othello_engine::eval::{
    Evaluate, MoveOrderingWeights, STEPS_PER_DISC, Tables, Weights, nearest_weight,
};
use othello_engine::pattern::{Geometry, PatternSet};
use othello_engine::progress::Progress;
use othello_engine::random::Generator;
use othello_engine::search::{Search, Searcher};
use rayon::prelude::*;
use serde::Serialize;

use super::siblings::{COUNTS, Family, Siblings};
use super::{CalibrateError, of_each};

/// The settings of a calibration.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The pattern set, without scalars.
    pub set: PatternSet,
    /// The seed of the positions.
    pub seed: u64,
    /// The number of positions whose moves are all solved.
    pub families: u64,
    /// The number of positions that are searched to compare strengths.
    pub searches: u64,
}

/// The result of a calibration.
#[derive(Clone, Debug)]
pub struct Calibrated {
    /// The weights, with the best strength.
    pub weights: MoveOrderingWeights,
    /// The number of solved positions.
    pub positions: usize,
    /// The explained share of the variance among the moves of a position, on held-out positions: by
    /// patterns and counts, and by counts alone.
    pub explained: [f64; 2],
    /// The cost of searches with each strength; strength 0 is without the weights.
    pub trials: Vec<Trial>,
}

/// Exact searches of the same positions with one strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct Trial {
    /// The strength of the weights.
    pub strength: i16,
    /// The number of positions entered.
    pub nodes: u64,
}

/// The numbers of empty squares of the positions whose moves are solved: those where the search
/// uses the move-ordering evaluation.
const EMPTIES: [u32; 4] = [10, 11, 12, 13];
/// The number of empty squares of the positions that are searched to compare strengths.
const TRIAL_EMPTIES: u32 = 17;
/// One of this many families is kept to test the weights learned from the others.
const HELD_OUT: usize = 10;
/// The pull of weights towards 0, in occurrences. Parameters that occur more often decide their own
/// weight.
const RIDGE: f64 = 10.0;

/// A ridge so large that the weights of patterns are 0.
const COUNTS_ALONE: f64 = 1e18;

/// Learns from positions of games that the evaluation plays against itself. The same weights,
/// settings and seed give the same result.
pub fn calibrate(
    settings: &Settings,
    weights: &Weights,
    progress: &dyn Progress,
) -> Result<Calibrated, CalibrateError> {
    let with = |strength, steps| {
        MoveOrderingWeights::new(settings.set.clone(), strength, steps)
            .map_err(|reason| CalibrateError::Set { set: settings.set.name().to_owned(), reason })
    };
    let geometry = Geometry::new(&settings.set);
    let parameters = geometry.parameters();
    with(0, vec![0; parameters])?;

    let mut evaluator = Tables::new(weights).with_move_ordering(None);
    let [learned, held_out] = families(settings, &geometry, &evaluator, progress)?;
    let found = learned.fit(parameters, RIDGE);
    let by_counts = learned.fit(parameters, COUNTS_ALONE);
    let explained = [&found, &by_counts].map(|found| held_out.explained(found));

    let steps: Vec<i16> = found.weights.iter().map(|&weight| nearest_weight(weight)).collect();
    let positions = trial_positions(settings, &evaluator)?;
    let strengths = strengths(found.counts[0]);
    progress.begin_stoppable("strengths (searches)", 0, (strengths.len() * positions.len()) as u64);
    let mut trials = vec![];
    for strength in strengths {
        evaluator = evaluator.with_move_ordering(Some(&with(strength, steps.clone())?));
        trials.push(Trial { strength, nodes: nodes(&positions, &evaluator, progress)? });
    }
    let best = trials.iter().min_by_key(|trial| trial.nodes).map_or(0, |trial| trial.strength);
    let positions = learned.len() + held_out.len();
    Ok(Calibrated { weights: with(best, steps)?, positions, explained, trials })
}

/// Returns the strengths to try: 0, and fractions of the one at which the discs that a reply is
/// worth count 16 units, the cost of a reply in the search's move ordering.
fn strengths(discs_of_a_reply: f64) -> Vec<i16> {
    let natural = 16.0 * 1024.0 / (f64::from(STEPS_PER_DISC) * discs_of_a_reply.max(0.1));
    [0.0, 0.125, 0.25, 0.375, 0.5, 1.0].map(|times| (times * natural).round() as i16).to_vec()
}

/// Returns positions with the exact scores of all their moves: those to learn from, and those held
/// out.
fn families(
    settings: &Settings,
    geometry: &Geometry,
    evaluator: &Tables,
    progress: &dyn Progress,
) -> Result<[Siblings; 2], CalibrateError> {
    progress.begin_stoppable("solve (positions with all moves)", 0, settings.families);
    let searchers = Search::new(evaluator).searchers()?;
    let found = of_each((0..settings.families).into_par_iter(), progress, |number| {
        let empties = EMPTIES[number as usize % EMPTIES.len()];
        let random = Generator::split(settings.seed, number);
        let solved = |searcher: &mut Searcher<'_, Tables>| {
            let position = play_to(empties, random, searcher)?;
            Some(family_of(&position, geometry, searcher))
        };
        searchers.with(solved)
    })?;
    let mut parts = [vec![], vec![]];
    for (number, family) in found.into_iter().flatten().enumerate() {
        parts[usize::from(number % HELD_OUT == 0)].push(family);
    }
    Ok(parts.map(|families| Siblings::new(geometry.instances.len(), families)))
}

fn family_of<E: Evaluate>(
    position: &Position,
    geometry: &Geometry,
    searcher: &mut Searcher<'_, E>,
) -> Family {
    let member = |square: Square| {
        let child = position.after(square, position.flips(square));
        searcher.new_game();
        let score = searcher.solve(&child).score;
        let parameters = geometry.parameters_of(&child).map(|parameter| parameter as u32);
        (parameters.collect(), counts(position, square, &child), f64::from(score))
    };
    Squares(position.moves()).map(member).collect()
}

/// Returns the counts that explain scores beside the patterns.
fn counts(position: &Position, square: Square, child: &Position) -> [f64; COUNTS] {
    let odd = (position.empty() & QUADRANTS[square.quadrant()]).count_ones() % 2;
    let replies = child.moves();
    [replies.count_ones(), (replies & CORNERS).count_ones(), odd].map(f64::from)
}

/// Returns a position with this number of empty squares, or `None` if the game ends before. Its
/// game begins and ends with random moves, since not all positions of a search are well played;
/// shallow searches play the moves between.
fn play_to<E: Evaluate>(
    empties: u32,
    mut random: Generator,
    searcher: &mut Searcher<'_, E>,
) -> Option<Position> {
    const RANDOM_PLIES_LAST: u32 = 4;
    let random_first = 10 + random.below(10);
    let mut position = Position::START;
    while position.empties() > empties {
        if position.moves() == 0 {
            position = position.pass();
        }
        let moves = position.moves();
        let is_random =
            position.ply() < random_first || position.empties() <= empties + RANDOM_PLIES_LAST;
        let square = if is_random {
            Square::nth(moves, random.below(moves.count_ones()) as usize)
        } else {
            searcher.new_game();
            searcher.search(&position, 2).best
        }?;
        position = position.after(square, position.flips(square));
    }
    (position.moves() != 0).then_some(position)
}

/// Returns the positions that strengths are compared on, from games of their own.
fn trial_positions(
    settings: &Settings,
    evaluator: &Tables,
) -> Result<Vec<Position>, CalibrateError> {
    let searchers = Search::new(evaluator).searchers()?;
    let numbers = (settings.families..settings.families + settings.searches).into_par_iter();
    let position = |number| {
        let random = Generator::split(settings.seed, number);
        searchers.with(|searcher| play_to(TRIAL_EMPTIES, random, searcher))
    };
    Ok(numbers.filter_map(position).collect())
}

/// Returns the number of nodes that solving these positions takes.
fn nodes(
    positions: &[Position],
    evaluator: &Tables,
    progress: &dyn Progress,
) -> Result<u64, CalibrateError> {
    let searchers = Search::new(evaluator).searchers()?;
    let nodes = of_each(positions.par_iter(), progress, |position| {
        searchers.with(|searcher| {
            searcher.new_game();
            searcher.solve(position).nodes
        })
    })?;
    Ok(nodes.into_iter().sum())
}

#[cfg(test)]
mod tests {
    use othello_engine::eval::MoveOrdering;
    use othello_engine::progress::Silent;
    use othello_engine::random::random_position;

    use super::*;
    use crate::calibrate::testing::{assert_threads_change_nothing, shipped};

    fn settings(families: u64) -> Settings {
        let set = PatternSet::shipped("ordering").unwrap();
        Settings { set, seed: 3, families, searches: 8 }
    }

    fn weights() -> Weights {
        Weights::zero(PatternSet::shipped("discs").unwrap())
    }

    #[test]
    fn patterns_explain_more_than_replies_and_save_nodes() {
        let found = calibrate(&settings(2000), &shipped(), &Silent).unwrap();
        let [explained, by_replies] = found.explained;
        assert!(0.1 < by_replies && by_replies < explained && explained < 1.0, "{explained}");
        let without = found.trials[0];
        let best = found.trials.iter().find(|trial| trial.strength == found.weights.strength());
        assert_eq!(without.strength, 0);
        assert!(best.unwrap().nodes < without.nodes, "{:?}", found.trials);
        // A disc in the corner is good for its side, whatever is around it. (The weight of one rare
        // configuration means little: few positions have it.)
        let (ordering, mut random) = (MoveOrdering::new(&found.weights), Generator::new(1));
        let gain = |position: Position| {
            let (player, opponent) = (position.player() & !1, position.opponent() & !1);
            let own = Position::new(player | 1, opponent).unwrap();
            let other = Position::new(player, opponent | 1).unwrap();
            ordering.steps(&own) - ordering.steps(&other)
        };
        let gains: i32 = (0..500).map(|_| gain(random_position(&mut random, 12))).sum();
        let gain = gains / 500;
        assert!(gain > STEPS_PER_DISC / 2, "{gain} steps");
    }

    #[test]
    fn the_same_seed_learns_the_same() {
        let learned = || calibrate(&settings(60), &weights(), &Silent).unwrap().weights;
        assert_threads_change_nothing(learned);
    }

    #[test]
    fn a_set_with_scalars_is_refused_before_any_work() {
        let set = PatternSet::shipped("standard").unwrap();
        let settings = Settings { set, ..settings(u64::MAX) };
        let error = calibrate(&settings, &weights(), &Silent).unwrap_err().to_string();
        assert!(
            error.contains("`standard` cannot order moves: its pattern set has scalars"),
            "{error}"
        );
    }

    #[test]
    fn odd_quadrants_are_counted_before_the_move() {
        let all_but = |empty: u64| {
            Position::new(!empty & 0xAAAA_AAAA_AAAA_AAAA, !empty & 0x5555_5555_5555_5555)
        };
        let a1_b1_h8 = all_but(0x8000_0000_0000_0003).unwrap();
        let odd = |square: &str| {
            let square = square.parse().unwrap();
            counts(&a1_b1_h8, square, &a1_b1_h8)[2]
        };
        assert_eq!((odd("a1"), odd("b1"), odd("h8")), (0.0, 0.0, 1.0));
    }
}
