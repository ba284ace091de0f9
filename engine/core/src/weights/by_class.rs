//! The weights by class, and their file.

use std::path::{Path, PathBuf};

use ndarray::{Array2, ArrayView2};

use super::factors::{FactorParts, Factors, own_worth};
use super::models::once;
use super::move_ordering::{ORDERING_SET, ORDERING_WEIGHTS};
use super::{
    MAX_STEPS, Models, MoveOrderingWeights, PhaseSection, nearest_weight, weight_in_discs,
};
use crate::board::{PHASES, Phase};
use crate::file::{Begin, Existing, FileError, Kind, Provenance, Reader, Section, Summary, Writer};
use crate::pattern::{FactorShape, Geometry, PatternSet, PatternSetError};
use crate::text::excerpt;

/// The weights of all 60 phases for one pattern set, in steps of 1/32 disc with absolute value at
/// most [`MAX_STEPS`], and the number of times that training positions met each. Parameters are
/// numbered as in [`Geometry`].
#[derive(Clone, Debug)]
pub struct Weights {
    set: PatternSet,
    geometry: Geometry,
    /// The weights: a row for each phase, a column for each parameter.
    steps: Array2<i16>,
    /// The counts in the same shape; a single row of zeros while there are none.
    counts: Array2<u32>,
    /// The factors, if the pattern set states their shape.
    factors: Option<Factors>,
    ordering: Option<MoveOrderingWeights>,
    models: Models,
}

/// The content of a weights file, with its provenance and checksum.
#[derive(Clone, Debug)]
pub struct WeightsFile {
    /// The weights.
    pub weights: Weights,
    /// The settings and inputs that decided the weights.
    pub provenance: Provenance,
    /// The checksum of the decoded content, in hexadecimal.
    pub sha256: String,
}

/// The error for weights that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The container is damaged, of another kind, or missing.
    #[error(transparent)]
    File(#[from] FileError),
    /// The pattern set inside is not valid.
    #[error("{}: section `{PATTERN_SET}`: {source}", path.display())]
    PatternSet {
        /// The file.
        path: PathBuf,
        /// The reason why it is not valid.
        source: Box<PatternSetError>,
    },
    /// A required section is missing.
    #[error("{}: section `{section}` is missing: the file is not a complete weights file", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The name of the section.
        section: String,
    },
    /// A section has the wrong length or a weight out of range.
    #[error("{}: section `{section}`: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The name of the section.
        section: String,
        /// The problem, and what was expected.
        problem: String,
    },
}

const PATTERN_SET: &str = "pattern set";

impl Weights {
    /// Creates weights and factors that are all 0, with no counts.
    pub fn zero(set: PatternSet) -> Self {
        let geometry = Geometry::new(&set);
        let steps = Array2::zeros((PHASES, geometry.parameters()));
        let counts = no_counts(&geometry);
        let factors = set.factors().map(|shape| Factors::zero(shape, geometry.parameters()));
        let models = Models::NONE;
        Self { set, geometry, steps, counts, factors, ordering: None, models }
    }

    /// Returns the pattern set.
    pub fn set(&self) -> &PatternSet {
        &self.set
    }

    /// Returns the instances and classes of the pattern set.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the weights of a phase in steps, one for each parameter.
    pub fn steps(&self, phase: Phase) -> &[i16] {
        row(&self.steps, phase.index())
    }

