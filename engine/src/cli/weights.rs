//! `othello-engine weights`: prints the content of a weights file, or a configuration's weights.

use std::fmt;
use std::str::FromStr as _;

use anyhow::{Context as _, bail, ensure};
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::patterns::{describe_features, list};
use super::{Outcome, Session};
use crate::board::{PHASES, Phase, Position, Square};
use crate::eval::{
    Models, MoveOrderingWeights, Prediction, STEPS_PER_DISC, Weights, WeightsChoice, WeightsFile,
    weight_in_discs,
};
use crate::pattern::{Coverage, FactorShape, Scalar, names};
use crate::search::Predictions;
use crate::text::{excerpt, quoted_reason};
use crate::text_table::table;

/// Arguments of `weights`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Weights file, or `embedded`
    #[arg(default_value = "embedded", value_name = "FILE")]
    weights: WeightsChoice,

    /// Print the weights of a configuration: the squares of a pattern instance, and the disc on
    /// each of them (X the player, O the opponent, - empty), such as "a1 b1 c1" XO-
    #[arg(long, num_args = 2, value_names = ["SQUARES", "DISCS"], allow_hyphen_values = true)]
    inspect: Option<Vec<String>>,

    /// Also print what the ProbCut models predict, as slope, offset and standard deviation: deep
    /// values for each ply and depths, and exact scores for each number of empty squares
    #[arg(long)]
    predictions: bool,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Report {
    /// The name of the pattern set.
    pattern_set: String,
    /// The patterns as squares.
    patterns: Vec<String>,
    /// The scalar features of the pattern set, such as the number of the player's discs.
    scalars: Vec<Scalar>,
    /// The width of the factor vectors, and the number of phases that share a vector, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    factors: Option<FactorShape>,
    /// The number of phases.
    phases: usize,
    /// The number of steps that make one disc; a weight is a whole number of steps.
    steps_per_disc: i32,
    /// The number of weights of each phase.
    parameters: usize,
    /// The number of instances on each square, and the board lines that are in no instance.
    coverage: Coverage,
    /// The move-ordering evaluation, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    ordering: Option<Light>,
    /// The kinds of pruning for which the file has a model.
    selective: Vec<&'static str>,
    /// With `--predictions`: the models by which ProbCut predicts deep values and exact scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    predictions: Option<Predictions>,
    /// For each phase, statistics of the weights' numbers of occurrences in training; omitted for
    /// embedded weights, which have no counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<Vec<PhaseCounts>>,
    /// The SHA-256 of the weights file, as `sha256sum` prints it.
    sha256: String,
    /// The provenance: command, settings and inputs.
    provenance: Map<String, Json>,
    /// The weights, by phase, of the configuration that `--inspect` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    inspect: Option<Inspection>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Light {
    /// The patterns of the move-ordering evaluation, each as a list of squares.
    patterns: Vec<String>,
    /// The number of weights of the move-ordering evaluation, the same weights for all phases.
    parameters: usize,
    /// The number of points that a move-ordering value of 32 discs adds to a move's score. For
    /// comparison, each legal reply subtracts 16 points (32 if it is a corner).
    strength: i16,
}

impl Light {
    fn of(weights: &MoveOrderingWeights) -> Self {
        let patterns = weights.set().patterns().iter();
        let patterns = patterns.map(|pattern| names(pattern.squares())).collect();
        Self { patterns, parameters: weights.steps().len(), strength: weights.strength() }
    }
}

#[derive(Serialize, schemars::JsonSchema)]
struct PhaseCounts {
    /// The phase.
    phase: Phase,
    /// The number of weights that occur at least once in the training positions of the phase.
    seen: usize,
    /// The smallest number of occurrences, among the weights that occur in the phase.
    least: u32,
    /// The largest number of occurrences of a weight in the training positions of the phase.
    most: u32,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Inspection {
    /// The name of the pattern.
    pattern: String,
    /// The index, from 0, of the configuration's weight among the weights of a phase. All symmetric
    /// configurations of a pattern have the same weight.
    parameter: usize,
    /// The weight of the configuration in each phase, in discs.
    weights: Vec<f64>,
    /// The number of the weight's occurrences in training, by phase; omitted for embedded weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<Vec<u32>>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "pattern set  {}: {} patterns", self.pattern_set, self.patterns.len())?;
        for pattern in &self.patterns {
            writeln!(f, "             {pattern}")?;
        }
        describe_features(f, &self.scalars, self.factors)?;
        writeln!(f, "coverage     {}", self.coverage)?;
        writeln!(f, "phases       {}, each with {} weights", self.phases, self.parameters)?;
        writeln!(f, "unit         1/{} disc", self.steps_per_disc)?;
        if let Some(Light { patterns, parameters, strength }) = &self.ordering {
            writeln!(f, "ordering     {parameters} weights, strength {strength}")?;
            patterns.iter().try_for_each(|pattern| writeln!(f, "             {pattern}"))?;
        }
        list(f, "selective", &self.selective)?;
        self.counts.as_deref().map_or(Ok(()), |counts| describe_counts(f, counts))?;
        writeln!(f, "sha256       {}", self.sha256)?;
        History(&self.provenance).fmt(f)?;
        self.predictions.as_ref().map_or(Ok(()), |predictions| predictions.fmt(f))?;
        self.inspect.as_ref().map_or(Ok(()), |inspection| inspection.fmt(f))
    }
}

