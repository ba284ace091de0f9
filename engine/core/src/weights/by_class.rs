use std::path::Path;

use ndarray::{Array2, ArrayView2};

use super::factors::{Factors, own_worth};
use super::{
    MAX_STEPS, Models, MoveOrderingWeights, PhaseSection, nearest_weight, weight_in_discs,
};
use crate::board::{PHASES, Phase};
use crate::file::{Begin, Existing, FileError, Kind, Provenance, Section, Summary, Writer};
use crate::pattern::{FactorShape, Geometry, PatternSet};

pub(super) const PATTERN_SET: &str = "pattern set";

/// The error for weights that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum WeightsError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "this program has no embedded weights: name a weights file, or build it with the \
         feature `embedded` of othello-engine"
    )]
    NotEmbedded,
    #[error("`{0}` has no weights by class; name a weights file, or `embedded`")]
    NotByClass(String),
}

pub(super) type Result<T, E = WeightsError> = std::result::Result<T, E>;

/// The weights of a pattern set, in steps of 1/32 disc, each with the number of its occurrences in
/// training. Each phase has one weight for each parameter: a class of symmetric pattern
/// configurations, or a count of a scalar feature.
#[derive(Clone, Debug)]
pub struct Weights {
    pub(super) set: PatternSet,
    pub(super) geometry: Geometry,
    pub(super) steps: Array2<i16>,
    /// The training counts, with a row for each phase; if they are unknown, a single row of zeros.
    pub(super) counts: Array2<u32>,
    pub(super) factors: Option<Factors>,
    /// The weights of the move-ordering evaluation, if any.
    pub ordering: Option<MoveOrderingWeights>,
    /// The models that the search uses for pruning.
    pub models: Models,
}

/// The content of a weights file, with its provenance and checksum.
#[derive(Clone, Debug)]
pub struct WeightsFile {
    /// The weights, with the factor vectors and the pruning models if the file has them.
    pub weights: Weights,
    /// The settings and inputs that determined the weights.
    pub provenance: Provenance,
    /// The SHA-256 of the file in hexadecimal, as `sha256sum` prints it.
    pub sha256: String,
}

impl Weights {
    /// Creates weights and factors that are all 0. The training counts are unknown and read as 0.
    pub fn zero(set: PatternSet) -> Self {
        let geometry = Geometry::new(&set);
        let steps = Array2::zeros((PHASES, geometry.parameters()));
        let counts = Array2::zeros((1, geometry.parameters()));
        let factors = set.factors().map(|shape| Factors::zero(shape, geometry.parameters()));
        let models = Models::NONE;
        Self { set, geometry, steps, counts, factors, ordering: None, models }
    }

    /// Returns the pattern set of the weights.
    pub fn set(&self) -> &PatternSet {
        &self.set
    }

    /// Returns the pattern instances and the classes of symmetric configurations of the set.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the weights of a phase in steps of 1/32 disc, one for each class or scalar count.
    pub fn steps(&self, phase: Phase) -> &[i16] {
        row(&self.steps, phase.index())
    }

