//! One function for each parser. It takes any bytes, and panics if the parser breaks its contract.

mod checkpoint;
mod files;
mod folders;
pub mod resumed_fit;
mod texts;

pub use checkpoint::{checkpoint, unfinished_phase};
pub use files::{egaroucid, ggf, tables, texts, wthor};
pub use folders::{manifests, part_of_fit};
pub use texts::{fit_arguments, labels, settings};

use othello_testing::corpus::Target;

/// All targets, by the names of their corpora.
pub const TARGETS: [(&str, Target); 12] = [
    ("egaroucid", egaroucid),
    ("fit_arguments", fit_arguments),
    ("ggf", ggf),
    ("checkpoint", checkpoint),
    ("labels", labels),
    ("manifests", manifests),
    ("part_of_fit", part_of_fit),
    ("settings", settings),
    ("tables", tables),
    ("texts", texts),
    ("unfinished_phase", unfinished_phase),
    ("wthor", wthor),
];
