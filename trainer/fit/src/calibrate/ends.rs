//! Calibrates the model behind selective searches to the end: how well shallow searches predict
//! scores near the end.
//!
//! Positions come from games that the evaluation plays against itself: some as they occur, some
//! after one or two random moves, since most positions of a search do not occur in good play. The
//! predictions are fitted to their scores. Then whole searches to the end are tried with several
//! numbers of standard deviations. Each confidence gets the number at which this share of the
//! scores is right.

use othello_engine::board::{Discs, Position, Squares};
use othello_engine::eval::{CONFIDENCES, EndDepths, Ends, Evaluate, Models, Tables, Weights};
use othello_engine::progress::Progress;
use othello_engine::random::Generator;
use othello_engine::search::{
    EndgameSchedule, Pruning, Search, Searcher, Selectivity, shallow_depth_of_end,
};
use othello_engine::selfplay::{Beginnings, Players, Schedule, Settings as Play, play};
use rayon::prelude::*;
use serde::Serialize;

use super::regression::{mean_and_error, root_mean_squares};
use super::{CalibrateError, of_each, part};

/// The settings of a calibration.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed of the games.
    pub seed: u64,
    /// The number of positions, each from a game of its own.
    pub positions: u64,
    /// The greatest number of empty squares of a position.
    pub empties: u32,
}

/// The least number of empty squares of a position whose score is predicted.
const LEAST_EMPTIES: u32 = 12;
/// The difference between the greatest number of empty squares and that of the positions that whole
/// searches are tried on.
const BELOW_GREATEST: u32 = 1;
/// The depth of the games' moves.
const DEPTH: u32 = 4;
/// The number of random moves at the beginning of the games.
const RANDOM_PLIES: std::ops::RangeInclusive<u8> = 8..=20;
/// The most random moves before a position.
const MOST_CHANCE: u32 = 2;
/// One of this many positions is kept for the trials of whole searches.
const HELD_OUT: usize = 5;
/// The numbers of standard deviations that are tried.
const TRIED: [f64; 6] = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0];

/// A calibrated model, and its performance on positions that it was not fitted to.
#[derive(Clone, Debug)]
pub struct Calibrated {
    /// The model.
    pub ends: Ends,
    /// The errors by the number of empty squares.
    pub empties: Vec<EmptiesError>,
    /// The trials of whole searches, by standard deviations.
    pub trials: Vec<Trial>,
    /// The numbers of standard deviations by confidence, in percent.
    pub confidences: Vec<Confidence>,
}

/// The error of the predictions at one number of empty squares, in discs.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct EmptiesError {
    /// The number of empty squares.
    pub empties: u32,
    /// The depth of the search that predicts the score.
    pub shallow: u32,
    /// The number of positions.
    pub positions: u64,
    /// The root mean square of the errors that the model expects.
    pub predicted: f64,
    /// The root mean square of the actual errors.
    pub observed: f64,
}

/// The performance of whole searches to the end whose cuts keep a number of standard deviations.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct Trial {
    /// The number of standard deviations.
    pub deviations: f64,
    /// The number of positions.
    pub positions: u64,
    /// The share of scores that are right, in percent.
    pub right: f64,
    /// The mean absolute error of the scores, in discs.
    pub mae: f64,
    /// The nodes relative to those of full-width searches.
    pub nodes: f64,
}

/// The number of standard deviations that gives a confidence.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct Confidence {
    /// The confidence in percent.
    pub percent: u32,
    /// The number of standard deviations.
    pub deviations: f64,
}

/// A position with its score, and with the values known before the score.
struct Sample {
    position: Position,
    score: Discs,
    /// The nodes of the search that found the score.
    nodes: u64,
    /// The static value and that of the shallow search, in discs, each with its depth.
    known: [(u32, f64); 2],
}

