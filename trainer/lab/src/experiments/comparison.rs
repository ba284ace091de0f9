//! The comparison of two recipes: paired errors on test games, and a match.

use std::path::Path;
use std::time::Instant;

use othello_engine::board::notation::board_text;
use othello_engine::board::{Discs, Phase, Position, Side};
use othello_engine::eval::Evaluator;
use othello_engine::progress::Progress;
use othello_engine::run::Stage;
use othello_engine::search::Strength;
use serde::Serialize;
use serde_json::{Value, json};

use super::fits::{Study, digest};
use super::{CONFIDENCE, Difference, Needed, Recipe, Verdict};
use crate::arena::{
    Choice, Conditions, KeptMatch, Match, Sprt, SprtReport, Statistics, match_stage,
};
use crate::{LabError, Result};
use othello_fit::metrics::{ErrorsByGame, Overlap};

/// The settings of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Comparing<'a> {
    /// The number of seeds for each recipe. The first seed is the one in the recipe's settings.
    pub seeds: u64,
    /// The smallest difference of the mean absolute errors that matters, in discs.
    pub smallest: f64,
    /// The openings of the match; `None` for no match.
    pub openings: Option<&'a [Position]>,
    /// The depth of the match's searches, and the empty squares at or below which players solve.
    pub strength: Strength,
    /// The sequential test that ends the match, if any.
    pub sprt: Option<Sprt>,
}

/// Returns the openings of a match, drawn from a file.
pub fn openings(path: &Path, count: usize, progress: &dyn Progress) -> Result<Vec<Position>> {
    /// The largest absolute label, in discs, of a position that may be drawn as an opening.
    const WITHIN: Discs = 10;
    Ok(Choice { count, seed: 1, within: WITHIN }.draw(path, progress)?)
}

/// The comparison of two recipes.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Comparison {
    /// The name of the first recipe.
    pub first: String,
    /// The name of the second recipe.
    pub second: String,
    /// The better recipe, `first` or `second`; `equal` if no difference is proven.
    pub verdict: Verdict,
    /// The difference between the mean absolute errors of the recipes.
    pub errors: ComparedErrors,
    /// The match, if there was one.
    #[serde(rename = "match")]
    pub played: Option<Played>,
    /// The number of seeds with which each recipe was fitted.
    pub seeds: u64,
    /// The number of test games.
    pub test_games: usize,
    /// The kinds of labels of the test positions, with the number of positions of each kind.
    pub test_labels: Vec<(String, u64)>,
    /// The numbers of test games and positions that are also in the training data.
    pub training_has: Overlap,
    /// The time of the comparison, in seconds.
    pub seconds: f64,
}

/// The match of a comparison.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Played {
    /// The statistics of the pairs.
    #[serde(flatten)]
    pub statistics: Statistics,
    /// The sequential test, if there was one.
    pub sprt: Option<SprtReport>,
}

/// The difference of the errors of two recipes.
#[derive(Serialize, schemars::JsonSchema)]
pub struct ComparedErrors {
    /// The mean absolute error of the first recipe minus that of the second, in discs.
    pub difference: f64,
    /// Half the width of the confidence interval of `difference`, in discs.
    pub difference_error: f64,
    /// The confidence level of the intervals, 0 to 1.
    pub confidence: f64,
    /// The smallest difference that matters, in discs, as the user stated it.
    pub smallest: f64,
    /// The numbers of seeds and test games that would prove a difference of `smallest`.
    pub needed: Needed,
    /// The comparison in each phase that has test positions.
    pub phases: Vec<ComparedPhase>,
}

/// The errors of two recipes on the positions of a phase.
#[derive(Serialize, schemars::JsonSchema)]
pub struct ComparedPhase {
    /// The phase.
    pub phase: Phase,
    /// The total weight of the test positions of this phase, in occurrences.
    pub positions: f64,
    /// The mean absolute error of the first recipe, in discs.
    pub first_mae: f64,
    /// The mean absolute error of the second recipe, in discs.
    pub second_mae: f64,
    /// The mean absolute error of the first recipe minus that of the second, in discs.
    pub difference: f64,
    /// Half the width of the confidence interval of `difference`, in discs.
    pub difference_error: f64,
}

impl ComparedErrors {
    /// The smallest difference that matters if the user states none, in discs.
    pub const SMALLEST: f64 = 0.02;

    /// Compares two recipes on `phases`: for each seed, `pairs` has their errors on the same games.
    /// `smallest` is the least difference that matters, in discs. Returns `None` without positions.
    pub fn of(
        pairs: &[[ErrorsByGame; 2]],
        phases: &[Phase],
        smallest: f64,
    ) -> Option<(Self, Difference)> {
        let all: Vec<usize> = phases.iter().copied().map(Phase::index).collect();
        let difference = Difference::of(pairs, &all)?;
        let estimate = difference.estimate();
        let errors = Self {
            difference: estimate.discs,
            difference_error: estimate.error,
            confidence: CONFIDENCE,
            smallest,
            needed: difference.needed(smallest),
            phases: phases.iter().filter_map(|&phase| row(pairs, phase)).collect(),
        };
        Some((errors, difference))
    }
}