    /// Returns the weights in steps: a row for each phase, a column for each parameter.
    pub fn all_steps(&self) -> ArrayView2<'_, i16> {
        self.steps.view()
    }

    /// Returns the counts of a phase: the number of times its training positions met each
    /// parameter.
    pub fn counts(&self, phase: Phase) -> &[u32] {
        row(&self.counts, phase.index().min(self.counts.nrows() - 1))
    }

    /// Returns the counts: a row for each phase, a column for each parameter.
    pub fn all_counts(&self) -> ArrayView2<'_, u32> {
        let counts = self.counts.broadcast((PHASES, self.geometry.parameters()));
        counts.expect("one row, or a row for each phase")
    }

    /// Sets the weights of a phase to `f(parameter)`, limited to ±[`MAX_STEPS`].
    pub fn set_steps(&mut self, phase: Phase, f: impl Fn(usize) -> i16) {
        let steps = self.steps.row_mut(phase.index()).into_iter().enumerate();
        steps.for_each(|(parameter, step)| *step = f(parameter).clamp(-MAX_STEPS, MAX_STEPS));
    }

    /// Sets the counts of a phase to `f(parameter)`.
    pub fn set_counts(&mut self, phase: Phase, f: impl Fn(usize) -> u32) {
        if self.counts.nrows() < PHASES {
            self.counts = Array2::zeros((PHASES, self.geometry.parameters()));
        }
        let counts = self.counts.row_mut(phase.index()).into_iter().enumerate();
        counts.for_each(|(parameter, count)| *count = f(parameter));
    }

    /// Returns the factors, if the pattern set has them.
    pub fn factors(&self) -> Option<&Factors> {
        self.factors.as_ref()
    }

    /// Returns weights whose classes have factors of `shape`.
    ///
    /// Further factors are 0, and the values stay. Where more phases come to share factors, the
    /// joint worth of two classes becomes the mean over the groups that they had, and what a class
    /// is worth by itself stays. `None` if `shape` has fewer factors than hold all that, or groups
    /// that are no whole number of the groups before.
    pub fn with_factors(self, shape: FactorShape) -> Option<Self> {
        let set = self.set.clone().with_factors(Some(shape));
        let Some(before) = &self.factors else {
            let factors = Some(Factors::zero(shape, self.geometry.parameters()));
            return Some(Self { set, factors, ..self });
        };
        let after = before.reshaped(shape)?;
        let mut steps = self.steps.clone();
        for phase in Phase::all() {
            let own = |factors: &Factors, parameter: usize| {
                let dimensions = factors.shape().dimensions();
                own_worth(&factors.of(phase)[parameter * dimensions..][..dimensions])
            };
            for (parameter, step) in steps.row_mut(phase.index()).iter_mut().enumerate() {
                let discs = own(before, parameter) - own(&after, parameter);
                *step = nearest_weight(weight_in_discs(*step) + discs);
            }
        }
        Some(Self { set, steps, factors: Some(after), ..self })
    }

    /// Returns the factors for modification.
    pub fn factors_mut(&mut self) -> Option<&mut Factors> {
        self.factors.as_mut()
    }

    /// Returns the weights that order moves in the last plies, if there are any.
    pub fn move_ordering(&self) -> Option<&MoveOrderingWeights> {
        self.ordering.as_ref()
    }

    /// Replaces the move-ordering weights.
    #[must_use]
    pub fn with_move_ordering(self, ordering: Option<MoveOrderingWeights>) -> Self {
        Self { ordering, ..self }
    }

    /// Returns the models of what searches may leave out.
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// Replaces the models.
    #[must_use]
    pub fn with_models(self, models: Models) -> Self {
        Self { models, ..self }
    }

    /// Reads a weights file and checks every part of it.
    pub fn read(path: &Path) -> Result<WeightsFile, WeightsError> {
        Self::read_sections(Reader::open(path, Kind::Weights)?, Wanted::Everything)
    }

    /// Reads a weights file in memory, as [`Self::read`] does; messages call it `name`.
    pub fn read_bytes(name: &Path, bytes: Vec<u8>) -> Result<WeightsFile, WeightsError> {
        Self::read_sections(Reader::of_bytes(name, bytes, Kind::Weights)?, Wanted::Everything)
    }

    /// Reads a weights file in memory from which the counts were cut to save space; they become 0.
    /// Each section is checked. The checksum is the one that the part states, which is that of the
    /// whole file.
    pub fn read_without_counts(name: &Path, bytes: Vec<u8>) -> Result<WeightsFile, WeightsError> {
        let reader = Reader::of_bytes(name, bytes, Kind::Weights)?;
        Self::read_sections(reader.of_part(), Wanted::Weights)
    }

    /// Takes the counts from the part of a weights file that holds them, and returns the checksum
    /// that this part states.
    pub fn take_counts(&mut self, name: &Path, bytes: Vec<u8>) -> Result<String, WeightsError> {
        let mut reader = Reader::of_bytes(name, bytes, Kind::Weights)?.of_part();
        let mut parts = Parts::of(self.set.clone());
        for section in reader.by_ref() {
            let section = section?;
            if section.name != PATTERN_SET {
                parts.take(&section).map_err(|problem| {
                    let (path, section) = (name.to_owned(), excerpt(&section.name));
                    WeightsError::Content { path, section, problem }
                })?;
            }
        }
        let counts = matrix(parts.counts, self.geometry.parameters());
        self.counts = counts.map_err(|phase| {
            let (path, section) = (name.to_owned(), PhaseSection::counts_name(phase));
            WeightsError::Missing { path, section }
        })?;
        Ok(reader.stated_sha256().unwrap_or_default().to_owned())
    }

    fn read_sections(mut reader: Reader, wanted: Wanted) -> Result<WeightsFile, WeightsError> {
        let path = &reader.path().to_owned();
        let provenance = reader.provenance().clone();
        let missing =
            |section: &str| WeightsError::Missing { path: path.clone(), section: section.into() };
        let first = reader.next().transpose()?.filter(|section| section.name == PATTERN_SET);
        let first = first.ok_or_else(|| missing(PATTERN_SET))?;
        let unusable = |name: &str, problem| {
            let section = excerpt(name);
            WeightsError::Content { path: path.clone(), section, problem }
        };
        let text = str::from_utf8(&first.content)
            .map_err(|_| unusable(PATTERN_SET, "is no text in UTF-8".into()))?;
        let set = PatternSet::from_toml(text).map_err(|source| WeightsError::PatternSet {
            path: path.clone(),
            source: Box::new(source),
        })?;
        let mut parts = Parts::of(set);
        for section in reader.by_ref() {
            let section = section?;
            parts.take(&section).map_err(|problem| unusable(&section.name, problem))?;
        }
        let weights = parts.whole(wanted).map_err(|section| missing(&section))?;
        let sha256 = reader.stated_sha256().unwrap_or_default().to_owned();
        Ok(WeightsFile { weights, provenance, sha256 })
    }

    /// Writes a weights file: under a temporary name first, then in place once it is complete.
    pub fn write(
        &self,
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Summary, WeightsError> {
        match Writer::begin(path, Kind::Weights, provenance, existing)? {
            Begin::Done(summary) => Ok(summary),
            Begin::Writer(writer) => self.write_to(writer),
        }
    }

    /// Writes the sections to a writer that was begun before, and completes the file.
    pub fn write_to(&self, mut writer: Writer) -> Result<Summary, WeightsError> {
        writer.compare_from_start();
        for Section { name, content } in self.sections() {
            writer.section(&name, &content)?;
        }
        Ok(writer.finish()?)
    }

    /// Returns all sections of the file, in order.
    fn sections(&self) -> impl Iterator<Item = Section> {
        let set = self.set.to_toml().into_bytes();
        let first = Section { name: PATTERN_SET.to_owned(), content: set };
        let none = (vec![0; self.geometry.parameters()], vec![0; self.geometry.parameters()]);
        let phases = Phase::all().flat_map(move |phase| {
            let before = phase.index().checked_sub(1).and_then(Phase::new);
            let (steps, counts) =
                before.map_or((&none.0[..], &none.1[..]), |p| (self.steps(p), self.counts(p)));
            [
                PhaseSection::of_weight_changes(phase, steps, self.steps(phase)),
                PhaseSection::of_count_changes(phase, counts, self.counts(phase)),
            ]
        });
        let factors = self.factors.iter().flat_map(Factors::sections);
        let ordering = self.ordering.iter().flat_map(MoveOrderingWeights::sections);
        let learned = ordering.chain(self.models.sections());
        std::iter::once(first).chain(phases).chain(factors).chain(learned)
    }
}

