//! Makes a dataset in a folder by a resumable run of two stages. The first stage reads ranges of
//! records, and sorts the positions of each range. The second stage merges the positions by phase.

use std::path::Path;

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::{Existing, FileError, sha256_of_file};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::ROW_BYTES;
use othello_engine::run::{Opened, Plan, Run, Shard, Stage};
use serde::Deserialize as _;
use serde_json::Value;

use super::{
    Counts, DatasetFolder, DatasetProvenance, FILE_COUNT, FILES, check_are_own, provenance,
};
use crate::dataset::inputs::{Inputs, counts, no_usable_positions};
use crate::dataset::merge::Source;
use crate::dataset::sorted_run::{MappedPart, SortedRun, write_description, write_rows};
use crate::dataset::{DataChoice, Dataset, Input, LayoutSettings, Subset, merged_rows};
use crate::memory::{MemoryLimit, parts_within};
use crate::source::{DataError, Result};

const RUNS: usize = 0;
const PHASE_ROWS: usize = 1;

impl DatasetFolder {
    /// Makes a dataset from `data` in a folder, and returns it; `None` if `shard` makes only some
    /// parts of the run. The positions of `test` that are not in training go to the test subset.
    pub fn make(
        folder: &Path,
        data: &[DataChoice],
        test: &[DataChoice],
        settings: &LayoutSettings,
        (shard, existing): (Shard, Existing),
        limit: &MemoryLimit,
        progress: &dyn Progress,
    ) -> Result<Option<Dataset>> {
        Run::check_is_free(folder, shard)?;
        // A folder of other data is refused before the data are read, which may take hours.
        if existing == Existing::Keep
            && folder.exists()
            && let (Some(data), Some(test)) = (inputs_of(data), inputs_of(test))
        {
            check_are_own(folder, &provenance(&data, &test, settings))?;
        }
        let inputs = Inputs::open(data, test, settings, &[true; PHASES], progress)?;
        let provenance = provenance(&inputs.data, &inputs.test, settings);
        if existing == Existing::Keep {
            check_are_own(folder, &provenance)?;
            if Self::is_at(folder) {
                let there = Self::open(folder)?;
                if there.has_all_files() {
                    Run::remove_leftovers(folder, &provenance, shard);
                    progress.begin(FILES, FILE_COUNT, FILE_COUNT);
                    let phases: Vec<Phase> = Phase::all().collect();
                    return there.read(&phases, Some(limit), progress).map(Some);
                }
                progress.message("files that the folder lacks are written again");
            }
        }
        let (at_once, left) = inputs.at_once(limit)?;
        let ranges = Stage::new("dataset (ranges)", inputs.ranges.len() as u64, 1);
        let phases = Stage::new("merge (phases)", PHASES as u64, 1);
        let plan = Plan { kind: None, provenance, stages: vec![ranges, phases], growing: None };
        let opened = Run::open(folder, plan, shard, existing, progress)?;
        let Opened::Run(run) = opened else { return Ok(None) };
        run.make_parts(RUNS, run.missing(RUNS), at_once, progress, |part| {
            let (range, placer) = &inputs.ranges[part.index as usize];
            SortedRun::read(range, placer, progress, |_| ())?.write(part)?;
            Ok::<_, DataError>(true)
        })?;
        run.require(RUNS)?;
        let runs = run.parts(RUNS).map(|part| SortedRun::of_part(part?));
        let runs = runs.collect::<Result<Vec<_>>>()?;
        let counts = counts(&runs);
        progress.warn(counts.excluded.notice());
        if runs.iter().all(|run| run.bytes() == 0) && !counts.is_labelled {
            run.clean()?;
            return Err(no_usable_positions(data, settings, &counts.excluded));
        }
        // Phases merged at a time share half of the free memory; a phase beyond that uses files.
        let bytes = |phase: Phase| {
            let rows: usize = runs.iter().map(|run| run.len(phase)).sum();
            (rows as u64).saturating_mul(ROW_BYTES as u64)
        };
        let (room, missing) = (left / 2, run.missing(PHASE_ROWS));
        let largest = Phase::all().map(bytes).max().unwrap_or(0);
        let at_once = parts_within(room, largest, rayon::current_num_threads()).max(1);
        run.make_parts(PHASE_ROWS, missing, at_once, progress, |part| {
            let phase = Phase::new(part.index as usize).expect("a part for each phase");
            let labels = vec![counts.labels[phase.index()].clone()];
            write_description(part, &Counts { labels, ..counts.clone() })?;
            let limit = (bytes(phase) > room).then_some(limit);
            let (merged, _) = merged_rows(&sources(&runs, phase), limit)?;
            for (subset, rows) in Subset::ALL.into_iter().zip(&merged) {
                write_rows(part, &subset.to_string(), [rows])?;
            }
            Ok::<_, DataError>(true)
        })?;
        match run.is_shard() {
            true => Ok(None),
            false => run.pack(|run| Self::pack(run, existing, progress)).map(Some),
        }
    }

    /// Writes the files of a dataset from the merged positions of the second stage of `run`, and
    /// returns the dataset.
    pub fn pack(run: &Run, existing: Existing, progress: &dyn Progress) -> Result<Dataset> {
        let mut dataset = Dataset::default();
        for part in run.parts(PHASE_ROWS) {
            let part = MappedPart::open(part?)?;
            let rows = Subset::ALL.map(|subset| part.rows(&subset.to_string()));
            let (Some(counts), [Some(training), Some(validation), Some(test)]) =
                (part.description::<Counts>(), rows)
            else {
                return Err(part.wrong());
            };
            dataset.phases.push([training, validation, test]);
            let labels = std::mem::take(&mut dataset.counts.labels);
            dataset.counts = Counts { labels: [labels, counts.labels].concat(), ..counts };
        }
        let provenance = Value::Object(run.plan.provenance.as_map().clone());
        let made = DatasetProvenance::deserialize(provenance).map_err(|error| {
            let reason = format!("its provenance is not that of a dataset: {error}");
            FileError::exists(&run.output, reason)
        })?;
        (dataset.inputs, dataset.test_inputs) = (made.data, made.test);
        dataset.write(&run.output, &run.plan.provenance, existing, progress)?;
        Ok(dataset)
    }
}

/// Returns the checksum of each file, and the factor that multiplies the weights of its positions;
/// `None` if a file cannot be read.
fn inputs_of(choices: &[DataChoice]) -> Option<Vec<Input>> {
    let input = |choice: &DataChoice| {
        let sha256 = sha256_of_file(&choice.path, &Silent).ok()?;
        Some(Input { sha256, weight: choice.weight })
    };
    choices.iter().map(input).collect()
}

fn sources(runs: &[SortedRun], phase: Phase) -> Vec<Source<'_>> {
    let of_subset = |subset| {
        let rows = runs.iter().map(move |run| &*run.rows[subset as usize][phase.index()]);
        rows.filter(|rows| !rows.is_empty()).map(move |rows| (subset, rows))
    };
    Subset::ALL.into_iter().flat_map(of_subset).collect()
}
