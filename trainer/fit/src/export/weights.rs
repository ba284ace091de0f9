//! Writes weights as named arrays. `datasets/formats.md` lists them.

use ndarray::{Array1, Array2, ArrayD, ArrayView2, s};
use othello_engine::board::PHASES;
use othello_engine::eval::{Factors, STEPS_PER_DISC, Weights};

use super::arrays::{Npz, Place};
use super::error::ExportError;

/// The origin of the weights, which is written to the file.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The provenance of the weights as JSON.
    pub provenance: &'a str,
    /// The checksum of the weights file's content.
    pub sha256: &'a str,
    /// True if the weights have counts.
    pub counted: bool,
}

/// Adds weights and their origin to a file of arrays.
pub fn add_weights(
    file: &mut Npz,
    weights: &Weights,
    origin: Origin<'_>,
) -> Result<(), ExportError> {
    file.text("pattern_set", &weights.set().to_toml())?;
    file.text("provenance", origin.provenance)?;
    file.text("sha256", origin.sha256)?;
    file.array("steps_per_disc", &ndarray::arr0(STEPS_PER_DISC))?;
    let geometry = weights.geometry();
    for place in Place::all(geometry) {
        file.array(&place.name("weights"), &columns(&place, weights.all_steps()))?;
        if origin.counted {
            file.array(&place.name("counts"), &columns(&place, weights.all_counts()))?;
        }
        if let Some(all) = weights.factors() {
            file.array(&place.name("factors"), &factors(&place, all))?;
        }
        if let Some(number) = place.pattern {
            let classes = Array1::from(geometry.patterns[number].class_of.clone());
            file.array(&place.name("classes"), &classes)?;
            file.array(&place.name("instances"), &instances(weights, number))?;
        }
    }
    Ok(())
}

/// Returns the columns of an array's parameters, by phase.
fn columns<T: Copy>(place: &Place, by_phase: ArrayView2<'_, T>) -> ArrayD<T> {
    let columns = by_phase.slice_move(s![.., place.parameters.clone()]);
    let shaped = columns.to_shape(place.shape(PHASES, None)).map(|shaped| shaped.into_owned());
    shaped.expect("a place has as many parameters as its axes")
}

/// Returns the vectors of an array's parameters, by group.
fn factors(place: &Place, all: &Factors) -> ArrayD<i8> {
    let (groups, dimensions) = (all.shape().groups(), all.shape().dimensions());
    let own = place.parameters.start * dimensions..place.parameters.end * dimensions;
    let factors = (0..groups).flat_map(|group| &all.group(group)[own.clone()]).copied().collect();
    ArrayD::from_shape_vec(place.shape(groups, Some(dimensions)), factors)
        .expect("every parameter has one vector in each group")
}

/// Returns the squares of each instance of a pattern, in the order of its digits.
fn instances(weights: &Weights, number: usize) -> Array2<u8> {
    let instances = weights.geometry().instances.iter();
    let own = instances.filter(|instance| instance.pattern == number);
    let squares = own.flat_map(|instance| instance.squares.iter().map(|s| s.index() as u8));
    let squares: Vec<u8> = squares.collect();
    let digits = weights.geometry().patterns[number].squares();
    Array2::from_shape_vec((squares.len() / digits, digits), squares)
        .expect("instances have the squares of their pattern")
}
