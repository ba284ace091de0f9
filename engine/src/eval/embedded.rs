//! The weights inside the binary, if the binary was built with the feature `embedded`.

#[cfg(feature = "embedded")]
pub use carried::*;

/// Returns the SHA-256 of the embedded weights file in hexadecimal, or `none` without such a file.
pub fn sha256() -> &'static str {
    option_env!("OTHELLO_EMBEDDED_SHA256").unwrap_or("none")
}

/// Returns a provenance with the command `none`: this build has no embedded weights.
#[cfg(not(feature = "embedded"))]
pub fn provenance() -> crate::file::Provenance {
    crate::file::Provenance::new("none")
}

#[cfg(feature = "embedded")]
mod carried {
    use std::sync::LazyLock;

    use super::sha256;
    use crate::eval::{PackedWeights, Tables, Weights, WeightsFile};
    use crate::file::Provenance;

    const NAME: &str = "embedded";
    static FILE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/embedded.weights"));

    #[expect(clippy::expect_used, reason = "the build script wrote the file")]
    pub(in crate::eval) static PACKED: LazyLock<PackedWeights> = LazyLock::new(|| {
        PackedWeights::open(NAME, FILE).expect("the build script wrote the weights")
    });

    /// The evaluation tables of the embedded weights, shared by all evaluators. The tables of a
    /// block (some consecutive phases) are computed when first used.
    static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::packed(&PACKED));

    /// Returns the settings and inputs that determined the embedded weights.
    pub fn provenance() -> Provenance {
        PACKED.provenance.clone()
    }

    /// Returns the embedded weights as tables for evaluation.
    pub fn tables() -> Tables {
        TABLES.clone()
    }

    /// Returns the embedded weights, one for each class of symmetric configurations. All training
    /// counts are 0, because the binary does not contain them.
    #[expect(clippy::expect_used, reason = "the build script wrote the file")]
    pub fn weights() -> WeightsFile {
        let read = Weights::read_without_counts(NAME.as_ref(), FILE);
        let read = read.expect("the build script wrote the weights");
        WeightsFile { sha256: sha256().to_owned(), ..read }
    }
}
