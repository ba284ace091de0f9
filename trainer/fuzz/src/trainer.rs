//! The checks of the trainer's parsers.

mod checkpoint;
mod files;
mod folders;
pub mod resumed_fit;
mod texts;

pub use checkpoint::{checkpoint, unfinished_phase};
pub use files::{egaroucid, ggf, tables, texts, wthor};
pub use folders::{manifests, part_of_fit};
pub use texts::{fit_arguments, labels, settings};
