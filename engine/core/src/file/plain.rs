//! Plain files: outputs in the formats of other programs. They are written as `PATH.partial` first.

use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};

use super::lock::create_partial;
use super::ordinary::{beginning, open_any_ordinary};
use super::paths::{partial_path, refuse_link, refuse_special_outputs};
use super::place::{Replaceable, has_same_bytes};
use super::shown::{refuse_shown, shown};
use super::{Existing, FileError, Result};

/// Writes `bytes` as the output `path`. With [`Existing::Keep`], does nothing if the file has this
/// content, and fails if it has other content or if `PATH.partial` is not a beginning of `bytes`.
pub fn write(path: &Path, bytes: &[u8], existing: Existing) -> Result<()> {
    refuse_shown(path)?;
    let replaceable = Replaceable::now(path, existing);
    if existing == Existing::Keep {
        match has_content(path, bytes) {
            Ok(true) => return Ok(()),
            Ok(false) => return Err(FileError::exists(path, "it has other content")),
            Err(error) if error.is_missing() => {}
            Err(error) => return Err(error),
        }
        check_head(path, bytes)?;
    }
    put(path, bytes, &replaceable)
}

fn has_content(path: &Path, bytes: &[u8]) -> Result<bool> {
    let there = BufReader::with_capacity(1 << 16, open_any_ordinary(path)?);
    has_same_bytes(there, bytes).map_err(FileError::io(path, "read it"))
}

/// Replaces any file at `path` by one with `bytes`. Fails if an existing `PATH.partial` does not
/// begin like `bytes`.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    refuse_shown(path)?;
    put(path, bytes, &Replaceable::Any)
}

/// The number of first bytes that an existing partial file must share with the output to be
/// replaced.
const COMMON_BYTES: usize = 10;

fn put(path: &Path, bytes: &[u8], replaceable: &Replaceable) -> Result<()> {
    refuse_special_outputs(path)?;
    let partial = partial_path(path);
    let mut file = create_partial(path, &bytes[..bytes.len().min(COMMON_BYTES)])?;
    let failed = |action| FileError::io(&partial, action);
    file.write_all(bytes).map_err(failed("write it"))?;
    file.sync_all().map_err(failed("sync it"))?;
    replaceable.put(path)
}

/// The progress file of this process, rewritten at each event. If an input or output has the same
/// path, the process refuses this input or output, and no longer writes the progress file.
#[derive(Debug)]
pub struct ShownFile {
    path: PathBuf,
    head: &'static [u8],
}

impl ShownFile {
    /// Writes `bytes` to a new file, or to an existing one that begins with `head`; refuses others.
    pub fn create(path: &Path, head: &'static [u8], bytes: &[u8]) -> Result<Self> {
        let is_new = !path.exists();
        check_beginning(path, head)?;
        put(path, bytes, &Replaceable::Any)?;
        shown().push((path.to_owned(), is_new));
        Ok(Self { path: path.to_owned(), head })
    }

    /// Replaces the file's content atomically; refuses a file that does not begin with `head`. Does
    /// nothing after this process has refused an input or output that has the path of this file.
    pub fn replace(&self, bytes: &[u8]) -> Result<()> {
        if !shown().iter().any(|(path, _)| *path == self.path) {
            return Ok(());
        }
        check_beginning(&self.path, self.head)?;
        put(&self.path, bytes, &Replaceable::Any)
    }
}

/// Refuses existing files at `path` and `PATH.partial` that do not begin with `head`. The partial
/// file may also contain only the beginning of `head`.
pub fn check_head(path: &Path, head: &[u8]) -> Result<()> {
    refuse_shown(path)?;
    check_beginning(path, head)
}

