use super::*;
use crate::backend::{Backend, Batch, MAX_TOTAL_WEIGHT, Target, WEIGHT_LIMIT};

#[test]
fn residual_sums_are_those_of_the_definition() {
    let (model, rows) = (model(), rows(500));
    let weights: Vec<f64> = (0..model.parameters()).map(|p| (p % 17) as f64 / 8.0).collect();
    let mut expected = vec![0.0; model.parameters()];
    for row in &rows {
        let features = model.features(&row.position());
        let value: f64 = features.iter().map(|&p| weights[p as usize]).sum();
        let weight = (f64::from(row.weight().steps()) / 2.0).round() / 64.0;
        for &parameter in &features {
            expected[parameter as usize] += weight * (row.label().discs() - value);
        }
    }
    let half = vec![Rows { positions: &rows, factor: 128 }];
    let backend = Cpu::new(&model);
    let (mut fixed, mut sums) = (backend.zero_fixed().unwrap(), backend.zero_sums().unwrap());
    backend.round_weights(&weights, &mut fixed).unwrap();
    let (batch, target) = (Batch::WHOLE, Target::Label);
    backend.residual_sums(&half, batch, &fixed, target, &mut sums, &mut 0).unwrap();
    for (sum, expected) in sums.iter().zip(expected) {
        let sum = *sum as f64 / 1024.0 / 64.0;
        assert!((sum - expected).abs() < 0.1, "{sum} against {expected}");
    }
}

#[test]
fn sums_hold_the_most_weight_that_is_allowed() {
    let model = model();
    let backend = Cpu::new(&model);
    let (label, weight) = (Label::of_discs(-64.0).unwrap(), Weight::new(u16::MAX).unwrap());
    let row = ScoredPosition::new(Position::START, label, weight);
    let rows = vec![row; (MAX_TOTAL_WEIGHT / u64::from(u16::MAX)) as usize];
    assert!(MAX_TOTAL_WEIGHT - Rows::full(&rows).total_weight() < u64::from(u16::MAX));
    let positions = backend.positions(&[Rows::full(&rows)]).unwrap();
    let vector = vec![WEIGHT_LIMIT; model.parameters()];
    let sums_of = |batch| {
        let mut sums = backend.zero_sums().unwrap();
        let target = Target::Label;
        backend.residual_sums(&positions, batch, &vector, target, &mut sums, &mut 0).unwrap();
        sums
    };
    let features = model.features(&row.position());
    let value = features.len() as i128 * i128::from(WEIGHT_LIMIT);
    let residual = ((-64 << 18) - value + 128) >> 8;
    let whole = sums_of(Batch::WHOLE);
    for (parameter, &sum) in whole.iter().enumerate() {
        let times = features.iter().filter(|&&p| p as usize == parameter).count();
        let total = i128::from(Rows::full(&rows).total_weight());
        assert_eq!(i128::from(sum), total * residual * times as i128);
    }
    let mut added = vec![0; model.parameters()];
    for batch in (0..3).filter_map(|number| Batch::new(number, 3)) {
        added.iter_mut().zip(sums_of(batch)).for_each(|(sum, more)| *sum += more);
    }
    assert_eq!(added, whole);
}
