//! Verifies the weights file and packs it for the binary.
//!
//! The file is `engine/weights/default.weights`, or `OTHELLO_WEIGHTS` names it: a file (a relative
//! path starts at the workspace), or `none` for a binary without weights. `othello-core` reads it,
//! as it does at run time, so that both cannot disagree. Without the feature `embedded` this does
//! nothing, and `othello-core` is not built for it.

#[cfg(feature = "embedded")]
#[path = "build/embed.rs"]
mod embed;

fn main() {
    #[cfg(feature = "embedded")]
    embed::main();
}
