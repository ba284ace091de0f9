//! Converts errors of the Rust crates to Python exceptions with the same messages.

use std::error::Error;
use std::{io, iter};

use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};

pub(crate) fn exception<E: Error + 'static>(error: E) -> PyErr {
    let message = error.to_string();
    let causes = iter::successors(Some(&error as &(dyn Error + 'static)), |&it| it.source());
    let io_errors = causes.filter_map(|cause| cause.downcast_ref::<io::Error>());
    match io_errors.map(io::Error::kind).next() {
        Some(io::ErrorKind::NotFound) => PyFileNotFoundError::new_err(message),
        Some(_) => PyOSError::new_err(message),
        None => PyValueError::new_err(message),
    }
}

pub(crate) fn refused(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}
