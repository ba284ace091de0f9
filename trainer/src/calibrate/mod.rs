//! What a search learns beside an evaluation: the weights that moves are ordered by, and what shallow searches
//! predict of deeper ones.

pub mod ordering;
pub mod probcut;
mod siblings;
