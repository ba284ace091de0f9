//! Verifies the weights file and packs it for the binary.
//!
//! The weights file is `engine/weights/default.weights`. `OTHELLO_WEIGHTS` may name another file (a
//! relative path starts at the workspace), or be `none` for a binary without weights.
//! `othello-core` reads the file both here and at run time, so that both readers agree. Without the
//! feature `embedded` this script does nothing and does not need `othello-core`.

#[cfg(feature = "embedded")]
#[path = "build/embed.rs"]
mod embed;

fn main() {
    #[cfg(feature = "embedded")]
    embed::main();
}
