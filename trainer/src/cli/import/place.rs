//! How far an import has come.

use serde::{Deserialize, Serialize};

use super::Summary;

/// A place between two entries of the inputs.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(super) struct Place {
    /// The number of entries before it, taken or rejected.
    pub(super) entries: u64,
    /// The bytes that these entries take.
    pub(super) bytes: u64,
    /// The number of records taken from them.
    pub(super) records: u64,
    /// The summary of these records.
    pub(super) summary: Summary,
    /// The checksum of the output's content up to there, which tells whether its frames are those
    /// of this place.
    pub(super) content: String,
}
