use std::io::Read as _;

use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};
use othello_engine::board::{Phase, Position};
use othello_engine::eval::Weights;
use othello_trainer::export::Program::Zebra;

use super::{
    assert_equal, check_refused, check_rounded, images, number_of_disc, packing, patterns,
    positions, random_bits, shipped, squares,
};

const ZEBRA_HEADER: [i16; 14] = [5358, 9793, 12, 8, 14, 20, 26, 32, 36, 40, 44, 48, 52, 56];
const ZEBRA_WEIGHTS: usize = 113_879;

fn zebra_words(bytes: &[u8]) -> Vec<i16> {
    let mut unpacked = vec![];
    GzDecoder::new(bytes).read_to_end(&mut unpacked).unwrap();
    unpacked.chunks(2).map(|two| i16::from_be_bytes([two[0], two[1]])).collect()
}

fn zebra_file(words: &[i16]) -> Vec<u8> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let mut packed = vec![];
    GzEncoder::new(&bytes[..], Compression::fast()).read_to_end(&mut packed).unwrap();
    packed
}

/// Returns each position's sum of weights in 1/128 disc, as Zebra computes it from `bytes`.
fn zebra_sums(bytes: &[u8], positions: &[Position]) -> Vec<i32> {
    let words = zebra_words(bytes);
    assert_eq!(words[..14], ZEBRA_HEADER);
    assert_eq!(words.len(), 14 + 11 * ZEBRA_WEIGHTS);
    let patterns = patterns("zebra").into_iter().map(|[names, _, mirror]| {
        let squares = squares(names);
        (images(&squares), packing(squares.len(), mirror))
    });
    let patterns: Vec<_> = patterns.collect();
    let mut shared = [[0.0; 8]; 8];
    for &(x, y) in patterns.iter().flat_map(|(images, _)| images).flatten() {
        shared[y][x] += 1.0;
    }
    let of_disc = |position: &Position, (x, y): (usize, usize)| {
        let at = |board: u64| (board >> (8 * y + x) & 1) as f64;
        (at(position.player()) - at(position.opponent())) / shared[y][x]
    };
    let sum = |position: &Position| {
        let played = position.discs() as usize - 4;
        // Zebra rounds the number of moves up to even. It interpolates between stages.
        let valued = (played + played % 2).max(8);
        let stages: Vec<usize> = words[3..14].iter().map(|&stage| stage as usize).collect();
        let after = stages.iter().position(|&stage| stage >= valued).unwrap_or(11);
        let stage =
            |number: usize, place: usize| i32::from(words[14 + number * ZEBRA_WEIGHTS + place]) / 4;
        let between = |place: usize, full: i32| {
            let next = if after == 11 { full } else { stage(after, place) };
            let at = |number: usize| stages.get(number).copied().unwrap_or(60);
            if at(after) == valued {
                return next;
            }
            let (left, past) = (at(after) - valued, valued - at(after - 1));
            (left as i32 * stage(after - 1, place) + past as i32 * next) / (left + past) as i32
        };
        let mut sum = between(0, 0) + if played % 2 == 1 { between(1, 0) } else { 0 };
        let mut first = 2;
        for (images, pack) in &patterns {
            for image in images {
                let number = image.iter().rev().fold(0, |number, &square| {
                    let at = number_of_disc(position, square);
                    number * 3 + [0, 2, 1][at]
                });
                let discs: f64 = image.iter().map(|&square| of_disc(position, square)).sum();
                sum += between(first + pack[number], (128.0 * discs + 0.5).floor() as i32);
            }
            first += pack.iter().max().unwrap() + 1;
        }
        assert_eq!(first, ZEBRA_WEIGHTS);
        sum
    };
    positions.iter().map(sum).collect()
}

