//! The progress of an import.

use serde::{Deserialize, Serialize};

use super::Summary;

/// A place between two entries of the inputs.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(super) struct Place {
    /// The number of entries before it, accepted or refused.
    pub(super) entries: u64,
    /// The size of these entries in bytes.
    pub(super) bytes: u64,
    /// The number of records accepted from them.
    pub(super) records: u64,
    /// The summary of these records.
    pub(super) summary: Summary,
    /// The checksum of the output's content up to the place. It tells whether the output's frames
    /// belong to this place.
    pub(super) content: String,
}
