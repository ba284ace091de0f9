//! Sums over positions. The inner loop of a fit computes the features of a block of positions and
//! sums their weights (gather). Then it adds a number, such as the residual of the position, to the
//! sums of its parameters (scatter). `docs/log/fits.md` lists failed attempts at more speed.

use othello_engine::record::ScoredPosition;
use rayon::prelude::*;

use crate::backend::fixed::{clamped_error, combined_weight, residual};
use crate::backend::{Errors, Rows, Target};
use crate::model::{Model, Row};

/// The number of positions in a block. Their parameter indices fit in the first-level cache.
const BLOCK: usize = 16;

/// The least number of positions for each worker thread. For fewer, another thread saves no time.
const POSITIONS_PER_WORKER: usize = 1 << 17;

pub(super) fn residual_sums(
    model: &Model,
    rows: &[Rows<'_>],
    vector: &[i32],
    target: Target,
    sums: &mut [i64],
) -> u128 {
    add_by_shares(rows, sums, |rows, sums| match target {
        Target::Label => add_residuals(model, rows, vector, |row| row.label().steps(), sums),
        Target::Zero => add_residuals(model, rows, vector, |_| 0, sums),
    })
}

#[inline]
fn add_residuals(
    model: &Model,
    rows: Rows<'_>,
    vector: &[i32],
    label: impl Fn(&ScoredPosition) -> i16,
    sums: &mut [i64],
) -> u128 {
    assert_eq!((vector.len(), sums.len()), (model.parameters(), model.parameters()));
    let mut squared = 0;
    for_each_row(model, rows.positions, |row, parameters| {
        // SAFETY: indices in a row are below `Model::parameters`, the length of `vector`.
        let sum = unsafe { gather(vector, parameters) };
        let residual = i64::from(residual(label(row), sum));
        let weighted = residual * i64::from(combined_weight(row.weight().steps(), rows.factor));
        squared += (weighted * residual) as u128;
        // SAFETY: indices in a row are below `Model::parameters`, the length of `sums`.
        unsafe { scatter(sums, parameters, weighted) };
    });
    squared
}

pub(super) fn occurrences(model: &Model, rows: &[Rows<'_>], sums: &mut [i64]) {
    assert_eq!(sums.len(), model.parameters());
    add_by_shares(rows, sums, |rows, sums| {
        for_each_row(model, rows.positions, |row, parameters| {
            let weight = combined_weight(row.weight().steps(), rows.factor);
            // SAFETY: indices in a row are below `Model::parameters`, the length of `sums`.
            unsafe { scatter(sums, parameters, weight.into()) };
        });
        0
    });
}

pub(super) fn errors(model: &Model, rows: &[Rows<'_>], vector: &[i32]) -> Errors {
    assert_eq!(vector.len(), model.parameters());
    errors_by_chunks(rows, |Rows { positions, factor }| {
        let mut errors = Errors::default();
        for_each_row(model, positions, |row, parameters| {
            // SAFETY: indices in a row are below `Model::parameters`, the length of `vector`.
            let sum = unsafe { gather(vector, parameters) };
            let weight = combined_weight(row.weight().steps(), factor);
            errors.add(weight, clamped_error(row.label().steps(), sum));
        });
        errors
    })
}

pub(super) fn errors_by_chunks(
    rows: &[Rows<'_>],
    of_chunk: impl Fn(Rows<'_>) -> Errors + Sync,
) -> Errors {
    let of_rows = |&Rows { positions, factor }: &Rows<'_>| {
        let chunks = positions.par_chunks(1 << 14).map(|positions| Rows { positions, factor });
        chunks.map(&of_chunk).reduce(Errors::default, |all, more| all + more)
    };
    rows.iter().map(of_rows).fold(Errors::default(), |all, more| all + more)
}

/// Divides `rows` among workers. Each worker calls `add` for its rows, with its own array of sums.
/// Sets `sums` to the total of these arrays, and returns the total of the results of `add`.
pub(super) fn add_by_shares(
    rows: &[Rows<'_>],
    sums: &mut [i64],
    add: impl Fn(Rows<'_>, &mut [i64]) -> u128 + Sync,
) -> u128 {
    let work = |share: &[Rows<'_>], sums: &mut [i64]| -> u128 {
        share.iter().map(|&rows| add(rows, sums)).sum()
    };
    sums.fill(0);
    let shares = shares(rows);
    let Some((first, others)) = shares.split_first() else { return 0 };
    let parameters = sums.len();
    let of_others = || {
        let of_share = |share: &Vec<Rows<'_>>| {
            let mut sums = vec![0; parameters];
            let squared = work(share, &mut sums);
            (sums, squared)
        };
        others.par_iter().map(of_share).reduce_with(|(mut left, squared), (right, other)| {
            add_elements(&mut left, &right);
            (left, squared + other)
        })
    };
    let (squared, others) = rayon::join(|| work(first, sums), of_others);
    let Some((more, more_squared)) = others else { return squared };
    add_elements(sums, &more);
    squared + more_squared
}

fn add_elements(sums: &mut [i64], others: &[i64]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

fn shares<'a>(rows: &[Rows<'a>]) -> Vec<Vec<Rows<'a>>> {
    let total: usize = rows.iter().map(|rows| rows.positions.len()).sum();
    let workers = (total / POSITIONS_PER_WORKER).clamp(1, rayon::current_num_threads());
    let mut shares = vec![vec![]; workers];
    for rows in rows {
        let size = rows.positions.len().div_ceil(workers).max(1);
        for (share, positions) in shares.iter_mut().zip(rows.positions.chunks(size)) {
            share.push(Rows { positions, factor: rows.factor });
        }
    }
    shares
}

#[inline]
fn for_each_row(
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
    use crate::model::InstructionSet;
    use crate::model::tests::random_positions;

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
                let [mut sums, mut counts] = [(); 2].map(|()| vec![0; model.parameters()]);
                let mut seen = vec![];
                for_each_row(&model, &positions[..count], |row, parameters| {
                    // SAFETY: the slices have an element for each parameter of the model.
                    unsafe {
                        let sum = gather(&weights, parameters);
                        scatter(&mut sums, parameters, value(row, sum));
                        scatter(&mut counts, parameters, 1);
                        seen.push(sum);
                    }
                });
                assert!(sums == expected, "{name}, {instructions}, {count} positions");
                assert_eq!(seen, weights_of);
                assert_eq!(counts.iter().sum::<i64>() as usize, count * model.feature_count());
            }
        }
    }
}
