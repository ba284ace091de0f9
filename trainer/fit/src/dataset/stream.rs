//! A stream of positions, labelled and split into subsets like the positions of a dataset. The
//! stream neither sorts nor merges them, so that any number of records takes little memory.

use std::ops::RangeInclusive;
use std::vec;

use othello_engine::board::Phase;
use othello_engine::progress::Progress;
use othello_engine::random::Generator;
use rayon::prelude::*;

use super::inputs::no_records;
use super::place::{Placed, Placer};
use super::{Counts, DataChoice, DatasetFolder, Input, LayoutSettings, Subset};
use crate::source::Result;
use crate::source::records::Records;

const FRAMES_AT_ONCE: usize = 16;

/// The settings of a stream of positions.
#[derive(Clone, Debug)]
pub struct StreamSettings {
    /// The label rules, the filter of the positions, and the split into training and other subsets.
    pub layout: LayoutSettings,
    /// The only subset whose positions are wanted; all if `None`.
    pub subset: Option<Subset>,
    /// The phases whose positions the stream returns.
    pub phases: RangeInclusive<Phase>,
    /// The size of the shuffle buffer, in positions; 0 keeps the order of the files.
    pub shuffled: usize,
    /// The seed of the random order of files and positions.
    pub seed: u64,
}

/// A reader of positions in batches. The batches depend only on the files and the settings.
pub struct PositionStream {
    settings: StreamSettings,
    files: vec::IntoIter<DataChoice>,
    open: Option<(Records, f64)>,
    pool: Vec<Placed>,
    random: Generator,
    /// The files that were read completely, in the order in which they were read.
    pub inputs: Vec<Input>,
    paths: Vec<String>,
    counts: Counts,
}

impl PositionStream {
    /// Opens a stream of positions from files and folders; shuffles if `settings.shuffled` > 0.
    pub fn open(data: &[DataChoice], settings: StreamSettings) -> Result<Self> {
        let mut files = DataChoice::files(data)?;
        if let Some(choice) = files.iter().find(|choice| DatasetFolder::is_at(&choice.path)) {
            return Err(no_records(&choice.path));
        }
        for choice in &files {
            Records::open(&choice.path)?;
        }
        let mut random = Generator::new(settings.seed);
        if settings.shuffled > 0 {
            random.shuffle(&mut files);
        }
        let paths = files.iter().map(|choice| choice.path.display().to_string()).collect();
        let (files, pool, inputs) = (files.into_iter(), vec![], vec![]);
        let counts = Counts::default();
        Ok(Self { settings, files, open: None, pool, random, inputs, paths, counts })
    }

    /// Returns the next `most` positions (0 counts as 1); fewer or none at the end of the data.
    pub fn next_batch(&mut self, most: usize, progress: &dyn Progress) -> Result<Vec<Placed>> {
        let most = most.max(1);
        let wanted = self.settings.shuffled.saturating_add(most);
        while self.pool.len() < wanted && self.read_more(progress)? {}
        let taken = most.min(self.pool.len());
        if self.settings.shuffled == 0 {
            return Ok(self.pool.drain(..taken).collect());
        }
        let rest = self.pool.len() - taken;
        for last in (rest..self.pool.len()).rev() {
            let drawn = self.random.below_u64(last as u64 + 1) as usize;
            self.pool.swap(last, drawn);
        }
        Ok(self.pool.split_off(rest))
    }

