//! Reads and writes Egaroucid's evaluation file, `eval.egev2`.
//!
//! The file begins with the number of 16-bit words that follow (`i32`). A word (`i16`) below 4096
//! is a weight in 1/32 disc; the word 4096 + n represents n zeros. The weights belong to 60 phases.
//! Each phase has one table for each of the 16 patterns of the shipped set `egaroucid`, indexed by
//! the configuration as a base-3 number (first square most significant; player 0, opponent 1, empty
//! square 2), and 65 weights indexed by the player's number of discs. Integers are little-endian.

use othello_engine::board::{PHASES, Phase};
use othello_engine::eval::{MAX_STEPS, Weights, weight_in_discs};
use othello_engine::pattern::{Geometry, Scalar};

use super::tables::{Differences, ReadTables, by_number, for_set, nearest};
use super::{ExportError, Program};

/// The largest absolute value of a written weight, in 1/32 disc; a larger one is an error.
const MAX_WEIGHT: i16 = 4091;
const RUN: i16 = 4096;
/// The maximum number of zeros that one word represents; a longer sequence takes several words.
const MAX_RUN: usize = 28_600;

/// Returns an Egaroucid evaluation file with these weights, which keep their unit of 1/32 disc.
pub fn egaroucid(weights: &Weights) -> Result<Vec<u8>, ExportError> {
    let weights = for_set(weights, Program::Egaroucid)?;
    let order = order(weights.geometry());
    let mut all = Vec::with_capacity(PHASES * order.len());
    for phase in Phase::all() {
        let steps = weights.steps(phase);
        for &parameter in &order {
            all.push(fitting(steps[parameter], phase)?);
        }
    }
    let runs = all.chunk_by(|one, next| (*one, *next) == (0, 0));
    let word = |run: &[i16]| if run[0] == 0 { RUN + run.len() as i16 } else { run[0] };
    let words: Vec<i16> = runs.flat_map(|run| run.chunks(MAX_RUN)).map(word).collect();
    let number = (words.len() as i32).to_le_bytes();
    Ok(number.into_iter().chain(words.into_iter().flat_map(i16::to_le_bytes)).collect())
}

fn fitting(weight: i16, phase: Phase) -> Result<i16, ExportError> {
    if (-MAX_WEIGHT..=MAX_WEIGHT).contains(&weight) {
        return Ok(weight);
    }
    let (discs, most) = (weight_in_discs(weight), weight_in_discs(MAX_WEIGHT));
    Err(Program::Egaroucid.too_large(phase, discs, most))
}

/// Reads an Egaroucid evaluation file. A class of symmetric configurations gets the mean of their
/// weights in the file.
pub fn read_egaroucid(bytes: &[u8]) -> Result<ReadTables, ExportError> {
    // A file of another format is refused before anything large is allocated.
    let words = words(bytes)?;
    let mut weights = Weights::zero(Program::Egaroucid.set());
    let order = order(weights.geometry());
    let theirs = unpacked(words, PHASES * order.len())?;
    let mut differences = Differences::default();
    for (phase, theirs) in Phase::all().zip(theirs.chunks_exact(order.len())) {
        let mut sums = vec![(0, 0); weights.geometry().parameters()];
        for (&parameter, &weight) in order.iter().zip(theirs) {
            sums[parameter].0 += i32::from(weight);
            sums[parameter].1 += 1;
        }
        // Sum and number are doubled, because `nearest` needs an even divisor.
        let mean = |&(sum, number): &(i32, i32)| nearest(2 * sum, 2 * number.max(1)) as i16;
        let steps: Vec<i16> = sums.iter().map(mean).collect();
        for (&parameter, &weight) in order.iter().zip(theirs) {
            differences.add(steps[parameter], weight_in_discs(weight));
        }
        weights.set_steps(phase, |parameter| steps[parameter]);
    }
    Ok(ReadTables { weights, rounding: differences.rounding() })
}

fn words(bytes: &[u8]) -> Result<&[u8], ExportError> {
    let (number, words) = bytes.split_first_chunk().ok_or_else(|| {
        Program::Egaroucid.refused("it is shorter than 4 bytes, the size of its first number")
    })?;
    let (number, found) = (i32::from_le_bytes(*number), words.len());
    if i64::from(number) * 2 != found as i64 {
        let reason = format!("{found} bytes follow the number of words, which is {number}");
        return Err(Program::Egaroucid.refused(reason));
    }
    Ok(words)
}

fn unpacked(words: &[u8], expected: usize) -> Result<Vec<i16>, ExportError> {
    let mut weights = Vec::with_capacity(expected);
    for (place, word) in words.chunks_exact(2).enumerate() {
        let word = i16::from_le_bytes([word[0], word[1]]);
        let count = if word < RUN { 1 } else { (word - RUN) as usize };
        if weights.len() + count > expected {
            return Err(Program::Egaroucid.refused(format!("more than {expected} weights")));
        }
        if word < -MAX_STEPS {
            let (discs, most) = (weight_in_discs(word), weight_in_discs(MAX_STEPS));
            let reason =
                format!("word {place} is a weight of {discs:.2} discs; the maximum is {most:.2}");
            return Err(Program::Egaroucid.refused(reason));
        }
        weights.resize(weights.len() + count, if word < RUN { word } else { 0 });
    }
    if weights.len() < expected {
        let reason = format!("{} weights; expected {expected}", weights.len());
        return Err(Program::Egaroucid.refused(reason));
    }
    Ok(weights)
}

fn order(geometry: &Geometry) -> Vec<usize> {
    let discs = geometry.pattern_parameters..geometry.pattern_parameters + Scalar::VALUES;
    geometry.patterns.iter().flat_map(by_number).chain(discs).collect()
}
