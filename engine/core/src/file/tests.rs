use std::error::Error;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::progress::Silent;
use crate::tests::{Folder, provenance, section, write};

fn begin(path: &Path, existing: Existing) -> Result<Writer, FileError> {
    begin_other(path, 7, existing)
}

fn begin_other(path: &Path, seed: u64, existing: Existing) -> Result<Writer, FileError> {
    let begun = Writer::begin(path, Kind::Games, &provenance().with("seed", seed), existing)?;
    Ok(begun.writer().expect("complete"))
}

fn read(path: &Path) -> Result<Vec<Section>, FileError> {
    Reader::open(path, Kind::Games)?.collect()
}

fn some_sections() -> Vec<Section> {
    let noise: Vec<u8> = (0..30u32).map(|n| ((n * n * 37) >> 3) as u8).collect();
    let (name, twice) = ("the same name", b"twice".repeat(40));
    vec![
        section("first", &noise),
        section("empty", b""),
        section(name, &twice),
        section(name, b"x"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn sections_are_read_as_they_were_written(
        sections in vec(("[a-zé ]{1,40}", vec(any::<u8>(), 0..300)), 0..6),
    ) {
        let (_folder, path) = Folder::with("file");
        let sections: Vec<Section> =
            sections.into_iter().map(|(name, content)| Section { name, content }).collect();
        let summary = write(&path, Kind::Games, &sections);
        prop_assert_eq!(summary.bytes, fs::metadata(&path).unwrap().len());
        let mut reader = Reader::open(&path, Kind::Games).unwrap();
        let there: Vec<Section> = reader.by_ref().map(Result::unwrap).collect();
        prop_assert_eq!(there, sections);
        prop_assert_eq!(reader.summary(), Some(&summary));
        prop_assert_eq!(reader.provenance(), &provenance());
    }

    #[test]
    fn any_bytes_are_refused_without_a_panic(bytes in vec(any::<u8>(), 0..200), magic in any::<bool>()) {
        let (_folder, path) = Folder::with("file");
        let start = if magic { &b"OTHELLOG\x01\0\0\0"[..] } else { &[] };
        fs::write(&path, [start, &bytes].concat()).unwrap();
        prop_assert!(read(&path).is_err());
    }
}

#[test]
fn no_changed_byte_goes_unnoticed() {
    let (_folder, path) = Folder::with("file");
    write(&path, Kind::Games, &some_sections());
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        for change in [1, 0x80, 0xFF] {
            let mut damaged = whole.clone();
            damaged[at] ^= change;
            fs::write(&path, &damaged).unwrap();
            let error = read(&path).expect_err("refused");
            assert!(error.to_string().contains("file"), "{error}");
        }
    }
}

#[test]
fn no_missing_or_extra_byte_goes_unnoticed() {
    let (_folder, path) = Folder::with("file");
    write(&path, Kind::Games, &some_sections());
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let error = read(&path).unwrap_err();
        assert!(matches!(error, FileError::Truncated { .. }), "{length}: {error}");
    }
    fs::write(&path, [&whole[..], b"x"].concat()).unwrap();
    assert!(read(&path).unwrap_err().to_string().contains("is not the end of the file"));
}

/// `datasets/formats.md` promises that the zstd frame states the size of the content.
#[test]
fn stored_bytes_state_the_size_of_the_content() {
    for content in [vec![], b"x".to_vec(), vec![7; 1 << 20]] {
        let frame = format::section(Kind::Games, "a", &content).unwrap();
        // The stored bytes come after the head, the name and their checksum.
        let stored = &frame[format::SECTION_BYTES as usize + 1 + 4..];
        let stated = zstd::zstd_safe::get_frame_content_size(stored).unwrap();
        assert_eq!(stated, Some(content.len() as u64));
    }
}

#[test]
fn whole_sections_behind_damage_can_be_read() {
    let (_folder, path) = Folder::with("some.games");
    let content = |n: u8| (0..=255).map(|byte| byte ^ n).collect::<Vec<_>>();
    let sections: Vec<Section> = (0..4).map(|n| section(&n.to_string(), &content(n))).collect();
    write(&path, Kind::Games, &sections);
    let sound = fs::read(&path).unwrap();
    let starts: Vec<usize> =
        sound.windows(4).enumerate().filter(|w| w.1 == b"SECT").map(|w| w.0).collect();
    for (at, byte) in sound.iter().enumerate().skip(starts[0]) {
        let mut bytes = sound.clone();
        bytes[at] = byte ^ 0x10;
        fs::write(&path, &bytes).unwrap();
        let mut reader = Reader::open(&path, Kind::Games).unwrap();
        let (mut there, mut errors) = (vec![], 0);
        loop {
            match reader.next() {
                None => break,
                Some(Ok(section)) => there.push(section),
                Some(Err(_)) => {
                    errors += 1;
                    if !reader.resynchronize().unwrap() {
                        break;
                    }
                }
            }
        }
        let damaged = starts.iter().rposition(|&start| start <= at).unwrap();
        let end = at >= sound.len() - 48;
        let left = sections.iter().enumerate().filter(|(n, _)| end || *n != damaged);
        assert!(there.iter().eq(left.map(|(_, section)| section)), "byte {at}");
        assert_eq!((errors, reader.sha256()), (1, None), "byte {at}");
    }
}

