//! `othello-trainer train` and `quickstart`: make weights by a shipped recipe, and play matches.
//! `train` scales the numbers of games in the recipe to a time limit and the machine's speed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use othello_cli::arguments::{above_0, number_from, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::eval::{Evaluator, WeightsChoice};
use othello_engine::file::{Existing, Kind, check_name, folder_of, make_folder, plain};
use othello_engine::progress::{Progress as _, Silent};
use othello_engine::run::Shard;
use othello_engine::selfplay::{self, PerSide, play_games};
use othello_engine::text::{Invalid, read_by};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use toml::Value;

use super::steps::{FinishedStep, Making};
use crate::arena::MatchReport;
use crate::fit::FitReport;
use crate::recipe::{Recipe, mark_fresh, number};

#[derive(clap::Args, Debug)]
pub struct Quickstart {
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_from(0_u64))]
    seed: u64,
    #[arg(long, value_name = "DIR", default_value = "quickstart")]
    out: PathBuf,
    #[arg(long)]
    force: bool,
}

#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[arg(long, value_name = "M", value_parser = above_0)]
    minutes: f64,
    #[arg(long, value_name = "W")]
    out: PathBuf,
    // The plan stores the seed in TOML, whose integers end at 2^63 − 1.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = number_in(0..=i64::MAX as u64))]
    seed: u64,
    #[arg(long, value_name = "W1", default_value_t = WeightsChoice::Mobility)]
    weights: WeightsChoice,
}

/// The result of `quickstart` and `train`.
#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{}{}  sha256 {sha256}, {seconds:.0} s in all", summaries.join(""), weights.display())]
pub(in crate::cli) struct Verdict {
    /// The recipe that was run: the path of its file, or the name `quickstart`.
    plan: String,
    #[serde(flatten)]
    fit: LastFit,
    /// The path of the final weights file.
    weights: PathBuf,
    /// The SHA-256 of the final weights file.
    sha256: String,
    /// The match against `mobility`, the hand-written evaluation; null if the recipe has none.
    #[schemars(with = "MatchReport")]
    r#match: Option<Json>,
    /// The match against the embedded weights; null if the recipe has none.
    #[schemars(with = "MatchReport")]
    match_embedded: Option<Json>,
    /// The wall time of the command.
    seconds: f64,
    /// The texts that the last fit and the matches printed, each followed by an empty line.
    #[serde(skip)]
    summaries: Vec<String>,
}

#[derive(Serialize, Deserialize, schemars::JsonSchema)]
struct LastFit {
    /// The number of training positions of the last fit.
    positions: u64,
    /// The results of the last fit by phase.
    phases: FitReport,
    /// The MAE of the last fit on the validation set, in discs; null if this set is empty.
    validation_mae: Option<f64>,
    /// The MAE of the last fit on the test set, in discs; null if this set is empty.
    test_mae: Option<f64>,
}

fn verdict(making: &Making<'_>, plan: String, is_fresh: bool) -> anyhow::Result<Verdict> {
    let mut wanted = making.recipe.steps(making.folder)?;
    if is_fresh {
        mark_fresh(&mut wanted, None);
    }
    let mut steps = vec![];
    let outcome = making.make(&wanted, &mut steps)?;
    if let (Outcome::FoundWrong, Some(step)) = (outcome, steps.last()) {
        bail!("step {} found something wrong:\n{}", step.name, step.summary);
    }
    let fit = wanted.iter().rposition(|step| step.arguments[0] == "fit");
    let fit = &steps[fit.context("the recipe has no fit")?];
    let last = steps.iter().rfind(|step| step.name.ends_with(".weights")).unwrap_or(fit);
    let [first, second] = ["mobility.match", "embedded.match"]
        .map(|name| steps.iter().find(|made| made.name == name));
    let printed = [Some(fit), first, second].into_iter().flatten();
    let of_match = |made: Option<_>| made.map(|made| report(making, made)).transpose();
    Ok(Verdict {
        plan,
        fit: report(making, fit)?,
        weights: making.folder.join(&last.name),
        sha256: last.sha256.clone(),
        r#match: of_match(first)?,
        match_embedded: of_match(second)?,
        seconds: making.session.seconds(),
        summaries: printed.map(|made| format!("{}\n\n", made.summary)).collect(),
    })
}

fn report<T: DeserializeOwned>(making: &Making<'_>, made: &FinishedStep) -> anyhow::Result<T> {
    let path = making.folder.join(format!("{}.json", made.name));
    Ok(read_by(&path, |text| serde_json::from_str(text))?)
}

