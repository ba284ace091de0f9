//! Reads and writes Zebra's evaluation file, `coeffs2.bin`.
//!
//! The file may be compressed by gzip. Its words are 16-bit integers, big-endian. The first words
//! are two magic numbers, the number of stages, and the number of played discs of each stage. Then
//! come the coefficients of each stage, in 1/512 disc: a constant, the parity (added to a value if
//! the number of played discs is odd), and a weight for each class of the 11 patterns of the
//! shipped set `zebra`. Zebra converts the coefficients to 1/128 disc, rounded towards zero.
//!
//! The classes of a pattern are ordered by the smallest configuration in each class, as a base-3
//! number (first square least significant; player 0, empty square 1, opponent 2).
//!
//! Our weights files have weights for every phase, Zebra's file for eleven stages. The writer fits
//! the weights of these stages to ours by least squares.

use std::io::{Read as _, Write as _};

use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};
use othello_engine::board::Phase;
use othello_engine::eval::Weights;
use othello_engine::pattern::Geometry;

use super::tables::{FINENESS, FINER_STEPS, ReadTables, distinct, for_set, read_finer};
use super::{ExportError, Program};

const MAGIC: [i16; 2] = [5358, 9793];
const GZIP: [u8; 2] = [0x1F, 0x8B];
/// The number of units of Zebra's file (1/512 disc) in one unit of Zebra's values (1/128 disc).
const WORDS_PER_STEP: i32 = 4;
const CONSTANT: usize = 0;
const PARITY: usize = 1;
const WEIGHTS: usize = 2;
const STAGE_WORDS: usize = 113_879;
/// A small number that is added to each number of training occurrences, the weight of a term in
/// means and least squares. With it, all terms count equally if all these numbers are 0 (unknown).
const FEWEST: f64 = 0.01;

/// The coefficients of a stage of Zebra's file, in 1/128 disc: the constant, the parity, then the
/// pattern weights.
type Stage = Vec<i32>;

/// Returns a file for Zebra. Its weights, interpolated between stages like in Zebra, approximate
/// `weights` by least squares: each squared difference of a parameter's weights is multiplied by
/// the parameter's number of training occurrences.
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
    // The file is not compressed, so that it does not depend on the version of a compressor.
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
    i16::try_from(number * WORDS_PER_STEP).map_err(|_| {
        let phase = Phase::new(STORED[stage]).expect("a stage is a phase");
        let most = i32::from(i16::MAX) / WORDS_PER_STEP;
        let [discs, most] = [number, most].map(|one| f64::from(one) / f64::from(FINER_STEPS));
        Program::Zebra.too_large(phase, discs, most)
    })
}

fn decided() -> impl Iterator<Item = (Phase, Between)> {
    let phases = Phase::all().map(|phase| (phase, Between::of(phase)));
    phases.filter(|(_, between)| between.is_stored())
}

/// Fits the pattern weights of `stages` by least squares, so that interpolation between stages
/// approximates `weights`. `order` lists the parameters of `weights` in the order of Zebra's file.
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

/// Fits the constant and the parity of each stage to the [`mean_residual`] of the phases: the mean
/// difference that the pattern weights of `stages` leave. The constant approximates it in even
/// phases, the sum of constant and parity in odd phases.
fn fit_constants(weights: &Weights, order: &[usize], stages: &mut [Stage]) {
    let [mut even, mut odd] = [Stages::default(), Stages::default()];
    for (phase, between) in decided() {
        let residual = mean_residual(weights, order, stages, phase);
        let positions = weights.counts(phase).iter().map(|&count| f64::from(count)).sum::<f64>();
        let parity = if phase.index() % 2 == 0 { &mut even } else { &mut odd };
        parity.add(between, residual, FEWEST + positions);
    }
    let both = even.solve().into_iter().zip(odd.solve());
    for (stage, (even, odd)) in stages.iter_mut().zip(both) {
        stage[CONSTANT] = even.round() as i32;
        stage[PARITY] = odd.round() as i32 - stage[CONSTANT];
    }
}

