//! Files of scored positions and of scored openings, written and read one after the other.

use std::path::Path;
use std::vec;

use super::{ROW_BYTES, RecordError, ScoredPosition};
use crate::file::{self, Begin, Existing, Kind, Provenance, Reader, Summary, Writer};

/// How many positions a frame holds, all but the last.
pub const POSITIONS_PER_FRAME: usize = 4096;

const SECTION: &str = "positions";

/// Writes scored positions in their order, a frame at a time.
pub struct PositionWriter {
    writer: Writer,
    pending: Vec<ScoredPosition>,
    resumed_positions: u64,
}

impl PositionWriter {
    /// Begins a file of positions, or goes on with it after its last whole frame.
    pub fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<Self>, RecordError> {
        Self::begin_kind(path, Kind::Positions, provenance, existing)
    }

    /// Begins a file of openings: all positions up to some ply, never split into training and
    /// test.
    pub fn begin_openings(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<Self>, RecordError> {
        Self::begin_kind(path, Kind::Openings, provenance, existing)
    }

    fn begin_kind(
        path: &Path,
        kind: Kind,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<Self>, RecordError> {
        let writer = match Writer::begin(path, kind, provenance, existing)? {
            Begin::Done(summary) => return Ok(Begin::Done(summary)),
            Begin::Writer(writer) => writer,
        };
        let own = writer.resumed().iter().filter(|section| section.name == SECTION);
        let resumed_positions = own.map(|section| section.bytes / ROW_BYTES as u64).sum();
        Ok(Begin::Writer(Self { writer, pending: vec![], resumed_positions }))
    }

    /// How many positions the file already held.
    pub fn resumed_positions(&self) -> u64 {
        self.resumed_positions
    }

    /// The positions that the file already held, read again.
    pub fn reread(&self) -> Result<PositionReader, RecordError> {
        Ok(PositionReader::new(self.writer.reread()?, self.writer.resumed().len()))
    }

    /// What resuming dropped, for the user to know.
    pub fn warning(&self) -> Option<String> {
        self.writer.warning()
    }

    /// Adds a position; every [`POSITIONS_PER_FRAME`] of them are written.
    pub fn push(&mut self, position: ScoredPosition) -> Result<(), RecordError> {
        self.pending.push(position);
        if self.pending.len() == POSITIONS_PER_FRAME { self.write_pending() } else { Ok(()) }
    }

    /// Writes what is left and completes the file.
    pub fn finish(mut self) -> Result<Summary, RecordError> {
        if !self.pending.is_empty() {
            self.write_pending()?;
        }
        Ok(self.writer.finish()?)
    }

    fn write_pending(&mut self) -> Result<(), RecordError> {
        let rows: Vec<u8> = self.pending.iter().flat_map(ScoredPosition::to_bytes).collect();
        self.writer.section(SECTION, &rows)?;
        self.pending.clear();
        Ok(())
    }
}

impl AsRef<Writer> for PositionWriter {
    fn as_ref(&self) -> &Writer {
        &self.writer
    }
}

/// Reads the positions of a file of positions or of openings, each checked.
pub struct PositionReader {
    reader: Reader,
    frames_left: usize,
    frame: vec::IntoIter<ScoredPosition>,
    number: u64,
    failed: bool,
}

impl PositionReader {
    /// Opens a file of positions or of openings.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let kind = match file::kind_of(path)? {
            Kind::Openings => Kind::Openings,
            _ => Kind::Positions,
        };
        Ok(Self::new(Reader::open(path, kind)?, usize::MAX))
    }

    fn new(reader: Reader, frames_left: usize) -> Self {
        Self { reader, frames_left, frame: vec![].into_iter(), number: 0, failed: false }
    }

    /// What the positions were made from.
    pub fn provenance(&self) -> &Provenance {
        self.reader.provenance()
    }

    /// Whether these are all positions of some kind, which leaves nothing to hold out: openings,
    /// and positions whose provenance says `"enumerated": true`.
    pub fn is_enumerated(&self) -> bool {
        let stated = self.provenance().get("enumerated").and_then(serde_json::Value::as_bool);
        self.reader.kind() == Kind::Openings || stated == Some(true)
    }

    /// The size of the file, to tell how far reading it is.
    pub fn bytes(&self) -> u64 {
        self.reader.bytes()
    }

    /// How much of it has been read.
    pub fn bytes_read(&self) -> u64 {
        self.reader.bytes_read()
    }

    /// The checksum of the content, once the iterator has come to its end without an error.
    pub fn sha256(&self) -> Option<&str> {
        self.reader.sha256()
    }

    /// After an error: goes on with the next whole frame behind what is damaged; false where there
    /// is none. There is no checksum of the whole then.
    pub fn resynchronize(&mut self) -> Result<bool, RecordError> {
        Ok(self.reader.resynchronize()?)
    }

