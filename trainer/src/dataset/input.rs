//! What a dataset was made from.

use serde::{Deserialize, Serialize};

/// Something that was read into a dataset, as provenance has it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// The checksum of its content.
    pub sha256: String,
    /// The factor on its positions' weights.
    pub weight: f64,
}
