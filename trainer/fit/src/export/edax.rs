//! Reads and writes Edax's evaluation file, `eval.dat`.
//!
//! The file has a header of 28 bytes, then one table of weights for each of 61 plies. A table has a
//! weight in 1/128 disc (`i16`) for each class of the 12 patterns of the shipped pattern set
//! `edax`, and a constant that is added to every value. Integers are little-endian.
//!
//! The classes of a pattern are ordered by the smallest configuration in each class, as a base-3
//! number (first square most significant; player 0, opponent 1, empty square 2).

use othello_engine::board::{PHASES, Phase};
use othello_engine::eval::Weights;
use othello_engine::pattern::Geometry;

use super::tables::{FINENESS, ReadTables, by_number, distinct, for_set, read_finer};
use super::{ExportError, Program};

const MAGIC: [u8; 8] = *b"XADELAVE";
/// The version, release and build that a written file states. Every Edax since 3.2 accepts them.
const VERSION: [i32; 3] = [3, 2, 5];
const HEADER_BYTES: usize = 28;
/// The number of tables of weights: one for each number of discs, including the full board.
const PLIES: usize = 61;

/// Returns the content of an Edax evaluation file with these weights.
pub fn edax(weights: &Weights) -> Result<Vec<u8>, ExportError> {
    let weights = for_set(weights, Program::Edax)?;
    let order = order(weights.geometry());
    let mut bytes = Vec::with_capacity(file_bytes(&order));
    bytes.extend(MAGIC);
    bytes.extend(VERSION.iter().flat_map(|number| number.to_le_bytes()));
    // The header ends with a date, which no program reads.
    bytes.extend(0_f64.to_le_bytes());
    for ply in 0..PLIES {
        // Edax does not evaluate a full board, so its table gets the weights of the last phase.
        let phase = Phase::new(ply.min(PHASES - 1)).expect("there are as many phases");
        let (steps, constant) = (weights.steps(phase), 0);
        // The products are below 2^14, because weights are at most 4095 steps.
        let theirs = order.iter().map(|&parameter| steps[parameter] * FINENESS as i16);
        bytes.extend(theirs.chain([constant]).flat_map(i16::to_le_bytes));
    }
    Ok(bytes)
}

/// Reads an Edax evaluation file. The file adds a constant to all values of a ply, but [`Weights`]
/// has no constants. So a quarter of the constant is added to each weight of the pattern `row 2`,
/// of which every position has four instances.
pub fn read_edax(bytes: &[u8]) -> Result<ReadTables, ExportError> {
    let order = order(&Geometry::new(&Program::Edax.set()));
    let refused = |reason: &str| Err(Program::Edax.refused(reason));
    if !bytes.starts_with(&MAGIC) {
        return refused("it does not begin with `XADELAVE`; name an unpacked eval.dat");
    }
    let expected = file_bytes(&order);
    if bytes.len() != expected {
        return refused(&format!("{} bytes; expected {expected}", bytes.len()));
    }
    let (words, _) = bytes[HEADER_BYTES..].as_chunks();
    let words: Vec<i32> = words.iter().map(|&word| i16::from_le_bytes(word).into()).collect();
    read_finer(Program::Edax, &order, |phase| {
        let ply = &words[phase.index() * (order.len() + 1)..];
        (ply[..order.len()].to_vec(), ply[order.len()])
    })
}

fn order(geometry: &Geometry) -> Vec<usize> {
    distinct(geometry.patterns.iter().flat_map(by_number))
}

fn file_bytes(order: &[usize]) -> usize {
    HEADER_BYTES + PLIES * (order.len() + 1) * 2
}
