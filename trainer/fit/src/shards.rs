//! The files of a run's shards, with a check that they are complete and belong together.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use othello_engine::file::{FileError, Kind, Provenance, Reader, kind_of};
use othello_engine::record::{RecordError, Shard};
use serde_json::Value;

/// Errors of files that are not all shards of one run.
#[derive(Debug, thiserror::Error)]
pub enum ShardsError {
    /// A file is not a shard.
    #[error("{}: is not a shard: {reason}; name the files that `--shard I/N` made", path.display())]
    NoShard {
        /// The file.
        path: PathBuf,
        /// The evidence.
        reason: String,
    },
    /// A shard belongs to another run than most of the others.
    #[error("{}: is a shard of another run than {} ({differences}); leave it out, or make it again \
        with the settings of the others", path.display(), other.display())]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// A file of the run that most files belong to.
        other: PathBuf,
        /// The settings that differ.
        differences: String,
    },
    /// Two files hold the same shard.
    #[error("{} and {} are both shard {shard}; leave one of them out", first.display(), second.display())]
    Double {
        /// The file named first.
        first: PathBuf,
        /// The file named second.
        second: PathBuf,
        /// The shard.
        shard: String,
    },
    /// Shards are missing among the files.
    #[error("shard{} {shards} of {count} {} missing; make {} with `--shard I/{count}` and the \
        settings of {}", if *one { "" } else { "s" }, if *one { "is" } else { "are" },
        if *one { "it" } else { "them" }, other.display())]
    Missing {
        /// The missing shards, such as `3, 7-9`.
        shards: String,
        /// True if exactly one is missing.
        one: bool,
        /// The number of shards of the run.
        count: u64,
        /// One of the files that are present.
        other: PathBuf,
    },
    /// A file that cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// All shards of a run, in order.
pub struct Shards {
    kind: Kind,
    whole: Provenance,
    files: Vec<(Shard, PathBuf)>,
}

/// A file, and its run and shard by its provenance.
struct Part {
    path: PathBuf,
    shard: Shard,
    kind: Kind,
    /// The provenance of the file of an undivided run.
    whole: Provenance,
}

impl Shards {
    /// Reads the headers of shards and checks that they are all those of one run.
    ///
    /// Of a file that names no shard, the error tells whether one of `commands`, whose shards are
    /// wanted, made it.
    pub fn open(paths: &[PathBuf], commands: &[&str]) -> Result<Self, ShardsError> {
        let parts = paths.iter().map(|path| Part::open(path, commands));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let first = most_common(&parts)
            .ok_or_else(|| no_shard(Path::new(""), "no file is named".to_owned()))?;
        let mut files: BTreeMap<u64, (Shard, PathBuf)> = BTreeMap::new();
        for part in &parts {
            first.check_same_run(part)?;
            let named = (part.shard, part.path.clone());
            if let Some((_, other)) = files.insert(part.shard.number(), named) {
                let (second, shard) = (part.path.clone(), part.shard.to_string());
                return Err(ShardsError::Double { first: other, second, shard });
            }
        }
        let count = first.shard.count();
        if files.len() as u64 != count {
            let missing = missing(files.keys().copied(), count);
            let one = files.len() as u64 + 1 == count;
            let other = first.path.clone();
            return Err(ShardsError::Missing { shards: listed(&missing), one, count, other });
        }
        let (kind, whole) = (first.kind, first.whole.clone());
        Ok(Self { kind, whole, files: files.into_values().collect() })
    }

    /// Returns the kind of the files.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the provenance of the file of an undivided run.
    pub fn whole(&self) -> &Provenance {
        &self.whole
    }

    /// Returns a number of the provenance, such as that of the games of the run.
    pub fn number(&self, key: &str) -> Result<u64, ShardsError> {
        let number = self.whole.get(key).and_then(Value::as_u64);
        number.ok_or_else(|| self.no_shards(format!("its provenance has no {key}")))
    }

    /// Returns the error for shards of something else than expected.
    pub fn no_shards(&self, reason: String) -> ShardsError {
        no_shard(self.files.first().map_or(Path::new(""), |(_, path)| path), reason)
    }

