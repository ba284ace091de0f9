//! The arguments that commands which study recipes share.

use std::path::{Path, PathBuf};

use othello_engine::cli::arguments::existing;
use othello_engine::file::Existing;

use crate::fit::Device;
use crate::model::Phases;
use crate::source::LabelRules;
use crate::study::StudySettings;

/// Arguments of every study.
#[derive(clap::Args, Debug)]
pub(super) struct StudyArguments {
    /// Records to measure errors on, of games that no recipe learns from
    #[arg(long, required = true, value_name = "GAMES")]
    test: Vec<PathBuf>,
    /// Rules that give the positions of the test games their labels
    #[arg(long, value_name = "RULES")]
    labels: Option<LabelRules>,
    /// Phases to fit and to measure, A and B included
    #[arg(long, value_name = "A..B", default_value = "0..59")]
    phases: Phases,
    /// Folder for the weights of all fits; those that are there are not fitted again
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Device to compute on
    #[arg(long, value_enum, default_value_t = Device::Auto)]
    device: Device,
    /// Replace files in the folder that were made from something else
    #[arg(long)]
    force: bool,
}

/// Formats the kinds of labels as `value 60 %, result 40 %`.
pub(super) fn label_list(labels: &[(String, u64)]) -> String {
    let all: u64 = labels.iter().map(|kind| kind.1).sum();
    let percent = |count: u64| 100.0 * count as f64 / all as f64;
    let kind = |(kind, count): &(String, u64)| format!("{kind} {:.0} %", percent(*count));
    labels.iter().map(kind).collect::<Vec<_>>().join(", ")
}

impl StudyArguments {
    pub(super) fn settings(&self) -> StudySettings {
        StudySettings {
            test: self.test.clone(),
            labels: self.labels.clone().unwrap_or_default(),
            phases: self.phases.clone(),
            out: self.out.clone(),
            device: self.device,
            existing: self.existing(),
        }
    }

    /// Returns the files of test games, and the folders of such.
    pub(super) fn test(&self) -> impl Iterator<Item = &Path> {
        self.test.iter().map(PathBuf::as_path)
    }

    /// Returns the rule for existing files of another study.
    pub(super) fn existing(&self) -> Existing {
        existing(self.force)
    }
}
