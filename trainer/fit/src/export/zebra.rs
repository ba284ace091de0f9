//! Reads and writes Zebra's evaluation file, `coeffs2.bin`.
//!
//! The file may be compressed by gzip. Its words are 16-bit integers, big-endian: two magic
//! numbers, the number of stages, and the stages that follow, as numbers of discs played. Then it
//! has for each of these a constant, the parity, and a weight for each class of the 11 patterns of
//! the shipped set `zebra`, all in 1/512 disc. Zebra converts them to 1/128 disc, rounded towards
//! 0. It adds the parity at odd numbers of played discs.
//!
//! The classes of a pattern are numbered by the first of their configurations in ascending order;
//! 0 is a disc of the player, 1 an empty square, 2 a disc of the opponent, and the first square is
//! the least significant.
//!
//! We have weights for every phase, Zebra for eleven, so the writer fits the eleven to ours.

use std::io::{Read as _, Write as _};

use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};
use othello_engine::board::Phase;
use othello_engine::eval::Weights;
use othello_engine::pattern::Geometry;

use super::error::ExportError;
use super::finer::{FINENESS, FINER_STEPS, FinerTables};
use super::program::Program;
use super::stages::{Between, STORED, Stages};
use super::tables::{Differences, ReadTables, first_met, for_set};

const MAGIC: [i16; 2] = [5358, 9793];
const GZIP: [u8; 2] = [0x1F, 0x8B];
/// The number of units of the file in one unit of Zebra's evaluation.
const WORDS_PER_STEP: i32 = 4;
/// The index of the constant, and then of the parity, before the weights of a stage.
const CONSTANT: usize = 0;
const PARITY: usize = 1;
const WEIGHTS: usize = 2;
const STAGE_WORDS: usize = 113_879;
/// The weight of a phase in addition to its counts, in occurrences. If the counts are unknown, only
/// this matters.
const FEWEST: f64 = 0.01;

/// The numbers of a stage in 1/128 disc: constant, parity, and weights in the order of the file.
type Stage = Vec<i32>;

/// Returns the file with the weights closest to these, each occurrence counting equally.
pub fn zebra(weights: &Weights) -> Result<Vec<u8>, ExportError> {
    let weights = for_set(weights, Program::Zebra)?;
    let order = order(weights.geometry());
    let mut stages = vec![vec![0; STAGE_WORDS]; STORED.len()];
    fit_weights(&weights, &order, &mut stages);
    fit_constants(&weights, &order, &mut stages);
    let mut words = header();
    for (stage, numbers) in stages.iter().enumerate() {
        for &number in numbers {
            words.push(fitting(number, stage)?);
        }
    }
    let bytes: Vec<u8> = words.into_iter().flat_map(i16::to_be_bytes).collect();
    // Stored, so that the file is the same whatever compresses it.
    let mut packed = GzBuilder::new().write(vec![], Compression::none());
    let written = packed.write_all(&bytes).and_then(|()| packed.finish());
    written.map_err(|error| Program::Zebra.refused(error.to_string()))
}

fn header() -> Vec<i16> {
    let stages = STORED.map(|stage| stage as i16);
    // The number of stages includes the full board.
    MAGIC.into_iter().chain([STORED.len() as i16 + 1]).chain(stages).collect()
}

fn fitting(number: i32, stage: usize) -> Result<i16, ExportError> {
    i16::try_from(number * WORDS_PER_STEP).map_err(|_| ExportError::Large {
        program: Program::Zebra,
        phase: Phase::new(STORED[stage]).expect("a stage is a phase"),
        discs: f64::from(number) / f64::from(FINER_STEPS),
        most: f64::from(i16::MAX / WORDS_PER_STEP as i16) / f64::from(FINER_STEPS),
    })
}

fn decided() -> impl Iterator<Item = (Phase, Between)> {
    let phases = Phase::all().map(|phase| (phase, Between::of(phase)));
    phases.filter(|(_, between)| between.is_stored())
}

/// Fits the weights of stages to those of the phases that depend on them. Each phase counts by the
/// number of occurrences.
fn fit_weights(weights: &Weights, order: &[usize], stages: &mut [Stage]) {
    for (place, &parameter) in order.iter().enumerate() {
        let mut least_squares = Stages::default();
        for (phase, between) in decided() {
            let steps = f64::from(weights.steps(phase)[parameter]);
            let occurrences = FEWEST + f64::from(weights.counts(phase)[parameter]);
            least_squares.add(between, steps, occurrences);
        }
        for (stage, steps) in stages.iter_mut().zip(least_squares.solve()) {
            stage[WEIGHTS + place] = (steps * f64::from(FINENESS)).round() as i32;
        }
    }
}

/// Fits the constants and parities to the mean residuals of even and odd phases.
fn fit_constants(weights: &Weights, order: &[usize], stages: &mut [Stage]) {
    let [mut even, mut odd] = [Stages::default(), Stages::default()];
    for (phase, between) in decided() {
        let left = left(weights, order, stages, phase);
        let positions = weights.counts(phase).iter().map(|&count| f64::from(count)).sum::<f64>();
        let parity = if phase.index() % 2 == 0 { &mut even } else { &mut odd };
        parity.add(between, left, FEWEST + positions);
    }
    let both = even.solve().into_iter().zip(odd.solve());
    for (stage, (even, odd)) in stages.iter_mut().zip(both) {
        stage[CONSTANT] = even.round() as i32;
        stage[PARITY] = odd.round() as i32 - stage[CONSTANT];
    }
}

