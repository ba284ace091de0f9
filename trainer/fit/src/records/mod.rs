//! Tools for files of records: reports on them, and files made from them.

pub mod inspect;
pub mod leaves;
pub mod relabel;
pub mod select;
pub mod sequence;
pub mod validate;

#[cfg(test)]
pub(crate) mod tests;
