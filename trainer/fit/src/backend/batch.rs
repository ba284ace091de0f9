//! Batches: the parts into which a fit divides its training positions, one for each update.

use std::ops::Range;

/// The positions of one update of the parameters. Each [`Rows`](super::Rows), such as the positions
/// of one phase, is divided in its order into `of` parts of about equal size. The batch consists of
/// part `number` of every [`Rows`](super::Rows), so all batches have the same mix of phases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batch {
    number: u32,
    of: u32,
}

impl Batch {
    /// The batch that contains all positions.
    pub const WHOLE: Self = Self { number: 0, of: 1 };

    /// Returns batch `number`, counted from 0, of `of` batches; `None` unless `number < of`.
    pub const fn new(number: u32, of: u32) -> Option<Self> {
        if number < of { Some(Self { number, of }) } else { None }
    }

    /// Returns the range of the indices that this batch's positions have in a [`Rows`](super::Rows)
    /// with `positions` positions in all.
    pub fn range(&self, positions: usize) -> Range<usize> {
        let (number, of) = (u128::from(self.number), u128::from(self.of));
        let bound = |number: u128| (positions as u128 * number / of) as usize;
        bound(number)..bound(number + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_in_one_batch_and_batches_are_of_about_one_size() {
        for (positions, of) in [(0, 3), (2, 7), (1000, 7), (1000, 1), (5, 5)] {
            let mut next = 0;
            for number in 0..of {
                let range = Batch::new(number, of).unwrap().range(positions);
                assert_eq!(range.start, next);
                assert!(range.len().abs_diff(positions / of as usize) <= 1);
                next = range.end;
            }
            assert_eq!(next, positions);
        }
        assert_eq!(Batch::new(3, 3), None);
    }
}
