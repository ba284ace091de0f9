//! The inner loop of a fit: computes the features of a block of positions, gathers their weights,
//! and adds a number of each position, such as its residual, to one sum per parameter (scatter).
//!
//! A feature (`standard` has 65) costs a gather, an addition to memory and the computation of an
//! index; see `othello-trainer bench`. `docs/log/fits.md` lists failed attempts to make it faster.

use othello_engine::record::ScoredPosition;

use crate::model::{Model, Row};

/// The number of positions in a block. Their parameter indices fit in the first-level cache.
const BLOCK: usize = 16;

/// Calls `value` with each position and the sum of the weights of its parameters, and adds the
/// result to the position's parameters in `sums`.
#[inline]
pub(super) fn gather_and_scatter(
    model: &Model,
    positions: &[ScoredPosition],
    weights: &[i32],
    sums: &mut [i64],
    mut value: impl FnMut(&ScoredPosition, i32) -> i64,
) {
    assert_eq!((weights.len(), sums.len()), (model.parameters(), model.parameters()));
    for_each_row(model, positions, |position, row| {
        // SAFETY: indices in a row are below `Model::parameters`, the length of both slices.
        unsafe {
            let value = value(position, gather(weights, row));
            scatter(sums, row, value);
        }
    });
}

/// Calls `visit` with each position and the sum of the weights of its parameters.
#[inline]
pub(super) fn gather_all(
    model: &Model,
    positions: &[ScoredPosition],
    weights: &[i32],
    mut visit: impl FnMut(&ScoredPosition, i32),
) {
    assert_eq!(weights.len(), model.parameters());
    for_each_row(model, positions, |position, row| {
        // SAFETY: indices in a row are below `Model::parameters`, the length of `weights`.
        visit(position, unsafe { gather(weights, row) });
    });
}

/// For each position, adds the result of `value` to the sums of its parameters.
#[inline]
pub(super) fn scatter_all(
    model: &Model,
    positions: &[ScoredPosition],
    sums: &mut [i64],
    mut value: impl FnMut(&ScoredPosition) -> i64,
) {
    assert_eq!(sums.len(), model.parameters());
    for_each_row(model, positions, |position, row| {
        // SAFETY: a row contains parameter indices below `Model::parameters`, the length of `sums`.
        unsafe { scatter(sums, row, value(position)) };
    });
}

#[inline]
pub(super) fn for_each_row(
    model: &Model,
    positions: &[ScoredPosition],
    mut work: impl FnMut(&ScoredPosition, &[u32]),
) {
    let mut rows = [Row::EMPTY; BLOCK];
    for positions in positions.chunks(BLOCK) {
        let rows = &mut rows[..positions.len()];
        model.write_rows(positions.iter().map(ScoredPosition::position), rows);
        for (position, row) in positions.iter().zip(rows) {
            work(position, row.features(model));
        }
    }
}

/// Returns the sum of the elements of `weights` at the indices `parameters`.
///
/// # Safety
///
/// Every parameter must be below the length of `weights`.
#[inline]
pub unsafe fn gather(weights: &[i32], parameters: &[u32]) -> i32 {
    const WAYS: usize = 4;
    let weights = weights.as_ptr();
    // SAFETY: the caller guarantees that the indices are in range. A volatile read is a plain load,
    // in the order of the code. Without it, compilers turn the loop into vector gathers, which run
    // up to 2.7 times slower.
    let weight = |&parameter: &u32| unsafe { weights.add(parameter as usize).read_volatile() };
    let (groups, rest) = parameters.as_chunks::<WAYS>();
    let mut sums = [0i32; WAYS];
    for group in groups {
        for (sum, parameter) in sums.iter_mut().zip(group) {
            *sum = sum.wrapping_add(weight(parameter));
        }
    }
    // A sum of `MAX_FEATURES` weights fits into 32 bits, and its order does not matter.
    sums.into_iter().chain(rest.iter().map(weight)).fold(0, i32::wrapping_add)
}

/// Adds `value` to the elements of `sums` at the indices `parameters`.
///
/// # Safety
///
/// Every parameter must be below the length of `sums`.
#[inline]
pub unsafe fn scatter(sums: &mut [i64], parameters: &[u32], value: i64) {
    for &parameter in parameters {
        // SAFETY: the caller guarantees that the indices are in range.
        unsafe { *sums.get_unchecked_mut(parameter as usize) += value };
    }
}

#[cfg(test)]
mod tests {
    use othello_engine::pattern::PatternSet;
    use othello_engine::record::{Label, Weight};

    use super::*;
    use crate::model::{InstructionSet, random_positions};

    /// The last block can have fewer positions than the others. Its positions must also count.
    #[test]
    fn blocks_gather_and_scatter_what_plain_loops_do() {
        let row = |(number, position)| {
            let label = Label::new((number as i16 % 100) * 99).unwrap();
            ScoredPosition::new(position, label, Weight::ONE)
        };
        let positions = random_positions(3).into_iter().enumerate();
        let positions: Vec<ScoredPosition> = positions.map(row).collect();
        for (name, instructions) in ["standard", "small"]
            .iter()
            .flat_map(|n| InstructionSet::available().map(move |i| (n, i)))
        {
            let set = PatternSet::shipped(name).unwrap();
            let model = Model::with_instructions(set, instructions);
            let weights: Vec<i32> =
                (0..model.parameters() as i32).map(|p| p.wrapping_mul(0x9E3779B) >> 8).collect();
            for count in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 3] {
                let value =
                    |row: &ScoredPosition, sum| i64::from(row.label().steps()) - i64::from(sum);
                let mut expected = vec![0; model.parameters()];
                let mut weights_of = vec![];
                for row in &positions[..count] {
                    let features = model.features(&row.position());
                    let parameters = || features.iter().map(|&p| p as usize);
                    let sum = parameters().map(|p| weights[p]).sum();
                    parameters().for_each(|p| expected[p] += value(row, sum));
                    weights_of.push(sum);
                }
                let mut sums = vec![0; model.parameters()];
                gather_and_scatter(&model, &positions[..count], &weights, &mut sums, value);
                assert!(sums == expected, "{name}, {instructions}, {count} positions");
                let mut seen = vec![];
                gather_all(&model, &positions[..count], &weights, |_, sum| seen.push(sum));
                assert_eq!(seen, weights_of);
                let mut counts = vec![0; model.parameters()];
                scatter_all(&model, &positions[..count], &mut counts, |_| 1);
                assert_eq!(counts.iter().sum::<i64>() as usize, count * model.feature_count());
            }
        }
    }
}
