//! One function for each parser: it takes any bytes, and panics where the parser breaks its word.

mod files;
mod texts;

/// A check of one parser on any bytes.
pub type Target = fn(&[u8]);

pub use files::{container, games, positions, weights};
pub use texts::{arguments, boards, pattern_set, transcript};

/// All of them, by the names of their corpora.
pub const TARGETS: [(&str, Target); 8] = [
    ("arguments", arguments),
    ("boards", boards),
    ("container", container),
    ("games", games),
    ("pattern_set", pattern_set),
    ("positions", positions),
    ("transcript", transcript),
    ("weights", weights),
];

/// A message is short, and has no character that changes a terminal.
pub fn check_message(message: &str) {
    assert!(message.len() <= 2000, "{} bytes: {message:.200}…", message.len());
    assert!(!message.contains(|c: char| c.is_control() && c != '\n'), "{message:?}");
}
