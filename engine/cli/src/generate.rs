//! The hidden subcommands `completions` and `man`: shell completions and manual pages.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap_complete::Shell;

use crate::Outcome;
use crate::report::to_standard_output;

/// Arguments of `completions`.
#[derive(clap::Args, Debug)]
pub struct Completions {
    /// Shell to write completions for
    shell: Shell,
}

/// Arguments of `man`.
#[derive(clap::Args, Debug)]
pub struct Man {
    /// Folder for the manual pages, one for each subcommand
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Completions {
    /// Writes shell completions of `command` to standard output.
    pub fn write(&self, mut command: clap::Command) -> anyhow::Result<Outcome> {
        let name = command.get_name().to_owned();
        let mut script = vec![];
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        to_standard_output(|out| std::io::Write::write_all(out, &script))?;
        Ok(Outcome::Done)
    }
}

impl Man {
    /// Writes manual pages of `command` and its subcommands.
    pub fn write(&self, command: clap::Command) -> anyhow::Result<Outcome> {
        let folder = || self.folder.display().to_string();
        fs::create_dir_all(&self.folder).with_context(folder)?;
        clap_mangen::generate_to(command, &self.folder).with_context(folder)?;
        Ok(Outcome::Done)
    }
}
