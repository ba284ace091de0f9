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
