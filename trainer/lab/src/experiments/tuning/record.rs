//! The record of a search for values: a line of JSON for each trial of each round.

use std::path::PathBuf;

use othello_engine::file::{Existing, FileError, Provenance, plain, read_ordinary};
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::experiments::{Standing, StudySettings};
use othello_fit::dataset::Share;

/// The result of a combination of values in a round.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Record {
    /// The number of the round, counted from 1.
    pub round: u32,
    /// The share of the games used for training.
    pub share: Share,
    /// The short name of the combination; its weights are in `TRIAL-SHARE-SEED.weights`.
    pub trial: String,
    /// The values.
    pub values: Json,
    /// The values in words.
    #[serde(skip)]
    pub name: String,
    /// The mean absolute error in discs of each seed that is fitted.
    pub by_seed: Vec<f64>,
    /// The mean over the seeds; null if a fit diverged.
    pub mae: Option<f64>,
    /// The error of this trial minus that of the best trial of the round.
    pub difference: Option<f64>,
    /// Half the width of the interval of this difference.
    pub difference_error: Option<f64>,
    /// The outcome.
    pub outcome: Standing,
}

/// The file `trials.jsonl` in the folder of a study. Its first line is an object with the
/// provenance that all trials share. Then come lines from earlier searches of other values. The
/// file of a finished search has the same bytes after any number of kills.
pub(super) struct RecordFile {
    path: PathBuf,
    head: String,
    /// The lines of earlier searches.
    earlier: Vec<String>,
}

/// The greatest size of a record in bytes: enough for a hundred thousand trials.
const LONGEST: u64 = 64 << 20;

/// Returns the key of a line's trial: its round, the share of the games, and its name.
fn key(line: &Json) -> [Option<&Json>; 3] {
    ["round", "share", "trial"].map(|field| line.get(field))
}

impl RecordFile {
    /// Begins the record. Refuses one of another recipe or other test games unless it may be
    /// replaced.
    pub(super) fn open(provenance: &Provenance, study: &StudySettings) -> Result<Self, FileError> {
        let path = study.out.join("trials.jsonl");
        let head = format!("{{\"provenance\":{}}}\n", provenance.canonical());
        let mut earlier = vec![];
        if study.existing() == Existing::Keep {
            plain::check_head(&path, head.as_bytes())?;
            if path.exists() {
                let text = read_ordinary(&path, LONGEST)?;
                let lines = String::from_utf8_lossy(&text);
                earlier.extend(lines.lines().skip(1).map(str::to_owned));
            }
        }
        Ok(Self { path, head, earlier })
    }

    /// Writes the records of the finished rounds.
    pub(super) fn write(&self, records: &[Record]) -> Result<(), FileError> {
        let own: Vec<Json> = records.iter().map(|record| json!(record)).collect();
        let is_own = |line: &&String| {
            let parsed = serde_json::from_str::<Json>(line);
            parsed.is_ok_and(|parsed| own.iter().any(|own| key(own) == key(&parsed)))
        };
        let of_others = self.earlier.iter().filter(|line| !is_own(line)).cloned();
        let lines = of_others.chain(own.iter().map(Json::to_string));
        let text = lines.fold(self.head.clone(), |text, line| text + &line + "\n");
        plain::replace(&self.path, text.as_bytes())
    }
}
