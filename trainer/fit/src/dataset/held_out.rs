//! The inputs of a dataset, and the check that test data are not in training.

use std::path::Path;

use othello_engine::file::{FileError, sha256_of_file};
use othello_engine::progress::Silent;
use serde::{Deserialize, Serialize};

/// An input of a dataset, as recorded in the provenance.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// The SHA-256 of the input.
    pub sha256: String,
    /// The factor by which the weights of the input's positions were multiplied.
    pub weight: f64,
}

/// The files that training uses, by their checksums.
#[derive(Default)]
pub struct TrainedOn(Vec<(String, String)>);

impl TrainedOn {
    /// Adds a file. Ignores an unreadable one, since the error is reported when its data are read.
    pub fn add_file(&mut self, path: &Path) {
        if let Ok(sha256) = sha256_of_file(path, &Silent) {
            self.0.push((
                sha256,
                format!("{} has the same content and is training data", path.display()),
            ));
        }
    }

    /// Adds the inputs that the initial weights were fitted to.
    pub fn add_initial(&mut self, inputs: &[Input]) {
        let clause = "the initial weights were fitted to it";
        self.0.extend(inputs.iter().map(|input| (input.sha256.clone(), clause.to_owned())));
    }

    /// Returns the checksums of the training files.
    pub fn checksums(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(sha256, _)| sha256.as_str())
    }

    /// Refuses test files that have the same content as a training file.
    pub fn check<'a>(&self, tests: impl IntoIterator<Item = &'a Path>) -> Result<(), FileError> {
        for test in tests {
            let Ok(sha256) = sha256_of_file(test, &Silent) else { continue };
            if let Some((_, trained)) = self.0.iter().find(|(known, _)| *known == sha256) {
                let reason =
                    format!("cannot be the test: {trained}; name games that are not training data");
                return Err(FileError::refused(test, reason));
            }
        }
        Ok(())
    }
}
