//! The checks of the trainer's parsers.

mod checkpoint;
mod files;
mod folders;
pub mod resumed_fit;
mod texts;

pub use checkpoint::{part_of_fit, unfinished_phase};
pub use files::{egaroucid, ggf, tables, texts, wthor};
pub use folders::manifests;
pub use texts::{fit_arguments, labels, settings};