/// Fits the model. The same weights, settings and seed give the same result.
pub fn calibrate(
    settings: &Settings,
    weights: &Weights,
    progress: &dyn Progress,
) -> Result<Calibrated, CalibrateError> {
    let evaluator = Tables::new(weights);
    let samples = samples(settings, &evaluator, progress)?;
    let ends = fit(part(&samples, HELD_OUT, false))?;
    let held_out: Vec<&Sample> = part(&samples, HELD_OUT, true).collect();
    let empties = LEAST_EMPTIES..=settings.empties;
    let empties = empties.filter_map(|empties| empties_error(&ends, &held_out, empties)).collect();
    let least = settings.empties.saturating_sub(BELOW_GREATEST);
    let tried: Vec<&Sample> =
        held_out.into_iter().filter(|sample| sample.position.empties() >= least).collect();
    let trials = trials(&ends, evaluator, &tried, progress)?;
    let deviations = deviations(&trials);
    let confidences = Selectivity::ALL.into_iter().zip(deviations);
    let confidences = confidences
        .map(|(one, deviations)| Confidence { percent: one.percent(), deviations })
        .collect();
    Ok(Calibrated { ends: ends.with_deviations(deviations), empties, trials, confidences })
}

fn samples<E: Evaluate>(
    settings: &Settings,
    evaluator: &E,
    progress: &dyn Progress,
) -> Result<Vec<Sample>, CalibrateError> {
    let play = Play::new(settings.seed, Schedule::evenly(RANDOM_PLIES), DEPTH, 0);
    let beginnings = Beginnings::new(&play);
    let searchers = Search::new(evaluator).searchers()?;
    progress.begin_stoppable("ends (positions)", 0, settings.positions);
    let found = of_each((0..settings.positions).into_par_iter(), progress, |number| {
        searchers.with(|searcher| sample(settings, &beginnings, number, searcher))
    });
    Ok(found?.into_iter().flatten().collect())
}

/// Returns a sample of one game; `None` where the game ends before the number of empty squares
/// drawn.
fn sample<E: Evaluate>(
    settings: &Settings,
    beginnings: &Beginnings<'_>,
    number: u64,
    searcher: &mut Searcher<'_, E>,
) -> Option<Sample> {
    let mut random = Generator::split(settings.seed, number);
    let chance = random.below(MOST_CHANCE + 1);
    let empties = LEAST_EMPTIES + random.below(settings.empties + 1 - LEAST_EMPTIES);
    let game = play(beginnings, number, &mut Players::Same(searcher));
    let replay = game.replay();
    let from = replay.steps.iter().find(|step| step.position.empties() == empties + chance)?;
    let mut position = from.position;
    for _ in 0..chance {
        let moves: Vec<_> = Squares(position.moves()).collect();
        let square = moves.get(random.below(moves.len() as u32) as usize)?;
        position = position.play(*square)?;
        if position.moves() == 0 {
            position = position.pass();
            (position.moves() != 0).then_some(())?;
        }
    }
    searcher.new_game();
    let known = [0, shallow_depth_of_end(position.empties())]
        .map(|depth| (depth, searcher.search(&position, depth).value.discs()));
    searcher.new_game();
    let solution = searcher.solve(&position);
    Some(Sample { position, score: solution.score, nodes: solution.nodes, known })
}

/// Returns the depths that the error of a known value depends on.
fn depths(sample: &Sample, shallow: u32) -> EndDepths {
    EndDepths { empties: sample.position.empties(), shallow }
}

fn fit<'s>(samples: impl Iterator<Item = &'s Sample>) -> Result<Ends, CalibrateError> {
    let pairs: Vec<(EndDepths, f64, f64)> = samples
        .flat_map(|sample| {
            let score = f64::from(sample.score);
            sample.known.iter().map(move |&(depth, value)| (depths(sample, depth), value, score))
        })
        .collect();
    let mean_terms = pairs.iter().map(|&(depths, value, _)| depths.mean_terms(value)).collect();
    let error_terms = pairs.iter().map(|(depths, _, _)| depths.error_terms()).collect();
    let scores = pairs.iter().map(|&(_, _, score)| score).collect();
    let (mean, error) = mean_and_error(mean_terms, error_terms, scores);
    let usual = std::array::from_fn(|place| Selectivity::ALL[place].deviations().unwrap_or(0.0));
    Ends::new(mean, error, usual).map_err(CalibrateError::Model)
}

