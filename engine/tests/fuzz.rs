//! The fuzz targets with the stable compiler: over their corpora, and over thousands of changes
//! to them that are the same on every machine. `scripts/fuzz.sh` looks for longer.

#[path = "../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "the fuzz targets' own library")]
mod fuzz;

use fuzz::corpus;

#[test]
fn no_parser_breaks_its_word() {
    let corpora = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus");
    corpus::run(corpora.as_ref(), &fuzz::targets::TARGETS, 1_500);
}
