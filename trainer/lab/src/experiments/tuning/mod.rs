//! The search for the values of a recipe's entries with the smallest error, by successive halving.

mod record;

use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value as Json;

use super::fits::{Study, StudyError};
use super::{AtAnEnd, CONFIDENCE, Choices, Recipe, Standing, Values, standings};
use othello_fit::dataset::Share;
use othello_fit::fit::FitError;
use othello_fit::metrics::GameErrors;
pub use record::Record;
use record::RecordFile;

/// The settings of a search for values.
#[derive(Clone, Copy, Debug)]
pub struct Tuning<'a> {
    /// The name of the recipe.
    pub name: &'a str,
    /// The file of the recipe.
    pub recipe: &'a Path,
    /// The values to try.
    pub choices: &'a Choices,
    /// The number of rounds; `None` for as many as leave two trials, at most 5.
    pub rounds: Option<u32>,
    /// True if early rounds have fewer games, false if they have fewer seeds.
    pub by_data: bool,
    /// The number of fits of each combination, in the last round.
    pub seeds: u64,
}

/// The settings of a round.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Round {
    /// The number of the round, counted from 1.
    number: u32,
    share: Share,
    seeds: u64,
    is_last: bool,
}

/// The result of a search for values.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Tuned {
    /// The name of the recipe.
    pub recipe: String,
    /// The trials, one for each combination of each round, the rounds in their order.
    pub trials: Vec<Record>,
    /// The combination with the smallest error in the last round.
    pub best: Json,
    /// The trial's mean absolute error in discs.
    pub mae: f64,
    /// The confidence of the outcomes.
    pub confidence: f64,
    /// The number of rounds.
    pub rounds: u32,
    /// The number of test games.
    pub test_games: usize,
    /// The kinds of labels of the test positions, with the number of each.
    pub test_labels: Vec<(String, u64)>,
    /// The entries whose best value is the smallest or the largest of those tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_an_end: Vec<AtAnEnd>,
    /// The time of the search, in seconds.
    pub seconds: f64,
}

impl Tuning<'_> {
    /// Fits these combinations in rounds, and leaves out what is proven worse; the time counts from
    /// `begun`.
    pub fn tune(
        &self,
        mut trials: Vec<Values>,
        study: &Study<'_>,
        begun: Instant,
    ) -> Result<Tuned, StudyError> {
        let rounds = self.rounds.unwrap_or_else(|| default_rounds(trials.len()));
        let progress = study.progress();
        let provenance = study.provenance("tune", self.recipe)?;
        let mut file = RecordFile::open(&provenance, study.settings())?;
        for number in 1..=rounds {
            if number > 1 && trials.len() < 2 {
                let left = rounds + 1 - number;
                progress.message(&format!(
                    "all others are proven worse, so that {left} of {rounds} rounds are left out"
                ));
                break;
            }
            let round = self.round(number, rounds);
            progress.message(&format!(
                "round {number} of {rounds}: {} combinations, {} of the games, {} seeds",
                trials.len(),
                round.share,
                round.seeds
            ));
            let outcomes = run_round(round, self.recipe, &trials, study, &mut file)?;
            let mut outcomes = outcomes.into_iter();
            trials.retain(|_| outcomes.next().is_some_and(Standing::goes_on));
        }
        let rounds = file.rounds();
        let best = file.best().ok_or(StudyError::AllDiverged)?;
        Ok(Tuned {
            recipe: self.name.to_owned(),
            at_an_end: self.choices.at_an_end(&best.values),
            best: best.values.clone(),
            mae: best.mae.unwrap_or(f64::NAN),
            trials: file.into_records(),
            confidence: CONFIDENCE,
            rounds,
            test_games: study.test().len(),
            test_labels: study.labels(),
            seconds: begun.elapsed().as_secs_f64(),
        })
    }

    fn round(&self, number: u32, rounds: u32) -> Round {
        let part = 0.5_f64.powi((rounds - number).cast_signed());
        let (share, seeds) = match self.by_data {
            // A power of one half is a share.
            true => (Share::try_from(part).unwrap_or(Share::ALL), self.seeds),
            false => (Share::ALL, ((self.seeds as f64 * part).round() as u64).max(2)),
        };
        Round { number, share, seeds, is_last: number == rounds }
    }
}

/// Returns the number of rounds after which two of `trials` combinations are left, at most 5.
fn default_rounds(trials: usize) -> u32 {
    trials.next_power_of_two().ilog2().clamp(1, 5)
}

/// Fits all trials of a round and returns the result of each.
fn run_round(
    round: Round,
    recipe: &Path,
    trials: &[Values],
    study: &Study<'_>,
    file: &mut RecordFile,
) -> Result<Vec<Standing>, StudyError> {
    let first = file.begin_round(trials.iter().map(|values| Record {
        round: round.number,
        share: round.share,
        trial: values.id(),
        values: values.to_json(),
        name: values.to_string(),
        by_seed: vec![],
        mae: None,
        difference: None,
        difference_error: None,
        outcome: None,
    }));
    let mut errors: Vec<Vec<GameErrors>> = vec![vec![]; trials.len()];
    // Seed by seed, since trials with the same seed share their data.
    for seed in 0..round.seeds {
        for (number, values) in trials.iter().enumerate() {
            let record = &mut file.records_mut()[first + number];
            if record.outcome == Some(Standing::Diverged) {
                continue;
            }
            let recipe = Recipe::read_with(recipe, values)?;
            match fit(&recipe, &values.id(), seed, round.share, study)? {
                None => {
                    errors[number].clear();
                    record.outcome = Some(Standing::Diverged);
                }
                Some(found) => {
                    let mae = found.mean_of_all();
                    record.by_seed.push(mae.ok_or(StudyError::NoPositions)?);
                    errors[number].push(found);
                }
            }
            file.write()?;
        }
    }
    let standings = standings(&errors, round.is_last);
    for (record, (outcome, difference)) in file.records_mut()[first..].iter_mut().zip(&standings) {
        record.outcome = Some(*outcome);
        if *outcome != Standing::Diverged {
            record.mae = Some(record.by_seed.iter().sum::<f64>() / record.by_seed.len() as f64);
            record.difference = difference.map(|difference| difference.discs);
            record.difference_error = difference.map(|difference| difference.error);
        }
    }
    file.write()?;
    Ok(standings.into_iter().map(|(outcome, _)| outcome).collect())
}

/// Returns the errors of a fit; `None` if its weights went out of bounds.
fn fit(
    recipe: &Recipe,
    trial: &str,
    seed: u64,
    share: Share,
    study: &Study<'_>,
) -> Result<Option<GameErrors>, StudyError> {
    let settings = recipe.settings_with(seed, share);
    match study.fit(recipe, &settings, &format!("{trial}-{share}-{seed}")) {
        Ok(fitted) => Ok(Some(study.errors(&fitted).on(&study.phases()))),
        Err(StudyError::Fit(FitError::Diverged { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_halve_what_there_is_until_two_are_left() {
        let rounds = [1, 2, 3, 4, 5, 8, 9, 1000].map(default_rounds);
        assert_eq!(rounds, [1, 1, 2, 2, 3, 3, 4, 5]);
    }
}
