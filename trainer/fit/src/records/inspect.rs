//! Reports on files of records: counts, duplicates, and statistics of games or positions by ply.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use othello_engine::board::Discs;
use othello_engine::file::{self, Kind, Reader};
use othello_engine::progress::Progress;
use othello_engine::record::{
    Game, LABEL_STEPS_PER_DISC, ScoredPosition, WEIGHT_STEPS_PER_OCCURRENCE, key_of_moves,
};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value};

use super::sequence::Entry;
use crate::memory::{MemoryLimit, Sorter, Stored as _};
use crate::source::Result;
use crate::source::records::{Frame, Records};

/// The report on one file of records.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct FileReport {
    /// The path of the file, as given.
    pub path: String,
    /// The kind of records, and the report on them.
    #[serde(flatten)]
    pub records: RecordsReport,
    /// The number of frames (blocks of records) in the file.
    pub frames: u64,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The SHA-256 of the file, as `sha256sum` prints it.
    pub sha256: String,
    /// The provenance of the file.
    pub provenance: Map<String, Value>,
}

/// The report on the records of a file: games, positions or openings.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum RecordsReport {
    /// Games.
    Games(GamesReport),
    /// Scored positions.
    Positions(PositionsReport),
    /// Scored openings.
    Openings(PositionsReport),
}

/// The report on the games of a file. Arrays by ply have 61 elements, for plies 0 to 60.
#[derive(Clone, PartialEq, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct GamesReport {
    /// The number of games in the file.
    pub games: u64,
    /// The number of games, without those that repeat an earlier game of this or a previous file.
    pub distinct: u64,
    /// The number of games, without those that repeat an earlier one up to rotation and reflection.
    pub distinct_up_to_symmetry: u64,
    /// The number of games that end although a side could move.
    pub incomplete: u64,
    /// The number of positions: one before each move that is not a random opening move.
    pub positions: u64,
    /// The number of games that contain a position with a known exact score.
    pub solved: u64,
    /// The number of games with a search value for at least one move.
    pub valued: u64,
    /// Bytes of the file per game.
    pub bytes_per_game: f64,
    /// The number of positions by ply.
    pub positions_by_ply: Vec<u64>,
    /// The number of games by the number of their random moves.
    pub random_plies: Vec<u64>,
    /// The number of games by the ply of the first position with a known exact score.
    pub solved_plies: Vec<u64>,
    /// The number of moves with a stored search value, by ply.
    pub values_by_ply: Vec<u64>,
    /// The number of games by the number of their moves.
    pub lengths: Vec<u64>,
    /// The number of games by their result for black, in discs.
    pub results: BTreeMap<Discs, u64>,
}

/// The report on the positions of a file.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct PositionsReport {
    /// The number of positions in the file.
    pub positions: u64,
    /// The number of positions of this file that are not a symmetric image of an earlier position,
    /// in this file or in a file named before it.
    pub distinct_up_to_symmetry: u64,
    /// The sum of the positions' weights, in occurrences.
    pub occurrences: f64,
    /// Bytes of the file per position.
    pub bytes_per_position: f64,
    /// The report on each ply that has positions.
    pub plies: Vec<PlyReport>,
}

/// The statistics of the positions of one ply.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct PlyReport {
    /// The ply.
    pub ply: usize,
    /// The number of positions of this ply.
    pub positions: u64,
    /// The mean of the labels, in discs for the side to move.
    pub mean_label: f64,
    /// The standard deviation of the labels, in discs.
    pub deviation: f64,
}

/// Returns a report on each file. The search for duplicates uses at most the memory `limit`.
pub fn inspect(
    paths: &[PathBuf],
    limit: &MemoryLimit,
    progress: &dyn Progress,
) -> Result<Vec<FileReport>> {
    let mut inspector = Inspector::new(paths, limit, progress);
    let files = paths.iter().map(|path| inspector.inspect(path, progress));
    let mut files = files.collect::<Result<Vec<_>, _>>()?;
    inspector.tell_distinct(&mut files)?;
    Ok(files)
}

struct Inspector {
    /// The keys of games, of games up to symmetry, and of positions up to symmetry. Records with
    /// equal keys are duplicates.
    keys: [Sorter<Entry>; 3],
    records: u64,
    records_before: Vec<u64>,
}

const BYTES_PER_RECORD: u64 = 16;

