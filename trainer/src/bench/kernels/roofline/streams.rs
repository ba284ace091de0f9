//! The parameters of positions, computed beforehand in the order in which the kernels of
//! `limits.cu` read them.

use othello_engine::record::ScoredPosition;

use crate::backend::kernels::Tile;
use crate::bench::stream;
use crate::model::Model;

/// The number of places in a word of [`places`].
pub(super) const PLACES_PER_WORD: usize = 4;

/// The number of words in a slice. Copying a tile of 28,000 weights is then a fifth of the 131,072
/// accesses, and a million positions still make 500 slices for some 260 blocks at once.
const WORDS_PER_SLICE: usize = 1 << 15;

/// A part of the places that uses one tile, in the layout of `limits.cu`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, bytemuck::NoUninit)]
#[repr(C)]
pub(super) struct Slice {
    pub(super) first_parameter: u32,
    pub(super) classes: u32,
    pub(super) begin: u32,
    pub(super) end: u32,
}

/// Returns the parameters as `parameters[feature * positions + position]`.
pub(super) fn parameters(model: &Model, positions: &[ScoredPosition]) -> Vec<u32> {
    let (by_position, features) = (stream(model, positions.iter()), model.feature_count());
    let of_feature = |feature| by_position.iter().skip(feature).step_by(features).copied();
    (0..features).flat_map(of_feature).collect()
}

/// Sorts the same parameters by tile. Returns words of four places of 16 bits, each counted from
/// the tile's first parameter, and the slices that the words are cut into. The last word of a tile
/// is filled up with the place behind its last class.
pub(super) fn places(stream: &[u32], positions: usize, tiles: &[Tile]) -> (Vec<u64>, Vec<Slice>) {
    let (mut words, mut slices) = (vec![], vec![]);
    for tile in tiles {
        let Tile { first_feature, features, first_parameter, classes, .. } = *tile;
        let (first, last) = (first_feature as usize, (first_feature + features) as usize);
        let of_tile = &stream[first * positions..last * positions];
        let in_tile = |&parameter: &u32| {
            // A parameter below the tile wraps around and is too large as well.
            let place = parameter.wrapping_sub(first_parameter);
            (place < classes).then_some(place)
        };
        let mut begin = words.len();
        let mut places = of_tile.iter().filter_map(in_tile).peekable();
        while places.peek().is_some() {
            let word = |word, shift| word | u64::from(places.next().unwrap_or(classes)) << shift;
            words.push((0..64).step_by(64 / PLACES_PER_WORD).fold(0, word));
        }
        while begin < words.len() {
            let end = words.len().min(begin + WORDS_PER_SLICE);
            let [from, to] = [begin, end].map(|word| word as u32);
            slices.push(Slice { first_parameter, classes, begin: from, end: to });
            begin = end;
        }
    }
    (words, slices)
}
