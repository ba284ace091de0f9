//! Fuzz targets for the files from which an interrupted fit resumes: a part (a finished phase), or
//! the snapshot of an unfinished phase. The fuzz input has the name and the content of each section
//! of such a file, separated by bytes `FE`.

use std::fs;
use std::path::Path;

use othello_engine::board::transcript::{self, Replay};
use othello_engine::board::{Discs, Phase};
use othello_engine::eval::Weights;
use othello_engine::file::Existing;
use othello_engine::pattern::PatternSet;
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::{Label, ScoredPosition, Weight};
use othello_engine::run::Shard;
use othello_trainer::backend::Cpu;
use othello_trainer::dataset::{DatasetBuilder, Split};
use othello_trainer::fit::{AdamSettings, Fit, FitError, FitSettings, Limits, Optimizer};
use othello_trainer::model::Model;
use othello_trainer::source::LabelRules;

use super::{check_message, check_names};
use crate::container::{self, Container, Section};
use othello_testing::{StopFit, scratch};

thread_local! {
    static SETUPS: [Setup; 2] = [
        Setup::new("part-000002", Optimizer::LeastSquares, [0, 8], [4, u64::MAX]),
        Setup::new("part-000000.snapshot", Optimizer::Adam, [4, 4], [u64::MAX, 5]),
    ];
}

/// A fit that resumes from part `data` must write valid weights, or name the part in an error.
pub(super) fn part_of_fit(data: &[u8]) {
    SETUPS.with(|[setup, _]| match setup.resume(data) {
        Ok(_) => {}
        Err(FitError::File(error)) => {
            check_names(&error, Path::new("fit.weights.parts/part-000002"));
        }
        Err(error) => panic!("{error}"),
    });
}

/// A fit that resumes from the snapshot `data` must use it, or name it in a message and begin the
/// phase again. The fit may also diverge, since `data` may have any numbers.
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

/// A fit that was stopped before its end, with the stored data from which it resumes.
struct Setup {
    fit: Fit<'static>,
    name: &'static str,
    provenance: Vec<u8>,
    manifest: Vec<u8>,
    /// The checksum of the weights of an uninterrupted fit.
    sha256: String,
}

impl Setup {
    /// Runs a fit and stops it after `stop[0]` phases or `stop[1]` updates, so that it leaves the
    /// file `name` to resume from. Then finishes the fit to get the checksum of its weights.
    fn new(name: &'static str, optimizer: Optimizer, phases: [usize; 2], stop: [u64; 2]) -> Self {
        let adam = AdamSettings { updates: 2, ..AdamSettings::default() };
        let settings = FitSettings { adam, ..FitSettings::default() };
        let model = Model::new(PatternSet::shipped("discs").expect("a shipped set"));
        let squares = transcript::parse("f5d6c5f4e7f6g5e6e3").expect("squares");
        let steps = Replay::from_start(&squares).expect("a game").steps.into_iter();
        let rows = steps.map(|step| {
            let label = Label::of_score(step.position.ply() as Discs * 2).expect("a score");
            ScoredPosition::new(step.position, label, Weight::ONE)
        });
        let mut dataset = DatasetBuilder::new(LabelRules::default(), Split::none());
        dataset.add_positions(&rows.collect::<Vec<_>>(), 1.0, true);
        let [first, last] = phases.map(|index| Phase::new(index).expect("a phase"));
        let fit = Fit {
            model: Box::leak(Box::new(model)),
            dataset: Box::leak(Box::new(dataset.finish())),
            settings: Box::leak(Box::new(settings)),
            optimizer,
            initial: None,
            phases: first..=last,
            shard: Shard::WHOLE,
            limits: Limits::default(),
        };
        let (provenance, manifest, sha256) = Default::default();
        let mut setup = Self { fit, name, provenance, manifest, sha256 };
        let path = scratch::path(name).with_extension("weights");
        let _ = setup.run(&path, &StopFit::after(stop[0], stop[1]));
        let read = |name: &str| fs::read(path.with_added_extension("parts").join(name));
        setup.provenance = Container::of(&read(name).expect("left by the fit")).provenance;
        setup.manifest = read("run.json").expect("left by the fit");
        setup.sha256 = setup.run(&path, &Silent).expect("it continues");
        setup
    }

    fn run(&self, path: &Path, progress: &dyn Progress) -> Result<String, FitError> {
        let end = self.fit.run(&Cpu::new(self.fit.model), path, Existing::Keep, progress)?;
        Ok(end.summary.expect("not a shard").sha256)
    }

    /// Resumes the fit from a part that has the sections in `data`. Returns the checksum of the
    /// fitted weights, and the messages of the fit.
    fn resume(&self, data: &[u8]) -> Result<(String, Vec<String>), FitError> {
        let folder = scratch::path("resumed");
        let _ = fs::remove_dir_all(&folder);
        let (weights, parts) = (folder.join("fit.weights"), folder.join("fit.weights.parts"));
        fs::create_dir_all(&parts).expect("a new folder");
        fs::write(parts.join("run.json"), &self.manifest).expect("writable");
        let fields: Vec<&[u8]> = data.split(|&byte| byte == 0xFE).collect();
        let section =
            |pair: &[&[u8]]| Section { name: pair[0].into(), ..Section::new("", pair[1]) };
        let sections: Vec<Section> = fields.chunks_exact(2).map(section).collect();
        let bytes = container::file(b'R', container::VERSION, &self.provenance, &sections);
        fs::write(parts.join(self.name), bytes).expect("writable");
        let stop = StopFit::after(u64::MAX, u64::MAX);
        let sha256 = self.run(&weights, &stop)?;
        Weights::read(&weights).unwrap_or_else(|error| panic!("weights cannot be read: {error}"));
        Ok((sha256, stop.into_messages()))
    }
}
