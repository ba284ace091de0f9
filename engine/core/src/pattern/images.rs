//! Computes the images of a list of squares under the eight symmetries of the board.

use crate::board::{Square, Symmetry};

/// Returns the distinct images of a list of squares, each in the order of the list. Of images with
/// the same set of squares, only one is returned.
pub(super) fn images(squares: &[Square]) -> Vec<Vec<Square>> {
    let mut images: Vec<Vec<Square>> = vec![];
    for symmetry in Symmetry::all() {
        let image: Vec<Square> = squares.iter().map(|&square| symmetry.square(square)).collect();
        if images.iter().all(|other| bits(other) != bits(&image)) {
            images.push(image);
        }
    }
    images
}

/// Returns the smallest of the images of a set of squares, compared as bitboards. Two sets have the
/// same smallest image if and only if a symmetry maps one onto the other.
pub(super) fn smallest_image(squares: &[Square]) -> u64 {
    let squares = bits(squares);
    Symmetry::all().map(|symmetry| symmetry.bits(squares)).fold(squares, u64::min)
}

fn bits(squares: &[Square]) -> u64 {
    squares.iter().map(|square| square.bit()).sum()
}