impl Inspector {
    fn new(paths: &[PathBuf], limit: &MemoryLimit, progress: &dyn Progress) -> Self {
        let bytes = paths.iter().filter_map(|path| Some(path.metadata().ok()?.len())).sum::<u64>();
        let limit = MemoryLimit { bytes: limit.bytes / 3, ..limit.clone() };
        let expected = bytes / BYTES_PER_RECORD;
        progress.warn(Sorter::<Entry>::notice(&limit, expected, Entry::BYTES));
        let keys = [(); 3].map(|()| Sorter::new(limit.clone()));
        Self { keys, records: 0, records_before: vec![] }
    }

    fn inspect(&mut self, path: &Path, progress: &dyn Progress) -> Result<FileReport> {
        self.records_before.push(self.records);
        let kind = file::kind_of(path)?;
        let mut records = Records::open(path)?;
        let provenance = Reader::open(path, kind)?.provenance().as_map().clone();
        progress.begin_file(path, records.bytes());
        let (mut frames, mut read, mut games) = (0, 0, GamesReport::empty());
        let mut sums = Sums { weights: 0, by_ply: vec![(0, 0, 0); PLIES] };
        while let Some(frame) = records.next_frame()? {
            frames += 1;
            match frame {
                Frame::Games(found) => self.add_games(&found, &mut games)?,
                Frame::Positions(rows) => self.add_positions(&rows, &mut sums)?,
                Frame::Placed(placed) => {
                    let rows: Vec<_> = placed.iter().map(|placed| placed.row).collect();
                    self.add_positions(&rows, &mut sums)?;
                }
            }
            progress.advance(records.bytes_read() - read);
            read = records.bytes_read();
        }
        let bytes = records.bytes();
        games.bytes_per_game = bytes as f64 / games.games.max(1) as f64;
        let report = match kind {
            Kind::Openings => RecordsReport::Openings(sums.report(bytes)),
            Kind::Games => RecordsReport::Games(games),
            _ => RecordsReport::Positions(sums.report(bytes)),
        };
        let (path, sha256) = (path.display().to_string(), records.sha256().unwrap_or_default());
        let sha256 = sha256.to_owned();
        Ok(FileReport { path, records: report, frames, bytes, sha256, provenance })
    }

    fn add_games(&mut self, games: &[Game], report: &mut GamesReport) -> Result<()> {
        let keys =
            |game: &Game| [key_of_moves(game.squares()), key_of_moves(&game.canonical_squares())];
        let keys: Vec<_> = games.par_iter().map(keys).collect();
        for (game, [own, canonical]) in games.iter().zip(keys) {
            self.keys[0].push((own, self.records))?;
            self.keys[1].push((canonical, self.records))?;
            self.records += 1;
            report.count(game);
        }
        Ok(())
    }

    fn add_positions(&mut self, rows: &[ScoredPosition], sums: &mut Sums) -> Result<()> {
        let canonical = rows.par_iter().map(|row| row.position().canonical());
        for (row, canonical) in rows.iter().zip(canonical.collect::<Vec<_>>()) {
            sums.count(row);
            let key = bytemuck::cast([canonical.player(), canonical.opponent()]);
            self.keys[2].push((key, self.records))?;
            self.records += 1;
        }
        Ok(())
    }

    fn tell_distinct(self, files: &mut [FileReport]) -> Result<()> {
        let distinct = self.keys.map(|keys| keys.distinct(&self.records_before));
        let [games, canonical_games, positions] = distinct;
        let (games, canonical_games, positions) = (games?, canonical_games?, positions?);
        for (number, file) in files.iter_mut().enumerate() {
            match &mut file.records {
                RecordsReport::Games(report) => {
                    report.distinct = games[number];
                    report.distinct_up_to_symmetry = canonical_games[number];
                }
                RecordsReport::Positions(report) | RecordsReport::Openings(report) => {
                    report.distinct_up_to_symmetry = positions[number];
                }
            }
        }
        Ok(())
    }
}

const PLIES: usize = 61;

impl GamesReport {
    fn empty() -> Self {
        let by_ply = vec![0; PLIES];
        Self {
            positions_by_ply: by_ply.clone(),
            random_plies: by_ply.clone(),
            solved_plies: by_ply.clone(),
            values_by_ply: by_ply.clone(),
            lengths: by_ply,
            ..Self::default()
        }
    }

    fn count(&mut self, game: &Game) {
        let moves = game.squares().len();
        self.games += 1;
        self.positions += game.positions() as u64;
        self.lengths[moves] += 1;
        self.random_plies[usize::from(game.random_plies())] += 1;
        for ply in usize::from(game.random_plies())..moves {
            self.positions_by_ply[ply] += 1;
        }
        if let Some(solved) = game.solved() {
            self.solved += 1;
            self.solved_plies[usize::from(solved.ply)] += 1;
        }
        if let Some(values) = game.values() {
            self.valued += 1;
            for (ply, _) in values.iter().enumerate().filter(|(_, value)| value.is_some()) {
                self.values_by_ply[ply] += 1;
            }
        }
        match game.black_score() {
            Some(score) => *self.results.entry(score).or_default() += 1,
            None => self.incomplete += 1,
        }
    }
}

