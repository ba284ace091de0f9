//! The units of weights and values.

/// A value in steps of 1/32 disc, for the player: −2048..=2048.
pub type Value = i32;

/// Steps in a disc.
pub const STEPS_PER_DISC: Value = 32;

/// The largest value: 64 discs.
pub const MAX_VALUE: Value = 64 * STEPS_PER_DISC;

/// The largest weight, in steps: sums of eight fit 16 bits.
pub const MAX_STEPS: i16 = 4095;
