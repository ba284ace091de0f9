//! Pattern sets, and the conversion of boards to arrays of parameter indices.

use std::path::Path;

use numpy::{IntoPyArray, PyArray1, PyArray2};
use othello_engine::pattern::{PatternGeometry, PatternSet as Set, Scalar};
use othello_trainer::model::Model;
use pyo3::prelude::*;

use crate::arrays::{Discs, boards};
use crate::errors::{exception, refused};
use crate::threads::detached;

/// A pattern of a set, with the range of its parameters.
#[pyclass(frozen, get_all, module = "othello_toolkit")]
pub(crate) struct Pattern {
    /// The name in the set's file.
    name: String,
    /// The squares; the first is the least significant digit of a configuration.
    squares: String,
    /// The index of the pattern's first parameter. The pattern has one parameter for each class.
    first: usize,
    /// The number of classes.
    classes: usize,
    /// The number of images on the board.
    instances: usize,
}

#[pymethods]
impl Pattern {
    fn __repr__(&self) -> String {
        let Self { name, squares, first, classes, instances } = self;
        format!(
            "Pattern(name={name:?}, squares={squares:?}, first={first}, classes={classes}, \
             instances={instances})"
        )
    }
}

/// Patterns and scalar features, whose weights add up to the value of a board.
///
/// A board has one parameter for each image of a pattern and one for each scalar feature. The
/// method `classes` returns their indices, from 0 to `size` - 1. The arrays of `Weights` have the
/// same indices as columns.
#[pyclass(frozen, module = "othello_toolkit")]
pub(crate) struct PatternSet {
    model: Model,
}

impl From<Set> for PatternSet {
    fn from(set: Set) -> Self {
        Self { model: Model::new(set) }
    }
}

impl PatternSet {
    pub(crate) fn set(&self) -> &Set {
        self.model.set()
    }

    /// Returns the geometry of the pattern with this name.
    pub(crate) fn geometry_of(&self, name: &str) -> PyResult<&PatternGeometry> {
        let patterns = self.set().patterns();
        let number = patterns.iter().position(|pattern| pattern.name() == name);
        let number = number.ok_or_else(|| {
            let names: Vec<&str> = patterns.iter().map(|pattern| pattern.name()).collect();
            refused(format!("{name:?} is not a pattern of the set; it has {}", names.join(", ")))
        })?;
        Ok(&self.model.geometry().patterns[number])
    }

    pub(crate) fn first_of_scalar(&self, name: &str) -> PyResult<usize> {
        let place = self.scalars().iter().position(|scalar| scalar == name);
        let place = place.ok_or_else(|| {
            let names = self.scalars().join(", ");
            refused(format!("{name:?} is not a scalar feature of the set; it has: {names}"))
        })?;
        Ok(self.model.geometry().pattern_parameters + place * Scalar::VALUES)
    }
}

#[pymethods]
impl PatternSet {
    /// Loads a shipped set by its name, such as `small` or `standard`, or a file in TOML.
    #[staticmethod]
    fn load(name: &str) -> PyResult<Self> {
        Set::named(name, Path::new("")).map(Self::from).map_err(exception)
    }

    /// Reads a set from its text in TOML.
    #[staticmethod]
    fn from_toml(text: &str) -> PyResult<Self> {
        Set::from_toml(text).map(Self::from).map_err(exception)
    }

    /// Returns the set as text in TOML.
    fn to_toml(&self) -> String {
        self.set().to_toml()
    }

    /// The name of the set.
    #[getter]
    fn name(&self) -> &str {
        self.set().name()
    }

    /// The number of parameters of a phase.
    #[getter]
    fn size(&self) -> usize {
        self.model.parameters()
    }

    /// The number of parameters of a board: one for each instance and each scalar feature.
    #[getter]
    fn features(&self) -> usize {
        self.model.feature_count()
    }

    /// The patterns, in the order of their parameters.
    #[getter]
    fn patterns(&self) -> Vec<Pattern> {
        let geometry = self.model.geometry();
        let instances = |number| geometry.instances.iter().filter(|i| i.pattern == number).count();
        let patterns = self.set().patterns().iter().zip(&geometry.patterns).enumerate();
        let patterns = patterns.map(|(number, (pattern, own))| {
            let squares: Vec<String> = pattern.squares().iter().map(ToString::to_string).collect();
            Pattern {
                name: pattern.name().to_owned(),
                squares: squares.join(" "),
                first: own.first_parameter,
                classes: own.classes,
                instances: instances(number),
            }
        });
        patterns.collect()
    }

    /// The names of the scalar features. Each has 65 parameters, which follow those of the
    /// patterns.
    #[getter]
    fn scalars(&self) -> Vec<String> {
        self.set().scalars().iter().map(ToString::to_string).collect()
    }

    /// The number of groups of phases that share factors, and the width of the factor vectors;
    /// `None` for a set without factors.
    #[getter]
    fn factors(&self) -> Option<(usize, usize)> {
        self.set().factors().map(|shape| (shape.groups(), shape.dimensions()))
    }

    /// Returns the class of each configuration of a pattern among the pattern's classes: an array
    /// of 3ⁿ numbers. The digits of a configuration are 0 for the opponent, 1 for empty, 2 for the
    /// player. The first square has the least significant digit.
    fn class_of<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<u16>>> {
        Ok(self.geometry_of(name)?.class_of.clone().into_pyarray(py))
    }

    /// Returns the parameter indices of boards: for each board, a row of `features` numbers.
    fn classes<'py>(
        &self,
        py: Python<'py>,
        player: Discs,
        opponent: Discs,
    ) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let positions = boards(&player, &opponent)?;
        Ok(detached(py, || self.model.rows_in_file(&positions))?.into_pyarray(py))
    }

    fn __repr__(&self) -> String {
        format!("PatternSet({:?}, size={}, features={})", self.name(), self.size(), self.features())
    }
}
