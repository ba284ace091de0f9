//! Torture tests of the parsers and the programs.
//!
//! * [`TARGETS`]: one function of bytes for each parser, which panics if the parser breaks its
//!   promises. libFuzzer calls them (`scripts/torture.sh fuzz`); `tests/corpus.rs` runs them over
//!   their corpora and over changes of these.
//! * [`attack`](crate::attack): the programs from outside, with damaged files, kills, failing
//!   system calls and hostile arguments. `tests/attack.rs` runs some, `scripts/torture.sh` many.
//!
//! Both draw their changes from [`mutation`], [`damage`] and [`container`].

#[cfg(target_os = "linux")]
pub mod attack;
pub mod container;
pub mod corpus;
pub mod damage;
pub mod engine;
pub mod mutation;
pub mod trainer;

use corpus::Target;

/// All targets, by the names of their corpora.
pub const TARGETS: [(&str, Target); 20] = [
    ("arguments", engine::arguments),
    ("boards", engine::boards),
    ("container", engine::container),
    ("egaroucid", trainer::egaroucid),
    ("fit_arguments", trainer::fit_arguments),
    ("games", engine::games),
    ("ggf", trainer::ggf),
    ("labels", trainer::labels),
    ("manifests", trainer::manifests),
    ("part_of_fit", trainer::part_of_fit),
    ("pattern_set", engine::pattern_set),
    ("positions", engine::positions),
    ("protocols", engine::protocols),
    ("settings", trainer::settings),
    ("tables", trainer::tables),
    ("texts", trainer::texts),
    ("transcript", engine::transcript),
    ("unfinished_phase", trainer::unfinished_phase),
    ("weights", engine::weights),
    ("wthor", trainer::wthor),
];
