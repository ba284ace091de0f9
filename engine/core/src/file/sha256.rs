//! The SHA-256 of files and texts in hexadecimal, as `sha256sum` prints it.

use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::{FileError, Result, open_ordinary};
use crate::progress::Progress;

/// Returns the SHA-256 of these bytes in hexadecimal.
pub fn sha256_of(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

pub(super) fn finished(digest: Option<Sha256>) -> String {
    digest.map(|digest| hex::encode(digest.finalize())).unwrap_or_default()
}

/// Returns the SHA-256 of a file. Advances `progress` by its bytes.
pub fn sha256_of_file(path: &Path, progress: &dyn Progress) -> Result<String> {
    let mut file = open_ordinary(path)?;
    let (mut digest, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        let bytes = file.read(&mut buffer).map_err(FileError::io(path, "read it"))?;
        if bytes == 0 {
            return Ok(hex::encode(digest.finalize()));
        }
        digest.update(&buffer[..bytes]);
        progress.advance(bytes as u64);
    }
}
