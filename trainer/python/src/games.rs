//! Games as arrays, streamed from records.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::vec;

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyUntypedArrayMethods as _};
use othello_engine::board::PHASES;
use othello_engine::record::{Game, GameReader, RecordError, record_files};
use othello_trainer::dataset::Split;
use pyo3::prelude::*;

use crate::errors::{exception, refused};
use crate::positions::Paths;

/// The number that stands for no move, and for a game that was not solved.
const NO_SQUARE: u8 = u8::MAX;
/// The number that stands for no score and no value.
const NO_SCORE: i8 = i8::MIN;

/// A batch of games: arrays with a row for each.
#[pyclass(frozen, get_all, module = "othello_toolkit")]
pub(crate) struct Games {
    /// The moves, without passes: squares a1 = 0 … h8 = 63, and 255 after the last.
    moves: Py<PyArray2<u8>>,
    /// The values that searches found for each move, in discs for the side that moves; -128 for
    /// none.
    values: Py<PyArray2<i8>>,
    /// The numbers of moves.
    length: Py<PyArray1<u8>>,
    /// The numbers of moves at the beginning that were drawn by chance.
    random: Py<PyArray1<u8>>,
    /// The scores for black; -128 for a game that was broken off.
    result: Py<PyArray1<i8>>,
    /// The ply from which on perfect play is known; 255 if none is.
    solved_ply: Py<PyArray1<u8>>,
    /// The score by perfect play from there on, for black; -128 if it is not known.
    solved_score: Py<PyArray1<i8>>,
    /// The subsets by the split: 0 training, 1 validation, 2 test.
    subset: Py<PyArray1<u8>>,
}

#[pymethods]
impl Games {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.length.bind(py).len()
    }
}

/// The numbers of games, as [`Games`] has them.
struct Columns {
    moves: Array2<u8>,
    values: Array2<i8>,
    length: Vec<u8>,
    random: Vec<u8>,
    result: Vec<i8>,
    solved_ply: Vec<u8>,
    solved_score: Vec<i8>,
    subset: Vec<u8>,
}

impl Columns {
    fn of(games: &[Game], split: Split) -> Self {
        let shape = (games.len(), PHASES);
        let mut moves = Array2::from_elem(shape, NO_SQUARE);
        let mut values = Array2::from_elem(shape, NO_SCORE);
        for (row, game) in games.iter().enumerate() {
            for (ply, square) in game.squares().iter().enumerate() {
                moves[[row, ply]] = square.index() as u8;
            }
            for (ply, value) in game.values().unwrap_or_default().iter().enumerate() {
                values[[row, ply]] = value.unwrap_or(NO_SCORE);
            }
        }
        // A score is at most 64.
        let score = |score: Option<i32>| score.map_or(NO_SCORE, |score| score as i8);
        let solved = |game: &Game| game.solved().map(|solved| solved.black_score);
        let of = |number: fn(&Game) -> u8| games.iter().map(number).collect();
        Self {
            moves,
            values,
            length: of(|game| game.squares().len() as u8),
            random: of(Game::random_plies),
            result: games.iter().map(|game| score(game.black_score())).collect(),
            solved_ply: of(|game| game.solved().map_or(NO_SQUARE, |solved| solved.ply)),
            solved_score: games.iter().map(|game| score(solved(game))).collect(),
            // A split without a share leaves no game out.
            subset: games
                .iter()
                .filter_map(|g| split.of_game(g))
                .map(|subset| subset as u8)
                .collect(),
        }
    }

    fn into_arrays(self, py: Python<'_>) -> Games {
        Games {
            moves: self.moves.into_pyarray(py).unbind(),
            values: self.values.into_pyarray(py).unbind(),
            length: self.length.into_pyarray(py).unbind(),
            random: self.random.into_pyarray(py).unbind(),
            result: self.result.into_pyarray(py).unbind(),
            solved_ply: self.solved_ply.into_pyarray(py).unbind(),
            solved_score: self.solved_score.into_pyarray(py).unbind(),
            subset: self.subset.into_pyarray(py).unbind(),
        }
    }
}

/// An iterator over batches of games.
#[pyclass(frozen, module = "othello_toolkit")]
pub(crate) struct GameStream {
    reading: Mutex<Reading>,
    split: Split,
    batch: usize,
}

/// The files that are left, and the open one.
struct Reading {
    files: vec::IntoIter<PathBuf>,
    open: Option<GameReader>,
}

impl Reading {
    /// Returns the next games: as many as `most`, at the end fewer or none.
    fn next(&mut self, most: usize) -> Result<Vec<Game>, RecordError> {
        let mut games = vec![];
        while games.len() < most {
            let Some(reader) = &mut self.open else {
                let Some(path) = self.files.next() else { break };
                self.open = Some(GameReader::open(&path)?);
                continue;
            };
            match reader.next() {
                Some(game) => games.push(game?),
                None => self.open = None,
            }
        }
        Ok(games)
    }
}

#[pymethods]
impl GameStream {
    fn __iter__(own: PyRef<'_, Self>) -> PyRef<'_, Self> {
        own
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Games>> {
        let read = || {
            let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(Columns::of(&reading.next(self.batch)?, self.split))
        };
        let columns = py.detach(read).map_err(exception::<RecordError>)?;
        Ok((!columns.length.is_empty()).then(|| columns.into_arrays(py)))
    }
}

/// Reads games in batches, from files of games or folders of them. `seed` is that of the split into
/// training, validation and test, as for `othello-trainer fit`.
#[pyfunction]
#[pyo3(signature = (paths, *, seed = 1, batch = 4096))]
pub(crate) fn games(paths: Paths, seed: u64, batch: usize) -> PyResult<GameStream> {
    if batch == 0 {
        return Err(refused("a batch of 0 games; expected at least 1"));
    }
    let files = record_files(&paths.all()).map_err(exception)?;
    for path in &files {
        GameReader::open(path).map_err(exception)?;
    }
    let reading = Reading { files: files.into_iter(), open: None };
    Ok(GameStream { reading: Mutex::new(reading), split: Split::new(seed), batch })
}
