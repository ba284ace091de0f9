//! Averages weights files of one pattern set. The mean of weights that were fine-tuned from common
//! weights has a smaller error than each of them (Wortsman et al., "Model soups", 2022). Factors of
//! independent fits do not correspond to each other, so their mean has no use.

use othello_engine::board::Phase;
use othello_engine::eval::Weights;

/// Returns the mean of weights files: rounded means of the weights and factors, and the maxima of
/// the counts of occurrences. First widens all factor vectors to the widest ones in `all`. `None`
/// if `all` is empty, or if the pattern sets differ even then.
pub fn averaged(all: Vec<Weights>) -> Option<Weights> {
    let all = widened(all)?;
    let (first, others) = all.split_first()?;
    if others.iter().any(|other| other.set() != first.set()) {
        return None;
    }
    let mut mean = Weights::zero(first.set().clone());
    for phase in Phase::all() {
        let steps: Vec<&[i16]> = all.iter().map(|weights| weights.steps(phase)).collect();
        mean.set_steps(phase, |parameter| {
            rounded_mean(steps.iter().map(|steps| i32::from(steps[parameter]))) as i16
        });
        let counts: Vec<&[u32]> = all.iter().map(|weights| weights.counts(phase)).collect();
        mean.set_counts(phase, |parameter| {
            counts.iter().map(|counts| counts[parameter]).max().unwrap_or(0)
        });
    }
    if let Some(factors) = mean.factors_mut() {
        for group in 0..factors.shape().groups() {
            let vectors: Vec<&[i8]> =
                all.iter().filter_map(|weights| Some(weights.factors()?.group(group))).collect();
            factors.set_group(group, |place| {
                rounded_mean(vectors.iter().map(|vector| i32::from(vector[place]))) as i8
            });
        }
    }
    Some(mean)
}

fn widened(all: Vec<Weights>) -> Option<Vec<Weights>> {
    let shapes = all.iter().filter_map(|weights| weights.set().factors());
    let Some(widest) = shapes.max_by_key(|shape| (shape.dimensions(), shape.phases())) else {
        return Some(all);
    };
    let widen = |weights: Weights| match weights.set().factors() {
        Some(shape) if shape != widest => weights.with_factors(widest),
        _ => Some(weights),
    };
    all.into_iter().map(widen).collect()
}

/// Returns the mean with halves rounded to even: rounding halves up would bias sums of means.
fn rounded_mean(numbers: impl ExactSizeIterator<Item = i32>) -> f64 {
    let count = numbers.len() as f64;
    (f64::from(numbers.sum::<i32>()) / count).round_ties_even()
}

#[cfg(test)]
mod tests {
    use othello_engine::pattern::{FactorShape, PatternSet};

    use super::*;

    fn weights(steps: i16, factor: i8, count: u32) -> Weights {
        let shape = FactorShape::new(8, 30).unwrap();
        let set = PatternSet::shipped("small").unwrap().with_factors(Some(shape));
        let mut weights = Weights::zero(set);
        for phase in Phase::all() {
            weights.set_steps(phase, |parameter| steps + (parameter % 3) as i16);
            weights.set_counts(phase, |parameter| count * (parameter % 2) as u32);
        }
        let factors = weights.factors_mut().unwrap();
        (0..2).for_each(|group| factors.set_group(group, |place| factor + (place % 5) as i8));
        weights
    }

    fn are_equal(found: &Weights, expected: &Weights) {
        assert!(found.all_steps() == expected.all_steps());
        assert!(found.all_counts() == expected.all_counts());
        assert!(found.factors() == expected.factors());
    }

    #[test]
    fn every_parameter_is_the_mean() {
        let all = [weights(-7, 20, 5), weights(0, -10, 9), weights(4, 5, 2)];
        are_equal(&averaged(all.to_vec()).unwrap(), &weights(-1, 5, 9));
        are_equal(&averaged(all[..1].to_vec()).unwrap(), &all[0]);
        // The exact means 2.5 and 3.5 are rounded to 2 and 4.
        let between = averaged(vec![weights(2, 0, 1), weights(3, 1, 1)]).unwrap();
        assert_eq!(between.steps(Phase::all().next().unwrap())[..4], [2, 4, 4, 2]);
    }

    #[test]
    fn fewer_factors_are_widened() {
        let wide = FactorShape::new(16, 30).unwrap();
        let narrow = weights(-7, 20, 5);
        let [first, second] = [narrow.clone(), weights(3, -4, 1)];
        let second = second.with_factors(wide).unwrap();
        let expected = vec![first.with_factors(wide).unwrap(), second.clone()];
        let mean = averaged(vec![narrow, second]).unwrap();
        are_equal(&mean, &averaged(expected).unwrap());
        assert_eq!(mean.set().factors(), Some(wide));
    }

    #[test]
    fn weights_of_two_pattern_sets_have_no_mean() {
        let small = PatternSet::shipped("small").unwrap();
        let without = Weights::zero(small.clone());
        assert!(averaged(vec![weights(0, 0, 0), without]).is_none());
        // Factors that 30 phases share cannot be widened to factors that only 15 phases share.
        let shape = FactorShape::new(16, 15).unwrap();
        let others = Weights::zero(small.with_factors(Some(shape)));
        assert!(averaged(vec![weights(0, 0, 0), others]).is_none());
        assert!(averaged(vec![]).is_none());
    }
}
