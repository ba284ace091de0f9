//! Runs the fuzz targets with the stable compiler: on their corpora, and on thousands of mutated
//! inputs, which are the same on every machine. `scripts/torture.sh fuzz` fuzzes for longer.

use othello_fuzz::TARGETS;
use othello_fuzz::corpus;

#[test]
fn no_parser_breaks_its_word() {
    let corpora = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus");
    corpus::run(corpora.as_ref(), &TARGETS, 1_500);
}
