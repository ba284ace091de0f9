//! zstd, which packs sections, and text files if need be: by its own library, and in a browser, where there
//! is no C, by a decoder in Rust. Both unpack the same files.

use std::io::{self, BufRead, Read};

/// Packs bytes as one frame.
#[cfg(not(target_family = "wasm"))]
pub(super) fn pack(content: &[u8], level: i32) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(content, level)
}

/// Packs bytes as one frame, at the only level that there is.
#[cfg(target_family = "wasm")]
pub(super) fn pack(content: &[u8], _level: i32) -> io::Result<Vec<u8>> {
    Ok(ruzstd::encoding::compress_to_vec(content, ruzstd::encoding::CompressionLevel::Fastest))
}

/// What unpacks a text of any length while it is read.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn unpacker(packed: impl BufRead + Send) -> io::Result<impl Read + Send> {
    zstd::stream::read::Decoder::with_buffer(packed)
}

/// What unpacks a text of any length while it is read: its first frame.
#[cfg(target_family = "wasm")]
pub(crate) fn unpacker(packed: impl BufRead + Send) -> io::Result<impl Read + Send> {
    ruzstd::decoding::StreamingDecoder::new(packed).map_err(io::Error::other)
}

/// Unpacks one frame that must hold exactly `length` bytes. Memory grows with what is really
/// unpacked, and never beyond `length`. The frame may refer back over `largest` bytes, a power of two,
/// and no further: one that asks for more would have the decoder allocate it.
pub(super) fn unpack(stored: &[u8], length: u64, largest: u64) -> Result<Vec<u8>, String> {
    let unpackable = |error: io::Error| format!("cannot be unpacked ({error})");
    let mut content = Vec::new();
    let rest = unpack_frame(stored, length + 1, largest, &mut content).map_err(unpackable)?;
    if content.len() as u64 != length || rest > 0 {
        return Err(format!("does not unpack to the {length} bytes it states"));
    }
    Ok(content)
}

/// Unpacks the first frame, or so many bytes of it; how much is stored behind it.
#[cfg(not(target_family = "wasm"))]
fn unpack_frame(
    stored: &[u8],
    most: u64,
    largest: u64,
    content: &mut Vec<u8>,
) -> io::Result<usize> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(stored)?.single_frame();
    decoder.window_log_max(largest.ilog2())?;
    decoder.by_ref().take(most).read_to_end(content)?;
    Ok(decoder.finish().len())
}

/// Unpacks the first frame, or so many bytes of it; how much is stored behind it.
#[cfg(target_family = "wasm")]
fn unpack_frame(
    stored: &[u8],
    most: u64,
    largest: u64,
    content: &mut Vec<u8>,
) -> io::Result<usize> {
    let decoder = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(stored, largest);
    let mut decoder = decoder.map_err(io::Error::other)?;
    decoder.by_ref().take(most).read_to_end(content)?;
    Ok(decoder.into_inner().len())
}
