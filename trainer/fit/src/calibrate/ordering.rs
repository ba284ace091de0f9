//! Learns the evaluation that orders moves near the end of the game. A move's score combines the
//! value of this evaluation with the number of the opponent's replies. The calibration also chooses
//! the *strength*: the factor by which the score multiplies the value.

use std::fmt;

use othello_engine::board::{CORNERS, Discs, Position, QUADRANTS, Square, Squares};
use othello_engine::eval::{
    Evaluate, MoveOrdering, MoveOrderingWeights, STEPS_PER_DISC, Tables, Weights, nearest_weight,
};
use othello_engine::pattern::{Geometry, PatternSet};
use othello_engine::random::Generator;
use othello_engine::run::{Stage, size};
use othello_engine::search::{Search, Searcher};
use othello_engine::text::Invalid;
use othello_engine::text_table::table;
use rayon::prelude::*;
use serde::Serialize;

use super::Work;
use super::samples::{divided, per_part};
use super::siblings::{COUNTS, Family, Siblings};
use crate::source::Result;

/// The settings for a calibration of the move-ordering evaluation.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The pattern set of the move-ordering evaluation. It must not have scalar features.
    pub set: PatternSet,
    /// The seed of the games from which the positions to solve are taken.
    pub seed: u64,
    /// The maximum number of families (the positions after all moves of one position) to solve.
    pub families: u64,
    /// The maximum number of positions to solve with each tried strength; see [`Trial::strength`].
    pub searches: u64,
}

/// The result of a calibration.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Calibrated {
    /// The learned weights of the move-ordering evaluation, with the best of the tried strengths:
    /// the factor by which the score of a move multiplies the value of this evaluation.
    #[serde(skip)]
    pub weights: MoveOrderingWeights,
    /// The number of positions with exact scores, both those fitted to and those held out.
    pub positions: usize,
    /// The share (0 to 1) of the variance of scores between a position's moves that patterns and
    /// counts explain. A count is a number such as that of the opponent's replies. Measured on
    /// held-out positions.
    pub explained: f64,
    /// The share (0 to 1) of the variance of scores between a position's moves that counts alone
    /// explain, such as the number of the opponent's replies. Measured on held-out positions.
    pub explained_by_replies: f64,
    /// The strength (factor of the weights in a move score) with the fewest nodes in `trials`.
    pub strength: i16,
    /// The results of the searches, one entry for each tried strength.
    pub trials: Vec<Trial>,
}

impl fmt::Display for Calibrated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { positions, explained, explained_by_replies, strength, .. } = self;
        writeln!(
            f,
            "{positions} positions; {:.1} % of the variance between moves explained, {:.1} % by \
             replies alone",
            100.0 * explained,
            100.0 * explained_by_replies
        )?;
        let without = self.trials.first().map_or(1, |trial| trial.nodes.max(1));
        let columns = ["strength", "nodes", "ratio"];
        let rows = self.trials.iter().map(|Trial { strength, nodes }| {
            let ratio = *nodes as f64 / without as f64;
            [strength.to_string(), nodes.to_string(), format!("{ratio:.3}")]
        });
        write!(f, "{}\nstrength {strength}", table(columns, rows))
    }
}

/// The result of the searches with one strength of the move-ordering evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct Trial {
    /// The strength s. In the score that orders moves, a disc of the move-ordering evaluation
    /// counts s/32 points, a reply of the opponent −16 points. 0 switches the evaluation off.
    pub strength: i16,
    /// The total number of nodes of the exact searches of all trial positions with `strength`.
    pub nodes: u64,
}

/// The numbers of empty squares of the positions whose moves are solved for the fit.
const EMPTIES: [u32; 4] = [10, 11, 12, 13];
const TRIAL_EMPTIES: u32 = 17;
/// One in this many families (the positions after all moves of one position) is held out from the
/// fit, to measure its errors.
const HELD_OUT: usize = 10;
/// The L2 penalty of a pattern weight. It pulls the weight towards 0 like this many occurrences of
/// the pattern's configuration.
const RIDGE: f64 = 10.0;

