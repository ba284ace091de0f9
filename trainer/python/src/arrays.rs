use numpy::{Element, PyArray1, PyReadonlyArray1, PyUntypedArray};
use numpy::{PyArrayDescrMethods as _, PyUntypedArrayMethods as _};
use othello_engine::board::Position;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple};

use crate::errors::refused;

/// The discs of one side on many boards, as 64-bit sets of squares. Python callers pass an array of
/// integers, or anything that NumPy converts to such an array.
pub(crate) struct Discs(Vec<u64>);

impl<'py> FromPyObject<'_, 'py> for Discs {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let settings = PyDict::new(given.py());
        if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
            // NumPy would convert a list with integers both below and above 2⁶³ to floating point.
            settings.set_item("dtype", "object")?;
        }
        let numpy = given.py().import("numpy")?;
        let array = numpy.call_method("asarray", (given,), Some(&settings))?;
        let array = array.cast_into::<PyUntypedArray>()?;
        if array.ndim() != 1 {
            return Err(refused(format!("{} axes of boards; expected one", array.ndim())));
        }
        let kind = array.dtype().kind();
        let has_negative = kind == b'i' && !array.is_empty() && array.call_method0("min")?.lt(0)?;
        match kind {
            b'u' | b'i' if !has_negative => {
                let numbers = array.call_method1("astype", ("uint64",))?;
                let numbers: PyReadonlyArray1<'_, u64> = numbers.extract()?;
                Ok(Self(numbers.as_array().to_vec()))
            }
            b'i' | b'O' => {
                let discs = array.try_iter()?.enumerate().map(|(place, item)| {
                    let item = item?;
                    let number = item.extract::<u64>().ok();
                    let number = number.filter(|_| !item.is_instance_of::<PyBool>());
                    number.ok_or_else(|| not_a_board(place, &item))
                });
                discs.collect::<PyResult<_>>().map(Self)
            }
            _ => Err(PyTypeError::new_err(format!(
                "boards of type {}; expected integers from 0 to 2**64 - 1, such as numpy.uint64",
                array.dtype()
            ))),
        }
    }
}

fn not_a_board(place: usize, found: impl std::fmt::Display) -> PyErr {
    refused(format!(
        "board {place}: {found} is not an integer from 0 to 2**64 - 1 (of a signed array, \
         `.view(numpy.uint64)` has the bits)"
    ))
}

pub(crate) fn boards(player: &Discs, opponent: &Discs) -> PyResult<Vec<Position>> {
    let (Discs(player), Discs(opponent)) = (player, opponent);
    if player.len() != opponent.len() {
        let (players, opponents) = (player.len(), opponent.len());
        return Err(refused(format!(
            "{players} boards of the player and {opponents} of the opponent; expected equal numbers"
        )));
    }
    let pairs = player.iter().zip(opponent).enumerate();
    pairs.map(|(place, (&player, &opponent))| board(player, opponent, place)).collect()
}

fn board(player: u64, opponent: u64, place: usize) -> PyResult<Position> {
    let position = Position::new(player, opponent)
        .ok_or_else(|| refused(format!("board {place}: both sides have a disc on one square")))?;
    match position.discs() {
        few @ 0..4 => {
            Err(refused(format!("board {place} has {few} discs; a position has at least 4")))
        }
        _ => Ok(position),
    }
}

pub(crate) fn column<R, T: Element>(
    py: Python<'_>,
    rows: &[R],
    of: impl Fn(&R) -> T,
) -> Py<PyArray1<T>> {
    PyArray1::from_iter(py, rows.iter().map(of)).unbind()
}