/// Returns the mean, over a phase's training positions, of the difference (value by `weights`) −
/// (value by the pattern weights that Zebra interpolates from `stages`), in 1/128 disc.
fn mean_residual(weights: &Weights, order: &[usize], stages: &[Stage], phase: Phase) -> f64 {
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

/// Reads Zebra's evaluation file. Every phase gets the weights that Zebra interpolates from the
/// file's stages. Zebra also adds a constant to each value, and the parity in odd phases. We have
/// no such constant, so a quarter of it (with the parity, in odd phases) is added to each weight of
/// the pattern `row 2`: each position has four instances of this pattern.
pub fn read_zebra(bytes: &[u8]) -> Result<ReadTables, ExportError> {
    // A file of another format is refused before anything large is allocated.
    let words = words(bytes)?;
    let geometry = Geometry::new(&Program::Zebra.set());
    let order = order(&geometry);
    let stages = words[header().len()..].chunks_exact(STAGE_WORDS);
    let stages = stages.map(|stage| stage.iter().map(|word| word / WORDS_PER_STEP).collect());
    let stages: Vec<Stage> = stages.chain([full_board(&geometry, &order)]).collect();
    read_finer(Program::Zebra, &order, |phase| {
        let number = |place: usize| Between::of(phase).blend(|stage| stages[stage][place]);
        let parity = if phase.index() % 2 == 1 { number(PARITY) } else { 0 };
        let theirs = (0..order.len()).map(|place| number(WEIGHTS + place));
        (theirs.collect(), number(CONSTANT) + parity)
    })
}

fn words(bytes: &[u8]) -> Result<Vec<i32>, ExportError> {
    let expected = 2 * (header().len() + STORED.len() * STAGE_WORDS);
    // One byte more than allowed shows that a file is too long.
    let most = expected as u64 + 1;
    let mut unpacked = vec![];
    let read = match bytes.starts_with(&GZIP) {
        true => MultiGzDecoder::new(bytes).take(most).read_to_end(&mut unpacked),
        false => bytes.take(most).read_to_end(&mut unpacked),
    };
    let refused = |reason| Err(Program::Zebra.refused(reason));
    if let Err(error) = read {
        return refused(format!("its packing is damaged: {error}"));
    }
    let (words, _) = unpacked.as_chunks();
    let words: Vec<i32> = words.iter().map(|&word| i16::from_be_bytes(word).into()).collect();
    for (place, expected) in header().into_iter().map(i32::from).enumerate() {
        let found = words.get(place);
        if found != Some(&expected) {
            let found = found.map_or("nothing".to_owned(), i32::to_string);
            return refused(format!(
                "word {place} is {found}; expected {expected}; name a coeffs2.bin"
            ));
        }
    }
    match unpacked.len() {
        found if found == expected => Ok(words),
        found if found > expected => refused(format!("more than {expected} bytes")),
        found => refused(format!("{found} bytes; expected {expected}")),
    }
}

/// Returns the coefficients of the full board's stage, which Zebra's file lacks. A value by them is
/// the disc difference: each disc counts ±1, divided equally among the pattern instances that
/// contain its square.
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
    distinct(geometry.patterns.iter().flat_map(|pattern| {
        // Zebra's digit for a square is 2 minus ours, so its configurations have the reverse order.
        let classes = pattern.class_of.iter().rev();
        classes.map(|&class| pattern.first_parameter + usize::from(class))
    }))
}

/// The numbers of played discs (without the first four) for which Zebra's file has weights.
const STORED: [usize; 11] = [8, 14, 20, 26, 32, 36, 40, 44, 48, 52, 56];
/// The number of played discs of the last stage, the full board. The file has no weights for it.
const FULL: usize = 60;

/// The interpolation by which Zebra gets the weights of a phase: a weighted mean of two stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Between {
    /// The index in [`STORED`] of the earlier stage; `STORED.len()` is the stage of the full board.
    before: usize,
    /// The weights that the stages `before` and `before + 1` have in the mean. Their sum need not
    /// be 1, since the mean is divided by it.
    shares: [i32; 2],
}

impl Between {
    /// Returns the interpolation for `phase`, as in Zebra: the same for an odd phase and the next
    /// even one, and for all phases up to 8.
    fn of(phase: Phase) -> Self {
        let valued = (phase.index() + phase.index() % 2).max(STORED[0]);
        let stage = |number: usize| STORED.get(number).copied().unwrap_or(FULL);
        let before = STORED.iter().filter(|&&stage| stage <= valued).count() - 1;
        match valued - stage(before) {
            0 => Self { before, shares: [1, 0] },
            _ if valued == FULL => Self { before: STORED.len(), shares: [1, 0] },
            past => Self { before, shares: [(stage(before + 1) - valued) as i32, past as i32] },
        }
    }

