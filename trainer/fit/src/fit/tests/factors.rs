//! A group of phases that share factors: stopped and resumed, and the gain by its factors.

use othello_engine::board::Phase;
use othello_engine::eval::{Evaluate as _, Tables, Weights};
use othello_engine::pattern::FactorShape;

use super::*;
use crate::fit::assembly::Assembly;
use crate::fit::checkpoint::NoCheckpoints;
use crate::fit::group::{FittedGroup, GroupFit, group_of};
use crate::fit::settings::{FactorSettings, FitSettings};

fn factor_model() -> Model {
    Model::new(model().set().clone().with_factors(FactorShape::new(8, 3)))
}

/// Returns positions whose labels are higher where both sides have corners, which no sum of weights
/// can express.
fn dataset() -> Dataset {
    let label = |row: ScoredPosition| {
        let [player, opponent] = [row.position().player(), row.position().opponent()];
        let [player, opponent] = [player, opponent].map(|side| (side & CORNERS).count_ones());
        let discs = 4.0 * f64::from(player) * f64::from(opponent);
        ScoredPosition::new(row.position(), Label::of_discs(discs).unwrap(), row.weight())
    };
    let rows: Vec<ScoredPosition> = rows(40_000).into_iter().map(label).collect();
    dataset_of(&rows, Split::new(1))
}

fn fit<'a, 'm>(
    backend: &'a Cpu<'m>,
    model: &'m Model,
    dataset: &'a Dataset,
    settings: &'a FitSettings,
) -> GroupFit<'a, Cpu<'m>>
where
    'm: 'a,
{
    let phases: Vec<Phase> = (45..=47).filter_map(Phase::new).collect();
    let group = group_of(backend, model, dataset, &phases).unwrap().unwrap();
    GroupFit { backend, model, dataset, settings, initial: None, group }
}

fn settings(epochs: u32) -> FitSettings {
    let factors = FactorSettings { epochs, batch: 700, learning_rate: 0.05, ridge: 3.0 };
    FitSettings { factors: Some(factors), ..FitSettings::default() }
}

#[test]
fn a_group_stopped_and_resumed_comes_out_the_same() {
    let (model, dataset, settings) = (factor_model(), dataset(), settings(6));
    let cpu = Cpu::new(&model);
    let fit = fit(&cpu, &model, &dataset, &settings);
    let undisturbed = fit.run(None, &mut NoCheckpoints).unwrap().fitted.unwrap();
    let (mut stops, mut kept) = (0, None);
    let resumed = loop {
        let mut checkpointer = StopAfter::updates(2);
        let end = fit.run(kept, &mut checkpointer).unwrap();
        if !end.stopped {
            break end.fitted.unwrap();
        }
        let sections = checkpointer.saved.unwrap().sections();
        kept = Some(Snapshot::from_sections(&sections, fit.group.length()).unwrap());
        stops += 1;
    };
    assert!(stops >= 3, "{stops}");
    assert_eq!(resumed, undisturbed);
}

/// The errors that the fit reports are those of the tables that the engine plays from.
#[test]
fn factors_say_what_weights_cannot_and_the_engine_reads_them_as_they_were_fitted() {
    let (model, dataset) = (factor_model(), dataset());
    let cpu = Cpu::new(&model);
    let fitted = |epochs: u32| {
        let settings = settings(epochs);
        fit(&cpu, &model, &dataset, &settings)
            .run(None, &mut NoCheckpoints)
            .unwrap()
            .fitted
            .unwrap()
    };
    let FittedGroup { group, phases, factors } = fitted(60);
    let mse = |fitted: &[crate::fit::FittedPhase]| fitted[1].report.train_mse.unwrap();
    let linear = PhaseFit {
        backend: &Cpu::new(&model),
        model: &model,
        dataset: &dataset,
        settings: &settings(1),
        optimizer: Optimizer::LeastSquares,
        initial: None,
        phase: phases[1].report.phase,
    };
    let linear = linear.run(None, &mut NoCheckpoints).unwrap().fitted.unwrap();
    let (with, without) = (mse(&phases), linear.report.train_mse.unwrap());
    assert!(with < 0.5 * without, "{with} beside {without}");

    let reports: Vec<_> = phases.iter().map(|phase| phase.report.clone()).collect();
    let mut assembly = Assembly::new(Weights::zero(model.set().clone()));
    assembly.insert_factors(group, &factors);
    phases.into_iter().for_each(|phase| assembly.insert(phase));
    let all = Phase::new(45).unwrap()..=Phase::new(47).unwrap();
    let (weights, _) = assembly.finish(&all, false, &[]).unwrap();
    let tables = Tables::new(&weights);
    for report in reports {
        let rows = dataset.training(report.phase);
        let (mut squared, mut weight) = (0.0, 0.0);
        for row in rows {
            let position = row.position();
            let value = tables.value(&tables.state(&position), &position);
            let occurrences = f64::from(row.weight().steps());
            squared += occurrences * (row.label().discs() - value.discs()).powi(2);
            weight += occurrences;
        }
        let (mse, reported) = (squared / weight, report.train_mse.unwrap());
        assert!((mse - reported).abs() < 0.02, "{mse} beside {reported}");
    }
    // Phases that were not fitted take over the factors along with the weights.
    let factors = weights.factors().unwrap();
    let [first, fitted] = [0, 45].map(|phase| factors.of(Phase::new(phase).unwrap()));
    assert_eq!(first, fitted);
}

/// A fit that goes on with more factors begins where the narrow one ended: steps of hardly any
/// length leave the error as it was.
#[test]
fn more_factors_begin_with_the_values_of_those_there_are() {
    let (model, dataset) = (factor_model(), dataset());
    let cpu = Cpu::new(&model);
    let first = settings(20);
    let narrow = fit(&cpu, &model, &dataset, &first);
    let FittedGroup { group, phases, factors } =
        narrow.run(None, &mut NoCheckpoints).unwrap().fitted.unwrap();
    let ended = phases[1].report.train_mse.unwrap();
    let mut assembly = Assembly::new(Weights::zero(model.set().clone()));
    assembly.insert_factors(group, &factors);
    phases.into_iter().for_each(|phase| assembly.insert(phase));
    let all = Phase::new(45).unwrap()..=Phase::new(47).unwrap();
    let (weights, _) = assembly.finish(&all, false, &[]).unwrap();

    let wide = weights.with_factors(FactorShape::new(16, 3).unwrap()).unwrap();
    let model = Model::new(wide.set().clone());
    let cpu = Cpu::new(&model);
    let mut settings = settings(1);
    settings.factors.as_mut().unwrap().learning_rate = 1e-9;
    let wider = GroupFit { initial: Some(&wide), ..fit(&cpu, &model, &dataset, &settings) };
    let fitted = wider.run(None, &mut NoCheckpoints).unwrap().fitted.unwrap();
    let begun = fitted.phases[1].report.train_mse.unwrap();
    assert!((begun / ended - 1.0).abs() < 0.1, "{begun} after {ended}");
    let drawn = fitted.factors.iter().skip(4).step_by(16).any(|&factor| factor != 0);
    assert!(drawn, "factors that begin with 0 would stay 0");
    // Both fits learned from the same positions, and the second file tells of both.
    let phase = &fitted.phases[1];
    let counts = wide.counts(phase.report.phase);
    assert!(counts.iter().any(|&count| count > 0));
    assert!(phase.counts.iter().copied().eq(counts.iter().map(|&count| 2 * count)));
}
