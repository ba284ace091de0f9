//! Rows by phase: sorts and merges them, and removes training positions from the other parts.

use othello_engine::board::{PHASES, Phase, Position};
use othello_engine::record::{Label, ScoredPosition, Weight};
use rayon::prelude::*;

/// The rows of each of the 60 phases.
pub(super) type ByPhase = Vec<Vec<ScoredPosition>>;

pub(super) fn empty() -> ByPhase {
    vec![vec![]; PHASES]
}

/// Adds a row to its phase. Drops a full board, which has no phase.
pub(super) fn push(rows: &mut ByPhase, row: ScoredPosition) {
    if let Some(phase) = Phase::of(&row.position()) {
        rows[phase.index()].push(row);
    }
}

/// Returns the sort key of rows: a hash of the position, then the row. Any stretch of sorted rows
/// is thus a fair sample of a phase, as mini-batches require.
pub(super) fn order(row: &ScoredPosition) -> (u64, ScoredPosition) {
    (scattered(&row.position()), *row)
}

/// Returns a key that is equal for equal positions and ascends in sorted rows.
pub(super) fn key(row: &ScoredPosition) -> (u64, Position) {
    (scattered(&row.position()), row.position())
}

/// Returns a hash of the position: the finaliser of SplitMix64 over both boards.
fn scattered(position: &Position) -> u64 {
    let mixed = |hash: u64| {
        let hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        hash ^ (hash >> 31)
    };
    mixed(position.player() ^ mixed(position.opponent().wrapping_add(0x9E37_79B9_7F4A_7C15)))
}

/// Sorts every phase and merges the rows of equal positions. Returns the exact sums of merged rows
/// that had to be rounded.
pub(super) fn sort_and_merge(rows: &mut ByPhase) -> ByPhase {
    let sort_and_merge = |rows: &mut Vec<ScoredPosition>| {
        rows.par_sort_unstable_by_key(order);
        let sums = merge_equal(rows);
        rows.shrink_to_fit();
        sums
    };
    rows.par_iter_mut().map(sort_and_merge).collect()
}

/// Sorts every phase and removes the positions of `training`, which is sorted.
pub(super) fn sort_and_exclude(rows: &mut ByPhase, training: &ByPhase) {
    rows.par_iter_mut().zip(training).for_each(|(rows, training)| {
        rows.par_sort_unstable_by_key(order);
        exclude(rows, training);
        rows.shrink_to_fit();
    });
}

/// Merges neighbours with equal positions in place. Returns the exact sums of merged rows that had
/// to be rounded.
fn merge_equal(rows: &mut Vec<ScoredPosition>) -> Vec<ScoredPosition> {
    let (mut from, mut to, mut sums) = (0, 0, vec![]);
    while from < rows.len() {
        let mut same = Duplicates::new(&rows[from]);
        from += 1;
        while let Some(row) = rows.get(from).filter(|row| row.position() == same.position()) {
            same.add(row);
            from += 1;
        }
        rows[to] = same.merged();
        sums.extend(same.exact());
        to += 1;
    }
    rows.truncate(to);
    sums
}

/// The sums over the rows of one position, at least one row.
pub(super) struct Duplicates {
    position: Position,
    /// The sum of the weights.
    weight: i64,
    /// The sum of labels times weights. 2³³ of the largest products fit.
    labels: i64,
}

impl Duplicates {
    /// Starts with a row.
    pub(super) fn new(row: &ScoredPosition) -> Self {
        let mut duplicates = Self { position: row.position(), weight: 0, labels: 0 };
        duplicates.add(row);
        duplicates
    }

    /// Returns the position of the rows.
    pub(super) fn position(&self) -> Position {
        self.position
    }

    /// Adds another row of the same position.
    pub(super) fn add(&mut self, row: &ScoredPosition) {
        let weight = i64::from(row.weight().steps());
        self.weight += weight;
        self.labels += i64::from(row.label().steps()) * weight;
    }

