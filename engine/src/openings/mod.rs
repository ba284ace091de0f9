//! Every opening to a given ply: enumerated up to symmetry, scored, and negamaxed back.

mod enumerate;
mod found;
mod score;
mod write;

pub use enumerate::{MAX_PLIES, enumerate};
pub use score::{movers, negamax_back};
pub use write::{Settings, Written, write_openings};
