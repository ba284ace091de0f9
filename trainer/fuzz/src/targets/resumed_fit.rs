//! A small fit that finds a checkpoint beside its output.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use othello_engine::board::transcript::{self, Replay};
use othello_engine::board::{Discs, Phase};
use othello_engine::file::{Begin, Existing, Provenance};
use othello_engine::pattern::PatternSet;
use othello_engine::progress::{Interrupted, Progress, Silent};
use othello_engine::record::{Label, PositionWriter, ScoredPosition, Weight};
use othello_trainer::backend::Cpu;
use othello_trainer::dataset::{DataChoice, Dataset};
use othello_trainer::fit::{Fit, FitError, FitSettings, Limits, Optimizer};
use othello_trainer::model::Model;

use super::super::engine::scratch;

/// The checkpoint of a fit that was stopped half-way.
pub fn sound() -> Vec<u8> {
    SETUP.with(|setup| setup.checkpoint.clone())
}

/// What a fit made that was gone on with.
pub struct Resumed {
    /// Whether the weights are those of the fit that was never stopped.
    pub as_undisturbed: bool,
    /// What was said on the way.
    pub said: Vec<String>,
}

/// Goes on with the fit whose checkpoint lies at `path`, which ends in `.checkpoint.partial`.
pub fn of(path: &Path) -> Result<Resumed, FitError> {
    SETUP.with(|setup| setup.resume(&path.with_extension("").with_extension("")))
}

thread_local! {
    static SETUP: Setup = Setup::new();
}

struct Setup {
    model: Model,
    dataset: Dataset,
    settings: FitSettings,
    sha256: String,
    checkpoint: Vec<u8>,
}

impl Setup {
    fn new() -> Self {
        let settings = FitSettings::default();
        let dataset = Dataset::read(&[data()], &[], &settings.labels, settings.split(), &Silent)
            .expect("just written");
        let model = Model::new(PatternSet::shipped("discs").expect("a shipped set"));
        let mut setup =
            Self { model, dataset, settings, sha256: String::new(), checkpoint: vec![] };
        let path = scratch::path("undisturbed.weights");
        let stopped = setup.run(&path, &Said::stopped_after(4));
        let stopped = stopped.expect_err("stopped by its listener");
        assert!(matches!(stopped, FitError::Interrupted(_)), "{stopped}");
        let checkpoint = scratch::path("undisturbed.weights.checkpoint.partial");
        setup.checkpoint = fs::read(checkpoint).expect("left by the fit that was stopped");
        setup.sha256 = setup.run(&path, &Silent).expect("goes on");
        setup
    }

    fn run(&self, path: &Path, progress: &dyn Progress) -> Result<String, FitError> {
        let phase = |index| Phase::new(index).expect("a phase");
        let Self { model, dataset, settings, .. } = self;
        let fit = Fit {
            model,
            dataset,
            settings,
            optimizer: Optimizer::LeastSquares,
            initial: None,
            phases: phase(0)..=phase(8),
            limits: Limits::default(),
        };
        let (summary, _) = fit.run(&Cpu::new(model), path, Existing::Keep, progress)?;
        Ok(summary.sha256)
    }

    fn resume(&self, path: &Path) -> Result<Resumed, FitError> {
        let _ = fs::remove_file(path);
        let said = Said::stopped_after(u64::MAX);
        let sha256 = self.run(path, &said)?;
        let said = said.lines.into_inner().expect("nobody panicked");
        Ok(Resumed { as_undisturbed: sha256 == self.sha256, said })
    }
}

/// One position for each phase of a short game.
fn data() -> DataChoice {
    let path = scratch::path("few.positions");
    let provenance = Provenance::new("test").with("enumerated", true);
    let begun = PositionWriter::begin(&path, &provenance, Existing::Replace);
    let Ok(Begin::Writer(mut writer)) = begun else { panic!("not writable") };
    let squares = transcript::parse("f5d6c5f4e7f6g5e6e3").expect("squares");
    for step in Replay::from_start(&squares).expect("a game").steps {
        let label = Label::of_score(step.position.ply() as Discs * 2).expect("a score");
        let row = ScoredPosition::new(step.position, label, Weight::ONE);
        writer.push(row).expect("writable");
    }
    writer.finish().expect("writable");
    DataChoice { path, weight: 1.0 }
}

/// Keeps what is said, and stops the work after so many pieces of it.
struct Said {
    lines: Mutex<Vec<String>>,
    left: AtomicU64,
}

impl Said {
    fn stopped_after(pieces: u64) -> Self {
        Self { lines: Mutex::default(), left: AtomicU64::new(pieces) }
    }
}

impl Progress for Said {
    fn begin(&self, _: &str, _: u64, _: u64) {}

    fn advance(&self, _: u64) {}

    fn message(&self, line: &str) {
        self.lines.lock().expect("nobody panicked").push(line.to_owned());
    }

    fn check(&self) -> Result<(), Interrupted> {
        match self.left.fetch_sub(1, Ordering::Relaxed) {
            0 => {
                self.left.store(0, Ordering::Relaxed);
                Err(Interrupted)
            }
            _ => Ok(()),
        }
    }
}