/// Returns a file in Zebra's format. Its weights are random, but the constant is 1 disc, and the
/// weight for an odd number of moves is −½ disc.
fn random_zebra_file() -> Vec<u8> {
    let mut words = ZEBRA_HEADER.to_vec();
    let mut random = random_bits().map(|bits| (bits >> 22) as i16 - 512);
    for _ in 0..11 {
        words.extend([512, -256].into_iter().chain(random.by_ref().take(ZEBRA_WEIGHTS - 2)));
    }
    zebra_file(&words)
}

#[test]
fn a_file_of_zebra_keeps_its_values_but_for_rounding() {
    let bytes = random_zebra_file();
    let positions = positions();
    let read = Zebra.read(&bytes).unwrap();
    check_rounded(&zebra_sums(&bytes, &positions), &read, &positions);
    let unpacked: Vec<u8> = zebra_words(&bytes).into_iter().flat_map(i16::to_be_bytes).collect();
    assert_equal(&Zebra.read(&unpacked).unwrap().weights, &read.weights);
}

/// If a Zebra file is imported and exported again, Zebra must compute nearly the same values.
#[test]
fn zebra_reads_our_values_out_of_its_file() {
    let bytes = random_zebra_file();
    let positions = positions();
    let mut weights = Zebra.read(&bytes).unwrap().weights;
    let theirs = zebra_sums(&bytes, &positions);
    for counted in [false, true] {
        for phase in Phase::all().filter(|_| counted) {
            weights.set_counts(phase, |parameter| (parameter % 7 * phase.index()) as u32);
        }
        let written = zebra_sums(&Zebra.write(&weights).unwrap(), &positions);
        let off: Vec<i32> = theirs.iter().zip(&written).map(|(t, w)| (t - w).abs()).collect();
        assert!(off.iter().all(|&off| off <= 64), "{:?}", off.iter().max());
        assert!(off.iter().sum::<i32>() < 12 * off.len() as i32, "{}", off.iter().sum::<i32>());
    }
    // Only the constant and the parity are not 0: even phases have value 1, odd phases value ½.
    let mut words = ZEBRA_HEADER.to_vec();
    (0..11).for_each(|_| words.extend([512, -256].into_iter().chain(vec![0; ZEBRA_WEIGHTS - 2])));
    let constant = Zebra.write(&Zebra.read(&zebra_file(&words)).unwrap().weights).unwrap();
    for (position, sum) in positions.iter().zip(zebra_sums(&constant, &positions)) {
        let expected = if position.discs() % 2 == 0 { 128 } else { 64 };
        let decided = position.discs() - 4 <= 56;
        assert!(!decided || (sum - expected).abs() <= 5, "{sum} with {} discs", position.discs());
    }
}

#[test]
fn a_weight_that_a_file_of_zebra_has_no_place_for_is_refused() {
    let mut large = Weights::zero(shipped("zebra"));
    let steps = |parameter| 3000 * (parameter == 9) as i16;
    Phase::all().for_each(|phase| large.set_steps(phase, steps));
    let message = Zebra.write(&large).unwrap_err().to_string();
    assert!(message.contains("93.75 discs; the maximum in Zebra's file is 63.99"), "{message}");
}

#[test]
fn a_damaged_file_of_zebra_is_refused_by_what_is_wrong() {
    let bytes = Zebra.write(&Weights::zero(shipped("zebra"))).unwrap();
    let check = |bytes: &[u8], expected| check_refused(Zebra, bytes, expected);
    let words = zebra_words(&bytes);
    let with = |place: usize, word: i16| {
        let mut words = words.clone();
        words[place] = word;
        zebra_file(&words)
    };
    check(b"", "word 0 is nothing; expected 5358");
    check(&with(1, 9792), "word 1 is 9792; expected 9793");
    check(&with(4, 13), "word 4 is 13; expected 14");
    check(&bytes[..99], "its packing is damaged");
    check(&zebra_file(&words[..99]), "198 bytes; expected 2505366");
    check(&zebra_file(&[&words[..], &[0]].concat()), "more than 2505366 bytes");
}