    fn is_stored(self) -> bool {
        self.before + usize::from(self.shares[1] > 0) < STORED.len()
    }

    /// Returns the weighted mean of `weight(stage)` over the two stages, rounded towards 0 like in
    /// Zebra.
    fn blend(self, weight: impl Fn(usize) -> i32) -> i32 {
        let [own, next] = self.shares;
        let of_next = if next > 0 { next * weight(self.before + 1) } else { 0 };
        (own * weight(self.before) + of_next) / (own + next)
    }
}

/// A least-squares problem: to find a number for each stage of Zebra's file, such as a parameter's
/// weight, so that interpolation between the stages approximates a given number for each phase.
#[derive(Default)]
struct Stages {
    diagonal: [f64; STORED.len()],
    beside: [f64; STORED.len()],
    right: [f64; STORED.len()],
}

impl Stages {
    /// Adds a phase to the problem: `weight` times the squared difference of `number` and its
    /// approximation, interpolated by `between`. `between` must not include the full board.
    fn add(&mut self, between: Between, number: f64, weight: f64) {
        let Between { before, shares: [own, next] } = between;
        let [own, next] = [own, next].map(|share| f64::from(share) / f64::from(own + next));
        self.diagonal[before] += weight * own * own;
        self.right[before] += weight * own * number;
        if next > 0.0 {
            self.diagonal[before + 1] += weight * next * next;
            self.right[before + 1] += weight * next * number;
            self.beside[before] += weight * own * next;
        }
    }

    /// Returns the fitted number of each stage. [`Self::add`] must have added the phase of each
    /// stage, with a weight above 0: otherwise the numbers may be undetermined.
    fn solve(mut self) -> [f64; STORED.len()] {
        for stage in 1..STORED.len() {
            let factor = self.beside[stage - 1] / self.diagonal[stage - 1];
            self.diagonal[stage] -= factor * self.beside[stage - 1];
            self.right[stage] -= factor * self.right[stage - 1];
        }
        let mut solved = self.right;
        for stage in (0..STORED.len()).rev() {
            if let Some(&next) = solved.get(stage + 1) {
                solved[stage] -= self.beside[stage] * next;
            }
            solved[stage] /= self.diagonal[stage];
        }
        solved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(phase: usize) -> Between {
        Between::of(Phase::new(phase).unwrap())
    }

    #[test]
    fn phases_lie_between_the_stages_that_zebra_takes() {
        assert_eq!([0, 7, 8].map(at), [Between { before: 0, shares: [1, 0] }; 3]);
        assert_eq!([9, 10].map(at), [Between { before: 0, shares: [4, 2] }; 2]);
        assert_eq!([33, 34].map(at), [Between { before: 4, shares: [2, 2] }; 2]);
        assert_eq!([55, 56].map(at), [Between { before: 10, shares: [1, 0] }; 2]);
        assert_eq!([57, 58].map(at), [Between { before: 10, shares: [2, 2] }; 2]);
        assert_eq!(at(59), Between { before: 11, shares: [1, 0] });
        assert!(Phase::all().all(|phase| Between::of(phase).is_stored() == (phase.index() <= 56)));
        let weights = [-7, 4, 0];
        assert_eq!(at(10).blend(|stage| weights[stage]), -3);
    }

    #[test]
    fn the_numbers_of_stages_are_found_again() {
        let numbers: Vec<f64> = (0..STORED.len()).map(|stage| (stage * stage) as f64).collect();
        let mut stages = Stages::default();
        for phase in Phase::all().filter(|&phase| Between::of(phase).is_stored()) {
            let between = Between::of(phase);
            let [own, next] = between.shares.map(f64::from);
            let next_number = numbers.get(between.before + 1).copied().unwrap_or_default();
            let number = (own * numbers[between.before] + next * next_number) / (own + next);
            stages.add(between, number, 1.0 + phase.index() as f64);
        }
        for (solved, number) in stages.solve().iter().zip(&numbers) {
            assert!((solved - number).abs() < 1e-9);
        }
    }
}
