//! The units of work of a fit: single phases, or groups of phases that share factors. Each unit's
//! result is stored in its own file, a part. The parts are then joined into one weights file.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use othello_engine::board::Phase;
use othello_engine::eval::{Factors, PhaseRow, PhaseSection, Weights, WeightsFile};
use othello_engine::file::{FileError, Provenance, Reader, Section};
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Progress;
use othello_engine::run::{Run, Shard};
use othello_engine::text::excerpt;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::report::{FitEnd, FitReport, FittedPhase, FittedUnit, Metrics, PhaseReport, nearest};
use super::settings::Window;
use super::side_files::SideFiles;
use super::{FitError, Result};
use crate::model::Model;

/// The size in bytes above which a part's report or metrics are refused; 100,000 epochs need less.
const LONGEST_TEXT: usize = 16 << 20;
/// The greatest number of sections in a part file; 60 phases with factors have 241.
const MOST_SECTIONS: usize = 300;

impl FittedUnit {
    pub(super) fn sections(&self) -> impl Iterator<Item = Section> {
        let factors = self.factors.iter().map(|(group, all)| Factors::section_of(*group, all));
        factors.chain(self.phases.iter().flat_map(sections_of))
    }

    /// Reads the results of a unit of work from its part file, which has none for phases without
    /// training positions. Returns an error if the file has a phase that is not one of `phases`.
    pub(super) fn read(
        mut reader: Reader,
        model: &Model,
        phases: &[Phase],
    ) -> Result<Self, FileError> {
        let dimensions = model.set().factors().map_or(0, |shape| shape.dimensions());
        let longest = model.parameters() * dimensions.max(size_of::<u32>());
        let mut sections = vec![];
        while let Some(section) = reader.next().transpose()? {
            let is_long = section.content.len() > longest.max(LONGEST_TEXT);
            if is_long || sections.len() == MOST_SECTIONS {
                return Err(reader.meaningless("is not a section of a fit".to_owned()));
            }
            sections.push(section);
        }
        let unit = Self::among(&sections, model).map_err(|section| {
            let name = excerpt(section);
            reader.meaningless(format!("ends a file whose `{name}` is not a section of a fit"))
        })?;
        match unit.phases.iter().find(|fitted| !phases.contains(&fitted.report.phase)) {
            None => Ok(unit),
            Some(fitted) => {
                let other = fitted.report.phase;
                Err(reader.meaningless(format!("ends a file with phase {other}, of another part")))
            }
        }
    }

    /// Reads the results of a unit of work from the sections of its part file. If a section is
    /// invalid, returns the section's name as the error.
    fn among<'s>(sections: &'s [Section], model: &Model) -> Result<Self, &'s str> {
        let parameters = model.parameters();
        let (mut rest, mut factors) = (sections, None);
        if let (Some(shape), [first, others @ ..]) = (model.set().factors(), sections) {
            let read = Factors::read_group(shape, parameters, first).ok().flatten();
            let (group, read) = read.ok_or(first.name.as_str())?;
            (rest, factors) = (others, Some((group, read.to_vec())));
        }
        let (phases, incomplete) = rest.as_chunks::<SECTIONS>();
        if let Some(section) = incomplete.first() {
            return Err(&section.name);
        }
        let phases = phases.iter().map(|of_phase| read_phase(of_phase, parameters));
        Ok(Self { phases: phases.collect::<Result<_, _>>()?, factors })
    }
}

const SECTIONS: usize = 4;
const METRICS: &str = "metrics";
const REPORT: &str = "report";

fn sections_of(fitted: &FittedPhase) -> [Section; SECTIONS] {
    let FittedPhase { steps, counts, report, metrics } = fitted;
    let phase = report.phase;
    // This cannot fail: reports and metrics have only numbers and texts.
    let metrics = serde_json::to_vec(metrics).unwrap_or_default();
    let report = serde_json::to_vec(report).unwrap_or_default();
    [
        PhaseSection::of_weights(phase, steps),
        PhaseSection::of_counts(phase, counts),
        Section { name: name(METRICS, phase), content: metrics },
        Section { name: name(REPORT, phase), content: report },
    ]
}

fn section_names(phase: Phase) -> [String; SECTIONS] {
    let (weights, counts) = (PhaseSection::weights_name(phase), PhaseSection::counts_name(phase));
    [weights, counts, name(METRICS, phase), name(REPORT, phase)]
}

fn name(kind: &str, phase: Phase) -> String {
    format!("{kind} {:02}", phase.index())
}

/// Converts the four sections of a phase in a part file to the phase's results. If a section is
/// invalid, returns the section's name as the error.
fn read_phase(sections: &[Section; SECTIONS], parameters: usize) -> Result<FittedPhase, &str> {
    let [steps, counts, metrics, report] = sections;
    let read: PhaseReport = serde_json::from_slice(&report.content).map_err(|_| &*report.name)?;
    let names = section_names(read.phase);
    if let Some((section, _)) = sections.iter().zip(&names).find(|(one, name)| one.name != **name) {
        return Err(&section.name);
    }
    let metrics = serde_json::from_slice(&metrics.content).map_err(|_| &*metrics.name)?;
    let (row, name) = (PhaseSection::read(steps, parameters), &steps.name);
    let Ok(Some(PhaseSection::Weights(_, PhaseRow::Whole(steps)))) = row else { return Err(name) };
    let (row, name) = (PhaseSection::read(counts, parameters), &counts.name);
    let Ok(Some(PhaseSection::Counts(_, PhaseRow::Whole(counts)))) = row else { return Err(name) };
    Ok(FittedPhase { steps, counts, report: read, metrics })
}

