//! `othello-trainer tune`: finds the values of settings in a recipe that give the smallest error.

use std::path::PathBuf;

use anyhow::ensure;
use clap::ValueEnum;
use othello_cli::arguments::{number_from, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::text::read_by;

use super::print_and_clean;
use crate::experiments::{Choices, Origins, Recipe, StudySettings, Tuning, provenance_of};

/// Arguments of `tune`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Recipe: a TOML file that names data, pattern set, optimizer and settings
    recipe: PathBuf,
    /// Values to try: a TOML file with the entries of a recipe, each with a list in place of its
    /// value
    values: PathBuf,
    /// Number of combinations of values to try, drawn at random [default: all]
    #[arg(long, value_name = "N", value_parser = number_in(1..=10_000_usize))]
    trials: Option<usize>,
    /// Seed by which the combinations of values are drawn
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    draw_seed: u64,
    /// Rounds; at most half of a round's combinations go into the next one
    /// [default: until two are left, at most 5]
    #[arg(long, value_name = "N", value_parser = number_in(1..=10_u32))]
    rounds: Option<u32>,
    /// Quantity that is reduced in early rounds; each round has twice as much as the one before
    #[arg(long, value_enum, default_value_t = EarlyRounds::Data)]
    by: EarlyRounds,
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number_in(2..=1000_u64))]
    seeds: u64,
    #[command(flatten)]
    study: StudySettings,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum EarlyRounds {
    /// Games to fit to
    Data,
    /// Seeds of each trial, at least 2
    Seeds,
}

/// Runs the command `tune`: runs fits in rounds, and eliminates trials.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let settings = &arguments.study;
    let Recipe { name, .. } = Recipe::read(&arguments.recipe)?;
    let choices = read_by(&arguments.values, Choices::parse)?;
    const MOST: u64 = 10_000;
    let count = choices.combinations();
    ensure!(
        count <= MOST || arguments.trials.is_some(),
        "{}: {count} combinations; at most {MOST} are tried: name fewer values, or draw some by --trials",
        arguments.values.display(),
    );
    let trials = match arguments.trials {
        Some(count) => choices.draw(count, arguments.draw_seed),
        None => choices.all(),
    };
    // Reads all recipes first, so that errors come early, but keeps none: each may hold weights.
    let mut origins = Origins::default();
    for values in &trials {
        settings.check_test(&Recipe::read_with(&arguments.recipe, values)?, &mut origins)?;
    }
    let tuning = Tuning {
        name: &name,
        recipe: &arguments.recipe,
        choices: &choices,
        trials: &trials,
        rounds: arguments.rounds,
        by_data: arguments.by == EarlyRounds::Data,
        seeds: arguments.seeds,
    };
    let own = tuning.to_json();
    let (recipe, stages) = (provenance_of("tune", &arguments.recipe)?, tuning.stages());
    let study = settings.begin(recipe, (own, &origins), stages, session.progress())?;
    let tuned = tuning.tune(&study, session.begun())?;
    print_and_clean(&tuned, &study.run, session)
}
