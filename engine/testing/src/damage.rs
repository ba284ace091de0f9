//! Damaged files through a program: exit status 2 and one clear message, never a panic.

use std::time::Duration;

use crate::folder::Folder;
use crate::mutation::{Draws, mutate};
use crate::program::message;

/// A sound file, the name that it gets once it is damaged, and a command that reads it as `@`.
pub type Reading<'a> = (Vec<u8>, &'a str, &'a str);

/// Gives each command this many damaged files, with pieces of `other` in them; returns how many
/// were refused. Files without checksums may be accepted.
pub fn count_refusals(
    folder: &Folder,
    commands: &[Reading<'_>],
    files: usize,
    other: &[u8],
) -> usize {
    let (mut draws, mut refused) = (Draws(4), 0);
    for number in 0..files * commands.len() {
        let (sound, name, arguments) = &commands[number % commands.len()];
        let damaged = match number / commands.len() % 4 {
            0 => sound[..draws.below(sound.len())].to_vec(),
            1 => b"\x1b[2J\x89PNG\n\0".repeat(draws.below(40)),
            _ => mutate(sound, other, &mut draws),
        };
        if damaged == *sound {
            continue;
        }
        folder.write(name, &damaged);
        let arguments = arguments.replace('@', name) + " --threads 1";
        let output = folder.run_within(Duration::from_secs(60), &arguments);
        let (status, errors) = (output.status.code(), message(&output));
        let context = format!("{name}: {status:?}: {}\n{errors}", damaged.escape_ascii());
        assert!(!errors.contains("panicked"), "{context}");
        match status {
            Some(0 | 1) => assert!(!sound.starts_with(b"OTHELLO"), "taken for good: {context}"),
            Some(2) => {
                let messages = errors.lines().filter(|line| line.starts_with("error: ")).count();
                assert!(messages == 1 && errors.contains(name), "{context}");
                refused += 1;
            }
            _ => panic!("{context}"),
        }
    }
    refused
}
