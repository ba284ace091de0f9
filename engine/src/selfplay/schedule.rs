use std::fmt;
use std::str::FromStr;

use crate::random::Generator;
use crate::text::{Invalid, excerpt, parse_range};

/// The greatest number of random moves at the beginning of a game; it leaves one empty square.
pub const MAX_RANDOM_PLIES: usize = 59;

/// The largest weight (relative frequency) that a schedule can give to a number of random moves.
pub const MAX_WEIGHT: u32 = 1_000_000;

/// The relative frequency (weight) of each number of random moves (length) at the start of games.
///
/// Text form: terms separated by commas. Each term is a length or a range that includes its end,
/// optionally with `*` and a weight for each of these lengths (default 1): `8..24`, `8,10,12`,
/// `8*2,12..16`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The weight of each number of random moves; not all weights are 0.
    weights: [u32; MAX_RANDOM_PLIES + 1],
}

impl Schedule {
    /// Draws a number of random moves, up to [`MAX_RANDOM_PLIES`], with probability ∝ its weight.
    pub fn draw(&self, random: &mut Generator) -> u8 {
        self.length_at(random.below(self.total()).into()).0 as u8
    }

    /// Returns the number at index `place` of the sorted list that contains each number of random
    /// moves as often as its weight, and how many equal numbers precede it in the list.
    fn length_at(&self, mut place: u64) -> (usize, u64) {
        let mut length = 0;
        while place >= u64::from(self.weights[length]) {
            place -= u64::from(self.weights[length]);
            length += 1;
        }
        (length, place)
    }

    /// Returns (n, k) for game `index`: the number n of its random plies, and a number k (0, 1, …)
    /// that no other game with this n has, by which the caller can choose a distinct opening. Games
    /// form rounds; a round has as many games as the sum of all weights. In a round, each n occurs
    /// as often as its weight, in an order that depends on `seed`.
    pub fn deal(&self, seed: u64, index: u64) -> (usize, u64) {
        let round_length = u64::from(self.total());
        let (round, card) = (index / round_length, index % round_length);
        let place = (card * step(seed, round_length) + seed % round_length) % round_length;
        let (length, place) = self.length_at(place);
        (length, round.saturating_mul(u64::from(self.weights[length])).saturating_add(place))
    }

    /// Creates a schedule in which each of `lengths`, numbers of random moves, has the weight 1. If
    /// all of them exceed [`MAX_RANDOM_PLIES`], every number up to this limit has the weight 1.
    pub fn evenly(lengths: std::ops::RangeInclusive<u8>) -> Self {
        let weight = |length| u32::from(lengths.contains(&(length as u8)));
        let weights = std::array::from_fn(weight);
        Self {
            weights: if weights.iter().any(|&it| it > 0) { weights } else { weights.map(|_| 1) },
        }
    }

    /// Returns the greatest number of random moves, up to `most`, with a weight above 0; 0 if none.
    pub fn longest_up_to(&self, most: usize) -> usize {
        let drawn = |&length: &usize| self.weights[length] != 0;
        (0..=most.min(MAX_RANDOM_PLIES)).rev().find(drawn).unwrap_or(0)
    }

    fn total(&self) -> u32 {
        self.weights.iter().sum()
    }
}

/// Returns the step by which [`Schedule::deal`] visits each of `length` places once, modulo
/// `length`: a number coprime to `length` and, if possible, between a third and two thirds of it.
fn step(seed: u64, length: u64) -> u64 {
    let first = length / 3 + Generator::new(seed).next_u64() % (length / 3 + 1);
    (first..first + length).find(|&step| divisor(step, length) == 1).unwrap_or(1)
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

impl FromStr for Schedule {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let mut weights = [0; MAX_RANDOM_PLIES + 1];
        for term in text.split(',') {
            let (lengths, weight) = parse_term(term.trim_ascii())?;
            for length in lengths {
                if std::mem::replace(&mut weights[length], weight) != 0 {
                    return Err(Invalid(format!(
                        "{length} random moves are in the schedule twice"
                    )));
                }
            }
        }
        Ok(Self { weights })
    }
}

