//! Tests of the evaluation files of Edax, Egaroucid and Zebra. Each test evaluator reads a file as
//! its program does, and must compute the same values as our evaluation.

use othello_engine::board::{Phase, Position, Square};
use othello_engine::eval::{Evaluate as _, Tables, Weights};
use othello_engine::pattern::PatternSet;
use othello_engine::record::Game;
use othello_testing::random_games::random_moves;
use othello_trainer::export::Program;
use othello_trainer::export::tables::ReadTables;

mod zebra;

const EDAX_WEIGHTS: usize = 114_364;
const EDAX_BYTES: usize = 13_952_436;

const EGAROUCID_WEIGHTS: usize = 612_425;

/// Returns three texts for each pattern of `program`: its squares, its number of classes and its
/// mirror permutation.
fn patterns(program: &str) -> Vec<[&'static str; 3]> {
    let lines = include_str!("tables/patterns.txt").lines();
    let own = lines.filter_map(|line| line.strip_prefix(program)?.strip_prefix(": "));
    let parts = |line: &'static str| {
        let mut parts = line.split("; ");
        [(); 3].map(|()| parts.next().unwrap_or_default())
    };
    own.map(parts).collect()
}

fn squares(text: &str) -> Vec<(usize, usize)> {
    let square = |name: &str| {
        let name = name.to_ascii_lowercase();
        (usize::from(name.as_bytes()[0] - b'a'), usize::from(name.as_bytes()[1] - b'1'))
    };
    text.split(' ').map(square).collect()
}

fn images(squares: &[(usize, usize)]) -> Vec<Vec<(usize, usize)>> {
    let mut images: Vec<Vec<(usize, usize)>> = vec![];
    for symmetry in 0..8 {
        let image = squares.iter().map(|&(x, y)| {
            let (x, y) = if symmetry & 1 == 0 { (x, y) } else { (7 - x, y) };
            let (x, y) = if symmetry & 2 == 0 { (x, y) } else { (x, 7 - y) };
            if symmetry & 4 == 0 { (x, y) } else { (y, x) }
        });
        let image: Vec<_> = image.collect();
        let is_equal = |other: &Vec<_>| other.iter().all(|square| image.contains(square));
        if !images.iter().any(is_equal) {
            images.push(image);
        }
    }
    images
}

fn number(position: &Position, squares: &[(usize, usize)]) -> usize {
    squares.iter().fold(0, |number, &square| number * 3 + number_of_disc(position, square))
}

fn number_of_disc(position: &Position, (x, y): (usize, usize)) -> usize {
    let at = |board: u64| board >> (8 * y + x) & 1 == 1;
    if at(position.player()) { 0 } else { 1 + usize::from(!at(position.opponent())) }
}

/// Returns the index of each configuration's weight; mirror images have equal indices. Mirroring
/// moves digit i of a configuration to place `mirror[i]` or, if `mirror` is empty, reverses the
/// digits.
fn packing(digits: usize, mirror: &str) -> Vec<usize> {
    let mirror: Vec<u32> = match mirror {
        "" => (0..digits as u32).rev().collect(),
        mirror => mirror.split(' ').map(|digit| digit.parse().unwrap()).collect(),
    };
    let mirrored = |number: usize| -> usize {
        let digit = |place: usize| number / 3_usize.pow(place as u32) % 3;
        (0..digits).map(|place| digit(place) * 3_usize.pow(mirror[place])).sum()
    };
    let (mut pack, mut next): (Vec<usize>, _) = (vec![], 0..);
    for number in 0..3_usize.pow(digits as u32) {
        let packed = pack.get(mirrored(number)).copied();
        pack.extend(packed.or_else(|| next.next()));
    }
    pack
}

/// Returns each position's sum of weights in 1/128 disc, as Edax computes it from `bytes`.
fn edax_sums(bytes: &[u8], positions: &[Position]) -> Vec<i32> {
    assert_eq!(bytes.len(), EDAX_BYTES);
    assert_eq!(bytes[..8], [0x58, 0x41, 0x44, 0x45, 0x4C, 0x41, 0x56, 0x45]);
    let weight = |place: usize| i32::from(i16::from_le_bytes([bytes[place], bytes[place + 1]]));
    let starts = positions.iter().map(|p| 28 + 2 * EDAX_WEIGHTS * (p.discs() as usize - 4));
    let starts: Vec<usize> = starts.collect();
    let mut sums: Vec<i32> = starts.iter().map(|start| weight(start + 2 * 114_363)).collect();
    let mut first = 0;
    for [names, classes, mirror] in patterns("edax") {
        let classes: usize = classes.parse().unwrap();
        let squares = squares(names);
        let pack = packing(squares.len(), mirror);
        assert_eq!(pack.iter().max(), Some(&(classes - 1)), "{names}");
        for image in images(&squares) {
            for (sum, (position, start)) in sums.iter_mut().zip(positions.iter().zip(&starts)) {
                *sum += weight(start + 2 * (first + pack[number(position, &image)]));
            }
        }
        first += classes;
    }
    assert_eq!(first + 1, EDAX_WEIGHTS);
    sums
}

