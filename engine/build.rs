//! Verifies the weights file and expands it into tables inside the binary.
//!
//! The file is `engine/weights/default.weights`, or `OTHELLO_WEIGHTS` names it: a file (a relative
//! path starts at the workspace), or `none` for a binary without weights. The library's own modules
//! read it, so that build time and run time cannot disagree. Without the feature `embedded` this
//! does nothing, and none of its dependencies is built.

#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "only a part of the shared modules is used"
)]

#[cfg(feature = "embedded")]
#[path = "src/board/mod.rs"]
mod board;
#[cfg(feature = "embedded")]
#[path = "build/embed.rs"]
mod embed;
#[cfg(feature = "embedded")]
#[path = "src/file/mod.rs"]
mod file;
#[cfg(feature = "embedded")]
#[path = "src/pattern/mod.rs"]
mod pattern;
#[cfg(feature = "embedded")]
#[path = "src/text/mod.rs"]
mod text;
#[cfg(feature = "embedded")]
#[path = "src/eval"]
mod eval {
    mod ends;
    mod factors;
    pub(crate) mod layout;
    mod models;
    mod move_ordering_weights;
    mod probcut;
    mod realization;
    mod sections;
    mod value;
    mod weights;

    pub use models::Models;
    pub use move_ordering_weights::MoveOrderingWeights;
    pub use probcut::Prediction;
    pub use sections::{PhaseRow, PhaseSection};
    pub use value::{MAX_STEPS, STEPS_PER_DISC};
    pub use weights::{Weights, WeightsError, WeightsFile};
}

fn main() {
    #[cfg(feature = "embedded")]
    embed::main();
}
