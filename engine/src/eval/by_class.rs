//! Weights with one value for each class of symmetric configurations, for commands that print them.

use crate::file::Provenance;

#[cfg(feature = "embedded")]
use super::embedded;
use super::{Weights, WeightsChoice, WeightsError, WeightsFile};

/// Weights with one value for each class, from a weights file or from the binary, and their origin.
pub struct ByClass {
    /// The weights, with one value for each class of symmetric configurations.
    pub weights: Weights,
    /// True if `weights` has the counts of each class in training; the embedded weights have none.
    pub counted: bool,
    /// The SHA-256 of the weights file, as `sha256sum` prints it.
    pub sha256: String,
    /// The settings and inputs that determined the weights.
    pub provenance: Provenance,
}

impl ByClass {
    /// Loads a weights file or the embedded weights. Rejects the handwritten evaluations.
    pub fn load(choice: &WeightsChoice) -> Result<Self, WeightsError> {
        match choice {
            WeightsChoice::File(path) => {
                let WeightsFile { weights, provenance, sha256 } = Weights::read(path)?;
                Ok(Self { weights, counted: true, sha256, provenance })
            }
            #[cfg(not(feature = "embedded"))]
            WeightsChoice::Embedded => Err(WeightsError::NotEmbedded),
            #[cfg(feature = "embedded")]
            WeightsChoice::Embedded => {
                let (weights, sha256) = (embedded::weights(), embedded::sha256().to_owned());
                let provenance = embedded::provenance();
                Ok(Self { weights, counted: false, sha256, provenance })
            }
            built_in => Err(WeightsError::NotByClass(built_in.to_string())),
        }
    }
}
