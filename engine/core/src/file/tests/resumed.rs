//! Tests of files that a killed run left and the next run continues.

use super::*;

/// Wherever a run is killed, the next one ends with the same bytes.
#[test]
fn a_resumed_file_is_that_of_the_undisturbed_run() {
    let folder = Folder::new();
    let (path, partial) = (folder.path("file"), folder.path("file.partial"));
    let sections = some_sections();
    let summary = write(&path, &sections);
    let whole = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    for length in 0..=whole.len() {
        fs::write(&partial, &whole[..length]).unwrap();
        let mut writer = begin(&path, Existing::Keep).unwrap();
        let done = writer.resumed().len();
        let reread = writer.reread().unwrap().take(done).map(|s| s.unwrap().content);
        assert!(reread.eq(sections[..done].iter().map(|(_, content)| content.clone())));
        let names = writer.resumed().iter().map(|info| &info.name);
        assert!(names.eq(sections[..done].iter().map(|(name, _)| name)));
        if length == whole.len() {
            assert_eq!((done, writer.dropped_bytes()), (sections.len(), 0));
        }
        sections[done..].iter().for_each(|(name, content)| writer.section(name, content).unwrap());
        assert_eq!(writer.finish().unwrap(), summary);
        assert_eq!(fs::read(&path).unwrap(), whole);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn what_a_torn_frame_loses_is_counted() {
    let folder = Folder::new();
    let (path, partial) = (folder.path("file"), folder.path("file.partial"));
    let mut writer = begin(&path, Existing::Keep).unwrap();
    writer.section("one", b"content").unwrap();
    drop(writer);
    let length = fs::metadata(&partial).unwrap().len();
    fs::write(&partial, [&fs::read(&partial).unwrap()[..], b"SECT and more"].concat()).unwrap();
    let writer = begin(&path, Existing::Keep).unwrap();
    assert_eq!((writer.resumed().len(), writer.dropped_bytes()), (1, 13));
    let warning = writer.warning().unwrap();
    assert!(
        warning.contains("file.partial: the head of section 2 that begins at byte"),
        "{warning}"
    );
    assert!(warning.contains("is cut short; the 13 bytes"), "{warning}");
    assert_eq!(fs::metadata(&partial).unwrap().len(), length);
}

/// Damage before the end also drops the sections after it, and the warning says so.
#[test]
fn what_a_damaged_frame_loses_is_counted() {
    let folder = Folder::new();
    let (path, partial) = (folder.path("file"), folder.path("file.partial"));
    let mut writer = begin(&path, Existing::Keep).unwrap();
    writer.section("one", b"content").unwrap();
    let first = fs::metadata(&partial).unwrap().len();
    writer.section("two", b"content").unwrap();
    writer.section("three", b"content").unwrap();
    drop(writer);
    let mut bytes = fs::read(&partial).unwrap();
    bytes[first as usize + 35] ^= 1;
    fs::write(&partial, &bytes).unwrap();
    let writer = begin(&path, Existing::Keep).unwrap();
    let dropped = bytes.len() as u64 - first;
    assert_eq!((writer.resumed().len(), writer.dropped_bytes()), (1, dropped));
    let warning = writer.warning().unwrap();
    let place = format!("section 2 (`two`) at byte {first} does not match its checksum");
    assert!(warning.contains(&place) && warning.contains(&format!("{dropped} bytes")), "{warning}");
}

/// A regression: frames with right checksums that were doubled or left out were kept.
#[test]
fn a_doubled_or_dropped_section_is_found_by_a_run_that_writes_them_again() {
    let folder = Folder::new();
    let path = folder.path("file");
    let sections = some_sections();
    let summary = write(&path, &sections);
    let whole = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let forged: [(&[usize], usize); 6] = [
        (&[0, 1, 2], 3),
        (&[0, 0, 1], 1),
        (&[0, 2, 3], 1),
        (&[1, 0], 0),
        (&[0, 1, 2, 3, 3], 4),
        (&[], 0),
    ];
    for (numbers, kept) in forged {
        let mut writer = begin(&path, Existing::Replace).unwrap();
        for &number in numbers {
            let (name, content) = &sections[number];
            writer.section(name, content).unwrap();
        }
        drop(writer);
        let mut writer = begin(&path, Existing::Keep).unwrap();
        assert_eq!(writer.resumed().len(), numbers.len());
        writer.compare_from_start();
        sections.iter().for_each(|(name, content)| writer.section(name, content).unwrap());
        let warning = writer.end_comparison().unwrap();
        let place = format!("file.partial: section {} is none that this run writes", kept + 1);
        assert_eq!(warning.is_some(), kept < numbers.len());
        assert!(warning.is_none_or(|warning| warning.contains(&place)), "{numbers:?}");
        assert_eq!(writer.finish().unwrap(), summary);
        assert_eq!(fs::read(&path).unwrap(), whole);
        fs::remove_file(&path).unwrap();
    }
}