/// Returns the mean residual of a phase's positions with the weights of the stages, in 1/128 disc.
fn left(weights: &Weights, order: &[usize], stages: &[Stage], phase: Phase) -> f64 {
    let (geometry, between) = (weights.geometry(), Between::of(phase));
    let (steps, counts) = (weights.steps(phase), weights.counts(phase));
    let mut places = order.iter().enumerate();
    let means = geometry.patterns.iter().map(|pattern| {
        let (mut sum, mut number) = (0.0, 0.0);
        for (place, &parameter) in places.by_ref().take(pattern.classes) {
            let there = between.blend(|stage| stages[stage][WEIGHTS + place]);
            let difference = i32::from(steps[parameter]) * FINENESS - there;
            let occurrences = FEWEST + f64::from(counts[parameter]);
            sum += occurrences * f64::from(difference);
            number += occurrences;
        }
        sum / number
    });
    let means: Vec<f64> = means.collect();
    geometry.instances.iter().map(|instance| means[instance.pattern]).sum()
}

/// Reads a file. Every phase gets the weights with which Zebra evaluates it; constant and parity
/// are distributed over the four weights of row 2.
pub fn read_zebra(bytes: &[u8]) -> Result<ReadTables, ExportError> {
    // A file of another format is refused before anything large is allocated.
    let words = words(bytes)?;
    let mut weights = Weights::zero(Program::Zebra.set());
    let order = order(weights.geometry());
    let stages = words[header().len()..].chunks_exact(STAGE_WORDS);
    let stages = stages.map(|stage| stage.iter().map(|word| word / WORDS_PER_STEP).collect());
    let mut stages: Vec<Stage> = stages.collect();
    stages.push(full_board(weights.geometry(), &order));
    let mut tables =
        FinerTables { weights: &mut weights, order: &order, differences: Differences::default() };
    for phase in Phase::all() {
        let number = |place: usize| Between::of(phase).blend(|stage| stages[stage][place]);
        let theirs: Vec<i32> = (0..order.len()).map(|place| number(WEIGHTS + place)).collect();
        let parity = if phase.index() % 2 == 1 { number(PARITY) } else { 0 };
        tables
            .set(phase, &theirs, number(CONSTANT) + parity)
            .map_err(|reason| Program::Zebra.refused(reason))?;
    }
    let rounding = tables.differences.rounding();
    Ok(ReadTables { weights, rounding })
}

/// Returns the words of a file after checking their number.
fn words(bytes: &[u8]) -> Result<Vec<i32>, ExportError> {
    let expected = header().len() + STORED.len() * STAGE_WORDS;
    let mut unpacked = vec![];
    if bytes.starts_with(&GZIP) {
        // One byte more than allowed is enough to recognise a file that is too long.
        let mut reader = MultiGzDecoder::new(bytes).take(2 * expected as u64 + 1);
        let read = reader.read_to_end(&mut unpacked);
        read.map_err(|error| Program::Zebra.refused(format!("its packing is damaged: {error}")))?;
    } else {
        unpacked.extend_from_slice(&bytes[..bytes.len().min(2 * expected + 1)]);
    }
    let words = unpacked.chunks_exact(2).map(|two| i32::from(i16::from_be_bytes([two[0], two[1]])));
    let words: Vec<i32> = words.collect();
    let header = header().into_iter().map(i32::from);
    let differs = header.enumerate().find(|&(place, word)| words.get(place) != Some(&word));
    if let Some((place, expected)) = differs {
        let found = words.get(place).map_or("nothing".to_owned(), i32::to_string);
        let reason = format!("word {place} is {found}; expected {expected}; name a coeffs2.bin");
        return Err(Program::Zebra.refused(reason));
    }
    match unpacked.len() {
        found if found == 2 * expected => Ok(words),
        found if found > 2 * expected => {
            Err(Program::Zebra.refused(format!("more than {} bytes", 2 * expected)))
        }
        found => Err(Program::Zebra.refused(format!("{found} bytes; expected {}", 2 * expected))),
    }
}

/// Returns the stage of the full board: each disc counts as one, distributed over the instances
/// that include its square.
fn full_board(geometry: &Geometry, order: &[usize]) -> Stage {
    let mut instances = [0; 64];
    let all = geometry.instances.iter().flat_map(|instance| &instance.squares);
    all.for_each(|square| instances[square.index()] += 1);
    let mut by_parameter = vec![0; geometry.parameters()];
    for (number, pattern) in geometry.patterns.iter().enumerate() {
        let instance = geometry.instances.iter().find(|instance| instance.pattern == number);
        let squares = instance.map_or(&[][..], |instance| &instance.squares);
        let parts = squares.iter().map(|square| 1.0 / f64::from(instances[square.index()]));
        let parts: Vec<f64> = parts.collect();
        for (index, &class) in pattern.class_of.iter().enumerate() {
            let digits = parts.iter().scan(index, |rest, part| {
                let digit = *rest % 3;
                *rest /= 3;
                Some(part * (digit as f64 - 1.0))
            });
            let discs: f64 = digits.sum();
            by_parameter[pattern.first_parameter + usize::from(class)] =
                (discs * f64::from(FINER_STEPS) + 0.5).floor() as i32;
        }
    }
    [0, 0].into_iter().chain(order.iter().map(|&parameter| by_parameter[parameter])).collect()
}

fn order(geometry: &Geometry) -> Vec<usize> {
    let in_order = geometry.patterns.iter().flat_map(|pattern| {
        // Their digits are ours in reverse: 0 for a disc of the player.
        let classes = pattern.class_of.iter().rev().map(|&class| usize::from(class));
        first_met(pattern, classes.collect())
    });
    in_order.collect()
}
