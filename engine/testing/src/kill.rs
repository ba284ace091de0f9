//! Kills a command at moments spread over its work, and resumes it with the same command line.
//! Compares the result and the amount of work with an undisturbed run.
//!
//! `OTHELLO_KILLS=25 cargo test --release --test kill -- --nocapture` kills 25 times, in larger
//! work, and also checks the processor time. With few kills, this time varies too much for a check.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use nix::time::{ClockId, clock_getcpuclockid};
use nix::unistd::Pid;
use serde_json::Value;

/// The greatest allowed mean of the processor time of killed and resumed runs, divided by the mean
/// time of undisturbed runs.
const MOST_WORK: f64 = 1.2;

const FEW_KILLS: usize = 4;

/// The name of one stage of a long command, and a function that counts, in a run's folder, the
/// units of work (such as games) that this stage has finished.
pub type FinishedUnits<'a> = (&'a str, &'a dyn Fn(&Path) -> u64);

/// A command to kill and resume. Each run has its own folder, so names of outputs are relative.
pub struct Subject<'a> {
    /// The path of the program.
    pub program: &'a Path,
    /// The subcommand and its arguments, without `--json` and `--threads`.
    pub arguments: &'a str,
    /// The name of the main output, which the command completes last.
    pub output: &'a str,
    /// The files that may differ between runs, such as a log.
    pub may_differ: &'a [&'a str],
    /// The stages into which the command divides its work, each with a function that counts
    /// finished units of work.
    pub stages: &'a [FinishedUnits<'a>],
    /// The number of units of work, such as games, in each stored part of the work; `None` for the
    /// command's default.
    pub units_per_part: Option<u64>,
}

/// Runs [`Subject::check`] on a command that stores its work in files (parts). `stage` names the
/// first stage of the command. `arguments` must contain `--out X`; the parts are in the folder
/// `X.parts`.
pub fn check_parts(program: &Path, stage: &str, units_per_part: Option<u64>, arguments: &str) {
    let output = arguments.split(' ').skip_while(|word| *word != "--out").nth(1);
    let output = output.expect("an output");
    let finished = |folder: &Path| units_in_parts(&folder.join(format!("{output}.parts")));
    let stages: &[FinishedUnits<'_>] = &[(stage, &finished)];
    Subject { program, arguments, output, may_differ: &[], stages, units_per_part }.check();
}

/// Returns the number of kills in `OTHELLO_KILLS`; `None` if the variable is not set.
pub fn many_kills() -> Option<usize> {
    std::env::var("OTHELLO_KILLS").ok().map(|kills| kills.parse().expect("a number of kills"))
}

/// Returns the number of units of work, such as games, in the complete files (parts) that the first
/// stage of a run has stored in `folder`.
pub fn units_in_parts(folder: &Path) -> u64 {
    let Ok(text) = fs::read(folder.join("run.json")) else { return 0 };
    let run: Value = serde_json::from_slice(&text).expect("the description of a run");
    let number = |key: &str| run["stages"][0][key].as_u64().expect("a number");
    let (units, per_part) = (number("units"), number("units_per_part"));
    let parts = (0..number("parts")).filter(|part| folder.join(format!("part-{part:06}")).exists());
    parts.map(|part| per_part.min(units - part * per_part)).sum()
}

struct Run {
    files: BTreeMap<PathBuf, Vec<u8>>,
    report: Value,
    seconds: f64,
}

/// A lock that lets only one check run: the system reports only the total processor time of all
/// child processes.
static ALONE: Mutex<()> = Mutex::new(());

impl Subject<'_> {
    /// Kills and resumes the command. Panics if a result differs or finished work is repeated.
    pub fn check(&self) {
        self.check_with(many_kills().unwrap_or(FEW_KILLS));
    }

    /// Does the same as [`Self::check`] with `kills` kills instead of [`many_kills`] or, by
    /// default, 4.
    pub fn check_with(&self, kills: usize) {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let name = self.arguments;
        let undisturbed = self.run_to_the_end(tempfolder().path());
        let (mut alone, mut ratios, mut kept) = (vec![undisturbed.seconds], vec![], 0);
        for kill in 0..kills {
            let folder = tempfolder();
            let killed = self.run_killed(folder.path(), &undisturbed, kill, kills);
            // If the kill came after the last step, the output is complete and no part is left.
            let complete = folder.path().join(self.output).exists();
            let count = |(_, finished): &FinishedUnits<'_>| finished(folder.path());
            let finished: Vec<u64> = self.stages.iter().map(count).collect();
            let resumed = self.run_to_the_end(folder.path());
            self.compare(&undisturbed, &resumed);
            for ((stage, _), finished) in self.stages.iter().zip(finished) {
                let found = resumed.report["resumed"][stage].as_u64().unwrap_or(0);
                let kept_all = complete || found == finished;
                assert!(kept_all, "{name}: {stage}: {found} units kept of {finished} finished");
                kept += found;
            }
            // Undisturbed runs are timed between kills: the machine's speed may change.
            if kill % 5 == 4 {
                alone.push(self.run_to_the_end(tempfolder().path()).seconds);
            }
            ratios.push(killed + resumed.seconds);
        }
        self.check_the_end(&undisturbed);
        let undisturbed = alone.iter().sum::<f64>() / alone.len() as f64;
        ratios.iter_mut().for_each(|seconds| *seconds /= undisturbed);
        let mean = ratios.iter().sum::<f64>() / kills as f64;
        let most = ratios.iter().copied().fold(0.0, f64::max);
        println!(
            "{name}: {kills} kills in {undisturbed:.2} s of processor time, {kills} identical \
             results; {kept} units kept, 0 done again; killed and resumed work {mean:.3} times the \
             undisturbed on average, {most:.3} at most"
        );
        assert!(many_kills().is_none() || mean <= MOST_WORK, "{name}: too much work");
    }

    /// Kills the command after (`kill` + ½) / `kills` of an undisturbed run's processor time. If
    /// the command ends before, runs it again and kills it after 0.9 of that time, and so on.
    /// Returns the processor seconds of the killed run.
    fn run_killed(&self, folder: &Path, undisturbed: &Run, kill: usize, kills: usize) -> f64 {
        let mut moment = undisturbed.seconds * (kill as f64 + 0.5) / kills as f64;
        loop {
            let before = seconds_of_children();
            if self.kill_when(folder, |child| seconds_of(child) >= moment) {
                return seconds_of_children() - before;
            }
            moment *= 0.9;
            empty(folder);
        }
    }

    fn check_the_end(&self, undisturbed: &Run) {
        let folder = tempfolder();
        self.kill_when(folder.path(), |_| folder.path().join(self.output).exists());
        self.compare(undisturbed, &self.run_to_the_end(folder.path()));
    }

    /// Starts the command, and kills it when `condition` is true. Returns false if it ended before.
    fn kill_when(&self, folder: &Path, condition: impl Fn(&Child) -> bool) -> bool {
        let mut child = self.start(folder, Stdio::null());
        let was_running = loop {
            if child.try_wait().expect("its state").is_some() {
                break false;
            } else if condition(&child) {
                break true;
            }
            sleep(Duration::from_micros(200));
        };
        child.kill().expect("SIGKILL");
        child.wait().expect("its end");
        was_running
    }

    fn run_to_the_end(&self, folder: &Path) -> Run {
        let before = seconds_of_children();
        let output = self.start(folder, Stdio::piped()).wait_with_output().expect("its output");
        let seconds = seconds_of_children() - before;
        assert!(output.status.success(), "{}: {}", self.arguments, output.status);
        let report = serde_json::from_slice(&output.stdout).expect("a JSON object");
        Run { files: files_in(folder, self.may_differ), report, seconds }
    }

    fn start(&self, folder: &Path, output: Stdio) -> Child {
        let mut command = Command::new(self.program);
        if let Some(units) = self.units_per_part {
            command.env("OTHELLO_PART_UNITS", units.to_string());
        }
        command.current_dir(folder).args(self.arguments.split_whitespace());
        command.args(["--json", "--threads", "2"]);
        command.stdout(output).stderr(Stdio::null()).spawn().expect("the binary runs")
    }

    fn compare(&self, undisturbed: &Run, resumed: &Run) {
        let names = |run: &Run| run.files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(resumed), names(undisturbed), "{}: the files", self.arguments);
        for (name, bytes) in &undisturbed.files {
            let is_same = resumed.files[name] == *bytes;
            assert!(is_same, "{}: {} differs", self.arguments, name.display());
        }
        assert_eq!(lasting(&resumed.report), lasting(&undisturbed.report), "{}", self.arguments);
    }
}

