//! Computes the canonical image with 64-bit integers only.

use super::{mirror_files, transpose};

/// Returns the smallest of the eight images: the boards and the transposed boards, each unchanged,
/// with the files mirrored, with the ranks mirrored, or with both mirrored.
pub(super) fn canonical(player: u64, opponent: u64) -> (u64, u64) {
    let (transposed_player, transposed_opponent) = (transpose(player), transpose(opponent));
    let images = [
        (player, opponent),
        (mirror_files(player), mirror_files(opponent)),
        (transposed_player, transposed_opponent),
        (mirror_files(transposed_player), mirror_files(transposed_opponent)),
    ];
    images.into_iter().fold((u64::MAX, u64::MAX), |best, image| {
        best.min(image).min((image.0.swap_bytes(), image.1.swap_bytes()))
    })
}