/// The sections that a file must have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// All sections of a whole file.
    Everything,
    /// All but the counts.
    Weights,
}

/// The sections that were read so far. A phase takes no memory before its section comes.
struct Parts {
    set: PatternSet,
    geometry: Geometry,
    steps: [Option<Vec<i16>>; PHASES],
    counts: [Option<Vec<u32>>; PHASES],
    factors: Option<FactorParts>,
    ordering_set: Option<Vec<u8>>,
    ordering: Option<MoveOrderingWeights>,
    models: Models,
}

impl Parts {
    fn of(set: PatternSet) -> Self {
        let geometry = Geometry::new(&set);
        let (steps, counts) = ([const { None }; PHASES], [const { None }; PHASES]);
        let factors = set.factors().map(|shape| FactorParts::new(shape, geometry.parameters()));
        Self {
            set,
            geometry,
            steps,
            counts,
            factors,
            ordering_set: None,
            ordering: None,
            models: Models::NONE,
        }
    }

    /// Takes over one section; ignores sections of later versions.
    fn take(&mut self, section: &Section) -> Result<(), String> {
        let parameters = self.geometry.parameters();
        match section.name.as_str() {
            PATTERN_SET => return Err("comes a second time".to_owned()),
            ORDERING_SET => return once(&mut self.ordering_set, section.content.clone()),
            ORDERING_WEIGHTS => {
                let set = self.ordering_set.as_deref();
                let set = set.ok_or_else(|| format!("stands before `{ORDERING_SET}`"))?;
                let ordering = MoveOrderingWeights::from_sections(set, &section.content)?;
                return once(&mut self.ordering, ordering);
            }
            name if self.models.take(name, &section.content)? => return Ok(()),
            _ => {}
        }
        if let Some(factors) = &mut self.factors
            && factors.take(section)?
        {
            return Ok(());
        }
        match PhaseSection::read(section, parameters)? {
            Some(PhaseSection::Weights(phase, row)) => {
                let steps = row.weights(phase, &self.steps)?;
                once(&mut self.steps[phase.index()], steps)
            }
            Some(PhaseSection::Counts(phase, row)) => {
                let counts = row.counts(phase, &self.counts)?;
                once(&mut self.counts[phase.index()], counts)
            }
            None => Ok(()),
        }
    }

