//! `othello-trainer compare`: decides which of two recipes is better, with a confidence interval.

use std::path::PathBuf;

use othello_cli::arguments::number_in;
use othello_cli::{Outcome, Session};
use othello_engine::search::Strength;
use serde_json::json;

use super::matches::SprtArguments;
use super::print_and_clean;
use crate::experiments::{
    Comparing, Origins, Recipe, StudySettings, as_written, openings, provenance_of,
};

/// Arguments of `compare`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
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
    /// Smallest difference that matters, in discs: prints the number of games needed to prove it
    #[arg(long, value_name = "DISCS", default_value_t = 0.02, value_parser = discs)]
    smallest: f64,
}

fn discs(text: &str) -> Result<f64, String> {
    let discs = text.parse().ok().filter(|&discs: &f64| discs > 0.0 && discs <= 64.0);
    discs.ok_or_else(|| "expected a number of discs above 0, at most 64".to_owned())
}

/// Runs the command `compare`: fits both recipes with every seed, and plays a requested match.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let Arguments { first, second, study: settings, .. } = arguments;
    let (recipes, mut origins) =
        ([Recipe::read(first)?, Recipe::read(second)?], Origins::default());
    recipes.iter().try_for_each(|recipe| settings.check_test(recipe, &mut origins))?;
    let drawn = arguments.openings.as_deref().zip(arguments.pairs);
    let drawn = drawn.map(|(path, count)| openings(path, count, session.progress())).transpose()?;
    let comparing = Comparing {
        seeds: arguments.seeds,
        smallest: arguments.smallest,
        openings: drawn.as_deref(),
        strength: Strength { depth: arguments.depth, exact: arguments.exact },
        sprt: arguments.sprt.test(),
    };
    let own = json!([comparing.to_json(), as_written(second)?]);
    let (recipe, stages) = (provenance_of("compare", first)?, comparing.stages());
    let study = settings.begin(recipe, (own, &origins), stages, session.progress())?;
    let comparison = comparing.compare(recipes, &study, session.begun())?;
    print_and_clean(&comparison, &study.run, session)
}
