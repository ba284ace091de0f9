//! Targets for the stored parts of a fit. A small fit resumes with a part of finished phases, or
//! with a snapshot of an unfinished phase. The fuzzer's input becomes the sections of this part or
//! snapshot: names and contents in turn, separated by a byte `FE`.

use std::fs;
use std::path::Path;

use othello_engine::board::transcript::{self, Replay};
use othello_engine::board::{Discs, Phase};
use othello_engine::eval::Weights;
use othello_engine::file::{Existing, Provenance};
use othello_engine::pattern::PatternSet;
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::{Label, ScoredPosition, Weight};
use othello_engine::run::Shard;
use othello_trainer::backend::Cpu;
use othello_trainer::dataset::{DataChoice, Dataset};
use othello_trainer::fit::{AdamSettings, Fit, FitError, FitSettings, Limits, Optimizer};
use othello_trainer::model::Model;

use super::{check_message, check_names};
use crate::container::{self, Container, Section};
use othello_testing::{StopFit, records, scratch};

const OUT: &str = "fit.weights";

/// A fit that is stopped before its end, and the file that it leaves in its folder of parts.
struct Left {
    name: &'static str,
    optimizer: Optimizer,
    phases: [usize; 2],
    /// The fit is stopped after these numbers of finished phases or of updates, whichever is first.
    stop: [u64; 2],
}

const PART: Left = Left {
    name: "part-000002",
    optimizer: Optimizer::LeastSquares,
    phases: [0, 8],
    stop: [4, u64::MAX],
};

const SNAPSHOT: Left = Left {
    name: "part-000000.snapshot",
    optimizer: Optimizer::Adam,
    phases: [4, 4],
    stop: [u64::MAX, 5],
};

thread_local! {
    static SETUPS: [Setup; 2] = [&PART, &SNAPSHOT].map(Setup::new);
}

/// The fit must use the part and write valid weights, or report an error that names the part.
pub(super) fn part_of_fit(data: &[u8]) {
    SETUPS.with(|[setup, _]| match setup.resume(data) {
        Ok(_) => {}
        Err(FitError::File(error)) => {
            check_names(&error, Path::new("fit.weights.parts/part-000002"));
        }
        // Any other error is a fault of the fit.
        Err(error) => panic!("{error}"),
    });
}

/// The fit must continue from the snapshot, refuse it with a message and begin the phase again, or
/// report that the weights diverge.
pub(super) fn unfinished_phase(data: &[u8]) {
    SETUPS.with(|[_, setup]| match setup.resume(data) {
        Ok((sha256, messages)) => {
            assert!(sha256 == setup.sha256 || messages.is_empty(), "not again: {messages:?}");
            let snapshot = Path::new("fit.weights.parts/part-000000.snapshot");
            messages.iter().for_each(|line| check_names(line, snapshot));
        }
        Err(error @ FitError::Diverged { .. }) => check_message(&error),
        Err(error) => panic!("{error}"),
    });
}

struct Setup {
    left: &'static Left,
    model: Model,
    dataset: Dataset,
    settings: FitSettings,
    /// The checksum of the weights of an uninterrupted fit.
    sha256: String,
    manifest: Vec<u8>,
    provenance: Vec<u8>,
}

impl Setup {
    fn new(left: &'static Left) -> Self {
        let adam = AdamSettings { updates: 2, ..AdamSettings::default() };
        let settings = FitSettings { adam, ..FitSettings::default() };
        let dataset =
            Dataset::read(&[data()], &[], &settings.layout(), &Silent).expect("just written");
        let model = Model::new(PatternSet::shipped("discs").expect("a shipped set"));
        let (sha256, manifest, provenance) = (String::new(), vec![], vec![]);
        let mut setup = Self { left, model, dataset, settings, sha256, manifest, provenance };
        let path = scratch::path("undisturbed.weights");
        remove(&path);
        let [phases, updates] = left.stop;
        let _ = setup.run(&path, &StopFit::after(phases, updates));
        let read = |name: &str| fs::read(path.with_added_extension("parts").join(name));
        setup.provenance = Container::of(&read(left.name).expect("left by the fit")).provenance;
        setup.manifest = read("run.json").expect("left by the fit");
        setup.sha256 = setup.run(&path, &Silent).expect("it continues");
        setup
    }

    fn run(&self, path: &Path, progress: &dyn Progress) -> Result<String, FitError> {
        let Self { left, model, dataset, settings, .. } = self;
        let [first, last] = left.phases.map(|index| Phase::new(index).expect("a phase"));
        let fit = Fit {
            model,
            dataset,
            settings,
            optimizer: left.optimizer,
            initial: None,
            phases: first..=last,
            shard: Shard::WHOLE,
            limits: Limits::default(),
        };
        let end = fit.run(&Cpu::new(model), path, Existing::Keep, progress)?;
        Ok(end.summary.expect("not a shard").sha256)
    }

    /// Resumes with a part made from `data`. Returns the weights' checksum, and the fit's messages.
    fn resume(&self, data: &[u8]) -> Result<(String, Vec<String>), FitError> {
        let weights = scratch::path(OUT);
        remove(&weights);
        let parts = weights.with_added_extension("parts");
        fs::create_dir(&parts).expect("a new folder");
        fs::write(parts.join("run.json"), &self.manifest).expect("writable");
        let bytes = container::file(b'R', container::VERSION, &self.provenance, &sections(data));
        fs::write(parts.join(self.left.name), bytes).expect("writable");
        let stop = StopFit::after(u64::MAX, u64::MAX);
        let sha256 = self.run(&weights, &stop)?;
        Weights::read(&weights).unwrap_or_else(|error| panic!("weights cannot be read: {error}"));
        Ok((sha256, stop.into_messages()))
    }
}

fn sections(data: &[u8]) -> Vec<Section> {
    let mut parts = data.split(|&byte| byte == 0xFE);
    std::iter::from_fn(|| {
        let (name, content) = (parts.next()?, parts.next()?);
        Some(Section { name: name.to_vec(), ..Section::new("", content) })
    })
    .collect()
}

fn remove(weights: &Path) {
    let _ = fs::remove_dir_all(weights.with_added_extension("parts"));
    for extension in ["report.json", "metrics.jsonl", "partial"] {
        let _ = fs::remove_file(weights.with_added_extension(extension));
    }
    let _ = fs::remove_file(weights);
}

/// Writes a labelled position for each phase of a short game, as the data of a fit.
fn data() -> DataChoice {
    let path = scratch::path("few.positions");
    let provenance = Provenance::new("test").with("enumerated", true);
    let squares = transcript::parse("f5d6c5f4e7f6g5e6e3").expect("squares");
    let steps = Replay::from_start(&squares).expect("a game").steps.into_iter();
    let rows = steps.map(|step| {
        let label = Label::of_score(step.position.ply() as Discs * 2).expect("a score");
        ScoredPosition::new(step.position, label, Weight::ONE)
    });
    records::finish(records::begin(&path, &provenance), rows);
    DataChoice { path, weight: 1.0 }
}
