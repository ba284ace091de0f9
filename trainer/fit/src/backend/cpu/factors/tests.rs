use othello_engine::pattern::{FactorShape, PatternSet};
use othello_engine::random::Generator;
use othello_engine::record::{Label, ScoredPosition, Weight};

use super::*;
use crate::backend::{Backend as _, Batch, Cpu, Target};
use crate::model::InstructionSet;
use crate::model::tests::random_positions;

const LABEL: f64 = 700.0 / 256.0;

fn rows() -> [Vec<ScoredPosition>; 2] {
    let positions = random_positions(30);
    phases().map(|phase| {
        let of_phase = positions.iter().filter(|p| Phase::of(p) == Some(phase));
        let row = |p: &_| ScoredPosition::new(*p, Label::new(700).unwrap(), Weight::ONE);
        of_phase.map(row).collect()
    })
}

fn group(model: &Model, rows: &[Vec<ScoredPosition>; 2]) -> Group {
    let weight = i64::from(Weight::ONE.steps());
    let trained: Vec<i64> =
        counts(model, &rows.concat()).into_iter().map(|count| count * weight).collect();
    Group::new(model, &phases(), &trained, &vec![0; model.parameters()]).unwrap()
}

fn phases() -> [Phase; 2] {
    [20, 21].map(|phase| Phase::new(phase).unwrap())
}

fn counts(model: &Model, rows: &[ScoredPosition]) -> Vec<i64> {
    let mut counts = vec![0; model.parameters()];
    for row in rows {
        let features = model.features(&row.position());
        features.iter().for_each(|&parameter| counts[parameter as usize] += 1);
    }
    counts
}

fn random_vector(group: &Group) -> Vec<f64> {
    let mut random = Generator::new(3);
    let mut number = || f64::from(random.below(2001)) / 1000.0 - 1.0;
    let mut vector: Vec<f64> = (0..group.length()).map(|_| number()).collect();
    vector[group.factors()].iter_mut().for_each(|factor| *factor *= 0.3);
    vector
}

/// Returns Σ residual² over `rows` and, for each weight or factor w in `vector`, Σ residual ·
/// ∂value/∂w. Computes a value by its definition: a product for every pair of factor vectors.
fn sums_over_pairs(
    model: &Model,
    group: &Group,
    rows: &[Vec<ScoredPosition>],
    vector: &[f64],
) -> (f64, Vec<f64>) {
    let dimensions = group.dimensions;
    let place =
        |feature: usize, dimension: usize| group.factors().start + feature * dimensions + dimension;
    let sign = |dimension: usize| if 2 * dimension < dimensions { 1.0 } else { -1.0 };
    let (mut squares, mut sums) = (0.0, vec![0.0; group.length()]);
    for row in rows.iter().flatten() {
        let first = group.weights(Phase::of(&row.position()).unwrap()).start;
        let features = model.features(&row.position());
        let features: Vec<usize> =
            features.iter().map(|&parameter| group.numbers[parameter as usize] as usize).collect();
        let mut value: f64 = features.iter().map(|&feature| vector[first + feature]).sum();
        for (number, &one) in features.iter().enumerate() {
            for &other in &features[number + 1..] {
                let product = |d| sign(d) * vector[place(one, d)] * vector[place(other, d)];
                value += (0..dimensions).map(product).sum::<f64>();
            }
        }
        let residual = LABEL - value;
        squares += residual * residual;
        for (number, &one) in features.iter().enumerate() {
            sums[first + one] += residual;
            for (other, &feature) in features.iter().enumerate() {
                for d in (0..dimensions).filter(|_| other != number) {
                    sums[place(one, d)] += residual * sign(d) * vector[place(feature, d)];
                }
            }
        }
    }
    (squares, sums)
}

/// The settings of a step of Adam that stores the gradient itself as the first moment, so that
/// tests can read the gradient.
const SUMS: AdamStep = AdamStep {
    unit: 1.0,
    ridge: 0.0,
    keep_first: 0.0,
    take_first: 1.0,
    keep_second: 0.0,
    take_second: 1.0,
    rate: 1e-3,
    correction: 1.0,
    epsilon: 1e-8,
};

#[derive(PartialEq, Debug)]
struct Updated {
    squared: u128,
    weights: Vec<f64>,
    first: Vec<f64>,
    fixed: Vec<i32>,
}

