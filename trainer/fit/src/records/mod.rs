//! Work on files of records: reports on them, and files made from them.

pub mod inspect;
pub mod leaves;
pub mod merge;
pub mod parts;
pub mod relabel;
mod repeated;
pub mod select;
pub mod sequence;
pub mod shuffle;
pub mod validate;

use othello_engine::record::RecordError;

use crate::memory::NoRoom;

/// Errors of work on records that do not all fit into memory.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum RecordsError {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Temporary(#[from] NoRoom),
}

#[cfg(test)]
pub(crate) mod testing;