/// Returns each position's sum of weights in 1/128 disc, as Egaroucid computes it from `bytes`.
fn egaroucid_sums(bytes: &[u8], positions: &[Position]) -> Vec<i32> {
    let count = i32::from_le_bytes(bytes[..4].try_into().unwrap());
    assert_eq!(bytes.len(), 4 + 2 * count as usize);
    let words = bytes[4..].chunks(2).map(|two| i16::from_le_bytes([two[0], two[1]]));
    let unpacked = words.flat_map(|word| {
        assert!(word - 4096 <= 28_600);
        if word < 4096 { vec![word] } else { vec![0; usize::from((word - 4096) as u16)] }
    });
    let weights: Vec<i16> = unpacked.collect();
    assert_eq!(weights.len(), 60 * EGAROUCID_WEIGHTS);
    let sum = |position: &Position| {
        let mut first = EGAROUCID_WEIGHTS * (position.discs() as usize - 4);
        let mut sum = 0;
        for [names, ..] in patterns("egaroucid") {
            let images = images(&squares(names));
            assert_eq!(images.len(), 4);
            let places = images.iter().map(|image| first + number(position, image));
            sum += places.map(|place| i32::from(weights[place])).sum::<i32>();
            first += 3_usize.pow(images[0].len() as u32);
        }
        4 * (sum + i32::from(weights[first + position.player().count_ones() as usize]))
    };
    positions.iter().map(sum).collect()
}

fn positions() -> Vec<Position> {
    let steps = (0..20).flat_map(|seed| Game::new(0, &random_moves(seed)).unwrap().replay().steps);
    let positions: Vec<Position> = steps.map(|step| step.position).collect();
    assert!((4..64).all(|discs| positions.iter().any(|position| position.discs() == discs)));
    positions
}

/// Returns random weights, so small that the sum of a position's weights is never clamped.
fn weights(set: PatternSet) -> Weights {
    let mut weights = Weights::zero(set);
    for phase in Phase::all() {
        let mixed = |parameter: usize| {
            let seed = (phase.index() << 20 | parameter) as u64;
            seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40
        };
        weights.set_steps(phase, |parameter| match mixed(parameter) {
            // About a quarter of the weights are 0, and there are long runs of zeros.
            chosen if chosen % 4 == 0 || parameter % 3000 > 2500 => 0,
            chosen => (chosen % 61) as i16 - 30,
        });
    }
    weights
}

