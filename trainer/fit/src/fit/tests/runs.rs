use std::collections::HashSet;
use std::fs;
use std::ops::RangeInclusive;
use std::time::Duration;

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, WeightsFile};
use othello_engine::file::{Existing, Kind, Reader};
use othello_engine::pattern::FactorShape;
use othello_engine::progress::{Progress, Silent};
use othello_engine::run::{Run, Shard};
use othello_testing::{StopFit, on_threads};

use super::*;
use crate::fit::FitError;
use crate::fit::part::pack;
use crate::fit::report::{FitEnd, FitReport};
use crate::fit::run::{Fit, Limits};
use crate::fit::settings::{FactorSettings, FitSettings};

pub(super) fn factor_model() -> Model {
    Model::new(model().set().clone().with_factors(FactorShape::new(8, 3)))
}

pub(super) fn factor_settings(epochs: u32) -> FitSettings {
    let factors = FactorSettings { epochs, batch: 700, learning_rate: 0.05, ridge: 3.0 };
    FitSettings { factors: Some(factors), ..FitSettings::default() }
}

fn phases(range: RangeInclusive<usize>) -> RangeInclusive<Phase> {
    Phase::new(*range.start()).unwrap()..=Phase::new(*range.end()).unwrap()
}

pub(super) fn fit_file(
    model: &Model,
    dataset: &Dataset,
    settings: &FitSettings,
    optimizer: Optimizer,
    range: RangeInclusive<usize>,
    initial: Option<&WeightsFile>,
) -> (WeightsFile, FitReport) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.weights");
    let (phases, shard, limits) = (phases(range), Shard::WHOLE, Limits::default());
    let fit = Fit { model, dataset, settings, optimizer, initial, phases, shard, limits };
    let end = fit.run(&Cpu::new(model), &path, Existing::Keep, &Silent).unwrap();
    (Weights::read(&path).unwrap(), end.report)
}

struct Trial {
    model: Model,
    dataset: Dataset,
    settings: FitSettings,
    folder: tempfile::TempDir,
}