#[test]
fn an_existing_output_is_done_or_refused_or_replaced() {
    let (folder, path) = Folder::with("file");
    let partial = folder.path("file.partial");
    let summary = write(&path, Kind::Games, &some_sections());
    let again = Writer::begin(&path, Kind::Games, &provenance(), Existing::Keep).unwrap();
    assert!(matches!(again, Begin::Done(there) if there == summary));

    let message = begin_other(&path, 8, Existing::Keep).err().unwrap().to_string();
    assert!(
        message.contains("seed: 7 there, 8 wanted") && message.contains("--force"),
        "{message}"
    );
    assert!(!partial.exists());

    let mut writer = begin_other(&path, 8, Existing::Replace).unwrap();
    writer.section("one", b"1").unwrap();
    assert_eq!(read(&path).unwrap(), some_sections());
    writer.finish().unwrap();
    assert_eq!(read(&path).unwrap().len(), 1);
}

#[test]
fn a_damaged_or_foreign_output_is_not_taken_for_done() {
    let (_folder, path) = Folder::with("file");
    write(&path, Kind::Games, &some_sections());
    let mut bytes = fs::read(&path).unwrap();
    let end = bytes.len() - 60;
    bytes[end] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(begin(&path, Existing::Keep), Err(FileError::Exists { .. })));
    fs::write(&path, "somebody's notes").unwrap();
    assert!(matches!(begin(&path, Existing::Keep), Err(FileError::Exists { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"somebody's notes");
}

#[test]
fn sections_that_all_threads_compress_are_the_bytes_of_one_after_another() {
    let folder = Folder::new();
    let sections: Vec<_> = (0..3).flat_map(|_| some_sections()).collect();
    write(&folder.path("one"), Kind::Games, &sections);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut writer = begin(&folder.path("all"), Existing::Replace).unwrap();
        pool.install(|| writer.sections(sections.clone())).unwrap();
        writer.finish().unwrap();
        assert!(fs::read(folder.path("all")).unwrap() == fs::read(folder.path("one")).unwrap());
    }
}

#[test]
fn a_second_writer_waits() {
    let (_folder, path) = Folder::with("file");
    let first = begin(&path, Existing::Keep).unwrap();
    assert!(matches!(begin(&path, Existing::Keep), Err(FileError::Busy { .. })));
    assert!(matches!(begin(&path, Existing::Replace), Err(FileError::Busy { .. })));
    drop(first);
    assert!(begin(&path, Existing::Keep).is_ok());
}

#[test]
fn a_writer_that_does_not_finish_leaves_nothing() {
    let (folder, path) = Folder::with("file");
    let partial = folder.path("file.partial");
    write(&path, Kind::Games, &some_sections());
    let whole = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    for length in [0, 9, whole.len() / 2, whole.len()] {
        fs::write(&partial, &whole[..length]).unwrap();
        let mut writer = begin(&path, Existing::Keep).unwrap();
        writer.section("one", b"content").unwrap();
        drop(writer);
        assert!(!partial.exists());
        fs::write(&partial, [&whole[..], &whole].concat()).unwrap();
        write(&path, Kind::Games, &some_sections());
        assert_eq!(fs::read(&path).unwrap(), whole);
        fs::remove_file(&path).unwrap();
    }
    fs::write(&partial, "somebody's notes").unwrap();
    let error = begin(&path, Existing::Keep).err().unwrap().to_string();
    assert!(error.contains("file.partial: begins with `somebod`"), "{error}");
    assert_eq!(fs::read(&partial).unwrap(), b"somebody's notes");
}

/// Another program computed the expected checksum, as `datasets/formats.md` defines it:
/// `printf '\1\0\0\0\0\0\0\0a\2\0\0\0\0\0\0\0bc' | sha256sum`.
#[test]
fn the_checksums_are_as_described() {
    let (_folder, path) = Folder::with("file");
    let expected = "9a8acca1b6c6c0befd3fbc756aed625da998c998f7252e738c4ef061906b9b21";
    let summary = write(&path, Kind::Games, &[section("a", b"bc")]);
    let bytes = fs::read(&path).unwrap();
    assert_eq!(hex::encode(&bytes[bytes.len() - 36..][..32]), expected);
    assert_eq!(summary.sha256, sha256_of(&bytes));
    assert_eq!(summary.sha256, sha256_of_file(&path, &Silent).unwrap());
}

#[test]
fn other_kinds_versions_and_programs_are_refused_by_name() {
    let (folder, path) = Folder::with("file");
    write(&path, Kind::Games, &some_sections());
    assert_eq!(kind_of(&path).unwrap(), Kind::Games);
    let error = Reader::open(&path, Kind::Weights).err().unwrap().to_string();
    assert!(error.contains("is a file of games; expected a weights file"), "{error}");

    let mut newer = fs::read(&path).unwrap();
    newer[8] = 9;
    fs::write(&path, &newer).unwrap();
    let error = read(&path).unwrap_err();
    assert!(matches!(error, FileError::Newer { found: 9, .. }));
    assert!(error.to_string().contains("version 9, newer than version 1"), "{error}");

    fs::write(&path, "PK\x03\x04 a zip file, say").unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains(r"begins with `PK\x03\x04 a z`") && error.contains("games"), "{error}");
    assert!(kind_of(&path).is_err());
    assert!(kind_of(folder.at()).is_err());
    assert!(matches!(kind_of(&folder.path("none")), Err(FileError::Io { .. })));
}

