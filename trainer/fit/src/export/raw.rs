//! Writes weights for programs in C: plain numbers, and a source file that evaluates positions.

use othello_engine::board::{PHASES, Phase};
use othello_engine::eval::{Factors, STEPS_PER_DISC, Weights};
use othello_engine::file::sha256_of;
use othello_engine::pattern::{Scalar, configurations};

/// Returns the weights as bytes. For each phase, there is a weight for each configuration of each
/// pattern, then one for each value (0, 1, …) of each scalar feature, as little-endian 16-bit words
/// in 1/32 disc. If the phases of each block of n have equal weights, a block is written only once
/// ([`c_file`] states n). Then come the factors, if any: for each group of phases that share them,
/// a vector for each of these weights, as signed bytes in 1/64 √disc.
pub fn raw(weights: &Weights) -> Vec<u8> {
    let order = order(weights);
    let mut bytes = vec![];
    for phase in Phase::all().step_by(shared_phases(weights)) {
        let steps = weights.steps(phase);
        bytes.extend(order.iter().flat_map(|&parameter| steps[parameter].to_le_bytes()));
    }
    if let Some(factors) = weights.factors() {
        let (groups, dimensions) = (factors.shape().groups(), factors.shape().dimensions());
        for vectors in (0..groups).map(|group| factors.group(group)) {
            let vector = |&parameter: &usize| &vectors[parameter * dimensions..][..dimensions];
            bytes.extend(order.iter().flat_map(vector).map(|factor| factor.cast_unsigned()));
        }
    }
    bytes
}

/// Returns the largest n such that, in each block of n successive phases, all have equal weights.
fn shared_phases(weights: &Weights) -> usize {
    let phases: Vec<Phase> = Phase::all().collect();
    let share = |phases: &[Phase]| {
        phases.windows(2).all(|pair| weights.steps(pair[0]) == weights.steps(pair[1]))
    };
    (1..=PHASES).rfind(|&number| phases.chunks(number).all(share)).unwrap_or(1)
}

/// Returns the parameter index of each weight of a phase, in the order of the raw file. The
/// configurations of a class share an index.
fn order(weights: &Weights) -> Vec<usize> {
    let geometry = weights.geometry();
    let of_patterns = geometry.patterns.iter().flat_map(|pattern| {
        pattern.class_of.iter().map(|&class| pattern.first_parameter + usize::from(class))
    });
    of_patterns.chain(geometry.pattern_parameters..geometry.parameters()).collect()
}

/// The size in bytes up to which C source includes the weights. Larger tables compile too slowly:
/// a compiler takes 1.3 s for a million numbers.
const MOST_BYTES: usize = 4 << 20;

/// Returns C source code that evaluates positions by these weights, also incrementally after moves.
/// All names begin with `prefix`, a C identifier. The code includes weights of up to 4 MiB. For
/// larger ones, the C program must either read the file that [`raw`] makes or be compiled with the
/// path of this file as `PREFIX_FILE`.
pub fn c_file(weights: &Weights, prefix: &str) -> String {
    let bytes = raw(weights);
    let geometry = weights.geometry();
    let patterns: Vec<usize> = geometry.patterns.iter().map(|it| it.class_of.len()).collect();
    let first = |pattern: usize| patterns[..pattern].iter().sum::<usize>();
    let mut touched = vec![vec![]; 64];
    let mut rows = String::new();
    for (number, instance) in geometry.instances.iter().enumerate() {
        let squares: Vec<usize> = instance.squares.iter().map(|square| square.index()).collect();
        for (digit, &square) in squares.iter().enumerate() {
            touched[square].push(format!("{{{number}, {}}}", configurations(digit)));
        }
        let empty = first(instance.pattern) + (configurations(squares.len()) - 1) / 2;
        let row = format!("{{{empty}, {}, {{{}}}}}", squares.len(), list(squares));
        rows += &format!("    {row}, /* pattern {} */\n", instance.pattern);
    }
    let at = (0..=64).map(|square| touched[..square].iter().map(Vec::len).sum::<usize>());
    let scalars = weights.set().scalars();
    let number = |own: &Scalar| Scalar::ALL.iter().position(|it| it == own).unwrap_or(0);
    let factors = weights.factors().map(Factors::shape);
    let (dimensions, shared) = factors.map_or((0, PHASES), |it| (it.dimensions(), it.phases()));
    let own_phases = shared_phases(weights);
    let (place, tables) = match bytes.len() {
        ..=MOST_BYTES => (IN_THE_FILE, table(&bytes)),
        _ => (BESIDE_THE_FILE, INCLUDED.to_owned()),
    };
    let numbers_of = [
        ("STEPS", STEPS_PER_DISC as usize),
        ("PHASES", PHASES.div_ceil(own_phases)),
        ("OWN", own_phases),
        ("BYTES", bytes.len()),
        ("OF_PHASE", order(weights).len()),
        ("FACTORS", dimensions),
        ("SHARED", shared),
        ("INSTANCES", geometry.instances.len()),
        ("SCALARS", scalars.len()),
        ("FIRST_SCALAR", patterns.iter().sum()),
        ("COUNTS", Scalar::VALUES),
    ];
    let line = |own: &Vec<String>| format!("    {},\n", own.join(", "));
    let texts = [
        ("WHERE", place.to_owned()),
        ("TABLES", tables),
        ("SHA256", sha256_of(&bytes)),
        ("ROWS", rows),
        ("SCALAR_NUMBERS", list(scalars.iter().map(number).chain([0]))),
        ("TOUCHED", touched.iter().filter(|own| !own.is_empty()).map(line).collect()),
        ("AT", list(at)),
        ("name", prefix.to_owned()),
        ("NAME", prefix.to_uppercase()),
    ];
    let numbers_of = numbers_of.map(|(key, number)| (key, number.to_string()));
    let mut text = include_str!("evaluation.h").to_owned();
    for (key, value) in texts.into_iter().chain(numbers_of) {
        text = text.replace(&format!("@{key}@"), &value);
    }
    text
}

const IN_THE_FILE: &str = "Pass @name@_weights, at the end of this file, as `weights`:";
const BESIDE_THE_FILE: &str = "`weights` are the file that `othello-trainer export --format raw` writes. Read it at run \
    time,\n * or define @NAME@_FILE as its path in quotes before this file (GCC, Clang) and pass @name@_weights:";
const INCLUDED: &str = r#"
#ifdef @NAME@_FILE
__asm__(".section .rodata\n.balign 64\n.globl @name@_weights\n@name@_weights:\n.incbin \"" @NAME@_FILE "\"\n.previous");
extern const int16_t @name@_weights[];
#endif
"#;

fn table(bytes: &[u8]) -> String {
    let words = bytes.chunks_exact(2).map(|word| i16::from_le_bytes([word[0], word[1]]));
    let words: Vec<String> = words.map(|word| word.to_string()).collect();
    let lines: Vec<String> = words.chunks(24).map(|line| line.join(",")).collect();
    format!("\nstatic const int16_t @name@_weights[] = {{\n{}}};\n", lines.join(",\n"))
}

fn list(numbers: impl IntoIterator<Item = usize>) -> String {
    let numbers: Vec<String> = numbers.into_iter().map(|number| number.to_string()).collect();
    numbers.join(", ")
}
