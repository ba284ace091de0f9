use std::fs;
use std::path::{Path, PathBuf};

use super::lock::{lock, patiently};
use super::paths::{collide, folder_of, is_same_file, partial_path, refuse_special_outputs};
use super::shown::refuse_shown;
use super::{FileError, Kind, Result, kind_of};

/// Checks, before the work, that `output` and `OUTPUT.partial` can be written. Refuses a path that
/// is an input, or a manifest or data file in an input folder.
pub fn check_output<P: AsRef<Path>>(
    output: &Path,
    inputs: impl IntoIterator<Item = P>,
) -> Result<()> {
    refuse_shown(output)?;
    let written = refuse_special_outputs(output)?;
    for input in inputs {
        let input = input.as_ref();
        let is_input = |path: &PathBuf| is_same_file(path, input) || is_in_input(path, input);
        if written.iter().any(is_input) {
            let reason = "which is never replaced; name another output";
            let reason = format!("is also an input ({}), {reason}", input.display());
            return Err(FileError::refused(output, reason));
        }
    }
    // An existing file may be the finished output, which need not be written again.
    if output.exists() { Ok(()) } else { check_replaceable(output) }
}

/// Refuses an output with the path of another output, or of another output's partial file.
pub fn check_differ<P: AsRef<Path>>(outputs: &[P]) -> Result<()> {
    for (number, output) in outputs.iter().map(AsRef::as_ref).enumerate() {
        let mut earlier = outputs[..number].iter().map(AsRef::as_ref);
        if let Some(other) = earlier.find(|other| collide(output, other)) {
            let reason = format!("is also another output ({}); name two", other.display());
            return Err(FileError::refused(output, reason));
        }
    }
    Ok(())
}

/// Creates the folder of outputs if it does not exist, and checks that files can be written in it.
pub fn make_folder(folder: &Path) -> Result<()> {
    refuse_shown(folder)?;
    fs::create_dir_all(folder).map_err(FileError::io(folder, "make the folder"))?;
    check_replaceable(&folder.join("proof"))
}

const MANIFESTS: [&str; 2] = ["records.json", "dataset.json"];

fn is_in_input(path: &Path, input: &Path) -> bool {
    let is_inside = || input.is_dir() && is_same_file(folder_of(path), input) && path.exists();
    let is_manifest = || path.file_name().is_some_and(|name| MANIFESTS.iter().any(|m| name == *m));
    let is_records = || kind_of(path).is_ok_and(Kind::is_of_records);
    is_inside() && (is_manifest() || is_records())
}

/// Checks that `output` can be replaced, by opening or creating its partial file and locking it.
pub fn check_replaceable(output: &Path) -> Result<()> {
    let partial = partial_path(output);
    let file = patiently(|| lock(&partial))?;
    // If the partial file is empty, this check or another check has created it.
    if file.metadata().map_err(FileError::io(&partial, "read it"))?.len() == 0 {
        fs::remove_file(&partial).map_err(FileError::io(&partial, "remove it"))?;
    }
    Ok(())
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
        // A command would overwrite an input at the path of its output's partial file.
        check_output(&path("new.games"), [path("new.games.partial")]).unwrap();
        fs::write(path("new.games.partial"), "games").unwrap();
        check_output(&path("new.games"), [path("new.games.partial")]).unwrap_err();
        check_output(&path("out.games"), &inputs).unwrap();
        fs::write(path("out.games"), "games").unwrap();
        check_output(&path("out.games"), &inputs).unwrap();
    }

    #[test]
    fn two_outputs_at_one_place_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("folder")).unwrap();
        check_differ(&[path("a"), path("b"), path("folder/a")]).unwrap();
        for [one, other] in [["a", "a"], ["a", "folder/../a"], ["a", "a.partial"]] {
            let error = check_differ(&[path("b"), path(one), path(other)]).unwrap_err().to_string();
            assert!(error.contains("is also another output"), "{error}");
        }
    }

    /// A name of 250 letters is valid, but the name of its partial file is too long for the system.
    #[cfg(target_os = "linux")]
    #[test]
    fn outputs_that_cannot_be_replaced_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [short, long] = [1, 250].map(|letters| folder.path().join("x".repeat(letters)));
        for path in [&short, &long] {
            fs::write(path, "somebody's").unwrap();
            check_output(path, NO_INPUT).unwrap();
        }
        check_replaceable(&short).unwrap();
        check_replaceable(&long).unwrap_err();
        assert_eq!(fs::read(&short).unwrap(), b"somebody's");
        make_folder(&folder.path().join("new/folder")).unwrap();
        make_folder(&short).unwrap_err();
        make_folder(&long).unwrap_err();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn other_than_ordinary_files_are_refused_before_they_are_opened() {
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
        let made = std::process::Command::new("mkfifo").arg(path("a.partial")).status().unwrap();
        assert!(made.success());
        let error = begin(&path("a"), Existing::Keep).to_string();
        assert!(error.contains("partial: is a named pipe"), "{error}");
        let begun =
            Writer::begin(&path("c"), Kind::Games, &Provenance::new("test"), Existing::Keep);
        assert!(matches!(begun, Ok(Begin::Writer(_))));
    }
}
