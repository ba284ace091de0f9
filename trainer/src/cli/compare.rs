//! `othello-trainer compare`: decides which of two recipes is better, with its confidence.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use othello_engine::board::{Discs, Phase};
use othello_engine::cli::arguments::number_in;
use othello_engine::cli::table::{Align, table};
use othello_engine::cli::{Outcome, Session};
use othello_engine::search::Strength;
use serde::Serialize;

use super::sprt::SprtArguments;
use super::study::{Fitted, StudyArguments, label_list};
use crate::arena::{Choice, Decision, Match, Pair, Pentanomial, SprtReport, Statistics};
use crate::measure::ErrorsByGame;
use crate::study::{CONFIDENCE, Difference, Needed, Recipe, Verdict};

/// Arguments of `compare`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// First recipe: a TOML file that names data, pattern set, optimizer and settings
    first: PathBuf,
    /// Second recipe
    second: PathBuf,
    /// Number of fits of each recipe, by seeds that follow the one in its settings
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number_in(2..=1000_u64))]
    seeds: u64,
    #[command(flatten)]
    study: StudyArguments,
    /// File of openings for a match: each seed's weights of the one recipe against those of the
    /// other
    #[arg(long, value_name = "FILE", requires = "pairs")]
    openings: Option<PathBuf>,
    /// Number of openings to play in all, each twice with colours swapped
    #[arg(long, value_name = "N", requires = "openings", value_parser = number_in(1..=1_000_000_usize))]
    pairs: Option<usize>,
    /// Search each move of the match this many plies deep
    #[arg(long, value_name = "D", default_value_t = 4, value_parser = number_in(1..=60_u32))]
    depth: u32,
    /// Play perfectly from this many empty squares on
    #[arg(long, value_name = "E", default_value_t = 12, value_parser = number_in(0..=60_u32))]
    exact: u32,
    #[command(flatten)]
    sprt: SprtArguments,
    /// Smallest difference that matters, in discs: what it would take to prove one of this size is
    /// told
    #[arg(long, value_name = "DISCS", default_value_t = 0.02, value_parser = discs)]
    smallest: f64,
}

/// The largest absolute label of a match's openings, in discs.
const WITHIN: Discs = 10;

fn discs(text: &str) -> Result<f64, String> {
    let discs = text.parse().ok().filter(|&discs: &f64| discs > 0.0 && discs <= 64.0);
    discs.ok_or_else(|| "expected a number of discs above 0, at most 64".to_owned())
}

#[derive(Serialize)]
struct Comparison {
    first: String,
    second: String,
    /// `first` or `second`, the better recipe; `equal` if no difference is proven.
    verdict: Verdict,
    errors: Errors,
    /// The match, if there was one.
    #[serde(rename = "match")]
    played: Option<Played>,
    seeds: u64,
    test_games: usize,
    /// The kinds of labels of the test positions, with the number of each.
    test_labels: Vec<(String, u64)>,
    seconds: f64,
}

#[derive(Serialize)]
struct Played {
    #[serde(flatten)]
    statistics: Statistics,
    /// The sequential test, if there was one.
    sprt: Option<SprtReport>,
}

#[derive(Serialize)]
struct Errors {
    /// The mean absolute error of the first recipe less that of the second, in discs.
    difference: f64,
    /// Half the width of its interval.
    difference_error: f64,
    confidence: f64,
    /// The difference that `needed` refers to.
    smallest: f64,
    needed: Needed,
    phases: Vec<PhaseErrors>,
}

#[derive(Serialize)]
struct PhaseErrors {
    phase: Phase,
    positions: f64,
    first_mae: f64,
    second_mae: f64,
    difference: f64,
    difference_error: f64,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second, errors, seeds, test_games, .. } = self;
        let columns = ["phase", "positions", first, second, "difference", "±"];
        let rows = errors.phases.iter().map(|row| {
            let numbers = [row.first_mae, row.second_mae, row.difference, row.difference_error];
            let [one, two, difference, error] = numbers.map(|discs| format!("{discs:.3}"));
            [row.phase.to_string(), format!("{:.0}", row.positions), one, two, difference, error]
        });
        writeln!(f, "{}", table(columns.map(|name| (name, Align::Right)), rows))?;
        let percent = 100.0 * errors.confidence;
        writeln!(
            f,
            "mean absolute error of `{first}` less that of `{second}`: {:+.4} ± {:.4} discs \
             ({percent:.0} %, {seeds} seeds, {test_games} games)",
            errors.difference, errors.difference_error
        )?;
        writeln!(f, "labels of the test positions: {}", label_list(&self.test_labels))?;
        if let Some(Played { statistics, sprt }) = &self.played {
            let Statistics { wins, draws, losses, elo, p_value, .. } = statistics;
            write!(f, "match: {wins} won, {draws} drawn, {losses} lost, {elo:+.0} Elo, ")?;
            match sprt {
                None => writeln!(f, "p = {p_value:.3}")?,
                Some(SprtReport { elo0, elo1, decision, .. }) => {
                    writeln!(f, "SPRT of {elo0:+} against {elo1:+} Elo: {decision}")?;
                }
            }
        }
        match self.verdict {
            Verdict::First => write!(f, "`{first}` is better"),
            Verdict::Second => write!(f, "`{second}` is better"),
            Verdict::Equal => {
                let Needed { seeds, games } = errors.needed;
                let smallest = errors.smallest;
                write!(
                    f,
                    "equal: no difference is proven; to prove one of {smallest} discs takes about \
                     {seeds} seeds and {games} test games"
                )
            }
        }
    }
}