fn tempfolder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Returns a JSON report without `seconds` and `resumed`, which differ from run to run.
pub fn lasting(report: &Value) -> Value {
    match report {
        Value::Object(fields) => {
            let lasts =
                |(key, _): &(&String, &Value)| !["seconds", "resumed"].contains(&key.as_str());
            let fields = fields.iter().filter(lasts);
            fields.map(|(key, value)| (key.clone(), lasting(value))).collect()
        }
        Value::Array(values) => values.iter().map(lasting).collect(),
        value => value.clone(),
    }
}

fn seconds_of(child: &Child) -> f64 {
    let clock: nix::Result<ClockId> = clock_getcpuclockid(Pid::from_raw(child.id().cast_signed()));
    let time = clock.and_then(ClockId::now);
    time.map_or(0.0, |time| time.num_microseconds() as f64 / 1e6)
}

fn seconds_of_children() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the usage of children");
    (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6
}

/// Writes files that [`files_in`] returned into a folder, and creates their subfolders.
pub fn write_files(folder: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) {
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a file in a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }
}

/// Returns the contents of files below a folder, by relative path; omits files named in `except`.
pub fn files_in(folder: &Path, except: &[&str]) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_owned();
        if path.is_dir() {
            let inside = files_in(&path, except).into_iter();
            files.extend(inside.map(|(file, bytes)| (Path::new(&name).join(file), bytes)));
        } else if path.is_file() && !except.iter().any(|except| name == *except) {
            files.insert(name.into(), fs::read(&path).expect("the file"));
        }
    }
    files
}

fn empty(folder: &Path) {
    fs::remove_dir_all(folder).and_then(|()| fs::create_dir(folder)).expect("an empty folder");
}
