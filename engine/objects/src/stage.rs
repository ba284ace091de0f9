//! The stage of one command: a folder with the files of the URLs that it names.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use othello_core::progress::Progress;
use sha2::{Digest as _, Sha256};

use crate::StoreError;
use crate::files::{Role, Staged};
use crate::place::Place;
use crate::transfer::Begun;

/// The plan of a stage: the URLs of a command and the paths of their files. Only [`Self::begin`]
/// touches the disk.
///
/// A command with outputs finds the same stage again when it is run again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    root: PathBuf,
    folder: PathBuf,
    staged: Vec<Staged>,
}

impl Stage {
    /// Plans the stage of a command with these URLs in the folder `root`.
    pub fn new<'a>(root: &Path, urls: impl IntoIterator<Item = (&'a str, Role)>) -> Self {
        let urls: Vec<_> = urls.into_iter().collect();
        let outputs: Vec<_> =
            urls.iter().filter(|(_, role)| *role == Role::Output).map(|(url, _)| *url).collect();
        let folder = root.join(match outputs.first() {
            Some(first) => format!("{}-{}", plain_name(first), short_hash(&outputs.join("\n"))),
            // There is nothing to go on with: every process has its own.
            None => format!("read-{}", std::process::id()),
        });
        let staged = urls.iter().map(|&(url, role)| {
            let own = folder.join(short_hash(url));
            Staged { url: url.to_owned(), role, path: own.join(name_of(url)), folder: own }
        });
        let staged = staged.collect();
        Self { root: root.to_owned(), folder, staged }
    }

    /// Returns the path of the file or folder that stands for a URL.
    pub fn path_of(&self, url: &str) -> Option<&Path> {
        self.staged.iter().find(|staged| staged.url == url).map(|staged| staged.path.as_path())
    }

    /// Returns the text with URLs in the place of their paths.
    pub fn told(&self, text: &str) -> String {
        self.staged.iter().fold(text.to_owned(), |text, Staged { url, path, .. }| {
            text.replace(&path.display().to_string(), url.trim_end_matches('/'))
        })
    }

    /// Fetches the inputs, and whatever is already at the URLs of the outputs: the command treats
    /// it as any existing file. Files that an interrupted or failed run left are taken as they are.
    pub fn begin(&self, progress: &dyn Progress) -> Result<Begun, StoreError> {
        self.begin_at(&Place::open, progress)
    }

    pub(crate) fn begin_at(
        &self,
        open: &dyn Fn(&str) -> Result<Place, StoreError>,
        progress: &dyn Progress,
    ) -> Result<Begun, StoreError> {
        let create = StoreError::local(&self.folder, "create it");
        fs::create_dir_all(&self.folder).map_err(create)?;
        let mut begun = Begun::new(&self.root, &self.folder, lock(&self.folder)?)?;
        let fetched = self.staged.iter().try_for_each(|staged| {
            let place = open(&staged.url)?;
            begun.fetch(staged, place, progress)
        });
        match fetched {
            Ok(()) => Ok(begun),
            Err(error) => {
                // No other process would find it.
                if self.staged.iter().all(|staged| staged.role == Role::Input) {
                    begun.remove();
                }
                Err(error)
            }
        }
    }
}

/// Locks a stage for this process.
fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join("lock");
    let file = File::create(&path).map_err(StoreError::local(&path, "create it"))?;
    let busy = || {
        let source = io::Error::new(io::ErrorKind::WouldBlock, "it is locked");
        StoreError::Busy { path: folder.to_owned(), source }
    };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Err(busy()),
        // Some cluster file systems have no locks; work is possible there all the same.
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
            return Err(StoreError::local(&path, "lock it")(error));
        }
        _ => {}
    }
    // Its last owner may have removed the stage.
    if path.exists() { Ok(file) } else { Err(busy()) }
}

/// Returns the last part of a URL, as the name of a file.
fn name_of(url: &str) -> String {
    let name = url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    // As stores and URLs understand it: %20 is a space in the name of the object.
    object_store::path::Path::from_url_path(name).map_or(name.to_owned(), |name| name.to_string())
}

/// Returns the beginning of the last part of a URL, of letters that are harmless everywhere.
fn plain_name(url: &str) -> String {
    const MOST: usize = 60;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let plain = |letter| if is_plain(letter) { letter } else { '_' };
    name_of(url).chars().take(MOST).map(plain).collect()
}

/// Returns enough of the SHA-256 of a text to tell it from others.
fn short_hash(text: &str) -> String {
    hex::encode(&Sha256::digest(text)[..6])
}
