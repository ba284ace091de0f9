use othello_engine::board::Phase;

use super::*;
use crate::fit::FitError;
use crate::fit::epochs::Checkpoints;
use crate::fit::report::FittedVector;
use crate::fit::settings::FitSettings;

fn settings() -> FitSettings {
    let adam = AdamSettings {
        epochs: 4,
        batch: 500,
        updates: 3,
        learning_rate: 0.5,
        ..AdamSettings::default()
    };
    let least_squares = LeastSquaresSettings {
        epochs: 8,
        sample: 100,
        sample_steps: 3,
        sample_epochs: 5,
        ..LeastSquaresSettings::default()
    };
    FitSettings { adam, least_squares, patience: 3, ..FitSettings::default() }
}

struct Trial {
    model: Model,
    dataset: Dataset,
    settings: FitSettings,
    optimizer: Optimizer,
}

impl Trial {
    fn new(optimizer: Optimizer, validation_percent: u8) -> Self {
        let split = Split { validation_percent, ..Split::new(1) };
        let dataset = dataset_of(&rows(30_000), split);
        Self { model: model(), dataset, settings: settings(), optimizer }
    }

    fn run(
        &self,
        resumed: Option<Snapshot>,
        updates: u32,
    ) -> Result<(FittedVector, Option<Snapshot>), FitError> {
        let (mut left, mut saved) = (updates, None);
        let end = self.run_for(resumed, &mut |_, snapshot| {
            if left == 0 {
                saved = snapshot()?;
                return Ok(false);
            }
            left -= 1;
            Ok(true)
        })?;
        Ok((end, saved))
    }

    fn run_for(
        &self,
        resumed: Option<Snapshot>,
        checkpoints: &mut Checkpoints<'_>,
    ) -> Result<FittedVector, FitError> {
        let fit = PhaseFit {
            backend: &Cpu::new(&self.model),
            model: &self.model,
            dataset: &self.dataset,
            settings: &self.settings,
            optimizer: self.optimizer,
            initial: None,
            phase: Phase::new(30).unwrap(),
        };
        fit.run(resumed, checkpoints)
    }
}

#[test]
fn a_phase_stopped_after_every_update_comes_out_the_same() {
    for optimizer in [Optimizer::Adam, Optimizer::LeastSquares, Optimizer::Descent] {
        for validation_percent in [0, 10] {
            let trial = Trial::new(optimizer, validation_percent);
            let (undisturbed, _) = trial.run(None, u32::MAX).unwrap();
            assert!(undisturbed.progress.finished && undisturbed.metrics.len() >= 4);
            let (mut stops, mut kept) = (0, None);
            let end = loop {
                let (end, snapshot) = trial.run(kept, 1).unwrap();
                let Some(snapshot) = snapshot else { break end };
                let parameters = trial.model.parameters();
                kept = Snapshot::from_sections(&snapshot.sections(), parameters).ok();
                assert_eq!(kept, Some(snapshot));
                let epochs = kept.as_ref().map(|snapshot| snapshot.vector.progress.epochs);
                assert!(!end.progress.finished && Some(end.progress.epochs) == epochs);
                stops += 1;
            };
            assert!(stops >= 4, "{stops}");
            assert_eq!(end, undisturbed);
        }
    }
}

#[test]
fn another_seed_draws_other_batches() {
    let mut trial = Trial::new(Optimizer::Adam, 10);
    let (first, _) = trial.run(None, u32::MAX).unwrap();
    trial.settings.seed += 1;
    assert_ne!(trial.run(None, u32::MAX).unwrap().0, first);
}

#[test]
fn weights_that_are_no_numbers_stop_the_fit_and_are_never_kept() {
    let mut trial = Trial::new(Optimizer::Adam, 10);
    trial.settings.adam.learning_rate = 1e300;
    let error = trial.run(None, u32::MAX).unwrap_err().to_string();
    assert!(error.contains("phase 30") && error.contains("learning rate"), "{error}");
    assert!(matches!(trial.run(None, 2), Err(FitError::Diverged { .. })));
}

#[test]
fn a_snapshot_of_another_fit_or_one_that_contradicts_itself_is_refused() {
    let trial = Trial::new(Optimizer::Adam, 10);
    let kept = trial.run(None, 2).unwrap().1.unwrap();
    let parameters = trial.model.parameters();
    assert!(Snapshot::from_sections(&kept.sections(), parameters + 1).is_err());
    let is_refused = |sections: &[_]| Snapshot::from_sections(sections, parameters).is_err();
    let mut damaged = kept.sections();
    damaged.retain(|section| section.name != "second moment");
    assert!(is_refused(&damaged));

    let other = Trial::new(Optimizer::LeastSquares, 10);
    let stops = |kept| matches!(other.run(Some(kept), u32::MAX), Err(FitError::Snapshot(_)));
    assert!(stops(kept));
    let kept = other.run(None, 5).unwrap().1.unwrap();
    let mut damaged = kept.clone();
    damaged.state.scalars["epoch"] = 7.into();
    assert!(stops(damaged));
    let mut damaged = kept.clone();
    damaged.vector.metrics.pop();
    assert!(is_refused(&damaged.sections()));
    let mut damaged = kept;
    damaged.vector.elements[3] = f64::NAN;
    assert!(is_refused(&damaged.sections()));
}

#[test]
fn an_epoch_of_few_positions_goes_over_them_until_it_has_made_enough_updates() {
    let mut trial = Trial::new(Optimizer::Adam, 0);
    let updates = |trial: &Trial| {
        let mut calls = 0;
        trial
            .run_for(None, &mut |_, _| {
                calls += 1;
                Ok(true)
            })
            .unwrap();
        // The last call comes after the last update.
        (calls - 1) / trial.settings.adam.epochs
    };
    trial.settings.adam.updates = 0;
    let batches = updates(&trial);
    assert!(batches > 1);
    trial.settings.adam.updates = 2 * batches + 1;
    assert_eq!(updates(&trial), 3 * batches);
    trial.settings.adam.batch = 0;
    assert_eq!(updates(&trial), 1);
}
