//! Converts errors of the library to Python exceptions with the same messages.

use std::error::Error;
use std::io;

use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};

pub(crate) fn exception<E: Error + 'static>(error: E) -> PyErr {
    let message = error.to_string();
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return match error.kind() {
                io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
                _ => PyOSError::new_err(message),
            };
        }
        cause = error.source();
    }
    PyValueError::new_err(message)
}

pub(crate) fn refused(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}
