//! A store that fails at random, before or after it has done what was asked.

use std::fmt;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::path::Path as Key;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, UploadPart,
};
use othello_core::random::Generator;

/// Draws which requests fail.
#[derive(Clone, Debug)]
pub(super) struct Luck {
    generator: Arc<Mutex<Generator>>,
    percent: u32,
}

impl Luck {
    pub(super) fn new(seed: u64, percent: u32) -> Self {
        Self { generator: Arc::new(Mutex::new(Generator::new(seed))), percent }
    }

    fn draw(&self) -> Result<()> {
        let drawn = self.generator.lock().unwrap().below(100);
        if drawn >= self.percent {
            return Ok(());
        }
        Err(Error::Generic { store: "flaky", source: "no luck this time".into() })
    }
}

#[derive(Debug)]
pub(super) struct Flaky {
    pub(super) inner: Arc<dyn ObjectStore>,
    pub(super) luck: Luck,
}

impl fmt::Display for Flaky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "flaky {}", self.inner)
    }
}

#[async_trait]
impl ObjectStore for Flaky {
    async fn put_opts(&self, key: &Key, content: PutPayload, o: PutOptions) -> Result<PutResult> {
        self.luck.draw()?;
        let done = self.inner.put_opts(key, content, o).await?;
        self.luck.draw()?;
        Ok(done)
    }

    async fn put_multipart_opts(
        &self,
        key: &Key,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.luck.draw()?;
        let inner = self.inner.put_multipart_opts(key, options).await?;
        Ok(Box::new(FlakyUpload { inner, luck: self.luck.clone() }))
    }

    async fn get_opts(&self, key: &Key, options: GetOptions) -> Result<GetResult> {
        self.luck.draw()?;
        self.inner.get_opts(key, options).await
    }

    fn delete_stream(
        &self,
        keys: BoxStream<'static, Result<Key>>,
    ) -> BoxStream<'static, Result<Key>> {
        self.inner.delete_stream(keys)
    }

    fn list(&self, prefix: Option<&Key>) -> BoxStream<'static, Result<ObjectMeta>> {
        let luck = self.luck.clone();
        let drawn = move |object| luck.draw().and(object);
        self.inner.list(prefix).map(drawn).boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Key>) -> Result<ListResult> {
        self.luck.draw()?;
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Key, to: &Key, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

#[derive(Debug)]
struct FlakyUpload {
    inner: Box<dyn MultipartUpload>,
    luck: Luck,
}

#[async_trait]
impl MultipartUpload for FlakyUpload {
    fn put_part(&mut self, content: PutPayload) -> UploadPart {
        let (drawn, part) = (self.luck.draw(), self.inner.put_part(content));
        Box::pin(async move {
            drawn?;
            part.await
        })
    }

    async fn complete(&mut self) -> Result<PutResult> {
        self.luck.draw()?;
        let done = self.inner.complete().await?;
        self.luck.draw()?;
        Ok(done)
    }

    async fn abort(&mut self) -> Result<()> {
        self.luck.draw()?;
        self.inner.abort().await
    }
}
