//! The shortest stoners: the games after which a side loses a corner to the trap of that name.
//!
//! A side has a row of three or four discs on an edge, up to the square next to a corner; the other
//! has the X square at the edge's far corner, and the side cannot take that corner at once. The
//! other then plays next to the row, and so attacks the near corner; the side's reply in the gap
//! flips the X square, which gives away the far corner. It is a stoner if no move of the side
//! avoids this; corners that it gets in exchange do not count.

use othello_engine::board::{Position, Square, Squares, Symmetry};

use super::{Done, children};

/// The greatest number of moves of the other side in answer to attempts to avoid the trap.
pub(crate) const PATIENCE: usize = 3;
/// The shapes on the lower edge, each as five lists: the squares of the side to move, those of the
/// other side, the empty squares, the move next to the row, and the reply in the gap.
const SHAPES: [[&str; 5]; 3] = [
    ["d8 e8 f8 g8", "b7", "a8 b8 c8 h8", "c8", "b8"],
    ["e8 f8 g8 a6", "b7", "a8 b8 c8 d8 h8", "d8", "c8"],
    ["e8 f8 g8", "b7 c8", "a8 b8 d8 h8", "d8", "b8"],
];

/// A shape of the trap in one of its eight images.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trap {
    own: u64,
    other: u64,
    empty: u64,
    attack: Square,
    gap: Square,
    far: u64,
    corners: u64,
    /// True if the trap is the shape as written, or its image under a symmetry of the start
    /// position.
    is_as_written: bool,
}

impl Trap {
    pub(crate) fn all() -> Done<Vec<Self>> {
        let corners = bits("a8 h8")?;
        let mut all = vec![];
        for [own, other, empty, attack, gap] in SHAPES {
            let [own, other, empty] = [bits(own)?, bits(other)?, bits(empty)?];
            let (attack, gap, far): (Square, Square, _) =
                (attack.parse()?, gap.parse()?, bits("a8")?);
            all.extend(Symmetry::all().map(|image| Self {
                own: image.bits(own),
                other: image.bits(other),
                empty: image.bits(empty),
                attack: image.square(attack),
                gap: image.square(gap),
                far: image.bits(far),
                corners: image.bits(corners),
                is_as_written: Position::START.image(image) == Position::START,
            }));
        }
        Ok(all)
    }

    /// Returns whether the shape may still arise in this number of plies. It cannot if a square of
    /// its gap is taken, or if the player can take one of its corners.
    fn is_in_reach(&self, position: &Position, plies: u32) -> bool {
        let missing = (self.own | self.other) & position.empty();
        missing.count_ones() <= plies
            && self.empty & !position.empty() == 0
            && position.moves() & self.corners == 0
    }

    fn is_here(&self, position: &Position) -> bool {
        self.own & !position.player() == 0 && self.other & !position.opponent() == 0
    }

    /// Returns whether no move of the side avoids the trap, if the other side may answer this
    /// number of attempts.
    fn is_laid(&self, position: &Position, patience: usize) -> bool {
        position.moves() & self.corners == 0
            && children(position).all(|child| self.springs(&child, patience))
    }

    /// Returns whether the other side, whose turn it is, springs the trap.
    fn springs(&self, position: &Position, patience: usize) -> bool {
        let wins_a_corner = |attacked: Position| {
            attacked.play(self.gap).is_none_or(|reply| reply.moves() & self.far != 0)
        };
        position.moves() & self.corners != 0
            || position.play(self.attack).is_some_and(wins_a_corner)
            || patience > 0 && children(position).any(|child| self.is_laid(&child, patience - 1))
    }

    /// Returns the number of answers that a position's trap needs; `None` if it is not a stoner.
    pub(crate) fn patience(&self, position: &Position) -> Option<usize> {
        let is_stoner = self.is_in_reach(position, 0) && self.is_here(position);
        (0..=PATIENCE).find(|&patience| is_stoner && self.is_laid(position, patience))
    }
}

fn bits(squares: &str) -> Done<u64> {
    squares.split(' ').try_fold(0, |all, one| Ok(all | one.parse::<Square>()?.bit()))
}

/// The stoners of a number of plies, counted in games that begin with f5. Every other game is an
/// image of one of these.
#[derive(Debug, Default)]
pub(crate) struct Stoners {
    /// Their number by the number of answers, for the shape as written and for its mirror image.
    pub(crate) counts: [[u32; PATIENCE + 1]; 2],
    pub(crate) first: Option<String>,
}

impl Stoners {
    pub(crate) fn of(plies: u32) -> Done<Self> {
        let (mut found, first) = (Self::default(), "f5".parse()?);
        let start = Position::START.play(first).ok_or("f5 is legal")?;
        found.search(&start, plies.saturating_sub(1), &Trap::all()?, &mut vec![first]);
        Ok(found)
    }

    fn search(&mut self, position: &Position, plies: u32, traps: &[Trap], game: &mut Vec<Square>) {
        let near = |trap: &&Trap| trap.is_in_reach(position, plies);
        let traps: Vec<Trap> = traps.iter().filter(near).copied().collect();
        if plies == 0 {
            for trap in &traps {
                if let Some(patience) = trap.patience(position) {
                    self.counts[usize::from(!trap.is_as_written)][patience] += 1;
                    self.first.get_or_insert_with(|| game.iter().map(Square::to_string).collect());
                }
            }
        } else if !traps.is_empty() {
            for square in Squares(position.moves()) {
                game.push(square);
                let child = position.after(square, position.flips(square));
                self.search(&child, plies - 1, &traps, game);
                game.pop();
            }
        }
    }
}

pub(crate) fn run(last: u32) -> Done {
    for plies in 1..=last {
        let Stoners { counts: [written, mirrored], first } = Stoners::of(plies)?;
        let first = first.unwrap_or_default();
        println!("ply {plies}: {written:?} stoners by patience, mirrored {mirrored:?} {first}");
    }
    Ok(())
}
