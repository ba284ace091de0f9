//! Verifies the weights file and packs it for the binary: `engine/weights/default.weights`, or the
//! file that `OTHELLO_WEIGHTS` names (a relative path starts at the workspace); `none` means a
//! binary without weights. The code that reads the file is the same as at run time.

#[cfg(feature = "embedded")]
#[path = "build/embed.rs"]
mod embed;

fn main() {
    #[cfg(feature = "embedded")]
    embed::main();
}
