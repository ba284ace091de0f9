//! Fuzz targets: one function for each parser.

mod parts;
mod protocols;
mod records;
mod sources;
mod texts;

use std::fmt::{Debug, Display};
use std::path::Path;
use std::str::FromStr;

/// A function that tests a parser with any bytes, and panics if it finds a fault of the parser.
pub type Target = fn(&[u8]);

/// All fuzz targets, each with the name of its corpus folder.
pub const TARGETS: [(&str, Target); 20] = [
    ("arguments", |data| of_text(data, texts::arguments)),
    ("boards", |data| of_text(data, texts::boards)),
    ("container", records::container),
    ("egaroucid", sources::egaroucid),
    ("fit_arguments", |data| of_text(data, texts::fit_arguments)),
    ("games", records::games),
    ("ggf", sources::ggf),
    ("labels", |data| of_text(data, texts::labels)),
    ("manifests", texts::manifests),
    ("part_of_fit", parts::part_of_fit),
    ("pattern_set", |data| of_text(data, texts::pattern_set)),
    ("positions", records::positions),
    ("protocols", protocols::protocols),
    ("settings", |data| of_text(data, texts::settings)),
    ("tables", sources::tables),
    ("texts", sources::texts),
    ("transcript", |data| of_text(data, texts::transcript)),
    ("unfinished_phase", parts::unfinished_phase),
    ("weights", records::weights),
    ("wthor", sources::wthor),
];

fn check_message(message: &dyn Display) {
    let message = message.to_string();
    assert!(message.len() <= 2000, "{} bytes: {message:.200}…", message.len());
    assert!(!message.contains(|c: char| c.is_control() && c != '\n'), "{message:?}");
}

fn check_names(message: &dyn Display, path: &Path) {
    let text = message.to_string();
    assert!(text.contains(&path.display().to_string()), "{text}");
    check_message(message);
}

/// Returns the value of `read`. If `read` is an error, checks the length and the characters of its
/// message, and returns `None`.
fn checked<T>(read: Result<T, impl Display>) -> Option<T> {
    read.inspect_err(|error| check_message(error)).ok()
}

/// Returns the value of `read`. If `read` is an error, checks its message, which must name `path`,
/// and returns `None`.
fn checked_at<T>(path: &Path, read: Result<T, impl Display>) -> Option<T> {
    read.inspect_err(|error| check_names(error, path)).ok()
}

fn reads_back<T: FromStr<Err: Display> + Display + PartialEq + Debug>(text: &str) -> Option<T> {
    let value = checked(text.parse::<T>())?;
    assert_eq!(value.to_string().parse().ok().as_ref(), Some(&value), "{text:?}");
    Some(value)
}

fn of_text(data: &[u8], check: fn(&str)) {
    if let Ok(text) = str::from_utf8(data) {
        check(text);
    }
}