    /// The positions of the next frame; `None` at the end of the file. An alternative to reading
    /// them one by one, not to be mixed with it.
    pub fn next_frame(&mut self) -> Result<Option<Vec<ScoredPosition>>, RecordError> {
        while self.frames_left > 0 {
            self.frames_left -= 1;
            let Some(section) = self.reader.next().transpose()? else { return Ok(None) };
            if section.name == SECTION {
                return self.decode(&section.content).map(Some);
            }
        }
        Ok(None)
    }

    fn decode(&mut self, content: &[u8]) -> Result<Vec<ScoredPosition>, RecordError> {
        let (rows, rest) = content.as_chunks::<ROW_BYTES>();
        if !rest.is_empty() {
            let reason = format!("has {} bytes, no multiple of {ROW_BYTES}", content.len());
            return Err(self.reader.meaningless(reason).into());
        }
        let read = |row| {
            self.number += 1;
            let (path, number) = (self.reader.path(), self.number);
            ScoredPosition::from_bytes(row).map_err(|source| {
                let path = path.to_owned();
                RecordError::Position { path, number, source }
            })
        };
        rows.iter().map(read).collect()
    }
}

impl Iterator for PositionReader {
    type Item = Result<ScoredPosition, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            if let Some(position) = self.frame.next() {
                return Some(Ok(position));
            }
            match self.next_frame() {
                Ok(Some(positions)) => self.frame = positions.into_iter(),
                Ok(None) => return None,
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::board::Position;
    use crate::record::{Label, Weight};

    fn any_position() -> impl Strategy<Value = ScoredPosition> {
        let numbers = (any::<u64>(), any::<u64>(), -16384..=16384i16, 1..=u16::MAX);
        numbers.prop_map(|(player, opponent, label, weight)| {
            let position = Position::new(player | 0xF, opponent & !player & !0xF).unwrap();
            ScoredPosition::new(position, Label::new(label).unwrap(), Weight::new(weight).unwrap())
        })
    }

    fn begin(path: &Path) -> PositionWriter {
        match PositionWriter::begin(path, &Provenance::new("test"), Existing::Keep).unwrap() {
            Begin::Writer(writer) => writer,
            Begin::Done(_) => panic!("complete"),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        #[test]
        fn positions_are_read_as_they_were_written(positions in vec(any_position(), 0..50)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("any.positions");
            let mut writer = begin(&path);
            positions.iter().for_each(|&position| writer.push(position).unwrap());
            let sha256 = writer.finish().unwrap().sha256;
            let mut reader = PositionReader::open(&path).unwrap();
            let there: Vec<_> = reader.by_ref().map(|position| position.unwrap()).collect();
            prop_assert_eq!(there, positions);
            prop_assert_eq!(reader.sha256(), Some(sha256.as_str()));
            prop_assert!(!reader.is_enumerated());
        }
    }

    #[test]
    fn a_killed_writer_goes_on_at_a_frame() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.positions");
        let row = |n: u64| {
            let position = Position::new(0xF | n << 8, 0).unwrap();
            ScoredPosition::new(position, Label::new(n as i16).unwrap(), Weight::ONE)
        };
        let mut writer = begin(&path);
        (0..5000).for_each(|n| writer.push(row(n)).unwrap());
        drop(writer);
        let mut writer = begin(&path);
        assert_eq!(writer.resumed_positions(), POSITIONS_PER_FRAME as u64);
        (4096..9000).for_each(|n| writer.push(row(n)).unwrap());
        assert_eq!(writer.finish().unwrap().sections, 3);
        let there = PositionReader::open(&path).unwrap().map(|position| position.unwrap());
        assert!(there.eq((0..9000).map(row)));
    }

    #[test]
    fn openings_say_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.openings");
        let provenance = Provenance::new("openings");
        let begun = PositionWriter::begin_openings(&path, &provenance, Existing::Keep).unwrap();
        let Begin::Writer(writer) = begun else { panic!("complete") };
        writer.finish().unwrap();
        assert!(PositionReader::open(&path).unwrap().is_enumerated());
        let path = folder.path().join("marked.positions");
        let marked = provenance.with("enumerated", true);
        let begun = PositionWriter::begin(&path, &marked, Existing::Keep).unwrap();
        let Begin::Writer(writer) = begun else { panic!("complete") };
        writer.finish().unwrap();
        assert!(PositionReader::open(&path).unwrap().is_enumerated());
    }

    #[test]
    fn a_bad_row_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.positions");
        let begun = Writer::begin(&path, Kind::Positions, &Provenance::new("test"), Existing::Keep);
        let Begin::Writer(mut writer) = begun.unwrap() else { panic!("complete") };
        writer.section(SECTION, &[0; 3 * ROW_BYTES]).unwrap();
        writer.finish().unwrap();
        let error = PositionReader::open(&path).unwrap().next().unwrap().unwrap_err().to_string();
        assert!(error.contains("bad.positions: position 1: 0 discs"), "{error}");
    }
}