fn updated(
    cpu: &Cpu<'_>,
    rows: &[Rows<'_>],
    [vector, initial]: [&[f64]; 2],
    step: &AdamStep,
) -> Updated {
    let (weights, zeros) = (vector.to_vec(), vec![0.0; vector.len()]);
    let mut fixed = cpu.zero_fixed().unwrap();
    cpu.round_weights(&weights, &mut fixed).unwrap();
    let mut moments = Moments { weights, first: zeros.clone(), second: zeros };
    let initial = &initial.to_vec();
    let (fixed_there, mut squared) = (&mut fixed, 0);
    let squares = &mut squared;
    let update = GroupUpdate { step, initial, moments: &mut moments, fixed: fixed_there, squares };
    let (rows, mut scratch) = (rows.to_vec(), cpu.scratch().unwrap());
    cpu.descend(&rows, Batch::WHOLE, update, &mut scratch).unwrap();
    Updated { squared, weights: moments.weights, first: moments.first, fixed }
}

#[test]
fn values_and_gradients_are_those_of_all_pairs_of_features() {
    for dimensions in FactorShape::DIMENSIONS {
        let set = PatternSet::shipped("small").unwrap();
        let model = Model::new(set.with_factors(FactorShape::new(dimensions, 60)));
        let positions = rows();
        let rows = positions.each_ref().map(|rows| Rows::full(rows));
        let group = group(&model, &positions);
        let cpu = Cpu::new(&model).of_group(&group).unwrap();
        let vector = random_vector(&group);
        let (expected_squares, expected) = sums_over_pairs(&model, &group, &positions, &vector);
        let found = updated(&cpu, &rows, [&vector; 2], &SUMS);
        let squares = found.squared as f64 / f64::from(1u32 << 26);
        assert!((squares / expected_squares - 1.0).abs() < 1e-3, "{squares} {expected_squares}");
        let found = found.first.iter().map(|&sum| sum / f64::from(1u32 << 16));
        for (place, (found, expected)) in found.zip(expected).enumerate() {
            let allowed = 0.02 + 0.002 * f64::abs(expected);
            assert!((found - expected).abs() < allowed, "{place}: {found} {expected}");
        }
        let (rows, mut sums) = (rows.to_vec(), cpu.zero_sums().unwrap());
        let (fixed, label) = (cpu.zero_fixed().unwrap(), Target::Label);
        let found = cpu.residual_sums(&rows, Batch::WHOLE, &fixed, label, &mut sums, &mut 0);
        assert!(found.is_err());
        assert!(cpu.occurrences(&rows, &mut sums).is_err());
    }
}

/// An update with one position must change only the parameters that occur in this position. The
/// ridge term of a parameter's gradient must be in proportion to the position's share of the
/// occurrences of the parameter.
#[test]
fn an_update_changes_what_its_positions_have_and_pulls_by_their_share() {
    let set = PatternSet::shipped("small").unwrap();
    let model = Model::new(set.with_factors(FactorShape::new(8, 60)));
    let positions = rows();
    let group = group(&model, &positions);
    let cpu = Cpu::new(&model).of_group(&group).unwrap();
    let start = random_vector(&group);
    let one = [Rows::full(&positions[1][..1])];
    let step = AdamStep { unit: 0.0, ridge: 2.0, ..SUMS };
    let found = updated(&cpu, &one, [&start, &vec![0.0; start.len()]], &step);
    let Updated { weights, first, .. } = &found;
    let own = counts(&model, &positions[1][..1]);
    let all = counts(&model, &positions.concat());
    for (number, &parameter) in group.parameters.iter().enumerate() {
        let parameter = parameter as usize;
        let share = own[parameter] as f64 / all[parameter] as f64;
        let in_other_phase = group.weights(phases()[0]).start + number;
        assert_eq!(first[in_other_phase], 0.0);
        let in_own_phase = group.weights(phases()[1]).start + number;
        let factors = group.factors().start + number * 8;
        for place in (factors..factors + 8).chain([in_own_phase]) {
            let expected = -2.0 * share * start[place];
            assert!((first[place] - expected).abs() < 1e-12, "{place}");
            let stays = own[parameter] == 0 || start[place] == 0.0;
            assert_eq!(weights[place] == start[place], stays, "{place}");
        }
    }
    let mut expected = cpu.zero_fixed().unwrap();
    cpu.round_weights(weights, &mut expected).unwrap();
    assert!(found.fixed == expected, "the elements in fixed point are those of the new ones");
}

#[test]
fn all_instruction_sets_do_the_same_update() {
    let positions = rows();
    let rows = positions.each_ref().map(|rows| Rows { positions: rows, factor: 99 });
    for dimensions in FactorShape::DIMENSIONS {
        let set = PatternSet::shipped("scalars").unwrap();
        let set = set.with_factors(FactorShape::new(dimensions, 60));
        let found = InstructionSet::available().map(|instructions| {
            let model = Model::with_instructions(set.clone(), instructions);
            let group = group(&model, &positions);
            let cpu = Cpu::new(&model).of_group(&group).unwrap();
            updated(&cpu, &rows, [&random_vector(&group); 2], &SUMS)
        });
        let found: Vec<_> = found.collect();
        assert!(found.iter().all(|sums| *sums == found[0]), "{dimensions}");
    }
}

#[test]
fn a_group_numbers_what_occurs_the_most_frequent_first() {
    let set = PatternSet::shipped("small").unwrap();
    let model = Model::new(set.with_factors(FactorShape::new(8, 60)));
    let [trained, measured] = rows().each_ref().map(|rows| counts(&model, rows));
    let group = Group::new(&model, &phases()[..1], &trained, &measured).unwrap();
    let of_group = group.parameters.iter().map(|&parameter| trained[parameter as usize]);
    let of_group: Vec<i64> = of_group.collect();
    assert!(of_group.is_sorted_by(|one, next| one >= next));
    assert_eq!(of_group.iter().filter(|&&count| count > 0).count(), group.trained);
    for (parameter, &number) in group.numbers.iter().enumerate() {
        match trained[parameter] + measured[parameter] {
            0 => assert_eq!(number as usize, group.count() - 1),
            _ => assert_eq!(group.parameters[number as usize] as usize, parameter),
        }
    }
    assert_eq!(group.phases, [phases()[0]]);
    assert!(group.trained < group.parameters.len() && group.count() < model.parameters());
}
