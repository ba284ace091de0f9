//! Successive halving: many trials begin with little data or few seeds, and those that are not
//! proven worse than the best continue with more (Jamieson and Talwalkar, Non-stochastic Best Arm
//! Identification and Hyperparameter Optimization, 2016).

use serde::Serialize;

use super::{Difference, Estimate, Verdict};
use othello_fit::metrics::GameErrors;

/// The standing of a trial (a combination of settings) after a round.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema, derive_more::Display,
)]
#[display(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// The trial (combination of settings) has the smallest error of the round.
    Best,
    /// The trial is not proven worse than the best, and continues if another round follows.
    Equal,
    /// The trial is not proven worse than the best, but ranks below the half that continues.
    Halved,
    /// The trial is proven worse than the best.
    Worse,
    /// The trial could not be fitted: its weights diverged.
    Diverged,
}

impl Standing {
    /// Returns true if the trial continues in the next round.
    pub fn goes_on(self) -> bool {
        matches!(self, Self::Best | Self::Equal)
    }
}

/// Returns, in the order of `trials`, each trial's standing after a round, and its error minus that
/// of the best trial (`None` if the trial diverged). A trial is a list of its errors by seed, on
/// the same seeds and games; empty if it diverged. Unless all others are proven worse, at least two
/// trials continue. In the `last` round, no trial is [`Standing::Halved`].
pub fn standings(trials: &[Vec<GameErrors>], last: bool) -> Vec<(Standing, Option<Estimate>)> {
    let mut found = vec![(Standing::Diverged, None); trials.len()];
    let mae = |trial: &Vec<GameErrors>| -> Option<f64> {
        let by_seed = trial.iter().map(GameErrors::mean_of_all);
        Some(by_seed.sum::<Option<f64>>()? / trial.len() as f64)
    };
    let fitted = trials.iter().enumerate().filter(|(_, trial)| !trial.is_empty());
    let mut order: Vec<(usize, f64)> =
        fitted.filter_map(|(number, trial)| Some((number, mae(trial)?))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let Some(&(best, _)) = order.first() else { return found };
    let most = if last { order.len() } else { order.len().div_ceil(2).max(2) };
    let mut kept = 0;
    for (number, _) in order {
        let difference = against(&trials[number], &trials[best]);
        let standing = match &difference {
            _ if number == best => Standing::Best,
            Some(difference) if difference.verdict() == Verdict::Second => Standing::Worse,
            _ if kept < most => Standing::Equal,
            _ => Standing::Halved,
        };
        kept += usize::from(standing.goes_on());
        found[number] = (standing, difference.map(|difference| difference.estimate()));
    }
    found
}

fn against(trial: &[GameErrors], best: &[GameErrors]) -> Option<Difference> {
    let pairs = trial.iter().zip(best);
    Difference::between(
        &pairs.map(|(trial, best)| [trial.clone(), best.clone()]).collect::<Vec<_>>(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the errors of two seeds on 50 games, which vary a little around `mean`.
    fn trial(mean: f64) -> Vec<GameErrors> {
        let seed = |seed: usize| {
            let of_game = |game: usize| mean + ((7 * game + seed) % 5) as f64 / 100.0;
            GameErrors::new((0..50).map(of_game).collect(), vec![1.0; 50])
        };
        vec![seed(0), seed(1)]
    }

    #[test]
    fn half_goes_on_and_what_is_proven_worse_does_not() {
        let means = [5.003, 5.001, 9.0, 5.0, 5.002];
        let mut trials: Vec<Vec<GameErrors>> = means.map(trial).to_vec();
        trials.push(vec![]);
        let names = |last| -> Vec<Standing> {
            standings(&trials, last).into_iter().map(|(standing, _)| standing).collect()
        };
        use Standing::{Best, Diverged, Equal, Halved, Worse};
        // However small, a difference that is the same in all games is proven.
        assert_eq!(names(true)[2..4], [Worse, Best]);
        assert_eq!(names(false)[5], Diverged);
        let equal: Vec<Vec<GameErrors>> = (0..6).map(|_| trial(5.0)).collect();
        let found: Vec<Standing> = standings(&equal, false).into_iter().map(|row| row.0).collect();
        assert_eq!(found, [Best, Equal, Equal, Halved, Halved, Halved]);
        let found: Vec<Standing> = standings(&equal, true).into_iter().map(|row| row.0).collect();
        assert_eq!(found, [Best, Equal, Equal, Equal, Equal, Equal]);
        let two: Vec<Standing> = standings(&equal[..2], false).iter().map(|row| row.0).collect();
        assert_eq!(two, [Best, Equal]);
        assert!(standings(&[vec![], vec![]], true).iter().all(|row| row.0 == Diverged));
    }
}