pub fn quickstart(arguments: &Quickstart, session: &Session) -> anyhow::Result<Outcome> {
    let &Quickstart { seed, ref out, force } = arguments;
    let name = "quickstart";
    let recipe = Recipe { seed, ..Recipe::shipped(name).context("the recipe is shipped")? };
    let making = Making { recipe: &recipe, folder: out, shard: Shard::WHOLE, session };
    session.print(&verdict(&making, name.to_owned(), force)?)
}

const FROM_NOTHING: &[&str] = &["quickstart", "five-minutes", "quarter", "hour"];
const FROM_WEIGHTS: &[&str] = &["generation"];

/// The share of the given time that the plan uses. The remaining time allows for idle threads.
const PLANNED_SHARE: f64 = 0.9;

const MEASURED_GAMES: u64 = 16_384;
/// The seconds that a core of an AMD EPYC (Zen 5) takes for a game of the speed test [`cores`].
const SECONDS_OF_A_GAME: f64 = 0.00022;

pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let Arguments { out, weights, .. } = arguments;
    check_name(out, Kind::Weights)?;
    ensure!(
        *weights != WeightsChoice::None,
        "--weights none: values every position at 0; expected `mobility`, `embedded` or a file"
    );
    // Loads the weights only to report an error before it writes the plan.
    Evaluator::load(weights)?;
    let folder = out.with_extension("run");
    let path = out.with_extension("recipe.toml");
    make_folder(folder_of(out))?;
    make_folder(&folder)?;
    let head = arguments.head();
    if !path.exists() {
        let plan = format!("{head}\n\n{}", arguments.plan(&folder, session)?.to_toml());
        plain::write(&path, plan.as_bytes(), Existing::Keep)?;
    }
    let recipe = read_by(&path, |text| match text.lines().next() {
        Some(line) if line == head => Recipe::from_toml(text),
        _ => Err(Invalid(format!(
            "the plan of other settings; remove it and {}, or choose another --out",
            folder.display()
        ))),
    })?;
    let (steps, progress) = (recipe.steps(Path::new(""))?, session.progress());
    let minutes = steps.iter().map(|step| step.core_seconds).sum::<f64>() / 60.0;
    let (plan, count) = (path.display(), steps.len());
    progress.message(&format!("plan {plan}: {count} steps, {minutes:.1} core minutes"));
    for step in steps.iter().filter(|step| matches!(&*step.arguments[0], "selfplay" | "fit")) {
        progress.message(&format!("  {}", step.arguments.join(" ")));
    }
    let making = Making { recipe: &recipe, folder: &folder, shard: Shard::WHOLE, session };
    let mut verdict = verdict(&making, path.display().to_string(), false)?;
    let bytes = fs::read(&verdict.weights).context("the weights of the last step")?;
    plain::write(out, &bytes, Existing::Keep)?;
    verdict.weights = out.clone();
    session.print(&verdict)
}

impl Arguments {
    fn head(&self) -> String {
        let Self { minutes, seed, weights, .. } = self;
        let weights = weights.to_string();
        format!("# othello-trainer train --minutes {minutes} --seed {seed} --weights {weights:?}")
    }

    fn plan(&self, folder: &Path, session: &Session) -> anyhow::Result<Recipe> {
        let cores = cores(folder, session)?;
        let budget = 60.0 * self.minutes * cores * PLANNED_SHARE;
        let is_learned = self.weights.is_learned();
        let names = if is_learned { FROM_WEIGHTS } else { FROM_NOTHING };
        let (name, mut recipe) = nearest(names, budget).context("recipes are shipped")?;
        session.progress().message(&format!(
            "this machine works like {cores:.2} cores of the reference; {:.1} core minutes by the \
             recipe {name}",
            budget / 60.0
        ));
        recipe.seed = self.seed;
        Ok(if is_learned { with_player(&recipe, &self.weights.to_string()) } else { recipe })
    }
}

/// Returns the recipe with `weights` as the evaluation for its openings and self-play games.
fn with_player(recipe: &Recipe, weights: &str) -> Recipe {
    recipe.changed(|name, flags| {
        if matches!(name, "openings" | "selfplay") {
            flags.insert("weights".to_owned(), weights.into());
        }
    })
}

/// Returns the recipe with all numbers of games multiplied by `factor`, rounded to multiples of 64.
/// Also multiplies the stated times (`core-seconds`) of fits and of steps with a number of games.
fn scaled(recipe: &Recipe, factor: f64) -> Recipe {
    recipe.changed(|_, step| {
        if let Some(Value::Integer(games)) = step.get_mut("games") {
            *games = 64 * ((*games as f64 * factor / 64.0).round() as i64).max(1);
        } else if step.get("command").and_then(Value::as_str) != Some("fit") {
            return;
        }
        if let Some(time) = step.get_mut("core-seconds") {
            let seconds = number(time).unwrap_or(0.0);
            *time = Value::Float((10.0 * factor * seconds).round() / 10.0);
        }
    })
}