/// Fits both recipes by every seed, measures, plays, and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let recipes = [Recipe::read(&arguments.first)?, Recipe::read(&arguments.second)?];
    for recipe in &recipes {
        arguments.study.check_test(recipe)?;
    }
    let study = arguments.study.begin(session)?;
    let mut fits = vec![];
    for number in 0..arguments.seeds {
        let fitted = |which: usize| {
            let (recipe, name) = (&recipes[which], ["first", "second"][which]);
            study.fit(recipe, &recipe.settings_of(number), &format!("{name}-{number}"))
        };
        fits.push([fitted(0)?, fitted(1)?]);
    }
    let errors: Vec<[ErrorsByGame; 2]> =
        fits.iter().map(|pair| pair.each_ref().map(|fitted| study.errors(fitted))).collect();
    let difference = Difference::of(&errors, &arguments.study.indices());
    let difference = difference.context("--test has no positions in the --phases")?;
    let played = play(arguments, &fits, session)?;
    let estimate = difference.estimate();
    let [first, second] = recipes.map(|recipe| recipe.name);
    session.print(&Comparison {
        first,
        second,
        verdict: verdict(&difference, played.as_ref()),
        errors: Errors {
            difference: estimate.discs,
            difference_error: estimate.error,
            confidence: CONFIDENCE,
            smallest: arguments.smallest,
            needed: difference.needed(arguments.smallest),
            phases: arguments.study.phases.iter().filter_map(|phase| row(&errors, phase)).collect(),
        },
        played,
        seeds: arguments.seeds,
        test_games: study.test().len(),
        test_labels: study.labels(),
        seconds: begun.elapsed().as_secs_f64(),
    })?;
    Ok(Outcome::Done)
}

/// Returns the verdict: that of the errors, or, if they prove nothing, that of a match.
fn verdict(difference: &Difference, played: Option<&Played>) -> Verdict {
    match (difference.verdict(), played) {
        (Verdict::Equal, Some(played)) => played.verdict(),
        (verdict, _) => verdict,
    }
}

impl Played {
    /// Returns the verdict of the match; with a sequential test, that of the test's interval.
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

/// Plays the openings, divided among the seeds, until a sequential test decides or there are no
/// more.
fn play(
    arguments: &Arguments,
    fits: &[[Fitted; 2]],
    session: &Session,
) -> anyhow::Result<Option<Played>> {
    let (Some(path), Some(count)) = (&arguments.openings, arguments.pairs) else { return Ok(None) };
    let openings = Choice { count, seed: 1, within: WITHIN }.draw(path)?;
    let strength = Strength { depth: arguments.depth, exact: arguments.exact };
    let sprt = arguments.sprt.test();
    let mut pairs: Vec<Pair> = vec![];
    let mut counts = Pentanomial::default();
    let mut ended = false;
    let share = openings.len().div_ceil(fits.len());
    for (openings, pair) in openings.chunks(share).zip(fits) {
        if ended {
            break;
        }
        let [first, second] = pair.each_ref().map(|fitted| (&fitted.evaluator).into());
        let enough = |pair| {
            counts.add(pair);
            ended = sprt.is_some_and(|sprt| sprt.decide(&counts) != Decision::Open);
            ended
        };
        let played = Match { first, second, strength };
        pairs.extend(played.play_until(openings, enough, session.progress())?.pairs);
    }
    let sprt = sprt.map(|sprt| sprt.report(&counts));
    Ok(Some(Played { statistics: Statistics::new(&pairs), sprt }))
}

/// Returns the row of a phase; `None` without test positions.
fn row(errors: &[[ErrorsByGame; 2]], phase: Phase) -> Option<PhaseErrors> {
    let phases = [phase.index()];
    let estimate = Difference::of(errors, &phases)?.estimate();
    let mean = |which: usize| -> Option<f64> {
        let of_seed = |pair: &[ErrorsByGame; 2]| pair[which].on(&phases).mean_of_all();
        let sum: f64 = errors.iter().map(of_seed).sum::<Option<f64>>()?;
        Some(sum / errors.len() as f64)
    };
    Some(PhaseErrors {
        phase,
        positions: errors.first()?[0].weight.column(phase.index()).sum(),
        first_mae: mean(0)?,
        second_mae: mean(1)?,
        difference: estimate.discs,
        difference_error: estimate.error,
    })
}
