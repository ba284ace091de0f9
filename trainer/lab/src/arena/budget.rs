//! Limits on the nodes and the time of a player's searches.

use std::fmt;
use std::time::{Duration, Instant};

use othello_engine::player::SearchSpec;
use othello_engine::search::Limits;
use serde::{Deserialize, Serialize};

/// The limits of a player's searches before exact play, in addition to their depth. If a search to
/// the full depth exceeds them, its deepest complete iteration is used; the first iteration always
/// completes.
#[derive(
    Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, schemars::JsonSchema, Deserialize,
)]
pub struct Budget {
    /// The limit on the nodes of a search; null if there is none.
    pub nodes: Option<u64>,
    /// The time per move; null for no limit. With it, games depend on the machine and its load.
    pub milliseconds: Option<u64>,
    /// The time for all moves of a game in seconds, exact play included; null for no limit. With
    /// it, games also depend on the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_a_game: Option<u64>,
}

impl Budget {
    /// Returns the limits on nodes and on time per move in a player's search settings.
    pub fn of(search: &SearchSpec) -> Self {
        let &SearchSpec { nodes, milliseconds, .. } = search;
        Self { nodes, milliseconds, seconds_a_game: None }
    }

    pub(super) fn game_time(self) -> Option<Duration> {
        self.seconds_a_game.map(Duration::from_secs)
    }

    /// Returns limits for a search now; `by_clock` is the game clock's time for this move, if any.
    pub(super) fn limits(self, by_clock: Option<Duration>) -> Limits {
        let time = self.milliseconds.map(Duration::from_millis).into_iter().chain(by_clock).min();
        let deadline = time.map(|time| Instant::now() + time);
        Limits { nodes: self.nodes, deadline, ..Limits::default() }
    }
}

/// Formats the limits as text after a search depth, such as `, 1000 nodes`; empty without limits.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = self.nodes.map(|nodes| format!(", {nodes} nodes"));
        let time = self.milliseconds.map(|milliseconds| format!(", {milliseconds} ms"));
        let game = self.seconds_a_game.map(|seconds| format!(", {seconds} s a game"));
        [nodes, time, game].into_iter().flatten().try_for_each(|part| f.write_str(&part))
    }
}
