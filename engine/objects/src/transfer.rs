//! The transfer from stores into a stage, and from there to stores.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use object_store::ObjectMeta;
use othello_core::progress::Progress;
use tokio::runtime::{Builder, Runtime};

use crate::StoreError;
use crate::files::{Known, Role, Staged, make_parent};
use crate::place::{Content, Place, sha256_of_file, version_of};

/// A stage with all that a command reads. It is the command's alone until it is dropped.
pub struct Begun {
    root: PathBuf,
    folder: PathBuf,
    runtime: Runtime,
    objects: Vec<(Staged, Place, Known)>,
    _lock: File,
}

/// The amount that was moved, and the time.
struct Moved {
    begun: Instant,
    objects: usize,
    bytes: u64,
    sha256: String,
}

impl Begun {
    pub(crate) fn new(root: &Path, folder: &Path, lock: File) -> Result<Self, StoreError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(StoreError::local(folder, "wait for a network"))?;
        let (root, folder) = (root.to_owned(), folder.to_owned());
        Ok(Self { root, folder, runtime, objects: vec![], _lock: lock })
    }

    /// Fetches what is at a URL. Objects that an earlier run fetched are not fetched again, and an
    /// output that it worked on is taken as it is.
    pub(crate) fn fetch(
        &mut self,
        staged: &Staged,
        place: Place,
        progress: &dyn Progress,
    ) -> Result<(), StoreError> {
        let known = match (staged.role, staged.known()) {
            (Role::Output, Some(known)) if staged.has_work(&known)? => known,
            (_, known) => self.fetch_anew(staged, &place, known.unwrap_or_default(), progress)?,
        };
        self.objects.push((staged.clone(), place, known));
        Ok(())
    }

    fn fetch_anew(
        &self,
        staged: &Staged,
        place: &Place,
        mut known: Known,
        progress: &dyn Progress,
    ) -> Result<Known, StoreError> {
        let found = self.runtime.block_on(async {
            match staged.role {
                Role::Input => place.input().await,
                Role::Output => place.output().await,
            }
        })?;
        let is_fetched = |known: &Known, object: &ObjectMeta| {
            let name = place.name_of(object);
            let file = fs::metadata(staged.folder.join(&name));
            let version = known.get(&name).map(|content| &content.version);
            file.is_ok_and(|file| file.len() == object.size) && version == Some(&version_of(object))
        };
        let (fetched, missing): (Vec<_>, Vec<_>) =
            found.iter().partition(|object| is_fetched(&known, object));
        known.retain(|name, _| fetched.iter().any(|object| place.name_of(object) == *name));
        staged.clear(|name| known.contains_key(name))?;
        let bytes = missing.iter().map(|object| object.size).sum();
        progress.begin_stoppable(&format!("fetch {} (bytes)", last(&staged.url)), 0, bytes);
        let mut moved = Moved::begin();
        let result = missing.iter().try_for_each(|object| -> Result<(), StoreError> {
            let name = place.name_of(object);
            let path = staged.folder.join(&name);
            make_parent(&path)?;
            let content = self.runtime.block_on(place.fetch(object, &path, progress));
            let content = content.inspect_err(|_| drop(fs::remove_file(&path)))?;
            moved.add(&content);
            known.insert(name, content);
            Ok(())
        });
        staged.remember(&known)?;
        result.inspect(|()| moved.tell(progress, &staged.url, "fetched"))?;
        Ok(known)
    }

    /// Sends what the command made, and removes the stage. After a failure the rest stays there,
    /// and is sent when the command is run again.
    pub fn send(mut self, progress: &dyn Progress) -> Result<(), StoreError> {
        for (staged, place, mut known) in std::mem::take(&mut self.objects) {
            if staged.role == Role::Output {
                let result = self.send_all(&staged, &place, &mut known, progress);
                staged.remember(&known)?;
                result?;
            }
        }
        self.remove();
        Ok(())
    }

    /// Sends the finished files of an output, in the order in which they were finished: a list of
    /// files comes after the files that it lists.
    fn send_all(
        &self,
        staged: &Staged,
        place: &Place,
        known: &mut Known,
        progress: &dyn Progress,
    ) -> Result<(), StoreError> {
        let mut files = staged.files()?;
        files.retain(|file| !file.is_partial());
        let mut below = Moved::begin();
        for file in &files {
            let mut moved = Moved::begin();
            let before = known.get(&file.name);
            let (path, name) = (&file.path, &file.name);
            let content = self.send_file(path, name, place, before, progress, &mut moved)?;
            // Those in a folder are told together.
            match name.contains('/') {
                true => below.add_all(&moved),
                false => moved.tell(progress, &place.url_of(name), "sent and read back"),
            }
            known.insert(name.clone(), content);
        }
        below.tell(progress, &staged.url, "sent and read back");
        Ok(())
    }

    /// Sends a file and reads it back, unless its content is at its URL already. An object there
    /// that is not `before`, which the command knew, is not replaced. Returns what is there then.
    fn send_file(
        &self,
        path: &Path,
        name: &str,
        place: &Place,
        before: Option<&Content>,
        progress: &dyn Progress,
        moved: &mut Moved,
    ) -> Result<Content, StoreError> {
        let url = place.url_of(name);
        let sha256 = sha256_of_file(path)?;
        let read = || self.runtime.block_on(place.content(name, progress));
        if let Some(there) = self.runtime.block_on(place.object(name))? {
            match before.filter(|before| before.version == version_of(&there)) {
                Some(before) if before.sha256 == sha256 => return Ok(before.clone()),
                Some(_) => {}
                // The answer to an earlier attempt was lost, or somebody else wrote it.
                None => match read()? {
                    Some(content) if content.sha256 == sha256 => return Ok(content),
                    _ => return Err(StoreError::Changed { url, path: path.to_owned() }),
                },
            }
        }
        let bytes = fs::metadata(path).map_err(StoreError::local(path, "look at it"))?.len();
        progress.begin_stoppable(&format!("send {} (bytes)", last(&url)), 0, 2 * bytes);
        self.runtime.block_on(place.send(path, name, progress))?;
        match read()? {
            Some(content) if content.sha256 == sha256 => {
                moved.add(&content);
                Ok(content)
            }
            other => {
                let found = other.map_or("nothing".to_owned(), |content| content.sha256);
                Err(StoreError::content(&url, found, format!("the sha256 {sha256}")))
            }
        }
    }

    /// Returns the folder of the stage.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Ends the stage of a command that failed. It stays if there is work in it to go on with.
    pub fn leave(self) {
        let has_work = |(staged, _, known): &(Staged, Place, Known)| {
            staged.role == Role::Output && staged.has_work(known).unwrap_or(true)
        };
        if !self.objects.iter().any(has_work) {
            self.remove();
        }
    }

    /// Removes the stage. What cannot be removed does no harm.
    pub(crate) fn remove(self) {
        let _ = fs::remove_dir_all(&self.folder);
        let _ = fs::remove_dir(&self.root);
    }
}

impl Moved {
    fn begin() -> Self {
        Self { begun: Instant::now(), objects: 0, bytes: 0, sha256: String::new() }
    }

    fn add(&mut self, content: &Content) {
        self.objects += 1;
        self.bytes += content.bytes;
        self.sha256.clone_from(&content.sha256);
    }

    fn add_all(&mut self, other: &Self) {
        self.objects += other.objects;
        self.bytes += other.bytes;
        self.sha256.clone_from(&other.sha256);
    }

    /// Tells what was done, if anything was.
    fn tell(&self, progress: &dyn Progress, url: &str, done: &str) {
        let Self { begun, objects, bytes, sha256 } = self;
        let seconds = begun.elapsed().as_secs_f64();
        match objects {
            0 => {}
            1 => progress
                .message(&format!("{url}: {bytes} bytes {done}, {seconds:.2} s, sha256 {sha256}")),
            _ => progress.message(&format!(
                "{url}: {bytes} bytes in {objects} objects {done}, {seconds:.2} s"
            )),
        }
    }
}

/// Returns the last part of a URL, for a bar.
fn last(url: &str) -> &str {
    url.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}