impl Comparing<'_> {
    /// Returns the stages of the run: the fits, then the match, if there is one.
    pub fn stages(&self) -> Vec<Stage> {
        let played = self.openings.map(|openings| {
            let (pairs, seconds) = (openings.len() as u64, Match::seconds_at(self.strength));
            match_stage("match (pairs)", pairs, seconds, self.sprt)
        });
        std::iter::once(Stage::new("compare (fits)", 2 * self.seeds, 1)).chain(played).collect()
    }

    /// Returns the settings on which the stored results of the run depend.
    pub fn to_json(&self) -> Value {
        let boards = self.openings.map(|openings| {
            let board = |opening: &Position| board_text(opening, Side::Black);
            digest(&openings.iter().map(board).collect::<Vec<_>>())
        });
        let Strength { depth, exact } = self.strength;
        json!({"seeds": self.seeds, "openings": boards, "strength": [depth, exact], "sprt": self.sprt})
    }

    /// Prints the expected time and the smallest difference that the comparison can prove. Then
    /// fits both recipes with every seed, measures their errors, and plays the match, if there is
    /// one. `begun` is when the command began.
    pub fn compare(
        &self,
        recipes: [Recipe; 2],
        study: &Study<'_>,
        begun: Instant,
    ) -> Result<Comparison> {
        study.progress.message(&self.expected(&recipes, study)?);
        let fitted = study.fits(0, |unit| {
            let (which, number) = (unit as usize % 2, unit / 2);
            let (recipe, name) = (&recipes[which], ["first", "second"][which]);
            study.fit(recipe, &recipe.settings_of(number), &format!("{name}-{number}"))
        })?;
        let weights = fitted.iter().map(|one| study.weights(one)).collect::<Result<Vec<_>, _>>()?;
        let (pairs, _) = weights.as_chunks();
        let of_pair = |pair: &[Evaluator; 2]| {
            pair.each_ref().map(|weights| ErrorsByGame::of(weights, &study.test))
        };
        let errors: Vec<[ErrorsByGame; 2]> = pairs.iter().map(of_pair).collect();
        let phases: Vec<Phase> = study.settings.phases.iter().collect();
        let compared = ComparedErrors::of(&errors, &phases, self.smallest);
        let (errors, difference) = compared.ok_or(LabError::NoTestPositions)?;
        let names = recipes.map(|recipe| recipe.name);
        let played = self.play(&names, pairs, study)?;
        let [first, second] = names;
        Ok(Comparison {
            first,
            second,
            verdict: verdict(&difference, played.as_ref()),
            errors,
            played,
            seeds: self.seeds,
            test_games: study.test.len(),
            test_labels: study.labels(),
            training_has: study.overlap.clone(),
            seconds: begun.elapsed().as_secs_f64(),
        })
    }

    /// Plays the openings until a sequential test decides or none is left. Each seed's two
    /// evaluations play an equal share of the openings.
    fn play(
        &self,
        names: &[String; 2],
        pairs: &[[Evaluator; 2]],
        study: &Study<'_>,
    ) -> Result<Option<Played>> {
        let &Self { openings, strength, sprt, .. } = self;
        let Some(openings) = openings else { return Ok(None) };
        let players = pairs.iter().map(|[first, second]| Match {
            first: first.into(),
            second: second.into(),
            strength,
        });
        let conditions = Conditions {
            players: names.clone(),
            depth: strength.depth,
            exact: strength.exact,
            budgets: Default::default(),
            sprt,
        };
        let players: Vec<_> = players.collect();
        let kept = KeptMatch { players: &players, openings, conditions: &conditions };
        let statistics = kept.play_stage(&study.run, 1, study.progress)?.statistics();
        let sprt = sprt.map(|sprt| sprt.report(&statistics.pentanomial));
        Ok(Some(Played { statistics, sprt }))
    }
}

/// Returns which recipe is better by the errors or, if these prove nothing, by the match.
fn verdict(difference: &Difference, played: Option<&Played>) -> Verdict {
    match (difference.verdict(), played) {
        (Verdict::Equal, Some(played)) => played.verdict(),
        (verdict, _) => verdict,
    }
}

impl Played {
    /// Returns the verdict by the p-value or, with a sequential test, by the test's interval.
    fn verdict(&self) -> Verdict {
        let Self { statistics: Statistics { elo, p_value, .. }, sprt } = self;
        let [above, below] = match sprt {
            Some(SprtReport { elo_interval: [low, high], .. }) => {
                [low.is_some_and(|low| low >= 0.0), high.is_some_and(|high| high <= 0.0)]
            }
            None => [*elo > 0.0, *elo < 0.0].map(|side| side && *p_value < 1.0 - CONFIDENCE),
        };
        match [above, below] {
            [true, _] => Verdict::First,
            [_, true] => Verdict::Second,
            _ => Verdict::Equal,
        }
    }
}

/// Returns the errors of two recipes in a phase; `None` if the phase has no test positions.
fn row(errors: &[[ErrorsByGame; 2]], phase: Phase) -> Option<ComparedPhase> {
    let phases = [phase.index()];
    let estimate = Difference::of(errors, &phases)?.estimate();
    let mean = |which: usize| -> Option<f64> {
        let of_seed = |pair: &[ErrorsByGame; 2]| pair[which].on(&phases).mean_of_all();
        let sum: f64 = errors.iter().map(of_seed).sum::<Option<f64>>()?;
        Some(sum / errors.len() as f64)
    };
    Some(ComparedPhase {
        phase,
        positions: errors.first()?[0].weight.column(phase.index()).sum(),
        first_mae: mean(0)?,
        second_mae: mean(1)?,
        difference: estimate.discs,
        difference_error: estimate.error,
    })
}
