//! Exploration: some moves of self-play are drawn at random instead of chosen by the search. The
//! record still has the best move's value, so labels by value do not depend on the drawn moves.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use arrayvec::ArrayVec;

use crate::board::Square;
use crate::eval::Value;
use crate::random::Generator;
use crate::text::{Invalid, excerpt, parse_range};

const LAST_PLY: u8 = 59;
/// The highest temperature, in discs. At this temperature, moves are drawn nearly uniformly.
const MAX_TEMPERATURE: f64 = 64.0;
/// The weight of the best move in a softmax draw. The sum of 64 such weights fits into 32 bits.
const BEST_WEIGHT: f64 = (1 << 24) as f64;

/// The rules for drawing moves at random. The first rule that includes the ply applies. If no rule
/// includes the ply, the move of the search is played.
///
/// Text form: rules separated by commas, such as `0..20:softmax=1.5, 21..59:uniform=0.05`. Plies
/// are `all` or a range that includes both ends. `softmax=T` draws each move with a probability ∝
/// exp(v / T); v is the static value after the move for the side that moves, v and T in discs.
/// `uniform=P` plays any legal move with probability P, otherwise the move of the search.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Exploration(Vec<Rule>);

#[derive(Clone, PartialEq, Debug)]
struct Rule {
    plies: RangeInclusive<u8>,
    draw: Draw,
}

#[derive(Clone, Copy, PartialEq, Debug, derive_more::Display)]
enum Draw {
    #[display("softmax={_0}")]
    Softmax(f64),
    #[display("uniform={_0}")]
    Uniform(f64),
}

impl Exploration {
    /// No rules: no move is drawn at random.
    pub const NONE: Self = Self(Vec::new());

    /// Returns the rule `all:softmax=temperature`; the temperature, in discs, is above 0.
    pub fn softmax(temperature: f64) -> Self {
        Self(vec![Rule { plies: 0..=59, draw: Draw::Softmax(temperature) }])
    }

    /// Returns whether no move is drawn at random.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Draws a move by the rule for `ply`; without such a rule, returns `best`, the search's move.
    /// `shallow_values` returns the legal moves and their static values for the side that moves.
    pub(super) fn draw(
        &self,
        ply: u32,
        best: Square,
        random: &mut Generator,
        shallow_values: impl FnOnce() -> ArrayVec<(Square, Value), 64>,
    ) -> Square {
        let rule = self.0.iter().find(|rule| rule.plies.clone().any(|own| u32::from(own) == ply));
        match rule.map(|rule| rule.draw) {
            None => best,
            Some(Draw::Softmax(temperature)) => {
                let moves = shallow_values();
                let weights = softmax(&moves, temperature);
                let drawn = random.below(weights.iter().sum());
                pick(&weights, drawn).map_or(best, |index| moves[index].0)
            }
            Some(Draw::Uniform(probability)) => {
                let explores = f64::from(random.below(1 << 24)) < probability * f64::from(1 << 24);
                let moves = if explores { shallow_values() } else { return best };
                moves.get(random.below(moves.len() as u32) as usize).map_or(best, |&(m, _)| m)
            }
        }
    }
}

/// Returns weights ∝ exp(value / temperature), both in discs. All machines compute the same bits.
fn softmax(moves: &[(Square, Value)], temperature: f64) -> ArrayVec<u32, 64> {
    let best = moves.iter().map(|&(_, value)| value).max().unwrap_or_default();
    let weight = |&(_, value): &(Square, Value)| {
        (libm::exp((value - best).discs() / temperature) * BEST_WEIGHT) as u32
    };
    moves.iter().map(weight).collect()
}

fn pick(weights: &[u32], mut drawn: u32) -> Option<usize> {
    weights.iter().position(|&weight| {
        let found = drawn < weight;
        drawn = drawn.saturating_sub(weight);
        found
    })
}

impl FromStr for Exploration {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if text.trim() == "none" {
            return Ok(Self::NONE);
        }
        let rule = |rule: &str| {
            let quoted = excerpt(rule.trim());
            let invalid = |reason| format!("`{quoted}` is not a rule of exploration: {reason}");
            parse_rule(rule).map_err(|reason| Invalid(invalid(reason)))
        };
        text.split(',').map(rule).collect::<Result<_, _>>().map(Self)
    }
}

