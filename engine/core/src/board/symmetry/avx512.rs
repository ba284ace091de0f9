use std::arch::x86_64::{
    __m512i, _mm_set_epi64x, _mm512_broadcast_i64x2, _mm512_cmpeq_epu64_mask,
    _mm512_gf2p8affine_epi64_epi8, _mm512_mask_blend_epi64, _mm512_mask_reduce_min_epu64,
    _mm512_reduce_min_epu64, _mm512_set_epi64, _mm512_set1_epi64, _mm512_shuffle_epi8,
};

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,gfni")]
pub(super) fn canonical(player: u64, opponent: u64) -> (u64, u64) {
    let (players, opponents) = (images(player), images(opponent));
    let least = _mm512_reduce_min_epu64(players);
    let tied = _mm512_cmpeq_epu64_mask(players, _mm512_set1_epi64(least as i64));
    (least, _mm512_mask_reduce_min_epu64(tied, opponents))
}

/// Returns the eight symmetric images of a board, in a fixed order. The instruction `gf2p8affineqb`
/// computes them, as products of the board and a diagonal (8 × 8 bit matrices). A mirrored diagonal
/// gives the mirrored board. If the board is the second factor, the result is also transposed.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,gfni")]
fn images(board: u64) -> __m512i {
    const DIAGONAL: i64 = 0x8040_2010_0804_0201_u64 as i64;
    const MIRRORED: i64 = DIAGONAL.swap_bytes();
    const SAME: i64 = 0x0706_0504_0302_0100;
    const SWAPPED: i64 = 0x0809_0A0B_0C0D_0E0F;
    let order = _mm512_broadcast_i64x2(_mm_set_epi64x(SWAPPED, SAME));
    let boards = _mm512_shuffle_epi8(_mm512_set1_epi64(board as i64), order);
    let diagonals = _mm512_set_epi64(
        MIRRORED, MIRRORED, DIAGONAL, DIAGONAL, DIAGONAL, DIAGONAL, MIRRORED, MIRRORED,
    );
    let bytes = _mm512_mask_blend_epi64(0b1111_0000, boards, diagonals);
    let matrices = _mm512_mask_blend_epi64(0b0000_1111, boards, diagonals);
    _mm512_gf2p8affine_epi64_epi8::<0>(bytes, matrices)
}
