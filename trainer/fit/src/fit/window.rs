//! The smoothing window: the neighbouring phases that also train a phase, with their weights.

use std::fmt;
use std::str::FromStr;

use othello_engine::board::{PHASES, Phase};
use othello_engine::text::Invalid;

/// The smoothing window of a fit: for each distance from the fitted phase, a factor, in units of
/// 1/256, by which the weights of positions in a phase at this distance are multiplied. The fitted
/// phase itself has the factor 256.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    factors: Vec<u16>,
}

impl Window {
    const ONE: u16 = 256;

    /// Returns the default window: a phase also trains on the two phases before it and the two
    /// phases after it, with full weight. (On WTHOR positions with 24 empty squares and exact
    /// scores, with ridge 10, the MAE is 5.64 discs for the window `1,1`, 5.67 for `1,0.5`, and
    /// 5.69 for `1,1,0.5`.)
    pub fn standard() -> Self {
        Self { factors: vec![Self::ONE; 3] }
    }

    /// Returns the phases whose positions train `phase`, ascending, each with the factor that
    /// multiplies the weights of its positions, in 1/256.
    pub fn around(&self, phase: Phase) -> impl Iterator<Item = (Phase, u16)> {
        let factor = move |other: Phase| {
            self.factors.get(other.index().abs_diff(phase.index())).map(|&factor| (other, factor))
        };
        Phase::all().filter_map(factor).filter(|&(_, factor)| factor > 0)
    }

    /// Returns, in ascending order, the phases whose positions train at least one fitted phase.
    pub fn phases_read(&self, is_fitted: impl Fn(Phase) -> bool) -> Vec<Phase> {
        let is_read = |phase: &Phase| self.around(*phase).any(|(near, _)| is_fitted(near));
        Phase::all().filter(is_read).collect()
    }
}

impl FromStr for Window {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let error = || {
            let expected = "the weights of the phases at distance 1, 2, … separated by commas, each \
                            from 0 to 1 (`1,0.5`), or `0` for no neighbours; at most 59";
            Invalid::not(text, "a window", expected)
        };
        let factor = |word: &str| {
            let weight: f64 = word.trim().parse().map_err(|_| error())?;
            let in_range = (0.0..=1.0).contains(&weight);
            in_range.then(|| (weight * f64::from(Self::ONE)).round() as u16).ok_or_else(error)
        };
        let mut factors = vec![Self::ONE];
        for word in text.split(',') {
            factors.push(factor(word)?);
        }
        if factors.len() > PHASES {
            return Err(error());
        }
        while factors.last() == Some(&0) {
            factors.pop();
        }
        Ok(Self { factors })
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = |&factor: &u16| (f64::from(factor) / f64::from(Self::ONE)).to_string();
        match &self.factors[1..] {
            [] => f.write_str("0"),
            neighbours => f.write_str(&neighbours.iter().map(weight).collect::<Vec<_>>().join(",")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(window: &str, phase: usize) -> Vec<(usize, u16)> {
        let window: Window = window.parse().unwrap();
        let phase = Phase::new(phase).unwrap();
        window.around(phase).map(|(phase, factor)| (phase.index(), factor)).collect()
    }

    #[test]
    fn a_window_is_symmetric_and_ends_at_the_ends() {
        assert_eq!(around("1,0.5", 10), [(8, 128), (9, 256), (10, 256), (11, 256), (12, 128)]);
        assert_eq!(around("1,0.5", 0), [(0, 256), (1, 256), (2, 128)]);
        assert_eq!(around("0.25", 59), [(58, 64), (59, 256)]);
        assert_eq!(around("0", 30), [(30, 256)]);
        assert_eq!(around("0,1", 30), [(28, 256), (30, 256), (32, 256)]);
    }

    #[test]
    fn windows_read_back_and_nonsense_is_refused() {
        for text in ["0", "1", "1,0.5", "0,1"] {
            assert_eq!(text.parse::<Window>().unwrap().to_string(), text);
        }
        for text in ["", "2", "-1", "NaN", "a", "1,,1"] {
            assert!(text.parse::<Window>().is_err(), "{text}");
        }
        let ones = |count| vec!["1"; count].join(",").parse::<Window>();
        assert!(ones(59).is_ok() && ones(60).is_err());
    }
}
