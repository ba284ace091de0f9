use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::RecordError;
use crate::file::{FileError, Kind, kind_of, names_in, plain, read_ordinary, sha256_of_file};
use crate::progress::Silent;
use crate::text::{excerpt, quoted_reason};

/// A folder of record files (games or scored positions), all listed in its manifest. Opening it
/// compares the size and the checksum of each file with the manifest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordFolder {
    path: PathBuf,
    files: BTreeMap<String, FolderEntry>,
}

/// The entry of a record file in the manifest of its folder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FolderEntry {
    /// The name of the file in the folder.
    pub name: String,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The SHA-256 of the file in hexadecimal, as `sha256sum` prints it.
    pub sha256: String,
    /// The number of games or positions in the file.
    pub records: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    format: String,
    version: u32,
    files: Vec<FolderEntry>,
}

const MANIFEST: &str = "records.json";
const FORMAT: &str = "othello records";
const VERSION: u32 = 1;
/// The greatest size of a manifest, which is enough for a hundred thousand files.
const MAX_MANIFEST_BYTES: u64 = 64 << 20;
const EXTENSIONS: [&str; 3] = ["games", "positions", "openings"];

/// Replaces each folder in a list of paths by its record files, in the order of their names.
pub fn record_files(named: &[PathBuf]) -> Result<Vec<PathBuf>, RecordError> {
    let files = |path: &PathBuf| match path.is_dir() {
        true => Ok(RecordFolder::open(path)?.paths()),
        false => Ok(vec![path.clone()]),
    };
    Ok(named.iter().map(files).collect::<Result<Vec<_>, RecordError>>()?.concat())
}

