//! Merges the sorted rows (labelled positions) that several ranges of records have for a phase.

use othello_engine::board::Position;
use othello_engine::record::{Label, ScoredPosition, Weight};

use super::Subset;
use crate::memory::merged;

/// A subset, and sorted rows of one phase in this subset.
pub(super) type Source<'r> = (Subset, &'r [ScoredPosition]);

/// Merges the sorted rows of a phase, and passes the merged rows to `take` in order. Training rows
/// of one position become one row. Validation and test rows of a training position are omitted.
pub(super) fn merge<E>(
    sources: &[Source<'_>],
    mut take: impl FnMut(Subset, ScoredPosition) -> Result<(), E>,
) -> Result<(), E> {
    let mut rows: Vec<_> = sources.iter().map(|(_, rows)| rows.iter()).collect();
    // For each position, the rows of training come before those of the other subsets.
    let sorted = merged(sources.len(), |source| {
        let row = rows[source].next().copied();
        Ok::<_, E>(row.map(|row| (key(&row), sources[source].0 as usize, row)))
    })?;
    let mut trained: Option<Duplicates> = None;
    for item in sorted {
        let (_, subset, row) = item?;
        match (Subset::ALL[subset], &mut trained) {
            (Subset::Training, Some(same)) if same.position == row.position() => same.add(&row),
            (_, Some(same)) if same.position == row.position() => {}
            (Subset::Training, trained) => {
                let before = trained.replace(Duplicates::new(&row));
                before.map_or(Ok(()), |before| take(Subset::Training, before.merged()))?;
            }
            (subset, _) => take(subset, row)?,
        }
    }
    trained.map_or(Ok(()), |last| take(Subset::Training, last.merged()))
}

/// Returns the sort key of a row: a hash of the position, then the row. Because of the hash, any
/// range of sorted rows is a random sample.
pub(super) fn order(row: &ScoredPosition) -> (u64, ScoredPosition) {
    (scattered(&row.position()), *row)
}

fn key(row: &ScoredPosition) -> (u64, Position) {
    (scattered(&row.position()), row.position())
}

/// Returns a hash of both bitboards, by the finaliser of SplitMix64.
fn scattered(position: &Position) -> u64 {
    let mixed = |hash: u64| {
        let hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        hash ^ (hash >> 31)
    };
    mixed(position.player() ^ mixed(position.opponent().wrapping_add(0x9E37_79B9_7F4A_7C15)))
}

struct Duplicates {
    position: Position,
    weight: i64,
    /// Σ label (in 1/256 disc) · weight (in 1/64 occurrence) of the rows. An `i64` has room
    /// for 2³³ rows or more.
    labels: i64,
}

impl Duplicates {
    fn new(row: &ScoredPosition) -> Self {
        let mut duplicates = Self { position: row.position(), weight: 0, labels: 0 };
        duplicates.add(row);
        duplicates
    }

    fn add(&mut self, row: &ScoredPosition) {
        let weight = i64::from(row.weight().steps());
        self.weight += weight;
        self.labels += i64::from(row.label().steps()) * weight;
    }

    /// Returns one row for all training rows of the position. Its label is the weighted mean of
    /// their labels, rounded (halves away from zero) to 1/256 disc. Its weight is the sum of their
    /// weights, at most `u16::MAX` steps of 1/64 occurrence.
    fn merged(&self) -> ScoredPosition {
        let Self { position, weight, labels } = *self;
        let mean = labels.signum() * ((2 * labels.abs() + weight) / (2 * weight));
        let label = Label::new(mean as i16).expect("a mean lies between its terms");
        let weight = u16::try_from(weight).unwrap_or(u16::MAX);
        let weight = Weight::new(weight).expect("a sum of weights is not 0");
        ScoredPosition::new(position, label, weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(board: u64, label: i16, weight: u16) -> ScoredPosition {
        let position = Position::new(board, 0).unwrap();
        ScoredPosition::new(position, Label::new(label).unwrap(), Weight::new(weight).unwrap())
    }

    fn merged_sources(sources: &[(Subset, &[ScoredPosition])]) -> [Vec<ScoredPosition>; 3] {
        let sorted = |&(subset, rows): &(Subset, &[ScoredPosition])| {
            let mut rows = rows.to_vec();
            rows.sort_unstable_by_key(order);
            (subset, rows)
        };
        let sources: Vec<_> = sources.iter().map(sorted).collect();
        let sources: Vec<_> = sources.iter().map(|(subset, rows)| (*subset, &rows[..])).collect();
        let mut merged = [const { vec![] }; 3];
        merge(&sources, |subset, row| {
            merged[subset as usize].push(row);
            Ok::<_, ()>(())
        })
        .unwrap();
        assert!(merged.iter().all(|rows| rows.is_sorted_by_key(order)));
        merged.iter_mut().for_each(|rows| rows.sort_unstable());
        merged
    }

    fn merged(rows: &[ScoredPosition]) -> ScoredPosition {
        let [training, ..] = merged_sources(&[(Subset::Training, rows)]);
        assert_eq!(training.len(), 1);
        training[0]
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
    fn duplicates_merge_across_sources_and_the_other_subsets_lose_training_positions() {
        let one = [row(1, 0, 1), row(2, 4, 1), row(3, 1, 1)];
        let two = [row(2, 8, 3), row(4, 7, 1)];
        let held_out = [row(5, 0, 1), row(2, 0, 1), row(9, 3, 1), row(9, 0, 1), row(9, 0, 1)];
        let sources = [
            (Subset::Validation, &held_out[..]),
            (Subset::Training, &one),
            (Subset::Test, &two),
            (Subset::Training, &two),
            (Subset::Test, &held_out[..1]),
        ];
        let [training, validation, test] = merged_sources(&sources);
        assert_eq!(training, [row(1, 0, 1), row(2, 7, 4), row(3, 1, 1), row(4, 7, 1)]);
        assert_eq!(validation, [row(5, 0, 1), row(9, 0, 1), row(9, 0, 1), row(9, 3, 1)]);
        assert_eq!(test, [row(5, 0, 1)]);
    }

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
