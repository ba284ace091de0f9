//! The checksum of a file.

use std::io::Read as _;
use std::path::Path;

use othello_engine::file::open_ordinary;
use othello_engine::progress::Progress;
use sha2::{Digest as _, Sha256};

use super::SourceError;

/// Returns the SHA-256 of a file's bytes, as `sha256sum` prints it.
pub fn checksum(path: &Path, progress: &dyn Progress) -> Result<String, SourceError> {
    let unreadable = SourceError::io(path, "read it");
    let mut file = open_ordinary(path)?;
    let (mut digest, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        let bytes = file.read(&mut buffer).map_err(unreadable)?;
        if bytes == 0 {
            return Ok(hex::encode(digest.finalize()));
        }
        digest.update(&buffer[..bytes]);
        progress.advance(bytes as u64);
    }
}
