use std::fs;
use std::path::{Path, PathBuf};

use crate::file::{Existing, Kind, Provenance, Section, Summary, Writer};
use crate::record::{Record, RecordReader, RecordWriter};

/// A temporary folder, in memory if possible, because some tests write thousands of files.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    pub(crate) fn with(name: &str) -> (Self, PathBuf) {
        let folder = Self::new();
        let path = folder.path(name);
        (folder, path)
    }

    pub(crate) fn at(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.at().join(name)
    }

    pub(crate) fn count(&self) -> usize {
        fs::read_dir(self.at()).unwrap().count()
    }
}

pub(crate) fn provenance() -> Provenance {
    Provenance::new("test").with("seed", 7)
}

pub(crate) fn section(name: &str, content: &[u8]) -> Section {
    Section { name: name.to_owned(), content: content.to_owned() }
}

pub(crate) fn write(path: &Path, kind: Kind, sections: &[Section]) -> Summary {
    let begun = Writer::begin(path, kind, &provenance(), Existing::Replace);
    let mut writer = begun.unwrap().writer().unwrap();
    sections.iter().for_each(|it| writer.section(&it.name, &it.content).unwrap());
    writer.finish().unwrap()
}

pub(crate) fn write_records<R: Record>(
    path: &Path,
    records: impl IntoIterator<Item = R>,
) -> Summary {
    let mut begun = RecordWriter::begin(path, &provenance(), Existing::Replace).unwrap();
    records.into_iter().for_each(|record| begun.push(record).unwrap());
    begun.finish().unwrap()
}

pub(crate) fn read_back<R: Record>(records: &[R]) -> Vec<R> {
    let (_folder, path) = Folder::with("records");
    let sha256 = write_records(&path, records.iter().cloned()).sha256;
    let mut reader = RecordReader::open(&path).unwrap();
    let read = reader.by_ref().map(Result::unwrap).collect();
    assert_eq!(reader.sha256(), Some(&*sha256));
    read
}
