//! Reads and writes record files and other container files for tests.

use std::path::Path;

use othello_engine::file::{Begin, Existing, Kind, Provenance, Section, Summary, Writer};
use othello_engine::record::{Record, RecordReader, RecordWriter};

/// Begins a file of records, which replaces an existing file at `path`, and returns its writer.
pub fn begin<R: Record>(path: &Path, provenance: &Provenance) -> RecordWriter<R> {
    begun(RecordWriter::begin(path, provenance, Existing::Replace).expect("a place for the file"))
}

/// Returns the writer that `begin` contains. Panics if it contains none because the file is already
/// complete.
pub fn begun<W>(begin: Begin<W>) -> W {
    match begin {
        Begin::Writer(writer) => writer,
        Begin::Done(_) => panic!("the file is complete"),
    }
}

/// Writes `records` to a record file, which replaces an existing file at `path`.
pub fn write<R: Record>(path: &Path, records: impl IntoIterator<Item = R>) -> Summary {
    finish(begin(path, &Provenance::new("test")), records)
}

/// Writes `records` to a record file that was already begun, and completes the file.
pub fn finish<R: Record>(
    mut writer: RecordWriter<R>,
    records: impl IntoIterator<Item = R>,
) -> Summary {
    records.into_iter().for_each(|record| writer.push(record).expect("room"));
    writer.finish().expect("room")
}

/// Reads a file of records. Returns its provenance, and the records of each frame (compressed
/// block).
pub fn frames<R: Record>(path: &Path) -> (Provenance, Vec<Vec<R>>) {
    let mut reader = RecordReader::open(path).expect("a file of records");
    let frames = std::iter::from_fn(|| reader.next_frame().expect("a frame")).collect();
    (reader.provenance().clone(), frames)
}

/// Writes a container file with these sections, which replaces an existing file at `path`.
pub fn write_sections(
    path: &Path,
    kind: Kind,
    provenance: &Provenance,
    sections: impl IntoIterator<Item = Section>,
) {
    let writer = Writer::begin(path, kind, provenance, Existing::Replace);
    let mut writer = begun(writer.expect("a place for the file"));
    for Section { name, content } in sections {
        writer.section(&name, &content).expect("room");
    }
    writer.finish().expect("room");
}
