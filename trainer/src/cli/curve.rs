//! `othello-trainer curve`: measures the error of a recipe as a function of the amount of data.

use std::path::PathBuf;

use anyhow::ensure;
use othello_cli::arguments::number_in;
use othello_cli::{Outcome, Session};
use serde_json::json;

use super::print_and_clean;
use crate::dataset::Share;
use crate::experiments::{Curve, Origins, Recipe, StudySettings, provenance_of};

/// Arguments of `curve`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Recipe: a TOML file that names data, pattern set, optimizer and settings
    recipe: PathBuf,
    /// Shares of the recipe's games to fit to, four or more; the error at the largest is predicted
    /// from the errors at the others
    #[arg(
        long,
        value_name = "SHARES",
        value_delimiter = ',',
        default_value = "0.0625,0.125,0.25,0.5,1"
    )]
    shares: Vec<Share>,
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number_in(1..=1000_u64))]
    seeds: u64,
    #[command(flatten)]
    study: StudySettings,
}

/// Runs the command `curve`: fits the recipe to every share with every seed.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let settings = &arguments.study;
    let recipe = Recipe::read(&arguments.recipe)?;
    let mut shares = arguments.shares.clone();
    shares.sort_unstable();
    shares.dedup();
    let fewest = Curve::SHARES;
    ensure!(shares.len() >= fewest, "--shares: {} different ones; expected {fewest}", shares.len());
    let mut origins = Origins::default();
    settings.check_test(&recipe, &mut origins)?;
    let (seeds, of_recipe) = (arguments.seeds, provenance_of("curve", &arguments.recipe)?);
    let own = json!([&shares, seeds]);
    let stages = Curve::stages(&shares, seeds);
    let study = settings.begin(of_recipe, (own, &origins), stages, session.progress())?;
    let curve = Curve::of(recipe, &shares, seeds, &study, session.begun())?;
    print_and_clean(&curve, &study.run, session)
}
