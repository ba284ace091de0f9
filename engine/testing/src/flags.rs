//! Checks that each flag has a help text, and each flag of several commands also a heading.

use clap::{Arg, Command};

/// Returns the faulty flags of a command and its subcommands. A flag is faulty without a help text,
/// or if several commands have it but `flags.txt` does not give it a heading.
pub fn faulty(command: &Command) -> Vec<String> {
    let mut flags = vec![];
    collect(command, &mut flags);
    let is_shared =
        |arg: &Arg| flags.iter().filter(|other| other.get_long() == arg.get_long()).count() > 1;
    let is_faulty = |arg: &&&Arg| {
        arg.get_help().is_none_or(|help| help.to_string().is_empty())
            || is_shared(arg) && arg.get_help_heading().is_none()
    };
    flags.iter().filter(is_faulty).map(ToString::to_string).collect()
}

fn collect<'a>(command: &'a Command, flags: &mut Vec<&'a Arg>) {
    let is_own =
        |arg: &&Arg| !arg.is_global_set() && arg.get_long().is_some_and(|name| name != "help");
    flags.extend(command.get_arguments().filter(is_own));
    command.get_subcommands().for_each(|command| collect(command, flags));
}
