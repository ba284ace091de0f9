//! The canonical image, computed with 64-bit integers only.

use super::{mirror_files, transpose};

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
