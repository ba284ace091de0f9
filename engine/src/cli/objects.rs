//! URLs among a command's arguments: the command gets paths of a stage in their place, where what
//! it reads is fetched before it begins, and from where what it wrote is sent when it is done.
//!
//! Commands know nothing of this. Without the feature `object-store`, URLs are refused.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::progress::Progress;

#[cfg(feature = "object-store")]
use othello_objects::{Role, Stage};
#[cfg(not(feature = "object-store"))]
use without_stores::{Role, Stage};

/// The beginnings of URLs.
const SCHEMES: [&str; 10] =
    ["s3", "s3a", "gs", "az", "azure", "adl", "abfs", "abfss", "http", "https"];

/// Flags whose value is written; others, and what has no flag, are read. So are those that end in
/// `-out`.
const WRITTEN: [&str; 4] = ["--indices", "--out", "--picture", "--repair"];

/// Flags by which a command writes into what it reads otherwise.
const WRITE_IN_PLACE: [&str; 1] = ["--manifest"];

/// Flags whose value stays with this machine.
const LOCAL: [&str; 1] = ["--progress-file"];

/// The folder of stages, where the environment names no other.
const STAGE: &str = "othello-stage";

/// The URLs of a command, if it has any.
#[derive(Default, Debug)]
pub struct Objects(Option<Stage>);

/// An argument with a URL in it.
struct Found<'a> {
    /// A flag that ends in `=`, or nothing.
    before: &'a str,
    url: &'a str,
    /// A weight, as in `URL*0.5`, or nothing.
    after: &'a str,
    role: Role,
}

impl Objects {
    /// Puts paths in the place of the URLs among arguments.
    pub fn staged(arguments: Vec<OsString>) -> (Vec<OsString>, Self) {
        let found = found(&arguments);
        let urls: Vec<_> = found.iter().flatten().map(|found| (found.url, found.role)).collect();
        if urls.is_empty() {
            return (arguments, Self(None));
        }
        let root = std::env::var_os("OTHELLO_STAGE").map_or(PathBuf::from(STAGE), PathBuf::from);
        let stage = Stage::new(&root, urls);
        (replaced(&arguments, &found, |url| stage.path_of(url)), Self(Some(stage)))
    }

    /// Does a command's work: fetches what it reads, and sends what it wrote.
    pub(super) fn around<T>(
        &self,
        progress: &dyn Progress,
        command: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let Some(stage) = &self.0 else { return command() };
        let begun = stage.begin(progress)?;
        match command() {
            Ok(outcome) => {
                let kept = format!(
                    "what the command made is kept in {}, and is sent when the same command is run \
                     again, without --force",
                    begun.folder().display()
                );
                begun.send(progress).context(kept)?;
                Ok(outcome)
            }
            Err(error) => {
                begun.leave();
                Err(error)
            }
        }
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the text with URLs in the place of their paths.
    pub(super) fn told(&self, text: String) -> String {
        match &self.0 {
            Some(stage) => stage.told(&text),
            None => text,
        }
    }
}

/// Returns the URL of each argument that has one.
fn found(arguments: &[OsString]) -> Vec<Option<Found<'_>>> {
    let writes_in_place = arguments.iter().any(|flag| WRITE_IN_PLACE.iter().any(|own| flag == own));
    let mut flag_before = "";
    let mut found = vec![];
    for argument in arguments {
        let text = argument.to_str().unwrap_or_default();
        let (before, value, flag) = match text.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => {
                (&text[..text.len() - value.len()], value, flag)
            }
            _ => ("", text, flag_before),
        };
        flag_before = if text.starts_with("--") { text } else { "" };
        let (url, after) = match value.rfind('*') {
            Some(star) if value[star + 1..].parse::<f64>().is_ok() => value.split_at(star),
            _ => (value, ""),
        };
        let is_url = url.split_once("://").is_some_and(|(scheme, _)| SCHEMES.contains(&scheme));
        let is_written = WRITTEN.contains(&flag) || flag.ends_with("-out") || writes_in_place;
        let role = if is_written { Role::Output } else { Role::Input };
        let is_staged = is_url && !LOCAL.contains(&flag);
        found.push(is_staged.then_some(Found { before, url, after, role }));
    }
    found
}

