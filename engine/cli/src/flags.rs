//! The flags that several commands share. Their help texts and headings are in `flags.txt`, not in
//! doc comments of the fields that clap parses.

use std::sync::LazyLock;

use clap::{Arg, ArgAction, Command};

struct Flag {
    name: &'static str,
    heading: &'static str,
    help: &'static str,
    more: String,
    /// The flag's defaults in the help texts, as (command, default); `*` is any command not listed.
    defaults: Vec<(&'static str, &'static str)>,
}

pub(crate) const GLOBAL: &str = "Global options";

static FLAGS: LazyLock<Vec<Flag>> = LazyLock::new(|| read(include_str!("flags.txt")));

/// Returns the flags in `flags.txt`. A line `# heading` precedes the flags with this heading. A
/// flag has a line `--name: help`, then lines with more help, and lines `[command: default]`.
fn read(text: &'static str) -> Vec<Flag> {
    let (mut flags, mut heading): (Vec<Flag>, _) = (vec![], "");
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("# ") {
            heading = name;
        } else if let Some((name, help)) =
            line.strip_prefix("--").and_then(|it| it.split_once(": "))
        {
            flags.push(Flag { name, heading, help, more: String::new(), defaults: vec![] });
        } else if let Some(flag) = flags.last_mut() {
            let default = line.trim().strip_prefix('[').and_then(|it| it.strip_suffix(']'));
            match default.and_then(|it| it.split_once(": ")) {
                Some(default) => flag.defaults.push(default),
                None => flag.more = format!("{} {}", flag.more, line.trim()).trim().to_owned(),
            }
        }
    }
    flags
}

/// Flags that have a help text of their own in one command: (command, flag, meaning there).
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("benchmark", "exact", "names files of exact positions, as --strong and --hard do theirs"),
    ("leaves", "depth", "is the greatest of the depths that are drawn"),
    ("probcut", "depth", "is the greatest of the depths that are learned"),
    ("openings", "out", "has the command score the openings"),
    ("split", "out", "is the beginning of three names"),
    ("validate", "force", "has files listed anew"),
    ("bench", "patterns", "lists the pattern sets that the command accepts"),
    ("fit", "patterns", "lists the pattern sets that the command accepts"),
    ("ordering", "patterns", "lists the pattern sets that the command accepts"),
];

impl Flag {
    fn of(arg: &Arg) -> Option<&'static Self> {
        FLAGS.iter().find(|flag| Some(flag.name) == arg.get_long())
    }

    fn put_into(&self, command: &str, arg: Arg) -> Arg {
        let arg = arg.help_heading(self.heading);
        if EXCEPTIONS.iter().any(|&(of, name, _)| (of, name) == (command, self.name)) {
            return arg;
        }
        let find = |name: &str| self.defaults.iter().find(|(of, _)| *of == name);
        let default = find(command).or_else(|| find("*"));
        let default = default.filter(|_| arg.get_default_values().is_empty());
        let default = default.map_or(String::new(), |(_, text)| format!(" [default: {text}]"));
        let help = format!("{}{default}", self.help);
        let long = format!("{help}\n\n{}", self.more);
        if self.more.is_empty() { arg.help(help) } else { arg.help(help).long_help(long) }
    }
}

/// Returns `command` with the help texts and headings from `flags.txt`. Flags also accept negative
/// numbers, so that an error for `--x -5` names the flag `--x`, not an unknown flag `-5`.
pub fn prepared(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let command = command.mut_args(|arg| {
        let takes_value = arg.get_action().takes_values() && !arg.is_positional();
        let arg = if takes_value { arg.allow_negative_numbers(true) } else { arg };
        match Flag::of(&arg) {
            Some(flag) => flag.put_into(&name, arg),
            None => arg,
        }
    });
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help);
    let help = help.help("Print help (short with -h)").help_heading(GLOBAL).display_order(1000);
    command.disable_help_flag(true).arg(help).mut_subcommands(prepared)
}
