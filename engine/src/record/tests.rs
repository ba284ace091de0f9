//! Files of records: written, read, resumed, and wrong.

mod games;
mod positions;
