//! Summarises a weights file: occurrences in training, the influence of squares, the weights of
//! each pattern's most frequent classes (sets of symmetric configurations), and the predictions of
//! the ProbCut models.

use std::cmp::Reverse;

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, weight_in_discs};
use othello_engine::pattern::{Geometry, Instance, PatternGeometry, Scalar};
use othello_engine::search::Predictions;
use serde::Serialize;
use serde_json::{Value as Json, json};

#[derive(Serialize)]
pub(super) struct WeightsSummary {
    set: String,
    patterns: Vec<PatternSummary>,
    scalars: Vec<ScalarSummary>,
    /// For each phase, the number of training positions, repetitions included.
    positions: Vec<u64>,
    /// For each phase, the influence of each square in discs. Each pattern instance that contains
    /// the square adds the pattern's [`mean_size`] divided by its number of squares.
    squares: Vec<Vec<f64>>,
    pub(super) predictions: Predictions,
}

#[derive(Serialize)]
struct PatternSummary {
    name: String,
    /// The squares, 0 to 63, of each instance (symmetric image) of the pattern; the first instance
    /// is the pattern itself.
    instances: Vec<Vec<usize>>,
    classes: usize,
    /// For each phase, the numbers of classes with at least 1, 10 and 100 occurrences in training.
    met: Vec<[usize; 3]>,
    /// For each phase, the [`mean_size`] of the pattern's weights, in discs.
    sizes: Vec<f64>,
    shown: Vec<ClassSummary>,
}

#[derive(Serialize)]
struct ClassSummary {
    /// A configuration of the class as a text: X player, O opponent, - empty square.
    discs: String,
    /// The weight of the class in each phase, in steps of 1/32 disc.
    steps: Vec<i16>,
    counts: Vec<u32>,
}

#[derive(Serialize)]
struct ScalarSummary {
    name: String,
    /// For each phase, the weight of each value (0, 1, 2, …) of the feature, in steps of 1/32 disc.
    steps: Vec<Vec<i16>>,
    counts: Vec<Vec<u32>>,
}

impl WeightsSummary {
    /// Summarises weights. Lists the `classes` classes of each pattern that are most frequent in
    /// training.
    pub(super) fn new(weights: &Weights, classes: usize) -> Self {
        let geometry = weights.geometry();
        let patterns = (0..geometry.patterns.len()).map(|number| pattern(weights, number, classes));
        Self {
            set: weights.set().name().to_owned(),
            patterns: patterns.collect(),
            scalars: (0..geometry.scalars.len()).map(|number| scalar(weights, number)).collect(),
            positions: Phase::all()
                .map(|phase| geometry.positions(weights.counts(phase)))
                .collect(),
            squares: Phase::all().map(|phase| squares(weights, phase)).collect(),
            predictions: Predictions::of(&weights.models),
        }
    }

    pub(super) fn coverage(&self) -> impl Iterator<Item = Json> {
        let row = |(pattern, phase): (&PatternSummary, usize)| {
            let part = |times: usize| 100.0 * times as f64 / pattern.classes as f64;
            let [once, ten, hundred] = pattern.met[phase].map(part);
            json!({
                "pattern": pattern.name, "phase": phase, "classes": pattern.classes,
                "met_once": once, "met_10_times": ten, "met_100_times": hundred,
                "mean_weight": pattern.sizes[phase],
            })
        };
        let all = self.patterns.iter();
        all.flat_map(|pattern| (0..pattern.met.len()).map(move |phase| (pattern, phase))).map(row)
    }
}

/// Returns the mean of |weight| over a pattern's classes, in discs. Each class counts as often as
/// it occurs in training.
fn mean_size(weights: &Weights, tied: &PatternGeometry, phase: Phase) -> f64 {
    let own = tied.first_parameter..tied.first_parameter + tied.classes;
    let (steps, counts) = (&weights.steps(phase)[own.clone()], &weights.counts(phase)[own]);
    let (mut sum, mut met) = (0.0, 0.0);
    for (&step, &count) in steps.iter().zip(counts) {
        sum += f64::from(count) * weight_in_discs(step).abs();
        met += f64::from(count);
    }
    if met > 0.0 { sum / met } else { 0.0 }
}

fn rounded(discs: f64) -> f64 {
    (discs * 1e4).round() / 1e4
}

fn pattern(weights: &Weights, number: usize, most: usize) -> PatternSummary {
    let geometry = weights.geometry();
    let tied = &geometry.patterns[number];
    let own = tied.first_parameter..tied.first_parameter + tied.classes;
    let counts = |phase| &weights.counts(phase)[own.clone()];
    let met = |phase, least| counts(phase).iter().filter(|&&count| count >= least).count();
    let total = |class: usize| Phase::all().map(|phase| u64::from(counts(phase)[class])).sum();
    let mut order: Vec<usize> = (0..tied.classes).collect();
    order.sort_by_cached_key(|&class| (Reverse::<u64>(total(class)), class));
    order.truncate(most);
    let representatives = representatives(geometry, number);
    let shown = order.into_iter().map(|class| ClassSummary {
        discs: representatives[class].clone(),
        steps: Phase::all().map(|phase| weights.steps(phase)[own.start + class]).collect(),
        counts: Phase::all().map(|phase| counts(phase)[class]).collect(),
    });
    let instances = geometry.instances.iter().filter(|instance| instance.pattern == number);
    let squares = |instance: &Instance| instance.squares.iter().map(|it| it.index()).collect();
    PatternSummary {
        name: weights.set().patterns()[number].name().to_owned(),
        instances: instances.map(squares).collect(),
        classes: tied.classes,
        met: Phase::all().map(|phase| [1, 10, 100].map(|least| met(phase, least))).collect(),
        sizes: Phase::all().map(|phase| rounded(mean_size(weights, tied, phase))).collect(),
        shown: shown.collect(),
    }
}