struct Sums {
    weights: u64,
    /// For each ply: the number of positions, Σ label and Σ label², unweighted, with labels in
    /// 1/256 disc.
    by_ply: Vec<(u64, i64, u64)>,
}

impl Sums {
    fn count(&mut self, row: &ScoredPosition) {
        let label = i64::from(row.label().steps());
        let (positions, sum, squares) = &mut self.by_ply[row.position().ply() as usize];
        *positions += 1;
        *sum += label;
        *squares += (label * label) as u64;
        self.weights += u64::from(row.weight().steps());
    }

    fn report(&self, bytes: u64) -> PositionsReport {
        const STEPS: f64 = LABEL_STEPS_PER_DISC as f64;
        let ply = |(ply, &(positions, sum, squares)): (usize, &(u64, i64, u64))| {
            let mean_label = sum as f64 / positions as f64 / STEPS;
            let mean_square = squares as f64 / positions as f64 / STEPS.powi(2);
            let deviation = (mean_square - mean_label * mean_label).max(0.0).sqrt();
            PlyReport { ply, positions, mean_label, deviation }
        };
        let positions = self.by_ply.iter().map(|ply| ply.0).sum::<u64>();
        let with_any = self.by_ply.iter().enumerate().filter(|(_, sums)| sums.0 > 0);
        PositionsReport {
            positions,
            distinct_up_to_symmetry: 0,
            occurrences: self.weights as f64 / f64::from(WEIGHT_STEPS_PER_OCCURRENCE),
            bytes_per_position: bytes as f64 / positions.max(1) as f64,
            plies: with_any.map(ply).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::board::{Symmetry, transcript};
    use othello_engine::progress::Silent;
    use othello_engine::record::Solved;
    use othello_testing::records;

    const WIPE_OUT: &str = "f5d6c5f4e7f6g5e6e3";

    #[test]
    fn games_are_counted_and_duplicates_found_across_files() {
        let folder = tempfile::tempdir().unwrap();
        let game = |random, text| Game::new(random, &transcript::parse(text).unwrap()).unwrap();
        let whole = game(2, WIPE_OUT);
        let transposition = Symmetry::all().find(|symmetry| {
            let squares: Vec<_> = whole.squares().iter().map(|&s| symmetry.square(s)).collect();
            squares != whole.squares() && Game::new(0, &squares).is_ok()
        });
        let squares = whole.squares().iter().map(|&square| transposition.unwrap().square(square));
        let image = Game::new(2, &squares.collect::<Vec<_>>()).unwrap();
        let values = vec![None, None, Some(3), Some(1), None, None, None, None, Some(64)];
        let valued = game(3, WIPE_OUT).with_values(values).unwrap();
        let broken = game(0, "f5d6c5").with_solved(Solved { ply: 3, black_score: 8 }).unwrap();
        let (first, second) = (folder.path().join("1.games"), folder.path().join("2.games"));
        records::write(&first, [whole, image, broken]);
        records::write(&second, [valued, game(0, "f5f6")]);
        let limited = |bytes| MemoryLimit { bytes, folder: folder.path().to_owned() };
        let paths = [first, second];
        let files = inspect(&paths, &limited(1 << 20), &Silent).unwrap();
        assert_eq!(inspect(&paths, &limited(1), &Silent).unwrap(), files);
        let mut reports = files.into_iter().map(|file| match file.records {
            RecordsReport::Games(report) => report,
            other => panic!("{other:?}"),
        });
        let report = reports.next().unwrap();
        assert_eq!((report.games, report.distinct, report.distinct_up_to_symmetry), (3, 3, 2));
        assert_eq!((report.incomplete, report.positions, report.solved), (1, 7 + 7 + 3, 1));
        assert_eq!((report.lengths[9], report.lengths[3], report.solved_plies[3]), (2, 1, 1));
        assert_eq!((report.random_plies[2], report.positions_by_ply[2]), (2, 3));
        assert_eq!(report.results, BTreeMap::from([(64, 2)]));
        assert!(report.bytes_per_game > 10.0);
        let report = reports.next().unwrap();
        assert_eq!((report.games, report.distinct, report.distinct_up_to_symmetry), (2, 1, 1));
        assert_eq!((report.valued, report.values_by_ply[8], report.values_by_ply[4]), (1, 1, 0));
    }
}
