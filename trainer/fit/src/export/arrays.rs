//! Writes arrays, and weights as arrays, to NumPy's `.npz` files; see `datasets/formats.md`.

use std::io::{Seek, Write};
use std::ops::Range;

use ndarray::{Array1, Array2, ArrayBase, ArrayD, ArrayView2, Data, Dimension, s};
use ndarray_npy::{NpzWriter, WritableElement};
use othello_engine::board::PHASES;
use othello_engine::eval::{Factors, STEPS_PER_DISC, Weights};
use othello_engine::pattern::{Geometry, Scalar};
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use super::ExportError;

/// An `.npz` file. Its bytes depend only on the arrays, since the zip file has no dates.
pub struct Npz<W: Write + Seek>(NpzWriter<W>);

impl<W: Write + Seek> Npz<W> {
    /// Creates an empty `.npz` file in `writer`.
    pub fn new(writer: W) -> Self {
        Self(NpzWriter::new(writer))
    }

    /// Completes the file and returns the writer.
    pub fn finish(self) -> Result<W, ExportError> {
        Ok(self.0.finish()?)
    }

    /// Adds an array with a name.
    pub fn array<T: WritableElement, D: Dimension>(
        &mut self,
        name: &str,
        array: &ArrayBase<impl Data<Elem = T>, D>,
    ) -> Result<(), ExportError> {
        // A zip file needs other fields (Zip64) for the size of an array of 4 GiB or more.
        let is_long = array.len().saturating_mul(size_of::<T>()) >= 0xFFFF_0000;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .large_file(is_long);
        Ok(self.0.add_array_with_options(name, array, options)?)
    }

    /// Adds a text as an array of UTF-8 bytes, since NumPy's strings take four bytes per character.
    pub fn text(&mut self, name: &str, text: &str) -> Result<(), ExportError> {
        self.array(name, &Array1::from(text.as_bytes().to_vec()))
    }
}

/// The parameters in one array: of the classes of one pattern, or of all scalar features' values.
pub(super) struct Place {
    pub(super) pattern: Option<usize>,
    pub(super) parameters: Range<usize>,
    /// The lengths of the array's axes between the first (phases or groups) and, for factors, the
    /// last (dimensions): for a pattern, the number of its classes; for scalar features, their
    /// number and the number of values of each.
    pub(super) axes: Vec<usize>,
}

impl Place {
    /// Returns the parameters of each array: those of one pattern, or of all scalar features.
    pub(super) fn all(geometry: &Geometry) -> Vec<Self> {
        let patterns = geometry.patterns.iter().enumerate().map(|(number, pattern)| Self {
            pattern: Some(number),
            parameters: pattern.first_parameter..pattern.first_parameter + pattern.classes,
            axes: vec![pattern.classes],
        });
        let scalars = Self {
            pattern: None,
            parameters: geometry.pattern_parameters..geometry.parameters(),
            axes: vec![geometry.scalars.len(), Scalar::VALUES],
        };
        patterns.chain([scalars]).collect()
    }

    /// Returns the name of the array of a `kind`, such as `weights`: `weights_00` for pattern 0,
    /// `scalar_weights` for the scalar features.
    pub(super) fn name(&self, kind: &str) -> String {
        match self.pattern {
            Some(number) => format!("{kind}_{number:02}"),
            None => format!("scalar_{kind}"),
        }
    }

    /// Returns the lengths of the array's axes: `first` (the number of phases or, for factors, of
    /// groups of phases), then the elements of `self.axes` (the numbers of classes, or of scalar
    /// features and of their values) and, for factors, `dimensions`.
    pub(super) fn shape(&self, first: usize, dimensions: Option<usize>) -> Vec<usize> {
        [first].into_iter().chain(self.axes.iter().copied()).chain(dimensions).collect()
    }
}

/// The origin of the weights, which is written to the file.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The provenance of the weights as JSON.
    pub provenance: &'a str,
    /// The SHA-256 of the weights file.
    pub sha256: &'a str,
    /// True if the weights have counts: how often each parameter occurs in training positions.
    pub counted: bool,
}

/// Adds the arrays of weights, and the weights' provenance and checksum, to an `.npz` file.
pub fn add_weights(
    file: &mut Npz<impl Write + Seek>,
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

fn columns<T: Copy>(place: &Place, by_phase: ArrayView2<'_, T>) -> ArrayD<T> {
    let columns = by_phase.slice_move(s![.., place.parameters.clone()]);
    let shaped = columns.to_shape(place.shape(PHASES, None)).map(|shaped| shaped.into_owned());
    shaped.expect("a place has as many parameters as its axes")
}

fn factors(place: &Place, all: &Factors) -> ArrayD<i8> {
    let (groups, dimensions) = (all.shape().groups(), all.shape().dimensions());
    let own = place.parameters.start * dimensions..place.parameters.end * dimensions;
    let factors = (0..groups).flat_map(|group| &all.group(group)[own.clone()]).copied().collect();
    ArrayD::from_shape_vec(place.shape(groups, Some(dimensions)), factors)
        .expect("every parameter has one vector in each group")
}

/// Returns a row of squares for each instance of pattern `number`. The contents of the square in
/// column d are the digit of 3ᵈ in the configuration's base-3 number.
fn instances(weights: &Weights, number: usize) -> Array2<u8> {
    let instances = weights.geometry().instances.iter();
    let own = instances.filter(|instance| instance.pattern == number);
    let squares = own.flat_map(|instance| instance.squares.iter().map(|s| s.index() as u8));
    let squares: Vec<u8> = squares.collect();
    let digits = weights.geometry().patterns[number].squares();
    Array2::from_shape_vec((squares.len() / digits, digits), squares)
        .expect("instances have the squares of their pattern")
}
