//! Openings: all positions up to a given ply, a book of their values, and nearly even openings. A
//! search scores each position of the last ply; negamax computes the scores of the earlier plies.

mod balanced;
mod book;
mod ply;
mod reach;
mod score;
mod tree;
mod write;

pub use balanced::Balance;
pub use book::Book;
pub use ply::{MAX_PLIES, MAX_PLIES_HELD, count, enumerate};
pub use reach::game_to;
pub use score::{movers, negamax_back};
pub use tree::OpeningTree;
pub use write::{Settings, Written, pack, value, write_openings};
