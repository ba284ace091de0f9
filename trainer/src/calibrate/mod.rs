//! What a search learns beside an evaluation: the weights that moves are ordered by, and what shallow searches
//! predict of deeper ones, and how likely moves are to be played.

pub mod ordering;
pub mod probcut;
pub mod realization;
mod siblings;
