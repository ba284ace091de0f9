//! What a search learns beside an evaluation: the weights that moves are ordered by.

pub mod ordering;
mod siblings;