    /// Returns the weights in steps of 1/32 disc, by phase (rows) and parameter (columns).
    pub fn all_steps(&self) -> ArrayView2<'_, i16> {
        self.steps.view()
    }

    /// Returns the number of occurrences of each parameter in the training positions of a phase.
    pub fn counts(&self, phase: Phase) -> &[u32] {
        row(&self.counts, phase.index().min(self.counts.nrows() - 1))
    }

    /// Returns the numbers of occurrences in training, by phase (rows) and parameter (columns).
    pub fn all_counts(&self) -> ArrayView2<'_, u32> {
        let counts = self.counts.broadcast((PHASES, self.geometry.parameters()));
        counts.expect("one row, or a row for each phase")
    }

    /// Sets the weight of each parameter in a phase to `f(parameter)`, clamped to ±[`MAX_STEPS`].
    pub fn set_steps(&mut self, phase: Phase, f: impl Fn(usize) -> i16) {
        let steps = self.steps.row_mut(phase.index()).into_iter().enumerate();
        steps.for_each(|(parameter, step)| *step = f(parameter).clamp(-MAX_STEPS, MAX_STEPS));
    }

    /// Sets the number of training occurrences of each parameter in a phase to `f(parameter)`.
    pub fn set_counts(&mut self, phase: Phase, f: impl Fn(usize) -> u32) {
        if self.counts.nrows() < PHASES {
            self.counts = Array2::zeros((PHASES, self.geometry.parameters()));
        }
        let counts = self.counts.row_mut(phase.index()).into_iter().enumerate();
        counts.for_each(|(parameter, count)| *count = f(parameter));
    }

    /// Returns the factor vectors; `None` if the pattern set has no factors.
    pub fn factors(&self) -> Option<&Factors> {
        self.factors.as_ref()
    }

    /// Returns these weights with factor vectors of the shape `shape`, all 0 if there were none
    /// before. Otherwise, k groups of phases that share vectors merge into one, in which two
    /// parameters interact by the mean of their k old interactions. `None` unless the ratio k of
    /// new to old phases in a group is an integer and the new vectors are at least k times as wide.
    pub fn with_factors(self, shape: FactorShape) -> Option<Self> {
        let set = self.set.clone().with_factors(Some(shape));
        let Some(before) = &self.factors else {
            let factors = Some(Factors::zero(shape, self.geometry.parameters()));
            return Some(Self { set, factors, ..self });
        };
        let after = before.reshaped(shape)?;
        let mut steps = self.steps.clone();
        for phase in Phase::all() {
            let own = |factors: &Factors, parameter| own_worth(factors.vector(phase, parameter));
            for (parameter, step) in steps.row_mut(phase.index()).iter_mut().enumerate() {
                let discs = own(before, parameter) - own(&after, parameter);
                *step = nearest_weight(weight_in_discs(*step) + discs);
            }
        }
        Some(Self { set, steps, factors: Some(after), ..self })
    }

    /// Returns the factor vectors for modification; `None` if the pattern set has no factors.
    pub fn factors_mut(&mut self) -> Option<&mut Factors> {
        self.factors.as_mut()
    }

    /// Writes a weights file; [`Existing::Keep`] keeps a complete file of the same provenance.
    pub fn write(
        &self,
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Summary> {
        match Writer::begin(path, Kind::Weights, provenance, existing)? {
            Begin::Done(summary) => Ok(summary),
            Begin::Writer(writer) => self.write_to(writer),
        }
    }

    /// Writes all sections of the weights file to `writer` and completes the file.
    pub fn write_to(&self, mut writer: Writer) -> Result<Summary> {
        writer.sections(self.sections())?;
        Ok(writer.finish()?)
    }

    fn sections(&self) -> impl Iterator<Item = Section> {
        let none = (vec![0; self.geometry.parameters()], vec![0; self.geometry.parameters()]);
        let phases = Phase::all().flat_map(move |phase| {
            let before = phase.before();
            let (steps, counts) =
                before.map_or((&none.0[..], &none.1[..]), |p| (self.steps(p), self.counts(p)));
            [
                PhaseSection::of_weight_changes(phase, steps, self.steps(phase)),
                PhaseSection::of_count_changes(phase, counts, self.counts(phase)),
            ]
        });
        let factors = self.factors.iter().flat_map(Factors::sections);
        let first = std::iter::once(self.set_section());
        first.chain(phases).chain(factors).chain(self.learned_sections())
    }

    pub(super) fn set_section(&self) -> Section {
        Section { name: PATTERN_SET.to_owned(), content: self.set.to_toml().into_bytes() }
    }

    pub(super) fn learned_sections(&self) -> impl Iterator<Item = Section> {
        let ordering = self.ordering.iter().flat_map(MoveOrderingWeights::sections);
        ordering.chain(self.models.sections())
    }
}

/// The number of occurrences of each parameter in the training positions of each phase.
#[derive(Clone, Debug)]
pub struct Counts(pub(super) Array2<u32>);

impl From<Weights> for Counts {
    fn from(weights: Weights) -> Self {
        Self(weights.counts)
    }
}

impl Counts {
    /// Returns the number of occurrences of each parameter in the training positions of a phase.
    pub fn of(&self, phase: Phase) -> &[u32] {
        row(&self.0, phase.index())
    }
}

pub(super) fn row<T>(matrix: &Array2<T>, number: usize) -> &[T] {
    let row = matrix.row(number).to_slice();
    row.expect("a row of a matrix in standard layout is contiguous")
}
