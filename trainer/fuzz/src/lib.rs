//! The checks of the fuzz targets as ordinary functions of bytes: one for each parser, which panics
//! if the parser breaks its promises. `tests/corpus.rs` runs the same functions over the corpora,
//! with the stable compiler.

pub mod engine;
pub mod trainer;

use othello_testing::corpus::Target;

/// All targets, by the names of their corpora.
pub const TARGETS: [(&str, Target); 21] = [
    ("arguments", engine::arguments),
    ("boards", engine::boards),
    ("checkpoint", trainer::checkpoint),
    ("container", engine::container),
    ("egaroucid", trainer::egaroucid),
    ("fit_arguments", trainer::fit_arguments),
    ("games", engine::games),
    ("ggf", trainer::ggf),
    ("labels", trainer::labels),
    ("manifests", trainer::manifests),
    ("part_of_fit", trainer::part_of_fit),
    ("pattern_set", engine::pattern_set),
    ("positions", engine::positions),
    ("protocols", engine::protocols),
    ("settings", trainer::settings),
    ("tables", trainer::tables),
    ("texts", trainer::texts),
    ("transcript", engine::transcript),
    ("unfinished_phase", trainer::unfinished_phase),
    ("weights", engine::weights),
    ("wthor", trainer::wthor),
];
