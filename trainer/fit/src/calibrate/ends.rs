//! Calibrates the model of endgame ProbCut, which predicts exact scores from the values of shallow
//! searches.
//!
//! A sample is a position that 0 to 2 random moves reach from a position of a self-play game, since
//! a search also visits positions after bad moves. The model is fitted to the exact scores of 4/5
//! of the samples. Endgame searches of other samples try several cut thresholds: a search
//! prunes a node if the predicted score is this many standard deviations outside the window. With
//! the threshold chosen for 95 % confidence, about 95 % of these searches find the exact score.

use std::fmt;

use othello_engine::board::{Discs, Position, Square};
use othello_engine::eval::{CONFIDENCES, EndDepths, Ends, Evaluate, Tables, Weights};
use othello_engine::random::Generator;
use othello_engine::run::{Stage, size};
use othello_engine::search::{
    EndgameSchedule, Found, Pruning, Search, Searcher, Selectivity, shallow_depth_of_end,
};
use othello_engine::selfplay::{Beginnings, Players, Schedule, Settings as Play, play};
use othello_engine::text_table::table;
use serde::{Deserialize, Serialize};

use super::samples::{Errors, HELD_OUT, Settings, divided, fitted, per_part, write_errors};
use super::{Work, no_model};
use crate::source::Result;

const LEAST_EMPTIES: u32 = 12;
/// A [`Trial`] searches only positions whose number of empty squares is at most this much below the
/// greatest, [`Settings::most`].
const BELOW_GREATEST: u32 = 1;
const GAME_DEPTH: u32 = 4;
const RANDOM_PLIES: std::ops::RangeInclusive<u8> = 8..=20;
const MAX_RANDOM_MOVES: u32 = 2;
const TRIED_DEVIATIONS: [f64; 6] = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0];

/// A calibrated model of endgame ProbCut, and its errors on positions that it was not fitted to.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Calibrated {
    /// The calibrated model of endgame ProbCut.
    #[serde(skip)]
    pub ends: Ends,
    /// The error of the predicted scores, by number of empty squares.
    pub empties: Vec<EmptiesError>,
    /// The endgame searches that tested the pruning, one entry for each tried cut threshold.
    pub trials: Vec<Trial>,
    /// The cut threshold of each confidence, in standard deviations.
    pub confidences: Vec<Confidence>,
}

impl fmt::Display for Calibrated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let empties = self.empties.iter().map(|row| (row.empties, row.shallow, &row.errors));
        write_errors(f, "empty squares", empties)?;
        writeln!(
            f,
            "endgame searches, by the distance of predictions from the window that cuts require:"
        )?;
        let columns = ["deviations", "positions", "scores right", "MAE", "nodes"];
        let rows = self.trials.iter().map(|row| {
            let percent = |share: f64| format!("{share:.1} %");
            let (deviations, mae) = (format!("{:.2}", row.deviations), format!("{:.2}", row.mae));
            let positions = row.positions.to_string();
            [deviations, positions, percent(row.right), mae, percent(100.0 * row.nodes)]
        });
        writeln!(f, "{}", table(columns, rows))?;
        let confidences = self.confidences.iter();
        let confidences =
            confidences.map(|row| format!("{} %: {:.2}", row.percent, row.deviations));
        write!(f, "deviations: {}", confidences.collect::<Vec<_>>().join(", "))
    }
}

/// The errors, in discs, of the scores predicted for positions that have `empties` empty squares.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct EmptiesError {
    /// The number of empty squares of the positions.
    pub empties: u32,
    /// The depth of the search that predicts the score.
    pub shallow: u32,
    #[serde(flatten)]
    #[allow(missing_docs)]
    pub errors: Errors,
}

/// The results of endgame searches that prune a node if the predicted score is a given number of
/// standard deviations outside the window.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct Trial {
    /// The threshold: a node is pruned if the predicted score is at least this many standard
    /// deviations of the prediction above or below the window.
    pub deviations: f64,
    /// The number of held-out positions that were searched with the threshold `deviations`.
    pub positions: u64,
    /// The percentage of searches with the threshold `deviations` that returned the exact score.
    pub right: f64,
    /// The mean absolute difference between the scores that the searches found and the exact
    /// scores, in discs.
    pub mae: f64,
    /// The number of nodes of the searches, divided by that of searches without endgame ProbCut.
    pub nodes: f64,
}

/// The cut threshold for one confidence. The confidence is the share of endgame searches that
/// should return the exact score.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct Confidence {
    /// The confidence in percent.
    pub percent: u32,
    /// The threshold: a node is pruned if the predicted score is at least this many standard
    /// deviations of the prediction above or below the window.
    pub deviations: f64,
}

#[derive(Serialize, Deserialize)]
struct Sample {
    discs: [u64; 2],
    empties: u32,
    score: Discs,
    nodes: u64,
    /// The (depth, value in discs) of two searches of the position: to depth 0, and to the shallow
    /// depth from which endgame ProbCut predicts the score.
    known: [(u32, f64); 2],
}