impl RecordFolder {
    /// Opens a folder by its manifest. Refuses it if a record file is missing, unlisted or changed.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let reason = || format!("is a folder without {MANIFEST}; {}", list(path));
        let folder = Self::listed(path)?.ok_or_else(|| wrong(path, reason()))?;
        for entry in folder.files.values() {
            if let Some(found) = folder.difference(entry)? {
                return Err(wrong(&path.join(&entry.name), found));
            }
        }
        if let Some(name) = folder.unlisted()?.first() {
            let reason = format!("{MANIFEST} does not list it; move it away, or {}", list(path));
            return Err(wrong(&path.join(name), reason));
        }
        Ok(folder)
    }

    fn listed(path: &Path) -> Result<Option<Self>, RecordError> {
        let manifest = path.join(MANIFEST);
        if !manifest.exists() && !manifest.is_symlink() {
            return Ok(None);
        }
        let no_manifest = |reason: String| {
            let anew = "remove it, and list the files anew";
            wrong(&manifest, format!("{reason}; {anew}: {}", list(path)))
        };
        let text = match read_ordinary(&manifest, MAX_MANIFEST_BYTES) {
            Err(FileError::Long { .. }) => {
                let reason = format!("it has more than {MAX_MANIFEST_BYTES} bytes, the maximum");
                return Err(no_manifest(reason));
            }
            text => text?,
        };
        let files = Self::parse(&text).map_err(no_manifest)?;
        Ok(Some(Self { path: path.to_owned(), files }))
    }

    /// Parses a manifest. Returns its entries by file name, or an error message without the path.
    pub fn parse(text: &[u8]) -> Result<BTreeMap<String, FolderEntry>, String> {
        let manifest: Manifest = serde_json::from_slice(text)
            .map_err(|error| format!("is not a manifest of records: {}", quoted_reason(&error)))?;
        let Manifest { format, version, files } = manifest;
        if format != FORMAT || version != VERSION {
            let found = format!("found `{}` of {version}", excerpt(&format));
            return Err(format!("expected `{FORMAT}` of version {VERSION}, {found}"));
        }
        let mut by_name = BTreeMap::new();
        for entry in files {
            let name = entry.name.clone();
            if !is_plain(&name) {
                return Err(format!("lists `{}`, which is not a file name", excerpt(&name)));
            }
            if by_name.insert(name.clone(), entry).is_some() {
                return Err(format!("lists `{}` twice", excerpt(&name)));
            }
        }
        Ok(by_name)
    }

    /// Returns the paths of the files, in the order of their names.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.keys().map(|name| self.path.join(name)).collect()
    }

    /// Returns the entries of the manifest, in the order of their names.
    pub fn entries(&self) -> impl Iterator<Item = &FolderEntry> {
        self.files.values()
    }

    /// Adds the unlisted record files of a folder to its manifest, one by one. `describe` returns
    /// the number of records in a file. If a listed file is missing or changed, returns an error
    /// or, with `anew`, removes its entry; a changed file is then listed again.
    pub fn list<E: From<RecordError>>(
        path: &Path,
        anew: bool,
        mut describe: impl FnMut(&Path) -> Result<u64, E>,
    ) -> Result<Self, E> {
        let listed = Self::listed(path)?;
        let is_new = listed.is_none();
        let mut folder =
            listed.unwrap_or_else(|| Self { path: path.to_owned(), files: BTreeMap::new() });
        for entry in folder.files.clone().into_values() {
            match folder.difference(&entry)? {
                None => {}
                Some(_) if anew => drop(folder.files.remove(&entry.name)),
                Some(found) => return Err(wrong(&path.join(&entry.name), found).into()),
            }
        }
        let unlisted = folder.unlisted()?;
        if folder.files.is_empty() && unlisted.is_empty() {
            let reason =
                "has no file of records: their names end in .games, .positions or .openings";
            return Err(wrong(path, reason).into());
        }
        for name in &unlisted {
            let file = path.join(name);
            if !is_plain(name) {
                let reason = "its name cannot be listed; give it one without special characters";
                return Err(wrong(&file, reason).into());
            }
            let records = describe(&file)?;
            let metadata = fs::metadata(&file).map_err(FileError::io(&file, "read it"));
            let bytes = metadata.map_err(RecordError::from)?.len();
            let sha256 = sha256_of_file(&file, &Silent).map_err(RecordError::from)?;
            let name = name.clone();
            folder.files.insert(name.clone(), FolderEntry { name, bytes, sha256, records });
            folder.write()?;
        }
        if unlisted.is_empty() && (is_new || anew) {
            folder.write()?;
        }
        Ok(folder)
    }

    fn write(&self) -> Result<(), RecordError> {
        let files = self.files.values().cloned().collect();
        let manifest = Manifest { format: FORMAT.to_owned(), version: VERSION, files };
        let text = serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n";
        Ok(plain::replace(&self.path.join(MANIFEST), text.as_bytes())?)
    }

    fn difference(&self, entry: &FolderEntry) -> Result<Option<String>, RecordError> {
        let file = self.path.join(&entry.name);
        let found = match fs::metadata(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => "is missing".to_owned(),
            Err(error) => return Err(FileError::io(&file, "read it")(error).into()),
            Ok(metadata) if metadata.len() != entry.bytes => {
                format!("has {} bytes instead of {}", metadata.len(), entry.bytes)
            }
            Ok(_) => match sha256_of_file(&file, &Silent)? {
                sha256 if sha256 == entry.sha256 => return Ok(None),
                sha256 => format!("has the sha256 {sha256} instead of {}", entry.sha256),
            },
        };
        let remedy = "put the listed file there, or list the files anew";
        let list = list(&self.path);
        Ok(Some(format!("{found}, but {MANIFEST} lists it; {remedy}: {list} --force")))
    }

    fn unlisted(&self) -> Result<Vec<String>, RecordError> {
        let mut names = names_in(&self.path)?;
        names.retain(|name| !self.files.contains_key(name) && is_of_records(&self.path, name));
        names.sort_unstable();
        Ok(names)
    }
}

fn is_of_records(folder: &Path, name: &str) -> bool {
    let path = folder.join(name);
    if name.starts_with('.') || name.ends_with(".partial") || !path.is_file() {
        return false;
    }
    let extension = Path::new(name).extension().unwrap_or_default();
    let by_kind = || kind_of(&path).is_ok_and(Kind::is_of_records);
    EXTENSIONS.iter().any(|&own| extension == own) || by_kind()
}