    /// Returns the files in the order of their shards.
    pub fn files(&self) -> &[(Shard, PathBuf)] {
        &self.files
    }
}

impl Part {
    fn open(path: &Path, commands: &[&str]) -> Result<Self, ShardsError> {
        let open = || Reader::open(path, kind_of(path)?);
        let reader = open().map_err(|error| unfinished(path, error))?;
        let provenance = reader.provenance();
        let text = |key| provenance.get(key).and_then(Value::as_str);
        let command = text("command").unwrap_or_default();
        if text("shard").is_none() && !commands.contains(&command) {
            return Err(no_shard(path, format!("`{command}` makes none")));
        }
        let shard = text("shard").and_then(|shard| shard.parse().ok());
        let shard: Shard =
            shard.ok_or_else(|| no_shard(path, "its provenance says not which".to_owned()))?;
        // Undivided runs of some commands name no shard.
        let whole = match reader.kind() {
            Kind::Openings | Kind::Checkpoint => provenance.clone().without("shard"),
            _ => provenance.clone().with("shard", Shard::WHOLE.to_string()),
        };
        Ok(Self { path: path.to_owned(), shard, kind: reader.kind(), whole })
    }

    fn check_same_run(&self, other: &Self) -> Result<(), ShardsError> {
        let (there, wanted) = (&other.whole, &self.whole);
        if there == wanted && self.shard.count() == other.shard.count() {
            return Ok(());
        }
        let mut differences = Provenance::differences(there, wanted);
        if differences.is_empty() {
            differences =
                format!("of {} shards there, {} wanted", other.shard.count(), self.shard.count());
        }
        let (path, other) = (other.path.clone(), self.path.clone());
        Err(ShardsError::Mismatch { path, other, differences })
    }
}

/// Returns a part of the run that most files belong to; of several such runs, the one named first.
fn most_common(parts: &[Part]) -> Option<&Part> {
    let run = |part: &Part| (part.whole.canonical(), part.shard.count());
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    parts.iter().for_each(|part| *counts.entry(run(part)).or_default() += 1);
    parts.iter().rev().max_by_key(|part| counts[&run(part)])
}

/// Returns the error for a file that is no shard.
pub fn no_shard(path: &Path, reason: String) -> ShardsError {
    ShardsError::NoShard { path: path.to_owned(), reason }
}

/// Suggests another remedy than for a wrong path where a partial file of the shard exists.
fn unfinished(path: &Path, error: FileError) -> ShardsError {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let missing = matches!(&error, FileError::Io { .. }) && !path.exists();
    if missing && Path::new(&partial).exists() {
        return no_shard(path, "it is not finished; run its command again".to_owned());
    }
    RecordError::from(error).into()
}

/// Returns the numbers from 1 to `count` that are not in `there`, which ascends.
fn missing(there: impl Iterator<Item = u64>, count: u64) -> Vec<RangeInclusive<u64>> {
    let (mut missing, mut next) = (vec![], 1);
    for number in there.chain([count.saturating_add(1)]) {
        if next < number {
            missing.push(next..=number - 1);
        }
        next = number.saturating_add(1);
    }
    missing
}

/// Formats the first ten ranges as `3, 7-9`.
fn listed(ranges: &[RangeInclusive<u64>]) -> String {
    let range = |range: &RangeInclusive<u64>| match range.start() == range.end() {
        true => range.start().to_string(),
        false => format!("{}-{}", range.start(), range.end()),
    };
    let more = if ranges.len() > 10 { ", …" } else { "" };
    ranges.iter().take(10).map(range).collect::<Vec<_>>().join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_numbers_are_listed_as_ranges() {
        assert_eq!(listed(&missing([1, 2, 4, 8].into_iter(), 9)), "3, 5-7, 9");
        assert_eq!(listed(&missing([].into_iter(), 3)), "1-3");
        assert!(missing([1, 2].into_iter(), 2).is_empty());
        let odd = (1..60).step_by(2);
        assert!(listed(&missing(odd, 60)).ends_with("18, 20, …"));
    }
}
