//! Sums of errors, and the standard error of the bias.

use serde::{Deserialize, Serialize};

use crate::backend::{Errors, RESIDUALS_PER_DISC};

/// Sums of the errors of positions, added up in integers for each game.
///
/// Positions of one game resemble each other. The standard error of the bias is therefore clustered
/// by game: the sum of a game's errors is one observation. A position outside games counts as a
/// game.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, derive_more::Add)]
pub struct BiasSums {
    errors: Errors,
    /// Σ weight · (label − value), in 1/64 occurrence and 1/[`RESIDUALS_PER_DISC`] disc.
    signed: i128,
    games: u64,
    /// Σ over games of the square of their signed sum.
    signed_squared: i128,
    /// Σ over games of their signed sum times their weight.
    signed_by_weight: i128,
    /// Σ over games of the square of their weight.
    weight_squared: i128,
    /// The signed sum of the game that has not ended.
    open_signed: i128,
    /// Its weight.
    open_weight: i128,
}

impl BiasSums {
    /// Adds a position of a game: its weight in 1/64 occurrence, and the label minus the value in
    /// 1/[`RESIDUALS_PER_DISC`] disc. Call [`Self::end_game`] after the last position of the game.
    pub fn add(&mut self, weight: u16, error: i32) {
        self.errors.add(weight, error);
        let signed = i128::from(weight) * i128::from(error);
        self.signed += signed;
        self.open_signed += signed;
        self.open_weight += i128::from(weight);
    }

    /// Ends a game; does nothing if no position was added.
    pub fn end_game(&mut self) {
        let [signed, weight] = [&mut self.open_signed, &mut self.open_weight].map(std::mem::take);
        if weight > 0 {
            self.games += 1;
            self.signed_squared += signed * signed;
            self.signed_by_weight += signed * weight;
            self.weight_squared += weight * weight;
        }
    }

    /// Returns the bias: the mean of value − label, in discs; `None` without positions.
    fn bias(&self) -> Option<f64> {
        let unit = self.errors.weight() as f64 * f64::from(RESIDUALS_PER_DISC);
        (unit > 0.0).then(|| -self.signed as f64 / unit)
    }

    /// Returns the standard error of the bias in discs; `None` for fewer than two games.
    ///
    /// The bias is a ratio of sums over games. Its error is computed from the residuals: a game's
    /// signed sum minus its weight times the bias (Cochran, Sampling Techniques, chapter 6).
    fn bias_error(&self) -> Option<f64> {
        let (games, weight) = (self.games as f64, self.errors.weight() as f64);
        let mean = (self.games > 1).then(|| self.signed as f64 / weight)?;
        let squares = self.signed_squared as f64 - 2.0 * mean * self.signed_by_weight as f64
            + mean * mean * self.weight_squared as f64;
        let variance = (squares * games / (games - 1.0)).max(0.0);
        Some(variance.sqrt() / weight / f64::from(RESIDUALS_PER_DISC))
    }
}

/// The errors of a group of positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct GroupErrors {
    /// The number of positions.
    pub positions: u64,
    /// The bias: the mean of value − label, in discs; `None` without positions.
    pub bias: Option<f64>,
    /// The standard error of the bias, clustered by game; `None` for fewer than two games.
    pub bias_error: Option<f64>,
    /// Mean absolute error in discs, the value clamped to ±64.
    pub mae: Option<f64>,
    /// Mean squared error in discs².
    pub mse: Option<f64>,
}

impl From<&BiasSums> for GroupErrors {
    fn from(sums: &BiasSums) -> Self {
        let errors = &sums.errors;
        Self {
            positions: errors.positions,
            bias: sums.bias(),
            bias_error: sums.bias_error(),
            mae: errors.mae(),
            mse: errors.mse(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISC: i32 = RESIDUALS_PER_DISC;

    /// Returns the errors of games, given the errors of their positions in discs.
    fn errors(games: &[&[i32]]) -> GroupErrors {
        let mut sums = BiasSums::default();
        for game in games {
            game.iter().for_each(|error| sums.add(64, error * DISC));
            sums.end_game();
        }
        GroupErrors::from(&sums)
    }

    #[test]
    fn single_positions_have_the_standard_error_of_a_mean() {
        // The standard deviation of 1, 2, 3, 6 is sqrt(14/3).
        let found = errors(&[&[1], &[2], &[3], &[6]]);
        assert_eq!((found.positions, found.bias), (4, Some(-3.0)));
        assert!((found.bias_error.unwrap() - (14.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12);
        assert_eq!((found.mae, found.mse), (Some(3.0), Some(12.5)));
    }

    #[test]
    fn more_positions_of_the_same_games_do_not_make_the_bias_surer() {
        let once = errors(&[&[1], &[2], &[3], &[6]]);
        let often = errors(&[&[1; 9], &[2; 9], &[3; 9], &[6; 9]]);
        assert_eq!(often.positions, 36);
        assert!((once.bias_error.unwrap() - often.bias_error.unwrap()).abs() < 1e-12);
        // Errors that differ only within each game leave no variance between games.
        assert_eq!(errors(&[&[1, 5], &[5, 1], &[3, 3]]).bias_error, Some(0.0));
    }

    /// The standard error matches the variation of the bias over many samples of games.
    #[test]
    fn the_standard_error_is_the_spread_over_samples_of_games() {
        let mut random = othello_engine::random::Generator::split(1, 2);
        let mut sample = || {
            let mut sums = BiasSums::default();
            for _ in 0..200 {
                let of_game = random.below(9) as i32 - 4;
                for _ in 0..=random.below(6) {
                    sums.add(64, (of_game + random.below(5) as i32 - 2) * DISC);
                }
                sums.end_game();
            }
            GroupErrors::from(&sums)
        };
        let samples: Vec<GroupErrors> = (0..2_000).map(|_| sample()).collect();
        let mean = |of: &dyn Fn(&GroupErrors) -> f64| samples.iter().map(of).sum::<f64>() / 2_000.0;
        let bias = mean(&|one| one.bias.unwrap());
        let spread = mean(&|one| (one.bias.unwrap() - bias).powi(2)).sqrt();
        let said = mean(&|one| one.bias_error.unwrap());
        assert!((said / spread - 1.0).abs() < 0.05, "{said} said, {spread} seen");
    }

    #[test]
    fn sums_of_games_add_up_and_one_game_has_no_standard_error() {
        let sums = |games: &[[i32; 2]]| {
            let mut sums = BiasSums::default();
            for game in games {
                game.iter().for_each(|error| sums.add(32, error * DISC));
                sums.end_game();
                sums.end_game();
            }
            sums
        };
        let one = sums(&[[1, 4]]);
        assert_eq!(GroupErrors::from(&one).bias_error, None);
        assert_eq!(one + sums(&[[-2, 7], [0, 3]]), sums(&[[1, 4], [-2, 7], [0, 3]]));
        assert_eq!(GroupErrors::from(&BiasSums::default()).bias, None);
    }
}
