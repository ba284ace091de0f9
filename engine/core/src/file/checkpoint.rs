//! Checkpoints: finished work that is not in the output yet.

use std::path::Path;
use std::time::{Duration, Instant};

use super::paths::{checkpoint_path, remove_if_there};
use super::{Begin, Existing, FileError, Kind, Provenance, Section, Writer};

/// The finished work of a run that is not in its output yet. It is kept beside the output in an
/// unfinished container, `OUTPUT.checkpoint.partial`, which is removed when the output is complete.
///
/// A recorded piece survives the end of the process from then on, and a crash of the machine from
/// some seconds later on.
pub struct Checkpoint {
    writer: Writer,
    last_sync: Instant,
}

impl Checkpoint {
    /// The interval of syncs: the greatest loss of work in a crash of the machine.
    const SYNC_INTERVAL: Duration = Duration::from_secs(5);

    /// The least interval between two [`Self::settle`] that drop recorded pieces: syncing the
    /// output takes milliseconds.
    const SETTLE_INTERVAL: Duration = Duration::from_secs(1);

    /// Opens the checkpoint of `output` or begins it, and reads the recorded pieces.
    pub fn open(
        output: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<(Self, Vec<Section>), FileError> {
        let path = checkpoint_path(output);
        let writer = match Writer::begin(&path, Kind::Checkpoint, provenance, existing)? {
            Begin::Writer(writer) => writer,
            // A checkpoint is never completed, so this file is somebody else's and stays untouched.
            Begin::Done(_) => {
                let reason = "a complete file stands where an unfinished checkpoint belongs";
                return Err(FileError::exists(&path, reason));
            }
        };
        let recorded = writer.reread()?.take(writer.resumed().len()).collect::<Result<_, _>>()?;
        Ok((Self { writer, last_sync: Instant::now() }, recorded))
    }

    /// Returns a message for the user about anything that was dropped when the checkpoint was
    /// resumed.
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

    /// Declares that everything recorded is now in `output`, so that the checkpoint may drop it.
    /// This may happen later: a resumed run must expect recorded pieces that the output has too.
    pub fn settle(&mut self, output: &Writer) -> Result<(), FileError> {
        if self.last_sync.elapsed() < Self::SETTLE_INTERVAL {
            return Ok(());
        }
        output.sync()?;
        self.writer.clear()?;
        self.last_sync = Instant::now();
        Ok(())
    }

    /// Removes the file, because the output is complete.
    pub fn remove(self) -> Result<(), FileError> {
        remove_if_there(self.writer.partial())
    }
}
