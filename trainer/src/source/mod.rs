//! What positions come from: game records, scored positions and openings of our own, and the
//! files of others.

pub mod boards;
mod error;
mod labels;
mod lines;
pub mod records;
pub mod transcripts;
pub mod wthor;

pub use error::{Rejection, SourceError};
pub use labels::{LabelRule, LabelRules, LabelRulesError, Plies, Use};

/// The records of somebody's file, one after the other. A record that cannot be taken does not
/// spoil the others; an error ends the file.
pub trait Entries<T>: Iterator<Item = Result<Result<T, Rejection>, SourceError>> {
    /// How many bytes of the file have been read, to tell how far it is.
    fn bytes_read(&self) -> u64;

    /// Passes by the next record, without a look at what it holds where that can be.
    fn skip_entry(&mut self) -> Option<Result<(), SourceError>> {
        Some(self.next()?.map(drop))
    }
}
