//! The Python module of the toolkit, which converts NumPy arrays to positions and back, and errors
//! to exceptions. `scripts/check-python.sh` tests the module from Python.
#![cfg(not(test))]

mod arrays;
mod board;
mod commands;
mod errors;
mod games;
mod patterns;
mod positions;
mod search;
mod threads;
mod weights;

/// Weights, games and positions of Othello as NumPy arrays, and searches.
#[pyo3::pymodule]
mod othello_toolkit {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::board::Board;
    #[pymodule_export]
    use super::commands::main;
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

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::commands::add_to(module)
    }
}
