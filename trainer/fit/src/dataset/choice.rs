//! The data arguments of the command line: record files, each with a weight.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use othello_engine::file::FileError;
use othello_engine::record::{RecordError, RecordFolder, Weight};
use othello_engine::text::{Invalid, excerpt};

use super::DatasetFolder;

/// A file or folder of records and the weight of its positions, written `PATH` or `PATH*WEIGHT`.
#[derive(Clone, PartialEq, Debug)]
pub struct DataChoice {
    /// The path of a record file, of a folder of record files, or of a dataset folder.
    pub path: PathBuf,
    /// The factor of the weights of all positions in `path`, above 0 and at most 1,000.
    pub weight: f64,
}

impl DataChoice {
    /// Returns the data with each folder of records replaced by its files; keeps dataset folders.
    pub fn files(named: &[Self]) -> Result<Vec<Self>, RecordError> {
        let mut files = vec![];
        for choice in named {
            let path = &choice.path;
            if path.is_dir() && !DatasetFolder::is_at(path) {
                let paths = RecordFolder::open(path).map_err(|error| neither(path, error))?.paths();
                files.extend(paths.into_iter().map(|path| Self { path, weight: choice.weight }));
            } else {
                files.push(choice.clone());
            }
        }
        Ok(files)
    }
}

fn neither(path: &Path, error: RecordError) -> RecordError {
    match error {
        RecordError::File(FileError::Refused { path: of, reason }) if of == path => {
            let again = "if a `dataset` command was interrupted, run it again";
            FileError::refused(path, format!("{reason}; {again}")).into()
        }
        error => error,
    }
}

impl FromStr for DataChoice {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let number = |tail: &str| tail.parse::<f64>().ok();
        let split = text.rsplit_once('*').and_then(|(path, tail)| Some((path, number(tail)?)));
        let (path, weight) = split.unwrap_or((text, 1.0));
        if weight > 0.0 && weight <= 1000.0 {
            let wrong = |reason| Invalid(format!("`{}`: the weight {reason}", excerpt(text)));
            Weight::check(weight).map_err(wrong)?;
            return Ok(Self { path: path.into(), weight });
        }
        let text = excerpt(text);
        let reason = format!("`{text}`: the weight after `*` must be above 0 and at most 1000");
        Err(Invalid(reason))
    }
}

impl fmt::Display for DataChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string();
        // A weight of 1 is omitted, unless the end of the path could be read as a weight.
        if self.weight == 1.0 && path.parse() == Ok(Self { path: self.path.clone(), weight: 1.0 }) {
            return f.write_str(&path);
        }
        write!(f, "{path}*{}", self.weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_follows_a_star() {
        let choice = |text: &str| text.parse::<DataChoice>().map(|c| (c.path, c.weight));
        assert_eq!(choice("a.games"), Ok(("a.games".into(), 1.0)));
        assert_eq!(choice("a*b.games*0.5"), Ok(("a*b.games".into(), 0.5)));
        assert_eq!(choice("a*b.games"), Ok(("a*b.games".into(), 1.0)));
        assert!(["a*0", "a*-1", "a*NaN", "a*1e9"].iter().all(|text| choice(text).is_err()));
        // A regression: these weights, which are no multiples of 1/64, were replaced by 1/64.
        for lost in ["a*0.001", "a*0.02", "a*1e-300", "a*0.1"] {
            let refused = choice(lost).unwrap_err().to_string();
            assert!(refused.contains(&format!("`{lost}`: the weight ")), "{refused}");
            assert!(refused.contains("is not close to a multiple of 1/64"), "{refused}");
        }
        for text in ["a.games", "a.games*0.5", "a*0.5*1"] {
            assert_eq!(text.parse::<DataChoice>().unwrap().to_string(), text);
        }
    }
}
