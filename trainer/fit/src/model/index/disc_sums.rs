//! Portable computation of parameter indices, by sums over the discs of a position.

use othello_engine::board::{Position, Squares};
use othello_engine::pattern::{LANES, configurations};

use super::Row;
use crate::model::class::Lane;

#[derive(Clone, Debug)]
pub(super) struct DiscSums {
    player: Box<[Disc; 64]>,
    opponent: Box<[Disc; 64]>,
    fixed_stride: [u16; LANES],
    first_parameter: [u32; LANES],
}

/// The amounts that a disc on one square adds to three base-3 numbers of each pattern instance. The
/// digits of a number are the contents of the squares in one list of a [`Lane`], such as `first`.
/// On the square of digit d, a player's disc adds 3ᵈ, an opponent's 2 · 3ᵈ; elsewhere, they add 0.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Disc {
    first: [u8; LANES],
    second: [u8; LANES],
    fixed: [u16; LANES],
}

const NO_DISC: Disc = Disc { first: [0; LANES], second: [0; LANES], fixed: [0; LANES] };

impl DiscSums {
    pub(super) fn new(lanes: &[Lane]) -> Self {
        let mut player = Box::new([NO_DISC; 64]);
        let mut sums = Self {
            player: player.clone(),
            opponent: player.clone(),
            fixed_stride: [0; LANES],
            first_parameter: [0; LANES],
        };
        for (number, lane) in lanes.iter().enumerate() {
            for (digit, square) in lane.first.iter().enumerate() {
                player[square.index()].first[number] = configurations(digit) as u8;
            }
            for (digit, square) in lane.second.iter().enumerate() {
                player[square.index()].second[number] = configurations(digit) as u8;
            }
            for (digit, square) in lane.fixed.iter().enumerate() {
                player[square.index()].fixed[number] = configurations(digit) as u16;
            }
            sums.fixed_stride[number] = lane.fixed_stride;
            sums.first_parameter[number] = lane.first_parameter;
        }
        for (opponent, player) in sums.opponent.iter_mut().zip(player.iter()) {
            opponent.add(player);
            opponent.add(player);
        }
        Self { player, ..sums }
    }

    pub(super) fn write(&self, positions: impl Iterator<Item = Position>, rows: &mut [Row]) {
        for (position, row) in positions.zip(rows) {
            let mut sums = NO_DISC;
            for square in Squares(position.player()) {
                sums.add(&self.player[square.index()]);
            }
            for square in Squares(position.opponent()) {
                sums.add(&self.opponent[square.index()]);
            }
            let mut classes = [0u16; LANES];
            for (lane, class) in classes.iter_mut().enumerate() {
                let (a, b) = (sums.first[lane], sums.second[lane]);
                let (x, y) = (u16::from(a.max(b)), u16::from(a.min(b)));
                // x ≤ 242, so x(x + 1) fits into 16 bits, as does the class, which is below 3^10.
                *class = (sums.fixed[lane].wrapping_mul(self.fixed_stride[lane]))
                    .wrapping_add(x * (x + 1) / 2 + y);
            }
            let classes = self.first_parameter.iter().zip(&classes);
            for (parameter, (&first, &class)) in row.0.iter_mut().zip(classes) {
                *parameter = first + u32::from(class);
            }
        }
    }
}

impl Disc {
    #[inline]
    fn add(&mut self, other: &Self) {
        add_bytes(&mut self.first, &other.first);
        add_bytes(&mut self.second, &other.second);
        for (sum, more) in self.fixed.iter_mut().zip(&other.fixed) {
            *sum = sum.wrapping_add(*more);
        }
    }
}

#[inline]
fn add_bytes(sums: &mut [u8; LANES], other: &[u8; LANES]) {
    for (sum, more) in sums.iter_mut().zip(other) {
        *sum = sum.wrapping_add(*more);
    }
}
