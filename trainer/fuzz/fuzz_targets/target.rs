//! A libFuzzer program, which runs the fuzz target named in the environment (`OTHELLO_TARGET`).

#![no_main]

use std::sync::LazyLock;

use othello_fuzz::Target;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let wanted = std::env::var("OTHELLO_TARGET").expect("OTHELLO_TARGET names a target");
    let found = othello_fuzz::TARGETS.into_iter().find(|(name, _)| *name == wanted);
    found.expect("OTHELLO_TARGET is one of othello_fuzz::TARGETS").1
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| TARGET(data));
