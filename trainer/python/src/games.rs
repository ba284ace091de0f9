//! Reads games from files, and returns them in batches as NumPy arrays.

use std::iter;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyUntypedArrayMethods as _};
use othello_engine::board::PHASES;
use othello_engine::record::{Game, GameReader, RecordError, record_files};
use othello_trainer::dataset::Split;
use pyo3::prelude::*;

use crate::arrays::column;
use crate::errors::{exception, refused};
use crate::positions::Paths;
use crate::threads::detached;

const NO_SQUARE: u8 = u8::MAX;
const NO_SCORE: i8 = i8::MIN;

/// A batch of games: arrays with one row for each game.
#[pyclass(frozen, get_all, module = "othello_toolkit")]
pub(crate) struct Games {
    /// The moves of each game, without passes, as squares from 0 (a1) to 63 (h8). After the last
    /// move, all elements are 255.
    moves: Py<PyArray2<u8>>,
    /// The search value of each move in discs, for the side that moves; -128 if it has no value.
    values: Py<PyArray2<i8>>,
    /// The number of moves of each game.
    length: Py<PyArray1<u8>>,
    /// For each game, the number of random moves at its beginning.
    random: Py<PyArray1<u8>>,
    /// The results of the games in discs, for black; -128 for an unfinished game.
    result: Py<PyArray1<i8>>,
    /// For each game, the ply of the first position with a known exact score; 255 if there is none.
    solved_ply: Py<PyArray1<u8>>,
    /// The exact score of the position at `solved_ply` in discs, for black; -128 if there is none.
    solved_score: Py<PyArray1<i8>>,
    /// The subset of each game: 0 training, 1 validation, 2 test.
    subset: Py<PyArray1<u8>>,
}

#[pymethods]
impl Games {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.length.bind(py).len()
    }
}

impl Games {
    fn new(py: Python<'_>, games: &[Game], split: Split) -> Self {
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
        // A score is at most 64 in absolute value, so the cast is exact.
        let score = |score: Option<i32>| score.map_or(NO_SCORE, |score| score as i8);
        let solved = |game: &Game| score(game.solved().map(|solved| solved.black_score));
        let solved_ply = |game: &Game| game.solved().map_or(NO_SQUARE, |solved| solved.ply);
        Self {
            moves: moves.into_pyarray(py).unbind(),
            values: values.into_pyarray(py).unbind(),
            length: column(py, games, |game| game.squares().len() as u8),
            random: column(py, games, Game::random_plies),
            result: column(py, games, |game| score(game.black_score())),
            solved_ply: column(py, games, solved_ply),
            solved_score: column(py, games, solved),
            // `of_game` returns `None` only for a split with a share; this split has no share.
            subset: column(py, games, |game| split.of_game(game).map_or(0, |it| it as u8)),
        }
    }
}

/// The iterator over batches of games that the function `games` returns.
#[pyclass(frozen, module = "othello_toolkit")]
pub(crate) struct GameStream {
    games: Mutex<GameIterator>,
    split: Split,
    batch: usize,
}

type GameIterator = Box<dyn Iterator<Item = Result<Game, RecordError>> + Send>;

#[pymethods]
impl GameStream {
    fn __iter__(own: PyRef<'_, Self>) -> PyRef<'_, Self> {
        own
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Games>> {
        let read = || -> Result<Vec<Game>, RecordError> {
            let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
            games.by_ref().take(self.batch).collect()
        };
        let games = detached(py, read)?.map_err(exception)?;
        Ok((!games.is_empty()).then(|| Games::new(py, &games, self.split)))
    }
}

/// Reads games in batches from `paths`, which are files of games or folders of such files. `seed`
/// determines the split into training, validation and test, as for `othello-trainer fit`.
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
    let of_file = |path: PathBuf| -> GameIterator {
        match GameReader::open(&path) {
            Ok(games) => Box::new(games),
            Err(error) => Box::new(iter::once(Err(error))),
        }
    };
    let games: GameIterator = Box::new(files.into_iter().flat_map(of_file));
    Ok(GameStream { games: Mutex::new(games), split: Split::new(seed), batch })
}