/// Returns the arguments with paths in the place of the URLs found in them.
fn replaced<'a>(
    arguments: &[OsString],
    found: &[Option<Found<'_>>],
    path_of: impl Fn(&str) -> Option<&'a Path>,
) -> Vec<OsString> {
    let replaced = arguments.iter().zip(found).map(|(argument, found)| {
        let path = found.as_ref().and_then(|found| Some((found, path_of(found.url)?)));
        let Some((Found { before, after, .. }, path)) = path else { return argument.clone() };
        [before.as_ref(), path.as_os_str(), after.as_ref()].into_iter().collect()
    });
    replaced.collect()
}

/// A stage for programs that know no store: it refuses the first URL.
#[cfg(not(feature = "object-store"))]
mod without_stores {
    use std::path::Path;

    use crate::progress::Progress;

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) enum Role {
        Input,
        Output,
    }

    #[derive(Debug)]
    pub(super) struct Stage {
        url: String,
    }

    pub(super) struct Begun;

    impl Stage {
        pub(super) fn new<'a>(_: &Path, urls: impl IntoIterator<Item = (&'a str, Role)>) -> Self {
            let first = urls.into_iter().next();
            Self { url: first.map_or(String::new(), |(url, _)| url.to_owned()) }
        }

        pub(super) fn path_of(&self, _: &str) -> Option<&Path> {
            None
        }

        pub(super) fn told(&self, text: &str) -> String {
            text.to_owned()
        }

        pub(super) fn begin(&self, _: &dyn Progress) -> anyhow::Result<Begun> {
            anyhow::bail!(
                "{}: is in an object store, and this program was built without them; build it with \
                 `--features object-store`",
                self.url
            )
        }
    }

    impl Begun {
        pub(super) fn send(self, _: &dyn Progress) -> anyhow::Result<()> {
            Ok(())
        }

        pub(super) fn folder(&self) -> &Path {
            Path::new("")
        }

        pub(super) fn leave(self) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Vec<String> {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let told = |found: Found<'_>| {
            let Found { before, url, after, role } = found;
            format!("{role:?} {before}|{url}|{after}")
        };
        found(&arguments).into_iter().flatten().map(told).collect()
    }

    #[test]
    fn a_url_is_read_unless_its_flag_says_that_it_is_written() {
        let read = "Input |s3://b/a|";
        for line in ["validate s3://b/a", "fit --init s3://b/a x", "loss --force s3://b/a"] {
            assert_eq!(of(line), [read], "{line}");
        }
        for flag in ["--out", "--picture", "--repair", "--indices", "--games-out"] {
            let line = format!("command {flag} s3://b/a https://h/b --seed 1");
            assert_eq!(of(&line), ["Output |s3://b/a|", "Input |https://h/b|"]);
            let line = format!("command {flag}=s3://b/a");
            assert_eq!(of(&line), [format!("Output {flag}=|s3://b/a|")]);
        }
        assert_eq!(of("fit s3://b/a*0.5"), ["Input |s3://b/a|*0.5"]);
        assert_eq!(of("validate s3://b/run --manifest"), ["Output |s3://b/run|"]);
    }

    #[test]
    fn what_is_no_url_stays_as_it_is() {
        for line in ["fit a.games", "fit ftp://b/a", "fit s3:/b/a", "fit gtp:s3://b", "fit ://a"] {
            assert!(of(line).is_empty(), "{line}");
        }
        assert!(of("fit a --progress-file s3://b/a").is_empty());
        let arguments: Vec<_> = ["fit", "--out", "a.weights"].map(OsString::from).into();
        let (staged, objects) = Objects::staged(arguments.clone());
        assert!(staged == arguments && objects.is_empty());
    }

    #[test]
    fn a_command_gets_paths() {
        let line = ["fit", "s3://b/a.games*2", "--out=s3://b/w.weights", "--seed", "1", "s3://c"];
        let arguments = line.map(OsString::from);
        let path_of = |url: &str| match url {
            "s3://b/a.games" => Some(Path::new("in/a.games")),
            "s3://b/w.weights" => Some(Path::new("out/w.weights")),
            _ => None,
        };
        let replaced = replaced(&arguments, &found(&arguments), path_of);
        let expected = ["fit", "in/a.games*2", "--out=out/w.weights", "--seed", "1", "s3://c"];
        assert_eq!(replaced, expected);
    }

    #[cfg(not(feature = "object-store"))]
    #[test]
    fn a_program_without_stores_says_how_to_get_them() {
        let line = ["validate", "s3://b/a.games"].map(OsString::from);
        let (staged, objects) = Objects::staged(line.clone().into());
        assert_eq!(staged, line);
        let error = objects.around(&crate::progress::Silent, || Ok(())).unwrap_err().to_string();
        assert!(error.starts_with("s3://b/a.games: ") && error.contains("--features object-store"));
    }
}