fn describe_counts(f: &mut fmt::Formatter<'_>, counts: &[PhaseCounts]) -> fmt::Result {
    let fewest = counts.iter().min_by_key(|row| row.seen);
    let most = counts.iter().max_by_key(|row| row.seen);
    for (word, row) in [("fewest", fewest), ("most", most)] {
        let Some(PhaseCounts { phase, seen, least, most }) = row else { continue };
        write!(f, "met          {word} in phase {phase}: {seen} weights")?;
        writeln!(f, ", each {least} to {most} times")?;
    }
    Ok(())
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts.as_deref().unwrap_or_default();
        let heading = if counts.is_empty() { "" } else { "positions" };
        let rows = self.weights.iter().enumerate().map(|(phase, weight)| {
            let count = counts.get(phase).map_or(String::new(), u32::to_string);
            [phase.to_string(), format!("{weight:+.3}"), count]
        });
        let columns = ["phase", "discs", heading];
        write!(f, "\n{}, parameter {}\n{}", self.pattern, self.parameter, table(columns, rows))
    }
}

/// Reads the file and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let WeightsFile { weights, provenance, sha256 } = arguments.weights.by_class()?;
    let counted = arguments.weights != WeightsChoice::Embedded;
    let inspect = arguments.inspect.as_deref();
    let inspect = inspect.map(|asked| inspection(&weights, counted, asked)).transpose()?;
    let mut provenance = provenance.as_map().clone();
    provenance.sort_keys();
    let set = weights.set();
    session.print(&Report {
        pattern_set: set.name().to_owned(),
        patterns: set.patterns().iter().map(|pattern| names(pattern.squares())).collect(),
        scalars: set.scalars().to_vec(),
        factors: set.factors(),
        phases: PHASES,
        steps_per_disc: STEPS_PER_DISC,
        parameters: weights.geometry().parameters(),
        coverage: Coverage::of(weights.geometry()),
        ordering: weights.ordering.as_ref().map(Light::of),
        selective: selective(&weights),
        predictions: arguments.predictions.then(|| Predictions::of(&weights.models)),
        counts: counted.then(|| Phase::all().map(|phase| counts(&weights, phase)).collect()),
        sha256,
        provenance,
        inspect,
    })
}

fn selective(weights: &Weights) -> Vec<&'static str> {
    let Models { probcut, ends, realization } = &weights.models;
    let has = [probcut.is_some(), ends.is_some(), realization.is_some()];
    let names = ["probcut", "ends", "realization"].into_iter().zip(has);
    names.filter_map(|(name, has)| has.then_some(name)).collect()
}

fn counts(weights: &Weights, phase: Phase) -> PhaseCounts {
    let seen = || weights.counts(phase).iter().copied().filter(|&count| count > 0);
    let (least, most) = (seen().min().unwrap_or(0), seen().max().unwrap_or(0));
    PhaseCounts { phase, seen: seen().count(), least, most }
}

/// Returns the weight of a configuration in each phase and, if `counted`, its number of occurrences
/// in training. `asked` has the squares of a pattern instance, and the disc on each square.
fn inspection(weights: &Weights, counted: bool, asked: &[String]) -> anyhow::Result<Inspection> {
    let [squares, discs] = asked else { bail!("--inspect takes squares and discs") };
    let squares = squares.split_ascii_whitespace().map(Square::from_str);
    let squares = squares.collect::<Result<Vec<_>, _>>().context("--inspect")?;
    let position = partial_position(&squares, discs)?;
    let asked_for = bits(&squares);
    let geometry = weights.geometry();
    let mut instances = geometry.instances.iter().zip(geometry.parameters_of(&position));
    let found = instances.find(|(instance, _)| bits(&instance.squares) == asked_for);
    let Some((instance, parameter)) = found else {
        bail!("--inspect: no pattern of the set has the squares {}", names(&squares));
    };
    let pattern = &weights.set().patterns()[instance.pattern];
    let discs_of = |phase| weight_in_discs(weights.steps(phase)[parameter]);
    let count = |phase| weights.counts(phase)[parameter];
    Ok(Inspection {
        pattern: pattern.name().to_owned(),
        parameter,
        weights: Phase::all().map(discs_of).collect(),
        counts: counted.then(|| Phase::all().map(count).collect()),
    })
}

