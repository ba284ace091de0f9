//! Writes weights as named arrays. `datasets/formats.md` lists them.

use std::ops::Range;

use ndarray::{Array1, Array2, Array3, ArrayView2, s};
use othello_engine::board::PHASES;
use othello_engine::eval::{Factors, STEPS_PER_DISC, Weights};
use othello_engine::pattern::{Geometry, PatternGeometry, Scalar};

use super::arrays::{ArrayError, Npz};

/// The origin of the weights, which is written beside them.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The provenance of the weights as JSON.
    pub provenance: &'a str,
    /// The checksum of the weights file's content.
    pub sha256: &'a str,
    /// True if the weights come with counts.
    pub counted: bool,
}

/// Adds weights and their origin to a file of arrays.
pub fn add_weights(
    file: &mut Npz,
    weights: &Weights,
    origin: Origin<'_>,
) -> Result<(), ArrayError> {
    file.text("pattern_set", &weights.set().to_toml())?;
    file.text("provenance", origin.provenance)?;
    file.text("sha256", origin.sha256)?;
    file.array("steps_per_disc", &ndarray::arr0(STEPS_PER_DISC))?;
    let geometry = weights.geometry();
    for (number, pattern) in geometry.patterns.iter().enumerate() {
        let parameters = pattern.first_parameter..pattern.first_parameter + pattern.classes;
        let steps = weights.all_steps().slice_move(s![.., parameters.clone()]);
        file.array(&format!("weights_{number:02}"), &steps)?;
        if origin.counted {
            let counts = weights.all_counts().slice_move(s![.., parameters.clone()]);
            file.array(&format!("counts_{number:02}"), &counts)?;
        }
        if let Some(all) = weights.factors() {
            file.array(&format!("factors_{number:02}"), &factors(all, parameters))?;
        }
        file.array(&format!("classes_{number:02}"), &Array1::from(pattern.class_of.clone()))?;
        file.array(&format!("instances_{number:02}"), &instances(weights, number, pattern))?;
    }
    file.array("scalar_weights", &scalars(weights.geometry(), weights.all_steps()))?;
    if origin.counted {
        file.array("scalar_counts", &scalars(weights.geometry(), weights.all_counts()))?;
    }
    if let Some(all) = weights.factors() {
        let of_scalars = factors(all, geometry.pattern_parameters..geometry.parameters());
        let (groups, dimensions) = (all.shape().groups(), all.shape().dimensions());
        let shape = (groups, geometry.scalars.len(), Scalar::VALUES, dimensions);
        let of_scalars =
            of_scalars.to_shape(shape).expect("every scalar has one vector for each count");
        file.array("scalar_factors", &of_scalars)?;
    }
    Ok(())
}

/// Returns the vectors of some parameters: group by parameter by factor.
fn factors(all: &Factors, parameters: Range<usize>) -> Array3<i8> {
    let (groups, dimensions) = (all.shape().groups(), all.shape().dimensions());
    let own = parameters.start * dimensions..parameters.end * dimensions;
    let factors = (0..groups).flat_map(|group| &all.group(group)[own.clone()]).copied().collect();
    Array3::from_shape_vec((groups, parameters.len(), dimensions), factors)
        .expect("every parameter has one vector in each group")
}

/// Returns the squares of each instance of a pattern, in the order of its digits.
fn instances(weights: &Weights, number: usize, pattern: &PatternGeometry) -> Array2<u8> {
    let instances = &weights.geometry().instances;
    let own = instances.iter().filter(|instance| instance.pattern == number);
    let squares = own.flat_map(|instance| instance.squares.iter().map(|s| s.index() as u8));
    let squares: Vec<u8> = squares.collect();
    let shape = (squares.len() / pattern.squares(), pattern.squares());
    Array2::from_shape_vec(shape, squares).expect("instances have the squares of their pattern")
}

/// Returns the columns after the patterns' parameters: phase by scalar by count.
fn scalars<T: Copy>(geometry: &Geometry, by_phase: ArrayView2<'_, T>) -> Array3<T> {
    let shape = (PHASES, geometry.scalars.len(), Scalar::VALUES);
    let scalars = by_phase.slice_move(s![.., geometry.pattern_parameters..]);
    let scalars = scalars.to_shape(shape).expect("every scalar has one weight for each count");
    scalars.into_owned()
}
