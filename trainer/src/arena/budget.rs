//! What the search of a move may take.

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
}

impl Budget {
    /// The limits of a search that begins now.
    pub(super) fn limits(self) -> Limits {
        let time = self.milliseconds.map(Duration::from_millis);
        Limits { nodes: self.nodes, deadline: time.map(|time| Instant::now() + time), stop: None }
    }
}

/// What follows the depth in a report: nothing where the depth alone ends searches.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = self.nodes.map(|nodes| format!(", {nodes} nodes"));
        let time = self.milliseconds.map(|milliseconds| format!(", {milliseconds} ms"));
        write!(f, "{}{}", nodes.unwrap_or_default(), time.unwrap_or_default())
    }
}