/// Returns the stages of the calibration. The first makes the samples (positions with exact
/// scores). Each of the others tries one cut threshold of endgame ProbCut.
pub fn stages(settings: &Settings) -> Vec<Stage> {
    let (empties, held_out) = (settings.most, settings.positions.div_ceil(HELD_OUT as u64));
    let game = size::game(size::search(GAME_DEPTH), 0);
    let samples = per_part(game + size::solve(empties) / 2.0);
    let trials = |deviations| {
        let name = format!("ends at {deviations} deviations (trials)");
        Stage::new(name, held_out, per_part(size::solve(empties)))
    };
    let samples = Stage::new("ends (positions)", settings.positions, samples);
    std::iter::once(samples).chain(TRIED_DEVIATIONS.map(trials)).collect()
}

/// Fits the model of endgame ProbCut to exact scores of positions from self-play, and chooses the
/// cut threshold of each confidence. The same weights and settings give the same model.
pub fn calibrate(settings: &Settings, weights: &Weights, work: &Work<'_>) -> Result<Calibrated> {
    let evaluator = Tables::new(weights);
    let play = Play::new(settings.seed, Schedule::evenly(RANDOM_PLIES), GAME_DEPTH, 0);
    let samples = settings.samples(&play, &evaluator, work, sample)?;
    let samples: Vec<Sample> = samples.into_iter().flatten().collect();
    let [learned, held_out] = divided(&samples, HELD_OUT);
    let examples = learned.into_iter().flat_map(|sample| {
        sample.known.map(|(shallow, value)| {
            let depths = EndDepths { empties: sample.empties, shallow };
            (depths.mean_terms(value), depths.error_terms(), f64::from(sample.score))
        })
    });
    let (mean, error) = fitted(examples);
    let usual = std::array::from_fn(|place| Selectivity::ALL[place].deviations().unwrap_or(0.0));
    let ends = Ends::new(mean, error, usual).map_err(no_model)?;
    let empties = LEAST_EMPTIES..=settings.most;
    let empties = empties.filter_map(|empties| empties_error(&ends, &held_out, empties)).collect();
    let least = settings.most.saturating_sub(BELOW_GREATEST);
    let tried = held_out.into_iter().filter(|sample| sample.empties >= least).collect::<Vec<_>>();
    let trials = trials(&ends, evaluator, &tried, work)?;
    let deviations = deviations(&trials);
    let confidences = Selectivity::ALL.map(Selectivity::percent).into_iter().zip(deviations);
    let confidences = confidences.map(|(percent, deviations)| Confidence { percent, deviations });
    let confidences = confidences.collect();
    Ok(Calibrated { ends: ends.with_deviations(deviations), empties, trials, confidences })
}

/// Returns a sample: a position with a random number of empty squares, and its exact score. It is
/// reached by 0 to 2 random moves from a position of self-play game `number`. Returns `None` if
/// the game ends before it has so few empty squares.
fn sample<E: Evaluate>(
    settings: &Settings,
    beginnings: &Beginnings<'_>,
    number: u64,
    searcher: &mut Searcher<'_, E>,
) -> Option<Sample> {
    let mut random = Generator::split(settings.seed, number);
    let random_moves = random.below(MAX_RANDOM_MOVES + 1);
    let empties = LEAST_EMPTIES + random.below(settings.most + 1 - LEAST_EMPTIES);
    let game = play(beginnings, number, &mut Players { black: searcher, white: None });
    let reached = game.replay().steps.into_iter().map(|step| step.position);
    let mut reached = reached.filter(|position| position.empties() == empties + random_moves);
    let mut position = reached.next()?;
    for _ in 0..random_moves {
        let moves = position.moves();
        let square = Square::nth(moves, random.below(moves.count_ones()) as usize)?;
        position = position.after(square, position.flips(square));
        if position.moves() == 0 {
            position = position.pass();
            (position.moves() != 0).then_some(())?;
        }
    }
    searcher.new_game();
    let known = [0, shallow_depth_of_end(position.empties())]
        .map(|depth| (depth, searcher.search(&position, depth).value.discs()));
    searcher.new_game();
    let Found { value, nodes, .. } = searcher.solve(&position);
    let (discs, empties) = ([position.player(), position.opponent()], position.empties());
    Some(Sample { discs, empties, score: value.score(), nodes, known })
}

fn empties_error(ends: &Ends, samples: &[&Sample], empties: u32) -> Option<EmptiesError> {
    let shallow = shallow_depth_of_end(empties);
    let prediction = ends.prediction(EndDepths { empties, shallow });
    let own = samples.iter().filter(|sample| sample.empties == empties);
    let errors = own.map(|sample| {
        let expected = prediction.slope * sample.known[1].1 + prediction.offset;
        [prediction.error, f64::from(sample.score) - expected]
    });
    Some(EmptiesError { empties, shallow, errors: Errors::of(errors)? })
}

