//! Rows by phase: sorted, merged, and told apart.

use std::cmp::Ordering;

use othello_engine::board::{PHASES, Phase};
use othello_engine::record::{Label, ScoredPosition, Weight};
use rayon::prelude::*;

/// The rows of each of the 60 phases.
pub(super) type ByPhase = Vec<Vec<ScoredPosition>>;

pub(super) fn empty() -> ByPhase {
    vec![vec![]; PHASES]
}

/// Adds a row to its phase. A full board has none.
pub(super) fn push(rows: &mut ByPhase, row: ScoredPosition) {
    if let Some(phase) = Phase::of(&row.position()) {
        rows[phase.index()].push(row);
    }
}

/// Sorts every phase, and merges the rows of equal positions.
pub(super) fn sort_and_merge(rows: &mut ByPhase) {
    rows.par_iter_mut().for_each(|rows| {
        rows.par_sort_unstable();
        merge_equal(rows);
        rows.shrink_to_fit();
    });
}

/// Sorts every phase, and takes out the positions of `training`, which is sorted.
pub(super) fn sort_and_exclude(rows: &mut ByPhase, training: &ByPhase) {
    rows.par_iter_mut().zip(training).for_each(|(rows, training)| {
        rows.par_sort_unstable();
        exclude(rows, training);
        rows.shrink_to_fit();
    });
}

/// Merges neighbours with equal positions, in place.
fn merge_equal(rows: &mut Vec<ScoredPosition>) {
    let (mut from, mut to) = (0, 0);
    while from < rows.len() {
        let position = rows[from].position();
        let equal = rows[from..].iter().take_while(|row| row.position() == position).count();
        rows[to] = merged(&rows[from..from + equal]);
        (from, to) = (from + equal, to + 1);
    }
    rows.truncate(to);
}

/// One row for several of the same position, at least one: the mean label by weight, halves
/// rounded away from zero; the sum of the weights as far as it can be held.
fn merged(rows: &[ScoredPosition]) -> ScoredPosition {
    let [first, _, ..] = rows else { return rows[0] };
    let weight: i64 = rows.iter().map(|row| i64::from(row.weight().steps())).sum();
    let product =
        |row: &ScoredPosition| i64::from(row.label().steps()) * i64::from(row.weight().steps());
    let sum: i64 = rows.iter().map(product).sum();
    let mean = sum.signum() * ((2 * sum.abs() + weight) / (2 * weight));
    let label = Label::new(mean as i16).expect("a mean lies between its terms");
    let weight = u16::try_from(weight).unwrap_or(u16::MAX);
    let weight = Weight::new(weight).expect("a sum of weights is not 0");
    ScoredPosition::new(first.position(), label, weight)
}

/// Takes out of sorted rows the positions that stand in the sorted `others`.
fn exclude(rows: &mut Vec<ScoredPosition>, others: &[ScoredPosition]) {
    let mut others = others.iter().peekable();
    rows.retain(|row| {
        let position = row.position();
        let before = |other: &&ScoredPosition| other.position() < position;
        while others.next_if(before).is_some() {}
        others.peek().is_none_or(|other| other.position().cmp(&position) != Ordering::Equal)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::board::Position;

    fn row(board: u64, label: i16, weight: u16) -> ScoredPosition {
        let position = Position::new(board, 0).unwrap();
        ScoredPosition::new(position, Label::new(label).unwrap(), Weight::new(weight).unwrap())
    }

    #[test]
    fn the_mean_is_rounded_away_from_zero_and_the_weight_saturates() {
        assert_eq!(merged(&[row(1, 1, 64), row(1, 2, 64)]), row(1, 2, 128));
        assert_eq!(merged(&[row(1, -1, 64), row(1, -2, 64)]), row(1, -2, 128));
        assert_eq!(merged(&[row(1, 1, 3), row(1, 2, 1)]), row(1, 1, 4));
        assert_eq!(merged(&[row(1, -5, 3), row(1, 5, 3)]), row(1, 0, 6));
        assert_eq!(merged(&[row(1, 16384, 65535), row(1, 16384, 65535)]), row(1, 16384, 65535));
    }

    #[test]
    fn equal_neighbours_merge_and_others_stay() {
        let mut rows = vec![row(1, 0, 1), row(2, 4, 1), row(2, 8, 3), row(3, 1, 1)];
        merge_equal(&mut rows);
        assert_eq!(rows, [row(1, 0, 1), row(2, 7, 4), row(3, 1, 1)]);
        exclude(&mut rows, &[row(0, 0, 1), row(2, 0, 1), row(9, 0, 1)]);
        assert_eq!(rows, [row(1, 0, 1), row(3, 1, 1)]);
    }
}