/// Returns the core seconds of self-play and fits, which grow with the number of games, and the
/// core seconds of all other steps.
fn core_seconds(recipe: &Recipe) -> (f64, f64) {
    let (mut games, mut others) = (0.0, 0.0);
    for step in recipe.table.values() {
        let command = step.get("command").and_then(Value::as_str);
        let sum = if let Some("selfplay" | "fit") = command { &mut games } else { &mut others };
        *sum += step.get("core-seconds").and_then(number).unwrap_or(0.0);
    }
    (games, others)
}

/// Returns the shipped recipe in `names` whose time is nearest to `budget` core seconds, with its
/// numbers of games scaled to this time. Returns `None` if `names` is empty.
fn nearest(names: &[&'static str], budget: f64) -> Option<(&'static str, Recipe)> {
    let factor = |recipe: &Recipe| {
        let (games, others) = core_seconds(recipe);
        ((budget - others) / games).max(0.01)
    };
    let change = |(_, recipe): &(_, Recipe)| factor(recipe).ln().abs();
    let recipes = names.iter().filter_map(|&name| Some((name, Recipe::shipped(name)?)));
    let (name, recipe) = recipes.min_by(|a, b| change(a).total_cmp(&change(b)))?;
    Some((name, scaled(&recipe, factor(&recipe))))
}

/// Measures self-play. Returns this machine's speed as a number of cores of an AMD EPYC (Zen 5).
fn cores(folder: &Path, session: &Session) -> anyhow::Result<f64> {
    let evaluator = Evaluator::load(&WeightsChoice::Mobility)?;
    let settings = selfplay::Settings::new(0, "8..24".parse()?, 2, 12);
    let path = folder.join("measured.games");
    let play = |games| -> anyhow::Result<f64> {
        let (run, begun) = (selfplay::Run::whole(settings.clone(), games), Instant::now());
        let players = PerSide::both(&evaluator);
        play_games(&path, &run, players, Existing::Replace, &Silent)?;
        Ok(begun.elapsed().as_secs_f64())
    };
    session.progress().message("measuring the machine");
    // The first games are not measured: they also start threads and fill tables.
    play(MEASURED_GAMES / 8)?;
    let seconds = play(MEASURED_GAMES)?;
    fs::remove_file(&path)?;
    Ok(MEASURED_GAMES as f64 * SECONDS_OF_A_GAME / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_takes_the_recipe_of_its_size() {
        for (minutes, names, expected) in [
            (0.1, FROM_NOTHING, "quickstart"),
            (1.0, FROM_NOTHING, "quickstart"),
            (5.0, FROM_NOTHING, "five-minutes"),
            (15.0, FROM_NOTHING, "quarter"),
            (60.0, FROM_NOTHING, "hour"),
            (1e4, FROM_NOTHING, "hour"),
            (1.0, FROM_WEIGHTS, "generation"),
        ] {
            let (name, recipe) = nearest(names, 60.0 * minutes).unwrap();
            assert_eq!(name, expected, "{minutes} minutes");
            let (games, others) = core_seconds(&recipe);
            let is_close = (games + others - 60.0 * minutes).abs() < 0.05 * 60.0 * minutes;
            assert!(is_close || minutes < 1.0, "{minutes} minutes: {games} + {others}");
        }
    }

    #[test]
    fn more_games_scale_the_recipe() {
        let text = "['a.games']\ncommand = 'selfplay'\ngames = 64\nseed = 3\ncore-seconds = 10\n\
                    ['b.weights']\ncommand = 'average'\n";
        let scaled = scaled(&Recipe::from_toml(text).unwrap(), 2.5);
        assert_eq!(core_seconds(&scaled), (25.0, 0.0));
        let written = scaled.to_toml();
        let read = Recipe::from_toml(&written).unwrap();
        assert_eq!(read.steps(Path::new("d")).unwrap()[0].arguments[2], "192", "{written}");
    }

    #[test]
    fn another_player_replaces_the_one_of_the_tables_of_commands() {
        let text = "[selfplay]\nweights = 'embedded'\n['b.games']\ncommand = 'selfplay'\n\
                    ['c.games']\ncommand = 'selfplay'\nweights = 'mobility'\n";
        let recipe = with_player(&Recipe::from_toml(text).unwrap(), "my.weights");
        let expected = [
            "selfplay --weights my.weights --out d/b.games",
            "selfplay --weights mobility --out d/c.games",
        ];
        let steps = recipe.steps(Path::new("d")).unwrap();
        let words: Vec<_> = steps.iter().map(|step| step.arguments.join(" ")).collect();
        assert_eq!(words, expected);
    }
}