fn empties_error(ends: &Ends, samples: &[&Sample], empties: u32) -> Option<EmptiesError> {
    let shallow = shallow_depth_of_end(empties);
    let own = samples.iter().filter(|sample| sample.position.empties() == empties);
    let errors: Vec<[f64; 2]> = own
        .map(|sample| {
            let prediction = ends.prediction(EndDepths { empties, shallow });
            let expected = prediction.slope * sample.known[1].1 + prediction.offset;
            [prediction.error, f64::from(sample.score) - expected]
        })
        .collect();
    let [predicted, observed] = root_mean_squares(&errors)?;
    let positions = errors.len() as u64;
    Some(EmptiesError { empties, shallow, positions, predicted, observed })
}

/// Solves positions by searches whose cuts keep several numbers of standard deviations.
fn trials(
    ends: &Ends,
    mut evaluator: Tables,
    samples: &[&Sample],
    progress: &dyn Progress,
) -> Result<Vec<Trial>, CalibrateError> {
    progress.begin_stoppable("ends (trials)", 0, (TRIED.len() * samples.len()) as u64);
    let mut trials = vec![];
    for deviations in TRIED {
        let tried = ends.clone().with_deviations([deviations; CONFIDENCES]);
        let models = Models { ends: Some(tried), ..evaluator.models().clone() };
        evaluator = evaluator.with_models(models);
        let pruning = Pruning::default()
            .with_endgame(&evaluator, &EndgameSchedule::always(Selectivity::Percent73))?;
        let search = Search::new(&evaluator).pruning(pruning);
        let searchers = search.searchers()?;
        let found: Vec<[u64; 3]> = of_each(samples.par_iter(), progress, |sample| {
            let found = searchers.with(|searcher| {
                searcher.new_game();
                searcher.solve(&sample.position)
            });
            [u64::from((found.score - sample.score).unsigned_abs()), found.nodes, sample.nodes]
        })?;
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

/// Returns the numbers of standard deviations at which the shares of right scores equal the
/// confidences. Interpolates between the two nearest trials on the logarithm of the share of wrong
/// scores.
fn deviations(trials: &[Trial]) -> [f64; CONFIDENCES] {
    // A trial without a wrong score shows only that they are few.
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
    use crate::calibrate::testing::{assert_threads_change_nothing, shipped};
    use othello_engine::progress::Silent;

    #[test]
    fn predictions_hold_on_positions_that_were_held_out_and_more_deviations_are_right_more_often() {
        let settings = Settings { seed: 1, positions: 1_400, empties: 15 };
        let found = calibrate(&settings, &shipped(), &Silent).unwrap();
        assert_eq!(found.empties.len(), 4);
        for row in &found.empties {
            let ratio = row.observed / row.predicted;
            assert!((0.7..1.4).contains(&ratio) && row.predicted > 1.0, "{row:?}");
        }
        let [least, .., most] = found.trials.as_slice() else { panic!("{:?}", found.trials) };
        assert!(least.right < most.right && most.right > 95.0, "{least:?} {most:?}");
        assert!(most.mae < least.mae && least.nodes < most.nodes && most.nodes < 1.0);
        assert!(found.confidences.is_sorted_by(|less, more| less.deviations <= more.deviations));
    }

    #[test]
    fn threads_change_no_prediction() {
        let settings = Settings { seed: 2, positions: 150, empties: 13 };
        assert_threads_change_nothing(|| calibrate(&settings, &shipped(), &Silent).unwrap().ends);
    }

    #[test]
    fn a_confidence_lies_between_the_trials_next_to_it() {
        let trial =
            |deviations, right| Trial { deviations, positions: 1000, right, mae: 0.0, nodes: 0.5 };
        let found = deviations(&[trial(1.0, 60.0), trial(2.0, 90.0), trial(3.0, 99.0)]);
        // 27 % wrong lies between 40 % and 10 % on the scale of logarithms.
        let share = (0.4_f64 / 0.27).ln() / (0.4_f64 / 0.1).ln();
        assert!((found[0] - (1.0 + share)).abs() < 1e-9);
        assert!((1.0..2.0).contains(&found[1]) && (2.0..3.0).contains(&found[2]));
        assert!((found[4] - 3.0).abs() < 1e-9, "{found:?}");
        // If no trial is sure enough, the surest counts.
        assert_eq!(deviations(&[trial(1.0, 60.0), trial(2.0, 90.0)])[4], 2.0);
    }
}
