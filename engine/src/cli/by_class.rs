//! The weights by class, for subcommands that look into them.

use anyhow::{Context as _, bail};
use serde_json::{Map, Value as Json};

use crate::eval::{Weights, WeightsChoice, WeightsFile, embedded};

/// The weights that an argument names, by class, and their origin.
pub struct ByClass {
    /// The weights.
    pub weights: Weights,
    /// True if the weights have the counts of a file; the embedded ones have none.
    pub counted: bool,
    /// The checksum of the weights file's content.
    pub sha256: String,
    /// The settings and inputs that decided the weights.
    pub provenance: Map<String, Json>,
}

impl ByClass {
    /// Reads a weights file, or takes the embedded weights. The evaluations by hand are refused,
    /// because they have no weights by class.
    pub fn load(choice: &WeightsChoice) -> anyhow::Result<Self> {
        match choice {
            WeightsChoice::File(path) => {
                let WeightsFile { weights, provenance, sha256 } = Weights::read(path)?;
                let provenance = provenance.as_map().clone();
                Ok(Self { weights, counted: true, sha256, provenance })
            }
            WeightsChoice::Embedded => {
                let identity = embedded::identity();
                let provenance = serde_json::from_str(identity.provenance);
                let provenance = provenance.context("the embedded provenance")?;
                let (weights, sha256) = (embedded::weights(), identity.sha256.to_owned());
                Ok(Self { weights, counted: false, sha256, provenance })
            }
            built_in => bail!(
                "`{built_in}` is no weights file, and has no weights by class; name a file, or `embedded`"
            ),
        }
    }
}
