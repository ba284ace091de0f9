//! Generates the C header that describes a pattern set to the kernels. `positions.cuh` documents
//! the header's macros.

use std::fmt::Write as _;

use othello_engine::board::Square;
use othello_engine::pattern::{Scalar, configurations};

use crate::model::{Lane, Model};

const SQUARES_PER_WORD: usize = 4;

/// The number of base-3 digits that fit in a byte: the greatest five-digit number is 3⁵ − 1 = 242.
const DIGITS_PER_NUMBER: usize = 5;

pub(super) fn header(model: &Model) -> String {
    let lanes = model.lanes();
    let scalars = &model.geometry().scalars;
    let mut text = "// Generated from a pattern set.\n".to_owned();
    let _ = writeln!(text, "#define FEATURES {}u", lanes.len() + scalars.len());
    let dimensions = model.set().factors().map_or(0, |factors| factors.dimensions());
    let _ = writeln!(text, "#define DIMENSIONS {dimensions}u");
    let maps = write_maps(&mut text, &lanes);
    text.push_str("#define EACH_FEATURE");
    for (number, (lane, map)) in lanes.iter().zip(maps).enumerate() {
        let _ = write!(text, " \\\n    {}", lane_entry(number, lane, map));
    }
    for (number, scalar) in scalars.iter().enumerate() {
        let first = model.geometry().pattern_parameters + number * Scalar::VALUES;
        let name = scalar.to_string().to_uppercase();
        let _ = write!(text, " \\\n    {name}({}, {first}u)", lanes.len() + number);
    }
    text.push('\n');
    text
}

/// Appends to `text` a C array for the [`Lane::map`] (configuration to class) of each lane (pattern
/// instance). Successive lanes with equal maps share one array. Returns the index of each lane's
/// array; `None` for a lane without a map.
fn write_maps(text: &mut String, lanes: &[Lane]) -> Vec<Option<usize>> {
    let mut maps: Vec<&[u16]> = lanes.iter().filter_map(|lane| lane.map.as_deref()).collect();
    maps.dedup();
    for (number, map) in maps.iter().enumerate() {
        let entries: Vec<String> = map.iter().map(ToString::to_string).collect();
        let entries = entries.join(",");
        let _ = writeln!(text, "static __device__ const u16 map_{number}[] = {{{entries}}};");
    }
    let number = |map: &Vec<u16>| maps.iter().position(|other| other == map);
    lanes.iter().map(|lane| lane.map.as_ref().and_then(number)).collect()
}

fn lane_entry(number: usize, lane: &Lane, map: Option<usize>) -> String {
    let first_parameter = lane.first_parameter;
    let c = wide_number(&lane.fixed);
    match map {
        Some(map) => format!("MAPPED({number}, {first_parameter}u, {c}, map_{map})"),
        None if lane.first.is_empty() => format!("PLAIN({number}, {first_parameter}u, {c})"),
        None => {
            let (a, b) = (narrow_number(&lane.first), narrow_number(&lane.second));
            let stride = lane.fixed_stride;
            format!("PAIRED({number}, {first_parameter}u, {stride}u, {a}, {b}, {c})")
        }
    }
}

fn wide_number(squares: &[Square]) -> String {
    let (low, high) = squares.split_at(squares.len().min(DIGITS_PER_NUMBER));
    match high {
        [] => narrow_number(low),
        _ => {
            let unit = configurations(DIGITS_PER_NUMBER);
            format!("{} + {unit}u * {}", narrow_number(low), narrow_number(high))
        }
    }
}

/// Returns a C expression for the base-3 number whose digits, lowest first, are the contents (0 to
/// 2) of up to five squares. It nests calls of the kernels' macro `DOT(w, p, sum)`, which
/// multiplies the contents of the squares 4w to 4w + 3 by the bytes of `p`, and adds the products
/// to `sum`. Each byte of `p` is a power of 3, or 0 for another square.
fn narrow_number(squares: &[Square]) -> String {
    let mut powers = [0u32; 64 / SQUARES_PER_WORD];
    for (digit, square) in squares.iter().enumerate() {
        let byte = square.index() % SQUARES_PER_WORD;
        powers[square.index() / SQUARES_PER_WORD] |= (configurations(digit) as u32) << (8 * byte);
    }
    let touched = powers.iter().enumerate().filter(|(_, powers)| **powers != 0);
    touched
        .fold("0u".to_owned(), |sum, (word, powers)| format!("DOT({word}, {powers:#010x}u, {sum})"))
}
