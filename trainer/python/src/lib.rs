//! The Python module of the toolkit, which converts NumPy arrays to positions and back, and errors
//! to exceptions. `scripts/check-python.sh` tests the module from Python.
#![cfg(not(test))]

mod arrays;
mod board;
mod errors;
mod games;
mod interrupt;
mod patterns;
mod positions;
mod search;
mod threads;
mod weights;

/// Weights, games and positions of Othello as NumPy arrays, and searches.
#[pyo3::pymodule]
mod othello_toolkit {
    #[pymodule_export]
    use super::board::Board;
    #[pymodule_export]
    use super::games::{GameStream, Games, games};
    #[pymodule_export]
    use super::patterns::{Pattern, PatternSet};
    #[pymodule_export]
    use super::positions::{PositionStream, Positions, positions};
    #[pymodule_export]
    use super::search::{Found, search, solve};
    #[pymodule_export]
    use super::weights::{Part, Weights};
}