fn trials(
    ends: &Ends,
    mut evaluator: Tables,
    samples: &[&Sample],
    work: &Work<'_>,
) -> Result<Vec<Trial>> {
    let mut trials = vec![];
    for (stage, deviations) in (1..).zip(TRIED_DEVIATIONS) {
        evaluator.models.ends = Some(ends.clone().with_deviations([deviations; CONFIDENCES]));
        let pruning = Pruning::default()
            .with_endgame(&evaluator, &EndgameSchedule::always(Selectivity::Percent73))?;
        let search = Search::new(&evaluator).pruning(pruning);
        let searchers = search.searchers()?;
        let trial = |sample: &&Sample| {
            let position = Position::new(sample.discs[0], sample.discs[1])?;
            let found = searchers.with(|searcher| {
                searcher.new_game();
                searcher.solve(&position)
            });
            let error = (found.value.score() - sample.score).unsigned_abs();
            Some([u64::from(error), found.nodes, sample.nodes])
        };
        // Some samples have too few empty squares for a trial, so the last units of work are empty.
        let found =
            work.results(stage, |number| Ok(samples.get(number as usize).and_then(&trial)))?;
        let found: Vec<[u64; 3]> = found.into_iter().flatten().collect();
        let share = |count: u64| count as f64 / found.len().max(1) as f64;
        let sum = |which: usize| found.iter().map(|one| one[which]).sum::<u64>();
        trials.push(Trial {
            deviations,
            positions: found.len() as u64,
            right: 100.0 * share(found.iter().filter(|one| one[0] == 0).count() as u64),
            mae: share(sum(0)),
            nodes: sum(1) as f64 / sum(2).max(1) as f64,
        });
    }
    Ok(trials)
}

/// Returns the cut threshold of each confidence, in standard deviations of the prediction. It is
/// interpolated between two `trials`, linearly in the logarithm of the share of wrong scores.
fn deviations(trials: &[Trial]) -> [f64; CONFIDENCES] {
    // A trial without wrong scores counts as half a wrong score, since log 0 is infinite.
    let wrong =
        |trial: &Trial| (1.0 - trial.right / 100.0).max(0.5 / trial.positions.max(1) as f64).ln();
    std::array::from_fn(|place| {
        let wanted = (1.0 - f64::from(Selectivity::ALL[place].percent()) / 100.0).ln();
        let pair = trials.windows(2).find(|pair| wrong(&pair[1]) <= wanted);
        let Some([less, more]) = pair.and_then(|pair| pair.first_chunk()) else {
            return trials.last().map_or(3.0, |last| last.deviations);
        };
        let share = (wrong(less) - wanted) / (wrong(less) - wrong(more)).max(f64::MIN_POSITIVE);
        less.deviations + share.clamp(0.0, 1.0) * (more.deviations - less.deviations)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibrate::testing::{assert_threads_change_nothing, in_memory, shipped};

    #[test]
    fn predictions_hold_on_positions_that_were_held_out_and_more_deviations_are_right_more_often() {
        let settings = Settings { seed: 1, positions: 1_400, most: 15 };
        let found = calibrate(&settings, &shipped(), &in_memory(stages(&settings))).unwrap();
        assert_eq!(found.empties.len(), 4);
        for EmptiesError { errors, .. } in &found.empties {
            let ratio = errors.observed / errors.predicted;
            assert!((0.7..1.4).contains(&ratio) && errors.predicted > 1.0, "{errors:?}");
        }
        let [least, .., most] = found.trials.as_slice() else { panic!("{:?}", found.trials) };
        assert!(least.right < most.right && most.right > 95.0, "{least:?} {most:?}");
        assert!(most.mae < least.mae && least.nodes < most.nodes && most.nodes < 1.0);
        assert!(found.confidences.is_sorted_by(|less, more| less.deviations <= more.deviations));
    }

    #[test]
    fn threads_change_no_prediction() {
        let settings = Settings { seed: 2, positions: 60, most: 13 };
        assert_threads_change_nothing(|| {
            calibrate(&settings, &shipped(), &in_memory(stages(&settings))).unwrap().ends
        });
    }

    #[test]
    fn a_confidence_lies_between_the_trials_next_to_it() {
        let trial =
            |deviations, right| Trial { deviations, positions: 1000, right, mae: 0.0, nodes: 0.5 };
        let found = deviations(&[trial(1.0, 60.0), trial(2.0, 90.0), trial(3.0, 99.0)]);
        // The trials have 40 % and 10 % of wrong scores. Confidence 73 % permits 27 %.
        let share = (0.4_f64 / 0.27).ln() / (0.4_f64 / 0.1).ln();
        assert!((found[0] - (1.0 + share)).abs() < 1e-9);
        assert!((1.0..2.0).contains(&found[1]) && (2.0..3.0).contains(&found[2]));
        assert!((found[4] - 3.0).abs() < 1e-9, "{found:?}");
        // If no trial reaches a confidence, the trial with the fewest wrong scores is used.
        assert_eq!(deviations(&[trial(1.0, 60.0), trial(2.0, 90.0)])[4], 2.0);
    }
}