/// An L2 penalty so large that all pattern weights are 0. Scores are then predicted from counts
/// alone, such as the number of the opponent's replies.
const COUNTS_ALONE: f64 = 1e18;

/// Returns the stages of the calibration. The first finds the exact scores to which the weights are
/// fitted. Each of the others tries one strength ([`Trial::strength`]).
pub fn stages(settings: &Settings) -> Vec<Stage> {
    // A position has about eight moves to solve. Its game takes about 30 searches of depth 2.
    let family = 8.0 * size::solve(EMPTIES[1]) + 30.0 * size::search(2);
    let name = "solve (positions with all moves)";
    let families = Stage::new(name, settings.families, per_part(family));
    let searches = |strength: usize| {
        let name = format!("strength {} of {} (searches)", strength + 1, STRENGTHS.len());
        Stage::new(name, settings.searches, per_part(size::solve(TRIAL_EMPTIES)))
    };
    std::iter::once(families).chain((0..STRENGTHS.len()).map(searches)).collect()
}

/// Fits the weights of the move-ordering evaluation to exact scores, and chooses the strength with
/// which a search uses them ([`Trial::strength`]). Equal inputs give equal results.
pub fn calibrate(settings: &Settings, weights: &Weights, work: &Work<'_>) -> Result<Calibrated> {
    let with = |strength, steps| {
        MoveOrderingWeights::new(settings.set.clone(), strength, steps).map_err(|reason| {
            let name = settings.set.name();
            Invalid(format!("the pattern set `{name}` cannot order moves: {reason}"))
        })
    };
    let geometry = Geometry::new(&settings.set);
    let parameters = geometry.parameters();
    with(0, vec![0; parameters])?;

    let mut evaluator = Tables::new(weights);
    evaluator.ordering = None;
    let [learned, held_out] = families(settings, &geometry, &evaluator, work)?;
    let found = learned.fit(parameters, RIDGE);
    let by_counts = learned.fit(parameters, COUNTS_ALONE);

    let steps: Vec<i16> = found.weights.iter().map(|&weight| nearest_weight(weight)).collect();
    let positions = trial_positions(settings, &evaluator)?;
    let mut trials = vec![];
    let natural = 16.0 * 1024.0 / (f64::from(STEPS_PER_DISC) * found.counts[0].max(0.1));
    let strengths = STRENGTHS.map(|times| (times * natural).round() as i16);
    for (stage, strength) in (1..).zip(strengths) {
        evaluator.ordering = Some(MoveOrdering::new(&with(strength, steps.clone())?));
        trials.push(Trial { strength, nodes: nodes(stage, &positions, &evaluator, work)? });
    }
    let best = trials.iter().min_by_key(|trial| trial.nodes).map_or(0, |trial| trial.strength);
    Ok(Calibrated {
        weights: with(best, steps)?,
        positions: learned.len() + held_out.len(),
        explained: held_out.explained(&found),
        explained_by_replies: held_out.explained(&by_counts),
        strength: best,
        trials,
    })
}

/// The strengths to try, as multiples of a natural strength. With the natural strength, the score
/// of a move weighs patterns against replies in the same ratio as the least-squares fit does.
const STRENGTHS: [f64; 6] = [0.0, 0.125, 0.25, 0.375, 0.5, 1.0];

/// Returns families ([`Family`]: the positions after all moves of one position) with exact scores:
/// those to which the weights are fitted, and those held out from the fit.
fn families(
    settings: &Settings,
    geometry: &Geometry,
    evaluator: &Tables,
    work: &Work<'_>,
) -> Result<[Siblings; 2]> {
    let searchers = Search::new(evaluator).searchers()?;
    let solved = work.results(0, |number| {
        let empties = EMPTIES[number as usize % EMPTIES.len()];
        let random = Generator::split(settings.seed, number);
        Ok(searchers.with(|searcher| {
            let position = play_to(empties, random, searcher)?;
            Some(([position.player(), position.opponent()], scores(&position, searcher)))
        }))
    })?;
    let family = |([player, opponent], scores): ([u64; 2], Vec<Discs>)| {
        Some(family_of(&Position::new(player, opponent)?, &scores, geometry))
    };
    let found: Vec<Family> = solved.into_par_iter().flatten().filter_map(family).collect();
    let siblings = |families: Vec<&Family>| Siblings::of(geometry.instances.len(), families);
    Ok(divided(&found, HELD_OUT).map(siblings))
}

