//! Makes weights from `.npz` files of NumPy arrays, or from arrays in memory.

use std::fmt::Display;
use std::io::{Read, Seek};
use std::ops::{Range, RangeInclusive};

use ndarray::{Array2, ArrayD, ArrayView1, ArrayView2, ShapeBuilder as _, s};
use othello_engine::board::{PHASES, Phase};
use othello_engine::eval::{MAX_FACTOR, MAX_STEPS, STEPS_PER_DISC, Weights};
use othello_engine::pattern::{Geometry, PatternSet};
use othello_engine::text::Invalid;
use sha2::{Digest as _, Sha256};
use zip::ZipArchive;
use zip::result::ZipError;

use super::ExportError;
use super::arrays::Place;
use super::tables::{Differences, ReadTables};
use crate::source::npz::NpyReader;

const MAX_SET_BYTES: u64 = 1 << 20;

/// Reads weights from the arrays of an `.npz` file: `pattern_set`, the weights of each pattern
/// (`weights_00`, …), `scalar_weights` if the pattern set has scalar features, and `factors_00`, …
/// if it has factors. The numbers of training occurrences (`counts_00`, …) are optional. Weights
/// are in steps of 1/32 disc; fractions of a step are rounded.
pub fn read_npz(file: impl Read + Seek) -> Result<ReadTables, ExportError> {
    let mut arrays = Arrays(ZipArchive::new(file).map_err(|e| refused(e.to_string()))?);
    if let Some(mut steps) = arrays.array("steps_per_disc")?
        && steps.next().map_err(refused)?.real() != f64::from(STEPS_PER_DISC)
    {
        return Err(refused(format!("`steps_per_disc` is not {STEPS_PER_DISC}")));
    }
    let set = arrays.pattern_set()?;
    let geometry = Geometry::new(&set);
    let mut by_phase = |kind| arrays.by_parameter(&geometry, kind, PHASES, None);
    let steps = by_phase("weights")?.ok_or_else(|| missing("weights_00"))?;
    let counts = by_phase("counts")?;
    let factors = set.factors().map(|shape| {
        let dimensions = Some(shape.dimensions());
        let factors = arrays.by_parameter(&geometry, "factors", shape.groups(), dimensions)?;
        Ok::<_, ExportError>(factors.ok_or_else(|| missing("factors_00"))?.mapv(|it| it as f32))
    });
    let factors = factors.transpose()?;
    let counts = counts.as_ref().map(|counts| counts.view());
    let factors = factors.as_ref().map(|factors| factors.view());
    WeightArrays { steps: steps.view(), counts, factors }.into_weights(set).map_err(refused)
}

fn missing(name: &str) -> ExportError {
    refused(format!("it has no array `{name}`"))
}

fn refused(reason: String) -> ExportError {
    Invalid(format!("not a file of weights as NumPy arrays (.npz): {reason}")).into()
}

struct Arrays<F>(ZipArchive<F>);

impl<F: Read + Seek> Arrays<F> {
    fn array<'a>(&'a mut self, name: &'a str) -> Result<Option<NpyReader<'a>>, ExportError> {
        match self.0.by_name(&format!("{name}.npy")) {
            Ok(file) => NpyReader::begin(name, file, true).map(Some).map_err(refused),
            Err(ZipError::FileNotFound) => Ok(None),
            Err(error) => Err(refused(format!("array `{name}`: {error}"))),
        }
    }

    fn pattern_set(&mut self) -> Result<PatternSet, ExportError> {
        let missing =
            || refused("it has no array `pattern_set` with the text of a pattern set".to_owned());
        let mut array = self.array("pattern_set")?.ok_or_else(missing)?;
        let [length @ ..=MAX_SET_BYTES] = array.shape[..] else { return Err(missing()) };
        let byte = |_| Ok::<_, String>(array.next()?.real() as u8);
        let text = (0..length).map(byte).collect::<Result<_, _>>().map_err(refused)?;
        let text = String::from_utf8(text).map_err(|_| missing())?;
        PatternSet::from_toml(&text).map_err(|error| refused(format!("`pattern_set`: {error}")))
    }

    fn numbers(&mut self, name: &str, shape: &[usize]) -> Result<Option<ArrayD<f64>>, ExportError> {
        let Some(mut array) = self.array(name)? else { return Ok(None) };
        let found = &array.shape;
        if !found.iter().copied().eq(shape.iter().map(|&axis| axis as u64)) {
            let reason = format!("array `{name}` has the shape {found:?}; expected {shape:?}");
            return Err(refused(reason));
        }
        let numbers = (0..shape.iter().product()).map(|_: usize| Ok(array.next()?.real()));
        let numbers = numbers.collect::<Result<_, String>>().map_err(refused)?;
        array.end().map_err(refused)?;
        let read = ArrayD::from_shape_vec(shape.set_f(array.is_fortran), numbers);
        read.map(Some).map_err(|error| refused(format!("array `{name}`: {error}")))
    }

