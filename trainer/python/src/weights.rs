use std::path::PathBuf;

use numpy::ndarray::{Array3, ArrayViewD, CowArray, Ix2};
use numpy::{AllowTypeChange, IntoPyArray, PyArray1, PyArrayLike2, PyArrayLikeDyn};
use othello_engine::board::{PHASES, Phase, Square};
use othello_engine::eval::{
    Evaluate as _, Evaluator, Factors, STEPS_PER_DISC, Weights as ByParameter, WeightsChoice,
    WeightsFile,
};
use othello_engine::file::{Existing, Provenance};
use othello_engine::pattern::{Scalar, names};
use othello_engine::progress::Silent;
use othello_engine::search::{Limits, Search};
use othello_trainer::export::read_npz::{WeightArrays, checksum};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Discs, boards, column};
use crate::board::BoardOrText;
use crate::errors::{exception, refused};
use crate::patterns::PatternSet;
use crate::threads::{detached, interruptible, on_threads};

/// The contribution of a pattern instance, a scalar feature or all factors to a board's value.
#[pyclass(frozen, get_all, module = "othello_toolkit")]
pub(crate) struct Part {
    /// The name of the pattern or scalar feature. All factors share one part, named `factors`.
    name: String,
    /// The squares of the instance, separated by spaces; empty for scalar features and `factors`.
    squares: String,
    /// The number of discs that this part adds to the value of the board.
    discs: f64,
    /// The number of times that the instance's class of configurations, or the scalar feature's
    /// value, occurred in training. 0 for `factors`, and for weights without these numbers, such as
    /// the embedded weights.
    count: u32,
}

#[pymethods]
impl Part {
    fn __repr__(&self) -> String {
        let Self { name, squares, discs, count } = self;
        format!("Part(name={name:?}, squares={squares:?}, discs={discs}, count={count})")
    }
}

/// The weights of an evaluation for each of 60 phases. The phase of a board is its number of discs
/// minus 4.
#[pyclass(frozen, module = "othello_toolkit")]
pub(crate) struct Weights {
    file: WeightsFile,
    pub(crate) evaluator: Evaluator,
    set: Py<PatternSet>,
}

impl Weights {
    fn new(py: Python<'_>, file: WeightsFile, evaluator: Evaluator) -> PyResult<Self> {
        let set = Py::new(py, PatternSet::from(file.weights.set().clone()))?;
        Ok(Self { file, evaluator, set })
    }
}

