//! Every opening to a given ply: enumerated up to symmetry, scored, and negamaxed back.

mod enumerate;
mod score;

pub use enumerate::{MAX_PLIES, enumerate};
pub use score::negamax_back;

use crate::board::{Position, Squares};

/// The canonical forms of the positions one disc later, seen by the side that did not move, in no
/// order and with duplicates. Where the player must pass, the other side's moves count; a finished
/// game has no children.
fn children(position: &Position) -> impl Iterator<Item = Position> {
    let mover = if position.moves() == 0 { position.pass() } else { *position };
    Squares(mover.moves()).map(move |q| mover.after(q, mover.flips(q)).canonical())
}
