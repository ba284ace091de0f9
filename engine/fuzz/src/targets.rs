//! The targets, one function for each parser: it takes any bytes, and panics if the parser breaks
//! its promises.

mod files;
mod protocols;
mod texts;

use othello_testing::corpus::Target;

pub use files::{container, games, positions, weights};
pub use protocols::protocols;
pub use texts::{arguments, boards, pattern_set, transcript};

/// All targets, by the names of their corpora.
pub const TARGETS: [(&str, Target); 9] = [
    ("arguments", arguments),
    ("boards", boards),
    ("container", container),
    ("games", games),
    ("pattern_set", pattern_set),
    ("positions", positions),
    ("protocols", protocols),
    ("transcript", transcript),
    ("weights", weights),
];
