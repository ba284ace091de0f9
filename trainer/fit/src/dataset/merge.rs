//! The merge of a phase's sorted rows: duplicates in training become one row, and positions of
//! training are removed from the other subsets.

use othello_engine::board::Position;
use othello_engine::record::{Label, ScoredPosition, Weight};

use super::{Content, DatasetError, Subset};
use crate::memory::merged;

pub(super) struct Source<'a> {
    pub(super) subset: Subset,
    pub(super) rows: SourceRows<'a>,
}

impl<'a> Source<'a> {
    pub(super) fn of(subset: Subset, rows: &'a [ScoredPosition]) -> Self {
        Self { subset, rows: Box::new(rows.iter().copied().map(Ok)) }
    }
}

pub(super) type SourceRows<'a> =
    Box<dyn Iterator<Item = Result<ScoredPosition, DatasetError>> + 'a>;

/// Merges the rows of a phase. Passes to `take`, each in order: merged training rows, the exact
/// sums of those that had to be rounded, and the rows of the other subsets.
pub(super) fn merge<E: From<DatasetError>>(
    sources: Vec<Source<'_>>,
    mut take: impl FnMut(Content, ScoredPosition) -> Result<(), E>,
) -> Result<(), E> {
    let mut sources = sources;
    // By position, then training before the other subsets.
    let sorted = merged(sources.len(), |source| -> Result<_, DatasetError> {
        let Source { subset, rows } = &mut sources[source];
        let row = rows.next().transpose()?;
        Ok(row.map(|row| (key(&row), *subset as usize, row)))
    })?;
    let finish = |trained: Option<Duplicates>,
                  take: &mut dyn FnMut(Content, ScoredPosition) -> Result<(), E>| {
        let Some(trained) = trained else { return Ok(()) };
        take(Content::Training, trained.merged())?;
        trained.exact().try_for_each(|row| take(Content::Sums, row))
    };
    let mut trained: Option<Duplicates> = None;
    for item in sorted {
        let (_, subset, row) = item?;
        let subset = Subset::ALL[subset];
        match &mut trained {
            Some(same) if same.position() == row.position() => {
                if subset == Subset::Training {
                    same.add(&row);
                }
            }
            _ if subset == Subset::Training => {
                finish(trained.replace(Duplicates::new(&row)), &mut take)?;
            }
            _ => take(subset.into(), row)?,
        }
    }
    finish(trained, &mut take)
}

/// Returns the sort key of rows: a hash of the position, then the row. Any range of sorted rows is
/// thus a fair sample for mini-batches.
pub(super) fn order(row: &ScoredPosition) -> (u64, ScoredPosition) {
    (scattered(&row.position()), *row)
}

/// Returns a key that is equal for equal positions and ascends in sorted rows.
pub(super) fn key(row: &ScoredPosition) -> (u64, Position) {
    (scattered(&row.position()), row.position())
}

/// Returns a hash of the position: the finaliser of SplitMix64 on both boards.
fn scattered(position: &Position) -> u64 {
    let mixed = |hash: u64| {
        let hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        hash ^ (hash >> 31)
    };
    mixed(position.player() ^ mixed(position.opponent().wrapping_add(0x9E37_79B9_7F4A_7C15)))
}

/// The sums over the rows of one position, at least one row.
pub(super) struct Duplicates {
    position: Position,
    weight: i64,
    /// The sum of labels times weights. It has room for 2³³ of the largest products.
    labels: i64,
}

impl Duplicates {
    pub(super) fn new(row: &ScoredPosition) -> Self {
        let mut duplicates = Self { position: row.position(), weight: 0, labels: 0 };
        duplicates.add(row);
        duplicates
    }

    pub(super) fn position(&self) -> Position {
        self.position
    }

    pub(super) fn add(&mut self, row: &ScoredPosition) {
        let weight = i64::from(row.weight().steps());
        self.weight += weight;
        self.labels += i64::from(row.label().steps()) * weight;
    }

    /// Returns the merged row: the weighted mean of the labels, halves rounded away from zero, and
    /// Σ weight, limited to the largest weight.
    pub(super) fn merged(&self) -> ScoredPosition {
        let Self { position, weight, labels } = *self;
        let mean = labels.signum() * ((2 * labels.abs() + weight) / (2 * weight));
        let label = Label::new(mean as i16).expect("a mean lies between its terms");
        let weight = u16::try_from(weight).unwrap_or(u16::MAX);
        let weight = Weight::new(weight).expect("a sum of weights is not 0");
        ScoredPosition::new(position, label, weight)
    }

    /// Returns rows that have exactly these sums of weights and of products of label and weight;
    /// none if the row of [`Self::merged`] has them already. The rows have two consecutive labels,
    /// with suitable weights. They depend on the sums alone, and so does the result of adding more
    /// rows later.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(board: u64, label: i16, weight: u16) -> ScoredPosition {
        let position = Position::new(board, 0).unwrap();
        ScoredPosition::new(position, Label::new(label).unwrap(), Weight::new(weight).unwrap())
    }

    /// Merges sources, which are rows of one subset each and are sorted here; returns the rows by
    /// content.
    fn merged_sources(sources: &[(Subset, &[ScoredPosition])]) -> [Vec<ScoredPosition>; 4] {
        let source = |&(subset, rows): &(Subset, &[ScoredPosition])| {
            let mut rows = rows.to_vec();
            rows.sort_unstable_by_key(order);
            Source { subset, rows: Box::new(rows.into_iter().map(Ok)) }
        };
        let mut merged = [const { vec![] }; 4];
        merge(sources.iter().map(source).collect(), |content, row| {
            merged[content as usize].push(row);
            Ok::<_, DatasetError>(())
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

    /// Merging exact sums with further rows gives the same result as merging all rows at once.
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
        let [training, validation, test, sums] = merged_sources(&sources);
        assert_eq!(training, [row(1, 0, 1), row(2, 7, 4), row(3, 1, 1), row(4, 7, 1)]);
        assert_eq!(validation, [row(5, 0, 1), row(9, 0, 1), row(9, 0, 1), row(9, 3, 1)]);
        assert_eq!(test, [row(5, 0, 1)]);
        assert_eq!(sums, []);
    }

    /// A tenth of the sorted rows has about a tenth of the positions with a disc on any given
    /// square.
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
