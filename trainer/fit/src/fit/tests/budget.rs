//! Whole fits that run out of time, and files of unfinished phases that cannot be used.

use std::fs;
use std::path::Path;
use std::time::Duration;

use othello_engine::board::Phase;
use othello_engine::file::{Existing, Kind, Provenance, Reader};
use othello_engine::progress::Silent;

use super::*;
use crate::fit::checkpoint::PhaseFile;
use crate::fit::report::FitReport;
use crate::fit::run::{Fit, FitError, Limits};
use crate::fit::settings::FitSettings;

fn dataset() -> Dataset {
    dataset_of(&rows(20_000), Split::new(1))
}

/// Fits ten phases by Adam, as far as `time` allows.
fn fit(
    dataset: &Dataset,
    path: &Path,
    time: Option<Duration>,
) -> Result<(String, FitReport), FitError> {
    fit_within(&model(), dataset, path, Limits { time, memory: None })
}

fn fit_within(
    model: &Model,
    dataset: &Dataset,
    path: &Path,
    limits: Limits,
) -> Result<(String, FitReport), FitError> {
    let adam = AdamSettings { epochs: 8, batch: 100, ..AdamSettings::default() };
    let settings = &FitSettings { adam, ..FitSettings::default() };
    let phases = Phase::new(20).unwrap()..=Phase::new(29).unwrap();
    let (optimizer, initial, shard) = (Optimizer::Adam, None, None);
    let fit = Fit { model, dataset, settings, optimizer, initial, phases, shard, limits };
    let (summary, report) = fit.run(&Cpu::new(model), path, Existing::Keep, &Silent)?;
    Ok((summary.sha256, report))
}

#[test]
fn a_fit_that_runs_out_of_time_again_and_again_comes_out_the_same() {
    let (dataset, folder) = (dataset(), tempfile::tempdir().unwrap());
    let whole = folder.path().join("whole.weights");
    let (sha256, report) = fit(&dataset, &whole, None).unwrap();
    let pieces = folder.path().join("pieces.weights");
    let mut time = Duration::from_micros(100);
    loop {
        time *= 2;
        let (found, so_far) = match fit(&dataset, &pieces, Some(time)) {
            Err(FitError::OutOfTime) => continue,
            result => result.unwrap(),
        };
        let written = Reader::open(&pieces, Kind::Weights).unwrap();
        let stopped = written.provenance().get("stopped_after_epochs").cloned();
        if so_far.unfinished().is_empty() {
            assert!(stopped.is_none());
            assert_eq!((found, so_far), (sha256, report));
            break;
        }
        let stopped = stopped.unwrap();
        assert_eq!(stopped.as_object().unwrap().len(), so_far.unfinished().len());
    }
    assert_eq!(fs::read(&pieces).unwrap(), fs::read(&whole).unwrap());
    for side_file in ["metrics.jsonl", "report.json"] {
        let read = |weights: &Path| fs::read(weights.with_added_extension(side_file)).unwrap();
        assert!(read(&pieces) == read(&whole), "{side_file}");
    }
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let left = names.filter(|name| name.to_string_lossy().contains("checkpoint")).count();
    assert_eq!(left, 0);
}

#[test]
fn too_little_memory_for_one_phase_is_said_with_what_it_takes() {
    let (dataset, folder) = (dataset(), tempfile::tempdir().unwrap());
    let model = Model::new(PatternSet::shipped("standard").unwrap());
    let limits = Limits { time: None, memory: Some(1 << 20) };
    let out = folder.path().join("a.weights");
    let error = fit_within(&model, &dataset, &out, limits).unwrap_err();
    assert!(error.to_string().contains("--memory-mb"), "{error}");
}

#[test]
fn a_file_of_an_unfinished_phase_that_cannot_be_used_is_told_of_and_not_used() {
    let (dataset, model, folder) = (dataset(), model(), tempfile::tempdir().unwrap());
    let (settings, phase) = (FitSettings::default(), Phase::new(25).unwrap());
    let fit = PhaseFit {
        backend: &Cpu::new(&model),
        model: &model,
        dataset: &dataset,
        settings: &settings,
        optimizer: Optimizer::LeastSquares,
        initial: None,
        phase,
    };
    let weights = folder.path().join("a.weights");
    let unfinished =
        |provenance: &str| PhaseFile::new(&weights, &Provenance::new(provenance), phase);
    let read = |provenance: &str| {
        let warned = std::cell::RefCell::new(vec![]);
        let warn = |line: &str| warned.borrow_mut().push(line.to_owned());
        let found = unfinished(provenance).read(model.parameters(), warn).is_some();
        (found, warned.into_inner().join("\n"))
    };
    assert_eq!(read("fit"), (false, String::new()));
    let mut stopped = StopAfter::updates(0);
    fit.run(None, &mut stopped).unwrap();
    unfinished("fit").save(&stopped.saved.unwrap()).unwrap();
    assert_eq!(read("fit"), (true, String::new()));
    let (found, warned) = read("another fit");
    assert!(!found && warned.contains("other settings"), "{warned}");
    unfinished("fit").check_is_own().unwrap();
    let error = unfinished("another fit").check_is_own().unwrap_err().to_string();
    assert!(error.contains("phase-25") && error.contains("--force"), "{error}");
    let path = folder.path().join("a.weights.phase-25.checkpoint");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let (found, warned) = read("fit");
    assert!(!found && warned.contains("phase-25") && warned.contains("anew"), "{warned}");
    unfinished("fit").check_is_own().unwrap();
    fs::write(&path, "a file of somebody else").unwrap();
    unfinished("fit").check_is_own().unwrap_err();
    unfinished("fit").remove().unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
