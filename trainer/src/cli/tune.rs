//! `othello-trainer tune`: finds the values of a recipe's entries with the smallest error.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use clap::ValueEnum;
use othello_engine::cli::arguments::{number_from, number_in};
use othello_engine::cli::table::{Align, table};
use othello_engine::cli::{Outcome, Session};
use othello_engine::progress::Progress as _;
use othello_engine::text::read_by;
use serde::Serialize;
use serde_json::Value as Json;

use super::study::{Study, StudyArguments, label_list};
use crate::dataset::Share;
use crate::fit::{FitError, PhaseError};
use crate::measure::GameErrors;
use crate::study::{AtAnEnd, CONFIDENCE, Choices, End, Recipe, Standing, Values, standings};

mod record;

use record::{Record, RecordFile};

/// Arguments of `tune`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Recipe: a TOML file that names data, pattern set, optimizer and settings
    recipe: PathBuf,
    /// Values to try: a TOML file with the entries of a recipe, each with a list in place of its
    /// value
    values: PathBuf,
    /// Number of combinations of values to try, drawn by chance [default: all]
    #[arg(long, value_name = "N", value_parser = number_in(1..=10_000_usize))]
    trials: Option<usize>,
    /// Seed of that draw
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    draw_seed: u64,
    /// Rounds; at most half of a round's combinations go into the next one
    /// [default: until two are left, at most 5]
    #[arg(long, value_name = "N", value_parser = number_in(1..=10_u32))]
    rounds: Option<u32>,
    /// Amount that early rounds have less of; each round has twice as much as the one before
    #[arg(long, value_enum, default_value_t = By::Data)]
    by: By,
    /// Number of fits of each combination, in the last round where there are fewer before; by seeds
    /// that follow the one in the recipe's settings
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number_in(2..=1000_u64))]
    seeds: u64,
    #[command(flatten)]
    study: StudyArguments,
}

/// The amount that early rounds have less of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum By {
    /// Games to fit to
    Data,
    /// Seeds, but at least 2
    Seeds,
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

#[derive(Serialize)]
struct Tuning {
    recipe: String,
    /// The trials, one for each combination of each round, the rounds in their order.
    trials: Vec<Record>,
    /// The combination with the smallest error in the last round.
    best: Json,
    /// The trial's mean absolute error in discs.
    mae: f64,
    confidence: f64,
    rounds: u32,
    test_games: usize,
    /// The kinds of labels of the test positions, with the number of each.
    test_labels: Vec<(String, u64)>,
    /// The entries whose best value is the smallest or the largest of those tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    at_an_end: Vec<AtAnEnd>,
    seconds: f64,
}

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = [
            ("round", Align::Right),
            ("share", Align::Right),
            ("seeds", Align::Right),
            ("MAE", Align::Right),
            ("worse by", Align::Right),
            ("±", Align::Right),
            ("outcome", Align::Left),
            ("trial", Align::Left),
            ("values", Align::Left),
        ];
        writeln!(f, "{}\n", table(columns, self.trials.iter().map(Record::cells)))?;
        let best = self.trials.last().map_or(0, |last| last.round);
        let last = self.trials.iter().filter(|trial| trial.round == best);
        for trial in last.clone().filter(|trial| trial.outcome == Some(Standing::Best)) {
            writeln!(f, "best: {}, mean absolute error {:.3} discs", trial.name, self.mae)?;
        }
        for AtAnEnd { name, value, end } in &self.at_an_end {
            let more = if *end == End::Largest { "larger" } else { "smaller" };
            writeln!(f, "{name} = {value} is the {end} that was tried: {more} ones may be better")?;
        }
        writeln!(f, "labels of the test positions: {}", label_list(&self.test_labels))?;
        let equal = last.filter(|trial| trial.outcome == Some(Standing::Equal)).count();
        write!(f, "not proven worse: {equal} more of the last round ({:.0} %)", 100.0 * CONFIDENCE)
    }
}

/// Fits in rounds, eliminates, and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let recipe = Recipe::read(&arguments.recipe)?;
    let choices = read_by(&arguments.values, Choices::parse)?;
    const MOST: u64 = 10_000;
    let count = choices.combinations();
    ensure!(
        count <= MOST || arguments.trials.is_some(),
        "{}: {count} combinations; at most {MOST} are tried: name fewer values, or draw some by --trials",
        arguments.values.display(),
    );
    let mut trials = match arguments.trials {
        Some(count) => choices.draw(count, arguments.draw_seed),
        None => choices.all(),
    };
    // Errors are reported before the work. Recipes are not kept, since each may come with weights.
    for values in &trials {
        arguments.study.check_test(&Recipe::read_with(&arguments.recipe, values)?)?;
    }
    let rounds = arguments.rounds.unwrap_or_else(|| default_rounds(trials.len()));
    let study = arguments.study.begin(session)?;
    let mut file =
        RecordFile::open(&study.provenance("tune", &arguments.recipe)?, &arguments.study)?;
    for number in 1..=rounds {
        if number > 1 && trials.len() < 2 {
            let left = rounds + 1 - number;
            session.progress().message(&format!(
                "all others are proven worse, so that {left} of {rounds} rounds are left out"
            ));
            break;
        }
        let round = arguments.round(number, rounds)?;
        session.progress().message(&format!(
            "round {number} of {rounds}: {} combinations, {} of the games, {} seeds",
            trials.len(),
            round.share,
            round.seeds
        ));
        let outcomes = run_round(round, &arguments.recipe, &trials, &study, &mut file)?;
        let mut outcomes = outcomes.into_iter();
        trials.retain(|_| outcomes.next().is_some_and(Standing::goes_on));
    }
    let rounds = file.rounds();
    let best = file.best().context("every fit diverged: lower the learning rates")?;
    session.print(&Tuning {
        recipe: recipe.name,
        at_an_end: choices.at_an_end(&best.values),
        best: best.values.clone(),
        mae: best.mae.unwrap_or(f64::NAN),
        trials: file.into_records(),
        confidence: CONFIDENCE,
        rounds,
        test_games: study.test().len(),
        test_labels: study.labels(),
        seconds: begun.elapsed().as_secs_f64(),
    })?;
    Ok(Outcome::Done)
}

impl Arguments {
    fn round(&self, number: u32, rounds: u32) -> anyhow::Result<Round> {
        let part = 0.5_f64.powi((rounds - number).cast_signed());
        let (share, seeds) = match self.by {
            By::Data => (Share::try_from(part)?, self.seeds),
            By::Seeds => (Share::ALL, ((self.seeds as f64 * part).round() as u64).max(2)),
        };
        Ok(Round { number, share, seeds, is_last: number == rounds })
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
) -> anyhow::Result<Vec<Standing>> {
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
                    record.by_seed.push(mae.context("--test has no positions in the --phases")?);
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
) -> anyhow::Result<Option<GameErrors>> {
    let settings = recipe.settings_with(seed, share);
    match study.fit(recipe, &settings, &format!("{trial}-{share}-{seed}")) {
        Ok(fitted) => Ok(Some(study.errors(&fitted).on(&study.phases()))),
        Err(error) => match error.downcast_ref::<FitError>() {
            Some(FitError::Phase(PhaseError::Diverged { .. })) => Ok(None),
            _ => Err(error),
        },
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
