//! Manifests of folders.

use othello_engine::record::RecordFolder;
use othello_trainer::dataset::DatasetFolder;

use crate::corpus::check_message;

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