    /// Joins all arrays of a `kind`, such as `weights_00`, `weights_01`, …, to one matrix. Its rows
    /// are phases or, for factors, groups of phases. Each parameter has one column or, for factors,
    /// `dimensions` columns. Returns `None` if the first array is missing.
    fn by_parameter(
        &mut self,
        geometry: &Geometry,
        kind: &str,
        rows: usize,
        dimensions: Option<usize>,
    ) -> Result<Option<Array2<f64>>, ExportError> {
        let each = dimensions.unwrap_or(1);
        let mut all = Array2::zeros((rows, geometry.parameters() * each));
        for place in Place::all(geometry).into_iter().filter(|place| !place.parameters.is_empty()) {
            let (name, Range { start, end }) = (place.name(kind), place.parameters.clone());
            let Some(array) = self.numbers(&name, &place.shape(rows, dimensions))? else {
                return if start == 0 { Ok(None) } else { Err(missing(&name)) };
            };
            let own = all.slice_mut(s![.., start * each..end * each]);
            own.into_iter().zip(array).for_each(|(own, number)| *own = number);
        }
        Ok(Some(all))
    }
}

/// Unrounded and unchecked arrays, from which [`Self::into_weights`] makes weights.
#[derive(Clone, Copy, Debug)]
pub struct WeightArrays<'a> {
    /// The weights in steps of 1/32 disc, by phase (rows) and parameter (columns).
    pub steps: ArrayView2<'a, f64>,
    /// The number of training occurrences by phase (rows) and parameter (columns), if known.
    pub counts: Option<ArrayView2<'a, f64>>,
    /// The factors, if any, in 1/64 √disc. Each row has the factor vectors of all parameters, for
    /// one group of phases.
    pub factors: Option<ArrayView2<'a, f32>>,
}

impl WeightArrays<'_> {
    /// Makes weights for the pattern set `set` by rounding the arrays. Returns an error if an array
    /// does not fit the set or has a number out of range.
    pub fn into_weights(self, set: PatternSet) -> Result<ReadTables, String> {
        let Self { steps, counts, factors } = self;
        let geometry = Geometry::new(&set);
        let by_parameter = [PHASES, geometry.parameters()];
        has_shape("weights", steps.shape(), by_parameter)?;
        if let Some(counts) = &counts {
            has_shape("counts", counts.shape(), by_parameter)?;
        }
        match (&factors, set.factors()) {
            (None, None) => {}
            (Some(factors), Some(shape)) => {
                let places = geometry.parameters() * shape.dimensions();
                has_shape("factors", factors.shape(), [shape.groups(), places])?;
            }
            (None, Some(_)) => return Err("the pattern set has factors, but none are given".into()),
            (Some(_), None) => return Err("factors are given, but the pattern set has none".into()),
        }
        let mut weights = Weights::zero(set);
        let mut differences = Differences::default();
        for phase in Phase::all() {
            let steps = steps.row(phase.index());
            let most = f64::from(MAX_STEPS);
            let name = format!("a weight of phase {phase}");
            in_range(steps, f64::round, -most..=most, [&name, " steps"])?;
            for step in steps {
                differences.add(step.round() as i16, step / f64::from(STEPS_PER_DISC));
            }
            weights.set_steps(phase, |parameter| steps[parameter].round() as i16);
            if let Some(counts) = counts.as_ref().map(|counts| counts.row(phase.index())) {
                let name = format!("a count of phase {phase}");
                in_range(counts, |count| count, 0.0..=f64::from(u32::MAX), [&name, ""])?;
                weights.set_counts(phase, |parameter| counts[parameter] as u32);
            }
        }
        if let (Some(factors), Some(own)) = (factors, weights.factors_mut()) {
            for (group, factors) in factors.outer_iter().enumerate() {
                let (most, name) = (f32::from(MAX_FACTOR), format!("a factor of group {group}"));
                in_range(factors, f32::round, -most..=most, [&name, ""])?;
                own.set_group(group, |place| factors[place].round() as i8);
            }
        }
        Ok(ReadTables { weights, rounding: differences.rounding() })
    }
}

fn has_shape(name: &str, found: &[usize], expected: [usize; 2]) -> Result<(), String> {
    let wrong = || format!("the {name} have the shape {found:?}; expected {expected:?}");
    (found == expected).then_some(()).ok_or_else(wrong)
}

