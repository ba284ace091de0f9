//! The part of a run that one machine does.

use std::ops::Range;
use std::str::FromStr;

use crate::text::excerpt;

/// The `number`-th of `count` parts, counted from 1 and written as `7/100`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, derive_more::Display)]
#[display("{}/{}", self.number, self.count)]
pub struct Shard {
    number: u64,
    count: u64,
}

/// The error for a text that is not a shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is no shard; expected I/N with I from 1 to N, such as 7/100")]
pub struct ShardError {
    found: String,
}

impl Shard {
    /// The undivided run.
    pub const WHOLE: Self = Self { number: 1, count: 1 };

    /// Returns the number of this part, counted from 1.
    pub const fn number(self) -> u64 {
        self.number
    }

    /// Returns the number of parts.
    pub const fn count(self) -> u64 {
        self.count
    }

    /// Returns this part's range of `frames` frames. The ranges of all parts follow each other, and
    /// their lengths differ by at most one frame.
    pub fn frames(self, frames: u64) -> Range<u64> {
        let end =
            |number: u64| (u128::from(frames) * u128::from(number) / u128::from(self.count)) as u64;
        end(self.number - 1)..end(self.number)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let numbers = text.split_once('/').and_then(|(number, count)| {
            Some(Self { number: number.parse().ok()?, count: count.parse().ok()? })
        });
        numbers
            .filter(|shard| (1..=shard.count).contains(&shard.number))
            .ok_or_else(|| ShardError { found: excerpt(text) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_cover_all_frames_once() {
        for count in 1..20 {
            for frames in [0, 1, 7, 100, u64::MAX] {
                let mut next = 0;
                for number in 1..=count {
                    let range = Shard { number, count }.frames(frames);
                    assert_eq!(range.start, next);
                    assert!(range.end - range.start <= frames.div_ceil(count));
                    next = range.end;
                }
                assert_eq!(next, frames);
            }
        }
    }

    #[test]
    fn shards_are_read_and_written() {
        assert_eq!("7/100".parse::<Shard>().unwrap().to_string(), "7/100");
        for bad in ["", "1", "0/4", "5/4", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
