//! The weights that the build script put into the binary.

use std::sync::LazyLock;

use super::sha256;
use crate::eval::{PackedWeights, Tables, Weights, WeightsFile};
use crate::file::Provenance;

const NAME: &str = "embedded";
static FILE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/embedded.weights"));

#[expect(clippy::expect_used, reason = "the build script wrote the file")]
static PACKED: LazyLock<PackedWeights> =
    LazyLock::new(|| PackedWeights::open(NAME, FILE).expect("the build script wrote the weights"));

/// The embedded tables, shared by all players of the process. Each block (the tables of a range of
/// consecutive phases) is expanded at its first use.
static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::packed(&PACKED));

/// Returns the settings and inputs that determined the embedded weights.
pub fn provenance() -> Provenance {
    PACKED.provenance.clone()
}

/// Returns the embedded weights as tables for evaluation.
pub fn tables() -> Tables {
    TABLES.clone()
}

/// Returns the embedded weights by class. All counts are 0, because the binary does not contain the
/// number of occurrences of each class in training.
#[expect(clippy::expect_used, reason = "the build script wrote the file")]
pub fn weights() -> WeightsFile {
    let read = Weights::read_without_counts(NAME.as_ref(), FILE);
    WeightsFile { sha256: sha256().to_owned(), ..read.expect("the build script wrote the weights") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::layout;

    /// Two threads expand all blocks of phases at the same time. Both must get the right weights.
    #[test]
    fn the_embedded_tables_are_those_of_the_embedded_weights_by_class() {
        let (tables, expected) = (Tables::packed(&PACKED), layout::expand(&weights().weights));
        std::thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| {
                    for (number, expected) in expected.iter().enumerate().rev() {
                        assert!(tables.block(number) == expected, "block {number}");
                    }
                });
            }
        });
    }

    #[test]
    fn a_position_expands_the_block_of_its_phase_alone() {
        use crate::board::Position;
        use crate::eval::Evaluate as _;
        let tables = Tables::packed(&PACKED);
        tables.value(&tables.state(&Position::START), &Position::START);
        let expanded = (0..PACKED.layout().blocks()).filter(|&block| tables.is_expanded(block));
        assert_eq!(expanded.collect::<Vec<_>>(), [0]);
    }
}
