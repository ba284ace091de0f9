use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use numpy::{PyArray1, PyUntypedArrayMethods as _};
use othello_engine::progress::Silent;
use othello_trainer::dataset::{
    DataChoice, Filter, LayoutSettings, Placed, PositionStream as Stream, Split, StreamSettings,
    Subset,
};
use othello_trainer::model::Phases;
use othello_trainer::source::{DataError, LabelRules};
use pyo3::prelude::*;

use crate::arrays::column;
use crate::errors::{exception, refused};
use crate::threads::{detached, on_threads};

/// A batch of positions: arrays of equal length, with one element for each position.
#[pyclass(frozen, get_all, module = "othello_toolkit")]
pub(crate) struct Positions {
    /// The discs of the side to move; bit 0 is a1, bit 63 h8.
    player: Py<PyArray1<u64>>,
    /// The discs of the side that is not to move; bit 0 is a1, bit 63 h8.
    opponent: Py<PyArray1<u64>>,
    /// The label (training target) of each position in discs, for the side to move.
    label: Py<PyArray1<f32>>,
    /// The weight of each position, in occurrences: 2 counts like two equal positions.
    weight: Py<PyArray1<f32>>,
    /// The ply of each position: its number of discs minus 4, from 0 to 59. It is also the phase.
    ply: Py<PyArray1<u8>>,
    /// The subset of each position: 0 training, 1 validation, 2 test.
    subset: Py<PyArray1<u8>>,
    /// A number for each position, which is the same for all positions of one game.
    game: Py<PyArray1<u64>>,
}

impl Positions {
    fn new(py: Python<'_>, rows: &[Placed]) -> Self {
        Self {
            player: column(py, rows, |placed| placed.row.position().player()),
            opponent: column(py, rows, |placed| placed.row.position().opponent()),
            // Multiples of 1/256 disc and of 1/64 occurrence are exact as `f32`.
            label: column(py, rows, |placed| placed.row.label().discs() as f32),
            weight: column(py, rows, |placed| placed.row.weight().occurrences() as f32),
            ply: column(py, rows, |placed| placed.row.position().ply() as u8),
            subset: column(py, rows, |placed| placed.subset as u8),
            game: column(py, rows, |placed| placed.game),
        }
    }
}

#[pymethods]
impl Positions {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.player.bind(py).len()
    }
}

/// The iterator over batches of positions that the function `positions` returns.
#[pyclass(frozen, module = "othello_toolkit")]
pub(crate) struct PositionStream {
    stream: Mutex<Stream>,
    batch: usize,
}

#[pymethods]
impl PositionStream {
    fn __iter__(own: PyRef<'_, Self>) -> PyRef<'_, Self> {
        own
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Positions>> {
        let read = || {
            let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
            stream.next_batch(self.batch, &Silent)
        };
        let rows = detached(py, read)?.map_err(exception::<DataError>)?;
        Ok((!rows.is_empty()).then(|| Positions::new(py, &rows)))
    }
}

#[derive(FromPyObject)]
pub(crate) enum Paths {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

impl Paths {
    pub(crate) fn all(self) -> Vec<PathBuf> {
        match self {
            Self::One(path) => vec![path],
            Self::Several(paths) => paths,
        }
    }
}

/// Reads the positions of records in batches, labelled and split as by `othello-trainer fit`.
///
/// `paths` are files of games, positions or openings, or folders of such files. With `FILE*WEIGHT`,
/// the weight of each position in a file is multiplied by WEIGHT. `labels` and `filter` are as in
/// `fit --labels` and `fit --filter`. `phases` is a range that includes both ends, such as
/// `20..30`. `subset` is `training`, `validation` or `test`; `seed` determines the split into these
/// subsets. If `shuffle` is a seed, positions are drawn at random from a buffer of `buffer`
/// positions. If it is `None`, they are in the order of the files. Equal positions are not merged.
#[pyfunction]
#[pyo3(signature = (
    paths, *, labels = None, filter = None, subset = None, phases = None, seed = 1, shuffle = None,
    buffer = 1_048_576, batch = 65_536
))]
#[expect(clippy::too_many_arguments, reason = "named arguments of Python")]
pub(crate) fn positions(
    paths: Paths,
    labels: Option<&str>,
    filter: Option<&str>,
    subset: Option<&str>,
    phases: Option<&str>,
    seed: u64,
    shuffle: Option<u64>,
    buffer: usize,
    batch: usize,
) -> PyResult<PositionStream> {
    if batch == 0 {
        return Err(refused("a batch of 0 positions; expected at least 1"));
    }
    let labels = labels.map(str::parse::<LabelRules>).transpose().map_err(exception)?;
    let phases = phases.map(str::parse::<Phases>).transpose().map_err(exception)?;
    let settings = StreamSettings {
        layout: LayoutSettings {
            labels: labels.unwrap_or_default(),
            filter: filter.unwrap_or_default().parse::<Filter>().map_err(exception)?,
            split: Split::new(seed),
        },
        subset: subset.map(subset_of).transpose()?,
        phases: phases.unwrap_or_default().0,
        shuffled: shuffle.map_or(0, |_| buffer.max(1)),
        seed: shuffle.unwrap_or_default(),
    };
    let data = paths.all().into_iter().map(choice).collect::<PyResult<Vec<_>>>()?;
    let stream = on_threads(|| Stream::open(&data, settings))?.map_err(exception)?;
    Ok(PositionStream { stream: Mutex::new(stream), batch })
}

fn choice(path: PathBuf) -> PyResult<DataChoice> {
    match path.to_str() {
        Some(text) => text.parse().map_err(exception),
        None => Ok(DataChoice { path, weight: 1.0 }),
    }
}

fn subset_of(name: &str) -> PyResult<Subset> {
    Subset::ALL.into_iter().find(|subset| subset.to_string() == name).ok_or_else(|| {
        refused(format!("{name:?} is not a subset; expected `training`, `validation` or `test`"))
    })
}
