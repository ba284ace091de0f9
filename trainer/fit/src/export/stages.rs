//! Zebra's stages: weights for some numbers of played discs, and the interpolation between them.

use othello_engine::board::Phase;

/// The numbers of played discs for which Zebra's file has weights.
pub(super) const STORED: [usize; 11] = [8, 14, 20, 26, 32, 36, 40, 44, 48, 52, 56];
/// The stage of the full board, whose weights count discs. It is not stored.
pub(super) const FULL: usize = 60;

/// The two stages between which Zebra interpolates for a phase, and their shares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Between {
    /// The number of the earlier stage, 0 to 11; the last is that of the full board.
    pub(super) before: usize,
    /// The shares of the earlier stage and of the next one. The first is never 0.
    pub(super) shares: [i32; 2],
}

impl Between {
    /// Returns the stages of a phase. Zebra evaluates even numbers of played discs from its first
    /// stage on; other phases use the next such number.
    pub(super) fn of(phase: Phase) -> Self {
        let valued = (phase.index() + phase.index() % 2).max(STORED[0]);
        let stage = |number: usize| STORED.get(number).copied().unwrap_or(FULL);
        let before = STORED.iter().filter(|&&stage| stage <= valued).count() - 1;
        match valued - stage(before) {
            0 => Self { before, shares: [1, 0] },
            _ if valued == FULL => Self { before: STORED.len(), shares: [1, 0] },
            past => Self {
                before,
                shares: [stage(before + 1) - valued, past].map(|share| share as i32),
            },
        }
    }

    /// Returns true if the stages are stored, so that a file determines their weights.
    pub(super) fn is_stored(self) -> bool {
        self.before + usize::from(self.shares[1] > 0) < STORED.len()
    }

    /// Returns the weight interpolated between two stages, rounded towards 0 as in Zebra.
    pub(super) fn blend(self, weight: impl Fn(usize) -> i32) -> i32 {
        let [own, next] = self.shares;
        let of_next = if next > 0 { next * weight(self.before + 1) } else { 0 };
        (own * weight(self.before) + of_next) / (own + next)
    }
}

/// The least-squares problem for one number in each stored stage: a tridiagonal system.
#[derive(Default)]
pub(super) struct Stages {
    diagonal: [f64; STORED.len()],
    beside: [f64; STORED.len()],
    right: [f64; STORED.len()],
}

impl Stages {
    /// Adds an observation between stored stages, with a weight.
    pub(super) fn add(&mut self, between: Between, number: f64, weight: f64) {
        let Between { before, shares: [own, next] } = between;
        let [own, next] = [own, next].map(|share| f64::from(share) / f64::from(own + next));
        self.diagonal[before] += weight * own * own;
        self.right[before] += weight * own * number;
        if next > 0.0 {
            self.diagonal[before + 1] += weight * next * next;
            self.right[before + 1] += weight * next * number;
            self.beside[before] += weight * own * next;
        }
    }

    /// Returns the solution for each stage. Each stage must have an observation with a weight above
    /// 0.
    pub(super) fn solve(mut self) -> [f64; STORED.len()] {
        for stage in 1..STORED.len() {
            let factor = self.beside[stage - 1] / self.diagonal[stage - 1];
            self.diagonal[stage] -= factor * self.beside[stage - 1];
            self.right[stage] -= factor * self.right[stage - 1];
        }
        let mut solved = self.right;
        for stage in (0..STORED.len()).rev() {
            if let Some(&next) = solved.get(stage + 1) {
                solved[stage] -= self.beside[stage] * next;
            }
            solved[stage] /= self.diagonal[stage];
        }
        solved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(phase: usize) -> Between {
        Between::of(Phase::new(phase).unwrap())
    }

    #[test]
    fn phases_lie_between_the_stages_that_zebra_takes() {
        assert_eq!([0, 7, 8].map(at), [Between { before: 0, shares: [1, 0] }; 3]);
        assert_eq!([9, 10].map(at), [Between { before: 0, shares: [4, 2] }; 2]);
        assert_eq!([33, 34].map(at), [Between { before: 4, shares: [2, 2] }; 2]);
        assert_eq!([55, 56].map(at), [Between { before: 10, shares: [1, 0] }; 2]);
        assert_eq!([57, 58].map(at), [Between { before: 10, shares: [2, 2] }; 2]);
        assert_eq!(at(59), Between { before: 11, shares: [1, 0] });
        assert!(Phase::all().all(|phase| Between::of(phase).is_stored() == (phase.index() <= 56)));
        let weights = [-7, 4, 0];
        assert_eq!(at(10).blend(|stage| weights[stage]), -3);
    }

    #[test]
    fn the_numbers_of_stages_are_found_again() {
        let numbers: Vec<f64> = (0..STORED.len()).map(|stage| (stage * stage) as f64).collect();
        let mut stages = Stages::default();
        for phase in Phase::all().filter(|&phase| Between::of(phase).is_stored()) {
            let between = Between::of(phase);
            let [own, next] = between.shares.map(f64::from);
            let next_number = numbers.get(between.before + 1).copied().unwrap_or_default();
            let number = (own * numbers[between.before] + next * next_number) / (own + next);
            stages.add(between, number, 1.0 + phase.index() as f64);
        }
        for (solved, number) in stages.solve().iter().zip(&numbers) {
            assert!((solved - number).abs() < 1e-9);
        }
    }
}
