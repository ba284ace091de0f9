//! Positions and parameters in the layout that other trainers use, computed on the host.

use othello_engine::pattern::{Lanes, PatternGeometry, Scalar, permuted};
use othello_engine::record::ScoredPosition;

use crate::backend::WEIGHTS_PER_OCCURRENCE;
use crate::model::{Model, Row};

/// The steps of a label in a disc.
const LABELS_PER_DISC: f64 = 256.0;

/// The number of features that a row has room for: 64 instances and a scalar.
pub(in crate::bench) const WIDE_FEATURES: usize = 65;

/// The bytes of a position in this layout.
pub(in crate::bench) const WIDE_ROW_BYTES: usize = size_of::<WideRow>();

/// A position in the layout of `baseline.cu`.
#[derive(Clone, Copy, Debug, bytemuck::NoUninit)]
#[repr(C)]
pub(super) struct WideRow {
    numbers: [u16; WIDE_FEATURES],
    unused: u16,
    weight: f32,
    label: f64,
}

impl WideRow {
    fn new(position: &ScoredPosition, features: impl Iterator<Item = u16>) -> Self {
        let mut numbers = [0; WIDE_FEATURES];
        numbers.iter_mut().zip(features).for_each(|(number, feature)| *number = feature);
        Self {
            numbers,
            unused: 0,
            weight: f32::from(position.weight().steps()) / WEIGHTS_PER_OCCURRENCE as f32,
            label: f64::from(position.label().steps()) / LABELS_PER_DISC,
        }
    }
}

/// A table of weights: one for each parameter of the model, or for each configuration.
pub(super) struct Table {
    /// The first element of each feature's pattern or scalar.
    pub(super) firsts: Vec<u32>,
    /// The parameter of the model that each element belongs to.
    pub(super) parameters: Vec<u32>,
    /// The mirror of each element; empty if an element stands for both.
    pub(super) mirrors: Vec<u32>,
    /// The positions, with numbers counted from `firsts`.
    pub(super) rows: Vec<WideRow>,
}

impl Table {
    /// Creates a table with an element for each class: the model's parameters.
    pub(super) fn by_class(model: &Model, positions: &[ScoredPosition]) -> Self {
        let patterns = model.geometry().patterns.iter();
        let first_of_pattern: Vec<usize> =
            patterns.map(|pattern| pattern.first_parameter).collect();
        let firsts = firsts(model, &first_of_pattern, model.geometry().pattern_parameters);
        let mut row = [Row::EMPTY];
        let wide = |position: &ScoredPosition| {
            model.write_rows(std::slice::from_ref(position), &mut row);
            let parameters = row[0].features(model).iter().zip(&firsts);
            WideRow::new(position, parameters.map(|(parameter, first)| (parameter - first) as u16))
        };
        let rows = positions.iter().map(wide).collect();
        let parameters = (0..model.parameters() as u32).collect();
        Self { firsts, parameters, mirrors: vec![], rows }
    }

    /// Creates a table with an element for each configuration of each pattern, followed by the
    /// scalars' values.
    pub(super) fn by_configuration(model: &Model, positions: &[ScoredPosition]) -> Self {
        let geometry = model.geometry();
        // Classes are numbered as in a file; the fit uses another order.
        let numbers: Vec<u32> = (0..model.parameters() as u32).collect();
        let of_file = model.to_file(&numbers);
        let (mut parameters, mut mirrors, mut first_of_pattern) = (vec![], vec![], vec![]);
        for pattern in &geometry.patterns {
            let first = parameters.len();
            first_of_pattern.push(first);
            // The digits of indices have another order than those of configurations.
            let place = |index| first + permuted(index, &pattern.places);
            parameters.resize(first + pattern.class_of.len(), 0);
            mirrors.resize(parameters.len(), 0);
            for (index, &class) in pattern.class_of.iter().enumerate() {
                parameters[place(index)] = of_file[pattern.first_parameter + usize::from(class)];
                mirrors[place(index)] = place(mirrored(pattern, index)) as u32;
            }
        }
        let scalars = parameters.len();
        parameters.extend_from_slice(&numbers[geometry.pattern_parameters..]);
        mirrors.extend(scalars as u32..parameters.len() as u32);
        let firsts = firsts(model, &first_of_pattern, scalars);
        let lanes = Lanes::new(geometry);
        let middles = geometry.instances.iter().map(|i| geometry.patterns[i.pattern].middle());
        let middles: Vec<i32> = middles.map(|middle| middle as i32).collect();
        let wide = |position: &ScoredPosition| {
            let position_of_row = position.position();
            let configurations = lanes.indices(&position_of_row);
            let instances = middles.iter().zip(configurations.0);
            let counts = geometry.scalars.iter().map(|s| s.count(&position_of_row) as u16);
            let instances =
                instances.map(|(middle, configuration)| (middle + i32::from(configuration)) as u16);
            WideRow::new(position, instances.chain(counts))
        };
        let rows = positions.iter().map(wide).collect();
        Self { firsts, parameters, mirrors, rows }
    }
}

/// Returns the first element of each feature's pattern or scalar.
fn firsts(model: &Model, first_of_pattern: &[usize], first_scalar: usize) -> Vec<u32> {
    let geometry = model.geometry();
    let instances = geometry.instances.iter().map(|instance| first_of_pattern[instance.pattern]);
    let scalars = (0..geometry.scalars.len()).map(|n| first_scalar + n * Scalar::VALUES);
    instances.chain(scalars).map(|first| first as u32).collect()
}

/// Returns the mirror of a configuration; the configuration itself if the pattern has no mirror.
fn mirrored(pattern: &PatternGeometry, index: usize) -> usize {
    pattern.permutations.last().map_or(index, |mirror| permuted(index, mirror))
}
