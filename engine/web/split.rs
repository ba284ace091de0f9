//! Splits a weights file for the web page: `split WEIGHTS PLAYED COUNTS`. The sections with the
//! occurrences of parameters in training go to the file COUNTS, all others to the file PLAYED.
//!
//! Both files get the header and the end frame. The page decompresses and checks the sections.
//! Compiled by `rustc`, without Cargo.

use std::error::Error;
use std::{env, fs};

const CHECKSUM: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [weights, played, counts] = &arguments[..] else {
        return Err("usage: split WEIGHTS PLAYED COUNTS".into());
    };
    let file = fs::read(weights)?;
    let parts = split(&file).ok_or_else(|| format!("{weights}: is not a complete weights file"))?;
    fs::write(played, &parts[0])?;
    fs::write(counts, &parts[1])?;
    Ok(())
}

fn split(file: &[u8]) -> Option<[Vec<u8>; 2]> {
    let provenance = usize::try_from(number::<4>(file.get(12..)?)?).ok()?;
    let (header, mut rest) = file.split_at_checked(16 + provenance + CHECKSUM)?;
    let mut parts = [header.to_vec(), header.to_vec()];
    while rest.starts_with(b"SECT") {
        let name_length = usize::try_from(number::<4>(rest.get(4..)?)?).ok()?;
        let stored = usize::try_from(number::<8>(rest.get(8..)?)?).ok()?;
        let name = rest.get(24..)?.get(..name_length)?;
        let (frame, behind) =
            rest.split_at_checked(24 + name_length + CHECKSUM + stored + CHECKSUM)?;
        let counts = name.starts_with(b"counts ") || name.starts_with(b"count changes ");
        parts[usize::from(counts)].extend(frame);
        rest = behind;
    }
    parts.iter_mut().for_each(|part| part.extend(rest));
    rest.starts_with(b"END.").then_some(parts)
}

fn number<const BYTES: usize>(bytes: &[u8]) -> Option<u64> {
    let bytes = bytes.first_chunk::<BYTES>()?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}