    /// Returns one row for all: the mean label by weight, halves rounded away from zero, and the
    /// sum of the weights, at most the largest weight.
    pub(super) fn merged(&self) -> ScoredPosition {
        let Self { position, weight, labels } = *self;
        let mean = labels.signum() * ((2 * labels.abs() + weight) / (2 * weight));
        let label = Label::new(mean as i16).expect("a mean lies between its terms");
        let weight = u16::try_from(weight).unwrap_or(u16::MAX);
        let weight = Weight::new(weight).expect("a sum of weights is not 0");
        ScoredPosition::new(position, label, weight)
    }

    /// Returns rows whose weights, and products of label and weight, have exactly the added sums;
    /// none if [`Self::merged`] has them already. The rows have two neighbouring labels, each with
    /// the weight that it needs. They depend on the sums alone, and so does the result of adding
    /// more rows later.
    pub(super) fn exact(&self) -> impl Iterator<Item = ScoredPosition> {
        let Self { position, weight, labels } = *self;
        let largest = i64::from(u16::MAX);
        let (below, above) = (labels.div_euclid(weight), labels.rem_euclid(weight));
        let is_merged = above == 0 && weight <= largest;
        let parts = [(below, weight - above), (below + 1, above)];
        let rows = parts.into_iter().flat_map(move |(label, weight)| {
            let chunk = move |number: i64| (weight - number * largest).min(largest);
            (0..(weight as u64).div_ceil(largest as u64) as i64).map(move |number| {
                let label = Label::new(label as i16).expect("a mean lies between its terms");
                let weight = Weight::new(chunk(number) as u16).expect("no chunk is empty");
                ScoredPosition::new(position, label, weight)
            })
        });
        rows.filter(move |_| !is_merged)
    }
}

/// Removes from sorted rows the positions that the sorted `others` have.
fn exclude(rows: &mut Vec<ScoredPosition>, others: &[ScoredPosition]) {
    let mut others = others.iter().peekable();
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

    fn merged(rows: &[ScoredPosition]) -> ScoredPosition {
        let mut rows = rows.to_vec();
        merge_equal(&mut rows);
        assert_eq!(rows.len(), 1);
        rows[0]
    }

    #[test]
    fn the_mean_is_rounded_away_from_zero_and_the_weight_saturates() {
        assert_eq!(merged(&[row(1, 1, 64), row(1, 2, 64)]), row(1, 2, 128));
        assert_eq!(merged(&[row(1, -1, 64), row(1, -2, 64)]), row(1, -2, 128));
        assert_eq!(merged(&[row(1, 1, 3), row(1, 2, 1)]), row(1, 1, 4));
        assert_eq!(merged(&[row(1, -5, 3), row(1, 5, 3)]), row(1, 0, 6));
        assert_eq!(merged(&[row(1, 16384, 65535), row(1, 16384, 65535)]), row(1, 16384, 65535));
    }

    /// Exact sums followed by more rows give the same as all rows at once.
    #[test]
    fn exact_sums_go_on_where_they_were() {
        let all = [row(1, 16384, 65535), row(1, 16384, 65535), row(1, -3, 7), row(1, 1, 64)];
        let of = |rows: &[ScoredPosition]| {
            let mut same = Duplicates::new(&rows[0]);
            rows[1..].iter().for_each(|row| same.add(row));
            same
        };
        for first in 1..all.len() {
            let (before, after) = all.split_at(first);
            let exact: Vec<_> = of(before).exact().collect();
            assert_eq!(exact.is_empty(), first == 1);
            let kept = if first == 1 { vec![of(before).merged()] } else { exact };
            let grown = of(&[&kept, after].concat());
            assert_eq!((grown.weight, grown.labels), (of(&all).weight, of(&all).labels));
            assert!(grown.exact().eq(of(&all).exact()));
        }
        assert_eq!(of(&[row(1, -5, 3), row(1, 2, 4)]).exact().count(), 0);
        let sums: Vec<_> = of(&[row(1, -5, 3), row(1, 3, 4)]).exact().collect();
        assert_eq!(sums, [row(1, -1, 3), row(1, 0, 4)]);
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

    /// A tenth of the sorted rows has about a tenth of the positions with a disc on any square.
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