fn representatives(geometry: &Geometry, number: usize) -> Vec<String> {
    let tied = &geometry.patterns[number];
    let mut texts: Vec<String> = Vec::with_capacity(tied.classes);
    for (index, &class) in tied.class_of.iter().enumerate() {
        // Class numbers follow the order of the smallest configurations, so this class is new.
        if usize::from(class) == texts.len() {
            let digits = std::iter::successors(Some(index), |rest| Some(rest / 3));
            let disc = |rest: usize| ['O', '-', 'X'][rest % 3];
            texts.push(digits.take(tied.squares()).map(disc).collect());
        }
    }
    texts
}

fn scalar(weights: &Weights, number: usize) -> ScalarSummary {
    let geometry = weights.geometry();
    let first = geometry.pattern_parameters + number * Scalar::VALUES;
    let own = first..first + Scalar::VALUES;
    ScalarSummary {
        name: geometry.scalars[number].to_string(),
        steps: Phase::all().map(|phase| weights.steps(phase)[own.clone()].to_vec()).collect(),
        counts: Phase::all().map(|phase| weights.counts(phase)[own.clone()].to_vec()).collect(),
    }
}

fn squares(weights: &Weights, phase: Phase) -> Vec<f64> {
    let geometry = weights.geometry();
    let means: Vec<f64> =
        geometry.patterns.iter().map(|tied| mean_size(weights, tied, phase)).collect();
    let mut squares = vec![0.0; 64];
    for instance in &geometry.instances {
        let share = means[instance.pattern] / instance.squares.len() as f64;
        for square in &instance.squares {
            squares[square.index()] += share;
        }
    }
    squares.into_iter().map(rounded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::board::{Position, StatedPosition};

    fn conformance() -> Weights {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/conformance/conformance.weights");
        Weights::read(path.as_ref()).unwrap().weights
    }

    #[test]
    fn a_class_is_told_by_the_discs_of_its_smallest_configuration() {
        let weights = conformance();
        let geometry = weights.geometry();
        let summary = WeightsSummary::new(&weights, usize::MAX);
        let boards = include_str!("../../../../datasets/conformance/boards.txt");
        let position: Position =
            boards.lines().nth(38).unwrap().parse::<StatedPosition>().unwrap().position;
        let phase = Phase::of(&position).unwrap();
        let parameters: Vec<usize> = geometry.parameters_of(&position).collect();
        for (number, pattern) in summary.patterns.iter().enumerate() {
            assert_eq!(pattern.shown.len(), pattern.classes);
            let own =
                geometry.instances.iter().zip(&parameters).find(|(it, _)| it.pattern == number);
            let (instance, &parameter) = own.unwrap();
            let there = |squares: &[othello_engine::board::Square]| -> String {
                let disc = |square: &othello_engine::board::Square| match square.bit() {
                    bit if position.player() & bit != 0 => 'X',
                    bit if position.opponent() & bit != 0 => 'O',
                    _ => '-',
                };
                squares.iter().map(disc).collect()
            };
            // The smallest image under the pattern's own symmetries represents the class.
            let discs: Vec<char> = there(&instance.squares).chars().collect();
            let turned = geometry.patterns[number].permutations.iter().map(|permutation| {
                let mut image = vec![' '; discs.len()];
                permutation.iter().zip(&discs).for_each(|(&place, &disc)| image[place] = disc);
                image.into_iter().collect::<String>()
            });
            let turned: Vec<String> = turned.collect();
            let found = pattern.shown.iter().find(|class| turned.contains(&class.discs)).unwrap();
            assert_eq!(found.steps[phase.index()], weights.steps(phase)[parameter]);
        }
    }

    #[test]
    fn what_was_met_often_was_met_seldom_too() {
        let weights = conformance();
        let summary = WeightsSummary::new(&weights, 3);
        for pattern in &summary.patterns {
            assert!(pattern.shown.len() <= 3);
            assert!(pattern.met.iter().all(|[any, ten, hundred]| any >= ten && ten >= hundred));
        }
        assert_eq!(summary.squares.len(), 60);
        assert_eq!(summary.scalars.len(), weights.set().scalars().len());
    }

    #[test]
    fn positions_are_counted_and_sizes_are_of_what_they_met() {
        let set = conformance().set().clone();
        let mut weights = Weights::zero(set);
        let boards = include_str!("../../../../datasets/conformance/boards.txt");
        let positions = boards.lines().map(|line| line.parse::<StatedPosition>().unwrap().position);
        let positions: Vec<Position> =
            positions.filter(|it| it.moves() != 0 && Phase::of(it).is_some()).collect();
        let in_phase = |phase| positions.iter().filter(move |it| Phase::of(it) == Some(phase));
        for phase in Phase::all() {
            let mut counts = vec![0; weights.geometry().parameters()];
            for position in in_phase(phase) {
                let met = weights.geometry().parameters_of(position);
                met.for_each(|parameter| counts[parameter] += 1);
            }
            weights.set_counts(phase, |parameter| counts[parameter]);
            // −½ disc for classes in training; 125 discs for other classes, which must not count.
            weights.set_steps(phase, |parameter| if counts[parameter] > 0 { -16 } else { 4000 });
        }
        let summary = WeightsSummary::new(&weights, 3);
        for phase in Phase::all() {
            let met = in_phase(phase).count();
            assert_eq!(summary.positions[phase.index()], met as u64);
            let size = if met > 0 { 0.5 } else { 0.0 };
            assert!(summary.patterns.iter().all(|it| it.sizes[phase.index()] == size));
        }
        assert!(summary.positions.iter().any(|&met| met > 0));
    }
}
