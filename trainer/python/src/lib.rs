//! The Python module `othello_toolkit`. It converts between NumPy arrays and positions, and turns
//! errors into exceptions. `scripts/check-python.sh` tests the module from Python.
#![cfg(not(test))]

mod arrays;
mod board;
mod errors;
mod games;
mod patterns;
mod positions;
mod search;
mod threads;
mod weights;

use std::ffi::{CStr, CString, OsString};
use std::path::Path;

use pyo3::prelude::*;
use pyo3::types::PyModule;

use errors::refused;

/// Weights, games and positions of Othello as NumPy arrays, and searches.
#[pyo3::pymodule]
mod othello_toolkit {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::board::Board;
    #[pymodule_export]
    use super::games::{GameStream, Games, games};
    #[pymodule_export]
    use super::main;
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
        super::add_commands(module)
    }
}

/// The Python source code of functions such as `fit`. Each runs a subcommand in a new process that
/// calls [`main`].
const SOURCE: &str = include_str!("commands.py");
const FILE: &CStr = c"othello_toolkit/commands.py";
const FUNCTIONS: [&str; 5] = ["command", "compare", "fit", "match", "selfplay"];

fn add_commands(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let commands =
        PyModule::from_code(module.py(), &CString::new(SOURCE)?, FILE, c"othello_toolkit")?;
    FUNCTIONS.iter().try_for_each(|&name| module.add(name, commands.getattr(name)?))
}

/// Runs `othello-engine` or `othello-trainer`, named by the first element of `sys.argv`, with the
/// other elements as arguments. Returns the exit status. Call this function in a process of its
/// own, because the program handles signals and starts threads.
#[pyfunction]
fn main(py: Python<'_>) -> PyResult<u8> {
    // The program handles Ctrl-C itself; Python's handler would also raise `KeyboardInterrupt`.
    let signal = py.import("signal")?;
    signal.call_method1("signal", (signal.getattr("SIGINT")?, signal.getattr("SIG_DFL")?))?;
    let words: Vec<OsString> = py.import("sys")?.getattr("argv")?.extract()?;
    let program = words.first().map(Path::new).and_then(Path::file_stem);
    match program.and_then(|name| name.to_str()) {
        Some("othello-engine") => Ok(py.detach(|| othello_engine::cli::main(words))),
        Some("othello-trainer") => Ok(py.detach(|| othello_trainer::cli::main(words))),
        _ => Err(refused("sys.argv[0]: expected `othello-engine` or `othello-trainer`")),
    }
}
