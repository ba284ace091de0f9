//! A sorted run: the rows (labelled positions) from one range of records, sorted by subset, by
//! phase and by a hash of the position ([`order`]). They are in memory or in a memory-mapped file.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use othello_engine::board::{PHASES, Phase};
use othello_engine::file::{FileError, RawSection, Reader, Section, open_ordinary};
use othello_engine::progress::Progress;
use othello_engine::record::{ROW_BYTES, ScoredPosition};
use othello_engine::run::LongPart;
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::merge::order;
use super::place::{Placed, PlacedRows, Placer};
use super::{Counts, Subset};
use crate::memory::{MemoryError, MemoryLimit, Temporary};
use crate::source::records::{Frame, RecordRange};
use crate::source::{DataError, LabelRules, Result};

#[derive(Clone)]
pub(super) enum StoredRows {
    Memory(Vec<ScoredPosition>),
    /// Rows in a byte range of a memory-mapped file. [`Self::mapped`] has checked that the bytes
    /// are valid rows.
    Mapped(Arc<Mmap>, Range<usize>),
}

// Files store the lowest byte first, and a mapped file is read without conversion.
const _: () = assert!(cfg!(target_endian = "little"));

impl StoredRows {
    /// Returns the rows in the byte range `place` of the mapped file; `None` if the bytes there are
    /// not valid rows. The file must not change while the rows exist.
    pub(super) fn mapped(map: &Arc<Mmap>, place: Range<usize>) -> Option<Self> {
        let (rows, rest) = map.get(place.clone())?.as_chunks::<ROW_BYTES>();
        let is_aligned = place.start.is_multiple_of(align_of::<ScoredPosition>());
        let are_rows =
            rest.is_empty() && rows.iter().all(|row| ScoredPosition::from_bytes(row).is_ok());
        (is_aligned && are_rows).then(|| Self::Mapped(map.clone(), place))
    }

    pub(super) fn is_mapped(&self) -> bool {
        matches!(self, Self::Mapped(..))
    }
}

impl Deref for StoredRows {
    type Target = [ScoredPosition];

    fn deref(&self) -> &[ScoredPosition] {
        match self {
            Self::Memory(rows) => rows,
            Self::Mapped(map, place) => {
                let bytes = &map[place.clone()];
                let rows = bytes.len() / ROW_BYTES;
                // SAFETY: `mapped` checked alignment, length and content, and nobody writes to the
                // file.
                unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), rows) }
            }
        }
    }
}

impl Default for StoredRows {
    fn default() -> Self {
        Self::Memory(vec![])
    }
}

impl fmt::Debug for StoredRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows", self.len())
    }
}

pub(super) struct RowSink<'l> {
    memory: Vec<ScoredPosition>,
    file: Option<Temporary>,
    limit: Option<&'l MemoryLimit>,
}

impl<'l> RowSink<'l> {
    /// Creates a collector of rows, which stores them in a temporary file if there is a limit on
    /// memory, otherwise in memory.
    pub(super) fn new(limit: Option<&'l MemoryLimit>, rows: usize) -> Self {
        let rows = if limit.is_some() { 0 } else { rows };
        Self { memory: Vec::with_capacity(rows), file: None, limit }
    }

    pub(super) fn push(&mut self, row: ScoredPosition) -> Result<(), MemoryError> {
        let Some(limit) = self.limit else {
            self.memory.push(row);
            return Ok(());
        };
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(Temporary::create(limit)?),
        };
        file.write(&row.to_bytes())
    }

    pub(super) fn finish(mut self) -> Result<StoredRows, MemoryError> {
        let (Some(file), Some(limit)) = (self.file, self.limit) else {
            self.memory.shrink_to_fit();
            return Ok(StoredRows::Memory(self.memory));
        };
        let place = 0..file.len();
        let map = Arc::new(file.map()?);
        StoredRows::mapped(&map, place).ok_or_else(|| limit.changed())
    }
}

const DESCRIPTION: &str = "description";

pub(super) fn write_description(part: &mut LongPart<'_>, content: &impl Serialize) -> Result<()> {
    // This cannot fail: a description has only numbers and texts.
    let json = serde_json::to_vec(content).unwrap_or_default();
    Ok(part.section(DESCRIPTION, &json)?)
}