#[test]
fn a_stated_size_allocates_nothing() {
    let (_folder, path) = Folder::with("file");
    let header = format::header(Kind::Games, &provenance()).unwrap();
    let packed = zstd::bulk::compress(b"hello", 1).unwrap();
    let real = packed.len() as u64;
    for (stored, length) in [
        (u64::MAX, 5),
        (1 << 40, 5),
        (real + 5, 5),
        (real, u64::MAX),
        (real, 1 << 26),
        (real, 1 << 27),
        (real, 4),
    ] {
        let mut head = b"SECT\x01\0\0\0".to_vec();
        head.extend(stored.to_le_bytes());
        head.extend(length.to_le_bytes());
        head.push(b'a');
        head.extend(crc32fast::hash(&head).to_le_bytes());
        let checksum = crc32fast::hash(&packed).to_le_bytes();
        fs::write(&path, [&header[..], &head, &packed, &checksum].concat()).unwrap();
        let error = read(&path).unwrap_err();
        assert!(
            matches!(error, FileError::Truncated { .. } | FileError::Damaged { .. }),
            "{stored} {length}: {error}"
        );
    }
}

#[test]
fn names_have_1_to_255_bytes() {
    let (_folder, path) = Folder::with("file");
    let mut writer = begin(&path, Existing::Keep).unwrap();
    assert!(writer.section("", b"").is_err());
    assert!(writer.section(&"x".repeat(256), b"").is_err());
    writer.section(&"x".repeat(255), b"").unwrap();
    assert_eq!(writer.finish().unwrap().sections, 1);
}

#[test]
fn checks_of_one_output_at_the_same_moment_do_not_refuse_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.games");
    let check = || (0..200).for_each(|_| check_replaceable(&path).unwrap());
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(check))));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_appears_during_the_work_is_kept_with_the_complete_output() {
    let (folder, path) = Folder::with("file");
    let partial = folder.path("file.partial");
    for existing in [Existing::Keep, Existing::Replace] {
        let _ = fs::remove_file(&path);
        let mut writer = begin(&path, existing).unwrap();
        writer.section("one", b"1").unwrap();
        fs::write(&path, "precious").unwrap();
        let Err(error) = writer.finish() else {
            assert_eq!(existing, Existing::Replace);
            continue;
        };
        let error = error.to_string();
        assert!(error.contains("another file appeared here during the work"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"precious");
        assert_eq!(read(&partial).unwrap().len(), 1);
    }
    // So is a folder.
    fs::remove_file(&path).unwrap();
    fs::remove_file(&partial).unwrap_or_default();
    let writer = begin(&path, Existing::Keep).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(writer.finish(), Err(FileError::Refused { .. })));
    assert!(partial.is_file());
    fs::remove_dir(&path).unwrap();
    // A second start of the same command that finishes later is done, and leaves nothing.
    let other = folder.path("other");
    let [first, second] = [&other, &path].map(|path| {
        fs::remove_file(&partial).unwrap_or_default();
        let mut writer = begin(path, Existing::Keep).unwrap();
        writer.section("one", b"1").unwrap();
        writer
    });
    first.finish().unwrap();
    fs::copy(&other, &path).unwrap();
    second.finish().unwrap();
    assert!(!partial.exists());
}

/// The exit status shows whether a retry may succeed: it is derived from the error's `source`.
#[test]
fn a_temporary_cause_of_a_refused_file_stays_its_source() {
    let source_of = |kind: ErrorKind| {
        let error = FileError::io("a.games".as_ref(), "open it")(kind.into());
        let error = FileError::because("a.toml".as_ref(), format!("`data`: {error}"), &error);
        assert!(error.to_string().starts_with("a.toml: `data`: a.games: cannot open it: "));
        error.source().map(|source| source.downcast_ref::<io::Error>().is_some_and(may_pass))
    };
    assert_eq!(source_of(ErrorKind::StorageFull), Some(true));
    assert_eq!(source_of(ErrorKind::NotFound), None);
}
