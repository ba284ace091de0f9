//! The plies to which a label rule applies.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use othello_engine::record::Game;
use othello_engine::text::{excerpt, parse_range};

/// The plies of a game to which a label rule applies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plies {
    /// The same plies in every game: `34..38`, `34`, or `all`. A range includes its end.
    Between(RangeInclusive<u8>),
    /// The plies around the solved position (the first with a known exact score), which may differ
    /// from game to game: `solved-2..solved+2`, or `solved`.
    AboutSolved {
        /// The number of plies before the solved position to which the rule applies.
        before: u8,
        /// The number of plies after the solved position to which the rule applies.
        after: u8,
    },
}

impl Plies {
    pub(super) fn has(&self, ply: u8, game: &Game) -> bool {
        match self {
            Self::Between(plies) => plies.contains(&ply),
            Self::AboutSolved { before, after } => game.solved().is_some_and(|solved| {
                let solved = solved.ply;
                (solved.saturating_sub(*before)..=solved.saturating_add(*after)).contains(&ply)
            }),
        }
    }

    /// Returns true if these plies include those of `other` in every game.
    pub(super) fn contain(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Between(own), Self::Between(other)) => {
                own.contains(other.start()) && own.contains(other.end())
            }
            (Self::Between(own), Self::AboutSolved { .. }) => *own == (0..=60),
            (Self::AboutSolved { before, after }, Self::AboutSolved { before: b, after: a }) => {
                before >= b && after >= a
            }
            (Self::AboutSolved { .. }, Self::Between(_)) => false,
        }
    }
}

impl FromStr for Plies {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            let found = excerpt(text);
            format!("`{found}` is not a range of plies, as all, 34..38, solved-2..solved+2")
        };
        if text == "all" {
            return Ok(Self::Between(0..=60));
        }
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let last = last.strip_prefix('=').unwrap_or(last);
        if let (Some(before), Some(after)) = (offset(first, '-'), offset(last, '+')) {
            return Ok(Self::AboutSolved { before, after });
        }
        parse_range(text, &(0..=60)).map(Self::Between).ok_or_else(wrong)
    }
}

/// Returns the number after `sign` in texts like `solved-2`, 0 for `solved`, else `None`.
fn offset(text: &str, sign: char) -> Option<u8> {
    match text.trim().strip_prefix("solved")? {
        "" => Some(0),
        offset => offset.strip_prefix(sign)?.parse().ok().filter(|&offset| offset <= 60),
    }
}

impl fmt::Display for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Between(plies) if *plies == (0..=60) => f.write_str("all"),
            Self::Between(plies) => write!(f, "{}..{}", plies.start(), plies.end()),
            Self::AboutSolved { before, after } => write!(f, "solved-{before}..solved+{after}"),
        }
    }
}
