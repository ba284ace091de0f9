//! The sources of positions: our own files of game records, scored positions and openings, and
//! files of other programs.

pub mod boards;
mod checksum;
pub mod egaroucid;
mod error;
pub mod ggf;
pub mod import;
mod labels;
mod lines;
pub mod records;
pub mod transcripts;
pub mod wthor;

use othello_engine::board::Position;
use othello_engine::record::{Label, ScoredPosition, Weight};

pub use checksum::checksum;
pub use error::{Rejection, SourceError};
pub use labels::{LabelRule, LabelRules, LabelRulesError, Labelled, Lambda, Origin, Plies, Use};

/// The records of a foreign file, one after the other. A refused record does not spoil the others;
/// an error ends the file.
pub trait Entries<T>: Iterator<Item = Result<Result<T, Rejection>, SourceError>> {
    /// Returns the number of bytes read, to show progress.
    fn bytes_read(&self) -> u64;
}

/// Creates a position with its label. A position whose player must pass becomes the one after the
/// pass, with the label of the other side.
fn labelled(position: Position, label: Label) -> Result<ScoredPosition, String> {
    if position.moves() != 0 {
        Ok(ScoredPosition::new(position, label, Weight::ONE))
    } else if position.pass().moves() != 0 {
        Ok(ScoredPosition::new(position.pass(), label.negated(), Weight::ONE))
    } else {
        Err("the game is over there, so there is nothing to learn".to_owned())
    }
}