#[pymethods]
impl Weights {
    /// Loads a weights file; the name `embedded` loads the weights inside this package.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        if path.as_os_str() == "embedded" {
            return Self::embedded(py);
        }
        let read = || ByParameter::read(&path).map(|file| (Evaluator::from(&file), file));
        let (evaluator, file) = detached(py, read)?.map_err(exception)?;
        Self::new(py, file, evaluator)
    }

    /// Returns the weights inside this package, without counts of occurrences in training.
    #[staticmethod]
    fn embedded(py: Python<'_>) -> PyResult<Self> {
        let file = detached(py, || WeightsChoice::Embedded.by_class())?;
        let file = file.map_err(|error| refused(format!("{error:#}")))?;
        let evaluator = detached(py, Evaluator::embedded)?;
        Self::new(py, file, evaluator)
    }

    /// Makes weights from arrays. `weights` are in discs and are rounded to steps of 1/32 disc;
    /// `counts` are the numbers of occurrences in training (default: all 0). Both arrays have a row
    /// for each of the 60 phases and a column for each parameter of the pattern set. `factors`
    /// (required if the set has factors, otherwise refused) has three axes: groups of phases,
    /// parameters and elements of a factor vector. Factors are in units of 1/64 √disc, and are
    /// rounded to whole numbers from −127 to 127. The method `save` also stores the text `note`.
    #[staticmethod]
    #[pyo3(signature = (pattern_set, weights, counts = None, factors = None, note = ""))]
    fn from_arrays(
        pattern_set: &Bound<'_, PatternSet>,
        weights: PyArrayLike2<'_, f64, AllowTypeChange>,
        counts: Option<PyArrayLike2<'_, f64, AllowTypeChange>>,
        factors: Option<PyArrayLikeDyn<'_, f32, AllowTypeChange>>,
        note: &str,
    ) -> PyResult<Self> {
        let steps = weights.as_array().mapv(|discs| discs * f64::from(STEPS_PER_DISC));
        let factors = factors.as_ref().map(|factors| factors.as_array());
        let factors = factors.as_ref().map(by_group).transpose()?;
        let arrays = WeightArrays {
            steps: steps.view(),
            counts: counts.as_ref().map(|counts| counts.as_array()),
            factors: factors.as_ref().map(|factors| factors.view()),
        };
        let made = arrays.into_weights(pattern_set.get().model.set().clone());
        let weights = made.map_err(refused)?.weights;
        let provenance =
            Provenance::new("from arrays").with("arrays", checksum(&weights)).with("note", note);
        let file = WeightsFile { weights, provenance, sha256: String::new() };
        let evaluator = on_threads(|| Evaluator::from(&file))?;
        Self::new(pattern_set.py(), file, evaluator)
    }

    /// Returns the arrays for `from_arrays`: `weights`, `counts`, and `factors` if there are any.
    fn to_arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (arrays, weights) = (PyDict::new(py), &self.file.weights);
        arrays.set_item("weights", weights.all_steps().mapv(in_discs).into_pyarray(py))?;
        arrays.set_item("counts", weights.all_counts().to_owned().into_pyarray(py))?;
        if let Some(factors) = weights.factors() {
            arrays.set_item("factors", all_factors(factors).into_pyarray(py))?;
        }
        Ok(arrays)
    }

    /// Returns the value of each board in discs, for the side to move. This is the static value at
    /// depth 0, otherwise the value of a search to `depth` plies. Ctrl-C ends the searches.
    #[pyo3(signature = (player, opponent, depth = 0))]
    fn values(
        &self,
        py: Python<'_>,
        player: Discs,
        opponent: Discs,
        depth: u32,
    ) -> PyResult<Py<PyArray1<f32>>> {
        let positions = boards(&player, &opponent)?;
        let found = interruptible(py, |stop| {
            let limits = Limits { interrupt: Some(stop.clone()), ..Limits::default() };
            Search::new(&self.evaluator).depth(depth).limits(limits).values(&positions, &Silent)
        })?;
        Ok(column(py, &found.map_err(exception)?, |value| value.discs() as f32))
    }

    /// Returns the static value of a board in discs for the side to move.
    fn value(&self, board: BoardOrText) -> PyResult<f64> {
        Ok(self.evaluator.value_of(&board.position()?).discs())
    }

    /// Returns the contribution of each pattern instance and of each scalar feature to the value of
    /// a board. If the set has factors, the last element is the joint contribution of all factors.
    fn parts(&self, board: BoardOrText) -> PyResult<Vec<Part>> {
        let position = board.position()?;
        let parts = self.file.weights.parts(&position);
        let parts = parts.ok_or_else(|| {
            refused("the side to move has no legal move; its value is the value after the pass")
        })?;
        let instances = parts.instances.iter();
        let instances = instances.map(|it| (it.pattern.name().to_owned(), it.squares, it.weight));
        let scalars = parts.scalars.iter().map(|it| (it.scalar.to_string(), &[][..], it.weight));
        let terms = instances.chain(scalars);
        let terms = terms.map(|(name, squares, it)| (name, squares, it.steps.into(), it.count));
        let factors = self.file.weights.factors();
        let factors = factors.map(|_| ("factors".to_owned(), &[][..], parts.together, 0));
        let part = |(name, squares, steps, count): (String, &[Square], i32, u32)| {
            let discs = f64::from(steps) / f64::from(STEPS_PER_DISC);
            Part { name, squares: names(squares), discs, count }
        };
        Ok(terms.chain(factors).map(part).collect())
    }

    /// Returns the weights of a pattern with n squares in a phase, in discs: an array of 3ⁿ
    /// numbers, one for each configuration in the order of `PatternSet.class_of`.
    fn pattern(&self, py: Python<'_>, phase: usize, name: &str) -> PyResult<Py<PyArray1<f32>>> {
        let steps = self.file.weights.steps(phase_of(phase)?);
        let pattern = self.set.get().geometry_of(name)?;
        let own = &steps[pattern.first_parameter..][..pattern.classes];
        Ok(column(py, &pattern.class_of, |&class| in_discs(own[usize::from(class)])))
    }

    /// Returns the weights of a scalar feature in a phase, in discs, for its values from 0 to 64.
    fn scalar(&self, py: Python<'_>, phase: usize, name: &str) -> PyResult<Py<PyArray1<f32>>> {
        let steps = self.file.weights.steps(phase_of(phase)?);
        let own = &steps[self.set.get().first_of_scalar(name)?..][..Scalar::VALUES];
        Ok(column(py, own, |&steps| in_discs(steps)))
    }

    /// The pattern set of these weights.
    #[getter]
    fn pattern_set(&self, py: Python<'_>) -> Py<PatternSet> {
        self.set.clone_ref(py)
    }

    /// The SHA-256 of the weights file; empty for weights that `from_arrays` made.
    #[getter]
    fn sha256(&self) -> &str {
        &self.file.sha256
    }

    /// The settings and inputs that determined the weights, as JSON.
    #[getter]
    fn provenance(&self) -> String {
        self.file.provenance.canonical()
    }

    /// Writes a weights file, and returns its SHA-256. With `force`, replaces an existing file.
    /// Without `force`, keeps an existing file if its `provenance` is the same, otherwise fails.
    #[pyo3(signature = (path, force = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<String> {
        let existing = if force { Existing::Replace } else { Existing::Keep };
        let written =
            detached(py, || self.file.weights.write(&path, &self.file.provenance, existing))?;
        Ok(written.map_err(exception)?.sha256)
    }

    fn __repr__(&self) -> String {
        let (pattern_set, sha256) = (self.file.weights.set().name(), self.sha256());
        format!("Weights(pattern_set={pattern_set:?}, sha256={sha256:?})")
    }
}

fn phase_of(phase: usize) -> PyResult<Phase> {
    Phase::new(phase)
        .ok_or_else(|| refused(format!("{phase} is not a phase; expected 0 to {}", PHASES - 1)))
}

fn in_discs(steps: i16) -> f32 {
    f32::from(steps) / STEPS_PER_DISC as f32
}

fn all_factors(factors: &Factors) -> Array3<i8> {
    let (groups, dimensions) = (factors.shape().groups(), factors.shape().dimensions());
    let parameters = factors.group(0).len() / dimensions;
    Array3::from_shape_fn((groups, parameters, dimensions), |(group, parameter, dimension)| {
        factors.group(group)[parameter * dimensions + dimension]
    })
}

fn by_group<'a>(factors: &'a ArrayViewD<'_, f32>) -> PyResult<CowArray<'a, f32, Ix2>> {
    let shape = factors.shape().to_vec();
    let [groups, parameters, dimensions] = shape[..] else {
        return Err(refused(format!(
            "the factors have the shape {shape:?}; expected three axes: group, parameter, factor"
        )));
    };
    factors.to_shape((groups, parameters * dimensions)).map_err(exception)
}
