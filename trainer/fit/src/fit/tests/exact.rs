//! Tests that the optimizers reach the exact solution of the least-squares problem, with any number
//! of threads and any order of the data.

use othello_testing::on_threads;

use super::*;

fn exact(model: &Model, rows: &[ScoredPosition], ridge: f64) -> Vec<f64> {
    let n = model.parameters();
    let mut matrix = vec![vec![0.0; n + 1]; n];
    for (number, row) in matrix.iter_mut().enumerate() {
        row[number] = ridge;
    }
    for row in rows {
        let features = model.features(&row.position());
        for &i in &features {
            for &j in &features {
                matrix[i as usize][j as usize] += row.weight().occurrences();
            }
            matrix[i as usize][n] += row.weight().occurrences() * row.label().discs();
        }
    }
    for pivot in 0..n {
        for other in (0..n).filter(|&other| other != pivot) {
            let factor = matrix[other][pivot] / matrix[pivot][pivot];
            let source = matrix[pivot].clone();
            matrix[other].iter_mut().zip(source).for_each(|(m, s)| *m -= factor * s);
        }
    }
    (0..n).map(|i| matrix[i][n] / matrix[i][i]).collect()
}

fn objective(model: &Model, rows: &[ScoredPosition], ridge: f64, weights: &[f64]) -> f64 {
    let error = |row: &ScoredPosition| {
        let features = model.features(&row.position());
        let value: f64 = features.iter().map(|&p| weights[p as usize]).sum();
        row.weight().occurrences() * (row.label().discs() - value).powi(2)
    };
    rows.iter().map(error).sum::<f64>() + ridge * weights.iter().map(|w| w * w).sum::<f64>()
}

fn excess(by: &Solution) -> f64 {
    let (model, rows, ridge) = (model(), rows(3000), 10.0);
    let best = objective(&model, &rows, ridge, &exact(&model, &rows, ridge));
    let found = solve(&model, &rows, ridge, zeros(&model), by);
    let excess = objective(&model, &rows, ridge, &found) / best - 1.0;
    println!("{} after {} epochs: {excess:.1e} above the exact objective", by.optimizer, by.epochs);
    excess
}

#[test]
fn least_squares_reaches_the_objective_of_the_exact_solution() {
    assert!(excess(&Solution::least_squares(200)) < 1e-7);
    assert!(excess(&Solution::sampled_least_squares(200)) < 1e-7);
}

#[test]
fn steps_on_a_sample_leave_few_epochs_to_take() {
    let (sampled, whole) = (Solution::sampled_least_squares(4), Solution::least_squares(4));
    assert!(excess(&sampled) < excess(&whole) / 4.0);
}

/// The training error that least squares reports must equal the error computed from the weights.
#[test]
fn the_training_error_of_least_squares_is_not_null_but_what_measuring_tells() {
    let (model, rows) = (model(), rows(3000));
    let from: Vec<f64> = (0..model.parameters()).map(|p| (p % 5) as f64 / 32.0).collect();
    let backend = Cpu::new(&model);
    for initial in [zeros(&model), from] {
        for by in [
            Solution::least_squares(20),
            Solution::sampled_least_squares(20),
            Solution::descent(20),
        ] {
            let problem =
                Problem::new(&backend, &[Rows::full(&rows)], 10.0, initial.clone()).unwrap();
            let mut solver = by.steps(&problem);
            for _ in 0..20 {
                let epoch = loop {
                    match solver.advance().unwrap() {
                        Advance::Epoch(epoch) => break epoch,
                        Advance::Update => {}
                        Advance::Converged => panic!("converged"),
                    }
                };
                let weights = Solver::<Cpu<'_>>::weights(&solver);
                let squared = objective(&model, &rows, 0.0, weights);
                let occurrences: f64 = rows.iter().map(|row| row.weight().occurrences()).sum();
                let (found, expected) = (epoch.train_mse.unwrap(), squared / occurrences);
                assert!((found / expected - 1.0).abs() < 1e-3, "{found} instead of {expected}");
            }
        }
    }
}

#[test]
fn adam_reaches_the_objective_of_the_exact_solution_with_full_batches_and_with_small_ones() {
    let full = AdamSettings { epochs: 600, batch: 0, learning_rate: 0.5, ..Default::default() };
    assert!(excess(&Solution::adam(full)) < 1e-4);
    let small = AdamSettings {
        epochs: 400,
        batch: 500,
        updates: 1,
        learning_rate: 0.1,
        ..Default::default()
    };
    assert!(excess(&Solution::adam(small)) < 1e-4);
}

#[test]
fn steepest_descent_gets_there_slowly() {
    let (few, many) = (excess(&Solution::descent(20)), excess(&Solution::descent(1000)));
    assert!(many < 1e-3 && many < few / 10.0);
    assert!(few > 10.0 * excess(&Solution::least_squares(20)));
}

fn few_batches() -> AdamSettings {
    AdamSettings { epochs: 2, batch: 60_000, updates: 1, ..AdamSettings::default() }
}

#[test]
fn threads_change_no_bit() {
    let (model, rows) = (model(), rows(300_000));
    for by in [Solution::least_squares(5), Solution::adam(few_batches())] {
        let on = |threads| on_threads(threads, || solve(&model, &rows, 10.0, zeros(&model), &by));
        assert_eq!(on(1), on(3));
    }
}

#[test]
fn the_order_of_the_data_changes_no_bit_of_full_batches() {
    let (model, mut rows) = (model(), rows(20_000));
    let full = AdamSettings { batch: 0, epochs: 5, ..few_batches() };
    let bys = [Solution::least_squares(5), Solution::adam(full)];
    let solutions = |rows: &[ScoredPosition]| {
        bys.clone().map(|by| solve(&model, rows, 10.0, zeros(&model), &by))
    };
    let before = solutions(&rows);
    Generator::new(2).shuffle(&mut rows);
    assert_eq!(solutions(&rows), before);
}

#[test]
fn starting_weights_are_what_the_ridge_pulls_towards() {
    let (model, rows) = (model(), rows(50));
    let initial: Vec<f64> = (0..model.parameters()).map(|p| p as f64 / 64.0).collect();
    for by in [Solution::least_squares(3), Solution::descent(3)] {
        let found = solve(&model, &rows, 1e9, initial.clone(), &by);
        assert!(found.iter().zip(&initial).all(|(w, i)| (w - i).abs() < 1e-3));
    }
    // Adam leaves the initial weights while its learning rate is high, and returns as it falls.
    let adam = AdamSettings { epochs: 500, batch: 0, ..AdamSettings::default() };
    let found = solve(&model, &rows, 1e6, initial.clone(), &Solution::adam(adam));
    assert!(found.iter().zip(&initial).all(|(w, i)| (w - i).abs() < 1e-2));
}
