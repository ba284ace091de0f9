use std::path::Path;

use numpy::{IntoPyArray, PyArray1, PyArray2};
use othello_engine::pattern::{PatternGeometry, PatternSet as Set, Scalar, names};
use othello_trainer::model::Model;
use pyo3::prelude::*;

use crate::arrays::{Discs, boards};
use crate::errors::{exception, refused};
use crate::threads::detached;

/// A pattern (list of squares) of a pattern set, and the range of its parameters (weight indices).
#[pyclass(frozen, get_all, module = "othello_toolkit")]
pub(crate) struct Pattern {
    /// The name of the pattern in the file of the pattern set.
    name: String,
    /// The squares of the pattern, such as `a1 b1 c1`.
    squares: String,
    /// The index of the pattern's first parameter. The pattern has `classes` parameters.
    first: usize,
    /// The number of classes of configurations (contents of the squares). Symmetric configurations
    /// are in the same class, and share a weight.
    classes: usize,
    /// The number of different images of the pattern under the symmetries of the board.
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

/// Patterns and scalar features (counts, such as that of the player's discs). Their weights add up
/// to the value of a board, to which factors, if the set has any, add interactions of patterns.
///
/// On a board, each instance of a pattern and each scalar feature selects one parameter. The method
/// `classes` returns the indices of these parameters, from 0 to `size` - 1. The arrays of `Weights`
/// have one column for each index.
#[pyclass(frozen, module = "othello_toolkit")]
pub(crate) struct PatternSet {
    pub(crate) model: Model,
}

impl From<Set> for PatternSet {
    fn from(set: Set) -> Self {
        Self { model: Model::new(set) }
    }
}

impl PatternSet {
    pub(crate) fn geometry_of(&self, name: &str) -> PyResult<&PatternGeometry> {
        let patterns = self.model.set().patterns();
        let names: Vec<&str> = patterns.iter().map(|pattern| pattern.name()).collect();
        let number = names.iter().position(|&own| own == name).ok_or_else(|| {
            refused(format!("{name:?} is not a pattern of the set; it has {}", names.join(", ")))
        })?;
        Ok(&self.model.geometry().patterns[number])
    }

    pub(crate) fn first_of_scalar(&self, name: &str) -> PyResult<usize> {
        let names = self.scalars();
        let place = names.iter().position(|own| own == name).ok_or_else(|| {
            let names = names.join(", ");
            refused(format!("{name:?} is not a scalar feature of the set; it has: {names}"))
        })?;
        Ok(self.model.geometry().pattern_parameters + place * Scalar::VALUES)
    }
}

#[pymethods]
impl PatternSet {
    /// Loads a pattern set: a shipped one, such as `small` or `standard`, or one from a TOML file.
    #[staticmethod]
    fn load(name: &str) -> PyResult<Self> {
        Set::named(name, Path::new("")).map(Self::from).map_err(exception)
    }

    /// Parses a pattern set from a text in TOML.
    #[staticmethod]
    fn from_toml(text: &str) -> PyResult<Self> {
        Set::from_toml(text).map(Self::from).map_err(exception)
    }

    /// Returns the pattern set as a text in TOML.
    fn to_toml(&self) -> String {
        self.model.set().to_toml()
    }

    /// The name of the pattern set.
    #[getter]
    fn name(&self) -> &str {
        self.model.set().name()
    }

    /// The number of parameters. Each has one weight in each of the 60 phases.
    #[getter]
    fn size(&self) -> usize {
        self.model.parameters()
    }

    /// The number of features: instances (symmetric images) of patterns, and scalar features.
    #[getter]
    fn features(&self) -> usize {
        self.model.feature_count()
    }

    /// The patterns of the set, in the order of their parameters.
    #[getter]
    fn patterns(&self) -> Vec<Pattern> {
        let geometry = self.model.geometry();
        let instances = |number| geometry.instances.iter().filter(|i| i.pattern == number).count();
        let patterns = self.model.set().patterns().iter().zip(&geometry.patterns).enumerate();
        let patterns = patterns.map(|(number, (pattern, own))| Pattern {
            name: pattern.name().to_owned(),
            squares: names(pattern.squares()),
            first: own.first_parameter,
            classes: own.classes,
            instances: instances(number),
        });
        patterns.collect()
    }

    /// The names of the scalar features. Each has 65 parameters, one for each value from 0 to 64.
    /// Their indices follow the indices of all patterns' parameters.
    #[getter]
    fn scalars(&self) -> Vec<String> {
        self.model.set().scalars().iter().map(ToString::to_string).collect()
    }

    /// A pair: the number of groups of consecutive phases that share factors, and the length of a
    /// factor vector. `None` for a pattern set without factors.
    #[getter]
    fn factors(&self) -> Option<(usize, usize)> {
        self.model.set().factors().map(|shape| (shape.groups(), shape.dimensions()))
    }

    /// Returns the class, from 0, of each of the 3ⁿ configurations of a pattern with n squares.
    /// Symmetric configurations share a class. The index of a configuration has a ternary digit for
    /// each square: 0 for the opponent, 1 for empty, 2 for the player. The first square has the
    /// least significant digit.
    fn class_of<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<u16>>> {
        Ok(self.geometry_of(name)?.class_of.clone().into_pyarray(py))
    }

    /// Returns an array with a row for each board: the indices of the parameters that the board
    /// selects, one for each feature.
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
