//! `othello-trainer compare`, `curve` and `tune`: studies that fit the weights of recipes.

use std::path::PathBuf;

use anyhow::ensure;
use clap::ValueEnum;
use othello_cli::arguments::{number_from, number_in};
use othello_cli::report::Report;
use othello_cli::{Outcome, Session};
use othello_engine::run::Run;
use othello_engine::search::Strength;
use othello_engine::text::read_by;
use serde_json::json;

use super::matches::SprtArguments;
use crate::arena::draw_openings;
use crate::dataset::Share;
use crate::experiments::{
    Choices, Comparing, Curve, Origins, Recipe, StudySettings, Tuning, as_written,
};

#[derive(clap::Args, Debug)]
pub struct CompareArguments {
    /// First recipe: a TOML file that names data, pattern set, optimizer and settings
    first: PathBuf,
    /// Second recipe
    second: PathBuf,
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number_in(2..=1000_u64))]
    seeds: u64,
    #[command(flatten)]
    study: StudySettings,
    #[arg(long, value_name = "FILE", requires = "pairs")]
    openings: Option<PathBuf>,
    #[arg(long, value_name = "N", requires = "openings", value_parser = number_in(1..=1_000_000_usize))]
    pairs: Option<usize>,
    #[arg(long, value_name = "D", default_value_t = 4, value_parser = number_in(1..=60_u32))]
    depth: u32,
    #[arg(long, value_name = "E", default_value_t = 12, value_parser = number_in(0..=60_u32))]
    exact: u32,
    #[command(flatten)]
    sprt: SprtArguments,
    /// Smallest difference of errors that matters, in discs; prints the games needed to prove it
    #[arg(long, value_name = "DISCS", default_value_t = 0.02, value_parser = discs)]
    smallest: f64,
}

#[derive(clap::Args, Debug)]
pub struct CurveArguments {
    /// Recipe: a TOML file that names data, pattern set, optimizer and settings
    recipe: PathBuf,
    /// Shares of the recipe's games to fit to, four or more; the error at the largest share is
    /// predicted from the errors at the smaller ones
    #[arg(long, value_name = "SHARES", value_delimiter = ',')]
    #[arg(default_value = "0.0625,0.125,0.25,0.5,1")]
    shares: Vec<Share>,
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number_in(1..=1000_u64))]
    seeds: u64,
    #[command(flatten)]
    study: StudySettings,
}

#[derive(clap::Args, Debug)]
pub struct TuneArguments {
    /// Recipe: a TOML file that names data, pattern set, optimizer and settings
    recipe: PathBuf,
    /// TOML file of the values to try: entries of a recipe, each with a list of values
    values: PathBuf,
    /// Number of combinations of values to try, drawn at random [default: all]
    #[arg(long, value_name = "N", value_parser = number_in(1..=10_000_usize))]
    trials: Option<usize>,
    /// Seed by which the combinations of values are drawn
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    draw_seed: u64,
    /// Number of rounds. After each, the worse half of the combinations, or more, is dropped
    /// [default: as many rounds as leave 2 combinations for the last round, but at most 5]
    #[arg(long, value_name = "N", value_parser = number_in(1..=10_u32))]
    rounds: Option<u32>,
    /// Quantity that is smaller in early rounds, and doubles from each round to the next
    #[arg(long, value_enum, default_value_t = EarlyRounds::Data)]
    by: EarlyRounds,
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number_in(2..=1000_u64))]
    seeds: u64,
    #[command(flatten)]
    study: StudySettings,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum EarlyRounds {
    /// Fit to fewer games in early rounds
    Data,
    /// Fit each combination of values with fewer random seeds (at least 2) in early rounds
    Seeds,
}

fn discs(text: &str) -> Result<f64, String> {
    let discs = text.parse().ok().filter(|&discs: &f64| discs > 0.0 && discs <= 64.0);
    discs.ok_or_else(|| "expected a number of discs above 0, at most 64".to_owned())
}

pub fn compare(arguments: &CompareArguments, session: &Session) -> anyhow::Result<Outcome> {
    let CompareArguments { first, second, study: settings, .. } = arguments;
    let recipes = [Recipe::read(first)?, Recipe::read(second)?];
    let mut origins = Origins::default();
    recipes.iter().try_for_each(|recipe| settings.check_test(recipe, &mut origins))?;
    // If openings have labels, only those within 10 discs of even are drawn.
    let draw = |(path, count)| draw_openings(path, count, 1, 10, session.progress());
    let drawn = arguments.openings.as_deref().zip(arguments.pairs).map(draw).transpose()?;
    let comparing = Comparing {
        seeds: arguments.seeds,
        smallest: arguments.smallest,
        openings: drawn.as_deref(),
        strength: Strength { depth: arguments.depth, exact: arguments.exact },
        sprt: arguments.sprt.test(),
    };
    let own = json!([comparing.to_json(), as_written(second)?]);
    let (named, stages) = (("compare", first.as_path()), comparing.stages());
    let (progress, begun) = (session.progress(), session.begun());
    let study = settings.begin(named, (own, &origins), stages, progress, begun)?;
    print_and_clean(&comparing.compare(recipes, &study)?, &study.run, session)
}

pub fn curve(arguments: &CurveArguments, session: &Session) -> anyhow::Result<Outcome> {
    let settings = &arguments.study;
    let recipe = Recipe::read(&arguments.recipe)?;
    let mut shares = arguments.shares.clone();
    shares.sort_unstable();
    shares.dedup();
    let fewest = Curve::SHARES;
    ensure!(shares.len() >= fewest, "--shares: {} different ones; expected {fewest}", shares.len());
    let mut origins = Origins::default();
    settings.check_test(&recipe, &mut origins)?;
    let seeds = arguments.seeds;
    let (named, own) = (("curve", arguments.recipe.as_path()), json!([&shares, seeds]));
    let stages = Curve::stages(&shares, seeds);
    let (progress, begun) = (session.progress(), session.begun());
    let study = settings.begin(named, (own, &origins), stages, progress, begun)?;
    print_and_clean(&Curve::of(recipe, &shares, seeds, &study)?, &study.run, session)
}

pub fn tune(arguments: &TuneArguments, session: &Session) -> anyhow::Result<Outcome> {
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
    let (named, own) = (("tune", arguments.recipe.as_path()), tuning.to_json());
    let (progress, begun) = (session.progress(), session.begun());
    let study = settings.begin(named, (own, &origins), tuning.stages(), progress, begun)?;
    print_and_clean(&tuning.tune(&study)?, &study.run, session)
}

fn print_and_clean(report: &impl Report, run: &Run, session: &Session) -> anyhow::Result<Outcome> {
    let outcome = session.print(report)?;
    if !run.is_shard() {
        run.clean()?;
    }
    Ok(outcome)
}
