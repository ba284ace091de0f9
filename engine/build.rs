//! Verifies the weights file and packs it for the binary: `engine/weights/default.weights`, or the
//! file that `OTHELLO_WEIGHTS` names (a relative path starts at the workspace); `none` means a
//! binary without weights. `othello-core` reads the file here and at run time, so that both agree.

#[cfg(feature = "embedded")]
#[path = "build/embed.rs"]
mod embed;

fn main() {
    #[cfg(feature = "embedded")]
    embed::main();
}
