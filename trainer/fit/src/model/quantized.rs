//! Rounds weights and factors to coarser steps, so that the weights file compresses better. The
//! step of a weight may be as large as its standard error, about σ/√n for n labels of error σ. So
//! the weights of frequent classes keep fine steps. Rare classes, which are most of a file, get
//! coarse steps.

use othello_engine::board::Phase;
use othello_engine::eval::{Factors, MAX_FACTOR, STEPS_PER_DISC, Weights, own_worth};
use othello_engine::random::random_game;
use serde::Serialize;

const RANDOM_GAMES: u64 = 100;

/// The steps to which a weight or factor may be rounded, as multiples of the step in weights files.
const STEPS: [f64; 7] = [64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0];

/// The settings by which weights are rounded to coarser steps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Coarseness {
    /// The standard error σ of one label, in discs. It determines the steps of a parameter with n
    /// occurrences in training: k is the greatest of 1, 2, 4, …, 64 with k/32 ≤ σ/√n, at least 1.
    /// The weight is rounded to a multiple of k/32 disc, a factor to a multiple of k/64 √disc.
    pub label_error: f64,
    /// The number of leading binary digits to keep of each count of occurrences; 0 makes counts 0.
    pub count_digits: u32,
    /// The number of consecutive phases that get the same weights: the mean of their weights,
    /// weighted by occurrences.
    pub shared_phases: usize,
}

impl Coarseness {
    /// Returns the step k, in units of 1/32 disc (for factors, 1/64 √disc), to which a parameter
    /// with n `occurrences` is rounded: the greatest in [`STEPS`] with k/32 ≤ σ/√n, or 1. σ is the
    /// error of a label.
    fn steps(self, occurrences: u64) -> f64 {
        let error = self.label_error * f64::from(STEPS_PER_DISC);
        let fits = |steps: &f64| steps * steps * occurrences.max(1) as f64 <= error * error;
        STEPS.into_iter().find(fits).unwrap_or(1.0)
    }
}

/// Returns weights rounded to coarser steps. If rounding a parameter's factors changes their own
/// contribution to a value ([`own_worth`]), its weight is corrected by the difference before it is
/// rounded.
pub fn quantized(weights: &Weights, to: Coarseness) -> Weights {
    let mut coarser = weights.clone();
    if let (Some(factors), Some(coarser)) = (weights.factors(), coarser.factors_mut()) {
        let dimensions = factors.shape().dimensions();
        for group in 0..factors.shape().groups() {
            let counts = group_counts(weights, factors, group);
            let exact = factors.group(group);
            coarser.set_group(group, |place| {
                nearest_factor(exact[place], to.steps(counts[place / dimensions]))
            });
        }
    }
    let factors = weights.factors().zip(coarser.factors().cloned());
    for phases in Phase::all().collect::<Vec<_>>().chunks(to.shared_phases) {
        let mut means = vec![Mean::default(); weights.geometry().parameters()];
        for &phase in phases {
            let rows = means.iter_mut().zip(weights.steps(phase)).zip(weights.counts(phase));
            let lost = factors.as_ref().map(|(before, after)| own_worth_lost(before, after, phase));
            for (parameter, ((mean, &steps), &count)) in rows.enumerate() {
                let lost = lost.as_ref().map_or(0.0, |lost| lost[parameter]);
                mean.add(f64::from(steps) + lost * f64::from(STEPS_PER_DISC), count);
            }
        }
        for &phase in phases {
            let counts = weights.counts(phase);
            coarser.set_steps(phase, |parameter| {
                let mean = means[parameter];
                nearest_multiple(mean.value, to.steps(mean.occurrences)) as i16
            });
            coarser
                .set_counts(phase, |parameter| leading_digits(counts[parameter], to.count_digits));
        }
    }
    coarser
}

/// The mean of a parameter's weights in several phases, weighted by its occurrences in each phase
/// plus 0.001, so that it exists even without occurrences.
#[derive(Clone, Copy, Default)]
struct Mean {
    value: f64,
    share: f64,
    occurrences: u64,
}

impl Mean {
    fn add(&mut self, value: f64, count: u32) {
        let share = f64::from(count) + 1e-3;
        self.share += share;
        self.occurrences += u64::from(count);
        // For the first phase, `share / self.share` is 1, so the mean over one phase is exact.
        self.value += (value - self.value) * (share / self.share);
    }
}