fn in_range<T: Copy + PartialOrd + Display>(
    numbers: ArrayView1<'_, T>,
    as_held: impl Fn(T) -> T,
    range: RangeInclusive<T>,
    [name, unit]: [&str; 2],
) -> Result<(), String> {
    numbers.iter().find(|&&number| !range.contains(&as_held(number))).map_or(Ok(()), |number| {
        Err(format!("{name} is {number}{unit}; expected {} to {}", range.start(), range.end()))
    })
}

/// Returns the SHA-256, in hexadecimal, of the pattern set, weights, counts and factors.
pub fn checksum(weights: &Weights) -> String {
    let mut digest = Sha256::new_with_prefix(weights.set().to_toml());
    weights.all_steps().iter().for_each(|step| digest.update(step.to_le_bytes()));
    weights.all_counts().iter().for_each(|count| digest.update(count.to_le_bytes()));
    if let Some(factors) = weights.factors() {
        for group in 0..factors.shape().groups() {
            factors.group(group).iter().for_each(|factor| digest.update(factor.to_le_bytes()));
        }
    }
    hex::encode(digest.finalize())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use othello_engine::board::Phase;
    use othello_engine::eval::Weights;
    use othello_engine::pattern::{FactorShape, Scalar};

    use super::*;
    use crate::export::arrays::{Npz, Origin, add_weights};
    use ndarray::{Array1, ArrayBase, Data, Dimension};
    use ndarray_npy::{NpzWriter, WritableElement};

    fn npz(weights: &Weights, origin: Origin<'_>) -> Vec<u8> {
        let mut file = Npz::new(Cursor::new(vec![]));
        add_weights(&mut file, weights, origin).unwrap();
        file.finish().unwrap().into_inner()
    }

    fn read_npz(bytes: &[u8]) -> Result<ReadTables, ExportError> {
        super::read_npz(Cursor::new(bytes))
    }

    const SET: &str = "name = \"tiny\"\nscalars = [\"player_discs\"]\n\n\
        [[pattern]]\nname = \"row\"\nsquares = \"a1 b1 c1\"\n";

    fn weights() -> Weights {
        let mut weights = Weights::zero(PatternSet::from_toml(SET).unwrap());
        for phase in Phase::all() {
            weights.set_steps(phase, |parameter| (parameter * 7 + phase.index()) as i16 - 40);
            weights.set_counts(phase, |parameter| parameter as u32);
        }
        weights
    }

    #[test]
    fn what_was_written_is_read_back() {
        let weights = weights();
        let origin = Origin { provenance: "{}", sha256: "", counted: true };
        let read = read_npz(&npz(&weights, origin)).unwrap();
        assert_eq!(read.weights.all_steps(), weights.all_steps());
        assert_eq!(read.weights.all_counts(), weights.all_counts());
        assert_eq!(read.rounding.largest, 0.0);
    }

    #[test]
    fn factors_are_read_back() {
        let shape = FactorShape::new(8, 25).unwrap();
        let set = PatternSet::from_toml(SET).unwrap().with_factors(Some(shape));
        let mut weights = Weights::zero(set);
        for group in 0..shape.groups() {
            let factors = weights.factors_mut().unwrap();
            factors
                .set_group(group, |place| (place as i8).wrapping_mul(7).wrapping_add(group as i8));
        }
        let origin = Origin { provenance: "{}", sha256: "", counted: false };
        let read = read_npz(&npz(&weights, origin)).unwrap();
        assert!(read.weights.factors() == weights.factors());
    }

    fn file_of(add: impl FnOnce(&mut NpzWriter<Cursor<Vec<u8>>>)) -> Vec<u8> {
        let mut npz = NpzWriter::new(Cursor::new(vec![]));
        npz.add_array("pattern_set", &Array1::from(SET.as_bytes().to_vec())).unwrap();
        add(&mut npz);
        npz.finish().unwrap().into_inner()
    }

    fn of_python(change: f64) -> Vec<u8> {
        let classes = weights().geometry().patterns[0].classes;
        let mut steps = Array2::from_elem((PHASES, classes), 1.25_f64);
        steps[[59, 0]] = change;
        let scalars = ndarray::Array3::from_elem((PHASES, 1, Scalar::VALUES), -3_i64);
        file_of(|npz| {
            npz.add_array("weights_00", &steps).unwrap();
            npz.add_array("scalar_weights", &scalars).unwrap();
        })
    }

    #[test]
    fn arrays_of_other_types_are_rounded_and_what_cannot_be_held_is_refused() {
        let ReadTables { weights, rounding } = read_npz(&of_python(2.75)).unwrap();
        assert_eq!((weights.all_steps()[[0, 0]], weights.all_steps()[[59, 0]]), (1, 3));
        assert_eq!(weights.steps(Phase::all().next().unwrap()).last(), Some(&-3));
        assert_eq!(rounding.largest, 0.25 / 32.0);
        for wrong in [f64::NAN, 4096.0, f64::NEG_INFINITY] {
            let error = read_npz(&of_python(wrong)).unwrap_err().to_string();
            assert!(error.contains("a weight of phase 59 is"), "{error}");
        }
    }

    /// Formerly, a count of −1, NaN or 2³² was stored as another number instead of being refused.
    #[test]
    fn counts_that_are_none_are_refused() {
        let classes = weights().geometry().patterns[0].classes;
        let of = |count: f64| {
            let scalars = ndarray::Array3::<f64>::zeros((PHASES, 1, Scalar::VALUES));
            read_npz(&file_of(|npz| {
                npz.add_array("weights_00", &Array2::<f64>::zeros((PHASES, classes))).unwrap();
                npz.add_array("scalar_weights", &scalars).unwrap();
                npz.add_array("counts_00", &Array2::from_elem((PHASES, classes), count)).unwrap();
                npz.add_array("scalar_counts", &scalars).unwrap();
            }))
        };
        assert_eq!(of(4_294_967_295.0).unwrap().weights.all_counts()[[0, 0]], u32::MAX);
        for wrong in [-1.0, f64::NAN, 4_294_967_296.0] {
            let error = of(wrong).unwrap_err().to_string();
            assert!(error.contains(&format!("a count of phase 0 is {wrong};")), "{error}");
        }
    }

    fn with_weights<T: WritableElement, D: Dimension>(
        weights: &ArrayBase<impl Data<Elem = T>, D>,
    ) -> Vec<u8> {
        let scalars = ndarray::Array3::<i8>::zeros((PHASES, 1, Scalar::VALUES));
        file_of(|npz| {
            npz.add_array("weights_00", weights).unwrap();
            npz.add_array("scalar_weights", &scalars).unwrap();
        })
    }

    #[test]
    fn numbers_of_every_type_are_read() {
        let classes = weights().geometry().patterns[0].classes;
        let shape = (PHASES, classes);
        for file in [
            with_weights(&Array2::from_elem(shape, 7_u8)),
            with_weights(&Array2::from_elem(shape, 7_u16)),
            with_weights(&Array2::from_elem(shape, 7_u64)),
            with_weights(&Array2::from_elem(shape, 7_i64)),
            with_weights(&Array2::from_elem(shape, 7_f32)),
        ] {
            assert_eq!(read_npz(&file).unwrap().weights.all_steps()[[3, 0]], 7);
        }
    }

    #[test]
    fn files_of_another_content_are_refused_by_name() {
        let [of_bits, of_three] = [27, 3].map(|classes| (PHASES, classes));
        for (file, said) in [
            (b"PK".to_vec(), "not a file of weights as NumPy arrays"),
            (
                NpzWriter::new(Cursor::new(vec![])).finish().unwrap().into_inner(),
                "no array `pattern_set`",
            ),
            (with_weights(&Array2::<i16>::zeros(of_three)), "shape [60, 3]; expected [60, 27]"),
            (with_weights(&Array1::<u8>::zeros(100_000)), "shape [100000]; expected [60, 27]"),
            (
                with_weights(&Array2::from_elem(of_bits, true)),
                "`weights_00` has the type `|b1`; expected float32",
            ),
        ] {
            let error = read_npz(&file).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn factors_beyond_what_a_file_holds_are_refused() {
        let set = PatternSet::from_toml(SET).unwrap();
        let set = set.with_factors(FactorShape::new(8, 25));
        let mut factors = Array2::zeros((3, 92 * 8));
        factors[[1, 5]] = 127.6;
        let steps = Array2::zeros((60, 92));
        let arrays =
            WeightArrays { steps: steps.view(), counts: None, factors: Some(factors.view()) };
        let error = arrays.into_weights(set).unwrap_err();
        assert!(error.contains("a factor of group 1 is 127.6"), "{error}");
    }

    #[test]
    fn arrays_of_another_shape_are_refused_by_name() {
        let refused = |steps: [usize; 2], counts: Option<[usize; 2]>, factors: bool| {
            let (steps, counts) = (Array2::zeros(steps), counts.map(Array2::zeros));
            let factors = factors.then(|| Array2::zeros((1, 1)));
            let arrays = WeightArrays {
                steps: steps.view(),
                counts: counts.as_ref().map(|counts| counts.view()),
                factors: factors.as_ref().map(|factors| factors.view()),
            };
            arrays.into_weights(PatternSet::from_toml(SET).unwrap()).unwrap_err()
        };
        assert_eq!(
            refused([60, 3], None, false),
            "the weights have the shape [60, 3]; expected [60, 92]"
        );
        assert!(refused([60, 92], Some([1, 27]), false).starts_with("the counts have the shape"));
        assert!(refused([60, 92], None, true).contains("the pattern set has none"));
    }
}
