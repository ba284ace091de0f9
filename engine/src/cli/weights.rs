//! `othello-engine weights`: what a weights file is, and what it says of one class.

use std::fmt;
use std::str::FromStr as _;

use anyhow::{Context as _, bail, ensure};
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::common::{Outcome, Session};
use crate::board::{PHASES, Phase, Position, Square};
use crate::eval::{STEPS_PER_DISC, Weights, WeightsChoice, embedded};
use crate::pattern::PatternSet;

/// Arguments of `weights`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// A weights file, or `embedded`
    #[arg(default_value = "embedded", value_name = "FILE")]
    weights: WeightsChoice,

    /// Look up the class of what stands on some squares (X the player, O the opponent, - empty),
    /// such as "a1 b1 c1" XO-; the squares are those of a pattern, or of one of its images
    #[arg(long, num_args = 2, value_names = ["SQUARES", "DISCS"], allow_hyphen_values = true)]
    inspect: Option<Vec<String>>,
}

#[derive(Serialize)]
struct Report {
    pattern_set: String,
    patterns: Vec<String>,
    phases: usize,
    steps_per_disc: i32,
    sha256: String,
    provenance: Map<String, Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inspect: Option<Inspection>,
}

/// One class in every phase.
#[derive(Serialize)]
struct Inspection {
    pattern: String,
    parameter: usize,
    /// In discs, one for each phase.
    weights: Vec<f64>,
    /// How many training positions met the class, one for each phase.
    counts: Vec<u32>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "pattern set  {}: {} patterns", self.pattern_set, self.patterns.len())?;
        for pattern in &self.patterns {
            writeln!(f, "             {pattern}")?;
        }
        writeln!(f, "phases       {}", self.phases)?;
        writeln!(f, "unit         1/{} disc", self.steps_per_disc)?;
        writeln!(f, "sha256       {}", self.sha256)?;
        for (key, value) in &self.provenance {
            writeln!(f, "made from    {key} {value}")?;
        }
        self.inspect.as_ref().map_or(Ok(()), |inspection| inspection.fmt(f))
    }
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{}, parameter {}\nphase  discs    positions", self.pattern, self.parameter)?;
        for (phase, (weight, count)) in self.weights.iter().zip(&self.counts).enumerate() {
            writeln!(f, "{phase:5}  {weight:+7.3}  {count}")?;
        }
        Ok(())
    }
}

/// Reads the file and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let mut report = match &arguments.weights {
        WeightsChoice::File(path) => {
            let file = Weights::read(path)?;
            let inspect = arguments.inspect.as_deref();
            let inspect = inspect.map(|asked| inspection(&file.weights, asked)).transpose()?;
            let provenance = file.provenance.as_map().clone();
            Report { inspect, ..report(file.weights.set(), file.sha256, provenance) }
        }
        WeightsChoice::Embedded => embedded_weights()?,
        built_in => bail!("`{built_in}` is no weights file, and has no weights to show"),
    };
    if report.inspect.is_none() && arguments.inspect.is_some() {
        bail!(
            "the binary carries no counts for --inspect; name the weights file it was built from"
        );
    }
    report.provenance.sort_keys();
    session.print(&report)?;
    Ok(Outcome::Done)
}

fn report(set: &PatternSet, sha256: String, provenance: Map<String, Json>) -> Report {
    Report {
        pattern_set: set.name().to_owned(),
        patterns: set.patterns().iter().map(|pattern| names(pattern.squares())).collect(),
        phases: PHASES,
        steps_per_disc: STEPS_PER_DISC,
        sha256,
        provenance,
        inspect: None,
    }
}

fn embedded_weights() -> anyhow::Result<Report> {
    let identity = embedded::identity();
    let set = PatternSet::from_toml(identity.pattern_set).context("the embedded pattern set")?;
    let provenance =
        serde_json::from_str(identity.provenance).context("the embedded provenance")?;
    Ok(report(&set, identity.sha256.to_owned(), provenance))
}

/// Finds the instance with these squares, in any order, and the class of these discs on it.
fn inspection(weights: &Weights, asked: &[String]) -> anyhow::Result<Inspection> {
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
    let discs_of = |phase| f64::from(weights.steps(phase)[parameter]) / f64::from(STEPS_PER_DISC);
    Ok(Inspection {
        pattern: pattern.name().to_owned(),
        parameter,
        weights: Phase::all().map(discs_of).collect(),
        counts: Phase::all().map(|phase| weights.counts(phase)[parameter]).collect(),
    })
}

/// A position with these discs on these squares, and nothing anywhere else.
fn partial_position(squares: &[Square], discs: &str) -> anyhow::Result<Position> {
    ensure!(
        discs.chars().count() == squares.len(),
        "--inspect: {} squares, but `{discs}` has {} characters",
        squares.len(),
        discs.chars().count()
    );
    let (mut player, mut opponent) = (0, 0);
    for (square, disc) in squares.iter().zip(discs.chars()) {
        match disc {
            'X' | 'x' | '*' => player |= square.bit(),
            'O' | 'o' => opponent |= square.bit(),
            '-' | '.' => {}
            other => bail!("--inspect: `{other}` is no disc; expected X, O or -"),
        }
    }
    Position::new(player, opponent).context("--inspect: a square is named twice")
}

fn bits(squares: &[Square]) -> u64 {
    squares.iter().fold(0, |bits, square| bits | square.bit())
}

fn names(squares: &[Square]) -> String {
    squares.iter().map(Square::to_string).collect::<Vec<_>>().join(" ")
}
