//! What positions come from: game records, scored positions and openings of our own, and the
//! files of others.

pub mod boards;
mod checksum;
pub mod egaroucid;
mod error;
pub mod ggf;
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

/// A position with its label. One whose player must pass becomes the one after the pass, with the
/// label of the other side.
fn labelled(position: Position, label: Label) -> Result<ScoredPosition, String> {
    if position.moves() != 0 {
        Ok(ScoredPosition::new(position, label, Weight::ONE))
    } else if position.pass().moves() != 0 {
        Ok(ScoredPosition::new(position.pass(), label.negated(), Weight::ONE))
    } else {
        Err("the game is over there, so there is nothing to learn".to_owned())
    }
}
