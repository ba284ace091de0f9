//! Weights without a container: 16-bit words, and a C header that says where each of them is. For engines that
//! want neither a library to unpack with nor classes.

use std::fmt::Write as _;

use othello_engine::board::{PHASES, Phase};
use othello_engine::eval::{STEPS_PER_DISC, Weights};
use othello_engine::pattern::Scalar;

/// The weights as little-endian words, in steps: phase by phase, for each pattern by configuration, then for
/// each scalar feature by count.
pub fn raw(weights: &Weights) -> Vec<u8> {
    let order = order(weights);
    let mut bytes = Vec::with_capacity(2 * PHASES * order.len());
    for phase in Phase::all() {
        let steps = weights.steps(phase);
        bytes.extend(order.iter().flat_map(|&parameter| steps[parameter].to_le_bytes()));
    }
    bytes
}

/// The parameters of a phase in the order of the file.
fn order(weights: &Weights) -> Vec<usize> {
    let geometry = weights.geometry();
    let of_pattern = |pattern: &othello_engine::pattern::PatternGeometry| {
        let first = pattern.first_parameter;
        pattern.class_of.iter().map(|&class| first + usize::from(class)).collect::<Vec<_>>()
    };
    let of_scalars = geometry.pattern_parameters..geometry.parameters();
    geometry.patterns.iter().flat_map(of_pattern).chain(of_scalars).collect()
}

/// The C header for the words of [`raw`], which have this checksum.
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
        weights.set().scalars().iter().map(|scalar| format!("\"{}\"", scalar.name())).collect();
    let weights_of_phase = order(weights).len();
    let patterns: usize = geometry.patterns.iter().map(|pattern| pattern.class_of.len()).sum();
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        r"/* Weights of an Othello evaluation, as `othello-trainer export --format raw` writes them: little-endian
 * int16_t in steps of 1/{STEPS_PER_DISC} disc, {weights_of_phase} for each of {PHASES} phases, {bytes} bytes in all.
 * The SHA-256 of the file is {sha256}. */
#ifndef OTHELLO_WEIGHTS_H
#define OTHELLO_WEIGHTS_H
#include <stdint.h>

#define OTHELLO_PHASES {PHASES}
#define OTHELLO_STEPS_PER_DISC {STEPS_PER_DISC}
#define OTHELLO_WEIGHTS_OF_PHASE {weights_of_phase}
#define OTHELLO_INSTANCES {instances}
#define OTHELLO_SCALARS {scalars}
#define OTHELLO_FIRST_SCALAR {patterns}
#define OTHELLO_COUNTS {counts}

/* The instances of the patterns: where in a phase their weights begin, and their squares, a1 = 0, h1 = 7, h8 = 63. */
static const struct {{ int32_t first; int8_t count; int8_t squares[10]; }} othello_instances[OTHELLO_INSTANCES] = {{
{rows}}};

/* The scalar features, after the patterns: OTHELLO_COUNTS weights each, by count. */
static const char *const othello_scalars[OTHELLO_SCALARS + 1] = {{{names}}};

/* The value of a position in steps for the player, who has a legal move; bit 0 is a1. `counts` has one number for
 * each scalar feature. */
static inline int othello_value(const int16_t *weights, uint64_t player, uint64_t opponent, const int *counts) {{
    int phase = -4, digits[64], sum = 0;
    for (int s = 0; s < 64; s++) {{
        int own = (int)(player >> s & 1), other = (int)(opponent >> s & 1);
        digits[s] = 1 + own - other; /* opponent 0, empty 1, player 2 */
        phase += own + other;
    }}
    weights += (int64_t)phase * OTHELLO_WEIGHTS_OF_PHASE;
    for (int i = 0; i < OTHELLO_INSTANCES; i++) {{
        int configuration = 0; /* the first square is the least significant digit */
        for (int k = othello_instances[i].count - 1; k >= 0; k--)
            configuration = 3 * configuration + digits[othello_instances[i].squares[k]];
        sum += weights[othello_instances[i].first + configuration];
    }}
    for (int k = 0; k < OTHELLO_SCALARS; k++)
        sum += weights[OTHELLO_FIRST_SCALAR + OTHELLO_COUNTS * k + counts[k]];
    int most = 64 * OTHELLO_STEPS_PER_DISC;
    return sum > most ? most : sum < -most ? -most : sum;
}}
#endif
",
        bytes = 2 * PHASES * weights_of_phase,
        instances = geometry.instances.len(),
        scalars = names.len(),
        counts = Scalar::VALUES,
        names = if names.is_empty() { "0".to_owned() } else { names.join(", ") },
    );
    text
}
