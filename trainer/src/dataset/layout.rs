//! Rows by phase: sorted, merged, and told apart.

use othello_engine::board::{PHASES, Phase, Position};
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

/// What rows are sorted by: a hash of the position, then the row. Any stretch of sorted rows is
/// thus a fair sample of a phase, which is what mini-batches are made of.
pub(super) fn order(row: &ScoredPosition) -> (u64, ScoredPosition) {
    (scattered(&row.position()), *row)
}

/// A hash of the position: the finaliser of SplitMix64 over both boards.
fn scattered(position: &Position) -> u64 {
    let mixed = |hash: u64| {
        let hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        hash ^ (hash >> 31)
    };
    mixed(position.player() ^ mixed(position.opponent().wrapping_add(0x9E37_79B9_7F4A_7C15)))
}

/// Sorts every phase, and merges the rows of equal positions.
pub(super) fn sort_and_merge(rows: &mut ByPhase) {
    rows.par_iter_mut().for_each(|rows| {
        rows.par_sort_unstable_by_key(order);
        merge_equal(rows);
        rows.shrink_to_fit();
    });
}

/// Sorts every phase, and takes out the positions of `training`, which is sorted.
pub(super) fn sort_and_exclude(rows: &mut ByPhase, training: &ByPhase) {
    rows.par_iter_mut().zip(training).for_each(|(rows, training)| {
        rows.par_sort_unstable_by_key(order);
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
    let key = |row: &ScoredPosition| (scattered(&row.position()), row.position());
    rows.retain(|row| {
        let key_of_row = key(row);
        while others.next_if(|other| key(other) < key_of_row).is_some() {}
        others.peek().is_none_or(|other| other.position() != row.position())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

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
        rows.sort_unstable_by_key(order);
        let mut others = [row(4, 0, 1), row(2, 0, 1), row(9, 0, 1)];
        others.sort_unstable_by_key(order);
        exclude(&mut rows, &others);
        rows.sort_unstable();
        assert_eq!(rows, [row(1, 0, 1), row(3, 1, 1)]);
    }

    /// Every tenth of the sorted rows has about a tenth of the positions with a disc on a square.
    #[test]
    fn any_stretch_of_sorted_rows_is_a_fair_sample() {
        let mut rows: Vec<_> = (0..10_000).map(|board| row(board << 3, 0, 1)).collect();
        rows.sort_unstable_by_key(order);
        for stretch in rows.chunks(1000) {
            for bit in 3..16 {
                let has = |row: &&ScoredPosition| row.position().player() >> bit & 1 != 0;
                let (here, all) =
                    (stretch.iter().filter(has).count(), rows.iter().filter(has).count());
                assert!(here.abs_diff(all / 10) < 80, "{here} of {all}");
            }
        }
    }
}
