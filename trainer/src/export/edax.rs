//! Reads and writes Edax's evaluation file, `eval.dat`.
//!
//! The file has 28 bytes of header. Then follow, for each of 61 plies, a weight in 1/128 disc
//! (`i16`) for each class of the 12 patterns of the shipped set `edax`, and a constant that is
//! always added. Integers are little-endian.
//!
//! The classes of a pattern are numbered by the first of their configurations in ascending order.
//! That is all that Edax's packing does.

use othello_engine::board::{PHASES, Phase};
use othello_engine::eval::{MAX_STEPS, STEPS_PER_DISC, Weights, weight_in_discs};
use othello_engine::pattern::{Geometry, PatternGeometry, PatternSet};

use super::tables::{Differences, ReadTables, TableError, classes_by_number, for_set, nearest};

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"XADELAVE";
/// The version, release and build that the file states: those that every Edax since 3.2 accepts.
const VERSION: [i32; 3] = [3, 2, 5];
const HEADER_BYTES: usize = 28;
/// The number of sets of weights: one for each number of discs, including the full board.
const PLIES: usize = 61;
/// The number of Edax's steps in one of ours.
const FINENESS: i32 = 128 / STEPS_PER_DISC;
/// The pattern that takes the constant, by its place in the set, and the number of its instances.
const WITH_CONSTANT: (usize, i32) = (4, 4);

/// Returns the file with these weights. Its units are finer than ours, so nothing is rounded.
pub fn edax(weights: &Weights) -> Result<Vec<u8>, TableError> {
    let weights = for_set(weights, set(), "Edax")?;
    let order = order(weights.geometry());
    let mut bytes = Vec::with_capacity(file_bytes(&order));
    bytes.extend(MAGIC);
    bytes.extend(VERSION.iter().flat_map(|number| number.to_le_bytes()));
    // The date, which nobody reads.
    bytes.extend(0_f64.to_le_bytes());
    for ply in 0..PLIES {
        // The full board is scored, not evaluated.
        let phase = Phase::new(ply.min(PHASES - 1)).expect("there are as many phases");
        let steps = weights.steps(phase);
        let constant = 0_i16;
        // Below 2^14: weights are at most 4095 steps.
        let theirs = order.iter().map(|&parameter| steps[parameter] * FINENESS as i16);
        bytes.extend(theirs.chain([constant]).flat_map(i16::to_le_bytes));
    }
    Ok(bytes)
}

/// Reads a file. A share of the constant becomes part of each weight of row 2, of which every
/// position has four configurations.
pub fn read_edax(bytes: &[u8]) -> Result<ReadTables, TableError> {
    let mut weights = Weights::zero(set());
    let order = order(weights.geometry());
    check(bytes, file_bytes(&order))?;
    let mut differences = Differences::default();
    let plies = bytes[HEADER_BYTES..].chunks_exact(2 * (order.len() + 1));
    for (phase, ply) in Phase::all().zip(plies) {
        let theirs: Vec<i32> =
            ply.chunks_exact(2).map(|two| i16::from_le_bytes([two[0], two[1]]).into()).collect();
        let row = &weights.geometry().patterns[WITH_CONSTANT.0];
        let row = row.first_parameter..row.first_parameter + row.classes;
        let constant = theirs[order.len()];
        let mut steps = vec![0; order.len()];
        for (&parameter, &weight) in order.iter().zip(&theirs) {
            let share = if row.contains(&parameter) { constant } else { 0 };
            let (dividend, divisor) =
                (weight * WITH_CONSTANT.1 + share, WITH_CONSTANT.1 * FINENESS);
            let discs = f64::from(dividend) / f64::from(divisor * STEPS_PER_DISC);
            steps[parameter] = held(nearest(dividend, divisor), phase, discs)?;
            differences.add(steps[parameter], discs);
        }
        weights.set_steps(phase, |parameter| steps[parameter]);
    }
    Ok(ReadTables { weights, rounding: differences.rounding() })
}

/// Returns a weight in steps if our files can hold it.
fn held(steps: i32, phase: Phase, discs: f64) -> Result<i16, TableError> {
    let most = weight_in_discs(MAX_STEPS);
    let held = i16::try_from(steps).ok().filter(|steps| (-MAX_STEPS..=MAX_STEPS).contains(steps));
    held.ok_or_else(|| {
        refused(format!(
            "phase {phase} has a weight of {discs:.2} discs; at most {most:.2} can be held"
        ))
    })
}

fn check(bytes: &[u8], expected: usize) -> Result<(), TableError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(refused(
            "it does not begin with `XADELAVE`; name an unpacked eval.dat".to_owned(),
        ));
    }
    if bytes.len() != expected {
        return Err(refused(format!("{} bytes; expected {expected}", bytes.len())));
    }
    Ok(())
}

fn refused(reason: String) -> TableError {
    TableError::Format { expected: "evaluation file of Edax", reason }
}

/// Returns the patterns of Edax.
fn set() -> PatternSet {
    PatternSet::shipped("edax").expect("the set is shipped")
}

/// Returns the parameters of a ply in the order of the file, without the constant.
fn order(geometry: &Geometry) -> Vec<usize> {
    geometry.patterns.iter().flat_map(packed).collect()
}

fn packed(pattern: &PatternGeometry) -> Vec<usize> {
    let mut met = vec![false; pattern.classes];
    let mut order = classes_by_number(pattern);
    order.retain(|&class| !std::mem::replace(&mut met[class], true));
    order.iter().map(|class| pattern.first_parameter + class).collect()
}

fn file_bytes(order: &[usize]) -> usize {
    HEADER_BYTES + PLIES * (order.len() + 1) * 2
}