    /// Returns the weights, or the name of the first section that is missing.
    fn whole(self, wanted: Wanted) -> Result<Weights, String> {
        let parameters = self.geometry.parameters();
        let steps = matrix(self.steps, parameters).map_err(PhaseSection::weights_name)?;
        let counts = match wanted {
            Wanted::Weights => no_counts(&self.geometry),
            Wanted::Everything => {
                matrix(self.counts, parameters).map_err(PhaseSection::counts_name)?
            }
        };
        let factors = self.factors.map(FactorParts::whole).transpose()?;
        if self.ordering_set.is_some() && self.ordering.is_none() {
            return Err(ORDERING_WEIGHTS.to_owned());
        }
        let Self { set, geometry, ordering, models, .. } = self;
        Ok(Weights { set, geometry, steps, counts, factors, ordering, models })
    }
}

/// Returns the counts of weights without any: they take no memory for each phase.
fn no_counts(geometry: &Geometry) -> Array2<u32> {
    Array2::zeros((1, geometry.parameters()))
}

/// Returns a row of a matrix.
fn row<T>(matrix: &Array2<T>, number: usize) -> &[T] {
    let row = matrix.row(number).to_slice();
    row.expect("a row of a matrix in standard layout is contiguous")
}

/// Returns the rows of all phases as one matrix, or the first phase without a row.
fn matrix<T>(rows: [Option<Vec<T>>; PHASES], columns: usize) -> Result<Array2<T>, Phase> {
    let mut elements = Vec::with_capacity(rows.iter().flatten().count() * columns);
    for (phase, row) in Phase::all().zip(rows) {
        elements.extend(row.ok_or(phase)?);
    }
    let matrix = Array2::from_shape_vec((PHASES, columns), elements);
    Ok(matrix.expect("a section was read as one element for each parameter"))
}
