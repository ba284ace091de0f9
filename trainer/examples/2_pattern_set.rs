//! An example that tries a new pattern set: fits one phase with the set, and compares the
//! validation error with that of a baseline set on the same games.
//! To run it: `cargo run --release -p othello-trainer --example 2_pattern_set`

mod support;

use std::error::Error;

use othello_engine::board::Phase;
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Silent;
use othello_trainer::backend::Cpu;
use othello_trainer::dataset::{DataChoice, Dataset};
use othello_trainer::fit::{FitSettings, Optimizer, PhaseFit, without_stops};
use othello_trainer::model::Model;

/// A pattern set in TOML. The text only states the squares of each pattern. The instances under the
/// eight symmetries, and the configurations that share a weight, follow from the squares.
const OWN_SET: &str = r#"
    name = "edges and corners"
    scalars = ["player_discs"]

    [[pattern]]
    name = "edge"
    squares = "a1 b1 c1 d1 e1 f1 g1 h1"

    [[pattern]]
    name = "corner"
    squares = "a1 b1 c1 a2 b2 c2 a3 b3 c3"
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let [own, baseline] = errors()?;
    println!("mean absolute validation error of phase 45, in discs");
    println!("edges and corners      {own:.2}");
    println!("number of discs alone  {baseline:.2}");
    Ok(())
}

pub(crate) fn errors() -> Result<[f64; 2], Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let data = [DataChoice { path: support::games(folder.path())?, weight: 1.0 }];
    let settings = FitSettings { validation_percent: 20, ..FitSettings::default() };
    let dataset = Dataset::read(&data, &[], &settings.layout(), &Silent)?;
    let error = |set: PatternSet| -> Result<f64, Box<dyn Error>> {
        let model = Model::new(set);
        let fit = PhaseFit {
            backend: &Cpu::new(&model),
            model: &model,
            dataset: &dataset,
            settings: &settings,
            optimizer: Optimizer::LeastSquares,
            initial: None,
            phase: Phase::new(45).ok_or("45 is not a phase")?,
        };
        let fitted = fit.finish(fit.run(None, &mut without_stops)?)?;
        Ok(fitted.report.validation_mae.ok_or("no positions to validate on")?)
    };
    let baseline = PatternSet::shipped("discs").ok_or("no shipped set is called discs")?;
    Ok([error(PatternSet::from_toml(OWN_SET)?)?, error(baseline)?])
}