    /// Opens the next file, or reads positions of the open file into `pool`. Returns false after
    /// the last file.
    fn read_more(&mut self, progress: &dyn Progress) -> Result<bool> {
        let Some((records, weight)) = &mut self.open else {
            let Some(DataChoice { path, weight }) = self.files.next() else {
                let Counts { is_labelled, excluded, .. } = &self.counts;
                if !is_labelled && excluded.total() > 0 {
                    let filter = &self.settings.layout.filter;
                    return Err(excluded.all_of(&self.paths.join(", "), filter));
                }
                return Ok(false);
            };
            let records = Records::open(&path)?;
            progress.begin_file(&path, records.bytes());
            self.open = Some((records, weight));
            return Ok(true);
        };
        let (weight, before) = (*weight, records.bytes_read());
        let mut frames = vec![];
        while frames.len() < FRAMES_AT_ONCE
            && let Some(frame) = records.next_frame()?
        {
            frames.push(frame);
        }
        progress.advance(records.bytes_read() - before);
        let StreamSettings { layout, subset, phases, .. } = &self.settings;
        let placer = Placer {
            settings: layout,
            is_test: false,
            weight,
            is_enumerated: records.is_enumerated(),
            wanted: &Phase::all().map(|phase| phases.contains(&phase)).collect::<Vec<_>>(),
            is_canonical: false,
        };
        let placed: Vec<_> = frames.par_iter().map(|frame| placer.place(frame)).collect();
        placed.iter().for_each(|placed| self.counts.add(&placed.counts));
        let rows = placed.into_iter().flat_map(|placed| placed.rows);
        self.pool.extend(rows.filter(|placed| subset.is_none_or(|wanted| wanted == placed.subset)));
        if frames.is_empty() {
            let sha256 = records.sha256().unwrap_or_default().to_owned();
            self.inputs.push(Input { sha256, weight });
            self.open = None;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use othello_engine::progress::Silent;
    use othello_engine::record::{PlacedPosition, ScoredPosition};
    use othello_testing::{on_threads, records};
    use tempfile::TempDir;

    use super::super::Split;
    use super::super::tests::games;
    use super::*;
    use crate::source::{LabelRules, Labelled};

    /// The number of games in the file that the tests read, so many that this takes several steps.
    const GAMES: u64 = 5000;
    const ALONE: usize = 500;

    fn files() -> (TempDir, Vec<DataChoice>) {
        let folder = tempfile::tempdir().unwrap();
        let paths: [PathBuf; 2] = ["a.games", "b.positions"].map(|name| folder.path().join(name));
        records::write(&paths[0], games(GAMES));
        records::write(&paths[1], alone());
        let [games, positions] = paths;
        let data = vec![
            DataChoice { path: games, weight: 1.0 },
            DataChoice { path: positions, weight: 0.5 },
        ];
        (folder, data)
    }

    fn alone() -> Vec<ScoredPosition> {
        let rows = games(GAMES + 20).into_iter().skip(GAMES as usize);
        let rules = LabelRules::default();
        rows.flat_map(|game| rules.positions(&game, 1.0)).take(ALONE).collect()
    }

    fn settings() -> StreamSettings {
        StreamSettings {
            layout: LayoutSettings::new(LabelRules::default(), Split::new(7)),
            subset: None,
            phases: Phase::new(0).unwrap()..=Phase::new(59).unwrap(),
            shuffled: 0,
            seed: 3,
        }
    }

    fn all(data: &[DataChoice], settings: StreamSettings, most: usize) -> Vec<Placed> {
        let mut stream = PositionStream::open(data, settings).unwrap();
        let mut rows = vec![];
        loop {
            let batch = stream.next_batch(most, &Silent).unwrap();
            if batch.is_empty() {
                assert_eq!(stream.inputs.len(), data.len());
                return rows;
            }
            assert!(rows.len() % most == 0, "a batch before the last was short");
            rows.extend(batch);
        }
    }

    fn expected() -> Vec<Placed> {
        let split = Split::new(7);
        let of_games = games(GAMES).into_iter().flat_map(|game| {
            let subset = split.of_game(&game).unwrap();
            let rows = LabelRules::default().labelled(&game, 1.0).into_iter();
            let game = PlacedPosition::number_of_game(&game.canonical_squares());
            rows.map(move |Labelled { row, rule }| Placed { row, rule, subset, game })
        });
        let of_none = alone().into_iter().map(|row| {
            let canonical = row.position().canonical();
            let subset = split.of_position(&canonical).unwrap();
            let weight = row.weight().times(0.5).unwrap();
            let row = ScoredPosition::new(row.position(), row.label(), weight);
            Placed { row, rule: None, subset, game: PlacedPosition::number_alone(&canonical) }
        });
        of_games.chain(of_none).collect()
    }

    #[test]
    fn positions_come_in_order_with_the_labels_and_subsets_of_a_fit() {
        let (_folder, data) = files();
        let expected = expected();
        assert!(all(&data, settings(), 1000) == expected);
        let (first, last) = (Phase::new(20).unwrap(), Phase::new(22).unwrap());
        let some =
            StreamSettings { subset: Some(Subset::Test), phases: first..=last, ..settings() };
        let wanted = |placed: &&Placed| {
            placed.subset == Subset::Test && (20..=22).contains(&placed.row.position().ply())
        };
        let expected: Vec<Placed> = expected.iter().filter(wanted).copied().collect();
        assert!(expected.len() > 300 && all(&data, some, 1 << 20) == expected);
    }

    #[test]
    fn a_shuffle_is_an_order_by_its_seed_with_any_number_of_threads() {
        let (_folder, data) = files();
        let shuffled = |seed, threads| {
            let settings = StreamSettings { shuffled: 10_000, seed, ..settings() };
            on_threads(threads, || all(&data, settings, 777))
        };
        let first = shuffled(3, 1);
        assert!(first == shuffled(3, 2) && first != shuffled(4, 2));
        let sorted = |mut rows: Vec<Placed>| {
            rows.sort_by_key(|placed| (placed.row, placed.subset as u8, placed.game));
            rows
        };
        let neighbours = first
            .windows(2)
            .filter(|two| two[0].row.position().ply() + 1 == two[1].row.position().ply());
        assert!(neighbours.count() < first.len() / 20);
        assert!(sorted(first) == sorted(expected()));
    }
}
