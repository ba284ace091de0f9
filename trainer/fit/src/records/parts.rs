//! Runs that make records from records, such as `relabel`: they read the inputs of parts in order,
//! and pack the results.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use othello_engine::file::{Section, Summary};
use othello_engine::progress::Progress;
use othello_engine::record::{Record, RecordError, RecordReader, RecordWriter};
use othello_engine::run::Run;

use super::sequence::{Inputs, Records};

/// The input records of a run's parts, read once from front to back.
pub(super) struct InOrder<R: Record> {
    /// The number of the next record, and the records that follow.
    records: Mutex<(u64, Records<R>)>,
    first_path: PathBuf,
}

impl<R: Record> InOrder<R> {
    pub(super) fn new(inputs: &Inputs<R>) -> Self {
        Self { records: Mutex::new((0, inputs.all())), first_path: inputs.first_path() }
    }

    /// Returns the records with these numbers, which must be higher than in earlier calls.
    pub(super) fn take(&self, numbers: Range<u64>) -> Result<Vec<R>, RecordError> {
        let (next, records) = &mut *self.records.lock().unwrap_or_else(PoisonError::into_inner);
        records.pass_by(numbers.start - *next)?;
        *next = numbers.end;
        let count = (numbers.end - numbers.start) as usize;
        let taken = records.by_ref().take(count).collect::<Result<Vec<R>, _>>()?;
        if taken.len() == count {
            return Ok(taken);
        }
        let reason = "the files have fewer records than before; run the same command again";
        Err(RecordError::Folder { path: self.first_path.clone(), reason: reason.to_owned() })
    }
}

/// Returns the number of records in a part; `None` if it does not hold records.
pub(super) fn records_in<R: Record>(part: &[Section]) -> Option<u64> {
    let records = |section: &Section| R::decode_frame(&section.content).ok();
    part.iter().map(|section| Some(records(section)?.len() as u64)).sum()
}

/// The records of a finished run, or of a shard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// The number of records.
    pub records: u64,
    /// The summary of the file; `None` for a shard.
    pub summary: Option<Summary>,
}

/// Joins the records of all parts in order.
pub fn pack<R: Record>(run: &Run, progress: &dyn Progress) -> Result<Made, RecordError> {
    progress.begin_stoppable("pack (parts)", 0, run.stages()[0].parts());
    let mut writer = RecordWriter::<R>::over(run.writer()?);
    let mut records = 0;
    for part in run.parts(0) {
        progress.check()?;
        for record in RecordReader::<R>::over(part?) {
            writer.push(record?)?;
            records += 1;
        }
        progress.advance(1);
    }
    Ok(Made { records, summary: Some(writer.finish()?) })
}