pub(super) fn write_rows<'r>(
    part: &mut LongPart<'_>,
    name: &str,
    rows: impl IntoIterator<Item = &'r StoredRows>,
) -> Result<()> {
    part.raw_section(name, |out| {
        let mut rows = rows.into_iter().flat_map(|rows| rows.iter());
        let written = rows.try_for_each(|row| out.write_all(&row.to_bytes()));
        Ok(written.map_err(FileError::io(Path::new("a part of the dataset"), "write it"))?)
    })
}

pub(super) struct MappedPart {
    pub(super) map: Arc<Mmap>,
    path: PathBuf,
    sections: Vec<Section>,
    raw: Vec<RawSection>,
}

impl MappedPart {
    /// Memory-maps the file of a part of a run, without computing its checksum again.
    pub(super) fn open(part: Reader) -> Result<Self> {
        let path = part.path().to_owned();
        let mut reader = part.skipping_raw();
        let sections = reader.by_ref().collect::<Result<_, _>>()?;
        // SAFETY: nobody writes to a complete part of a run again.
        let map = open_ordinary(&path)
            .and_then(|file| unsafe { Mmap::map(&file) }.map_err(FileError::io(&path, "map it")))?;
        Ok(Self { map: Arc::new(map), raw: reader.raw_sections().to_vec(), path, sections })
    }

    pub(super) fn description<T: DeserializeOwned>(&self) -> Option<T> {
        let section = self.sections.iter().find(|section| section.name == DESCRIPTION)?;
        serde_json::from_slice(&section.content).ok()
    }

    pub(super) fn place(&self, name: &str) -> Option<Range<usize>> {
        let raw = self.raw.iter().find(|raw| raw.name == name)?;
        let begin = usize::try_from(raw.offset).ok()?;
        Some(begin..begin.checked_add(usize::try_from(raw.bytes).ok()?)?)
    }

    pub(super) fn rows(&self, name: &str) -> Option<StoredRows> {
        StoredRows::mapped(&self.map, self.place(name)?)
    }

    pub(super) fn wrong(&self) -> DataError {
        let reason = "it does not have the rows of a dataset; remove it, and run the command again";
        FileError::exists(&self.path, reason).into()
    }
}

const FRAMES_AT_ONCE: usize = 8;

pub(super) struct SortedRun {
    pub(super) rows: [Vec<StoredRows>; Subset::ALL.len()],
    pub(super) counts: Counts,
}

#[derive(Serialize, Deserialize)]
struct Description {
    counts: Counts,
    /// For each subset, the number of rows (labelled positions, duplicates included) of each phase.
    rows: [Vec<u64>; Subset::ALL.len()],
}

const ROWS: &str = "rows";

pub(super) struct RunBuilder {
    rows: [Vec<Vec<ScoredPosition>>; Subset::ALL.len()],
    counts: Counts,
    labels: LabelCounts,
}

impl RunBuilder {
    pub(super) fn new(rules: LabelRules) -> Self {
        let rows = [(); Subset::ALL.len()].map(|()| vec![vec![]; PHASES]);
        Self { rows, counts: Counts::default(), labels: LabelCounts::new(rules) }
    }

    pub(super) fn add(&mut self, placed: PlacedRows) {
        self.counts.add(&placed.counts);
        for Placed { row, rule, subset, .. } in placed.rows {
            if let Some(phase) = Phase::of(&row.position()) {
                if subset == Subset::Training {
                    self.labels.add(phase, rule);
                }
                self.rows[subset as usize][phase.index()].push(row);
            }
        }
    }

    pub(super) fn sort(self) -> SortedRun {
        let sorted = |mut rows: Vec<ScoredPosition>| {
            rows.par_sort_unstable_by_key(order);
            rows.shrink_to_fit();
            StoredRows::Memory(rows)
        };
        let rows = self.rows.map(|by_phase| by_phase.into_par_iter().map(sorted).collect());
        SortedRun { rows, counts: Counts { labels: self.labels.by_phase(), ..self.counts } }
    }
}

