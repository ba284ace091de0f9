//! Tests that the benchmark's kernels, run on this machine's processor, access exactly the intended
//! elements.

use othello_engine::record::{Label, ScoredPosition, Weight};
use othello_kernels::host::HostLauncher;

use super::*;
use crate::backend::kernels::program;
use crate::backend::kernels::tests::{Bring as _, NARROW, model};
use crate::backend::{
    Backend as _, Batch, Cpu, RESIDUALS_PER_DISC, Rows, Target, WEIGHTS_PER_OCCURRENCE,
};
use crate::model::{Model, random_positions};

/// Returns positions of random games with labels and weights of many sizes.
fn rows(games: u64) -> Vec<ScoredPosition> {
    let positions = random_positions(games).into_iter().enumerate();
    let row = |(number, position)| {
        let label = Label::new((number as i16 % 300 - 150) * 109).unwrap();
        ScoredPosition::new(position, label, Weight::new(1 + number as u16 % 200).unwrap())
    };
    positions.map(row).collect()
}

/// Returns weights between −4 and 4 discs, no two neighbours equal.
fn weights(model: &Model) -> Vec<i32> {
    (0..model.parameters() as i32).map(|p| p.wrapping_mul(0x9E37_79B1_u32 as i32) >> 11).collect()
}

#[test]
fn limits_touch_every_feature_of_every_position_once() {
    for (name, limits) in [("standard", None), ("small", None), ("small", Some(NARROW))] {
        let model = model(name);
        let (rows, weights) = (rows(9), weights(&model));
        let launcher = HostLauncher::bring(&program(&model), limits);
        let mut kernels = LimitKernels::new(&model, &launcher, &rows, &weights).unwrap();
        kernels.verify().unwrap();

        // Computed by plain loops over the positions.
        let mut added = vec![0u64; model.parameters()];
        let (mut numbers, mut gathered) = (0u64, 0i64);
        for (at, row) in rows.iter().enumerate() {
            for &parameter in model.features(&row.position()).parameters() {
                numbers += u64::from(parameter);
                gathered += i64::from(weights[parameter as usize]);
                added[parameter as usize] += 1 + at as u64 % 16;
            }
        }
        assert_eq!(kernels.checksum(Limit::IndexOnly).unwrap(), numbers, "{name}");
        assert_eq!(kernels.checksum(Limit::GlobalGathers).unwrap(), gathered as u64, "{name}");
        kernels.checksum(Limit::GlobalAtomics).unwrap();
        assert!(kernels.sums().unwrap() == added, "{name}");
    }
}

#[test]
fn a_limit_that_leaves_something_out_is_found() {
    let model = model("small");
    let (rows, weights) = (rows(2), weights(&model));
    for (from, to, kernel) in [
        ("sum += parameters[feature];", "sum += 1;", "index_only"),
        (
            "sum += weights[parameters[feature * count",
            "sum += weights[parameters[0 * count",
            "global_g",
        ),
        (
            "found[feature] = parameters[feature",
            "found[feature] = parameters[0 * feature",
            "global_a",
        ),
        ("return 1 + at % 16;", "return 1;", "atomics"),
    ] {
        let unchanged = program(&model);
        let changed = unchanged.with(from, to);
        assert_ne!(changed.sha256(), unchanged.sha256(), "{from} does not stand in the sources");
        let launcher = HostLauncher::bring(&changed, None);
        let mut kernels = LimitKernels::new(&model, &launcher, &rows, &weights).unwrap();
        let said = kernels.verify().unwrap_err().to_string();
        assert!(said.contains(kernel), "{said}");
    }
}

/// The reference rounds residuals to 2⁻¹⁰ disc, so a parameter's sum may differ by half of that for
/// each of its occurrences. Otherwise only the last bits of doubles are rounded.
#[test]
fn the_baseline_has_the_gradient_of_the_reference() {
    for (name, limits) in [("standard", None), ("small", Some(NARROW))] {
        let model = model(name);
        let (rows, weights) = (rows(20), weights(&model));
        let cpu = Cpu::new(&model);
        let positions = cpu.positions(&[Rows::full(&rows)]).unwrap();
        let (mut sums, mut occurrences) = (cpu.zero_sums().unwrap(), cpu.zero_sums().unwrap());
        cpu.residual_sums(&positions, Batch::WHOLE, &weights, Target::Label, &mut sums).unwrap();
        cpu.occurrences(&positions, &mut occurrences).unwrap();
        let launcher = HostLauncher::bring(&program(&model), limits);
        for layout in [Layout::Mirrored, Layout::Folded] {
            let mut baseline = Baseline::new(&model, &launcher, layout, &rows, &weights).unwrap();
            // Passes do not add up.
            baseline.run(2).unwrap();
            let gradient = baseline.gradient().unwrap();
            let (per_disc, per_occurrence) =
                (f64::from(RESIDUALS_PER_DISC), f64::from(WEIGHTS_PER_OCCURRENCE));
            let mut met = 0;
            for ((&sum, &count), found) in sums.iter().zip(&occurrences).zip(gradient) {
                let expected = sum as f64 / per_disc / per_occurrence;
                let rounding = count as f64 / per_occurrence * 0.5 / per_disc;
                let difference = (found - expected).abs();
                assert!(difference <= rounding + 1e-9, "{name} {layout:?}: {found}, {expected}");
                met += usize::from(count > 0);
            }
            assert!(met > 400, "{met}");
        }
    }
}

/// Both members of every mirrored pair stay equal, as in trainers with that layout.
#[test]
fn mirrored_configurations_have_equal_gradients() {
    let model = model("standard");
    let (rows, weights) = (rows(5), weights(&model));
    let launcher = HostLauncher::bring(&program(&model), None);
    let mut baseline = Baseline::new(&model, &launcher, Layout::Mirrored, &rows, &weights).unwrap();
    baseline.run(1).unwrap();
    let gradient = baseline.by_element().unwrap();
    let mirrors = wide::Table::by_configuration(&model, &[]).mirrors;
    // 3^10 configurations for each pattern of ten squares, and so on; 65 counts.
    assert_eq!((gradient.len(), mirrors.len()), (612_425, 612_425));
    let close = |(sum, &mirror): (&f64, &u32)| (sum - gradient[mirror as usize]).abs() < 1e-9;
    assert!(gradient.iter().zip(&mirrors).all(close));
    assert!(mirrors.iter().enumerate().any(|(at, &mirror)| at != mirror as usize));
}

#[test]
fn rows_of_the_usual_layout_have_144_bytes() {
    assert_eq!(WIDE_ROW_BYTES, 144);
}