/// Returns the opponent's exact score after each legal move of the position.
fn scores<E: Evaluate>(position: &Position, searcher: &mut Searcher<'_, E>) -> Vec<Discs> {
    let score = |square: Square| {
        searcher.new_game();
        searcher.solve(&position.after(square, position.flips(square))).value.score()
    };
    Squares(position.moves()).map(score).collect()
}

fn family_of(position: &Position, scores: &[Discs], geometry: &Geometry) -> Family {
    let member = |(square, &score): (Square, &Discs)| {
        let child = position.after(square, position.flips(square));
        let parameters = geometry.parameters_of(&child).map(|parameter| parameter as u32);
        (parameters.collect(), counts(position, square, &child), f64::from(score))
    };
    Squares(position.moves()).zip(scores).map(member).collect()
}

fn counts(position: &Position, square: Square, child: &Position) -> [f64; COUNTS] {
    let odd = (position.empty() & QUADRANTS[square.quadrant()]).count_ones() % 2;
    let replies = child.moves();
    [replies.count_ones(), (replies & CORNERS).count_ones(), odd].map(f64::from)
}

/// Plays a game until `empties` squares are empty. Returns the last position; `None` if the game
/// ends earlier, or if that position has no legal move. The first 10 to 19 moves and the last 4 are
/// random, because a search also visits bad positions. A search of depth 2 chooses the others.
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

fn trial_positions(settings: &Settings, evaluator: &Tables) -> Result<Vec<Position>> {
    let searchers = Search::new(evaluator).searchers()?;
    let numbers = (settings.families..settings.families + settings.searches).into_par_iter();
    let position = |number| {
        let random = Generator::split(settings.seed, number);
        searchers.with(|searcher| play_to(TRIAL_EMPTIES, random, searcher))
    };
    Ok(numbers.filter_map(position).collect())
}

fn nodes(stage: usize, positions: &[Position], evaluator: &Tables, work: &Work<'_>) -> Result<u64> {
    let searchers = Search::new(evaluator).searchers()?;
    // Some games end before `TRIAL_EMPTIES` empty squares, so the last units of work are empty.
    let nodes = work.results(stage, |number| {
        Ok(positions.get(number as usize).map_or(0, |position| {
            searchers.with(|searcher| {
                searcher.new_game();
                searcher.solve(position).nodes
            })
        }))
    })?;
    Ok(nodes.into_iter().sum())
}

#[cfg(test)]
mod tests {
    use othello_engine::random::random_position;

    use super::*;
    use crate::calibrate::testing::{assert_threads_change_nothing, in_memory, shipped};

    fn settings(families: u64) -> Settings {
        let set = PatternSet::shipped("ordering").unwrap();
        Settings { set, seed: 3, families, searches: 8 }
    }

    fn run(settings: &Settings, weights: &Weights) -> Result<Calibrated> {
        calibrate(settings, weights, &in_memory(stages(settings)))
    }

    fn weights() -> Weights {
        Weights::zero(PatternSet::shipped("discs").unwrap())
    }

    #[test]
    fn patterns_explain_more_than_replies_and_save_nodes() {
        let found = run(&settings(1000), &shipped()).unwrap();
        let (explained, by_replies) = (found.explained, found.explained_by_replies);
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
        let learned = || run(&settings(30), &weights()).unwrap().weights;
        assert_threads_change_nothing(learned);
    }

    #[test]
    fn a_set_with_scalars_is_refused_before_any_work() {
        let set = PatternSet::shipped("standard").unwrap();
        let settings = Settings { set, ..settings(u64::MAX) };
        let error = run(&settings, &weights()).unwrap_err().to_string();
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