fn parse_term(term: &str) -> Result<(std::ops::RangeInclusive<usize>, u32), Invalid> {
    let invalid = |reason: &str| Invalid(format!("`{}`{reason}", excerpt(term)));
    let terms = " is not a number of random moves; expected terms like 8, 8..24 or 8..24*2";
    let (text, weight) = term.split_once('*').unwrap_or((term, "1"));
    let weight: u32 = weight.trim_ascii().parse().map_err(|_| invalid(terms))?;
    let is_number = |end: &str| end.trim_start_matches('=').trim_ascii().parse::<u64>().is_ok();
    let lengths = parse_range(text, &(0..=MAX_RANDOM_PLIES)).ok_or_else(|| {
        // If the ends are numbers, they are out of range or in the wrong order.
        match text.split("..").all(is_number) {
            true => invalid(&format!(
                ": expected 0 to {MAX_RANDOM_PLIES} random moves, in a range the smaller number \
                 first"
            )),
            false => invalid(terms),
        }
    })?;
    if !(1..=MAX_WEIGHT).contains(&weight) {
        return Err(invalid(&format!(": expected a weight from 1 to {MAX_WEIGHT}")));
    }
    Ok((lengths, weight))
}

impl fmt::Display for Schedule {
    /// Writes terms separated by commas, such as `8..=24*2`: 8 to 24 random moves, weight 2 each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut comma, mut first) = ("", 0);
        for run in self.weights.chunk_by(|a, b| a == b) {
            let last = first + run.len() - 1;
            if run[0] != 0 {
                write!(f, "{comma}{first}")?;
                if first != last {
                    write!(f, "..={last}")?;
                }
                if run[0] != 1 {
                    write!(f, "*{}", run[0])?;
                }
                comma = ",";
            }
            first = last + 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn schedule(text: &str) -> Schedule {
        text.parse().unwrap()
    }

    #[test]
    fn schedules_are_written_the_shortest_way() {
        for (given, written) in [
            ("8..24", "8..=24"),
            ("8..=24", "8..=24"),
            ("8,10,12", "8,10,12"),
            ("12..=16*1, 8*2", "8*2,12..=16"),
            ("8,9,10,11*3", "8..=10,11*3"),
            ("0", "0"),
        ] {
            assert_eq!(schedule(given).to_string(), written);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for (texts, expected) in [
            (&["", "8,", "x", "8..", "-1", "8*x"][..], "is not a number of random moves"),
            (&["60", "9..=8"], "expected 0 to 59 random moves"),
            (&["8*0", "8*1000001"], "expected a weight from 1 to 1000000"),
            (&["8,8", "3,1..=8"], "random moves are in the schedule twice"),
        ] {
            for text in texts {
                let error = text.parse::<Schedule>().unwrap_err().to_string();
                assert!(error.contains(expected), "{text}: {error}");
            }
        }
    }

    #[test]
    fn lengths_are_drawn_by_weight() {
        let schedule = schedule("8*2,12..=13*1,50");
        let mut random = Generator::new(1);
        let mut counts = [0; MAX_RANDOM_PLIES + 1];
        (0..50_000).for_each(|_| counts[usize::from(schedule.draw(&mut random))] += 1);
        for (length, &count) in counts.iter().enumerate() {
            let expected = i32::try_from(schedule.weights[length]).unwrap() * 10_000;
            assert!((count - expected).abs() < 500, "{length}: {count}");
        }
    }

    #[test]
    fn deals_keep_to_the_weights_in_every_round_and_never_repeat() {
        for (text, seed) in [("8*2,12..=13*1,50", 3), ("4", 9), ("0..=59*7", u64::MAX)] {
            let schedule = schedule(text);
            let rounds = 3 * u64::from(schedule.total());
            let deals: Vec<_> = (0..rounds).map(|index| schedule.deal(seed, index)).collect();
            for (length, &weight) in schedule.weights.iter().enumerate() {
                let mut ranks: Vec<u64> =
                    deals.iter().filter(|deal| deal.0 == length).map(|deal| deal.1).collect();
                ranks.sort_unstable();
                assert!(ranks.into_iter().eq(0..3 * u64::from(weight)), "{text}: {length}");
            }
        }
        let beyond = schedule("8").deal(1, u64::MAX);
        assert_eq!(beyond, (8, u64::MAX));
    }

    #[test]
    fn the_longest_length_is_one_that_is_drawn() {
        let longest = |text, most| schedule(text).longest_up_to(most);
        assert_eq!(longest("2,7..=12", 9), 9);
        assert_eq!(longest("2,12", 9), 2);
        assert_eq!((longest("12", 9), longest("50", 99)), (0, 50));
    }

    proptest! {
        #[test]
        fn writing_and_reading_gives_the_same(
            weights in proptest::array::uniform32(0..4u32),
            one in 32..=MAX_RANDOM_PLIES,
        ) {
            let mut schedule = Schedule { weights: [0; MAX_RANDOM_PLIES + 1] };
            schedule.weights[..32].copy_from_slice(&weights);
            schedule.weights[one] = 7;
            prop_assert_eq!(schedule.to_string().parse::<Schedule>(), Ok(schedule));
        }
    }
}