fn check_beginning(path: &Path, head: &[u8]) -> Result<()> {
    let partial = partial_path(path);
    refuse_link(&partial)?;
    for (path, may_be_shorter) in [(path, false), (&partial, true)] {
        let length = head.len() as u64;
        let there = match open_any_ordinary(path).and_then(|file| beginning(file, path, length)) {
            Err(error) if error.is_missing() && !path.is_symlink() => continue,
            there => there?,
        };
        if there != head && !(may_be_shorter && head.starts_with(&there)) {
            let reason = "it is not the file that belongs there";
            return Err(FileError::exists(path, reason));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::super::shown::refuse_shown_within;
    use super::super::{
        Kind, Provenance, Writer, check_output, check_replaceable, make_folder, open_ordinary,
    };
    use super::*;
    use crate::tests::Folder;

    #[test]
    fn a_plain_file_is_written_once_and_replaces_nothing_else() {
        let (folder, path) = Folder::with("a.npz");
        let partial = folder.path("a.npz.partial");
        write(&path, b"content", Existing::Keep).unwrap();
        write(&path, b"content", Existing::Keep).unwrap();
        let refused = write(&path, b"other", Existing::Keep).unwrap_err().to_string();
        assert!(refused.contains("a.npz: exists: it has other content"), "{refused}");
        write(&path, b"other", Existing::Replace).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"other");
        fs::remove_file(&path).unwrap();
        fs::write(&partial, "foreign").unwrap();
        write(&path, b"content", Existing::Keep).unwrap_err();
        fs::write(&partial, "con").unwrap();
        write(&path, b"content", Existing::Keep).unwrap();
        assert_eq!((fs::read(&path).unwrap(), partial.exists()), (b"content".to_vec(), false));
    }

    #[test]
    fn a_file_is_written_while_others_check_that_they_could_write_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            let check = || {
                while !ended.load(Ordering::Relaxed) {
                    check_replaceable(&path).unwrap();
                    thread::sleep(Duration::from_millis(1));
                }
            };
            scope.spawn(check);
            scope.spawn(check);
            let written: Result<()> = (0..100).try_for_each(|_| replace(&path, b"content"));
            ended.store(true, Ordering::Relaxed);
            written.unwrap();
        });
    }

    #[test]
    fn a_head_tells_whose_file_it_is() {
        let (folder, path) = Folder::with("a.json");
        check_head(&path, b"head").unwrap();
        for (content, own) in [("head and more", true), ("head", true), ("hea", false), ("", false)]
        {
            fs::write(&path, content).unwrap();
            assert_eq!(check_head(&path, b"head").is_ok(), own, "{content}");
        }
        fs::write(&path, "head").unwrap();
        for (content, own) in [("head and more", true), ("hea", true), ("", true), ("heat", false)]
        {
            fs::write(folder.path("a.json.partial"), content).unwrap();
            assert_eq!(check_head(&path, b"head").is_ok(), own, "{content}");
        }
    }

    #[test]
    fn a_partial_file_of_somebody_else_stays_also_with_force() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for existing in [Existing::Keep, Existing::Replace] {
            fs::write(path("a.partial"), "precious data").unwrap();
            let error = write(&path("a"), b"content", existing).unwrap_err().to_string();
            assert!(error.contains("a.partial: "), "{error}");
            assert_eq!(fs::read(path("a.partial")).unwrap(), b"precious data");
        }
        for left in ["", "con", "content", "\0\0\0\0\0\0\0\0\0\0"] {
            fs::write(path("b.partial"), left).unwrap();
            write(&path("b"), b"content", Existing::Replace).unwrap();
        }
        // A partial file with a second name (a hard link) is replaced: that name keeps its content.
        fs::write(path("copy"), "con").unwrap();
        fs::hard_link(path("copy"), path("b.partial")).unwrap();
        write(&path("b"), b"content", Existing::Replace).unwrap();
        assert_eq!(fs::read(path("copy")).unwrap(), b"con");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_at_a_partial_file_is_refused_and_leads_where_it_did() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for content in [None, Some("con"), Some("precious data")] {
            let target = path("precious");
            let _ = fs::remove_file(&target);
            content.into_iter().for_each(|content| fs::write(&target, content).unwrap());
            let _ = fs::remove_file(path("a.partial"));
            std::os::unix::fs::symlink(&target, path("a.partial")).unwrap();
            for existing in [Existing::Keep, Existing::Replace] {
                let error = write(&path("a"), b"content", existing).unwrap_err().to_string();
                assert!(error.contains("a.partial: is a link"), "{error}");
            }
            assert_eq!(fs::read_to_string(&target).ok().as_deref(), content);
        }
        fs::remove_file(path("a.partial")).unwrap();
        std::os::unix::fs::symlink(path("precious"), path("a")).unwrap();
        write(&path("a"), b"content", Existing::Replace).unwrap();
        assert!(!path("a").is_symlink());
        assert_eq!(fs::read(path("precious")).unwrap(), b"precious data");
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_has_the_mode_of_others_and_a_replaced_file_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["a", "other"].map(|name| folder.path().join(name));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        write(&path, b"content", Existing::Keep).unwrap();
        fs::write(&other, "content").unwrap();
        assert_eq!(mode(&path), mode(&other));
        for expected in [0o600, 0o640, 0o664, 0o400] {
            fs::remove_file(&path).unwrap();
            fs::write(&path, "content").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(expected)).unwrap();
            write(&path, b"other", Existing::Replace).unwrap();
            assert_eq!(mode(&path), expected);
        }
    }

    #[test]
    fn an_output_at_the_progress_file_is_refused_and_leaves_nothing_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let settings = Provenance::new("test");
        let begin = |path: &Path| Writer::begin(path, Kind::Games, &settings, Existing::Keep).err();
        type Attempt<'a> = &'a dyn Fn(&Path) -> Option<FileError>;
        let attempts: [Attempt<'_>; 7] = [
            &|path| check_output(path, [Path::new("none")]).err(),
            &|path| begin(path),
            &|path| write(path, b"content", Existing::Replace).err(),
            &|path| replace(path, b"content").err(),
            &|path| check_head(path, b"content").err(),
            &|path| make_folder(path).err(),
            &|path| open_ordinary(path).err(),
        ];
        for attempt in attempts {
            for output in ["a", "./a", "a.partial"] {
                let shown = ShownFile::create(&path("a"), b"event", b"event 1").unwrap();
                shown.replace(b"event 2").unwrap();
                let refused = attempt(&path(output)).map(|error| error.to_string());
                let error = refused.unwrap();
                assert!(error.contains("is also the place of the progress file"), "{error}");
                shown.replace(b"event 3").unwrap();
                assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
                assert!(refuse_shown(&path("a")).is_ok());
            }
        }
        // A progress file that an earlier process created is not removed.
        fs::write(path("a"), "event 0").unwrap();
        let shown = ShownFile::create(&path("a"), b"event", b"event 1").unwrap();
        assert!(begin(&path("b")).is_none());
        refuse_shown_within(folder.path()).unwrap_err();
        shown.replace(b"event 2").unwrap();
        assert_eq!(fs::read(path("a")).unwrap(), b"event 1");
    }
}
