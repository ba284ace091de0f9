use std::cell::Cell;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;
use std::{env, fs};

use othello_stand_in::{install, settings};
use serde_json::Value;
use tempfile::TempDir;

use crate::folder::Folder;

const PATIENCE: Duration = Duration::from_secs(120);

/// The folder of compiled kernels. All tests share it, so that the kernels are compiled only once.
static KERNELS: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

pub(crate) struct Place {
    folder: Folder,
    fits: Cell<u32>,
}

pub(crate) struct Ended {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The report that the stand-in wrote when the process ended; null if it wrote none.
    pub(crate) report: Value,
}

impl Place {
    pub(crate) fn new(games: u64) -> Self {
        Self::without(games, None)
    }

    /// Makes a folder with games and the stand-in for the CUDA driver. If `entry` is a function's
    /// name, the stand-in lacks this function.
    pub(crate) fn without(games: u64, entry: Option<&str>) -> Self {
        let folder = Folder::with_self_play(9, games, 4);
        install(&folder.path("lib"), entry).unwrap();
        Self { folder, fits: Cell::new(0) }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path(name)
    }

    pub(crate) fn run(&self, asked: &str, arguments: &str) -> Ended {
        let report = self.path("report.json");
        let _ = fs::remove_file(&report);
        let kernels = KERNELS.path().display();
        let asked = format!("kernels={kernels} report={} {asked}", report.display());
        let before = env::var("LD_LIBRARY_PATH").unwrap_or_default();
        let mut command = assert_cmd::Command::from_std(self.folder.command(arguments));
        command
            .env(settings::VARIABLE, asked)
            .env("LD_LIBRARY_PATH", format!("{}:{before}", self.path("lib").display()))
            .env("XDG_CACHE_HOME", self.path("cache"));
        let output = command.timeout(PATIENCE).output().expect("it ends");
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let report = fs::read(&report).map_or(Value::Null, |r| serde_json::from_slice(&r).unwrap());
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        Ended { status: output.status.code(), stdout, stderr, report }
    }

    /// Runs `fit`, by default by Adam on the GPU with 2 threads. `asked` has the settings of the
    /// stand-in driver.
    pub(crate) fn fit(&self, asked: &str, arguments: &str) -> Ended {
        self.folder.write("fit.toml", "[adam]\nupdates = 4\n");
        self.fits.set(self.fits.get() + 1);
        let mut all = "fit a.games --patterns small --json --phases 30..32 --window 1,0.5 \
            --settings fit.toml "
            .to_owned()
            + arguments;
        let out = format!("{}.weights", self.fits.get());
        let usual = [
            ("out", &*out),
            ("device", "cuda"),
            ("optimizer", "adam"),
            ("threads", "2"),
            ("epochs", "2"),
        ];
        for (flag, value) in usual {
            if !all.contains(&format!("--{flag} ")) {
                all += &format!(" --{flag} {value}");
            }
        }
        self.run(asked, &all)
    }
}

impl Ended {
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, Some(0), "{}", self.stderr);
        serde_json::from_str(&self.stdout).unwrap()
    }

    pub(crate) fn sha256(&self) -> String {
        self.json()["sha256"].as_str().unwrap().to_owned()
    }

    pub(crate) fn called(&self, beginning: &str) -> Vec<&str> {
        let calls = self.report["calls"].as_object().unwrap().keys().map(String::as_str);
        calls.filter(|entry| entry.starts_with(beginning)).collect()
    }

    pub(crate) fn calls(&self, entry: &str) -> u64 {
        self.report["calls"][entry].as_u64().unwrap_or(0)
    }

    pub(crate) fn unreleased(&self) -> Vec<(String, u64)> {
        let left = self.report["left"].as_object().unwrap();
        let count = |(name, count): (&String, &Value)| (name.clone(), count.as_u64().unwrap());
        left.iter().map(count).filter(|&(_, count)| count > 0).collect()
    }
}
