//! The check of an output before the work that it is for.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::paths::{partial_path, refuse_special_outputs};
use super::writer::lock;
use super::{FileError, Kind, kind_of};

/// Whether a command may write `output`, replacing what is there if need be: refuses what is no
/// ordinary file (a folder, a named pipe, a device, a socket, a link that leads nowhere), a file
/// that is also one of the command's `inputs`, by whatever name, or stands in a folder of records
/// that is one, and a new file where none can be made. The files that stand beside an unfinished
/// output are looked at in the same way.
///
/// Every command calls this for every output before its work, or before it reads inputs. What
/// [`super::Writer`] writes is looked at once more when it begins, without inputs.
pub fn check_output<P: AsRef<Path>>(
    output: &Path,
    inputs: impl IntoIterator<Item = P>,
) -> Result<(), FileError> {
    let written = refuse_special_outputs(output)?;
    for input in inputs {
        let input = input.as_ref();
        let is_input = |path: &PathBuf| is_same_file(path, input) || is_in_input(path, input);
        if written.iter().any(is_input) {
            let (path, input) = (output.to_owned(), input.to_owned());
            return Err(FileError::OutputIsInput { path, input });
        }
    }
    // What stands there may be the finished output, which need not be written again.
    if output.exists() { Ok(()) } else { prove_writable(output) }
}

/// The names of the files that say what a folder of records, or a dataset, holds.
const MANIFESTS: [&str; 2] = ["records.json", "dataset.json"];

/// Whether the file at `path` is one of those for which a folder is named as an input: records, or
/// what lists them.
fn is_in_input(path: &Path, input: &Path) -> bool {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let is_inside =
        || input.is_dir() && is_same_file(parent.unwrap_or(Path::new(".")), input) && path.exists();
    let is_manifest = || path.file_name().is_some_and(|name| MANIFESTS.iter().any(|m| name == *m));
    let is_records = || matches!(kind_of(path), Ok(Kind::Games | Kind::Positions | Kind::Openings));
    is_inside() && (is_manifest() || is_records())
}

/// Makes the file that the output is until it is complete, and takes it away again where it was not
/// there before.
fn prove_writable(output: &Path) -> Result<(), FileError> {
    let partial = partial_path(output);
    let is_new = !partial.exists();
    let _locked = lock(&partial)?;
    if is_new {
        let removed = fs::remove_file(&partial);
        removed.map_err(|source| FileError::Io { path: partial, action: "remove it", source })?;
    }
    Ok(())
}

/// Whether two paths lead to the same file; false where one of them leads nowhere.
fn is_same_file(one: &Path, other: &Path) -> bool {
    match (identity(one), identity(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// What tells the file at a path from all others: its device and its number there.
#[cfg(unix)]
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// What tells the file at a path from all others: its path without links.
#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

#[cfg(test)]
mod tests {
    use super::super::{Begin, Existing, Provenance, Reader, Writer, open_ordinary};
    use super::*;

    const NO_INPUT: [&Path; 0] = [];

    #[test]
    fn an_output_that_is_an_input_is_refused_by_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("in.games"), "games").unwrap();
        fs::write(path("other.games"), "games").unwrap();
        fs::create_dir(path("folder")).unwrap();
        let inputs = [path("other.games"), path("in.games")];
        let refused = |output: &Path| check_output(output, &inputs).unwrap_err().to_string();
        let error = refused(&path("in.games"));
        assert!(error.contains("in.games: is also an input") && error.contains("name another"));
        refused(&path("folder/../in.games"));
        fs::hard_link(path("in.games"), path("link.games")).unwrap();
        refused(&path("link.games"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(path("in.games"), path("symbolic.games")).unwrap();
            refused(&path("symbolic.games"));
        }
        // What stands beside an unfinished output is written, too.
        check_output(&path("new.games"), [path("new.games.partial")]).unwrap();
        for beside in ["new.games.partial", "new.games.checkpoint.partial"] {
            fs::write(path(beside), "games").unwrap();
            check_output(&path("new.games"), [path(beside)]).unwrap_err();
        }
        check_output(&path("out.games"), &inputs).unwrap();
        fs::write(path("out.games"), "games").unwrap();
        check_output(&path("out.games"), &inputs).unwrap();
    }

    /// Opening a named pipe would wait for ever.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_ordinary_file_is_refused_before_it_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(made.success());
        let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        let specials = [
            (path("pipe"), "a named pipe"),
            (path("socket"), "a socket"),
            (folder.path().to_owned(), "a folder"),
            ("/dev/zero".into(), "a device"),
        ];
        let begin = |path: &Path, existing| {
            Writer::begin(path, Kind::Games, &Provenance::new("test"), existing).err().unwrap()
        };
        for (path, found) in specials {
            let expected = format!("{}: is {found}", path.display());
            let errors = [
                check_output(&path, NO_INPUT).unwrap_err(),
                open_ordinary(&path).unwrap_err(),
                Reader::open(&path, Kind::Games).err().unwrap(),
                begin(&path, Existing::Keep),
                begin(&path, Existing::Replace),
            ];
            for error in errors {
                assert!(error.to_string().starts_with(&expected), "{error}");
            }
        }
        // And what stands beside the output.
        for beside in ["a.partial", "b.checkpoint.partial"] {
            let made = std::process::Command::new("mkfifo").arg(path(beside)).status().unwrap();
            assert!(made.success());
        }
        for output in ["a", "b"] {
            let error = begin(&path(output), Existing::Keep).to_string();
            assert!(error.contains("partial: is a named pipe"), "{error}");
        }
        let begun =
            Writer::begin(&path("c"), Kind::Games, &Provenance::new("test"), Existing::Keep);
        assert!(matches!(begun, Ok(Begin::Writer(_))));
    }
}
