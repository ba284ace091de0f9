//! The crate and its program from outside: one binary, since every binary takes long to link.
//! What is killed and resumed has a binary of its own: there, all processor time of children counts.

#![allow(clippy::unwrap_used, reason = "a test")]

mod closed_pipe;
mod command_line;
mod conformance;
mod damage;
mod evaluate_command;
mod evaluation;
mod hint_command;
mod library;
mod playing;
mod protocol_commands;
mod protocols;
mod published;
mod readers;
mod readme;
#[cfg(target_os = "linux")]
mod slips;
mod system;
mod vectors;
mod weights_command;
