//! The files of one URL in a stage.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use othello_core::file::plain;

use crate::StoreError;
use crate::place::{Content, sha256_of_file};

/// The use that a command makes of a URL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The object or the folder at the URL is read.
    Input,
    /// An object or a folder is written at the URL, or beside it under a longer name.
    Output,
}

/// The objects that were there when a command began, or were sent since, by their names in the
/// folder of the URL.
pub(crate) type Known = BTreeMap<String, Content>;

/// A URL with its files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Staged {
    pub(crate) url: String,
    pub(crate) role: Role,
    /// The folder that stands for the folder of the URL. What is known of its objects stands beside
    /// it, in a file with `.json` behind the folder's name.
    pub(crate) folder: PathBuf,
    /// The file or folder that stands for the URL.
    pub(crate) path: PathBuf,
}

/// A file of a stage, in the order of time.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StagedFile {
    modified: SystemTime,
    pub(crate) path: PathBuf,
    /// The name in the folder of the URL.
    pub(crate) name: String,
}

impl Staged {
    /// Returns what is known of the objects, if they were all looked at.
    pub(crate) fn known(&self) -> Option<Known> {
        serde_json::from_slice(&fs::read(self.record()).ok()?).ok()
    }

    /// Keeps what is known of the objects for the next run.
    pub(crate) fn remember(&self, known: &Known) -> Result<(), StoreError> {
        let text = serde_json::to_vec_pretty(known).unwrap_or_default();
        Ok(plain::replace(&self.record(), &text)?)
    }

    /// Removes all files but those that `is_kept` names, and what is known of them.
    pub(crate) fn clear(&self, is_kept: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        let failed = || StoreError::local(&self.folder, "make it empty");
        match fs::remove_file(self.record()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed()(error)),
            _ => fs::create_dir_all(&self.folder).map_err(failed())?,
        }
        let (kept, others): (Vec<_>, Vec<_>) =
            self.files()?.into_iter().partition(|file| is_kept(&file.name));
        if kept.is_empty() {
            // Empty folders, too, which may stand where a file belongs.
            let removed = fs::remove_dir_all(&self.folder);
            return removed.and_then(|()| fs::create_dir(&self.folder)).map_err(failed());
        }
        others.iter().try_for_each(|file| fs::remove_file(&file.path)).map_err(failed())
    }

    /// Returns whether a command made anything, finished or not, beside what is known.
    pub(crate) fn has_work(&self, known: &Known) -> Result<bool, StoreError> {
        for file in self.files()? {
            let sha256 = known.get(&file.name).map(|content| content.sha256.as_str());
            if file.is_partial() || sha256 != Some(&sha256_of_file(&file.path)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the files, in the order in which they were finished.
    pub(crate) fn files(&self) -> Result<Vec<StagedFile>, StoreError> {
        let (mut files, mut folders) = (vec![], vec![self.folder.clone()]);
        while let Some(folder) = folders.pop() {
            let unreadable = || StoreError::local(&folder, "read it");
            for entry in fs::read_dir(&folder).map_err(unreadable())? {
                let path = entry.map_err(unreadable())?.path();
                let metadata =
                    fs::metadata(&path).map_err(StoreError::local(&path, "look at it"))?;
                if metadata.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(&self.folder).unwrap_or(&path);
                let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
                let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                files.push(StagedFile { modified, name: parts.join("/"), path });
            }
        }
        files.sort();
        Ok(files)
    }

    fn record(&self) -> PathBuf {
        self.folder.with_added_extension("json")
    }
}

impl StagedFile {
    /// Returns whether the file is not finished, by its name.
    pub(crate) fn is_partial(&self) -> bool {
        self.name.ends_with(".partial")
    }
}

/// Makes the folder that a file is to be in.
pub(crate) fn make_parent(path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(StoreError::local(folder, "create it"))
}
