//! The objects at a URL: the only place that speaks with a store.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use futures_util::TryStreamExt as _;
use object_store::path::Path as Key;
use object_store::{
    Error, GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutPayload, WriteMultipart,
};
use othello_core::progress::Progress;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::StoreError;

/// A URL with its store.
pub(crate) struct Place {
    url: String,
    store: Arc<dyn ObjectStore>,
    key: Key,
    /// The size of what is sent at once.
    part_bytes: usize,
}

/// The content of an object, when all of it was read.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(crate) struct Content {
    /// The tag that the store gave it.
    pub(crate) version: String,
    pub(crate) bytes: u64,
    /// The SHA-256 of the bytes.
    pub(crate) sha256: String,
}

/// The size of the parts of a large file: a store takes 10,000 of them at the most, so that they
/// grow beyond 80 GB.
const PART_BYTES: usize = 8 << 20;
const MOST_PARTS: u64 = 10_000;
/// The number of parts that are under way at the same time.
const PARTS_AT_ONCE: usize = 4;

/// Variables of the environment that begin so are settings of stores.
const SETTINGS: [&str; 3] = ["AWS_", "AZURE_", "GOOGLE_"];

impl Place {
    /// Opens the store of a URL, by the settings in the environment.
    pub(crate) fn open(text: &str) -> Result<Self, StoreError> {
        #[cfg(feature = "network")]
        // Fails if it was done before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url = Url::parse(text).map_err(|error| StoreError::url(text, error))?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err(StoreError::url(text, "it has a ? or #, which are written %3F and %23"));
        }
        // Who writes http means it.
        let http = (url.scheme() == "http").then(|| ("allow_http".to_owned(), "true".to_owned()));
        let environment = std::env::vars_os().filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            let is_setting = SETTINGS.iter().any(|prefix| name.starts_with(prefix));
            is_setting.then(|| (name.to_ascii_lowercase(), value))
        });
        let opened = object_store::parse_url_opts(&url, environment.chain(http));
        let (store, key) = opened.map_err(|error| StoreError::url(text, error))?;
        Self::of(text, store.into(), key)
    }

    /// Creates the place of a key in an open store.
    pub(crate) fn of(url: &str, store: Arc<dyn ObjectStore>, key: Key) -> Result<Self, StoreError> {
        if key.filename().is_none() {
            return Err(StoreError::url(url, "it names a whole bucket"));
        }
        Ok(Self { url: url.to_owned(), store, key, part_bytes: PART_BYTES })
    }

    #[cfg(test)]
    pub(crate) fn with_part_bytes(self, part_bytes: usize) -> Self {
        Self { part_bytes, ..self }
    }

    /// Returns the objects that an input means: the one at the URL, or all in the folder of that
    /// name.
    pub(crate) async fn input(&self) -> Result<Vec<ObjectMeta>, StoreError> {
        match self.store.head(&self.key).await {
            Ok(object) => return Ok(vec![object]),
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(StoreError::store(&self.url, "look at it", error)),
        }
        let objects = self.folder().await?;
        if objects.is_empty() {
            return Err(StoreError::Missing { url: self.url.clone() });
        }
        Ok(objects)
    }

    /// Returns the objects that an output may meet: the one at the URL, those whose names begin so
    /// (`a.weights.report.json` beside `a.weights`), and all in the folder of that name.
    pub(crate) async fn output(&self) -> Result<Vec<ObjectMeta>, StoreError> {
        let name = self.key.filename().unwrap_or_default();
        let is_met = |object: &ObjectMeta| {
            let found = object.location.filename().unwrap_or_default();
            found.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let beside = self.store.list_with_delimiter(Some(&self.parent())).await;
        let beside = beside.map_err(|error| StoreError::store(&self.url, "list it", error))?;
        let mut objects: Vec<_> = beside.objects.into_iter().filter(is_met).collect();
        objects.extend(self.folder().await?);
        Ok(objects)
    }

    async fn folder(&self) -> Result<Vec<ObjectMeta>, StoreError> {
        let objects = self.store.list(Some(&self.key)).try_collect::<Vec<_>>().await;
        let mut objects =
            objects.map_err(|error| StoreError::store(&self.url, "list it", error))?;
        // Some programs keep an empty object of a folder's own name.
        objects.retain(|object| object.location != self.key);
        Ok(objects)
    }

    /// Returns the object of a name in the folder of the URL, if there is one.
    pub(crate) async fn object(&self, name: &str) -> Result<Option<ObjectMeta>, StoreError> {
        match self.store.head(&self.key_of(name)?).await {
            Ok(object) => Ok(Some(object)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(StoreError::store(&self.url_of(name), "look at it", error)),
        }
    }

    /// Fetches an object into a new file.
    pub(crate) async fn fetch(
        &self,
        object: &ObjectMeta,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<Content, StoreError> {
        let mut file = File::create(path).map_err(StoreError::local(path, "create it"))?;
        let write =
            |bytes: &[u8]| file.write_all(bytes).map_err(StoreError::local(path, "write it"));
        // Weak tags match nothing.
        let if_match = object.e_tag.clone().filter(|tag| !tag.starts_with("W/"));
        let options = GetOptions { if_match, ..GetOptions::default() };
        let name = self.name_of(object);
        let content = self.read(&name, &object.location, options, progress, write).await?;
        content.ok_or_else(|| StoreError::Missing { url: self.url_of(&name) })
    }

    /// Reads the object of a name in the folder of the URL, if there is one, without keeping it.
    pub(crate) async fn content(
        &self,
        name: &str,
        progress: &dyn Progress,
    ) -> Result<Option<Content>, StoreError> {
        self.read(name, &self.key_of(name)?, GetOptions::default(), progress, |_| Ok(())).await
    }

    async fn read(
        &self,
        name: &str,
        key: &Key,
        options: GetOptions,
        progress: &dyn Progress,
        mut take: impl FnMut(&[u8]) -> Result<(), StoreError>,
    ) -> Result<Option<Content>, StoreError> {
        let url = self.url_of(name);
        let failed = |error| StoreError::store(&url, "read it", error);
        let got = match self.store.get_opts(key, options).await {
            Err(Error::NotFound { .. }) => return Ok(None),
            got => got.map_err(failed)?,
        };
        let (version, stated) = (version_of(&got.meta), got.meta.size);
        let (mut stream, mut bytes, mut hash) = (got.into_stream(), 0, Sha256::new());
        while let Some(piece) = stream.try_next().await.map_err(failed)? {
            progress.check()?;
            take(&piece)?;
            hash.update(&piece);
            bytes += piece.len() as u64;
            progress.advance(piece.len() as u64);
        }
        if bytes != stated {
            let [found, expected] = [bytes, stated].map(|bytes| format!("{bytes} bytes"));
            return Err(StoreError::content(&url, found, expected));
        }
        Ok(Some(Content { version, bytes, sha256: hex::encode(hash.finalize()) }))
    }

    /// Sends a file. A store shows all of it at once, or nothing.
    pub(crate) async fn send(
        &self,
        path: &Path,
        name: &str,
        progress: &dyn Progress,
    ) -> Result<(), StoreError> {
        let file = File::open(path).map_err(StoreError::local(path, "open it"))?;
        let bytes = file.metadata().map_err(StoreError::local(path, "look at it"))?.len();
        let part_bytes = self.part_bytes.max(bytes.div_ceil(MOST_PARTS) as usize);
        let next = || {
            let mut part = Vec::with_capacity(part_bytes);
            let read = (&file).take(part_bytes as u64).read_to_end(&mut part);
            read.map(|_| part).map_err(StoreError::local(path, "read it"))
        };
        let (key, url) = (self.key_of(name)?, self.url_of(name));
        let failed = |error| StoreError::store(&url, "write it", error);
        if bytes <= part_bytes as u64 {
            let sent = self.store.put(&key, PutPayload::from(next()?)).await;
            progress.advance(bytes);
            return sent.map(drop).map_err(failed);
        }
        let upload = self.store.put_multipart(&key).await.map_err(failed)?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, part_bytes);
        let mut send_all = async || -> Result<(), StoreError> {
            loop {
                upload.wait_for_capacity(PARTS_AT_ONCE).await.map_err(failed)?;
                progress.check()?;
                let part = next()?;
                if part.is_empty() {
                    return Ok(());
                }
                progress.advance(part.len() as u64);
                upload.put(part.into());
            }
        };
        match send_all().await {
            Ok(()) => upload.finish().await.map(drop).map_err(failed),
            Err(error) => {
                // The parts that arrived would be stored, and paid for, without ever being seen.
                let _ = upload.abort().await;
                Err(error)
            }
        }
    }

    /// Returns the name of an object in the folder of the URL.
    pub(crate) fn name_of(&self, object: &ObjectMeta) -> String {
        let rest = object.location.prefix_match(&self.parent());
        let parts = rest.into_iter().flatten().map(|part| part.as_ref().to_owned());
        parts.collect::<Vec<_>>().join("/")
    }

    /// Returns the URL of a name in the folder of this one.
    pub(crate) fn url_of(&self, name: &str) -> String {
        let folder =
            self.url.trim_end_matches('/').rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{folder}/{name}")
    }

    fn key_of(&self, name: &str) -> Result<Key, StoreError> {
        let folder = self.parent();
        let key =
            if folder.as_ref().is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        Key::parse(key).map_err(|error| StoreError::url(&self.url_of(name), error))
    }

    fn parent(&self) -> Key {
        let parts: Vec<_> = self.key.parts().collect();
        Key::from_iter(parts[..parts.len().saturating_sub(1)].iter().cloned())
    }
}

/// Returns what tells an object from others at the same place: its tag, or the time it was written.
pub(crate) fn version_of(object: &ObjectMeta) -> String {
    object.e_tag.clone().unwrap_or_else(|| object.last_modified.to_rfc3339())
}

/// Returns the SHA-256 of the bytes of a file.
pub(crate) fn sha256_of_file(path: &Path) -> Result<String, StoreError> {
    let mut file = File::open(path).map_err(StoreError::local(path, "open it"))?;
    let mut hash = Sha256::new();
    io::copy(&mut file, &mut Hashing(&mut hash)).map_err(StoreError::local(path, "read it"))?;
    Ok(hex::encode(hash.finalize()))
}

/// A hash as a writer, by which a file is copied into it.
struct Hashing<'a>(&'a mut Sha256);

impl io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