impl SortedRun {
    pub(super) fn read(
        range: &RecordRange,
        placer: &Placer<'_>,
        progress: &dyn Progress,
        read: impl Fn(u64),
    ) -> Result<Self> {
        let (mut run, mut frames) = (RunBuilder::new(placer.settings.labels.clone()), vec![]);
        let mut place = |frames: &mut Vec<Frame>| {
            let placed: Vec<_> = frames.par_iter().map(|frame| placer.place(frame)).collect();
            placed.into_iter().for_each(|placed| run.add(placed));
            frames.clear();
        };
        range.each_frame(|frame| {
            progress.check()?;
            read(frame.len() as u64);
            frames.push(frame);
            if frames.len() == FRAMES_AT_ONCE {
                place(&mut frames);
            }
            Ok::<_, DataError>(())
        })?;
        place(&mut frames);
        Ok(run.sort())
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.rows.iter().flatten().map(|rows| rows.len()).sum::<usize>() * ROW_BYTES) as u64
    }

    pub(super) fn len(&self, phase: Phase) -> usize {
        self.rows.iter().map(|by_phase| by_phase[phase.index()].len()).sum()
    }

    pub(super) fn into_temporary(self, limit: &MemoryLimit) -> Result<Self, MemoryError> {
        let mut file = Temporary::create(limit)?;
        for row in self.rows.iter().flatten().flat_map(|rows| rows.iter()) {
            file.write(&row.to_bytes())?;
        }
        let bytes = 0..file.len();
        let description = self.description();
        let map = Arc::new(file.map()?);
        Self::of_map(&map, bytes, description).ok_or_else(|| limit.changed())
    }

    pub(super) fn write(&self, part: &mut LongPart<'_>) -> Result<()> {
        write_description(part, &self.description())?;
        write_rows(part, ROWS, self.rows.iter().flatten())
    }

    pub(super) fn of_part(part: Reader) -> Result<Self> {
        let part = MappedPart::open(part)?;
        let run =
            part.place(ROWS).and_then(|place| Self::of_map(&part.map, place, part.description()?));
        run.ok_or_else(|| part.wrong())
    }

    fn description(&self) -> Description {
        let length = |rows: &StoredRows| rows.len() as u64;
        let rows = |by_phase: &Vec<StoredRows>| by_phase.iter().map(length).collect();
        Description { counts: self.counts.clone(), rows: self.rows.each_ref().map(rows) }
    }

    /// Returns the sorted run whose rows are in the byte range `bytes` of the mapped file; `None`
    /// if they are not valid rows, or not as many as `description` states.
    fn of_map(map: &Arc<Mmap>, bytes: Range<usize>, description: Description) -> Option<Self> {
        let mut begin = bytes.start;
        let mut rows = [const { vec![] }; Subset::ALL.len()];
        for (rows, lengths) in rows.iter_mut().zip(&description.rows) {
            for &length in lengths {
                let end =
                    begin.checked_add(usize::try_from(length).ok()?.checked_mul(ROW_BYTES)?)?;
                rows.push(StoredRows::mapped(map, begin..end)?);
                begin = end;
            }
        }
        let is_whole = begin == bytes.end && rows.iter().all(|rows| rows.len() == PHASES);
        is_whole.then_some(Self { rows, counts: description.counts })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct LabelCounts {
    rules: LabelRules,
    counts: BTreeMap<Option<u8>, [u64; PHASES]>,
}

impl LabelCounts {
    pub(crate) fn new(rules: LabelRules) -> Self {
        Self { rules, counts: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, phase: Phase, rule: Option<u8>) {
        self.counts.entry(rule).or_insert([0; PHASES])[phase.index()] += 1;
    }

    pub(crate) fn by_phase(&self) -> Vec<Vec<(String, u64)>> {
        Phase::all().map(|phase| self.of_phases(&[phase.index()])).collect()
    }

    pub(crate) fn of_phases(&self, phases: &[usize]) -> Vec<(String, u64)> {
        by_kind(phases.iter().flat_map(|&phase| {
            self.counts.iter().map(move |(&rule, counts)| (self.rules.kind(rule), counts[phase]))
        }))
    }
}

pub(super) fn by_kind(counts: impl Iterator<Item = (String, u64)>) -> Vec<(String, u64)> {
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for (kind, count) in counts {
        let sum = kinds.entry(kind).or_default();
        *sum = sum.saturating_add(count);
    }
    let mut kinds: Vec<(String, u64)> = kinds.into_iter().filter(|kind| kind.1 > 0).collect();
    kinds.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    kinds
}
