use std::io::ErrorKind;
use std::path::Path;

use rayon::prelude::*;

use super::folder::{Folder, Lock, is_lock};
use super::{Opened, Plan, Run, RunError, Shard, Stage};
use crate::file::{
    Existing, FileError, Kind, Provenance, Reader, Replaceable, Result, Summary, check_name,
    check_partial, remove_if_there, verified,
};
use crate::progress::Progress;

impl Run {
    /// Opens the run that makes `output` as `plan` describes, and takes the lock of `shard`. Keeps
    /// parts that have the same settings; [`Existing::Replace`] removes parts with other settings.
    ///
    /// # Errors
    /// * [`FileError::Busy`] if another process makes parts of this shard, or packs the parts.
    /// * [`FileError::Refused`] if the partial file of the output was not written by this program.
    /// * [`FileError::Exists`] if `existing` is [`Existing::Keep`] and the output or the existing
    ///   parts were made from other settings.
    pub fn open(
        output: &Path,
        plan: Plan,
        shard: Shard,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<Opened, RunError> {
        // Begins again if another process removes the folder or makes the output in the meantime.
        for _ in 0..100 {
            match Self::open_once(output, plan.clone(), shard, existing, progress) {
                Err(RunError::File(error)) if error.is_missing() => {}
                opened => return opened,
            }
        }
        Self::open_once(output, plan, shard, existing, progress)
    }

    fn open_once(
        output: &Path,
        plan: Plan,
        shard: Shard,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<Opened, RunError> {
        let folder = Folder::of(output);
        if let Some(kind) = plan.kind {
            check_name(output, kind)?;
        }
        let there = || match plan.kind {
            Some(_) => Replaceable::now(output, existing),
            None => Replaceable::Any,
        };
        let replaceable = there();
        let (standing, refusal) = match find_output(output, &plan, existing) {
            Ok((_, Some(summary))) => {
                Self::remove_leftovers(output, &plan.provenance, shard);
                return Ok(Opened::Done(summary));
            }
            Ok((standing, None)) => (standing, None),
            Err(error) if !folder.path.exists() => return Err(error.into()),
            Err(error) => (0, Some(error)),
        };
        folder.create()?;
        let lock = Lock::of_shard(&folder.path, shard)?;
        let is_unchanged = there() == replaceable;
        let (output, packs_only) = (output.to_owned(), false);
        let run = Self { output, plan, shard, folder, lock, packs_only, replaceable, standing };
        if !is_unchanged {
            return Err(FileError::io(&run.output, "find it")(ErrorKind::NotFound.into()).into());
        }
        if run.plan.kind.is_some() {
            check_partial(&run.output)?;
        }
        match refusal {
            Some(error) if !run.has_made_output() => return Err(error.into()),
            refusal => run.claim_folder(existing, refusal)?,
        }
        run.check_parts(progress)?;
        Ok(Opened::Run(run))
    }

    /// Opens a run whose output is a report. The caller writes it, then calls [`Self::clean`].
    pub fn of_report(
        output: &Path,
        provenance: Provenance,
        stages: Vec<Stage>,
        (shard, existing): (Shard, Existing),
        progress: &dyn Progress,
    ) -> Result<Self, RunError> {
        let plan = Plan { kind: None, provenance, stages, growing: None };
        match Self::open(output, plan, shard, existing, progress)? {
            Opened::Run(run) => Ok(run),
            Opened::Done(_) => Err(FileError::exists(output, "it is complete").into()),
        }
    }

    /// Returns an error if another process is making parts of `shard`.
    pub fn check_is_free(output: &Path, shard: Shard) -> Result<(), RunError> {
        Ok(Lock::refuse_overlapping(&Folder::of(output).path, shard, None)?)
    }

    /// Removes the folder that a run leaves if it is killed just after it completed its output.
    pub fn remove_leftovers(output: &Path, provenance: &Provenance, shard: Shard) {
        let folder = Folder::of(output);
        let is_own = match folder.read() {
            Ok(Some(there)) => there.provenance == *provenance,
            // The process was killed after it had removed `run.json`, so only lock files are left.
            Ok(None) => folder.names().is_ok_and(|names| names.iter().all(|name| is_lock(name))),
            Err(_) => false,
        };
        if shard.is_whole()
            && is_own
            && let Ok(lock) = Lock::of_shard(&folder.path, shard)
            && let Ok(_packing) = lock.for_removal()
        {
            let _ = folder.remove(&lock);
        }
    }

    /// Opens a run to pack its existing parts. Also returns the summary of the output if the output
    /// is already complete.
    pub fn to_pack(output: &Path) -> Result<(Self, Option<Summary>), RunError> {
        let folder = Folder::of(output);
        let failed = |reason| FileError::io(&folder.path.join("run.json"), "open it")(reason);
        let missing = || match output.exists() {
            true => FileError::refused(output, "is already packed: there are no parts of it"),
            false => failed(ErrorKind::NotFound.into()),
        };
        let plan = folder.read()?.ok_or_else(missing)?;
        let lock = Lock::for_packing(&folder.path)?;
        let replaceable = Replaceable::now(output, Existing::Keep);
        let (standing, done) = find_output(output, &plan, Existing::Keep)?;
        let (output, shard, packs_only) = (output.to_owned(), Shard::WHOLE, true);
        let run = Self { output, plan, shard, folder, lock, packs_only, replaceable, standing };
        Ok((run, done))
    }

    /// Returns true if this run made the existing output: the output's provenance has all settings
    /// of the run. It may have more entries, such as the epochs of a fit that a time limit stopped.
    fn has_made_output(&self) -> bool {
        let kind = self.plan.kind.unwrap_or(Kind::Part);
        let there = Reader::open(&self.output, kind).map(|reader| reader.provenance().clone());
        let mut settings = self.plan.provenance.as_map().iter();
        there.is_ok_and(|there| settings.all(|(key, value)| there.get(key) == Some(value)))
    }

    /// Prepares the folder for this run. Keeps existing parts with the same settings, also of a run
    /// with fewer units. [`Existing::Replace`] removes parts of another run. Otherwise, such parts
    /// are an error: `refusal` or, if it is `None`, an error that names the different settings.
    fn claim_folder(&self, existing: Existing, refusal: Option<FileError>) -> Result<()> {
        // Parts are looked for first, because other shards write `run.json` before their parts.
        let (has_work, there) = (self.folder.has_work(), self.folder.read()?);
        let Some(Plan { provenance, stages, .. }) = there else {
            // Without `run.json`, parts cannot be assigned to a run, so they are removed.
            if has_work {
                self.lock.check_is_alone()?;
                self.folder.empty()?;
            }
            return refusal.map_or_else(|| self.folder.write(&self.plan, self.shard), Err);
        };
        if provenance == self.plan.provenance && stages == self.plan.stages {
            return remove_if_there(&self.folder.partial_manifest(self.shard));
        }
        let (first, old) = (&self.plan.stages[0], stages.first());
        let is_same_size = old.is_some_and(|old| {
            old.per_part == first.per_part && old.name == first.name && stages.len() == 1
        });
        if let Some(units) = self.plan.beginning(&provenance).filter(|_| is_same_size) {
            self.lock.check_is_alone()?;
            // The shorter run's last part lacks units of the extended run, so it is made again.
            if !units.is_multiple_of(first.per_part) {
                remove_if_there(&self.path(0, units / first.per_part))?;
            }
            return self.folder.write(&self.plan, self.shard);
        }
        if existing == Existing::Replace {
            self.lock.check_is_alone()?;
            self.folder.empty()?;
            return self.folder.write(&self.plan, self.shard);
        }
        let (path, wanted) = (&self.folder.path, &self.plan.provenance);
        Err(refusal.unwrap_or_else(|| match provenance == *wanted {
            true => FileError::exists(path, "its parts have other sizes"),
            false => FileError::other_settings(path, &provenance, wanted),
        }))
    }

    /// Deletes damaged parts of this shard, to be made again. Refuses parts of another run.
    fn check_parts(&self, progress: &dyn Progress) -> Result<(), RunError> {
        for stage in 0..self.plan.stages.len() {
            let parts = 0..self.plan.stages[stage].parts();
            let own: Vec<u64> = parts
                .filter(|&index| self.shard.makes(index) && self.path(stage, index).exists())
                .collect();
            own.into_par_iter().try_for_each(|index| {
                let part = self.part(stage, index);
                let damage = match part.and_then(|mut part| Ok(part.check_rest()?)) {
                    Err(RunError::File(
                        error @ (FileError::Truncated { .. }
                        | FileError::Damaged { .. }
                        | FileError::Foreign { .. }
                        | FileError::OtherKind { .. }),
                    )) => error,
                    other => return other,
                };
                let (path, place) = (self.path(stage, index), damage.place());
                progress.message(&format!("{}: {place}: the part is made again", path.display()));
                Ok(remove_if_there(&path)?)
            })?;
        }
        Ok(())
    }
}

/// Looks for an existing output to keep. Returns (0, summary) if it is complete, (n, `None`) if it
/// has only the first n units, (0, `None`) if there is none. Fails for an output of another plan.
fn find_output(output: &Path, plan: &Plan, existing: Existing) -> Result<(u64, Option<Summary>)> {
    let Some(kind) = plan.kind.filter(|_| existing == Existing::Keep && output.exists()) else {
        return Ok((0, None));
    };
    verified(output, kind, &plan.provenance).map(|summary| (0, Some(summary))).or_else(|other| {
        let beginning = || {
            let mut reader = Reader::open(output, kind).ok()?;
            let units = plan.beginning(reader.provenance())?;
            reader.check_rest().ok().map(|()| units)
        };
        beginning().map(|units| (units, None)).ok_or(other)
    })
}
