//! Writes weights without a container: 16-bit words, the bytes of factors, and a C header that
//! states the place of each. This is for engines that cannot decompress and do not use classes.

use std::fmt::Write as _;

use othello_engine::board::{PHASES, Phase};
use othello_engine::eval::{Factors, STEPS_PER_DISC, Weights};
use othello_engine::pattern::Scalar;

/// Returns the weights as little-endian words, in steps: phase by phase, for each pattern by
/// configuration, then for each scalar feature by count. The vectors of factors follow, if there
/// are any: group by group in the same order, a signed byte for each factor.
pub fn raw(weights: &Weights) -> Vec<u8> {
    let order = order(weights);
    let mut bytes = Vec::with_capacity(size(weights));
    for phase in Phase::all() {
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

fn size(weights: &Weights) -> usize {
    let factors = weights.factors().map(Factors::shape);
    let factors = factors.map_or(0, |shape| shape.groups() * shape.dimensions());
    (2 * PHASES + factors) * order(weights).len()
}

/// Returns the parameters of a phase in the order of the file.
fn order(weights: &Weights) -> Vec<usize> {
    let geometry = weights.geometry();
    let of_pattern = |pattern: &othello_engine::pattern::PatternGeometry| {
        let first = pattern.first_parameter;
        pattern.class_of.iter().map(|&class| first + usize::from(class)).collect::<Vec<_>>()
    };
    let of_scalars = geometry.pattern_parameters..geometry.parameters();
    geometry.patterns.iter().flat_map(of_pattern).chain(of_scalars).collect()
}

/// Returns the C header for the bytes of [`raw`], which have this checksum.
pub fn header(weights: &Weights, sha256: &str) -> String {
    let geometry = weights.geometry();
    let sizes = geometry.patterns.iter().map(|pattern| pattern.class_of.len());
    let firsts: Vec<usize> = sizes
        .scan(0, |next, size| {
            let first = *next;
            *next += size;
            Some(first)
        })
        .collect();
    let rows = geometry.instances.iter().map(|instance| {
        let squares = instance.squares.iter().map(|square| square.index().to_string());
        let squares = squares.collect::<Vec<_>>().join(", ");
        let (first, count) = (firsts[instance.pattern], instance.squares.len());
        format!("    {{{first}, {count}, {{{squares}}}}}, /* pattern {} */\n", instance.pattern)
    });
    let rows: String = rows.collect();
    let names: Vec<String> =
        weights.set().scalars().iter().map(|scalar| format!("\"{scalar}\"")).collect();
    let weights_of_phase = order(weights).len();
    let patterns: usize = geometry.patterns.iter().map(|pattern| pattern.class_of.len()).sum();
    let factors = weights.factors().map(Factors::shape);
    let (dimensions, phases) =
        factors.map_or((0, PHASES), |shape| (shape.dimensions(), shape.phases()));
    let then = match dimensions {
        0 => String::new(),
        _ => format!(
            ";\n * then int8_t factors, {dimensions} for each of as many places, for every {phases} phases"
        ),
    };
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        r"/* Weights of an Othello evaluation, as `othello-trainer export --format raw` writes them: little-endian
 * int16_t in steps of 1/{STEPS_PER_DISC} disc, {weights_of_phase} for each of {PHASES} phases{then}.
 * The file has {bytes} bytes and the SHA-256 {sha256}. */
#ifndef OTHELLO_WEIGHTS_H
#define OTHELLO_WEIGHTS_H
#include <stdint.h>

#define OTHELLO_PHASES {PHASES}
#define OTHELLO_STEPS_PER_DISC {STEPS_PER_DISC}
#define OTHELLO_BYTES {bytes}
#define OTHELLO_WEIGHTS_OF_PHASE {weights_of_phase}
#define OTHELLO_FACTORS {dimensions}
#define OTHELLO_PHASES_OF_FACTORS {phases}
#define OTHELLO_INSTANCES {instances}
#define OTHELLO_SCALARS {scalars}
#define OTHELLO_FIRST_SCALAR {patterns}
#define OTHELLO_COUNTS {counts}

/* The instances of the patterns: where in a phase their weights begin, and their squares, a1 = 0, h1 = 7, h8 = 63. */
static const struct {{ int32_t first; int8_t count; int8_t squares[10]; }} othello_instances[OTHELLO_INSTANCES] = {{
{rows}}};

/* The scalar features, after the patterns: OTHELLO_COUNTS weights each, by count. */
static const char *const othello_scalars[OTHELLO_SCALARS + 1] = {{{names}}};

/* What is at a place of a phase: its weight, and its factors, which are added to `sums`. */
static inline int othello_part(const int16_t *weights, const int8_t *factors, int64_t place, int *sums) {{
    for (int d = 0; d < OTHELLO_FACTORS; d++)
        sums[d] += factors[OTHELLO_FACTORS * place + d];
    return weights[place];
}}

/* The value of a position in steps for the player, who has a legal move; bit 0 is a1. `counts` has one number for
 * each scalar feature. */
static inline int othello_value(const int16_t *weights, uint64_t player, uint64_t opponent, const int *counts) {{
    int phase = -4, digits[64], sum = 0, sums[OTHELLO_FACTORS + 1] = {{0}};
    for (int s = 0; s < 64; s++) {{
        int own = (int)(player >> s & 1), other = (int)(opponent >> s & 1);
        digits[s] = 1 + own - other; /* opponent 0, empty 1, player 2 */
        phase += own + other;
    }}
    const int8_t *factors = (const int8_t *)(weights + (int64_t)OTHELLO_PHASES * OTHELLO_WEIGHTS_OF_PHASE);
    factors += (int64_t)(phase / OTHELLO_PHASES_OF_FACTORS) * OTHELLO_WEIGHTS_OF_PHASE * OTHELLO_FACTORS;
    weights += (int64_t)phase * OTHELLO_WEIGHTS_OF_PHASE;
    for (int i = 0; i < OTHELLO_INSTANCES; i++) {{
        int configuration = 0; /* the first square is the least significant digit */
        for (int k = othello_instances[i].count - 1; k >= 0; k--)
            configuration = 3 * configuration + digits[othello_instances[i].squares[k]];
        sum += othello_part(weights, factors, othello_instances[i].first + configuration, sums);
    }}
    for (int k = 0; k < OTHELLO_SCALARS; k++)
        sum += othello_part(weights, factors, OTHELLO_FIRST_SCALAR + OTHELLO_COUNTS * k + counts[k], sums);
    /* Half the squares of the first half of the sums, less half those of the second half, rounded down from 1/2. */
    int64_t squares = 0;
    for (int d = 0; d < OTHELLO_FACTORS; d++)
        squares += (2 * d < OTHELLO_FACTORS ? 1 : -1) * (int64_t)sums[d] * sums[d];
    sum += (int)((squares + 128 + ((int64_t)1 << 40)) / 256 - ((int64_t)1 << 32));
    int most = 64 * OTHELLO_STEPS_PER_DISC;
    return sum > most ? most : sum < -most ? -most : sum;
}}
#endif
",
        bytes = size(weights),
        instances = geometry.instances.len(),
        scalars = names.len(),
        counts = Scalar::VALUES,
        names = if names.is_empty() { "0".to_owned() } else { names.join(", ") },
    );
    text
}
