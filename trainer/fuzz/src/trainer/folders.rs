//! Manifests of folders, and parts of a fit in a sound container.

use othello_engine::eval::Weights;
use othello_engine::file::{Existing, Provenance};
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Silent;
use othello_engine::record::RecordFolder;
use othello_trainer::dataset::DatasetFolder;
use othello_trainer::fit::merge_parts;
use serde_json::json;

use super::checkpoint::sections;
use crate::container;
use crate::corpus::check_message;
use othello_testing::scratch;

/// `records.json` and `dataset.json`. What the one lists lies in its folder.
pub fn manifests(data: &[u8]) {
    match RecordFolder::parse(data) {
        Err(reason) => check_message(&reason),
        Ok(files) => {
            for name in files.keys() {
                let path = std::path::Path::new(name);
                assert_eq!(path.file_name(), Some(path.as_os_str()), "{name:?}");
                check_message(name);
            }
        }
    }
    if let Err(reason) = DatasetFolder::check(data) {
        check_message(&reason);
    }
}

/// Sections of the only part of a fit: names and contents in turn, with a byte `FE` between them.
/// They become weights that can be read, or are refused by the name of the file.
pub fn part_of_fit(data: &[u8]) {
    let set = PatternSet::shipped("discs").expect("a shipped set");
    let provenance = Provenance::new("fit")
        .with("shard", "1/1")
        .with("pattern_set", set.to_toml())
        .with("phases", json!([0, 59]))
        .with("initial", json!(null));
    let provenance = json!(provenance.as_map()).to_string();
    let bytes = container::file(b'C', container::VERSION, provenance.as_bytes(), &sections(data));
    scratch::with_file("part.weights", &bytes, |path| {
        let out = scratch::path("merged.weights");
        match merge_parts(&[path.to_owned()], None, &out, Existing::Replace, &Silent) {
            Ok(_) => drop(Weights::read(&out).expect("weights that were just written")),
            Err(error) => {
                let message = error.to_string();
                let expected = ["part.weights", "none of the phases of the fit has training"];
                assert!(expected.iter().any(|part| message.contains(part)), "{message}");
                check_message(&message);
            }
        }
    });
}
