//! Packs the weights for the binary: `engine/weights/default.weights`, or the weights file that the
//! variable `OTHELLO_WEIGHTS` names (relative to the workspace; `none` for no weights).

#[cfg(feature = "embedded")]
#[path = "build/embed.rs"]
mod embed;

fn main() {
    #[cfg(feature = "embedded")]
    embed::main();
}