fn parse_rule(text: &str) -> Result<Rule, &'static str> {
    const DRAWS: &str = "expected `softmax=T` or `uniform=P`";
    let (plies, draw) = text.split_once(':').ok_or("expected such as `all:softmax=1`")?;
    let (kind, number) = draw.split_once('=').ok_or(DRAWS)?;
    let number: f64 = number.trim().parse().map_err(|_| "expected a number after `=`")?;
    let draw = match kind.trim() {
        "softmax" if number > 0.0 && number <= MAX_TEMPERATURE => Draw::Softmax(number),
        "softmax" => return Err("the temperature must be above 0 and at most 64 discs"),
        "uniform" if (0.0..=1.0).contains(&number) => Draw::Uniform(number),
        "uniform" => return Err("the probability must be from 0 to 1"),
        _ => return Err(DRAWS),
    };
    let plies = if plies.trim() == "all" { "0..59" } else { plies };
    let plies = parse_range(plies, &(0..=LAST_PLY))
        .ok_or("the plies must be `all`, one of 0 to 59, or a range such as 10..40")?;
    Ok(Rule { plies, draw })
}

impl fmt::Display for Exploration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        for (index, Rule { plies, draw }) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            match (*plies.start(), *plies.end()) {
                (0, LAST_PLY) => write!(f, "{comma}all:{draw}")?,
                (first, last) if first == last => write!(f, "{comma}{first}:{draw}")?,
                (first, last) => write!(f, "{comma}{first}..{last}:{draw}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exploration(text: &str) -> Exploration {
        text.parse().unwrap()
    }

    fn square(index: u8) -> Square {
        Square::new(index).unwrap()
    }

    fn moves() -> ArrayVec<(Square, Value), 64> {
        let value = Value::from_score;
        [(square(3), value(2)), (square(9), value(1)), (square(20), value(-60))]
            .into_iter()
            .collect()
    }

    fn counts(exploration: &Exploration, ply: u32, best: Square) -> [u32; 3] {
        let mut random = Generator::new(5);
        let mut counts = [0; 3];
        for _ in 0..30_000 {
            let drawn = exploration.draw(ply, best, &mut random, moves);
            counts[moves().iter().position(|&(square, _)| square == drawn).unwrap()] += 1;
        }
        counts
    }

    #[test]
    fn moves_are_drawn_by_the_exponential_of_their_values() {
        // The probability of the second move, one disc worse: exp(-1) / (1 + exp(-1)) = 0.2689.
        let [best, second, lost] = counts(&exploration("all:softmax=1"), 30, square(20));
        assert!((i64::from(second) - 8068).abs() < 300, "{second}");
        assert_eq!((best + second, lost), (30_000, 0));
        let cold = counts(&exploration("all:softmax=0.01"), 30, square(20));
        assert_eq!(cold, [30_000, 0, 0]);
    }

    #[test]
    fn a_probability_says_how_often_any_move_is_played() {
        let counts = counts(&exploration("all:uniform=0.3"), 30, square(9));
        for (count, expected) in counts.into_iter().zip([3_000, 24_000, 3_000]) {
            assert!((i64::from(count) - expected).abs() < 300, "{counts:?}");
        }
    }

    #[test]
    fn the_first_rule_for_a_ply_decides_and_without_one_the_search_does() {
        let rules = exploration("10..=20:uniform=0,5..40:softmax=0.01");
        assert_eq!(counts(&rules, 15, square(9)), [0, 30_000, 0]);
        assert_eq!(counts(&rules, 21, square(9)), [30_000, 0, 0]);
        assert_eq!(counts(&rules, 41, square(9)), [0, 30_000, 0]);
        assert_eq!(counts(&Exploration::NONE, 15, square(9)), [0, 30_000, 0]);
    }

    #[test]
    fn rules_are_written_as_they_are_read() {
        for text in
            ["none", "all:softmax=1", "0..20:softmax=1.5,21..59:uniform=0.05", "7:uniform=1"]
        {
            assert_eq!(exploration(text).to_string(), text);
        }
        assert_eq!(exploration("10..=20: softmax = 2").to_string(), "10..20:softmax=2");
    }

    #[test]
    fn other_texts_are_refused() {
        let (draw, temperature) = ("softmax=T", "the temperature must be above 0");
        let (probability, plies) =
            ("the probability must be from 0 to 1", "the plies must be `all`");
        for (texts, expected) in [
            (["", "all", "all:softmax=1,"], "all:softmax=1"),
            (["all:softmax", "all:best=1", "all:=1"], draw),
            (["all:softmax=0", "all:softmax=NaN", "all:softmax=65"], temperature),
            (["all:uniform=1.1", "all:uniform=-0.1", "all:uniform=NaN"], probability),
            (["9..8:softmax=1", "60:softmax=1", ":softmax=1"], plies),
        ] {
            for text in texts {
                let error = text.parse::<Exploration>().unwrap_err().to_string();
                assert!(error.contains(expected), "{text}: {error}");
            }
        }
    }
}