/// The units of work of a fit, in order: groups of phases that share factors, or single phases.
#[derive(Clone, PartialEq, Eq, Debug, derive_more::Deref)]
pub struct Units(Vec<Vec<Phase>>);

impl Units {
    /// Divides `phases` into groups that share factors or, if `set` has no factors, single phases.
    pub fn of(set: &PatternSet, phases: &RangeInclusive<Phase>) -> Self {
        let unit = |phase: &Phase| match set.factors() {
            None => phase.index(),
            Some(shape) => shape.group(*phase),
        };
        let phases: Vec<Phase> = Phase::all().filter(|phase| phases.contains(phase)).collect();
        let units = phases.chunk_by(|one, other| unit(one) == unit(other));
        Self(units.map(<[Phase]>::to_vec).collect())
    }

    /// Returns the phases of all units of work, in order.
    pub fn phases(&self) -> Vec<Phase> {
        self.0.concat()
    }

    /// Returns the phases whose positions a shard (one machine's share of the work) reads: those
    /// that it fits, alone or in groups, and the nearby phases in the smoothing `window`.
    pub fn phases_read(&self, shard: Shard, window: &Window) -> Vec<Phase> {
        let of_shard = |number: &usize| shard.makes(*number as u64);
        let own = (0..self.0.len()).filter(of_shard).flat_map(|number| self.0[number].clone());
        let phases = self.phases();
        let single = (0..phases.len()).filter(of_shard).map(|number| phases[number]);
        let own: Vec<Phase> = own.chain(single).collect();
        window.phases_read(|phase| own.contains(&phase))
    }
}

/// Writes the weights, metrics and report of a complete fit. `run` has the results of all phases in
/// part files, which are kept. `initial` are the weights from which the fit started.
pub fn pack(run: &Run, initial: Option<&WeightsFile>, progress: &dyn Progress) -> Result<FitEnd> {
    write(run, initial, vec![], &[], progress)
}

const PACK: &str = "pack (parts)";
const STOPPED_AFTER_EPOCHS: &str = "stopped_after_epochs";

/// Writes the weights, metrics and report of a fit. The part files of `run` have the results of
/// finished phases; `so_far` has the results of the phases `stopped` by the time limit (after one
/// epoch or more). The provenance states how many epochs each stopped phase has completed, because
/// this number affects the weights.
pub(super) fn write(
    run: &Run,
    initial: Option<&WeightsFile>,
    so_far: Vec<FittedUnit>,
    stopped: &[Phase],
    progress: &dyn Progress,
) -> Result<FitEnd> {
    let mut provenance = run.plan.provenance.clone();
    let set: String = field(&provenance, "pattern_set")?;
    let set = PatternSet::from_toml(&set).map_err(|_| FitError::Provenance("pattern_set"))?;
    let [first, last]: [Phase; 2] = field(&provenance, "phases")?;
    let began_from: Option<String> = field(&provenance, "initial")?;
    if initial.map(|file| &file.sha256) != began_from.as_ref() {
        let (from, remedy) = match began_from {
            Some(sha256) => (format!("from weights of sha256 {sha256}"), "name these with --init"),
            None => ("from nothing".to_owned(), "omit --init"),
        };
        return Err(FitError::Initial { from, remedy });
    }
    let initial = initial.and_then(|file| match set.factors() {
        Some(shape) => file.weights.clone().with_factors(shape),
        None => Some(file.weights.clone()),
    });
    let (phases, is_initial) = (first..=last, initial.is_some());
    let units = Units::of(&set, &phases);
    let model = Model::new(set.clone());
    let weights = initial.unwrap_or_else(|| Weights::zero(set));
    let mut all = Assembly { weights, fitted: BTreeMap::new() };
    let stage = run.plan.stages.len() - 1;
    progress.begin(PACK, 0, units.len() as u64);
    for (index, unit) in (0..).zip(units.iter()) {
        if stopped.is_empty() || run.has(stage, index) {
            all.insert(FittedUnit::read(run.part(stage, index)?, &model, unit)?);
        }
        progress.advance(1);
    }
    so_far.into_iter().for_each(|unit| all.insert(unit));
    let side_files = SideFiles::new(&run.output, &provenance);
    let metrics = all.fitted.values().flat_map(|(_, metrics)| metrics);
    let metrics: Vec<Metrics> = metrics.copied().collect();
    let assembled = all.finish(&phases, is_initial, stopped);
    let (weights, report) = assembled.ok_or(match stopped {
        [] => FitError::NoPositions(first, last),
        [..] => FitError::OutOfTime,
    })?;
    if !run.is_forced() {
        side_files.check_are_own()?;
    }
    side_files.write(&metrics, &report)?;
    if !stopped.is_empty() {
        let rows = report.0.iter().filter(|row| row.unfinished);
        let epochs = rows.map(|row| (row.phase.index().to_string(), json!(row.epochs)));
        let epochs: serde_json::Map<_, _> = epochs.collect();
        provenance = provenance.with(STOPPED_AFTER_EPOCHS, epochs);
    }
    let writer = run.writer_with(&provenance)?;
    Ok(FitEnd { summary: Some(weights.write_to(writer)?), report })
}

