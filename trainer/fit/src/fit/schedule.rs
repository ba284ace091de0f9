//! Learning-rate schedules.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::InvalidSetting;

/// The change of the learning rate from epoch to epoch.
#[derive(Clone, Copy, PartialEq, Debug, derive_more::Display)]
#[display(rename_all = "lowercase")]
pub enum Schedule {
    /// The learning rate is constant.
    Constant,
    /// The learning rate falls to 0 over all epochs, along half a cosine.
    Cosine,
    /// The learning rate is multiplied by `factor` after every `epochs` epochs.
    #[display("step:{epochs}:{factor}")]
    Step {
        /// The number of epochs, at least 1.
        epochs: u32,
        /// The factor, between 0 and 1.
        factor: f64,
    },
    /// The learning rate is multiplied by `factor` when the validation error has not fallen for
    /// `patience` epochs; without validation positions, the training error is used.
    #[display("plateau:{patience}:{factor}")]
    Plateau {
        /// The number of epochs, at least 1.
        patience: u32,
        /// The factor, between 0 and 1.
        factor: f64,
    },
}

impl Schedule {
    /// Returns the factor on the learning rate when `epoch` of `epochs` epochs are done.
    pub(super) fn factor(&self, epoch: f64, epochs: u32, plateau: &Plateau) -> f64 {
        match *self {
            Self::Constant => 1.0,
            Self::Cosine => {
                let part = (epoch / f64::from(epochs)).min(1.0);
                0.5 * (1.0 + libm::cos(std::f64::consts::PI * part))
            }
            Self::Step { epochs, factor } => libm::pow(factor, (epoch / f64::from(epochs)).floor()),
            Self::Plateau { factor, .. } => libm::pow(factor, f64::from(plateau.reductions)),
        }
    }
}

/// The memory of [`Schedule::Plateau`].
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Plateau {
    best: Option<f64>,
    /// The number of epochs since the best error, or since the last reduction.
    without_gain: u32,
    reductions: u32,
}

impl Plateau {
    pub(super) fn observe(&mut self, error: f64, patience: u32) {
        if self.best.is_none_or(|best| error < best) {
            (self.best, self.without_gain) = (Some(error), 0);
            return;
        }
        self.without_gain = self.without_gain.saturating_add(1);
        if self.without_gain >= patience {
            (self.without_gain, self.reductions) = (0, self.reductions.saturating_add(1));
        }
    }
}

impl FromStr for Schedule {
    type Err = InvalidSetting;

    fn from_str(text: &str) -> Result<Self, InvalidSetting> {
        let error = || {
            let expected = "`constant`, `cosine`, `step:EPOCHS:FACTOR` or `plateau:EPOCHS:FACTOR`, \
                            with at least 1 epoch and a factor between 0 and 1";
            InvalidSetting::of_text(text, "a schedule", expected)
        };
        let numbers = |epochs: &str, factor: &str| {
            let epochs = epochs.parse().ok().filter(|&epochs: &u32| epochs > 0);
            let factor = factor.parse().ok().filter(|&f: &f64| f > 0.0 && f < 1.0);
            epochs.zip(factor).ok_or_else(error)
        };
        match *text.split(':').collect::<Vec<_>>() {
            ["constant"] => Ok(Self::Constant),
            ["cosine"] => Ok(Self::Cosine),
            ["step", epochs, factor] => {
                let (epochs, factor) = numbers(epochs, factor)?;
                Ok(Self::Step { epochs, factor })
            }
            ["plateau", patience, factor] => {
                let (patience, factor) = numbers(patience, factor)?;
                Ok(Self::Plateau { patience, factor })
            }
            _ => Err(error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(schedule: &str, epoch: f64) -> f64 {
        let schedule: Schedule = schedule.parse().unwrap();
        schedule.factor(epoch, 10, &Plateau::default())
    }

    #[test]
    fn the_rate_falls_as_the_schedule_says() {
        assert_eq!(factor("constant", 7.5), 1.0);
        assert_eq!(factor("cosine", 0.0), 1.0);
        assert!((factor("cosine", 5.0) - 0.5).abs() < 1e-15);
        assert!(factor("cosine", 10.0) < 1e-15 && factor("cosine", 12.0) < 1e-15);
        let steps = [0.0, 2.9, 3.0, 6.5].map(|epoch| factor("step:3:0.5", epoch));
        assert_eq!(steps, [1.0, 1.0, 0.5, 0.25]);
    }

    #[test]
    fn a_plateau_lowers_the_rate_once_for_every_patience_without_gain() {
        let schedule = Schedule::Plateau { patience: 2, factor: 0.5 };
        let mut plateau = Plateau::default();
        let mut rates = vec![];
        for error in [9.0, 8.0, 8.0, 8.5, 8.1, 7.0, 7.5, 7.4, 7.3, 7.2] {
            plateau.observe(error, 2);
            rates.push(schedule.factor(0.0, 10, &plateau));
        }
        assert_eq!(rates, [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.125]);
    }

    #[test]
    fn schedules_read_back_and_nonsense_is_refused() {
        for text in ["constant", "cosine", "step:3:0.5", "plateau:2:0.25"] {
            assert_eq!(text.parse::<Schedule>().unwrap().to_string(), text);
        }
        for text in ["", "linear", "step", "step:0:0.5", "step:1:1", "step:1:NaN", "cosine:1"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}
