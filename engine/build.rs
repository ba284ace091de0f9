//! Verifies `engine/weights/default.weights`, or the weights file that `OTHELLO_WEIGHTS` names
//! (relative to the workspace; `none` for no weights), and packs it for the binary.

#[cfg(feature = "embedded")]
#[path = "build/embed.rs"]
mod embed;

fn main() {
    #[cfg(feature = "embedded")]
    embed::main();
}