fn group_counts(weights: &Weights, factors: &Factors, group: usize) -> Vec<u64> {
    let mut sums = vec![0; weights.geometry().parameters()];
    for phase in Phase::all().filter(|&phase| factors.shape().group(phase) == group) {
        let counts = sums.iter_mut().zip(weights.counts(phase));
        counts.for_each(|(sum, &count)| *sum += u64::from(count));
    }
    sums
}

fn nearest_factor(factor: i8, of: f64) -> i8 {
    let largest = (f64::from(MAX_FACTOR) / of).floor() * of;
    nearest_multiple(factor.into(), of).clamp(-largest, largest) as i8
}

/// Returns the multiple of `of` nearest to `exact`; halves go to the even multiple, to avoid bias.
fn nearest_multiple(exact: f64, of: f64) -> f64 {
    (exact / of).round_ties_even() * of
}

fn own_worth_lost(before: &Factors, after: &Factors, phase: Phase) -> Vec<f64> {
    let dimensions = before.shape().dimensions();
    let vectors = |factors: &Factors| -> Vec<f64> {
        factors.of(phase).chunks_exact(dimensions).map(own_worth).collect()
    };
    vectors(before).into_iter().zip(vectors(after)).map(|(before, after)| before - after).collect()
}

/// Returns `number` rounded down to its first `digits` binary digits, counted from the highest 1.
fn leading_digits(number: u32, digits: u32) -> u32 {
    let others = (u32::BITS - number.leading_zeros()).saturating_sub(digits);
    number.checked_shr(others).map_or(0, |leading| leading << others)
}

/// The difference between the values of two weights files on positions of random games, in discs.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct Change {
    /// The number of positions on which the values by the two weights files were compared.
    pub positions: u32,
    /// The root mean square change of a position's value by the coarser weights, in discs.
    pub root_mean_square: f64,
    /// The greatest absolute change of a position's value by the coarser weights, in discs.
    pub greatest: f64,
}

impl Change {
    /// Compares the static values by `before` and `after` on the positions of some random games.
    pub fn between(before: &Weights, after: &Weights) -> Self {
        let (mut positions, mut squares, mut greatest) = (0_u32, 0.0, 0.0_f64);
        for step in (0..RANDOM_GAMES).flat_map(|game| random_game(0, game, usize::MAX).steps) {
            let values = [before, after].map(|it| it.parts(&step.position));
            let [Some(before), Some(after)] = values else { continue };
            let steps = f64::from(after.steps() - before.steps());
            let discs = steps / f64::from(STEPS_PER_DISC);
            positions += 1;
            squares += discs * discs;
            greatest = greatest.max(discs.abs());
        }
        let root_mean_square = (squares / f64::from(positions.max(1))).sqrt();
        Self { positions, root_mean_square, greatest }
    }
}

#[cfg(test)]
mod tests {
    use othello_engine::pattern::{FactorShape, PatternSet};
    use othello_engine::random::Generator;

    use super::*;

    fn weights() -> Weights {
        let shape = FactorShape::new(8, 30).unwrap();
        let set = PatternSet::shipped("small").unwrap().with_factors(Some(shape));
        let mut weights = Weights::zero(set);
        let mut random = Generator::new(3);
        let parameters = weights.geometry().parameters();
        for phase in Phase::all() {
            let steps: Vec<i16> = (0..parameters).map(|_| random.below(401) as i16 - 200).collect();
            weights.set_steps(phase, |parameter| steps[parameter]);
            let counts: Vec<u32> = (0..parameters).map(|_| random.below(1 << 20)).collect();
            weights.set_counts(phase, |parameter| counts[parameter]);
        }
        for group in 0..shape.groups() {
            let drawn: Vec<i8> = (0..parameters * 8).map(|_| random.below(255) as i8).collect();
            weights.factors_mut().unwrap().set_group(group, |place| drawn[place] / 8);
        }
        weights
    }

    const AS_FINE: Coarseness = Coarseness { label_error: 0.0, count_digits: 32, shared_phases: 1 };

