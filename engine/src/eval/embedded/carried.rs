//! The weights that the build script put into the binary.

use super::EmbeddedIdentity;
use crate::eval::factor_tables::FactorTables;
use crate::eval::{Models, MoveOrderingWeights, Tables, Weights, layout};
use crate::pattern::{Geometry, PatternSet};

/// Bytes that begin at a cache line; all processes that run the binary share them.
#[repr(C, align(64))]
struct Aligned<T: ?Sized>(T);

// Defines PATTERN_SET, PROVENANCE and SHA256 of the weights file, its aligned tables in TABLES and
// FACTORS, and its other sections in ORDERING and MODELS.
include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Returns the identity of the embedded weights.
pub const fn identity() -> EmbeddedIdentity {
    EmbeddedIdentity { pattern_set: PATTERN_SET, provenance: PROVENANCE, sha256: SHA256 }
}

/// Returns the embedded weights as tables, ready to play from.
pub fn tables() -> Tables {
    let geometry = Geometry::new(&pattern_set());
    let factors = pattern_set().factors();
    let factors = factors.map(|shape| FactorTables::new(&geometry, shape, vectors().into()));
    Tables::with_tables(&geometry, steps().into(), factors, move_ordering().as_ref(), models())
}

/// Returns the embedded weights by class. The binary does not hold their counts: all are 0.
pub fn weights() -> Weights {
    let mut weights = layout::fold(pattern_set(), steps());
    if let Some(factors) = weights.factors_mut() {
        layout::fold_factors(&Geometry::new(&pattern_set()), vectors(), factors);
    }
    weights.with_move_ordering(move_ordering()).with_models(models())
}

#[expect(clippy::expect_used, reason = "the build script read this very text as a pattern set")]
fn pattern_set() -> PatternSet {
    PatternSet::from_toml(PATTERN_SET).expect("the build script checked the set")
}

#[expect(clippy::expect_used, reason = "the build script read these very sections")]
fn move_ordering() -> Option<MoveOrderingWeights> {
    let read = |(set, weights): (&str, &[u8])| {
        MoveOrderingWeights::from_sections(set.as_bytes(), weights)
            .expect("the build script checked them")
    };
    ORDERING.map(read)
}

#[expect(clippy::expect_used, reason = "the build script read these very sections")]
fn models() -> Models {
    let mut models = Models::NONE;
    for (name, content) in MODELS {
        models.take(name, content).expect("the build script checked them");
    }
    models
}

/// Returns the vectors of factors; none if the pattern set has no factors.
fn vectors() -> &'static [layout::CacheLine] {
    bytemuck::cast_slice(&FACTORS.0)
}

fn steps() -> &'static [i16] {
    bytemuck::cast_slice(&TABLES.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_by_class_expand_to_the_embedded_tables() {
        let weights = weights();
        assert!(layout::expand(&weights) == steps());
        let expanded = |it| layout::expand_factors(weights.geometry(), it);
        assert!(weights.factors().map(expanded).unwrap_or_default() == vectors());
    }
}