fn is_plain(name: &str) -> bool {
    const LONGEST: usize = 255;
    let is_special = |letter: char| matches!(letter, '/' | '\\') || letter.is_control();
    (1..=LONGEST).contains(&name.len()) && !name.starts_with('.') && !name.contains(is_special)
}

fn list(folder: &Path) -> String {
    format!("write it with `othello-trainer validate {} --manifest`", folder.display())
}

fn wrong(path: &Path, reason: impl Into<String>) -> RecordError {
    FileError::refused(path, reason).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random_game;
    use crate::record::Game;
    use crate::tests::{Folder, write_records};

    fn write(path: &Path, seeds: std::ops::Range<u64>) {
        let game = |seed| Game::of_replay(0, &random_game(seed, 0, 20)).unwrap();
        write_records(path, seeds.map(game));
    }

    fn names(paths: &[PathBuf]) -> Vec<&str> {
        paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect()
    }

    #[test]
    fn missing_foreign_and_changed_files_are_refused_by_name() {
        let folder = Folder::new();
        let at = |name: &str| folder.path(name);
        let list = |anew| {
            let mut read = vec![];
            let listed = RecordFolder::list(folder.at(), anew, |path| {
                read.push(path.to_owned());
                Ok::<u64, RecordError>(3)
            });
            listed.map(|_| names(&read).join(" ")).map_err(|error| error.to_string())
        };
        let open = || {
            let files = record_files(&[at("b.games"), folder.at().to_owned()]);
            files.map(|files| names(&files).join(" ")).map_err(|error| error.to_string())
        };
        let refused = |expected: &str| {
            let error = open().unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        assert!(list(false).unwrap_err().contains("has no file of records"));
        write(&at("b.games"), 0..3);
        write(&at("a-games-by-its-content"), 3..6);
        for passed_by in [".hidden.games", "c.games.partial", "notes.txt"] {
            fs::write(at(passed_by), "").unwrap();
        }
        fs::create_dir(at("folder.games")).unwrap();
        refused("is a folder without records.json; write it with `othello-trainer validate");
        assert_eq!(list(false).unwrap(), "a-games-by-its-content b.games");
        assert_eq!(open().unwrap(), "b.games a-games-by-its-content b.games");

        write(&at("c.games"), 6..9);
        refused("c.games: records.json does not list it; move it away");
        assert_eq!(list(false).unwrap(), "c.games");
        assert_eq!(open().unwrap(), "b.games a-games-by-its-content b.games c.games");
        assert_eq!(list(false).unwrap(), "");

        let sound = fs::read(at("b.games")).unwrap();
        fs::remove_file(at("b.games")).unwrap();
        refused("b.games: is missing, but records.json lists it");
        fs::write(at("b.games"), &sound[1..]).unwrap();
        refused(&format!("b.games: has {} bytes instead of {}", sound.len() - 1, sound.len()));
        assert!(list(false).unwrap_err().contains("bytes instead of"));
        // The changed file has games of another run, but the same size.
        let other = (10..).map(|seed| {
            write(&at("b.games"), seed..seed + 3);
            fs::read(at("b.games")).unwrap()
        });
        let mut same_size = other.take(2000).filter(|other| other.len() == sound.len());
        assert!(same_size.next().unwrap() != sound);
        refused("b.games: has the sha256");
        assert_eq!(list(true).unwrap(), "b.games");
        assert!(open().is_ok());

        let manifest = fs::read_to_string(at("records.json")).unwrap();
        for (sound, damaged, said) in [
            ("\"version\": 1", "\"version\": 2", "of version 1, found"),
            ("\"c.games\"", "\"../c.games\"", "not a file name"),
            ("\"c.games\"", "\"b.games\"", "lists `b.games` twice"),
            ("\"bytes\"", "\"bites\"", "is not a manifest of records"),
        ] {
            fs::write(at("records.json"), manifest.replace(sound, damaged)).unwrap();
            refused(said);
        }
    }
}
