//! An example that fits the weights of 60 phases to records of games, and loads the weights file.
//! To run it: `cargo run --release -p othello-trainer --example 1_fit_from_records`

mod support;

use std::error::Error;
use std::path::Path;

use othello_engine::eval::Weights;
use othello_engine::file::Existing;
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Silent;
use othello_engine::run::Shard;
use othello_trainer::backend::Cpu;
use othello_trainer::dataset::{DataChoice, Dataset};
use othello_trainer::fit::{Fit, FitReport, FitSettings, Limits, Optimizer};
use othello_trainer::model::{Model, Phases};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let weights = folder.path().join("first.weights");
    let report = fit(&support::games(folder.path())?, &weights)?;
    print!("{report}");
    println!("content sha256 {}", Weights::read(&weights)?.sha256);
    Ok(())
}

/// Fits all phases to records, and writes the weights file. A second call resumes a killed fit.
pub(crate) fn fit(records: &Path, weights: &Path) -> Result<FitReport, Box<dyn Error>> {
    let settings = FitSettings { ridge: 10.0, ..FitSettings::default() };
    // Each position of a game gets a label, and each game goes to training, validation or test.
    let data = [DataChoice { path: records.to_owned(), weight: 1.0 }];
    let dataset = Dataset::read(&data, &[], &settings.layout(), &Silent)?;
    let model = Model::new(PatternSet::shipped("small").ok_or("no shipped set is called small")?);
    let fit = Fit {
        model: &model,
        dataset: &dataset,
        settings: &settings,
        optimizer: Optimizer::LeastSquares,
        initial: None,
        phases: Phases::default().0,
        shard: Shard::WHOLE,
        limits: Limits::default(),
    };
    Ok(fit.run(&Cpu::new(&model), weights, Existing::Keep, &Silent)?.report)
}
