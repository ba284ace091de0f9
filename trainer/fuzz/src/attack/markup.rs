//! Attacks by file names that contain HTML markup or control characters. Written pages must remain
//! valid HTML, and printed text must not contain control characters.

use std::fs;

use super::ground::{self, Ground};
use super::process::run;

const NAMES: [&str; 6] = [
    "<!--<script>.weights",
    "-->]]>&lt;'\"`${x}.weights",
    "\u{1b}[2J\u{7}.weights",
    "\u{9b}2J\u{202e}.weights",
    "a\nb\rc.weights",
    "é<b>.weights",
];

pub(super) fn round(ground: &mut Ground<'_>, times: usize) {
    let &mut Ground { place, limits, ref mut findings, .. } = ground;
    for name in NAMES.into_iter().take(times) {
        let folder = tempfile::tempdir().expect("a folder");
        fs::copy(place.inputs.join("whole.weights"), folder.path().join(name)).expect("writable");
        for words in ground::with_a_name() {
            let mut command = place.words(words);
            for word in command.iter_mut().filter(|word| *word == "NAME") {
                *word = format!("./{name}").into();
            }
            let ended = run(&mut place.command_of(folder.path(), &command), limits);
            let page = fs::read_to_string(folder.path().join("out.html")).unwrap_or_default();
            let broken = data_of(&page).is_some_and(|data| data.contains('<'));
            let broken = broken.then(|| "writes a page whose data contain markup".to_owned());
            let fault = ended.fault_on_input(limits).or(broken);
            let shown = words.replace("NAME", &format!("{name:?}"));
            findings.note(&ground::name(words), fault, ended.end(), &shown);
        }
    }
}

fn data_of(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("id=\"data\"")?;
    let (_, data) = rest.split_once('>')?;
    Some(data.split_once("</script>")?.0)
}