fn field<T: DeserializeOwned>(provenance: &Provenance, key: &'static str) -> Result<T> {
    let value = provenance.get(key).cloned().ok_or(FitError::Provenance(key))?;
    serde_json::from_value(value).map_err(|_| FitError::Provenance(key))
}

struct Assembly {
    weights: Weights,
    fitted: BTreeMap<Phase, (PhaseReport, Vec<Metrics>)>,
}

impl Assembly {
    fn insert(&mut self, unit: FittedUnit) {
        for FittedPhase { steps, counts, report, metrics } in unit.phases {
            let phase = report.phase;
            self.weights.set_steps(phase, |parameter| steps[parameter]);
            self.weights.set_counts(phase, |parameter| counts[parameter]);
            self.fitted.insert(phase, (report, metrics));
        }
        if let (Some((group, fitted)), Some(factors)) = (unit.factors, self.weights.factors_mut()) {
            factors.set_group(group, |place| fitted[place]);
        }
    }

    /// Returns the weights of all phases, and a report on the `wanted` ones; `None` if no phase is
    /// fitted. A phase that is not fitted gets the weights of the nearest fitted phase. But with
    /// `keep_others`, phases that are not `wanted` keep their initial weights.
    fn finish(
        mut self,
        wanted: &RangeInclusive<Phase>,
        keep_others: bool,
        stopped: &[Phase],
    ) -> Option<(Weights, FitReport)> {
        let mut rows = vec![];
        for phase in Phase::all() {
            let nearest = self.nearest(phase)?;
            let is_wanted = wanted.contains(&phase);
            if nearest != phase && (is_wanted || !keep_others) {
                self.copy(nearest, phase);
            }
            if is_wanted {
                let unfinished = stopped.contains(&phase);
                let copied = || PhaseReport { unfinished, ..PhaseReport::copied(phase, nearest) };
                let fitted = self.fitted.get(&phase).map(|(report, _)| report.clone());
                rows.push(fitted.unwrap_or_else(copied));
            }
        }
        Some((self.weights, FitReport(rows)))
    }

    fn nearest(&self, phase: Phase) -> Option<Phase> {
        let shape = self.weights.set().factors();
        let is_near = |other: &Phase| shape.is_some_and(|s| s.group(*other) == s.group(phase));
        let fitted = || self.fitted.keys().copied();
        nearest(phase, fitted().filter(is_near)).or_else(|| nearest(phase, fitted()))
    }

    fn copy(&mut self, from: Phase, to: Phase) {
        let steps = self.weights.steps(from).to_vec();
        self.weights.set_steps(to, |parameter| steps[parameter]);
        if let Some(factors) = self.weights.factors_mut() {
            let vectors = factors.of(from).to_vec();
            factors.set_group(factors.shape().group(to), |place| vectors[place]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Phases;

    /// Formerly, `datasets/formats.md` did not list one of the sections, the metrics.
    #[test]
    fn the_documented_sections_of_a_fitted_phase_are_those_written() {
        let formats = include_str!("../../../../datasets/formats.md");
        let (_, text) = formats.split_once("four sections for each phase PP").unwrap();
        let (text, _) = text.split_once("\n## ").unwrap();
        let named = text.split('`').skip(1).step_by(2);
        let named: Vec<_> = named.filter(|name| name.ends_with(" PP")).collect();
        let written = section_names(Phase::new(7).unwrap()).map(|name| name.replace("07", "PP"));
        assert_eq!(named, written);
    }

    #[test]
    fn a_shard_reads_its_units_and_their_windows() {
        let window: Window = "0,1".parse().unwrap();
        let read = |set: &str, phases: &str, shard: &str| -> Vec<usize> {
            let phases: Phases = phases.parse().unwrap();
            let units = Units::of(&PatternSet::shipped(set).unwrap(), &phases.0);
            let read = units.phases_read(shard.parse().unwrap(), &window);
            read.into_iter().map(Phase::index).collect()
        };
        assert_eq!(read("small", "20..30", "2/6"), [19, 21, 23, 25, 27, 29]);
        assert_eq!(read("small", "20..21", "1/1"), [18, 19, 20, 21, 22, 23]);
        // The shard fits phase 21 without factors, and the second group, phases 30 to 39.
        let both = [19, 21, 23].into_iter().chain(28..=41).collect::<Vec<_>>();
        assert_eq!(read("factors", "20..59", "2/40"), both);
    }
}
