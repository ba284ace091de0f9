//! Compression by zstd. The library is written in C; in a browser, a decoder in Rust replaces it.

#[cfg(not(target_family = "wasm"))]
use std::cell::RefCell;
use std::io::{self, BufRead, Read};

/// The greatest size of a section's uncompressed content, which a reader needs in memory: 64 MiB.
pub const MAX_CONTENT_BYTES: u64 = 1 << 26;

/// The greatest compressed size of a section: zstd's bound for content that cannot be compressed.
pub(super) const MAX_STORED_BYTES: u64 = MAX_CONTENT_BYTES + (MAX_CONTENT_BYTES >> 8) + 64;

const FOREIGN: &[(&[u8], &str, &str)] = &[
    (b"\x1F\x8B", "gzip", "gunzip"),
    (b"\x28\xB5\x2F\xFD", "zstd", "unzstd"),
    (b"BZh", "bzip2", "bunzip2"),
    (b"\xFD7zXZ\0", "xz", "unxz"),
    (b"\x04\x22\x4D\x18", "lz4", "unlz4"),
    (b"\x1F\x9D", "compress", "uncompress"),
    (b"PK\x03\x04", "zip", "unzip"),
    (b"7z\xBC\xAF\x27\x1C", "7-Zip", "7z x"),
    (b"Rar!", "RAR", "unrar x"),
];

/// Returns an error message if a file that begins with `begin` is UTF-16 text or compressed.
pub fn unreadable(begin: &[u8]) -> Option<String> {
    if [&b"\xFF\xFE"[..], b"\xFE\xFF"].iter().any(|mark| begin.starts_with(mark)) {
        return Some("is text in UTF-16; convert it to UTF-8".to_owned());
    }
    let (_, name, program) = FOREIGN.iter().find(|(magic, ..)| begin.starts_with(magic))?;
    Some(format!("is compressed by {name}; unpack it first, by `{program}`"))
}

/// Compresses `content` to one zstd frame. Earlier calls do not affect the bytes of the frame.
#[cfg(not(target_family = "wasm"))]
pub(super) fn pack(content: &[u8], level: i32) -> io::Result<Vec<u8>> {
    thread_local! {
        /// The thread's compressor, kept since making one takes as long as packing a small frame.
        static PACKER: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
    }
    PACKER.with_borrow_mut(|kept| {
        let packer = match kept {
            Some(packer) => packer,
            None => kept.insert(zstd::bulk::Compressor::new(level)?),
        };
        packer.set_compression_level(level)?;
        packer.compress(content)
    })
}

#[cfg(target_family = "wasm")]
pub(super) fn pack(content: &[u8], _level: i32) -> io::Result<Vec<u8>> {
    Ok(ruzstd::encoding::compress_to_vec(content, ruzstd::encoding::CompressionLevel::Fastest))
}

#[cfg(not(target_family = "wasm"))]
pub(crate) fn unpacker(packed: impl BufRead + Send) -> io::Result<impl Read + Send> {
    zstd::stream::read::Decoder::with_buffer(packed)
}

/// Returns a reader that decompresses only the first zstd frame.
#[cfg(target_family = "wasm")]
pub(crate) fn unpacker(packed: impl BufRead + Send) -> io::Result<impl Read + Send> {
    ruzstd::decoding::StreamingDecoder::new(packed).map_err(io::Error::other)
}

/// Decompresses one frame to exactly `length` bytes. Refuses a frame with a window larger than
/// [`MAX_CONTENT_BYTES`], because the decoder allocates memory for the window.
pub(super) fn unpack(stored: &[u8], length: u64) -> Result<Vec<u8>, String> {
    let unpackable = |error: io::Error| format!("cannot be unpacked ({error})");
    let mut content = Vec::new();
    let rest = unpack_frame(stored, length + 1, &mut content).map_err(unpackable)?;
    if content.len() as u64 != length || rest > 0 {
        return Err(format!("does not unpack to the {length} bytes it states"));
    }
    Ok(content)
}

/// Decompresses the first frame, up to `most` bytes. Returns the number of unread input bytes.
#[cfg(not(target_family = "wasm"))]
fn unpack_frame(stored: &[u8], most: u64, content: &mut Vec<u8>) -> io::Result<usize> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(stored)?.single_frame();
    decoder.window_log_max(MAX_CONTENT_BYTES.ilog2())?;
    // If the buffer has room for the whole content, the decoder fills it at once, without a window.
    // The limit of 16 times the stored size keeps a damaged length from taking much memory.
    *content = vec![0; most.min(16 * stored.len() as u64) as usize];
    let unpacked = decoder.read(content)?;
    content.truncate(unpacked);
    decoder.by_ref().take(most - unpacked as u64).read_to_end(content)?;
    Ok(decoder.finish().len())
}

#[cfg(target_family = "wasm")]
fn unpack_frame(stored: &[u8], most: u64, content: &mut Vec<u8>) -> io::Result<usize> {
    use ruzstd::decoding::StreamingDecoder;
    let decoder = StreamingDecoder::new_with_max_window_size(stored, MAX_CONTENT_BYTES);
    let mut decoder = decoder.map_err(io::Error::other)?;
    decoder.by_ref().take(most).read_to_end(content)?;
    Ok(decoder.into_inner().len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    #[test]
    fn a_frame_is_the_same_whatever_was_packed_before() {
        let mut random = Generator::new(28);
        for _ in 0..60 {
            let most = 1 << random.below(17);
            let (length, values) = (random.below(most), 1 + random.below(255));
            let content: Vec<u8> = (0..length).map(|_| random.below(values) as u8).collect();
            let level = [3, 9, 15][random.below(3) as usize];
            assert_eq!(
                pack(&content, level).unwrap(),
                zstd::bulk::compress(&content, level).unwrap()
            );
        }
    }

    /// A frame of nine bytes can make a decoder allocate gigabytes, if it states a large window.
    /// Here, the byte `n << 3` states a window of 2^(10 + n) bytes.
    #[test]
    fn a_window_larger_than_any_content_is_refused() {
        let window = |n: u8| unpack(&[0x28, 0xB5, 0x2F, 0xFD, 0, n << 3, 1, 0, 0], 0);
        assert_eq!(window(16), Ok(vec![]));
        assert!(window(17).unwrap_err().starts_with("cannot be unpacked"));
    }
}
