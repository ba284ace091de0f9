//! Finished work that has no place in the output yet.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, io};

use super::paths::checkpoint_path;
use super::{Begin, Existing, FileError, Kind, Provenance, Section, Writer};

/// What a run has finished and cannot write into its output yet, in a file beside it: an
/// unfinished container, `OUTPUT.checkpoint.partial`, that is taken away when the output is
/// complete.
///
/// What is recorded survives the end of the process at any moment from then on, and a crash of
/// the machine some seconds later.
pub struct Checkpoint {
    writer: Writer,
    last_sync: Instant,
}

impl Checkpoint {
    /// How much work a crash of the machine may cost.
    const SYNC_INTERVAL: Duration = Duration::from_secs(5);

    /// How often what stands in the output is dropped here, at most: syncing the output takes
    /// milliseconds.
    const SETTLE_INTERVAL: Duration = Duration::from_secs(1);

    /// Opens or begins the checkpoint of `output`, and reads what was recorded there.
    pub fn open(
        output: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<(Self, Vec<Section>), FileError> {
        let path = checkpoint_path(output);
        let writer = match Writer::begin(&path, Kind::Checkpoint, provenance, existing)? {
            Begin::Writer(writer) => writer,
            // A checkpoint is never completed: somebody else's file, which is not ours to touch.
            Begin::Done(_) => {
                let reason = "a complete file stands where an unfinished checkpoint belongs".into();
                return Err(FileError::Exists { path, reason });
            }
        };
        let recorded = writer.reread()?.take(writer.resumed().len()).collect::<Result<_, _>>()?;
        Ok((Self { writer, last_sync: Instant::now() }, recorded))
    }

    /// What resuming the checkpoint dropped, for the user to know.
    pub fn warning(&self) -> Option<String> {
        self.writer.warning()
    }

    /// Records a finished piece of work.
    pub fn record(&mut self, name: &str, content: &[u8]) -> Result<(), FileError> {
        self.writer.section(name, content)?;
        if self.last_sync.elapsed() >= Self::SYNC_INTERVAL {
            self.writer.sync()?;
            self.last_sync = Instant::now();
        }
        Ok(())
    }

    /// Says that all that was recorded stands in `output` now, so that it may be dropped here. It
    /// need not be at once: whoever resumes must expect pieces that the output has too.
    pub fn settle(&mut self, output: &Writer) -> Result<(), FileError> {
        if self.last_sync.elapsed() < Self::SETTLE_INTERVAL {
            return Ok(());
        }
        output.sync()?;
        self.writer.clear()?;
        self.last_sync = Instant::now();
        Ok(())
    }

    /// Takes the file away: the output is complete.
    pub fn remove(self) -> Result<(), FileError> {
        match fs::remove_file(self.writer.partial()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let path = self.writer.partial().to_owned();
                Err(FileError::Io { path, action: "remove it", source: error })
            }
            _ => Ok(()),
        }
    }
}
