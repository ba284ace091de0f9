//! The inputs of a dataset.

use serde::{Deserialize, Serialize};

/// An input of a dataset, as provenance records it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// The checksum of the input's content.
    pub sha256: String,
    /// The factor on the weights of its positions.
    pub weight: f64,
}
