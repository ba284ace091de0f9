//! Checkpoints: a fit of one position that finds one beside its output.

use std::fs;

use othello_engine::board::{Phase, Position, Square};
use othello_engine::file::{Begin, Existing, Provenance};
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Silent;
use othello_engine::record::{Label, PositionWriter, ScoredPosition, Weight};
use othello_trainer::dataset::{DataChoice, Dataset};
use othello_trainer::fit::{Fit, FitError, FitSettings};
use othello_trainer::model::Model;

use super::super::engine::container::{self, Section};
use super::super::engine::scratch;
use super::super::engine::targets::check_message;

/// What stands between sections: the name, the content.
const BETWEEN: u8 = 0xFE;

/// Sections of a checkpoint: names and contents in turn, with a byte `FE` between them. The fit
/// takes them or refuses them by name, and never makes weights of something else.
pub fn checkpoint(data: &[u8]) {
    let mut parts = data.split(|&byte| byte == BETWEEN);
    let mut sections = vec![];
    while let (Some(name), Some(content)) = (parts.next(), parts.next()) {
        sections.push(Section { name: name.to_vec(), ..Section::new("", content) });
    }
    SETUP.with(|setup| setup.resume(&sections));
}

thread_local! {
    static SETUP: Setup = Setup::new();
}

struct Setup {
    model: Model,
    dataset: Dataset,
    settings: FitSettings,
    /// The header of a checkpoint of this very fit.
    header: Vec<u8>,
}

impl Setup {
    fn new() -> Self {
        let settings = FitSettings::default();
        let position = Position::START.play(Square::at(5, 4).expect("f5")).expect("a first move");
        let row = ScoredPosition::new(position, Label::of_score(2).expect("a score"), Weight::ONE);
        let path = scratch::path("one.positions");
        let provenance = Provenance::new("fuzz").with("enumerated", true);
        let begun = PositionWriter::begin(&path, &provenance, Existing::Replace);
        let Ok(Begin::Writer(mut writer)) = begun else { panic!("not writable") };
        writer.push(row).and_then(|()| writer.finish()).expect("writable");
        let data = DataChoice { path, weight: 1.0 };
        let dataset = Dataset::read(&[data], &settings.labels, settings.split(), &Silent);
        let dataset = dataset.expect("just written");
        let model = Model::new(PatternSet::shipped("discs").expect("a shipped set"));
        let mut setup = Self { model, dataset, settings, header: vec![] };
        setup.header = setup.header_of_checkpoint();
        setup
    }

    fn fit(&self) -> Fit<'_> {
        let phase = Phase::new(1).expect("a phase");
        let Self { model, dataset, settings, .. } = self;
        Fit { model, dataset, settings, initial: None, phases: phase..=phase }
    }

    /// The provenance is the same as that of the weights.
    fn header_of_checkpoint(&self) -> Vec<u8> {
        let path = scratch::path("fit.weights");
        self.fit().run(&path, Existing::Replace, &Silent).expect("one position can be fitted");
        let weights = fs::read(&path).expect("just written");
        let length = u32::from_le_bytes([weights[12], weights[13], weights[14], weights[15]]);
        container::header(b'C', container::VERSION, &weights[16..16 + length as usize])
    }

    fn resume(&self, sections: &[Section]) {
        let path = scratch::path("fit.weights");
        let beside = scratch::path("fit.weights.checkpoint.partial");
        let _ = fs::remove_file(&path);
        let _ = fs::remove_file(scratch::path("fit.weights.partial"));
        fs::write(&beside, container::partial(self.header.clone(), sections)).expect("writable");
        match self.fit().run(&path, Existing::Keep, &Silent) {
            Ok(_) => {
                let read = othello_engine::eval::Weights::read(&path);
                assert!(read.is_ok(), "weights that cannot be read: {}", read.unwrap_err());
            }
            Err(FitError::Checkpoint(error)) => {
                let message = error.to_string();
                assert!(message.contains("fit.weights.checkpoint.partial"), "{message}");
                check_message(&message);
            }
            Err(error) => panic!("{error}"),
        }
    }
}