impl Trial {
    fn new(model: Model) -> Self {
        let adam = AdamSettings { epochs: 8, batch: 100, ..AdamSettings::default() };
        let settings = FitSettings { adam, ..factor_settings(4) };
        let dataset = dataset_of(&rows(20_000), Split::new(1));
        Self { model, dataset, settings, folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, name: &str, progress: &dyn Progress) -> Result<FitEnd, FitError> {
        self.run_within(name, Shard::WHOLE, Limits::default(), progress)
    }

    fn run_within(
        &self,
        name: &str,
        shard: Shard,
        limits: Limits,
        progress: &dyn Progress,
    ) -> Result<FitEnd, FitError> {
        let Self { model, dataset, settings, .. } = self;
        let (optimizer, initial, phases) = (Optimizer::Adam, None, phases(20..=28));
        let fit = Fit { model, dataset, settings, optimizer, initial, phases, shard, limits };
        fit.run(&Cpu::new(model), &self.path(name), Existing::Keep, progress)
    }

    fn assert_same_files(&self, undisturbed: &str, other: &str) {
        for side_file in ["", ".metrics.jsonl", ".report.json"] {
            let read = |name: &str| fs::read(self.path(&format!("{name}{side_file}"))).unwrap();
            assert!(read(undisturbed) == read(other), "{side_file}");
        }
        assert_eq!(fs::read_dir(self.folder.path()).unwrap().count(), 6);
    }
}

#[test]
fn a_fit_that_runs_out_of_time_again_and_again_comes_out_the_same() {
    for trial in [model(), factor_model()].map(Trial::new) {
        let whole = trial.run("whole.weights", &Silent).unwrap();
        let mut time = Duration::from_millis(1);
        loop {
            time = time * 3 / 2;
            let limits = Limits { time: Some(time), memory: None };
            let end = match trial.run_within("pieces.weights", Shard::WHOLE, limits, &Silent) {
                Err(FitError::OutOfTime) => continue,
                end => end.unwrap(),
            };
            let written = Reader::open(&trial.path("pieces.weights"), Kind::Weights).unwrap();
            let stopped = written.provenance().get("stopped_after_epochs").cloned();
            let unfinished = end.report.unfinished();
            if unfinished.is_empty() {
                assert!(stopped.is_none());
                assert_eq!(end, whole);
                break;
            }
            assert_eq!(stopped.unwrap().as_object().unwrap().len(), unfinished.len());
        }
        trial.assert_same_files("whole.weights", "pieces.weights");
    }
}

#[test]
fn processes_share_a_fit_and_those_that_wait_for_others_say_for_whom() {
    let trial = Trial::new(factor_model());
    trial.run("whole.weights", &Silent).unwrap();
    let run = |shard: &str| {
        let shard = shard.parse().unwrap();
        trial.run_within("pieces.weights", shard, Limits::default(), &Silent)
    };
    let waits = run("1/2").unwrap_err().to_string();
    assert!(waits.contains("wait for shard 2 of 2"), "{waits}");
    let own = run("2/2").unwrap();
    assert!(own.summary.is_none());
    let phases: Vec<usize> = own.report.0.iter().map(|row| row.phase.index()).collect();
    assert_eq!(phases, [21, 22, 23, 27, 28]);
    run("1/2").unwrap();
    let (parts, _) = Run::to_pack(&trial.path("pieces.weights")).unwrap();
    pack(&parts, None, &Silent).unwrap();
    parts.clean().unwrap();
    drop(parts);
    trial.assert_same_files("whole.weights", "pieces.weights");
}

#[test]
fn too_little_memory_for_one_phase_is_said_with_what_it_takes() {
    let trial = Trial::new(Model::new(PatternSet::shipped("standard").unwrap()));
    let limits = Limits { time: None, memory: Some(1 << 20) };
    let error = trial.run_within("a.weights", Shard::WHOLE, limits, &Silent).unwrap_err();
    assert!(error.to_string().contains("--memory-mb"), "{error}");
    assert_eq!(fs::read_dir(trial.folder.path()).unwrap().count(), 0);
}

#[test]
fn a_snapshot_that_cannot_be_used_is_told_of_and_not_used() {
    // With one thread, the fit resumes the phase whose snapshot the test spoils.
    on_threads(1, spoil_snapshots);
}

fn spoil_snapshots() {
    let trial = Trial::new(model());
    trial.run("whole.weights", &Silent).unwrap();
    let snapshots = || -> Vec<std::path::PathBuf> {
        let entries = fs::read_dir(trial.path("pieces.weights.parts")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|it| it == "snapshot")).collect()
    };
    let metrics = |name: &str| -> HashSet<String> {
        let text = fs::read_to_string(trial.path(&format!("{name}.metrics.jsonl"))).unwrap();
        let lines: HashSet<String> = text.lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), text.lines().count(), "a line is repeated: {text}");
        lines
    };
    trial.run("pieces.weights", &StopFit::after(u64::MAX, 100)).unwrap_err();
    let first_lines = metrics("pieces.weights");
    // The container is valid, but lacks a section of Adam's state.
    let path = &snapshots()[0];
    let reader = Reader::open(path, Kind::Part).unwrap();
    let provenance = reader.provenance().clone();
    let sections: Vec<_> = reader.map(Result::unwrap).collect();
    let mut writer = othello_engine::file::Writer::create(path, Kind::Part, &provenance).unwrap();
    writer.sections(sections.into_iter().filter(|it| it.name != "second moment")).unwrap();
    writer.finish().unwrap();
    let resumed = StopFit::after(u64::MAX, 200);
    trial.run("pieces.weights", &resumed).unwrap_err();
    let said = resumed.into_messages().concat();
    assert!(said.contains("`second moment`") && said.contains("starts again"), "{said}");
    // The metrics file must grow with each run, without repeating epochs that are computed again.
    let (whole, lines) = (metrics("whole.weights"), metrics("pieces.weights"));
    assert!(first_lines.len() > 1 && lines.len() > first_lines.len(), "{lines:?}");
    assert!(whole.is_superset(&lines) && lines.is_superset(&first_lines));
    let path = &snapshots()[0];
    let whole = fs::read(path).unwrap();
    fs::write(path, &whole[..whole.len() / 2]).unwrap();
    let resumed = StopFit::after(u64::MAX, u64::MAX);
    trial.run("pieces.weights", &resumed).unwrap();
    let said = resumed.into_messages().concat();
    assert!(said.contains(".snapshot") && said.contains("starts again"), "{said}");
    trial.assert_same_files("whole.weights", "pieces.weights");
}