fn partial_position(squares: &[Square], discs: &str) -> anyhow::Result<Position> {
    let (known, given) = (squares.len(), discs.chars().count());
    ensure!(given == known, "--inspect: {known} squares, but `{discs}` has {given} characters");
    let (mut player, mut opponent) = (0, 0);
    for (square, disc) in squares.iter().zip(discs.chars()) {
        match disc {
            'X' | 'x' | '*' => player |= square.bit(),
            'O' | 'o' => opponent |= square.bit(),
            '-' | '.' => {}
            other => bail!("--inspect: `{other}` is not a disc; expected X, O or -"),
        }
    }
    Position::new(player, opponent).context("--inspect: a square is named twice")
}

fn bits(squares: &[Square]) -> u64 {
    squares.iter().fold(0, |bits, square| bits | square.bit())
}

const MOST_FIELDS: usize = 64;
const MAX_LIST_ENTRIES: usize = 3;

struct History<'a>(&'a Map<String, Json>);

impl<'a> fmt::Display for History<'a> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let earlier = |step: &&'a Map<String, Json>| step.get("weights_provenance")?.as_object();
        for (number, step) in std::iter::successors(Some(self.0), earlier).enumerate() {
            let heading = if number == 0 { "made by" } else { "before that" };
            writeln!(f, "{heading:12} {}", text(step.get("command").unwrap_or(&Json::Null)))?;
            let told = |key: &str| key == "command" || key == "weights_provenance";
            for (key, value) in step.iter().filter(|(key, _)| !told(key)) {
                writeln!(f, "             {}: {}", excerpt(key), text(value))?;
            }
        }
        Ok(())
    }
}

/// Formats a JSON value as one line of text, without control characters.
fn text(value: &Json) -> String {
    match value {
        Json::Array(list) if list.is_empty() => "none".to_owned(),
        Json::Array(list) if list.len() > MAX_LIST_ENTRIES => format!("{} of them", list.len()),
        Json::Array(list) => list.iter().map(text).collect::<Vec<_>>().join(", "),
        Json::Object(map) => {
            let fields = map.iter().map(|(key, value)| format!("{} {}", excerpt(key), text(value)));
            quoted_reason(&fields.take(MOST_FIELDS).collect::<Vec<_>>().join(", "))
        }
        Json::String(words) if words.contains('\n') => format!("{} lines", words.lines().count()),
        Json::String(words) => quoted_reason(words),
        Json::Null => "none".to_owned(),
        Json::Bool(_) | Json::Number(_) => value.to_string(),
    }
}

fn cells(Prediction { slope, offset, error }: Prediction) -> [String; 3] {
    [format!("{slope:.3}"), format!("{offset:+.2}"), format!("{error:.2}")]
}

impl fmt::Display for Predictions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.probcut.is_empty() {
            let rows = self.probcut.iter().map(|row| {
                let [slope, offset, deviation] = cells(row.predicted);
                let [ply, shallow, deep] = [row.ply, row.shallow, row.deep].map(|n| n.to_string());
                [ply, shallow, deep, slope, offset, deviation]
            });
            let columns = ["ply", "known depth", "depth", "slope", "offset", "deviation"];
            write!(f, "\nvalues of deeper searches, in discs\n{}\n", table(columns, rows))?;
        }
        if !self.ends.is_empty() {
            let rows = self.ends.iter().map(|row| {
                let [slope, offset, deviation] = cells(row.predicted);
                [row.empties.to_string(), row.shallow.to_string(), slope, offset, deviation]
            });
            let columns = ["empty squares", "known depth", "slope", "offset", "deviation"];
            write!(f, "\nscores, in discs\n{}\n", table(columns, rows))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_are_told_from_the_last_to_the_first_a_value_a_line() {
        let fit = json!({"command": "fit", "data": [1, 2, 3, 4], "initial": null, "patterns": "a\nb\n",
            "settings": {"adam": {"epochs": 3}, "ridge": 0.5}});
        let last = json!({"command": "quantize", "label_error": 5.0, "weights": "0a\u{1b}", "weights_provenance": fit});
        let told = "\
made by      quantize
             label_error: 5.0
             weights: 0a\\u{1b}
before that  fit
             data: 4 of them
             initial: none
             patterns: 2 lines
             settings: adam epochs 3, ridge 0.5
";
        assert_eq!(History(last.as_object().unwrap()).to_string(), told);
    }
}
