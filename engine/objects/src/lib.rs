//! Files of object stores (S3, Google Cloud Storage, Azure Blob Storage, web servers), staged on
//! the disk of this machine: inputs are fetched before a command begins, and outputs are sent when
//! it is done. Commands read and write files, and know nothing of stores.
//!
//! An output is sent whole or not at all, and read back before its file is removed. Whatever fails,
//! all of it is at its URL or still in the stage, and the same command goes on from there.
//!
//! Nothing asynchronous leaves this crate.

mod error;
mod files;
mod place;
mod stage;
#[cfg(test)]
mod tests;
mod transfer;

pub use error::StoreError;
pub use files::Role;
pub use stage::Stage;
pub use transfer::Begun;
