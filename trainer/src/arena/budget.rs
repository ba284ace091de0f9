//! What searches may take.

use std::fmt;
use std::time::{Duration, Instant};

use othello_engine::search::Limits;
use serde::{Deserialize, Serialize};

/// The most that the search of a move before exact play may take, besides its depth. Where a search to
/// the full depth would take more, the deepest one that was done decides; the shallowest always is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Budget {
    /// The number of nodes.
    pub nodes: Option<u64>,
    /// The time. With it, games depend on the machine and on what else it does.
    pub milliseconds: Option<u64>,
    /// The time of all moves of a game together, perfect play included, in seconds. With it, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_a_game: Option<u64>,
}

impl Budget {
    /// The time for a game.
    pub(super) fn game_time(self) -> Option<Duration> {
        self.seconds_a_game.map(Duration::from_secs)
    }

    /// The limits of a search that begins now, for which a clock may give so much time.
    pub(super) fn limits(self, by_clock: Option<Duration>) -> Limits {
        let time = self.milliseconds.map(Duration::from_millis).into_iter().chain(by_clock).min();
        Limits { nodes: self.nodes, deadline: time.map(|time| Instant::now() + time), stop: None }
    }
}

/// What follows the depth in a report: nothing where the depth alone ends searches.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = self.nodes.map(|nodes| format!(", {nodes} nodes"));
        let time = self.milliseconds.map(|milliseconds| format!(", {milliseconds} ms"));
        let game = self.seconds_a_game.map(|seconds| format!(", {seconds} s a game"));
        [nodes, time, game].into_iter().flatten().try_for_each(|part| f.write_str(&part))
    }
}
