//! Small fits that find a part of their run: that of a finished phase, and the snapshot of one that
//! is not.

use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use othello_engine::board::transcript::{self, Replay};
use othello_engine::board::{Discs, Phase};
use othello_engine::file::{Existing, Provenance};
use othello_engine::pattern::PatternSet;
use othello_engine::progress::{Interrupted, Progress, Silent};
use othello_engine::record::{Label, ScoredPosition, Weight};
use othello_engine::run::Shard;
use othello_trainer::backend::Cpu;
use othello_trainer::dataset::{DataChoice, Dataset};
use othello_trainer::fit::{AdamSettings, Fit, FitError, FitSettings, Limits, Optimizer};
use othello_trainer::model::Model;

use othello_testing::{records, scratch};

/// The kind of checkpoint that a fit leaves when it is stopped half-way.
#[derive(Clone, Copy)]
pub enum Unfinished {
    /// `WEIGHTS.parts/part-000002`: least squares, some phases of nine.
    Phases,
    /// `WEIGHTS.parts/part-000000.snapshot`: Adam, inside phase 4.
    InsidePhase,
}

/// The checkpoint of a fit that was stopped half-way.
pub fn sound(left: Unfinished) -> Vec<u8> {
    left.with_setup(|setup| setup.checkpoint.clone())
}

/// The result of a fit that was resumed.
pub struct Resumed {
    /// True if the weights are those of the fit that was never stopped.
    pub as_undisturbed: bool,
    /// The messages of the resumed fit.
    pub said: Vec<String>,
}

/// Resumes the fit that writes `weights` and whose part or snapshot has these bytes.
pub fn of(left: Unfinished, weights: &Path, bytes: &[u8]) -> Result<Resumed, FitError> {
    left.with_setup(|setup| setup.resume(weights, bytes))
}

thread_local! {
    static SETUPS: [Setup; 2] = [Unfinished::Phases, Unfinished::InsidePhase].map(Setup::new);
}

impl Unfinished {
    /// Returns the name of the file in the folder of parts.
    fn name(self) -> &'static str {
        match self {
            Self::Phases => "part-000002",
            Self::InsidePhase => "part-000000.snapshot",
        }
    }

    fn with_setup<T>(self, read: impl FnOnce(&Setup) -> T) -> T {
        SETUPS.with(|setups| read(&setups[self as usize]))
    }

    fn optimizer(self) -> Optimizer {
        match self {
            Self::Phases => Optimizer::LeastSquares,
            Self::InsidePhase => Optimizer::Adam,
        }
    }

    fn phases(self) -> RangeInclusive<Phase> {
        let phase = |index| Phase::new(index).expect("a phase");
        match self {
            Self::Phases => phase(0)..=phase(8),
            Self::InsidePhase => phase(4)..=phase(4),
        }
    }

    /// A listener that stops the fit half-way.
    fn stop(self) -> Said {
        match self {
            Self::Phases => Said::stopping_after(4, u64::MAX),
            Self::InsidePhase => Said::stopping_after(u64::MAX, 5),
        }
    }
}

struct Setup {
    left: Unfinished,
    model: Model,
    dataset: Dataset,
    settings: FitSettings,
    sha256: String,
    /// The `run.json` of the fit.
    manifest: Vec<u8>,
    checkpoint: Vec<u8>,
}

impl Setup {
    fn new(left: Unfinished) -> Self {
        let adam = AdamSettings { updates: 2, ..AdamSettings::default() };
        let settings = FitSettings { adam, ..FitSettings::default() };
        let dataset = Dataset::read(&[data()], &[], &settings.labels, settings.split(), &Silent)
            .expect("just written");
        let model = Model::new(PatternSet::shipped("discs").expect("a shipped set"));
        let (sha256, manifest, checkpoint) = (String::new(), vec![], vec![]);
        let mut setup = Self { left, model, dataset, settings, sha256, manifest, checkpoint };
        let path = scratch::path("undisturbed.weights");
        setup.take_away(&path);
        // The one is an error, the other weights that are not finished.
        let _ = setup.run(&path, &left.stop());
        let left_there = |name: &str| {
            let file = path.with_added_extension("parts").join(name);
            fs::read(file).expect("left by the fit that was stopped")
        };
        setup.checkpoint = left_there(left.name());
        setup.manifest = left_there("run.json");
        setup.sha256 = setup.run(&path, &Silent).expect("goes on");
        setup
    }

    fn run(&self, path: &Path, progress: &dyn Progress) -> Result<String, FitError> {
        let Self { left, model, dataset, settings, .. } = self;
        let fit = Fit {
            model,
            dataset,
            settings,
            optimizer: left.optimizer(),
            initial: None,
            phases: left.phases(),
            shard: Shard::WHOLE,
            limits: Limits::default(),
        };
        let end = fit.run(&Cpu::new(model), path, Existing::Keep, progress)?;
        Ok(end.summary.expect("not a shard").sha256)
    }

    fn resume(&self, weights: &Path, bytes: &[u8]) -> Result<Resumed, FitError> {
        self.take_away(weights);
        let parts = weights.with_added_extension("parts");
        fs::create_dir(&parts).expect("a new folder");
        fs::write(parts.join("run.json"), &self.manifest).expect("writable");
        fs::write(parts.join(self.left.name()), bytes).expect("writable");
        let said = Said::stopping_after(u64::MAX, u64::MAX);
        let sha256 = self.run(weights, &said)?;
        let said = said.lines.into_inner().expect("nobody panicked");
        Ok(Resumed { as_undisturbed: sha256 == self.sha256, said })
    }

    /// Removes the files that an earlier run may have left.
    fn take_away(&self, weights: &Path) {
        let _ = fs::remove_dir_all(weights.with_added_extension("parts"));
        for extension in ["report.json", "metrics.jsonl", "partial"] {
            let _ = fs::remove_file(weights.with_added_extension(extension));
        }
        let _ = fs::remove_file(weights);
    }
}

/// One position for each phase of a short game.
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

/// Progress that keeps all messages, and stops the work after some number of phases or updates.
struct Said {
    lines: Mutex<Vec<String>>,
    phases: AtomicU64,
    updates: AtomicU64,
}

impl Said {
    fn stopping_after(phases: u64, updates: u64) -> Self {
        let (phases, updates) = (AtomicU64::new(phases), AtomicU64::new(updates));
        Self { lines: Mutex::default(), phases, updates }
    }
}

/// Takes 1 from a counter; returns true if the counter was 0 already.
fn is_used_up(left: &AtomicU64) -> bool {
    let one_less = |left: u64| left.checked_sub(1);
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_err()
}

impl Progress for Said {
    fn begin(&self, _: &str, _: u64, _: u64) {}

    fn advance(&self, _: u64) {}

    fn message(&self, line: &str) {
        self.lines.lock().expect("nobody panicked").push(line.to_owned());
    }

    fn is_interrupted(&self) -> bool {
        is_used_up(&self.updates)
    }

    fn check(&self) -> Result<(), Interrupted> {
        if is_used_up(&self.phases) { Err(Interrupted) } else { Ok(()) }
    }
}
