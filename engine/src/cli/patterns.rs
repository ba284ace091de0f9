//! `othello-engine patterns`: the instances, classes, size and speed of a pattern set.

mod picture;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;

use super::{Outcome, Session};
use crate::board::{PHASES, Position, Square, Squares};
use crate::eval::{Evaluate as _, Tables, Value, Weights, WeightsChoice};
use crate::file::{Existing, Kind, check_output, kind_of, plain};
use crate::pattern::{Coverage, FactorShape, LANES, Pattern, PatternSet, Scalar, names};
use crate::random::{Generator, random_position};
use crate::text_table::table;

const REFERENCE: &str = "standard";
const TIMED_POSITIONS: usize = 2000;
const TIMED_EMPTIES: u32 = 30;
const TURNS: usize = 7;

/// Arguments of `patterns`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Pattern set: a TOML file, the name of a shipped set, a weights file, or `embedded`
    #[arg(default_value = "embedded", value_name = "FILE")]
    set: String,
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[arg(long)]
    force: bool,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Patterns {
    /// The name of the pattern set.
    pattern_set: String,
    /// The patterns.
    patterns: Vec<PatternRow>,
    /// The number of instances of all patterns; a set has at most 64.
    instances: usize,
    /// The total number of classes (sets of symmetric configurations) of all patterns.
    classes: usize,
    /// The number of squares that at least one instance contains.
    squares: usize,
    /// The number of instances on each square, and the board lines that are in no instance.
    coverage: Coverage,
    /// The scalar features of the pattern set.
    scalars: Vec<Scalar>,
    /// The width of the factor vectors, and the number of phases that share a vector, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    factors: Option<FactorShape>,
    /// The number of weights of each phase.
    parameters: usize,
    /// The size of all weights and factors, without training counts, before compression, in bytes.
    bytes: u64,
    /// The speed of the evaluation, divided by its speed with the pattern set `standard`. Both are
    /// measured on one thread of this machine.
    relative_speed: f64,
}

#[derive(Serialize, schemars::JsonSchema)]
struct PatternRow {
    /// The name of the pattern.
    name: String,
    /// The squares of the pattern, as the pattern set lists them, such as `a1 b1 c1`.
    squares: String,
    /// The number of instances: different rotations and reflections of the pattern.
    instances: usize,
    /// The number of classes. Configurations that are symmetric to each other form a class.
    classes: usize,
}

impl fmt::Display for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.patterns.iter().map(|row| {
            let PatternRow { name, squares, instances, classes } = row;
            [name.clone(), instances.to_string(), classes.to_string(), squares.clone()]
        });
        writeln!(f, "{}", table(["<pattern", "instances", "classes", "<squares"], rows))?;
        let full = if self.instances == LANES { "; the set is full" } else { "" };
        writeln!(f, "{}: {} of {LANES} instances{full}", self.pattern_set, self.instances)?;
        writeln!(f, "coverage     {}", self.coverage)?;
        describe_features(f, &self.scalars, self.factors)?;
        writeln!(f, "weights      {} in each of {PHASES} phases", self.parameters)?;
        writeln!(f, "size         {:.1} MB before compression", self.bytes as f64 / 1e6)?;
        write!(f, "speed        {:.2} of that of `{REFERENCE}`", self.relative_speed)
    }
}

/// Reads the pattern set, measures its speed, and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let (set, file) = read(&arguments.set)?;
    let weights = Weights::zero(set);
    if let Some(path) = &arguments.picture {
        check_output(path, file)?;
        let existing = Existing::by_force(arguments.force);
        plain::write(path, picture::picture(&weights).as_bytes(), existing)?;
    }
    let (set, geometry) = (weights.set(), weights.geometry());
    let row = |(number, pattern): (usize, &Pattern)| PatternRow {
        name: pattern.name().to_owned(),
        squares: names(pattern.squares()),
        instances: geometry.instances.iter().filter(|it| it.pattern == number).count(),
        classes: geometry.patterns[number].classes,
    };
    let coverage = Coverage::of(geometry);
    let factors = set.factors().map_or(0, |it| it.groups() * it.dimensions());
    session.print(&Patterns {
        pattern_set: set.name().to_owned(),
        patterns: set.patterns().iter().enumerate().map(row).collect(),
        instances: geometry.instances.len(),
        classes: geometry.patterns.iter().map(|pattern| pattern.classes).sum(),
        squares: coverage.instances.iter().filter(|&&count| count > 0).count(),
        coverage,
        scalars: set.scalars().to_vec(),
        factors: set.factors(),
        parameters: geometry.parameters(),
        bytes: (geometry.parameters() * (PHASES * size_of::<i16>() + factors)) as u64,
        relative_speed: relative_speed(&weights),
    })
}

fn read(argument: &str) -> anyhow::Result<(PatternSet, Option<&Path>)> {
    let path = Path::new(argument);
    let set = match argument {
        "embedded" => WeightsChoice::Embedded.by_class()?.weights.set().clone(),
        _ if kind_of(path).is_ok_and(|kind| kind == Kind::Weights) => {
            Weights::read(path)?.weights.set().clone()
        }
        _ => PatternSet::named(argument, Path::new(""))?,
    };
    Ok((set, path.exists().then_some(path)))
}

fn relative_speed(weights: &Weights) -> f64 {
    let Some(reference) = PatternSet::shipped(REFERENCE) else { return f64::NAN };
    let both = [weights, &Weights::zero(reference)].map(Tables::new);
    let mut random = Generator::new(1);
    let positions: Vec<Position> =
        (0..TIMED_POSITIONS).map(|_| random_position(&mut random, TIMED_EMPTIES)).collect();
    let mut best = [f64::INFINITY; 2];
    // The extra turn is the warm-up, which also expands the tables.
    for _ in 0..=TURNS {
        for (best, tables) in best.iter_mut().zip(&both) {
            *best = best.min(seconds(tables, &positions));
        }
    }
    best[1] / best[0]
}

fn seconds(tables: &Tables, positions: &[Position]) -> f64 {
    let begun = Instant::now();
    for position in positions {
        let state = tables.state(position);
        let value = |square: Square| -> Value {
            let flips = position.flips(square);
            tables.value_after(&state, square, flips, &position.after(square, flips))
        };
        std::hint::black_box(Squares(position.moves()).map(value).max());
    }
    begun.elapsed().as_secs_f64()
}

pub(super) fn describe_features(
    f: &mut fmt::Formatter<'_>,
    scalars: &[Scalar],
    factors: Option<FactorShape>,
) -> fmt::Result {
    list(f, "scalars", scalars)?;
    let Some(shape) = factors else { return Ok(()) };
    let (dimensions, phases) = (shape.dimensions(), shape.phases());
    writeln!(f, "factors      {dimensions} of each weight, the same in {phases} phases")
}

pub(super) fn list(
    f: &mut fmt::Formatter<'_>,
    heading: &str,
    names: &[impl ToString],
) -> fmt::Result {
    let names: Vec<_> = names.iter().map(ToString::to_string).collect();
    if names.is_empty() { Ok(()) } else { writeln!(f, "{heading:12} {}", names.join(", ")) }
}