fn random_bits() -> impl Iterator<Item = u32> {
    let next = |seed: &u32| Some(seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    std::iter::successors(next(&1), next)
}

fn shipped(name: &str) -> PatternSet {
    PatternSet::shipped(name).unwrap()
}

fn our_sums(weights: &Weights, positions: &[Position]) -> Vec<i32> {
    let tables = Tables::new(weights);
    positions.iter().map(|p| 4 * tables.value(&tables.state(p), p).steps()).collect()
}

fn assert_equal(one: &Weights, other: &Weights) {
    assert!(one.all_steps() == other.all_steps());
}

/// Checks that values by imported weights differ from `theirs`, the sums of the other program, only
/// by rounding: by at most 23 steps of 1/32 disc (½ for each of the 46 weights in a value), and by
/// less than 3 steps on average.
fn check_rounded(theirs: &[i32], read: &ReadTables, positions: &[Position]) {
    let ours = our_sums(&read.weights, positions);
    let off: Vec<i32> = theirs.iter().zip(&ours).map(|(t, o)| (t - o).abs()).collect();
    assert!(theirs.iter().any(|sum| sum.abs() > 8 * 128));
    assert!(off.iter().all(|&off| off <= 2 * 46), "{:?}", off.iter().max());
    assert!(off.iter().sum::<i32>() < 12 * off.len() as i32);
    assert_eq!(read.rounding.largest, 2.0 / 128.0);
    assert!((0.008..0.011).contains(&read.rounding.rms), "{:?}", read.rounding);
}

#[test]
fn edax_and_egaroucid_read_our_values_out_of_their_files() {
    type Sums = fn(&[u8], &[Position]) -> Vec<i32>;
    let positions = positions();
    for (set, program, sums) in [
        ("edax", Program::Edax, edax_sums as Sums),
        ("egaroucid", Program::Egaroucid, egaroucid_sums as Sums),
        ("standard", Program::Egaroucid, egaroucid_sums as Sums),
    ] {
        let weights = weights(shipped(set));
        let bytes = program.write(&weights).unwrap();
        if set == "edax" {
            // The file also has weights for full boards, which must equal those of the last phase.
            let of_stage = |stage: usize| &bytes[28 + stage * 2 * EDAX_WEIGHTS..];
            assert_eq!(of_stage(60), &of_stage(59)[..2 * EDAX_WEIGHTS]);
        }
        let back = program.read(&bytes).unwrap();
        let ours = our_sums(&weights, &positions);
        assert!(ours.iter().any(|&sum| sum.abs() > 8 * 128));
        assert_eq!(sums(&bytes, &positions), ours, "{set}");
        assert_equal(&back.weights, &weights);
        assert_eq!(back.rounding.largest, 0.0);
    }
}

#[test]
fn a_file_of_edax_keeps_its_values_but_for_rounding() {
    let mut bytes = Program::Edax.write(&weights(shipped("edax"))).unwrap();
    let mut random = random_bits();
    for (place, weight) in bytes[28..].chunks_mut(2).enumerate() {
        let random = (random.next().unwrap() >> 24) as i16 - 128;
        let chosen = if place % EDAX_WEIGHTS == 114_363 { 300 } else { random };
        weight.copy_from_slice(&chosen.to_le_bytes());
    }
    let positions = positions();
    let read = Program::Edax.read(&bytes).unwrap();
    check_rounded(&edax_sums(&bytes, &positions), &read, &positions);
}

/// Egaroucid has separate weights for two mirrored configurations; the import takes their mean.
#[test]
fn weights_that_egaroucid_does_not_tie_become_their_mean() {
    let mut bytes = Program::Egaroucid.write(&Weights::zero(shipped("egaroucid"))).unwrap();
    // The file has one weight that is not 0: that of a configuration of phase 0 with one disc of
    // the player, on a2. Its index has the digits 022…, so it is 3^7 − 1.
    let place = 3_usize.pow(7) - 1;
    let words = [4096 + place as i16, 12, 4096 + (28_600 - place - 1) as i16];
    let words: Vec<u8> = words.into_iter().flat_map(i16::to_le_bytes).collect();
    let all = i32::from_le_bytes(bytes[..4].try_into().unwrap()) + 2;
    bytes.splice(4..6, words);
    bytes[..4].copy_from_slice(&all.to_le_bytes());
    let read = Program::Egaroucid.read(&bytes).unwrap();
    let first = read.weights.steps(Phase::new(0).unwrap());
    assert_eq!(first.iter().filter(|&&steps| steps != 0).collect::<Vec<_>>(), [&6]);
    assert_eq!(read.rounding.largest, 6.0 / 32.0);
}

#[test]
fn a_set_may_have_the_patterns_in_other_images_and_another_order() {
    let image = |names: &str| {
        let square =
            |&(x, y): &(usize, usize)| Square::at(7 - y as u8, x as u8).unwrap().to_string();
        let mut names: Vec<String> = squares(names).iter().map(square).collect();
        names.reverse();
        format!("[[pattern]]\nsquares = \"{}\"\n", names.join(" "))
    };
    let patterns: String =
        patterns("edax")[..11].iter().rev().map(|[names, ..]| image(names)).collect();
    let weights = weights(PatternSet::from_toml(&format!("name = \"other\"\n{patterns}")).unwrap());
    let positions = positions();
    let theirs = edax_sums(&Program::Edax.write(&weights).unwrap(), &positions);
    assert_eq!(theirs, our_sums(&weights, &positions));
}

#[test]
fn a_weight_that_a_file_of_egaroucid_has_no_place_for_is_refused() {
    let mut large = Weights::zero(shipped("standard"));
    large.set_steps(Phase::new(7).unwrap(), |parameter| if parameter == 99 { -4092 } else { 4091 });
    let message = Program::Egaroucid.write(&large).unwrap_err().to_string();
    let expected = "phase 7 is -127.88 discs; the maximum in Egaroucid's file";
    assert!(message.contains(expected), "{message}");
}

fn check_refused(program: Program, bytes: &[u8], expected: &str) {
    let message = program.read(bytes).unwrap_err().to_string();
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_damaged_file_is_refused_by_what_is_wrong() {
    let mut bytes = Program::Edax.write(&Weights::zero(shipped("edax"))).unwrap();
    let check = |bytes: &[u8], expected| check_refused(Program::Edax, bytes, expected);
    check(b"", "does not begin with");
    check(&bytes[..99], "99 bytes; expected 13952436");
    check(&[&bytes[..], &[0]].concat(), "13952437 bytes");
    bytes[28..30].copy_from_slice(&i16::MIN.to_le_bytes());
    check(&bytes, "phase 0 has a weight of -256.00 discs; the maximum is 127.97");

    let bytes = Program::Egaroucid.write(&Weights::zero(shipped("egaroucid"))).unwrap();
    let check = |bytes: &[u8], expected| check_refused(Program::Egaroucid, bytes, expected);
    let words = |words: &[i16]| -> Vec<u8> {
        let number = (words.len() as i32).to_le_bytes().into_iter();
        number.chain(words.iter().flat_map(|word| word.to_le_bytes())).collect()
    };
    check(&bytes[..3], "shorter than 4 bytes");
    check(&bytes[..bytes.len() - 1], "bytes follow the number of words");
    check(&words(&[5]), "1 weights; expected 36745500");
    check(&words(&[-4096]), "word 0 is a weight of -128.00 discs");
    check(&words(&[i16::MAX; 2000]), "more than 36745500 weights");
    check(&(-1_i32).to_le_bytes(), "number of words, which is -1");
}