    #[test]
    fn steps_as_fine_as_before_change_nothing() {
        let weights = weights();
        let same = quantized(&weights, AS_FINE);
        assert!(same.all_steps() == weights.all_steps());
        assert!(same.all_counts() == weights.all_counts());
        assert!(same.factors() == weights.factors());
        let change = Change::between(&weights, &same);
        assert!(change.positions > 5_000 && change.greatest == 0.0, "{change:?}");
    }

    #[test]
    fn phases_share_the_mean_of_their_weights() {
        let weights = weights();
        let shared = quantized(&weights, Coarseness { shared_phases: 25, ..AS_FINE });
        let phases: Vec<Phase> = Phase::all().collect();
        for group in phases.chunks(25) {
            let rows =
                group.iter().map(|&phase| (weights.steps(phase)[7], weights.counts(phase)[7]));
            let (sum, count) = rows.fold((0.0, 0.0), |(sum, all), (step, count)| {
                (sum + f64::from(step) * f64::from(count), all + f64::from(count))
            });
            for &phase in group {
                assert!((f64::from(shared.steps(phase)[7]) - sum / count).abs() < 0.51);
                assert!(shared.steps(phase) == shared.steps(group[0]));
                assert!(shared.counts(phase) == weights.counts(phase));
            }
        }
    }

    #[test]
    fn what_is_rare_gets_coarse_steps_and_what_is_common_fine_ones() {
        let to = Coarseness { label_error: 10.0, ..AS_FINE };
        // For n occurrences, a coarse step is at most 10 discs / √n = 320/√n steps, but at least 1.
        let steps = [1_000_000, 25_601, 25_600, 6_401, 6_400, 100, 25, 1, 0].map(|n| to.steps(n));
        assert_eq!(steps, [1.0, 1.0, 2.0, 2.0, 4.0, 32.0, 64.0, 64.0, 64.0]);

        let weights = weights();
        let coarser = quantized(&weights, to);
        for phase in Phase::all() {
            let rows = coarser.steps(phase).iter().zip(weights.counts(phase));
            for (&step, &count) in rows {
                assert!(f64::from(step) % to.steps(count.into()) == 0.0, "{step} of {count}");
            }
        }
        let factors = coarser.factors().unwrap();
        let counts = group_counts(&weights, factors, 1);
        let late = Phase::all().skip(30).map(|phase| u64::from(weights.counts(phase)[7]));
        assert_eq!(counts[7], late.sum::<u64>());
        for (vector, count) in factors.group(1).chunks_exact(8).zip(counts) {
            assert!(vector.iter().all(|&factor| f64::from(factor) % to.steps(count) == 0.0));
        }
    }

    #[test]
    fn what_a_class_is_worth_by_itself_changes_by_half_a_step_at_most() {
        let weights = weights();
        let to = Coarseness { label_error: 1_000.0, ..AS_FINE };
        let coarser = quantized(&weights, to);
        assert!(coarser.factors() != weights.factors());
        let by_themselves = |weights: &Weights, phase| -> Vec<f64> {
            let vectors = weights.factors().unwrap().of(phase).chunks_exact(8);
            let own = vectors.map(|vector| own_worth(vector) * f64::from(STEPS_PER_DISC));
            own.zip(weights.steps(phase)).map(|(own, &step)| own + f64::from(step)).collect()
        };
        for phase in Phase::all() {
            let worths = [&weights, &coarser].map(|weights| by_themselves(weights, phase));
            for (parameter, &count) in weights.counts(phase).iter().enumerate() {
                let change = worths[1][parameter] - worths[0][parameter];
                assert!(change.abs() <= to.steps(count.into()) / 2.0, "{change} steps of {count}");
            }
        }
    }

    #[test]
    fn rounding_is_to_the_nearest_within_the_range() {
        let factors = [1, 2, 3, 5, 6, -6, -7].map(|factor| nearest_factor(factor, 4.0));
        assert_eq!(factors, [0, 0, 4, 4, 8, -8, -8]);
        assert_eq!([127, -127].map(|factor| nearest_factor(factor, 4.0)), [124, -124]);
        assert_eq!([127, 100, 31].map(|factor| nearest_factor(factor, 64.0)), [64, 64, 0]);
        assert_eq!([0, 1, 6, 7, 1023].map(|count| leading_digits(count, 2)), [0, 1, 6, 6, 768]);
        assert_eq!(leading_digits(u32::MAX, 0), 0);
        assert_eq!(leading_digits(u32::MAX, 32), u32::MAX);
    }
}
