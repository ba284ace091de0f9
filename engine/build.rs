//! Packs the weights file that the program embeds: `engine/weights/default.weights`, unless the
//! environment variable `OTHELLO_WEIGHTS` is another path (from the workspace) or `none` (no
//! weights).

#[cfg(feature = "embedded")]
#[path = "build/embed.rs"]
mod embed;

fn main() {
    #[cfg(feature = "embedded")]
    embed::main();
}
